// RUN: mirage-opt %s -mirage-lower-to-ptx -o %t.mlir
// RUN: mirage-translate --export-ptx %t.mlir | FileCheck %s --check-prefix=PTX
// RUN: mirage-translate --export-plan %t.mlir | FileCheck %s --check-prefix=PLAN
// RUN: mirage-translate --export-plan --plan-function=f %t.mlir | FileCheck %s --check-prefix=PLAN
// RUN: not mirage-translate --export-plan --plan-function=g %t.mlir 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not mirage-translate --export-ptx %s 2>&1 | FileCheck %s --check-prefix=NOPTX
// RUN: not mirage-translate --export-plan %s 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: sed 's/schema = 1 : i64/schema = 7 : i64/' %t.mlir > %t.schema.mlir
// RUN: not mirage-translate --export-plan %t.schema.mlir 2>&1 | FileCheck %s --check-prefix=SCHEMA

// PTX: .target sm_90a
// PTX: .visible .entry f_0(
// PTX: griddepcontrol.wait;
// PTX: .visible .entry f_1(

// PLAN: "inputs": [
// PLAN: "constant": true
// PLAN: "kernels": [
// PLAN: "name": "f_0"
// PLAN: "name": "f_1"
// PLAN: "schema": 1
// PLAN: "scratch": [
// PLAN: "bytes": 64
// PLAN: "target": "sm_90a"

// NOPTX: error: expected one gpu.binary, as mirage-lower-to-ptx leaves it, but got 0
// ABSENT: error: expected one mgraph_kernel.launch, as mirage-lower-to-ptx leaves it, but got 0
// SCHEMA: error: {{.*}}launch plan: expected schema to be 1, but got 7
func.func @f(%x: tensor<4x8xf16> {mirage.constant}) -> tensor<8x4xf16> {
  %0 = mgraph_kernel.exp %x : tensor<4x8xf16> -> tensor<4x8xf16>
  %1 = mgraph_kernel.transpose %0 perm [1, 0] : tensor<4x8xf16> -> tensor<8x4xf16>
  return %1 : tensor<8x4xf16>
}
