//===- Target.h - What each GPU has -----------------------------*- C++ -*-===//

#ifndef MIRAGE_COST_TARGET_H
#define MIRAGE_COST_TARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace mirage::cost {

/// Limits and rates of a target. Rates are attainable, not nominal.
struct Target {
  llvm::StringLiteral name;
  llvm::StringLiteral device; ///< the part that the rates stand for
  int sms;
  int64_t sharedPerSm, sharedPerBlock; ///< bytes
  int threadsPerSm;
  int blocksPerSm;
  int maxCluster; ///< blocks of a cluster, 1 without clusters
  /// SMs of each graphics processing cluster: a cluster of blocks stays in one,
  /// so these decide how many fit at a time.
  llvm::ArrayRef<int> gpcs;
  double dramBandwidth; ///< bytes/µs
  double l2Bandwidth;   ///< bytes/µs
  double memoryLatency; ///< µs, loaded
  double tensorRate;    ///< f16 multiply-adds/µs of one SM through mma.sync
  double vectorRate;    ///< f32 operations/µs of one SM
  double specialRate;   ///< exp, rsqrt, .../µs of one SM
  double launch;        ///< µs of an empty kernel in a graph

  /// griddepcontrol (PTX ISA 9.7.13.13) came with clusters, in sm_90.
  bool hasGridDependency() const { return maxCluster > 1; }
  /// wgmma (PTX ISA 9.7.15) is of sm_90a alone.
  bool hasWgmma() const { return name == "sm_90a"; }
};

/// The target of this name (sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_120a), or
/// null.
const Target *findTarget(llvm::StringRef name);
llvm::ArrayRef<Target> allTargets();

/// The target of this name, or an error that lists the names there are.
llvm::Expected<const Target *> lookupTarget(llvm::StringRef name);

/// How many blocks run at a time when each SM holds `blocksPerSm` of them and
/// `cluster` of them must share a graphics processing cluster, one to an SM.
int64_t residentBlocks(const Target &target, int64_t blocksPerSm,
                       int64_t cluster);

} // namespace mirage::cost

#endif // MIRAGE_COST_TARGET_H
