// RUN: mirage-run --cpu %s --function=twice | FileCheck %s --check-prefix=TWICE
// RUN: mirage-run --cpu %s --function=twice --precision=f64 | FileCheck %s --check-prefix=F64
// RUN: not mirage-run --cpu %s 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not mirage-run --cpu %s --function=absent 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not mirage-run --cpu %s --function=other 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not mirage-run --cpu %s --function=twice --input=a.npy --input=b.npy 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not mirage-run --cpu %s --function=twice --input=%t.absent.npy 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: mirage-run --cpu %s --function=twice --output-dir=%t.d > /dev/null
// RUN: not mirage-run --cpu %s --function=other_type --input=%t.d/output_0.npy 2>&1 | FileCheck %s --check-prefix=TYPE

// TWICE: output 0: 4x8xf16 min {{.*}} not finite 0
// F64: output 0: 4x8xf64
// COUNT: error: expected 1 times --input, but got 2
// FILE: absent.npy: expected a readable file, but got {{[Nn]}}o such file
func.func @twice(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %0 = mgraph_kernel.add %x, %x : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}

// TYPE: output_0.npy: expected 4x8xf32, but got 4x8xf16
func.func @other_type(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}

// SEVERAL: error: expected one public function, or --function to name one, but got twice, other_type, other
// ABSENT: error: expected a function named absent, but got twice, other_type, other
// OTHER: error: expected an op of mgraph_kernel that a program can hold, but got 'func.call'
func.func @other(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %0 = func.call @twice(%x) : (tensor<4x8xf16>) -> tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}
