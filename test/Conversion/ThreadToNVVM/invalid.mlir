// RUN: mirage-opt %s -split-input-file -verify-diagnostics -convert-mgraph-thread-to-nvvm

mgraph_thread.kernel @foreign grid [1, 1, 1] cluster [1, 1, 1] threads 32 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<32xf32>, %o: tensor<32xf32>):
  // expected-error @below {{expected ops of mgraph_thread inside a kernel, but got 'arith.constant'}}
  %0 = arith.constant 1.0 : f32
  return
}
