// RUN: mirage-opt %S/Inputs/rmsnorm_linear_16.mlir --convert-linalg-to-mgraph-kernel | FileCheck %s --check-prefix=TABLE
// RUN: mirage-opt %S/Inputs/rmsnorm_linear_16_core.mlir --convert-linalg-to-mgraph-kernel | FileCheck %s --check-prefix=CORE

// torch-mlir's own table takes the statistics in f16, and drops the epsilon.
// TABLE-LABEL: func @rmsnorm_linear_16
// TABLE-SAME:    %[[X:.+]]: tensor<16x4096xf16>, %[[W:.+]]: tensor<4096x6144xf16>
// TABLE-NEXT:    %[[N:.+]] = mgraph_kernel.constant inv_extent 4096 : tensor<1x1xf16>
// TABLE-NEXT:    %[[SQ:.+]] = mgraph_kernel.square %[[X]]
// TABLE-NEXT:    %[[SUM:.+]] = mgraph_kernel.reduce sum %[[SQ]] dims [1] : tensor<16x4096xf16> -> tensor<16x1xf16>
// TABLE-NEXT:    %[[MEAN:.+]] = mgraph_kernel.mul %[[SUM]], %[[N]]
// TABLE-NEXT:    %[[R:.+]] = mgraph_kernel.rsqrt %[[MEAN]]
// TABLE-NEXT:    %[[NORM:.+]] = mgraph_kernel.mul %[[X]], %[[R]]
// TABLE-NEXT:    %[[OUT:.+]] = mgraph_kernel.matmul %[[NORM]], %[[W]] : (tensor<16x4096xf16>, tensor<4096x6144xf16>) -> tensor<16x6144xf16>
// TABLE-NEXT:    return %[[OUT]]

// PyTorch's core table takes them in f32.
// CORE-LABEL: func @rmsnorm_linear_16_core
// CORE-SAME:    %[[X:.+]]: tensor<16x4096xf16>, %[[W:.+]]: tensor<4096x6144xf16>
// CORE-NEXT:    %[[N:.+]] = mgraph_kernel.constant inv_extent 4096 : tensor<1x1xf32>
// CORE-NEXT:    %[[EPS:.+]] = mgraph_kernel.constant 1.1920928955078125e-07 : tensor<1x1xf32>
// CORE-NEXT:    %[[WIDE:.+]] = mgraph_kernel.cast %[[X]] : tensor<16x4096xf16> -> tensor<16x4096xf32>
// CORE-NEXT:    %[[SQ:.+]] = mgraph_kernel.square %[[WIDE]]
// CORE-NEXT:    %[[SUM:.+]] = mgraph_kernel.reduce sum %[[SQ]] dims [1] : tensor<16x4096xf32> -> tensor<16x1xf32>
// CORE-NEXT:    %[[MEAN:.+]] = mgraph_kernel.mul %[[SUM]], %[[N]]
// CORE-NEXT:    %[[VAR:.+]] = mgraph_kernel.add %[[MEAN]], %[[EPS]]
// CORE-NEXT:    %[[R:.+]] = mgraph_kernel.rsqrt %[[VAR]]
// CORE-NEXT:    %[[NORM:.+]] = mgraph_kernel.mul %[[WIDE]], %[[R]]
// CORE-NEXT:    %[[CAST:.+]] = mgraph_kernel.cast %[[NORM]] : tensor<16x4096xf32> -> tensor<16x4096xf16>
// CORE-NEXT:    %[[OUT:.+]] = mgraph_kernel.matmul %[[CAST]], %[[W]] : (tensor<16x4096xf16>, tensor<4096x6144xf16>) -> tensor<16x6144xf16>
// CORE-NEXT:    return %[[OUT]]
