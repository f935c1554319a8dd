"""Text of mgraph_kernel and mgraph_block, op by op, with their shape rules.

At kernel level values are tensors and an operator yields its operands' element
type; inside a block graph they are tiles, and what is computed is f32
(include/Mirage/Semantics/Program.h).
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Sequence

from .dtypes import DType, bool_, float32
from .errors import DTypeError, MirageError, ShapeError

Shape = tuple[int, ...]
MAX_RANK = 6

UNARY = ("exp", "log", "silu", "gelu_tanh", "gelu_erf", "relu", "sigmoid", "tanh", "erf", "sqrt", "rsqrt", "square",
         "abs", "neg", "reciprocal")
BINARY = ("add", "sub", "mul", "div", "max", "min", "pow")
COMPARE = ("eq", "ne", "lt", "le", "gt", "ge")


@dataclass(frozen=True)
class Value:
    """A tensor or tile in the text: `name` is its SSA name."""

    name: str
    shape: Shape
    dtype: DType


def number(value: float) -> str:
    """A float literal of MLIR, which needs a point."""
    if not math.isfinite(value):
        raise MirageError(f"expected a finite number, but got {value}")
    text = repr(float(value))
    mantissa, _, exponent = text.partition("e")
    if "." not in mantissa:
        mantissa += ".0"
    return mantissa + ("e" + exponent if exponent else "")


def show(shape: Sequence[int]) -> str:
    return "[" + ", ".join(map(str, shape)) + "]"


def broadcast_shapes(op: str, shapes: Sequence[Shape]) -> Shape:
    """The common shape of operands of one rank whose dims are equal or 1."""
    if len({len(s) for s in shapes}) != 1:
        raise ShapeError(f"{op}: expected operands of one rank, but got {' and '.join(map(show, shapes))}")
    result = []
    for d, sizes in enumerate(zip(*shapes)):
        wide = {s for s in sizes if s != 1}
        if len(wide) > 1:
            raise ShapeError(f"{op}: expected sizes in dim {d} that are equal or 1, but got "
                             f"{' and '.join(map(show, shapes))}")
        result.append(wide.pop() if wide else 1)
    return tuple(result)


def dim_of(op: str, dim: int, shape: Shape) -> int:
    """`dim`, counted from the end where negative."""
    if not isinstance(dim, int) or not -len(shape) <= dim < len(shape):
        raise ShapeError(f"{op}: expected a dim in [{-len(shape)}, {len(shape) - 1}] of {show(shape)}, but got {dim}")
    return dim % len(shape)


class Builder:
    """Appends ops to `lines` and returns their results. ShapeError and DTypeError name the op and its operands."""

    def __init__(self, block: bool = False, prefix: str = "") -> None:
        self.block, self.prefix = block, prefix
        self.lines: list[str] = []
        self._counter = 0

    def fresh(self, shape: Shape, dtype: DType) -> Value:
        self._counter += 1
        return Value(f"%{self.prefix}{self._counter}", shape, dtype)

    def type(self, value: Value) -> str:
        text = "<" + "".join(f"{d}x" for d in value.shape) + value.dtype.name + ">"
        return text if self.block else "tensor" + text

    def _append(self, op: str, text: str, operands: Sequence[Value], shape: Shape, dtype: DType,
                function: bool = True) -> Value:
        result = self.fresh(shape, dtype)
        types = ", ".join(map(self.type, operands))
        signature = (f"({types}) -> " if function else f"{types} -> " if operands else "") + self.type(result)
        mnemonic = op if self.block else "mgraph_kernel." + op
        self.lines.append(f"{result.name} = {mnemonic}{' ' if text else ''}{text} : {signature}")
        return result

    def _computed(self, *operands: Value) -> DType:
        return float32 if self.block else operands[0].dtype

    def _same_type(self, op: str, operands: Sequence[Value]) -> None:
        if self.block:
            return
        found = {v.dtype.name for v in operands}
        if len(found) > 1:
            raise DTypeError(f"{op}: expected operands of one element type, but got "
                             f"{' and '.join(v.dtype.name for v in operands)}")

    # Elementwise

    def unary(self, op: str, x: Value) -> Value:
        return self._append(op, x.name, [x], x.shape, self._computed(x), function=False)

    def clamp(self, x: Value, low: float, high: float) -> Value:
        if not low <= high:
            raise MirageError(f"clamp: expected bounds in order, but got {low} and {high}")
        return self._append("clamp", f"{x.name} lo {number(low)} hi {number(high)}", [x], x.shape, self._computed(x),
                            function=False)

    def cast(self, x: Value, dtype: DType) -> Value:
        if x.dtype == dtype:
            return x
        return self._append("cast", x.name, [x], x.shape, dtype, function=False)

    def binary(self, op: str, a: Value, b: Value) -> Value:
        self._same_type(op, (a, b))
        shape = broadcast_shapes(op, (a.shape, b.shape))
        return self._append(op, f"{a.name}, {b.name}", [a, b], shape, self._computed(a))

    def compare(self, predicate: str, a: Value, b: Value) -> Value:
        self._same_type(predicate, (a, b))
        shape = broadcast_shapes(predicate, (a.shape, b.shape))
        return self._append("compare", f"{predicate} {a.name}, {b.name}", [a, b], shape, bool_)

    def select(self, condition: Value, a: Value, b: Value) -> Value:
        self._same_type("select", (a, b))
        shape = broadcast_shapes("select", (condition.shape, a.shape, b.shape))
        return self._append("select", f"{condition.name}, {a.name}, {b.name}", [condition, a, b], shape,
                            self._computed(a))

    def constant(self, value: float | str, rank: int, dtype: DType) -> Value:
        """A splat of shape 1x...x1: a number, or "inv_extent 64" and the like."""
        if isinstance(value, str):
            text = value
        elif value == -math.inf:
            text = "neg_inf"
        else:
            text = number(value)
        return self._append("constant", text, [], (1,) * rank, float32 if self.block else dtype, function=False)

    # Contractions and reductions

    def matmul(self, a: Value, b: Value, transpose_rhs: bool = False) -> Value:
        self._same_type("matmul", (a, b))
        given = f"but got {show(a.shape)} and {show(b.shape)}"
        if len(a.shape) != len(b.shape) or len(a.shape) < 2:
            raise ShapeError(f"matmul: expected operands of one rank, at least 2, {given}")
        inner = b.shape[-1] if transpose_rhs else b.shape[-2]
        if a.shape[-1] != inner:
            raise ShapeError(f"matmul: expected dim {len(a.shape) - 1} of the left operand to equal dim "
                             f"{len(b.shape) - (1 if transpose_rhs else 2)} of the right one, {given}")
        try:
            batch = broadcast_shapes("matmul", (a.shape[:-2], b.shape[:-2])) if len(a.shape) > 2 else ()
        except ShapeError:
            raise ShapeError(f"matmul: expected batch dims that are equal or 1, {given}") from None
        shape = batch + (a.shape[-2], b.shape[-2] if transpose_rhs else b.shape[-1])
        flag = " transpose_rhs" if transpose_rhs else ""
        return self._append("matmul", f"{a.name}, {b.name}{flag}", [a, b], shape, self._computed(a))

    def reduce(self, kind: str, x: Value, dims: Sequence[int]) -> Value:
        """sum, max or mean along `dims`, which stay with size 1."""
        found = sorted({dim_of("reduction", d, x.shape) for d in dims})
        if not found:
            raise ShapeError(f"reduction: expected at least 1 dim of {show(x.shape)}, but got none")
        shape = tuple(1 if d in found else s for d, s in enumerate(x.shape))
        return self._append("reduce", f"{kind} {x.name} dims {show(found)}", [x], shape, self._computed(x),
                            function=False)

    def rms_norm(self, x: Value, epsilon: float, scale: Value | None = None) -> Value:
        operands = [x] if scale is None else [x, scale]
        self._same_type("rms_norm", operands)
        text = x.name + ("" if scale is None else f" scale {scale.name}") + f" eps {number(epsilon)}"
        return self._append("rms_norm", text, operands, x.shape, self._computed(x))

    def layer_norm(self, x: Value, epsilon: float, scale: Value | None = None, bias: Value | None = None) -> Value:
        operands = [v for v in (x, scale, bias) if v is not None]
        self._same_type("layer_norm", operands)
        text = x.name + ("" if scale is None else f" scale {scale.name}") + ("" if bias is None else f" bias {bias.name}")
        return self._append("layer_norm", f"{text} eps {number(epsilon)}", operands, x.shape, self._computed(x))

    def softmax(self, x: Value, dim: int) -> Value:
        return self._append("softmax", f"{x.name} dim {dim_of('softmax', dim, x.shape)}", [x], x.shape,
                            self._computed(x), function=False)

    # Movement

    def transpose(self, x: Value, perm: Sequence[int]) -> Value:
        if sorted(perm) != list(range(len(x.shape))):
            raise ShapeError(f"transpose: expected a permutation of the dims of {show(x.shape)}, but got {show(perm)}")
        if list(perm) == list(range(len(x.shape))):
            return x
        return self._append("transpose", f"{x.name} perm {show(perm)}", [x], tuple(x.shape[d] for d in perm), x.dtype,
                            function=False)

    def reshape(self, x: Value, shape: Sequence[int]) -> Value:
        shape = tuple(shape)
        if math.prod(shape) != math.prod(x.shape):
            raise ShapeError(f"reshape: expected {math.prod(x.shape)} elements, those of {show(x.shape)}, but got "
                             f"{show(shape)}")
        if shape == x.shape:
            return x
        return self._append("reshape", x.name, [x], shape, x.dtype, function=False)

    def broadcast(self, x: Value, shape: Sequence[int]) -> Value:
        shape = tuple(shape)
        if broadcast_shapes("broadcast", (x.shape, shape)) != shape:
            raise ShapeError(f"broadcast: expected dims that are equal or 1 in the operand, but got {show(x.shape)} "
                             f"and {show(shape)}")
        if shape == x.shape:
            return x
        return self._append("broadcast", x.name, [x], shape, x.dtype, function=False)

    def concat(self, values: Sequence[Value], dim: int) -> Value:
        self._same_type("concat", values)
        first = values[0].shape
        dim = dim_of("concat", dim, first)
        for v in values:
            if len(v.shape) != len(first) or any(s != t for d, (s, t) in enumerate(zip(v.shape, first)) if d != dim):
                raise ShapeError(f"concat: expected shapes that are equal but in dim {dim}, but got "
                                 f"{' and '.join(show(w.shape) for w in values)}")
        shape = first[:dim] + (sum(v.shape[dim] for v in values),) + first[dim + 1:]
        return self._append("concat", f"{', '.join(v.name for v in values)} dim {dim}", list(values), shape,
                            values[0].dtype)

    def slice(self, x: Value, offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]) -> Value:
        if not all(o >= 0 and n >= 1 and s >= 1 and o + (n - 1) * s < d
                   for o, n, s, d in zip(offsets, sizes, strides, x.shape)):
            raise ShapeError(f"slice: expected elements of {show(x.shape)}, but got offsets {show(offsets)}, sizes "
                             f"{show(sizes)}, strides {show(strides)}")
        return self._append("slice", f"{x.name} offsets {show(offsets)} sizes {show(sizes)} strides {show(strides)}",
                            [x], tuple(sizes), x.dtype, function=False)


def function_text(name: str, inputs: Sequence[tuple[Value, bool]], lines: Sequence[str], outputs: Sequence[Value],
                  ) -> str:
    """A module with one function. Inputs are (value, whether no kernel on the stream writes it)."""
    kernel = Builder()
    arguments = ", ".join(f"{v.name}: {kernel.type(v)}" + (" {mirage.constant}" if constant else "")
                          for v, constant in inputs)
    types = ", ".join(map(kernel.type, outputs))
    body = "".join(f"  {line}\n" for line in lines)
    return (f"func.func @{name}({arguments}) -> ({types}) {{\n{body}"
            f"  return {', '.join(v.name for v in outputs)} : {types}\n}}\n")
