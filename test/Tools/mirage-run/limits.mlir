// What cannot be is said before the work: nothing is run, and no file is written.
// RUN: rm -rf %t && mkdir -p %t && touch %t/file
// RUN: not mirage-run --cpu %s --function=small --output-dir=%t/file/out 2>&1 | FileCheck %s --check-prefix=FOLDER --implicit-check-not="output 0"
// RUN: not mirage-run --cpu %s --function=huge 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not mirage-run --cpu %s --function=weights --memory-limit=100 --output-dir=%t/never 2>&1 | FileCheck %s --check-prefix=WEIGHTS
// RUN: not ls %t/never
// RUN: not mirage-run --cpu %s --function=endless 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: mirage-run --cpu %s --function=undefined | FileCheck %s --check-prefix=UNDEFINED

// FOLDER: error: {{.*}}file/out: expected a folder that can be written, but got Not a directory
func.func @small(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = mgraph_kernel.exp %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// HUGE: error: expected tensors of at most 2147483648 elements, but got input 0, 131072x65536xf16
func.func @huge(%x: tensor<131072x65536xf16>) -> tensor<131072x65536xf16> {
  %0 = mgraph_kernel.exp %x : tensor<131072x65536xf16> -> tensor<131072x65536xf16>
  return %0 : tensor<131072x65536xf16>
}

// WEIGHTS: error: expected a program that runs in 100.0 MiB of memory, but got one that takes {{.+}} MiB; its largest tensor is input 1, 4096x4096xf16, which takes 128.0 MiB
func.func @weights(%x: tensor<1x4096xf16>, %w: tensor<4096x4096xf16>) -> tensor<1x4096xf16> {
  %0 = mgraph_kernel.matmul %x, %w : (tensor<1x4096xf16>, tensor<4096x4096xf16>) -> tensor<1x4096xf16>
  return %0 : tensor<1x4096xf16>
}

// There is no smallest number where there is none.
// UNDEFINED: output 0: 4xf32  not finite 4
func.func @undefined(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = mgraph_kernel.constant 0.0 : tensor<4xf32>
  %0 = mgraph_kernel.div %z, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// ENDLESS: error: expected a program of at most 1.1E+12 element operations, but got one of 9.3E+12
func.func @endless(%x: tensor<16x256xf16>) -> tensor<16x256xf16> {
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
