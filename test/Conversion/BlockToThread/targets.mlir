// reduce_blocks over several blocks needs clusters.
// RUN: not mirage-opt %s -convert-mgraph-to-thread=target=sm_80 2>&1 | FileCheck %s
// RUN: not mirage-opt %s -convert-mgraph-to-thread=target=sm_89 2>&1 | FileCheck %s
// RUN: mirage-opt %s -convert-mgraph-to-thread=target=sm_100a | FileCheck %s --check-prefix=CLUSTERS
// RUN: not mirage-opt %s -convert-mgraph-to-thread=target=sm_42 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// CHECK: error: {{.*}}reduce_blocks: expected a target with clusters
// CLUSTERS: load_cluster
// UNKNOWN: error: expected target to be one of sm_80, {{.+}}, but got 'sm_42'
func.func @f(%x0: tensor<4x8xf32>) -> tensor<4x4xf32> {
  %o = mgraph_kernel.graph (%a0 = %x0) grid [1, 1, 2] cluster [1, 1, 2] : (tensor<4x8xf32>) -> tensor<4x4xf32> {
    %0 = load %a0 imap [-1, -1, 1] : tensor<4x8xf32> -> <4x4xf32>
    %1 = reduce_blocks sum %0 dim 2 : <4x4xf32>
    %s = store %1 omap [-1, -1, -1] : <4x4xf32> -> tensor<4x4xf32>
    yield %s : tensor<4x4xf32>
  }
  return %o : tensor<4x4xf32>
}
