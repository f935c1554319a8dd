// What IREE cannot run, or what would be lost on the way, is refused.
// RUN: mirage-translate --export-iree %s -split-input-file -verify-diagnostics

// What was lowered for dependent launch has to be lowered again.
gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "">]
func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error @below {{expected kernels for plain launches, as mirage-lower-to-ptx="launch=plain" leaves them, but got k for dependent launch}}
  %0 = mgraph_kernel.launch @kernels(%x) plan {schema = 1, target = "sm_90a", inputs = [{constant = false, dtype = "f16", shape = [4]}], outputs = [{dtype = "f16", shape = [4]}], scratch = [], kernels = [{name = "k", grid = [16, 1, 1], threads = 32, shared_bytes = 0, parameters = [{kind = "input", index = 0}, {kind = "output", index = 0}], dependent_launch = true}]} : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// More blocks need an attribute of the function.
gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "">]
func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error @below {{expected clusters of at most 8 blocks, but got 16 in k}}
  %0 = mgraph_kernel.launch @kernels(%x) plan {schema = 1, target = "sm_90a", inputs = [{constant = false, dtype = "f16", shape = [4]}], outputs = [{dtype = "f16", shape = [4]}], scratch = [], kernels = [{name = "k", grid = [16, 1, 1], threads = 32, shared_bytes = 0, parameters = [{kind = "input", index = 0}, {kind = "output", index = 0}], cluster = [16, 1, 1]}]} : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// IREE gives memory as it is.
gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "">]
func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error @below {{expected scratch without a zero fill in a plan to export, but got one of scratch 0}}
  %0 = mgraph_kernel.launch @kernels(%x) plan {schema = 1, target = "sm_90a", inputs = [{constant = false, dtype = "f16", shape = [4]}], outputs = [{dtype = "f16", shape = [4]}], scratch = [{bytes = 8, zero = true}], kernels = [{name = "k", grid = [16, 1, 1], threads = 32, shared_bytes = 0, parameters = [{kind = "input", index = 0}, {kind = "scratch", index = 0}, {kind = "output", index = 0}]}]} : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// Results are the last bindings of a dispatch.
gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "">]
func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error @below {{expected the parameters that k writes after those that it reads, but got a read of %arg0 after a write}}
  %0 = mgraph_kernel.launch @kernels(%x) plan {schema = 1, target = "sm_90a", inputs = [{constant = false, dtype = "f16", shape = [4]}], outputs = [{dtype = "f16", shape = [4]}], scratch = [], kernels = [{name = "k", grid = [16, 1, 1], threads = 32, shared_bytes = 0, parameters = [{kind = "output", index = 0}, {kind = "input", index = 0}]}]} : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// A kernel that writes nothing.
gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "">]
func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error @below {{expected an output or scratch as the last parameter of k, but got none}}
  %0 = mgraph_kernel.launch @kernels(%x) plan {schema = 1, target = "sm_90a", inputs = [{constant = false, dtype = "f16", shape = [4]}], outputs = [{dtype = "f16", shape = [4]}], scratch = [], kernels = [{name = "k", grid = [16, 1, 1], threads = 32, shared_bytes = 0, parameters = [{kind = "input", index = 0}, {kind = "output", index = 0}]}, {name = "k", grid = [16, 1, 1], threads = 32, shared_bytes = 0, parameters = [{kind = "output", index = 0}, {kind = "input", index = 0}]}]} : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// The plan is that of another launch.
gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "">]
func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error @below {{expected a plan of 1 inputs and 1 outputs, but got 2 and 1}}
  %0 = mgraph_kernel.launch @kernels(%x) plan {schema = 1, target = "sm_90a", inputs = [{constant = false, dtype = "f16", shape = [4]}, {constant = false, dtype = "f16", shape = [4]}], outputs = [{dtype = "f16", shape = [4]}], scratch = [], kernels = [{name = "k", grid = [16, 1, 1], threads = 32, shared_bytes = 0, parameters = [{kind = "input", index = 0}, {kind = "output", index = 0}]}]} : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// Of another schema.
gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "">]
func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error @below {{launch plan: expected schema to be 1, but got 2}}
  %0 = mgraph_kernel.launch @kernels(%x) plan {schema = 2, target = "sm_90a", inputs = [{constant = false, dtype = "f16", shape = [4]}], outputs = [{dtype = "f16", shape = [4]}], scratch = [], kernels = [{name = "k", grid = [16, 1, 1], threads = 32, shared_bytes = 0, parameters = [{kind = "input", index = 0}, {kind = "output", index = 0}]}]} : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// The result has the plan's type.
gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "">]
func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error @below {{expected the plan's output 0 to be 'tensor<4xf16>', but got tensor<2x2xf16>}}
  %0 = mgraph_kernel.launch @kernels(%x) plan {schema = 1, target = "sm_90a", inputs = [{constant = false, dtype = "f16", shape = [4]}], outputs = [{dtype = "f16", shape = [2, 2]}], scratch = [], kernels = [{name = "k", grid = [16, 1, 1], threads = 32, shared_bytes = 0, parameters = [{kind = "input", index = 0}, {kind = "output", index = 0}]}]} : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// What is not lowered would be lost.
gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "">]
func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error @below {{expected only mgraph_kernel.launch in a function to export, but got 'mgraph_kernel.exp'}}
  %0 = mgraph_kernel.exp %x : tensor<4xf16> -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// So would control flow.
gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "">]
// expected-error @below {{expected a function of one block, but got 2}}
func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {
  cf.br ^next
^next:
  return %x : tensor<4xf16>
}

// -----

// And anything beside functions.
gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "">]
// expected-error @below {{expected only functions and one gpu.binary in a module to export, but got 'gpu.module'}}
gpu.module @other {}

// -----

// expected-error @below {{expected one gpu.binary, as mirage-lower-to-ptx leaves it, but got 0}}
module {}

// -----

// expected-error @below {{expected at least one mgraph_kernel.launch, as mirage-lower-to-ptx leaves it, but got 0}}
module {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "">]
  func.func private @external(tensor<4xf16>) -> tensor<4xf16>
}
