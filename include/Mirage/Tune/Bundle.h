//===- Bundle.h - Lowered candidates in a folder ----------------*- C++ -*-===//
//
// What a machine without a GPU leaves for one with a GPU to time:
//
//   bundle.json      what this header declares, written last
//   reference.mlir   the function that the candidates compute, for people
//   expected_I.bin   its output I in f64 on the inputs that the seed gives
//   NNN/graph.mlir   a candidate with its certificate, as superopt leaves it
//   NNN/plan.json    its launch plan
//   NNN/kernel.ptx   its kernels
//
// bundle.json holds the SHA-256 of every other file, so that a bundle which was
// cut short or mixed with another is refused before anything is launched. The
// inputs are not in it: they follow from the seed, and their SHA-256 shows that
// they did.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TUNE_BUNDLE_H
#define MIRAGE_TUNE_BUNDLE_H

#include "Mirage/Interpreter/Interpreter.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mirage::tune {

constexpr int64_t kBundleSchema = 1;
constexpr llvm::StringLiteral kBundleFile = "bundle.json";
constexpr llvm::StringLiteral kReferenceFile = "reference.mlir";
constexpr llvm::StringLiteral kGraphFile = "graph.mlir";
constexpr llvm::StringLiteral kPlanFile = "plan.json";
constexpr llvm::StringLiteral kImageFile = "kernel.ptx";

struct BundleInput {
  semantics::TensorType type;
  std::string hash; ///< of its bytes in memory
};

struct BundleOutput {
  semantics::TensorType type;
  std::string hash; ///< of expected_I.bin
  /// How far the function itself is from f64, run op by op in its own types.
  interpreter::Difference baseline;
};

struct BundleCandidate {
  std::string folder; ///< "000", "001", ...
  int64_t rank = 0;   ///< place in the model's ranking, from 0
  double predictedMicros = 0;
  std::string summary; ///< structure and sizes in one line
  std::string verdict; ///< of the verifier, or kNotVerified
  std::string graphHash, planHash, imageHash;
};

/// A candidate that was chosen but has no lowering or was refuted.
struct DroppedCandidate {
  int64_t rank = 0;
  double predictedMicros = 0;
  std::string reason;
};

constexpr llvm::StringLiteral kNotVerified = "not verified";

struct Bundle {
  std::string tool;    ///< name and version of what wrote it
  std::string target;  ///< sm_90a
  std::string program; ///< the function's name
  uint64_t seed = 1;   ///< of the random inputs
  bool spread = false; ///< chosen over the whole ranking, not from its top
  int64_t ranked = 0;  ///< candidates in the ranking
  double originalMicros = 0; ///< predicted, op by op
  std::string referenceHash;
  std::vector<BundleInput> inputs;
  std::vector<BundleOutput> outputs;
  std::vector<BundleCandidate> candidates;
  std::vector<DroppedCandidate> dropped;
};

/// The whole text of a file.
llvm::Expected<std::string> readTextFile(llvm::StringRef path);
/// Writes a file by way of another name, so that it is whole or absent.
llvm::Error writeTextFile(llvm::StringRef path, llvm::StringRef text);
std::string hashText(llvm::StringRef text);
/// `folder`/`parts...`
std::string joinPath(llvm::StringRef folder, llvm::StringRef first,
                     llvm::StringRef second = "");

/// Makes a folder, or finds one that can be written.
llvm::Error makeFolder(llvm::StringRef path);
/// "expected_I.bin"
std::string expectedFile(size_t output);

/// The inputs that a seed gives for these types, the same in both halves.
std::vector<interpreter::Tensor>
makeInputs(llvm::ArrayRef<semantics::TensorType> types, uint64_t seed);

/// Reads bundle.json and checks every file that it names.
llvm::Expected<Bundle> readBundle(llvm::StringRef folder);
llvm::Error writeBundle(const Bundle &bundle, llvm::StringRef folder);

/// An error when `target`, as in sm_90a, is of another architecture than
/// `capability`, as in 90. Kernels are tuned for one architecture even where
/// others could run them.
llvm::Error checkArchitecture(llvm::StringRef target, int capability);

} // namespace mirage::tune

#endif // MIRAGE_TUNE_BUNDLE_H
