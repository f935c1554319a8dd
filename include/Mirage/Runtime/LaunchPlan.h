//===- LaunchPlan.h - How a lowered program is launched ---------*- C++ -*-===//
//
// What lowering leaves beside the machine code, and all that the runtime,
// Python and exported bundles read. One PTX or cubin module holds every kernel.
//
// As JSON, schema 1 (every key is required but those marked optional; an
// unknown key is an error, so that a plan of a later schema is never half
// understood):
//
//   {"schema": 1,
//    "target": "sm_90a",
//    "inputs":  [{"shape": [16, 4096], "dtype": "f16", "constant": false},
//    ...], "outputs": [{"shape": [16, 6144], "dtype": "f16"}, ...], "scratch":
//    [{"bytes": 4096, "zero": false}, ...],           optional "kernels":
//    [{"name": "rmsnorm_linear",
//                 "grid": [96, 1, 4],         in blocks, not in clusters
//                 "cluster": [1, 1, 4],       optional, [1, 1, 1]
//                 "threads": 128,
//                 "shared_bytes": 51200,      dynamic shared memory
//                 "dependent_launch": false,  optional
//                 "parameters": [{"kind": "input", "index": 0},
//                                {"kind": "output", "index": 0},
//                                {"kind": "scratch", "index": 0}]}]}
//
// Meaning. Kernels run in this order on one stream. A kernel writes the outputs
// and scratch that no kernel before it has as parameters, which are its last
// ones; if it has none of these it writes its last parameter, a part that the
// kernels before left out. It reads the others. Each parameter is one
// 64-bit device address of a dense row-major tensor, aligned to 256 bytes at
// least for outputs and scratch and to 16 for inputs. Scratch holds what one
// kernel leaves for a later one; `zero` scratch is filled with zero bytes
// before the first kernel of every run. Cluster dims are compiled into the
// kernel
// (.reqnctapercluster) and stated here for whoever counts waves. `constant`
// inputs are written by no kernel that runs on the stream (weights): only these
// may be read before griddepcontrol.wait. `dependent_launch` says that the
// kernel was compiled to be launched before its predecessor ends.
//
// A parameter of kind "tensor_map" and a list "tensor_maps" are left to
// schema 2.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_RUNTIME_LAUNCHPLAN_H
#define MIRAGE_RUNTIME_LAUNCHPLAN_H

#include "Mirage/Semantics/Types.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <array>
#include <vector>

namespace mirage::runtime {

constexpr int64_t kLaunchPlanSchema = 1;

struct PlanInput {
  semantics::TensorType type;
  bool constant = false; ///< no kernel on the stream writes it
};

struct PlanScratch {
  int64_t bytes = 0;
  bool zero = false; ///< filled with zero bytes before every run
};

enum class ParameterKind : uint8_t { Input, Output, Scratch };

struct PlanParameter {
  ParameterKind kind = ParameterKind::Input;
  unsigned index = 0;
};

struct PlanKernel {
  std::string name;
  std::array<int64_t, 3> grid = {1, 1, 1}; ///< blocks
  std::array<int64_t, 3> cluster = {1, 1, 1};
  int64_t threads = 0;
  int64_t sharedBytes = 0; ///< dynamic shared memory of one block
  bool dependentLaunch = false;
  std::vector<PlanParameter> parameters;
};

struct LaunchPlan {
  std::string target;
  std::vector<PlanInput> inputs;
  std::vector<semantics::TensorType> outputs;
  std::vector<PlanScratch> scratch;
  std::vector<PlanKernel> kernels;
};

/// Checks what the schema cannot say: indices in range, sizes within what any
/// CUDA device accepts, grids that clusters divide, every output written.
/// The error names the place, as in `kernels[0].grid[1]`.
llvm::Error verifyLaunchPlan(const LaunchPlan &plan);

/// Reads and verifies a plan. Nothing is guessed: a missing key, an unknown key
/// or a value of the wrong type is an error that names the place.
llvm::Expected<LaunchPlan> parseLaunchPlan(llvm::StringRef json);
llvm::Expected<LaunchPlan> launchPlanFromJSON(const llvm::json::Value &value);

llvm::json::Value toJSON(const LaunchPlan &plan);
/// The JSON text, indented, with a final newline.
std::string toString(const LaunchPlan &plan);

/// The element type spelt `name`, or nothing.
std::optional<semantics::DType> parseDType(llvm::StringRef name);

} // namespace mirage::runtime

#endif // MIRAGE_RUNTIME_LAUNCHPLAN_H
