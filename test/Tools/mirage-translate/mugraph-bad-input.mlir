// What the tool says of files and references that do not fit.

// RUN: head -c 20000 %S/Inputs/mugraphs/lora.json > %t.cut.json
// RUN: not mirage-translate --import-mugraph-json %t.cut.json 2>&1 | FileCheck %s --check-prefix=CUT
// RUN: sed 's/tb_add_op/tb_xor_op/' %S/Inputs/mugraphs/lora.json > %t.op.json
// RUN: not mirage-translate --import-mugraph-json %t.op.json 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not mirage-translate --import-mugraph-json %S/Inputs/mugraphs/lora.json --mugraph-reference=%s 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not mirage-translate --import-mugraph-json %S/Inputs/mugraphs/lora.json --mugraph-reference=%s --mugraph-reference-function=g 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not mirage-translate --import-mugraph-json --mugraph-graph=4 %S/Inputs/mugraphs/lora.json 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not mirage-translate --import-mugraph-json %S/Inputs/mugraphs/lora.json --mugraph-reference=%t.absent.mlir 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not mirage-translate --export-mugraph-json %s 2>&1 | FileCheck %s --check-prefix=EXPORT
// RUN: sed 's/^func.func @f/func.func private @f/' %s > %t.private.mlir
// RUN: not mirage-translate --import-mugraph-json %S/Inputs/mugraphs/lora.json --mugraph-reference=%t.private.mlir 2>&1 | FileCheck %s --check-prefix=PRIVATE
// RUN: cat %s %S/Inputs/mugraphs/ntrans_bs1.mlir > %t.two.mlir
// RUN: not mirage-translate --import-mugraph-json %S/Inputs/mugraphs/lora.json --mugraph-reference=%t.two.mlir 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not mirage-translate --import-mugraph-json %S/Inputs/mugraphs/lora.json --mugraph-reference=%mirage_src_root/test/Integration/Inputs/integer.mlir 2>&1 | FileCheck %s --check-prefix=UNRAISED
// RUN: echo 'module {}' | not mirage-translate --export-mugraph-json 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: echo 'func.func private @f()' | not mirage-translate --no-implicit-module --export-mugraph-json 2>&1 | FileCheck %s --check-prefix=NOMODULE

// CUT: cut.json:0:0: error: file: expected JSON, but got [1:20000, byte=20000]:
// UNKNOWN: op.json:0:0: error: graph 0, op 4 (kn_customized_op), bgraph, op 7 (tb_xor_op): field 'op_type': expected an op of the block level, but got "tb_xor_op"
// TYPE: error: @mugraph_0: expected the type of its reference, '(tensor<4x4xf16>) -> tensor<4x4xf16>', but got '(tensor<16x256xf16>, {{.*}}) -> tensor<16x4096xf16>'
// NAME: error: expected a function named g, but got f
// NUMBER: error: expected --mugraph-graph from -1 to 3, but got 4
// ABSENT: absent.mlir
// EXPORT: error: @f: expected an op that the format has, but got 'softmax' of type 4x4xf16
// PRIVATE: error: expected one public function, or --mugraph-reference-function to name one, but got none
// TWO: error: expected one public function, or --mugraph-reference-function to name one, but got f, ntrans
// UNRAISED: error: expected a reference of ops that are raised to mgraph_kernel, but got '{{.+}}'
// NOTHING: error: expected at least 1 function to write, but found none
// NOMODULE: error: expected a module, but got 'func.func'

func.func @f(%x: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %0 = mgraph_kernel.softmax %x dim 1 : tensor<4x4xf16> -> tensor<4x4xf16>
  return %0 : tensor<4x4xf16>
}
