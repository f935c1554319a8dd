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

// -----

// A grid that no memory holds: what each block takes counts, not its tile alone.
func.func @f(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %0 = mgraph_kernel.exp %x : tensor<1x1xf32> -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}
// expected-error-re @below {{@g against @f: cannot tell: evaluation takes {{[0-9.]+}} GiB of memory, and the limit is {{[0-9.]+}}}}
func.func @g(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %o = mgraph_kernel.graph (%a = %x) grid [1000000000, 1, 1] : (tensor<1x1xf32>) -> tensor<1x1xf32> {
    %0 = load %a imap [-1, -1, -1] : tensor<1x1xf32> -> <1x1xf32>
    %1 = exp %0 : <1x1xf32> -> <1x1xf32>
    %2 = store %1 omap [-1, -1, -1] : <1x1xf32> -> tensor<1x1xf32>
    yield %2 : tensor<1x1xf32>
  }
  return %o : tensor<1x1xf32>
}

// -----

// A loop that would run for hours.
func.func @f(%x: tensor<16x256xf16>) -> tensor<16x256xf16> {
  %0 = mgraph_kernel.mul %x, %x : (tensor<16x256xf16>, tensor<16x256xf16>) -> tensor<16x256xf16>
  return %0 : tensor<16x256xf16>
}
// expected-error @below {{@g against @f: cannot tell: evaluation takes 9.3E+12 element operations, and the limit is 1.1E+12}}
func.func @g(%x: tensor<16x256xf16>) -> tensor<16x256xf16> {
  %o = mgraph_kernel.graph (%a = %x) grid [1, 1, 1] : (tensor<16x256xf16>) -> tensor<16x256xf16> {
    %t = for %i = 2147483647 -> <16x256xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] : tensor<16x256xf16> -> <16x256xf16>
      yield sum %0 : <16x256xf16>
    }
    %1 = store %t omap [-1, -1, -1] : <16x256xf32> -> tensor<16x256xf16>
    yield %1 : tensor<16x256xf16>
  }
  return %o : tensor<16x256xf16>
}
