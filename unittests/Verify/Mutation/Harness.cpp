//===- Harness.cpp - Edits, their truth, and the verifier's answer --------===//

#include "Harness.h"
#include "Mirage/Verify/Verify.h"
#include "Right.h"
#include "Wrong.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <atomic>
#include <optional>
#include <random>
#include <set>
#include <thread>

using namespace mirage::verify;
using namespace mirage::verify::mutation;

namespace {
struct Case {
  Edited edited;
  bool right;
};

struct Answer {
  Truth truth = Truth::Grey;
  std::optional<VerifyResult> result;
  std::string error;
};

uint64_t hashOf(llvm::StringRef text, uint64_t seed) {
  uint64_t hash = 0xcbf29ce484222325 ^ seed;
  for (unsigned char c : text)
    hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

/// `count` edits in which every kind has its turn, or all of them.
std::vector<Edited> sample(std::vector<Edited> all, unsigned count,
                           std::mt19937_64 &bits) {
  if (count == 0 || all.size() <= count)
    return all;
  std::map<std::string, std::vector<Edited>> byKind;
  for (size_t i = all.size(); i > 1; --i)
    std::swap(all[i - 1], all[bits() % i]);
  for (Edited &edit : all)
    byKind[edit.kind].push_back(std::move(edit));
  std::vector<Edited> chosen;
  // A sample smaller than the number of kinds must not always miss the last.
  std::vector<std::string> order;
  for (auto &row : byKind)
    order.push_back(row.first);
  std::rotate(order.begin(), order.begin() + bits() % order.size(),
              order.end());
  for (size_t turn = 0; chosen.size() < count; ++turn)
    for (const std::string &kind : order)
      if (turn < byKind[kind].size() && chosen.size() < count)
        chosen.push_back(std::move(byKind[kind][turn]));
  return chosen;
}

std::vector<Case> casesOf(const Base &base, const HarnessOptions &options) {
  std::mt19937_64 bits(hashOf(base.name, options.seed));
  std::vector<Case> cases{{{"the base itself", "", base.candidate}, true}};
  std::vector<Edited> wrong = wrongEdits(base.candidate);
  std::vector<Edited> firsts;
  for (unsigned i = 0; i < options.pairsPerBase && !wrong.empty(); ++i)
    firsts.push_back(wrong[bits() % wrong.size()]);
  for (Edited &edit : sample(std::move(wrong), options.wrongPerBase, bits))
    cases.push_back({std::move(edit), false});
  for (Edited &first : firsts) {
    std::vector<Edited> second = wrongEdits(first.program);
    if (second.empty())
      continue;
    Edited &edit = second[bits() % second.size()];
    cases.push_back(
        {{"two edits", first.what + "; " + edit.what, edit.program}, false});
  }
  std::vector<Edited> single = rightEdits(base.candidate);
  unsigned walks = options.rightPerBase;
  if (walks > 0)
    for (Edited &edit : sample(std::move(single), (walks + 1) / 2, bits))
      cases.push_back({std::move(edit), true});
  for (unsigned i = 0; i < walks / 2; ++i) {
    Edited walk{"several laws in a row", "", base.candidate};
    unsigned length = 2 + bits() % (options.longestWalk - 1);
    for (unsigned n = 0; n < length; ++n) {
      std::vector<Edited> next = rightEdits(walk.program);
      if (next.empty())
        break;
      Edited &step = next[bits() % next.size()];
      walk.what += (n ? "; " : "") + step.kind + " " + step.what;
      walk.program = std::move(step.program);
    }
    cases.push_back({std::move(walk), true});
  }
  return cases;
}

Answer answer(const Base &base, Judge &judge, const Program &program,
              uint64_t seed) {
  Answer result;
  result.truth = judge.judge(program);
  VerifyOptions options;
  options.threads = 1;
  options.seed.emplace();
  for (size_t i = 0; i < options.seed->size(); ++i)
    (*options.seed)[i] = static_cast<uint8_t>(
        hashOf(toString(program), seed + i / 8) >> (8 * (i % 8)));
  auto verdict = verify(base.reference, program, options);
  if (verdict)
    result.result = std::move(*verdict);
  else
    result.error = llvm::toString(verdict.takeError());
  return result;
}

void record(Report &report, const Base &base, const Case &one,
            const Answer &answer) {
  std::string name =
      base.name + ": " + one.edited.kind + ": " + one.edited.what;
  auto fault = [&](llvm::StringRef what, const std::string &why) {
    report.faults.push_back((what + ": " + name + "\n  " + why + "\n" +
                             toString(base.reference) +
                             toString(one.edited.program))
                                .str());
  };
  if (!answer.result)
    return fault("error", answer.error);
  Verdict verdict = answer.result->verdict;
  auto &rows = one.right ? report.right : report.wrong;
  ++rows[one.edited.kind][unsigned(answer.truth)][unsigned(verdict)];
  std::string why = describe(*answer.result);
  if (answer.truth == Truth::Wrong && one.right)
    fault("a right edit that is wrong", why);
  if (answer.truth == Truth::Wrong && verdict == Verdict::Equivalent)
    fault("wrong but accepted", why);
  if (answer.truth == Truth::Same && verdict == Verdict::NotEquivalent)
    fault("same but refused", why);
  if (answer.truth == Truth::Same && verdict == Verdict::CannotTell)
    report.cannotTell.push_back(name + ": " + why);
  if (answer.truth == Truth::Wrong && verdict == Verdict::CannotTell)
    report.open.push_back(name + ": " + why);
  if (answer.truth == Truth::Grey)
    report.grey.push_back(name + ": " + why);
}
} // namespace

Report mirage::verify::mutation::runHarness(const std::vector<Base> &corpus,
                                            const HarnessOptions &options) {
  auto parallel = [&](llvm::function_ref<void(size_t)> work) {
    std::atomic<size_t> next{0};
    auto loop = [&] {
      for (size_t i; (i = next++) < corpus.size();)
        work(i);
    };
    std::vector<std::thread> pool;
    for (unsigned i = 1; i < options.threads; ++i)
      pool.emplace_back(loop);
    loop();
    for (std::thread &thread : pool)
      thread.join();
  };
  std::vector<std::vector<Case>> cases(corpus.size());
  parallel([&](size_t i) { cases[i] = casesOf(corpus[i], options); });

  // Several graphs of one search may be one graph at small sizes, and two edits
  // may undo each other: every pair of programs counts once.
  std::set<std::string> seen;
  unsigned bases = 0;
  for (size_t i = 0; i < corpus.size(); ++i) {
    std::string reference = toString(corpus[i].reference);
    llvm::erase_if(cases[i], [&](const Case &one) {
      return !seen.insert(reference + toString(one.edited.program)).second;
    });
    bases += !cases[i].empty();
  }

  // One report for each base, added up in order: threads change nothing.
  std::vector<Report> parts(corpus.size());
  parallel([&](size_t i) {
    if (cases[i].empty())
      return;
    Judge judge(corpus[i].reference);
    for (const Case &one : cases[i])
      record(parts[i], corpus[i], one,
             answer(corpus[i], judge, one.edited.program, options.seed));
  });

  Report report;
  report.bases = bases;
  auto add = [](auto &rows, const auto &more) {
    for (const auto &[kind, counts] : more)
      for (int t = 0; t < 3; ++t)
        for (int v = 0; v < 3; ++v)
          rows[kind][t][v] += counts[t][v];
  };
  auto append = [](auto &list, const auto &more) {
    list.insert(list.end(), more.begin(), more.end());
  };
  for (const Report &part : parts) {
    add(report.wrong, part.wrong);
    add(report.right, part.right);
    append(report.faults, part.faults);
    append(report.cannotTell, part.cannotTell);
    append(report.open, part.open);
    append(report.grey, part.grey);
  }
  return report;
}

unsigned
mirage::verify::mutation::total(const std::map<std::string, Counts> &rows,
                                Truth truth) {
  unsigned sum = 0;
  for (const auto &row : rows)
    for (unsigned count : row.second[unsigned(truth)])
      sum += count;
  return sum;
}

void mirage::verify::mutation::printTables(const Report &report,
                                           llvm::raw_ostream &os) {
  auto table = [&](llvm::StringRef title,
                   const std::map<std::string, Counts> &rows) {
    os << "| " << title
       << " | wrong | refused | cannot tell | **accepted** | same | accepted "
          "| cannot tell | **refused** | grey | accepted |\n"
       << "|---|---|---|---|---|---|---|---|---|---|---|\n";
    Counts sum{};
    auto line = [&](llvm::StringRef kind, const Counts &c) {
      const auto &same = c[unsigned(Truth::Same)];
      const auto &grey = c[unsigned(Truth::Grey)];
      const auto &wrong = c[unsigned(Truth::Wrong)];
      constexpr unsigned kYes = unsigned(Verdict::Equivalent),
                         kNo = unsigned(Verdict::NotEquivalent),
                         kOpen = unsigned(Verdict::CannotTell);
      os << "| " << kind;
      for (unsigned n :
           {wrong[0] + wrong[1] + wrong[2], wrong[kNo], wrong[kOpen],
            wrong[kYes], same[0] + same[1] + same[2], same[kYes], same[kOpen],
            same[kNo], grey[0] + grey[1] + grey[2], grey[kYes]})
        os << " | " << n;
      os << " |\n";
    };
    for (const auto &[kind, counts] : rows) {
      line(kind, counts);
      for (int t = 0; t < 3; ++t)
        for (int v = 0; v < 3; ++v)
          sum[t][v] += counts[t][v];
    }
    line("**all**", sum);
    os << "\n";
  };
  table("wrong edit", report.wrong);
  table("right edit", report.right);
}
