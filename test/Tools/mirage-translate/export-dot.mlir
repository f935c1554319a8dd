// A block graph is a box in the kernel level, a loop a box in it; what is in a
// lowered module is drawn at thread level.
// RUN: mirage-translate --export-dot %s -o %t.dot
// RUN: FileCheck %s < %t.dot
// RUN: %if graphviz %{ dot -Tsvg %t.dot -o %t.svg %}
// RUN: mirage-opt %s --convert-mgraph-to-thread | mirage-translate --export-dot | FileCheck %s --check-prefix=THREAD
// RUN: echo "module {}" | not mirage-translate --export-dot 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK:      digraph "@split" {
// CHECK:        [[X:n[0-9]+]] [label="%0 input\n16 x 256 f16", shape=box, style=rounded];
// CHECK:        [[W:n[0-9]+]] [label="%1 input\n256 x 64 f16", shape=box, style=rounded];
// CHECK:        subgraph cluster_[[#]] {
// CHECK-NEXT:     label="kernel %[[#]]: one block of\ngrid 2, 128 threads"; labeljust=l; style=solid;
// CHECK:          subgraph cluster_[[#]] {
// CHECK-NEXT:       label="for 4 iterations"; labeljust=l; style=dashed;
// CHECK:            [[LX:n[0-9]+]] [label="%[[#]] = load %0\nimap x:all\nfmap loop:dim 1\n16 x 64 f16", shape=invtrapezium];
// CHECK:            [[LW:n[0-9]+]] [label="%[[#]] = load %1\nimap x:dim 1\nfmap loop:dim 0\n64 x 32 f16", shape=invtrapezium];
// CHECK:            [[MM:n[0-9]+]] [label="%[[#]] = matmul %[[#]], %[[#]]\n16 x 32 f32", shape=box];
// CHECK:            [[ACC:n[0-9]+]] [label="%[[#]] = sum of %[[#]] over the loop\n16 x 32 f32", shape=box, peripheries=2];
// CHECK-NEXT:     }
// CHECK:          [[STORE:n[0-9]+]] [label="store %[[#]]\nomap x:dim 1", shape=trapezium];
// CHECK-NEXT:   }
// CHECK:        [[OUT:n[0-9]+]] [label="output 0\n16 x 64 f16"
// CHECK-DAG:    [[X]] -> [[LX]];
// CHECK-DAG:    [[W]] -> [[LW]];
// CHECK-DAG:    [[LX]] -> [[MM]];
// CHECK-DAG:    [[MM]] -> [[ACC]];
// CHECK-DAG:    [[ACC]] -> [[STORE]];
// CHECK-DAG:    [[STORE]] -> [[OUT]];

// THREAD:     digraph "threads of @[[NAME:.+]]" {
// THREAD:       label="threads of @[[NAME]]\n128 threads, [[#]] bytes of shared memory"
// THREAD:       [[COPY:n[0-9]+]] [label="copy_async\nin0, b0\n[[#]] times, for the first stages", shape=invtrapezium];
// THREAD:       label="for 4 iterations"; labeljust=l; style=dashed;
// THREAD:       [[BARRIER:n[0-9]+]] [label="barrier", shape=box, style=dotted];
// THREAD:       [[MMA:n[0-9]+]] [label="mma\nb0, b1\n16 x 32 f32, mma layout", shape=box];
// THREAD:       store_global
// The original of a lowered function is drawn no second time.
// THREAD-NOT: digraph

// NONE: error: expected at least 1 function or thread-level kernel to draw, but found none
func.func @split(%x: tensor<16x256xf16>, %w: tensor<256x64xf16>) -> tensor<16x64xf16> {
  %0 = mgraph_kernel.graph (%a = %x, %b = %w) grid [2, 1, 1] threads 128 : (tensor<16x256xf16>, tensor<256x64xf16>) -> tensor<16x64xf16> {
    %1 = for %i = 4 -> <16x32xf32> {
      %2 = load %a[%i] imap [-1, -1, -1] fmap 1 : tensor<16x256xf16> -> <16x64xf16>
      %3 = load %b[%i] imap [1, -1, -1] fmap 0 : tensor<256x64xf16> -> <64x32xf16>
      %4 = matmul %2, %3 : (<16x64xf16>, <64x32xf16>) -> <16x32xf32>
      yield sum %4 : <16x32xf32>
    }
    %5 = store %1 omap [1, -1, -1] : <16x32xf32> -> tensor<16x64xf16>
    yield %5 : tensor<16x64xf16>
  }
  return %0 : tensor<16x64xf16>
}
