//===- Cache.cpp - mirage-run cache ---------------------------------------===//

#include "CacheCheck.h"
#include "Mirage/Cache/Store.h"
#include "Run.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mirage;
using namespace mirage::run;
using cache::Entry;
using cache::Store;
namespace cl = llvm::cl;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

static const char kCacheOverview[] =
    R"(Look at the answers that --mirage-superopt="cache=DIR" and Python keep.

  mirage-run cache list           what is there
  mirage-run cache show NAME      one entry, by the start of its name
  mirage-run cache verify         re-checks every entry; --full runs all tests of
                                  its certificate again, which takes seconds each
  mirage-run cache prune          removes what is damaged, left over or past the
                                  limit; --max-size=0 removes everything

The folder is --dir, else $MIRAGE_CACHE_DIR, else $XDG_CACHE_HOME/mirage, else
~/.cache/mirage. What does not hold is set aside.

Exit status: 0 success, 1 bad input or a failure on the way, 2 an entry that does
not hold.
)";

static std::string megabytes(uint64_t bytes) {
  return llvm::formatv("{0:F1} MiB", bytes / 1048576.0);
}

/// Seconds as a person would say them.
static std::string ago(int64_t seconds) {
  if (seconds < 0)
    return "in the future";
  for (auto [unit, length] :
       {std::pair<const char *, int64_t>{"d", 86400}, {"h", 3600}, {"min", 60}})
    if (seconds >= 2 * length)
      return llvm::formatv("{0} {1} ago", seconds / length, unit);
  return llvm::formatv("{0} s ago", seconds);
}

/// The first line of the program that the answer is about.
static StringRef subjectOf(const Entry &entry) {
  size_t at = StringRef(entry.key).find("program(");
  StringRef text =
      StringRef(entry.key).drop_front(at == StringRef::npos ? 0 : at);
  return text.take_until([](char c) { return c == '{' || c == '\n'; }).rtrim();
}

static void listEntries(const Store &store) {
  int64_t now = std::chrono::duration_cast<std::chrono::seconds>(
                    std::chrono::system_clock::now().time_since_epoch())
                    .count();
  uint64_t bytes = 0;
  unsigned damaged = 0, other = 0;
  std::vector<Entry> entries = store.list();
  for (const Entry &entry : entries) {
    bytes += entry.bytes;
    bool isOther = entry.damage.empty() && entry.version != cache::version();
    damaged += !entry.damage.empty();
    other += isOther;
    llvm::outs() << StringRef(entry.name).take_front(12) << "  "
                 << llvm::format(
                        "%-8s %8.1f KiB  %-14s ",
                        entry.damage.empty() ? entry.kind.c_str() : "damaged",
                        entry.bytes / 1024.0, ago(now - entry.used).c_str())
                 << (!entry.damage.empty() ? StringRef(entry.damage)
                                           : subjectOf(entry))
                 << (isOther ? " (of another version)" : "") << "\n";
  }
  llvm::outs() << entries.size() << " entries, " << megabytes(bytes) << ", "
               << other << " of another version, " << damaged << " damaged\n";
}

static Error showEntry(const Store &store, StringRef name) {
  std::optional<Entry> found;
  unsigned count = 0;
  for (Entry &entry : store.list())
    if (StringRef(entry.name).starts_with(name)) {
      ++count;
      found = std::move(entry);
    }
  if (count != 1)
    return llvm::createStringError(
        llvm::formatv("expected one entry whose name starts with '{0}', but "
                      "got {1}",
                      name, count));
  if (!found->damage.empty())
    return llvm::createStringError(found->name + ": " + found->damage);
  llvm::outs() << found->kind << ", version " << found->version << "\n"
               << found->key << llvm::formatv("{0:2}\n", *found->answer);
  return Error::success();
}

static ExitCode verifyEntries(const Store &store, bool full) {
  unsigned good = 0, bad = 0, other = 0;
  for (const Entry &entry : store.list()) {
    if (entry.damage == "set aside")
      continue;
    if (entry.damage.empty() && entry.version != cache::version()) {
      ++other;
      continue;
    }
    if (Error error = checkCacheEntry(entry, full)) {
      llvm::outs() << entry.name << ": " << llvm::toString(std::move(error))
                   << "; set aside\n";
      store.setAside(entry);
      ++bad;
    } else {
      ++good;
    }
  }
  llvm::outs() << good << " entries hold, " << bad << " do not, " << other
               << " of another version were not looked into\n";
  return bad ? kWrongResult : kSuccess;
}

Expected<ExitCode> run::cacheMain(int argc, char **argv) {
  cl::OptionCategory category("mirage-run cache");
  cl::list<std::string> words(cl::Positional,
                              cl::desc("list | show NAME | verify | prune"),
                              cl::cat(category));
  cl::opt<std::string> folder("dir", cl::desc("The cache"),
                              cl::value_desc("folder"), cl::cat(category));
  cl::opt<bool> full("full", cl::desc("verify: with all tests"),
                     cl::cat(category));
  cl::opt<unsigned> most(
      "max-size", cl::desc("prune: what the entries may take (default 512)"),
      cl::value_desc("MiB"), cl::init(cache::kDefaultLimit >> 20),
      cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, kCacheOverview);
  StringRef what = words.empty() ? "" : StringRef(words[0]);
  if (what != "list" && what != "show" && what != "verify" && what != "prune")
    return llvm::createStringError(
        "expected one of list, show, verify and prune, but got '" + what + "'");
  if (words.size() != (what == "show" ? 2u : 1u))
    return llvm::createStringError(
        llvm::formatv("expected {0} after {1}, but got {2} words",
                      what == "show" ? "the start of a name" : "nothing", what,
                      words.size() - 1));
  std::string path = folder.empty() ? cache::defaultFolder() : folder;
  if (path.empty())
    return llvm::createStringError(
        "expected --dir or a home for the cache, but got neither");
  // A look must not make a folder.
  if (!llvm::sys::fs::is_directory(path))
    return llvm::createStringError(path +
                                   ": expected a cache, but got no folder");
  Expected<Store> store = Store::open(path);
  if (!store)
    return store.takeError();
  if (what == "list")
    listEntries(*store);
  if (what == "show")
    if (Error error = showEntry(*store, words[1]))
      return std::move(error);
  if (what == "verify")
    return verifyEntries(*store, full);
  if (what == "prune") {
    cache::PruneResult result = store->prune(uint64_t(most) << 20);
    llvm::outs() << "removed " << result.removed << " files, "
                 << megabytes(result.bytesRemoved) << "; kept " << result.kept
                 << " entries, " << megabytes(result.bytesKept) << "\n";
  }
  return kSuccess;
}
