// A decoder layer as torch-mlir exports it, whole: norms, projections, rotary
// embedding, grouped attention, residuals and a gated MLP.
// RUN: mirage-opt %S/Inputs/small_llama_layer.mlir --mirage-superopt="seed=1 threads=1 report=%t.json" -o %t.mlir 2>%t.err
// RUN: FileCheck %s < %t.err
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// RUN: mirage-opt %t.mlir --mirage-verify="seed=2" -o /dev/null

// The norms with the projections that read them, the rotary embeddings, softmax.
// CHECK: @small_llama_layer: a fragment of 14 ops became 1 kernel
// CHECK: @small_llama_layer: a fragment of {{.+}} became 1 kernel
// CHECK: @small_llama_layer: a fragment of {{.+}} became 1 kernel
// CHECK: @small_llama_layer: a fragment of {{.+}} became 1 kernel
// CHECK: @small_llama_layer: a fragment of {{.+}} is left as it is: expected an op that the search can look inside, but got 'slice'
// REPORT: "left_out": 0

// It computes what it did.
// RUN: rm -rf %t.before %t.after
// RUN: mirage-run --cpu %S/Inputs/small_llama_layer.mlir --seed=1 --precision=f64 --output-dir=%t.before
// RUN: mirage-run --cpu %t.mlir --function=small_llama_layer --seed=1 --precision=f64 --output-dir=%t.after
// RUN: %python %S/Inputs/same_outputs.py %t.before %t.after | FileCheck %s --check-prefix=SAME
// SAME: same outputs

// Whatever the threads.
// RUN: mirage-opt %S/Inputs/small_llama_layer.mlir --mirage-superopt="seed=1 threads=3" 2>/dev/null | sed 's/seconds[^,}]*//g' > %t.three
// RUN: sed 's/seconds[^,}]*//g' %t.mlir | diff - %t.three
