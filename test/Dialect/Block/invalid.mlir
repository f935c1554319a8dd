// One function for each diagnostic of graphs, loops, loads and stores, named by the op
// and its constraint.
// RUN: mirage-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

func.func @load_c1_no_graph(%x: tensor<16xf32>) {
  // expected-error @below {{'mgraph_block.load' op expected the source to be an argument of the enclosing graph, but got no graph}}
  %0 = mgraph_block.load %x imap [-1, -1, -1] : tensor<16xf32> -> <16xf32>
  return
}

// -----

func.func @load_c1_result(%x: tensor<16xf32>) {
  %r = mgraph_kernel.graph (%a = %x) grid [1, 1, 1]
      : (tensor<16xf32>) -> tensor<16xf32> {
    %0 = load %a imap [-1, -1, -1] : tensor<16xf32> -> <16xf32>
    %1 = store %0 omap [-1, -1, -1] : <16xf32> -> tensor<16xf32>
    // expected-error @below {{expected the source to be an argument of the enclosing graph, but got the result of 'mgraph_block.store'}}
    %2 = load %1 imap [-1, -1, -1] : tensor<16xf32> -> <16xf32>
    yield %1 : tensor<16xf32>
  }
  return
}

// -----

func.func @load_c2_count(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    // expected-error @below {{expected imap to have 3 entries, but got 2}}
    %0 = load %a imap [0, 1]
        : tensor<16x64xf32> -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @load_c2_range(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    // expected-error @below {{expected entries of imap in [-1, 2), but got 2}}
    %0 = load %a imap [-1, -1, 2]
        : tensor<16x64xf32> -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @load_c2_negative(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    // expected-error @below {{expected entries of imap in [-1, 2), but got -2}}
    %0 = load %a imap [-2, -1, -1]
        : tensor<16x64xf32> -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @load_c3_no_loop(%x: tensor<16xf32>, %i: index) {
  "mgraph_kernel.graph"(%x) <{grid = array<i64: 1, 1, 1>}> ({
  ^bb0(%a: tensor<16xf32>):
    %c = "other.index"() : () -> index
    // expected-error @below {{expected the iteration to be the induction value of the enclosing loop, but got no loop}}
    %0 = mgraph_block.load %a[%c] imap [-1, -1, -1] : tensor<16xf32> -> <16xf32>
    mgraph_block.yield
  }) : (tensor<16xf32>) -> ()
  return
}

// -----

func.func @load_c3_another(%x: tensor<16xf32>) {
  mgraph_kernel.graph (%a = %x) grid [1, 1, 1] : (tensor<16xf32>) -> () {
    for %i = 2 {
      %c = "other.index"() : () -> index
      // expected-error @below {{expected the iteration to be the induction value of the enclosing loop, but got the result of 'other.index'}}
      %0 = load %a[%c] imap [-1, -1, -1] : tensor<16xf32> -> <16xf32>
      yield
    }
    yield
  }
  return
}

// -----

func.func @load_c3_range(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %t = for %i = 4 -> <16x64xf32> {
      // expected-error @below {{expected fmap in [-1, 2), but got 2}}
      %0 = load %a[%i] imap [-1, -1, -1] fmap 2
          : tensor<16x64xf32> -> <16x64xf32>
      yield sum %0 : <16x64xf32>
    }
    yield
  }
  return
}

// -----

func.func @load_c3_without(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %t = for %i = 4 -> <16x16xf32> {
      // expected-error @below {{expected an iteration with fmap, but got fmap 1 without one}}
      %0 = load %a imap [-1, -1, -1] fmap 1
          : tensor<16x64xf32> -> <16x16xf32>
      yield sum %0 : <16x16xf32>
    }
    yield
  }
  return
}

// -----

func.func @load_c4_grid(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [3, 1, 1]
      : (tensor<16x64xf32>) -> () {
    // expected-error @below {{expected imap of grid dimension 0 to divide dimension 1 of size 64, but got 3}}
    %0 = load %a imap [1, -1, -1]
        : tensor<16x64xf32> -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @load_c4_loop(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %t = for %i = 3 -> <16x64xf32> {
      // expected-error @below {{expected fmap to divide dimension 1 of size 64, but got 3}}
      %0 = load %a[%i] imap [-1, -1, -1] fmap 1
          : tensor<16x64xf32> -> <16x64xf32>
      yield sum %0 : <16x64xf32>
    }
    yield
  }
  return
}

// -----

func.func @load_c4_result(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    // expected-error @below {{expected result type '!mgraph_block.tile<16x32xf32>', but got '!mgraph_block.tile<16x64xf32>'}}
    %0 = load %a imap [1, -1, -1]
        : tensor<16x64xf32> -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @for_c1(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    // expected-error @below {{'mgraph_block.for' op expected a range of at least 1, but got 0}}
    %t = for %i = 0 -> <16x64xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
      yield sum %0 : <16x64xf32>
    }
    yield
  }
  return
}

// -----

func.func @for_c1_large(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    // expected-error @below {{'mgraph_block.for' op expected a range of at most 2147483647, but got 1000000000000}}
    %t = for %i = 1000000000000 -> <16x64xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
      yield sum %0 : <16x64xf32>
    }
    yield
  }
  return
}

// -----

func.func @for_c2(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    for %i = 4 {
      // expected-error @below {{'mgraph_block.for' op expected to stand in the body of a graph, but got 'mgraph_block.for'}}
      for %j = 4 {
        yield
      }
      yield
    }
    yield
  }
  return
}

// -----

func.func @for_c3(%x: tensor<16xf32>) {
  mgraph_kernel.graph (%a = %x) grid [1, 1, 1] : (tensor<16xf32>) -> () {
    // expected-error @below {{expected a region with one argument of type index, but got arguments ('i32')}}
    "mgraph_block.for"() <{range = 4 : i64}> ({
    ^bb0(%i: i32):
      yield
    }) : () -> ()
    yield
  }
  return
}

// -----

func.func @for_terminator(%x: tensor<16xf32>) {
  mgraph_kernel.graph (%a = %x) grid [1, 1, 1] : (tensor<16xf32>) -> () {
    // expected-error @below {{expected 'mgraph_block.yield' as terminator, but got 'other.stop'}}
    for %i = 4 {
      "other.stop"() : () -> ()
    }
    yield
  }
  return
}

// -----

func.func @for_c4(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %t = for %i = 4 -> <16x64xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
      // expected-error @below {{expected 1 accumulators, one for each result, but got 2}}
      yield sum %0, max %0 : <16x64xf32>, <16x64xf32>
    }
    yield
  }
  return
}

// -----

func.func @for_c5(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %t = for %i = 4 -> <16x64xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
      // expected-error @below {{expected the dim of accumulator 0 in [-1, 2), but got 2}}
      yield sum(2) %0 : <16x64xf32>
    }
    yield
  }
  return
}

// -----

func.func @for_c6(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    // expected-error @below {{expected result 0 of type '!mgraph_block.tile<16x1xf32>', but got '!mgraph_block.tile<16x64xf32>'}}
    %t = for %i = 4 -> <16x64xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
      yield sum(1) %0 : <16x64xf32>
    }
    yield
  }
  return
}

// -----

func.func @for_c6_element(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    // expected-error @below {{expected result 0 of type '!mgraph_block.tile<16x64xf32>', but got '!mgraph_block.tile<16x64xf16>'}}
    %t = for %i = 4 -> <16x64xf16> {
      %0 = load %a[%i] imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
      yield sum %0 : <16x64xf32>
    }
    yield
  }
  return
}

// -----

func.func @for_c7(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %t = for %i = 4 -> <16x1xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
      // expected-error @below {{expected the factor of accumulator 0 to broadcast to '!mgraph_block.tile<16x1xf32>', but got '!mgraph_block.tile<16x64xf32>'}}
      yield rescale(%0, 1) %0 : <16x64xf32>, <16x64xf32>
    }
    yield
  }
  return
}

// -----

func.func @yield_c1() {
  "other.region"() ({
    // expected-error @below {{'mgraph_block.yield' op expected a graph or a loop as parent, but got 'other.region'}}
    mgraph_block.yield
  }) : () -> ()
  return
}

// -----

func.func @yield_c2_loop(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %t = for %i = 4 -> <16x64xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
      // expected-error @below {{expected 1 accumulator kind, but got 0}}
      yield %0 : <16x64xf32>
    }
    yield
  }
  return
}

// -----

func.func @yield_c2_graph(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %0 = load %a imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{expected 0 accumulator kinds, but got 1}}
    yield sum %0 : <16x64xf32>
  }
  return
}

// -----

func.func @yield_c2_some(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %t = for %i = 4 -> <16x64xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
      // expected-error @below {{expected an accumulator kind for each of 2 values, but got 1}}
      yield sum %0, %0 : <16x64xf32>, <16x64xf32>
    }
    yield
  }
  return
}

// -----

func.func @yield_c3(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %t = for %i = 4 -> <16x64xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
      // expected-error @below {{expected 1 factors, one for each rescale, but got 0}}
      "mgraph_block.yield"(%0) <{
        accumulators = [#mgraph_block.accumulator<rescale>],
        operandSegmentSizes = array<i32: 1, 0>}>
        : (!mgraph_block.tile<16x64xf32>) -> ()
    }
    yield
  }
  return
}

// -----

func.func @yield_c4(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %t = for %i = 4 -> <16x64xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
      %1 = compare lt %0, %0 : (<16x64xf32>, <16x64xf32>) -> <16x64xi1>
      // expected-error @below {{expected tiles of floats in a loop, but got '!mgraph_block.tile<16x64xi1>'}}
      yield sum %1 : <16x64xi1>
    }
    yield
  }
  return
}

// -----

func.func @yield_syntax(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %t = for %i = 4 -> <16x64xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
      // expected-error @below {{expected a value after ',', but got none}}
      yield sum %0, : <16x64xf32>
    }
    yield
  }
  return
}

// -----

func.func @running_c1_no_loop(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %c = "other.index"() : () -> index
    // expected-error @below {{'mgraph_block.running' op expected the induction value of the enclosing loop, but got no loop}}
    %0 = running current 0[%c] : <16x64xf32>
    yield
  }
  return
}

// -----

func.func @running_c1_another(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %t = for %i = 4 -> <16x64xf32> {
      %c = "other.index"() : () -> index
      %0 = load %a[%i] imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
      // expected-error @below {{expected the induction value of the enclosing loop, but got the result of 'other.index'}}
      %1 = running current 0[%c] : <16x64xf32>
      yield sum %0 : <16x64xf32>
    }
    yield
  }
  return
}

// -----

func.func @running_c2(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %t = for %i = 4 -> <16x64xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
      // expected-error @below {{expected an accumulator in [0, 1), but got 1}}
      %1 = running current 1[%i] : <16x64xf32>
      yield sum %0 : <16x64xf32>
    }
    yield
  }
  return
}

// -----

func.func @running_c3(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %t = for %i = 4 -> <16x64xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
      // expected-error @below {{expected result type '!mgraph_block.tile<16x64xf32>', but got '!mgraph_block.tile<16x1xf32>'}}
      %1 = running current 0[%i] : <16x1xf32>
      yield sum %0 : <16x64xf32>
    }
    yield
  }
  return
}

// -----

func.func @running_c4(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %t = for %i = 4 -> <16x64xf32> {
      // expected-error @below {{expected the value of accumulator 0 to be defined before its current state is read, but got one defined after it}}
      %1 = running current 0[%i] : <16x64xf32>
      // expected-note @below {{defined here}}
      %0 = load %a[%i] imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
      yield sum %0 : <16x64xf32>
    }
    yield
  }
  return
}

// -----

func.func @reduce_blocks_c1(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %t = for %i = 4 -> <16x64xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
      // expected-error @below {{'mgraph_block.reduce_blocks' op expected to stand in the body of a graph, but got 'mgraph_block.for'}}
      %1 = reduce_blocks sum %0 dim 0 : <16x64xf32>
      yield sum %0 : <16x64xf32>
    }
    yield
  }
  return
}

// -----

func.func @reduce_blocks_c2(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %0 = load %a imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{expected a grid dim in [0, 3), but got 3}}
    %1 = reduce_blocks sum %0 dim 3 : <16x64xf32>
    yield
  }
  return
}

// -----

func.func @reduce_blocks_c3(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %0 = load %a imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{expected sum or max, but got mean}}
    %1 = reduce_blocks mean %0 dim 0 : <16x64xf32>
    yield
  }
  return
}

// -----

func.func @reduce_blocks_c4(%x: tensor<16x64xi32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xi32>) -> () {
    %0 = load %a imap [-1, -1, -1] : tensor<16x64xi32> -> <16x64xi32>
    // expected-error @below {{expected a float element type, but got 'i32'}}
    %1 = reduce_blocks sum %0 dim 0 : <16x64xi32>
    yield
  }
  return
}

// -----

func.func @store_c1(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %t = for %i = 4 -> <16x64xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
      // expected-error @below {{'mgraph_block.store' op expected to stand in the body of a graph, but got 'mgraph_block.for'}}
      %1 = store %0 omap [-1, -1, -1] : <16x64xf32> -> tensor<16x64xf32>
      yield sum %0 : <16x64xf32>
    }
    yield
  }
  return
}

// -----

func.func @store_c2_count(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %0 = load %a imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{expected omap to have 3 entries, but got 1}}
    %1 = store %0 omap [0] : <16x64xf32> -> tensor<32x64xf32>
    yield
  }
  return
}

// -----

func.func @store_c2_range(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %0 = load %a imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{expected entries of omap in [-1, 2), but got 2}}
    %1 = store %0 omap [2, -1, -1] : <16x64xf32> -> tensor<32x64xf32>
    yield
  }
  return
}

// -----

func.func @store_c3_shape(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %0 = load %a imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{expected result type 'tensor<32x64xf32>', but got 'tensor<16x64xf32>'}}
    %1 = store %0 omap [0, -1, -1] : <16x64xf32> -> tensor<16x64xf32>
    yield
  }
  return
}

// -----

func.func @store_c3_element(%x: tensor<16x64xf32>) {
  mgraph_kernel.graph (%a = %x) grid [2, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %0 = load %a imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{expected an element type that 'f32' converts to, but got 'i32'}}
    %1 = store %0 omap [0, -1, -1] : <16x64xf32> -> tensor<32x64xi32>
    yield
  }
  return
}

// -----

// expected-error @below {{expected rank at most 6, but got 7}}
func.func private @tile_c1_rank(!mgraph_block.tile<1x1x1x1x1x1x1xf32>)

// -----

// expected-error @below {{expected sizes of at least 1, but got 0}}
func.func private @tile_c1_size(!mgraph_block.tile<0x4xf32>)

// -----

// expected-error @below {{expected element type f16, bf16, f32, f64, i1, i32 or i64, but got 'i8'}}
func.func private @tile_c2(!mgraph_block.tile<4xi8>)
