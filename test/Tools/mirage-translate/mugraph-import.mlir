// Stored graphs of the published system: import, verdict, PTX, and back.

// RUN: mirage-translate --import-mugraph-json %S/Inputs/mugraphs/ntrans_bs1.json --mugraph-reference=%S/Inputs/mugraphs/ntrans_bs1.mlir -o %t.ntrans.mlir
// RUN: FileCheck %s --check-prefix=NTRANS < %t.ntrans.mlir
// RUN: mirage-opt %t.ntrans.mlir --mirage-verify=seed=1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=VERDICT
// RUN: mirage-translate --import-mugraph-json --mugraph-graph=1 %S/Inputs/mugraphs/gqa_bs1.json -o %t.gqa.mlir
// RUN: FileCheck %s --check-prefix=GQA < %t.gqa.mlir
// RUN: mirage-opt %t.gqa.mlir --mirage-lower-to-ptx -o %t.low.mlir
// RUN: mirage-translate --export-ptx %t.low.mlir | FileCheck %s --check-prefix=PTX

// A linalg reference is raised.
// RUN: mirage-translate --import-mugraph-json --mugraph-graph=0 %S/Inputs/mugraphs/lora.json --mugraph-reference=%mirage_src_root/test/Integration/Inputs/lora.mlir -o %t.lora.mlir
// RUN: mirage-opt %t.lora.mlir --mirage-verify=seed=1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=LORA

// Written and read again, it is the same module.
// RUN: mirage-translate --export-mugraph-json %t.ntrans.mlir -o %t.json
// RUN: mirage-translate --import-mugraph-json %t.json --mugraph-reference=%S/Inputs/mugraphs/ntrans_bs1.mlir | diff %t.ntrans.mlir -

// The strip pass leaves the graphs alone.
// RUN: mirage-opt %t.ntrans.mlir --mirage-strip-reference | FileCheck %s --check-prefix=STRIPPED

// NTRANS: func.func private @ntrans({{.*}}attributes {mirage.original}
// NTRANS-COUNT-9: func.func @mugraph_{{.*}}attributes {mirage.reference = @ntrans}

// VERDICT-COUNT-9: remark: @mugraph_{{[0-9]}} against @ntrans: equivalent, error at most 2^-{{.*}}; loads in bounds, stores disjoint and complete (3 and {{[12]}})

// The sum down to 64 columns has a loop of its own over its pieces.
// GQA: for %{{.+}} = 4 -> <1x16x1xf32>
// GQA: yield sum(2)
// GQA: for %{{.+}} = 8 -> <1x16x64xf32>
// GQA: fmap 2 : tensor<2x256x512xf16> -> <1x16x64xf16>

// PTX: .visible .entry mugraph_1_0(
// PTX: .visible .entry mugraph_1_1(

// LORA: remark: @mugraph_0 against @lora: equivalent, error at most 2^-

// STRIPPED-NOT: @ntrans
// STRIPPED-COUNT-9: func.func @mugraph_
// STRIPPED-NOT: func.func
