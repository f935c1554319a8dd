// The candidates of a bundle lie in the order of their ranks, and each carries a
// certificate that holds.
//
// RUN: rm -rf %t && mkdir %t
// RUN: mirage-run tune %s --emit-bundle=%t/bundle --top=5 | FileCheck %s --check-prefix=SUMMARY
// RUN: FileCheck %s --check-prefix=BUNDLE < %t/bundle/bundle.json
// RUN: FileCheck %s --check-prefix=GRAPH < %t/bundle/004/graph.mlir
// RUN: mirage-opt --mirage-verify %t/bundle/004/graph.mlir -o /dev/null
//
// What the constant argument is comes with it into the plan.
// RUN: FileCheck %s --check-prefix=PLAN < %t/bundle/000/plan.json
//
// Without the verifier candidates say so. Certificates state how long they took;
// without them a bundle is the same for any number of threads.
// RUN: mirage-run tune %s --emit-bundle=%t/one --top=5 --threads=1 --no-verify
// RUN: mirage-run tune %s --emit-bundle=%t/three --top=5 --threads=3 --no-verify
// RUN: diff -r %t/one %t/three
// RUN: FileCheck %s --check-prefix=UNVERIFIED < %t/one/bundle.json
//
// A spread choice takes its candidates from the whole ranking.
// RUN: mirage-run tune %s --emit-bundle=%t/spread --top=2 --spread --no-verify
// RUN: FileCheck %s --check-prefix=SPREAD < %t/spread/bundle.json
//
// The fake driver knows none of these kernels' names and runs them as negation:
// every one is found to be wrong.
// RUN: not mirage-run tune %s --top=2 --no-verify --rounds=2 --cuda-driver=%mirage_obj_root/lib/libFakeCuda.so | FileCheck %s --check-prefix=BOTH

// SUMMARY: @linear: 5 candidates of {{[0-9]+}} for sm_90a, predicted {{.*}} us; op by op {{.*}} us

// BUNDLE: "rank": 0,
// BUNDLE: "summary": "grid [{{.*}}] cluster [{{.*}}] loop {{.*}} threads {{.*}} stages {{.*}}",
// BUNDLE-NEXT: "verdict": "equivalent, error at most 2^-
// BUNDLE: "rank": 1,
// BUNDLE: "rank": 2,
// BUNDLE: "rank": 3,
// BUNDLE: "rank": 4,
// BUNDLE: "schema": 1

// GRAPH: mirage.original
// GRAPH: mirage.constant
// GRAPH: mgraph_kernel.graph
// GRAPH: mirage.certificate
// GRAPH: mirage.reference = @linear_reference_0

// PLAN: "constant": false
// PLAN: "constant": true

// UNVERIFIED: "verdict": "not verified"
// SPREAD: "rank": 0,
// SPREAD: "rank": {{[0-9][0-9]+}},

// BOTH: 000 0 {{.*}} wrong
// BOTH: no candidate passed

func.func @linear(%x: tensor<16x256xf16>,
                  %w: tensor<256x128xf16> {mirage.constant})
    -> tensor<16x128xf16> {
  %0 = mgraph_kernel.matmul %x, %w
      : (tensor<16x256xf16>, tensor<256x128xf16>) -> tensor<16x128xf16>
  %1 = mgraph_kernel.relu %0 : tensor<16x128xf16> -> tensor<16x128xf16>
  return %1 : tensor<16x128xf16>
}
