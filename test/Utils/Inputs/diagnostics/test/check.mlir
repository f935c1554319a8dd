// CHECK: error: expected a size of at least 1, but got 0
