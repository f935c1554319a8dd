//===- SuperoptProgress.cpp - A line on a terminal ------------------------===//

#include "SuperoptProgress.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mirage;
using Clock = std::chrono::steady_clock;

SuperoptProgress::SuperoptProgress(llvm::raw_ostream &os)
    : os(os), enabled(os.is_displayed()) {}

void SuperoptProgress::begin(llvm::StringRef name, size_t count) {
  function = name.str();
  part = 0;
  parts = count;
  start = Clock::now();
}

void SuperoptProgress::show(const search::Progress &progress) {
  auto now = Clock::now();
  // Ten times a second is as often as somebody reads.
  if (!enabled || now - last < std::chrono::milliseconds(100))
    return;
  last = now;
  write(formatProgress(function, part, parts, progress,
                       std::chrono::duration<double>(now - start).count()));
}

void SuperoptProgress::say(llvm::StringRef what) {
  if (enabled)
    write(llvm::formatv("superopt: @{0}: {1}", function, what).str());
}

void SuperoptProgress::write(const std::string &line) {
  os << "\r\033[K" << line;
  os.flush();
  shown = true;
}

void SuperoptProgress::clear() {
  if (!shown)
    return;
  os << "\r\033[K";
  os.flush();
  shown = false;
}

std::string mirage::formatProgress(llvm::StringRef function, size_t part,
                                   size_t parts,
                                   const search::Progress &progress,
                                   double seconds) {
  std::string line =
      llvm::formatv("superopt: @{0}: fragment {1} of {2}, {3} nodes", function,
                    part, parts, progress.visited)
          .str();
  if (progress.seconds > 0)
    line +=
        llvm::formatv(", {0:F0} nodes/s", progress.visited / progress.seconds)
            .str();
  if (progress.bestMicros > 0)
    line += llvm::formatv(", best {0:F1} us", progress.bestMicros).str();
  // Fragments that are done tell how long the others may take.
  if (part > 1)
    line += llvm::formatv(", about {0:F0} s left",
                          seconds / (part - 1) * (parts - part + 1))
                .str();
  return line;
}
