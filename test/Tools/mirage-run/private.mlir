// RUN: mirage-run --cpu %s | FileCheck %s

// The private function is an original that a search kept; the public one runs.
// CHECK: output 0: 2xf32
func.func private @original(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}

func.func @found(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
