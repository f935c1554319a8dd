// RUN: not mirage-translate --export-ptx %s 2>&1 | FileCheck %s
// CHECK: no-assembly.mlir:[[#@LINE+1]]:1: error: expected an object of format assembly, but found none
gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, bin = "cubin">]
