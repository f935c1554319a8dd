// RUN: mirage-opt %s | FileCheck %s --check-prefixes=CHECK,UNUSED

// CHECK-LABEL: func @f
// CHEKC: return
// CHECK-NXT: return
// CHECK-SAME return
// check-not: return
// OTHER: return
// expected-eror @below {{this is not read}}
// expected-error @blow {{nor is this}}
// expected-error @below {{nor this}}
func.func @f() { return }
