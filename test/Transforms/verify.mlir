// RUN: mirage-opt %s -split-input-file -verify-diagnostics \
// RUN:   --mirage-verify="reference=f candidate=g seed=1"

// A division by a row factor moves below the product.
func.func @f(%a: tensor<4x8xf32>, %s: tensor<4x1xf32>, %b: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = mgraph_kernel.div %a, %s : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %1 = mgraph_kernel.matmul %0, %b : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}
// expected-remark-re @below {{@g against @f: equivalent, error at most 2^-{{[0-9.]+}}}}
func.func @g(%a: tensor<4x8xf32>, %s: tensor<4x1xf32>, %b: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = mgraph_kernel.matmul %a, %b : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = mgraph_kernel.div %0, %s : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// -----

// The unsound twin: the factor differs by column.
func.func @f(%a: tensor<4x4xf32>, %s: tensor<1x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = mgraph_kernel.div %a, %s : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  %1 = mgraph_kernel.matmul %0, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
// expected-error-re @below {{@g against @f: not equivalent{{.*}}}}
func.func @g(%a: tensor<4x4xf32>, %s: tensor<1x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = mgraph_kernel.matmul %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = mgraph_kernel.div %0, %s : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// A divisor that vanishes identically leaves no test.
func.func @f(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = mgraph_kernel.sub %y, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = mgraph_kernel.div %x, %0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
// expected-error-re @below {{@g against @f: cannot tell{{.*}}}}
func.func @g(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = mgraph_kernel.sub %y, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = mgraph_kernel.div %x, %0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// expected-error @below {{expected a function @g in the module, but found none}}
module {
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = mgraph_kernel.exp %x : tensor<4xf32> -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
