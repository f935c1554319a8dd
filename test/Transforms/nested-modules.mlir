// Passes take the functions of the outermost module, and say so of a module
// inside it, which stays as it is.
// RUN: mirage-opt %s --mirage-superopt 2>&1 | FileCheck %s --check-prefixes=CHECK,SUPEROPT
// RUN: mirage-opt %s --mirage-predict 2>&1 | FileCheck %s --check-prefixes=CHECK,PREDICT
// RUN: mirage-opt %s --convert-mgraph-to-thread 2>&1 | FileCheck %s --check-prefixes=CHECK,THREAD
// RUN: mirage-opt %s --mirage-lower-to-ptx 2>&1 | FileCheck %s --check-prefixes=CHECK,THREAD,NVVM
// Certificates are found at any depth.
// RUN: mirage-opt %s --mirage-strip-reference 2>&1 | FileCheck %s --check-prefix=STRIP --implicit-check-not=mirage. --implicit-check-not=private --implicit-check-not=remark
// RUN: not mirage-opt %s --mirage-verify 2>&1 | FileCheck %s --check-prefix=VERIFY

// SUPEROPT: nested-modules.mlir:[[#@LINE+13]]:1: remark: superopt: expected functions in the outermost module, but got a module inside it named @inner: it is left as it is
// PREDICT: remark: predict: expected functions in the outermost module, but got a module inside it named @inner: it is left as it is
// THREAD: remark: convert-mgraph-to-thread: expected functions in the outermost module, but got a module inside it named @inner: it is left as it is
// NVVM: remark: convert-mgraph-thread-to-nvvm: expected functions in the outermost module, but got a module inside it named @inner: it is left as it is
// STRIP: module @inner
// STRIP: mgraph_kernel.graph
// VERIFY: nested-modules.mlir:[[#@LINE+13]]:10: error: certificate: expected JSON, but got

// CHECK: module @inner
// CHECK: func.func @f
// CHECK: mgraph_kernel.exp
// CHECK: return
module {
module @inner {
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = mgraph_kernel.exp %x : tensor<4xf32> -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = mgraph_kernel.graph (%a = %x) grid [1, 1, 1] attributes {mirage.certificate = "none", mirage.reference = @h} : (tensor<4xf32>) -> tensor<4xf32> {
      %1 = load %a imap [-1, -1, -1] : tensor<4xf32> -> <4xf32>
      %2 = store %1 omap [-1, -1, -1] : <4xf32> -> tensor<4xf32>
      yield %2 : tensor<4xf32>
    }
    return %0 : tensor<4xf32>
  }
  func.func private @h(%x: tensor<4xf32>) -> tensor<4xf32> attributes {mirage.original} {
    return %x : tensor<4xf32>
  }
}
}
