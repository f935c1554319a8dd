// A cluster is as large as the table of targets allows, not larger.
// RUN: mirage-opt %s -verify-diagnostics -convert-mgraph-to-thread=target=sm_120a

func.func @sixteen(%x0: tensor<4x64xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{expected a cluster of at most 8 blocks, but got 16}}
  %o = mgraph_kernel.graph (%a0 = %x0) grid [1, 1, 16] cluster [1, 1, 16] : (tensor<4x64xf32>) -> tensor<4x4xf32> {
    %0 = load %a0 imap [-1, -1, 1] : tensor<4x64xf32> -> <4x4xf32>
    %1 = reduce_blocks sum %0 dim 2 : <4x4xf32>
    %s = store %1 omap [-1, -1, -1] : <4x4xf32> -> tensor<4x4xf32>
    yield %s : tensor<4x4xf32>
  }
  return %o : tensor<4x4xf32>
}
