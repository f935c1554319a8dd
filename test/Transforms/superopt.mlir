// RUN: mirage-opt %s --mirage-superopt="seed=1 report=%t.json" -o %t.mlir 2>%t.err
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=REMARK < %t.err
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// RUN: mirage-opt %t.mlir --mirage-verify="seed=2" -o /dev/null 2>&1 | FileCheck %s --check-prefix=AGAIN
// The same program, options and seed give the same text, whatever the threads.
// RUN: mirage-opt %s --mirage-superopt="seed=1 threads=1" 2>/dev/null | sed 's/seconds[^,}]*//g' > %t.one
// RUN: mirage-opt %s --mirage-superopt="seed=1 threads=2" 2>/dev/null | sed 's/seconds[^,}]*//g' > %t.two
// RUN: diff %t.one %t.two
// A certificate whose graph was changed after the fact does not hold.
// RUN: sed 's/inv_extent 4096/inv_extent 512/' %t.mlir > %t.changed
// RUN: not mirage-opt %t.changed --mirage-verify -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHANGED
// The kept original is no program to lower.
// RUN: mirage-opt %t.mlir --mirage-lower-to-ptx | mirage-translate --export-plan | FileCheck %s --check-prefix=LOWERED
// RUN: mirage-opt %t.mlir --mirage-strip-reference | FileCheck %s --check-prefix=STRIPPED --implicit-check-not=mirage. --implicit-check-not=_reference

// REMARK: superopt: @rms_linear: a fragment of 6 ops became 1 kernel
// REMARK: note: search finished: {{.*}} ops visited, pruned
// REMARK: note: verified: equivalent, error at most 2^-
// REPORT:      "candidates": [
// REPORT-NEXT:   {
// REPORT-NEXT:     "counted_ops": [[#]],
// REPORT-NEXT:     "predicted_us": {{[0-9.]+}},
// REPORT-NEXT:     "sizes": "grid {{.*}} threads, {{.*}} stages, loop [[#]]"
// REPORT:      "certificate": {
// REPORT:        "claim": "proved"
// REPORT:      "location": "{{.*}}superopt.mlir:[[#]]:[[#]]"
// REPORT:      "original_program": {
// REPORT:      "outcome": "replaced"
// REPORT:      "candidate": 0,
// REPORT-NEXT: "judgement": "accepted"
// REPORT:      "winner_program": {
// REPORT:        "body":
// REPORT:      "schema": 2
// AGAIN: remark: certificate holds against @rms_linear_reference_0
// CHANGED: error: {{.*}}certificate does not hold
// STRIPPED: mgraph_kernel.graph
// LOWERED: "name": "rms_linear_0"

// The sum of squares is accumulated beside the product, and the division comes
// after the loop: found by searching, nothing here names it.
// CHECK-LABEL: func.func @rms_linear
// CHECK: mgraph_kernel.graph
// CHECK-SAME: mirage.certificate
// CHECK: for
// CHECK: %[[X:.+]] = load
// CHECK: %[[W:.+]] = load
// CHECK: matmul %[[X]], %[[W]]
// CHECK: square %[[X]]
// CHECK: yield sum {{.*}}, sum(1)
// CHECK: rsqrt
// CHECK: store
// CHECK-LABEL: func.func private @rms_linear_reference_0
func.func @rms_linear(%x: tensor<16x4096xf16>, %w: tensor<4096x1024xf16>) -> tensor<16x1024xf16> {
  %0 = mgraph_kernel.square %x : tensor<16x4096xf16> -> tensor<16x4096xf16>
  %1 = mgraph_kernel.reduce sum %0 dims [1] : tensor<16x4096xf16> -> tensor<16x1xf16>
  %n = mgraph_kernel.constant inv_extent 4096 : tensor<1x1xf16>
  %2 = mgraph_kernel.mul %1, %n : (tensor<16x1xf16>, tensor<1x1xf16>) -> tensor<16x1xf16>
  %3 = mgraph_kernel.rsqrt %2 : tensor<16x1xf16> -> tensor<16x1xf16>
  %4 = mgraph_kernel.mul %x, %3 : (tensor<16x4096xf16>, tensor<16x1xf16>) -> tensor<16x4096xf16>
  %5 = mgraph_kernel.matmul %4, %w : (tensor<16x4096xf16>, tensor<4096x1024xf16>) -> tensor<16x1024xf16>
  return %5 : tensor<16x1024xf16>
}
