// torch-mlir writes F.linear with a bias as a product of operands that it casts to
// f32. The product must read them in f16 all the same: tensor cores have no f32.
// RUN: mirage-opt %S/Inputs/linear_transposed_bias.mlir --mirage-superopt="seed=1" -o %t.mlir 2>%t.err
// RUN: FileCheck %s < %t.mlir
// RUN: mirage-opt %t.mlir --mirage-strip-reference --mirage-lower-to-ptx -o %t.low.mlir
// RUN: mirage-translate --export-ptx %t.low.mlir | FileCheck %s --check-prefix=PTX
// RUN: mirage-translate --export-ptx %t.low.mlir -o %t.ptx
// RUN: %if ptxas %{ %python %mirage_src_root/test/Target/PTX/Inputs/assemble.py %ptxas sm_90a %t.ptx %}

// CHECK: mgraph_kernel.graph
// CHECK: = matmul %{{.+}}, %{{.+}} transpose_rhs : (<{{[0-9x]+}}f16>, <{{[0-9x]+}}f16>) -> <{{[0-9x]+}}f32>
// CHECK: add
// CHECK: store

// PTX: .visible .entry linear_transposed_bias_0
// PTX: mma.sync.aligned.m16n8k16
// PTX: ret;
