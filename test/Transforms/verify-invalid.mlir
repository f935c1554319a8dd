// What stands beside a certificate, and what it says, is checked.
// RUN: mirage-opt %s --mirage-verify -split-input-file -verify-diagnostics

func.func @no_reference(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected 'mirage.reference' beside 'mirage.certificate', but got none}}
  %0 = mgraph_kernel.graph (%a = %x) grid [1, 1, 1] attributes {mirage.certificate = "{}"} : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = load %a imap [-1, -1, -1] : tensor<4xf32> -> <4xf32>
    %2 = store %1 omap [-1, -1, -1] : <4xf32> -> tensor<4xf32>
    yield %2 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @no_original(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected the original @gone in the module, but found none}}
  %0 = mgraph_kernel.graph (%a = %x) grid [1, 1, 1] attributes {mirage.certificate = "{}", mirage.reference = @gone} : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = load %a imap [-1, -1, -1] : tensor<4xf32> -> <4xf32>
    %2 = store %1 omap [-1, -1, -1] : <4xf32> -> tensor<4xf32>
    yield %2 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @no_fields(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{certificate: expected a field 'schema', but got none}}
  %0 = mgraph_kernel.graph (%a = %x) grid [1, 1, 1] attributes {mirage.certificate = "{}", mirage.reference = @copy} : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = load %a imap [-1, -1, -1] : tensor<4xf32> -> <4xf32>
    %2 = store %1 omap [-1, -1, -1] : <4xf32> -> tensor<4xf32>
    yield %2 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
func.func private @copy(%x: tensor<4xf32>) -> tensor<4xf32> attributes {mirage.original} {
  return %x : tensor<4xf32>
}
