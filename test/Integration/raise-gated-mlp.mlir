// RUN: mirage-opt %S/Inputs/gated_mlp_8.mlir --convert-linalg-to-mgraph-kernel | FileCheck %s
// RUN: mirage-opt %S/Inputs/gated_mlp_64.mlir --convert-linalg-to-mgraph-kernel | FileCheck %s
// RUN: mirage-opt %S/Inputs/gated_mlp_bf16.mlir --convert-linalg-to-mgraph-kernel | FileCheck %s

// Products and silu absorb the casts from and to the program's type.
// CHECK-LABEL: func @gated_mlp
// CHECK-SAME:    (%[[X:.+]]: tensor<{{.*}}>, %[[W1:.+]]: tensor<{{.*}}>, %[[W2:.+]]: tensor<{{.*}}>)
// CHECK-NEXT:    %[[A:.+]] = mgraph_kernel.matmul %[[X]], %[[W1]]
// CHECK-NEXT:    %[[GATE:.+]] = mgraph_kernel.silu %[[A]]
// CHECK-NEXT:    %[[B:.+]] = mgraph_kernel.matmul %[[X]], %[[W2]]
// CHECK-NEXT:    %[[OUT:.+]] = mgraph_kernel.mul %[[GATE]], %[[B]]
// CHECK-NEXT:    return %[[OUT]]
