//===- TuneEmit.cpp - mirage-run tune: the half that searches -------------===//

#include "Mirage/Tune/Emit.h"
#include "Tune.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

using namespace mirage;
using namespace mirage::tune;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

/// The verifier's seed for an option's value; none for 0, so that the operating
/// system draws it.
static std::optional<verify::Seed> expandSeed(uint64_t value) {
  if (value == 0)
    return std::nullopt;
  verify::Seed seed{};
  for (unsigned i = 0; i < 8; ++i)
    seed[i] = static_cast<uint8_t>(value >> (8 * i));
  return seed;
}

Error run::emitTuneBundle(const TuneOptions &options,
                          const std::string &folder) {
  const cost::Target *target = cost::findTarget(options.target);
  if (!target) {
    std::string names;
    for (const cost::Target &known : cost::allTargets())
      names += (names.empty() ? "" : ", ") + known.name.str();
    return llvm::createStringError("expected target to be one of " + names +
                                   ", but got '" + options.target + "'");
  }
  // Files of an earlier bundle would lie among those of this one.
  std::error_code code;
  llvm::sys::fs::directory_iterator first(folder, code);
  if (!code && first != llvm::sys::fs::directory_iterator())
    return llvm::createStringError("expected a new or empty folder, but got " +
                                   folder + ", which holds " + first->path());
  EmitOptions how(*target);
  std::optional<semantics::Program> program =
      loadProgram(options.program, options.function, &how.constantInputs);
  if (!program)
    return llvm::createStringError(
        "expected a function that can be raised as a whole, but got " +
        options.program);
  how.top = options.top;
  how.spread = options.spread;
  how.verify = options.verify;
  how.verifySeed = expandSeed(options.verifySeed);
  how.threads = options.measure.threads;
  how.seed = options.seed;
  std::mutex mutex;
  how.progress = [&](size_t done, size_t of) {
    std::lock_guard<std::mutex> lock(mutex);
    showProgress(
        formatv("lowered and verified {0} of {1} candidates", done, of).str());
  };
  Expected<Bundle> bundle = emitBundle(*program, how, folder);
  endProgress();
  if (!bundle)
    return bundle.takeError();
  for (const DroppedCandidate &dropped : bundle->dropped)
    llvm::outs() << "dropped: rank " << dropped.rank
                 << formatv(", predicted {0:F2} us: ", dropped.predictedMicros)
                 << dropped.reason << "\n";
  llvm::outs() << "@" << bundle->program << ": " << bundle->candidates.size()
               << " candidates of " << bundle->ranked << " for "
               << bundle->target << ", "
               << formatv("predicted {0:F2} to {1:F2} us; op by op {2:F2} us\n",
                          bundle->candidates.front().predictedMicros,
                          bundle->candidates.back().predictedMicros,
                          bundle->originalMicros);
  return Error::success();
}
