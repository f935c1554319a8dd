void check(Operation *op, int size) {
  if (size < 1)
    op->emitError("expected a size of at least 1, but "
                  "got ")
        << size;
  if (size > 9)
    op->emitError("expected a size of at most ") << 9 << ", but got " << size;
  assert(size != 5 && "expected another size");
}
