//===- MutationTable.cpp - The whole mutation test of the verifier --------===//
//
// Prints the tables of docs/verifier-mutations.md for all programs, those that
// the search finds and the published graphs included. Faults, and with --list
// also what was left open, go to standard error. Exit status 1 if there is a
// fault. The answer depends on the options alone, --jobs excepted.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "llvm/Support/CommandLine.h"

using namespace mirage::verify::mutation;
namespace cl = llvm::cl;

int main(int argc, char **argv) {
  cl::opt<uint64_t> seed("seed", cl::init(1), cl::desc("Chooses the edits"));
  cl::opt<unsigned> jobs("jobs", cl::init(1), cl::desc("Threads"));
  cl::opt<unsigned> wrong("wrong", cl::init(110),
                          cl::desc("Wrong edits of each program, 0 = all"));
  cl::opt<unsigned> pairs("pairs", cl::init(10),
                          cl::desc("Pairs of wrong edits of each program"));
  cl::opt<unsigned> right("right", cl::init(24),
                          cl::desc("Right edits of each program"));
  cl::opt<unsigned> searched("searched", cl::init(9),
                             cl::desc("Programs that are searched"));
  cl::opt<unsigned> stored("stored", cl::init(8),
                           cl::desc("Graphs taken from each stored file"));
  cl::opt<std::string> folder("stored-graphs", cl::init(MIRAGE_MUGRAPHS),
                              cl::desc("Folder of the stored graphs"));
  cl::opt<std::string> only("only", cl::desc("Programs whose name has this"));
  cl::opt<bool> listAll("list", cl::desc("List what was left open"));
  cl::ParseCommandLineOptions(argc, argv, "Mutation test of the verifier\n");

  std::vector<Base> corpus;
  addKernelPrograms(corpus);
  addBlockGraphs(corpus);
  addSearchWinners(corpus, searched);
  addStoredGraphs(corpus, folder, stored);
  llvm::erase_if(corpus, [&](const Base &base) {
    return base.name.find(only) == std::string::npos;
  });
  HarnessOptions options;
  options.seed = seed;
  options.threads = jobs;
  options.wrongPerBase = wrong;
  options.pairsPerBase = pairs;
  options.rightPerBase = right;
  Report report = runHarness(corpus, options);

  llvm::outs() << report.bases << " programs, seed " << seed << "\n\n";
  printTables(report, llvm::outs());
  auto list = [](llvm::StringRef title, const std::vector<std::string> &lines,
                 bool all) {
    llvm::errs() << title << ": " << lines.size() << "\n";
    if (all)
      for (const std::string &line : lines)
        llvm::errs() << "  " << line << "\n";
  };
  list("faults", report.faults, true);
  list("same, but cannot tell", report.cannotTell, listAll);
  list("wrong, but cannot tell", report.open, listAll);
  list("grey", report.grey, listAll);
  return report.faults.empty() ? 0 : 1;
}
