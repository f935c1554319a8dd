//===- Report.cpp - mirage-run report -------------------------------------===//

#include "Mirage/Report/Report.h"
#include "Mirage/Tune/Bundle.h"
#include "ReportCode.h"
#include "Run.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mirage;
using namespace mirage::run;
namespace cl = llvm::cl;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

static const char kReportOverview[] =
    R"(Make one HTML page of what --mirage-superopt="report=FILE.json" wrote.

  mirage-run report FILE.json -o page.html
  mirage-run report FILE.json --tune=results.json -o page.html
      also shows what mirage-run tune --json=results.json measured

The page needs no network and no script. It shows each fragment before and
after, its candidates, what the search did, the certificate in words, and, by
lowering what was found, shared memory, threads and PTX (with what ptxas says,
where there is one).

Exit status: 0 success, 1 bad input or a page that cannot be written.
)";

namespace {
/// Most that ptxas may take for one kernel; none has taken a tenth of it.
constexpr unsigned kAssemblerSeconds = 120;

/// What `ptxas -v` says of a kernel; empty where it cannot be run.
std::string assemble(StringRef ptxas, StringRef target, StringRef ptx) {
  llvm::SmallString<128> folder;
  if (llvm::sys::fs::createUniqueDirectory("mirage-report", folder))
    return "";
  std::string source = tune::joinPath(folder, "kernel.ptx"),
              log = tune::joinPath(folder, "log");
  std::string text;
  if (Error error = tune::writeTextFile(source, ptx)) {
    llvm::consumeError(std::move(error));
  } else {
    std::string arch = ("-arch=" + target).str();
    StringRef arguments[] = {ptxas, "-v", arch, "-o", "/dev/null", source};
    std::optional<StringRef> redirects[] = {"", log, log};
    llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt, redirects,
                              kAssemblerSeconds);
    if (Expected<std::string> said = tune::readTextFile(log)) {
      llvm::SmallVector<StringRef> lines;
      StringRef(*said).split(lines, '\n', -1, /*KeepEmpty=*/false);
      // Neither names of folders nor times belong on the page.
      for (StringRef line : lines)
        if (!line.contains(folder) && !line.contains("Compile time"))
          text += (line + "\n").str();
    } else {
      llvm::consumeError(said.takeError());
    }
  }
  llvm::sys::fs::remove_directories(folder);
  return text;
}

Error prefixed(StringRef path, Error error) {
  return llvm::createStringError(path + ": " +
                                 llvm::toString(std::move(error)));
}

struct ReportOptions {
  std::string report, tuned, output, ptxas;
  bool code = true;
};

Error makePage(const ReportOptions &options) {
  Expected<std::string> text = tune::readTextFile(options.report);
  if (!text)
    return text.takeError();
  Expected<report::Report> parsed = report::parseReport(*text);
  if (!parsed)
    return prefixed(options.report, parsed.takeError());
  report::PageInput page{*parsed, nullptr, {}, ""};
  std::optional<report::TuneResults> tuned;
  if (!options.tuned.empty()) {
    Expected<std::string> results = tune::readTextFile(options.tuned);
    if (!results)
      return results.takeError();
    Expected<report::TuneResults> times = report::parseTuneResults(*results);
    if (!times)
      return prefixed(options.tuned, times.takeError());
    if (times->target != parsed->target)
      return llvm::createStringError(
          options.tuned + ": expected times for " + parsed->target +
          ", as in the report, but got times for " + times->target);
    tuned = std::move(*times);
    page.tuned = &*tuned;
  }
  // Before the work: a page that cannot be written would waste it. What is
  // there stays until the new one is whole.
  {
    std::error_code code;
    llvm::raw_fd_ostream probe(options.output, code, llvm::sys::fs::OF_Append);
    if (code)
      return llvm::createStringError(options.output +
                                     ": expected to write the file, but got " +
                                     code.message());
  }
  page.title = "Mirage report: " + llvm::sys::path::stem(options.report).str();
  for (const report::Fragment &fragment : parsed->fragments) {
    report::Code code;
    if (options.code && fragment.winnerProgram)
      code = lowerForReport(*fragment.winnerProgram, parsed->target);
    if (!code.ptx.empty() && !options.ptxas.empty())
      code.ptxas = assemble(options.ptxas, parsed->target, code.ptx);
    page.code.push_back(std::move(code));
  }
  std::string html;
  llvm::raw_string_ostream os(html);
  report::writePage(page, os);
  return tune::writeTextFile(options.output, html);
}
} // namespace

Expected<ExitCode> run::reportMain(int argc, char **argv) {
  cl::OptionCategory category("mirage-run report");
  cl::opt<std::string> input(cl::Positional, cl::Required,
                             cl::desc("<report.json>"), cl::cat(category));
  cl::opt<std::string> output("o", cl::Required, cl::desc("The page"),
                              cl::value_desc("page.html"), cl::cat(category));
  cl::opt<std::string> tuned("tune",
                             cl::desc("Times that mirage-run tune measured"),
                             cl::value_desc("results.json"), cl::cat(category));
  cl::opt<bool> noCode("no-code",
                       cl::desc("Leave shared memory, threads and PTX out"),
                       cl::cat(category));
  cl::opt<std::string> ptxas(
      "ptxas",
      cl::desc("The assembler to ask (default: ptxas on the PATH, "
               "none where there is none)"),
      cl::value_desc("file"), cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, kReportOverview);
  ReportOptions options{input, tuned, output, ptxas, !noCode};
  if (options.ptxas.empty())
    if (llvm::ErrorOr<std::string> found =
            llvm::sys::findProgramByName("ptxas"))
      options.ptxas = *found;
  if (Error error = makePage(options))
    return std::move(error);
  return kSuccess;
}
