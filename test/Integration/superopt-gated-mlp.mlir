// The real program, whole: torch-mlir's linalg in, verified PTX out.
// RUN: mirage-opt %S/Inputs/gated_mlp_8.mlir --mirage-superopt="seed=1" -o %t.mlir 2>%t.err
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=REMARK < %t.err
// RUN: mirage-opt %t.mlir --mirage-strip-reference --mirage-lower-to-ptx -o %t.low.mlir
// RUN: mirage-translate --export-ptx %t.low.mlir | FileCheck %s --check-prefix=PTX --implicit-check-not='.extern .func'
// RUN: mirage-translate --export-plan %t.low.mlir | FileCheck %s --check-prefix=PLAN
// RUN: mirage-translate --export-ptx %t.low.mlir -o %t.ptx
// RUN: %if ptxas %{ %python %mirage_src_root/test/Target/PTX/Inputs/assemble.py %ptxas sm_90a %t.ptx %}

// REMARK: a fragment of {{[0-9]+}} ops became 1 kernel
// REMARK: verified: equivalent, error at most 2^-

// CHECK: mgraph_kernel.graph
// CHECK: matmul
// CHECK: matmul
// CHECK: yield sum {{.*}}, sum %
// CHECK: store

// PTX: .visible .entry gated_mlp_8_0
// PTX: cp.async.cg.shared.global
// PTX: ldmatrix
// PTX: mma.sync.aligned.m16n8k16
// PTX: ret;

// PLAN: "kernels": [
// PLAN: "name": "gated_mlp_8_0"
