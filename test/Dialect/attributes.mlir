// Attributes named mirage.* are checked: a misspelt one would be ignored.
// RUN: mirage-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expected 'mirage.constant' to be without a value, but got 17}}
func.func @value(%x: tensor<4xf32> {mirage.constant = 17}) {
  return
}

// -----

// expected-error @below {{expected 'mirage.constant' on a tensor, but got 'f32'}}
func.func @scalar(%x: f32 {mirage.constant}) {
  return
}

// -----

// expected-error @below {{expected mirage.constant as attribute of an argument, but got 'mirage.konstant'}}
func.func @misspelt(%x: tensor<4xf32> {mirage.konstant}) {
  return
}

// -----

// expected-error @below {{expected 'mirage.constant' to be without a value, but got true}}
func.func private @external(tensor<4xf32> {mirage.constant = true})

// -----

// expected-error @below {{expected no attribute of mirage on a result, but got 'mirage.constant'}}
func.func private @result() -> (tensor<4xf32> {mirage.constant})

// -----

// expected-error @below {{expected one of mirage.certificate, mirage.reference and mirage.original as attribute of 'func.func', but got 'mirage.constant'}}
func.func private @op() attributes {mirage.constant}

// -----

// expected-error @below {{expected 'mirage.certificate' to be a string, but got 1}}
func.func private @certificate() attributes {mirage.certificate = 1}

// -----

// expected-error @below {{expected 'mirage.reference' to be a symbol, but got "f"}}
func.func private @reference() attributes {mirage.reference = "f"}

// -----

// expected-error @below {{expected 'mirage.original' to be without a value, but got false}}
func.func private @original() attributes {mirage.original = false}

// -----

// What is right is left alone, on tensors that no program can hold too.
func.func @good(%x: tensor<4xf32> {mirage.constant}, %y: tensor<?xf32> {mirage.constant})
    attributes {mirage.original} {
  return
}
