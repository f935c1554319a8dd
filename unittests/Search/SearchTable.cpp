//===- SearchTable.cpp - Statistics of the search, program by program -----===//
//
// Prints one row for each program of the tests: what was enumerated, what each
// rule pruned, the time and the predicted costs. With an argument, only the
// programs whose name contains it, and the best graph of each.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Search.h"
#include "Programs.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace mirage::search;
using namespace mirage::search::test;

int main(int argc, char **argv) {
  SearchOptions options(*mirage::cost::findTarget("sm_90a"));
  if (const char *threads = argc > 2 ? argv[2] : nullptr)
    options.threads = std::atoi(threads);
  llvm::outs() << "program               structs  visited  shape    expr     "
                  "merged  values  questions z3     graphs insts   seconds "
                  "original best\n";
  uint64_t before = 0;
  if (argc > 3)
    options.progress = [&](const Progress &p) {
      llvm::errs() << "visited " << p.visited - before << " values " << p.values
                   << " best " << p.bestMicros << "\n";
      before = p.visited;
    };
  for (const NamedProgram &one : allPrograms()) {
    if (argc > 1 && !llvm::StringRef(one.name).contains(argv[1]))
      continue;
    auto result = search(one.build(), options);
    if (!result) {
      llvm::errs() << one.name << ": " << toString(result.takeError()) << "\n";
      return 1;
    }
    const SearchStats &s = result->stats;
    llvm::outs() << llvm::format(
        "%-22s %-7llu %-8llu %-8llu %-8llu %-7llu %-7llu %-9llu %-6llu %-6llu "
        "%-7llu %-7.2f %-8.2f ",
        one.name, s.structures, s.visited, s.prunedShape, s.prunedExpression,
        s.merged, s.values, s.prune.questions, s.prune.z3Queries, s.graphs,
        s.instances, s.seconds, result->originalMicros);
    if (result->candidates.empty())
      llvm::outs() << "- " << result->note;
    else
      llvm::outs() << llvm::format("%.2f",
                                   result->candidates[0].predictedMicros);
    if (result->stopped == StopReason::Budget)
      llvm::outs() << " (budget)";
    llvm::outs() << "\n";
    llvm::outs().flush();
    if (argc > 1 && !result->candidates.empty())
      print(result->candidates[0].program, llvm::outs());
  }
  return 0;
}
