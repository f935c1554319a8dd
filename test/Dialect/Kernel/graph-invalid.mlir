// One function for each diagnostic of the graph, named by its constraint.
// RUN: mirage-opt %s -split-input-file -verify-diagnostics

func.func @graph_c1_grid_entries(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.graph' op expected a grid of 3 entries, but got 2}}
  mgraph_kernel.graph (%a = %x) grid [2, 1]
      : (tensor<16x64xf32>) -> () {
    yield
  }
  return
}

// -----

func.func @graph_c1_cluster_entries(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.graph' op expected a cluster of 3 entries, but got 1}}
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1] cluster [1]
      : (tensor<16x64xf32>) -> () {
    yield
  }
  return
}

// -----

func.func @graph_c1_zero(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.graph' op expected grid entry 0 in [1, 2147483647], but got 0}}
  mgraph_kernel.graph (%a = %x) grid [0, 1, 1]
      : (tensor<16x64xf32>) -> () {
    yield
  }
  return
}

// -----

func.func @graph_c1_large(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.graph' op expected grid entry 1 in [1, 65535], but got 65536}}
  mgraph_kernel.graph (%a = %x) grid [1, 65536, 1]
      : (tensor<16x64xf32>) -> () {
    yield
  }
  return
}

// -----

func.func @graph_c1_cluster(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.graph' op expected cluster entry 0 to divide the grid's 6, but got 4}}
  mgraph_kernel.graph (%a = %x) grid [6, 1, 1] cluster [4, 1, 1]
      : (tensor<16x64xf32>) -> () {
    yield
  }
  return
}

// -----

func.func @graph_c2_threads(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.graph' op expected threads to be a multiple of 32 in [32, 1024], but got 100}}
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1] threads 100
      : (tensor<16x64xf32>) -> () {
    yield
  }
  return
}

// -----

func.func @graph_c2_stages(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.graph' op expected stages in [1, 64], but got 0}}
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1] stages 0
      : (tensor<16x64xf32>) -> () {
    yield
  }
  return
}

// -----

func.func @graph_c3(%x: tensor<16xf32>) {
  // expected-error @below {{expected region arguments ('tensor<16xf32>'), but got ('tensor<16xf16>')}}
  "mgraph_kernel.graph"(%x) <{grid = array<i64: 1, 1, 1>}> ({
  ^bb0(%a: tensor<16xf16>):
    mgraph_block.yield
  }) : (tensor<16xf32>) -> ()
  return
}

// -----

func.func @graph_c4(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    // expected-error @below {{'arith.constant' op expected ops of mgraph_block in a graph, but got one of arith}}
    %c = arith.constant 1 : index
    yield
  }
  return
}

// -----

func.func @graph_c4_loop(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    for %i = 4 {
      // expected-error @below {{'mgraph_kernel.constant' op expected ops of mgraph_block in a graph, but got one of mgraph_kernel}}
      %c = mgraph_kernel.constant 1.0 : tensor<1xf32>
      yield
    }
    yield
  }
  return
}

// -----

func.func @graph_c5_count(%x: tensor<16x64xf32>) {
  // expected-error @below {{expected 0 stores and yielded values, one for each result, but got 1 and 0}}
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %0 = load %a imap [0, -1, -1] : tensor<16x64xf32> -> <8x64xf32>
    %1 = store %0 omap [0, -1, -1] : <8x64xf32> -> tensor<16x64xf32>
    yield
  }
  return
}

// -----

func.func @graph_c5_value(%x: tensor<16x64xf32>) {
  %r = mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> tensor<16x64xf32> {
    %0 = load %a imap [0, -1, -1] : tensor<16x64xf32> -> <8x64xf32>
    %1 = store %0 omap [0, -1, -1] : <8x64xf32> -> tensor<16x64xf32>
    // expected-error @below {{expected value 0 to be the result of store 0, but got no store's, of type 'tensor<16x64xf32>'}}
    yield %a : tensor<16x64xf32>
  }
  return
}

// -----

func.func @graph_c5_order(%x: tensor<16x64xf32>) {
  %r:2 = mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
    %0 = load %a imap [0, -1, -1] : tensor<16x64xf32> -> <8x64xf32>
    %1 = store %0 omap [0, -1, -1] : <8x64xf32> -> tensor<16x64xf32>
    %2 = store %0 omap [0, -1, -1] : <8x64xf32> -> tensor<16x64xf32>
    // expected-error @below {{expected value 0 to be the result of store 0, but got that of store 1}}
    yield %2, %1 : tensor<16x64xf32>, tensor<16x64xf32>
  }
  return
}

// -----

func.func @graph_c5_type(%x: tensor<16x64xf32>) {
  // expected-error @below {{expected result 0 of type 'tensor<16x64xf32>', but got 'tensor<16x64xf16>'}}
  %r = mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> tensor<16x64xf16> {
    %0 = load %a imap [0, -1, -1] : tensor<16x64xf32> -> <8x64xf32>
    %1 = store %0 omap [0, -1, -1] : <8x64xf32> -> tensor<16x64xf32>
    yield %1 : tensor<16x64xf32>
  }
  return
}

// -----

func.func @graph_c6(%x: tensor<16x64xf32>) {
  %r = mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> tensor<8x64xf32> {
    %0 = load %a imap [0, -1, -1] : tensor<16x64xf32> -> <8x64xf32>
    // expected-error @below {{'mgraph_block.store' op expected a tile that is the same in all 2 blocks along grid axis 0, which its omap does not concatenate, but got one that varies}}
    %1 = store %0 omap [-1, -1, -1] : <8x64xf32> -> tensor<8x64xf32>
    yield %1 : tensor<8x64xf32>
  }
  return
}

// -----

// The sum over the blocks along x is the same in all of them, that along z is not.
func.func @graph_c6_reduce_blocks(%x: tensor<16x64xf32>) {
  %r = mgraph_kernel.graph (%a = %x) grid [2, 1, 2]
      : (tensor<16x64xf32>) -> tensor<8x32xf32> {
    %0 = load %a imap [0, -1, 1] : tensor<16x64xf32> -> <8x32xf32>
    %1 = reduce_blocks sum %0 dim 0 : <8x32xf32>
    // expected-error @below {{'mgraph_block.store' op expected a tile that is the same in all 2 blocks along grid axis 2, which its omap does not concatenate, but got one that varies}}
    %2 = store %1 omap [-1, -1, -1] : <8x32xf32> -> tensor<8x32xf32>
    yield %2 : tensor<8x32xf32>
  }
  return
}

// -----

// A total varies as its value and its factor do.
func.func @graph_c6_loop(%x: tensor<16x64xf32>) {
  %r = mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> tensor<8x16xf32> {
    %t = for %i = 4 -> <8x16xf32> {
      %f = load %a[%i] imap [0, -1, -1] fmap 1 : tensor<16x64xf32> -> <8x16xf32>
      %c = constant 1.0 : <8x16xf32>
      yield rescale(%f) %c : <8x16xf32>, <8x16xf32>
    }
    // expected-error @below {{'mgraph_block.store' op expected a tile that is the same in all 2 blocks along grid axis 0, which its omap does not concatenate, but got one that varies}}
    %2 = store %t omap [-1, -1, -1] : <8x16xf32> -> tensor<8x16xf32>
    yield %2 : tensor<8x16xf32>
  }
  return
}

// -----

// What is reduced over x may be stored once.
func.func @graph_c6_holds(%x: tensor<16x64xf32>) {
  %r = mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> tensor<8x64xf32> {
    %0 = load %a imap [0, -1, -1] : tensor<16x64xf32> -> <8x64xf32>
    %1 = reduce_blocks sum %0 dim 0 : <8x64xf32>
    %2 = store %1 omap [-1, -1, -1] : <8x64xf32> -> tensor<8x64xf32>
    yield %2 : tensor<8x64xf32>
  }
  return
}

// -----

func.func @graph_types(%x: tensor<16xf32>) {
  // expected-error @below {{expected 1 input types, but got 2}}
  mgraph_kernel.graph (%a = %x) grid [1, 1, 1]
      : (tensor<16xf32>, tensor<16xf32>) -> () {
    yield
  }
  return
}

// -----

func.func @graph_c2_most_stages(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.graph' op expected stages in [1, 64], but got 65}}
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1] stages 65
      : (tensor<16x64xf32>) -> () {
    yield
  }
  return
}

// -----

func.func @graph_c7(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.graph' op expected at least 1 result, but got none}}
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    yield
  }
  return
}
