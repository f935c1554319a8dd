"""From ATen nodes of an fx graph to the text of mgraph_kernel.

An op is imported as PyTorch defines it on its element type: results are rounded
to the node's type, and operands are promoted to it. What inductor decomposed
(silu, gelu) is put together again where its chain is found, because the search
takes such a function as one map. Import starts at the outputs and follows
operands, so what a recognised chain swallows is never written.

Flat programs, those around plain matrix products, have rank 2 throughout: a value
of shape [a, b, n] stands as [a * b, n], so that the views by which models go back
and forth between tokens and rows do not show. A dim before the last that broadcasts
then has to do so with all before it, else shapes do not fit and the import fails.
"""
from __future__ import annotations

import math
import operator
from typing import Any, Callable, Sequence

import torch
from torch.fx import Node

from ..builder import Builder, Value, function_text
from ..dtypes import DType, as_dtype
from ..errors import MirageError
from ..tensors import InputSpec

aten, prims = torch.ops.aten, torch.ops.prims


class NotImported(MirageError):
    """A node that has no counterpart. The text says why."""


FLOATS = (torch.float16, torch.bfloat16, torch.float32)
Rule = Callable[["Importer", Node], Value]
_RULES: dict[Any, Rule] = {}
# Ops that compute each element of the result from one element of each operand, or only rename it.
ELEMENTWISE: set[Any] = set()
MATMULS = {aten.mm.default, aten.bmm.default, aten.addmm.default}
# Ops that cost nothing by themselves: other shapes, and casts.
SHAPES = {aten.view.default, aten.reshape.default, aten._unsafe_view.default, aten.permute.default, aten.t.default,
          aten.transpose.int, aten.unsqueeze.default, aten.squeeze.dim, aten.squeeze.dims, aten.expand.default}
VIEWS = {aten.view.default, aten.reshape.default, aten._unsafe_view.default, aten.permute.default,
         aten.t.default, aten.transpose.int, aten.unsqueeze.default, aten.squeeze.dim, aten.squeeze.dims,
         aten.expand.default, aten.clone.default, aten.alias.default, aten.detach.default, operator.getitem,
         prims.convert_element_type.default}


def rule(*targets: Any, elementwise: bool = False) -> Callable[[Rule], Rule]:
    def add(function: Rule) -> Rule:
        for target in targets:
            _RULES[target] = function
            if elementwise:
                ELEMENTWISE.add(target)
        return function
    return add


def value_of(node: Any) -> torch.Tensor | None:
    """The fake tensor of a node, or None."""
    value = node.meta.get("val") if isinstance(node, Node) else None
    return value if isinstance(value, torch.Tensor) else None


def static_shape(value: torch.Tensor) -> tuple[int, ...] | None:
    """The sizes, or None where one is symbolic."""
    if any(not isinstance(s, int) for s in value.shape):
        return None
    return tuple(value.shape)


def flat_shape(shape: Sequence[int]) -> tuple[int, int]:
    """Rows and columns of a value in a flat program."""
    return math.prod(shape[:-1]), shape[-1]


def is_row_view(node: Node) -> bool:
    """Whether a change of shape is none in a flat program: the same rows of the same length."""
    source, value = value_of(node.args[0]), value_of(node)
    if source is None or value is None or static_shape(source) is None or static_shape(value) is None:
        return False
    if node.target in (aten.permute.default, aten.t.default, aten.transpose.int) or not source.dim() or not value.dim():
        return False
    return flat_shape(source.shape) == flat_shape(value.shape)


def why_no_tensor(node: Node) -> str | None:
    """Why a node's value cannot be one of a program's, or None."""
    value = node.meta.get("val")
    if node.target is aten.var_mean.correction:
        return None  # a pair: its parts are taken by getitem
    if not isinstance(value, torch.Tensor):
        return "its value is no tensor"
    if static_shape(value) is None:
        return f"its shape is symbolic: {list(value.shape)}"
    if value.dtype not in FLOATS and value.dtype != torch.bool:
        return f"its element type is {value.dtype}"
    if not 1 <= value.dim() <= 6 or value.numel() == 0:
        return f"its shape is {list(value.shape)}"
    return None


def why_not(node: Node) -> str | None:
    """Why a call cannot be imported, or None. Arguments are looked at when it is."""
    if node.op != "call_function":
        return f"it is no call ({node.op})"
    if node.target not in _RULES:
        return f"no rule for {node.target}"
    return why_no_tensor(node)


class Importer:
    """Collects one program. `inputs` are nodes whose values are given, each with its spec."""

    def __init__(self, inputs: Sequence[Node], constants: Sequence[bool], flat: bool = False) -> None:
        self.builder, self.flat = Builder(), flat
        self.specs: list[InputSpec] = []
        self.arguments: list[Value] = []
        self._values: dict[Node, Value] = {}
        for node, constant in zip(inputs, constants):
            tensor = value_of(node)
            if tensor is None:
                raise NotImported(f"{node.name}: its value is no tensor")
            dtype = as_dtype(tensor.dtype)
            shape = tuple(tensor.shape)
            try:
                spec = InputSpec.make(shape, dtype, tensor.stride(), constant)
            except MirageError:  # not dense: it is copied at the call
                spec = InputSpec.make(shape, dtype, None, constant)
            stored = spec.storage_shape
            if flat and len(shape) != 2:
                # Other orders of dims than row-major have no flat form: such a tensor is copied at the call.
                spec = InputSpec.make(shape, dtype, None, constant)
                stored = flat_shape(shape)
            argument = Value(f"%arg{len(self.arguments)}", stored, dtype)
            self.specs.append(spec)
            self.arguments.append(argument)
            inverse = [0, 1] if flat and len(shape) != 2 else [spec.perm.index(d) for d in range(len(shape))]
            self._values[node] = self.builder.transpose(argument, inverse)

    def text(self, outputs: Sequence[Node]) -> str:
        """A module whose one function computes `outputs`."""
        results = [self.value(node) for node in outputs]
        inputs = [(v, s.constant) for v, s in zip(self.arguments, self.specs)]
        return function_text("mirage_fragment", inputs, self.builder.lines, results)

    def value(self, node: Node) -> Value:
        found = self._values.get(node)
        if found is None:
            reason = why_not(node)
            if reason is not None:
                raise NotImported(f"{node.name}: {reason}")
            found = _composite(self, node) or _RULES[node.target](self, node)
            expected = value_of(node)
            if expected is not None and (found.shape != self.shape(expected)
                                         or found.dtype != as_dtype(expected.dtype)):
                raise NotImported(f"{node.name}: expected {list(expected.shape)} of {expected.dtype}, but the import "
                                  f"gave {list(found.shape)} of {found.dtype.torch_name}")
            self._values[node] = found
        return found

    # For rules

    def dtype(self, node: Node) -> DType:
        value = value_of(node)
        assert value is not None
        return as_dtype(value.dtype)

    def operand(self, argument: Any, dtype: DType, rank: int) -> Value:
        """A tensor or a number as an operand of this type and rank."""
        if isinstance(argument, bool) or not isinstance(argument, (int, float, Node)):
            raise NotImported(f"expected a tensor or a number, but got {argument!r}")
        if not isinstance(argument, Node):
            if not math.isfinite(argument) and argument != -math.inf:
                raise NotImported(f"expected a finite number, but got {argument}")
            return self.builder.constant(argument, rank, dtype)
        value = self.builder.cast(self.value(argument), dtype)
        if len(value.shape) > rank:
            raise NotImported(f"{argument.name}: expected rank {rank} at most, but got {len(value.shape)}")
        return self.builder.reshape(value, (1,) * (rank - len(value.shape)) + value.shape)

    def rank(self, node: Node) -> int:
        value = value_of(node)
        assert value is not None
        return len(self.shape(value))

    def shape(self, tensor: torch.Tensor) -> tuple[int, ...]:
        """The shape that a tensor has in the program."""
        return flat_shape(tensor.shape) if self.flat else tuple(tensor.shape)


# Elementwise

def _unary(mnemonic: str) -> Rule:
    def apply(importer: Importer, node: Node) -> Value:
        x = importer.operand(node.args[0], importer.dtype(node), importer.rank(node))
        return importer.builder.unary(mnemonic, x)
    return apply


for _target, _mnemonic in {
        aten.exp.default: "exp", aten.log.default: "log", aten.silu.default: "silu", aten.relu.default: "relu",
        aten.sigmoid.default: "sigmoid", aten.tanh.default: "tanh", aten.erf.default: "erf", aten.sqrt.default: "sqrt",
        aten.rsqrt.default: "rsqrt", aten.abs.default: "abs", aten.neg.default: "neg",
        aten.reciprocal.default: "reciprocal", aten.square.default: "square"}.items():
    rule(_target, elementwise=True)(_unary(_mnemonic))


@rule(aten.gelu.default, elementwise=True)
def _gelu(importer: Importer, node: Node) -> Value:
    tanh = node.kwargs.get("approximate", "none") == "tanh"
    return _unary("gelu_tanh" if tanh else "gelu_erf")(importer, node)


def _binary(mnemonic: str, scaled: bool = False) -> Rule:
    def apply(importer: Importer, node: Node) -> Value:
        if scaled and node.kwargs.get("alpha", 1) != 1:
            raise NotImported(f"{node.name}: expected alpha 1, but got {node.kwargs['alpha']}")
        if node.kwargs.get("rounding_mode") is not None:
            raise NotImported(f"{node.name}: expected no rounding mode, but got {node.kwargs['rounding_mode']}")
        dtype, rank = importer.dtype(node), importer.rank(node)
        a, b = (importer.operand(x, dtype, rank) for x in node.args[:2])
        return importer.builder.binary(mnemonic, a, b)
    return apply


for _targets, _mnemonic in {
        (aten.add.Tensor, aten.add.Scalar): "add", (aten.sub.Tensor, aten.sub.Scalar): "sub",
        (aten.mul.Tensor, aten.mul.Scalar): "mul", (aten.div.Tensor, aten.div.Scalar): "div",
        (aten.maximum.default,): "max", (aten.minimum.default,): "min",
        (aten.pow.Tensor_Tensor,): "pow"}.items():
    rule(*_targets, elementwise=True)(_binary(_mnemonic, _mnemonic in ("add", "sub")))


@rule(aten.pow.Tensor_Scalar, elementwise=True)
def _pow(importer: Importer, node: Node) -> Value:
    dtype, rank = importer.dtype(node), importer.rank(node)
    x, exponent = importer.operand(node.args[0], dtype, rank), node.args[1]
    named = {2: "square", 0.5: "sqrt", -0.5: "rsqrt", -1: "reciprocal"}
    if exponent in named:
        return importer.builder.unary(named[exponent], x)
    return importer.builder.binary("pow", x, importer.operand(exponent, dtype, rank))


@rule(aten.clamp.default, aten.clamp_min.default, aten.clamp_max.default, aten.hardtanh.default, elementwise=True)
def _clamp(importer: Importer, node: Node) -> Value:
    low, high = (list(node.args[1:]) + [None, None])[:2]
    low, high = node.kwargs.get("min", low), node.kwargs.get("max", high)
    if node.target is aten.clamp_max.default:
        low, high = None, low
    dtype, rank = importer.dtype(node), importer.rank(node)
    value = importer.operand(node.args[0], dtype, rank)
    if low is not None:
        value = importer.builder.binary("max", value, importer.operand(low, dtype, rank))
    if high is not None:
        value = importer.builder.binary("min", value, importer.operand(high, dtype, rank))
    return value


@rule(prims.convert_element_type.default, aten._to_copy.default, elementwise=True)
def _cast(importer: Importer, node: Node) -> Value:
    source = value_of(node.args[0])
    if source is None or source.dtype not in FLOATS or importer.dtype(node).torch_name == "bool":
        raise NotImported(f"{node.name}: expected a cast between float types")
    return importer.builder.cast(importer.value(node.args[0]), importer.dtype(node))


@rule(aten.where.self, elementwise=True)
def _where(importer: Importer, node: Node) -> Value:
    rank, dtype = importer.rank(node), importer.dtype(node)
    condition = importer.operand(node.args[0], as_dtype(torch.bool), rank)
    a, b = (importer.operand(x, dtype, rank) for x in node.args[1:3])
    return importer.builder.select(condition, a, b)


def _compare(predicate: str) -> Rule:
    def apply(importer: Importer, node: Node) -> Value:
        tensors = [value_of(x) for x in node.args[:2] if isinstance(x, Node)]
        if any(t is None or t.dtype not in FLOATS for t in tensors):
            raise NotImported(f"{node.name}: expected a comparison of floats")
        dtype = as_dtype(torch.result_type(*[t for t in tensors if t is not None]) if len(tensors) == 2
                         else tensors[0].dtype)  # type: ignore[union-attr]
        a, b = (importer.operand(x, dtype, importer.rank(node)) for x in node.args[:2])
        return importer.builder.compare(predicate, a, b)
    return apply


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    rule(getattr(aten, _name).Tensor, getattr(aten, _name).Scalar, elementwise=True)(_compare(_name))


# Contractions and reductions

@rule(aten.mm.default, aten.bmm.default)
def _matmul(importer: Importer, node: Node) -> Value:
    a, b = (importer.value(x) for x in node.args[:2])
    return importer.builder.matmul(a, b)


@rule(aten.addmm.default)
def _addmm(importer: Importer, node: Node) -> Value:
    if node.kwargs.get("alpha", 1) != 1 or node.kwargs.get("beta", 1) != 1:
        raise NotImported(f"{node.name}: expected alpha and beta 1, but got {dict(node.kwargs)}")
    product = importer.builder.matmul(importer.value(node.args[1]), importer.value(node.args[2]))
    return importer.builder.binary("add", product, importer.operand(node.args[0], product.dtype, 2))


def _reduced(importer: Importer, node: Node, kind: str, argument: Any, dims: Any, keep: bool,
             dtype: DType) -> Value:
    x = importer.value(argument)
    rank = len(x.shape)
    if importer.flat:
        tensor = value_of(argument)
        assert tensor is not None
        given = [dims] if isinstance(dims, int) else list(dims) if dims else []
        if [d % tensor.dim() for d in given] != [tensor.dim() - 1] or not keep:
            raise NotImported(f"{node.name}: expected a reduction of the last dim, kept, but got {dims}")
        dims = [1]
    dims = [dims] if isinstance(dims, int) else list(dims) if dims else list(range(rank))
    dims = sorted(d % rank for d in dims)
    result = importer.builder.reduce(kind, importer.builder.cast(x, dtype), dims)
    if keep:
        return result
    left = tuple(s for d, s in enumerate(x.shape) if d not in dims)
    if not left:
        raise NotImported(f"{node.name}: expected a result of rank 1 at least, but got a number")
    return importer.builder.reshape(result, left)


def _reduction(kind: str) -> Rule:
    def apply(importer: Importer, node: Node) -> Value:
        dims = node.args[1] if len(node.args) > 1 else None
        keep = node.args[2] if len(node.args) > 2 else node.kwargs.get("keepdim", False)
        return _reduced(importer, node, kind, node.args[0], dims, bool(keep), importer.dtype(node))
    return apply


rule(aten.sum.dim_IntList, aten.sum.default)(_reduction("sum"))
rule(aten.mean.dim, aten.mean.default)(_reduction("mean"))
rule(aten.amax.default)(_reduction("max"))


@rule(aten.var_mean.correction)
def _var_mean(importer: Importer, node: Node) -> Value:
    raise NotImported(f"{node.name}: its parts are imported, not the pair")


@rule(operator.getitem)
def _getitem(importer: Importer, node: Node) -> Value:
    pair, index = node.args
    if not isinstance(pair, Node) or pair.target is not aten.var_mean.correction:
        raise NotImported(f"{node.name}: expected a part of var_mean")
    if pair.kwargs.get("correction", 1) != 0:
        raise NotImported(f"{node.name}: expected a variance with correction 0")
    dims, keep, dtype = pair.args[1], bool(pair.kwargs.get("keepdim", False)), importer.dtype(node)
    if index == 1:
        return _reduced(importer, node, "mean", pair.args[0], dims, keep, dtype)
    b = importer.builder
    x = b.cast(importer.value(pair.args[0]), dtype)
    tensor = value_of(pair.args[0])
    assert tensor is not None
    where = sorted(d % tensor.dim() for d in dims)
    if importer.flat:
        if where != [tensor.dim() - 1] or not keep:
            raise NotImported(f"{node.name}: expected a variance along the last dim, kept, but got {dims}")
        where = [1]
    centred = b.binary("sub", x, b.reduce("mean", x, where))
    variance = b.reduce("mean", b.unary("square", centred), where)
    value = value_of(node)
    assert value is not None
    return variance if keep else b.reshape(variance, tuple(value.shape))


@rule(aten._softmax.default)
def _softmax(importer: Importer, node: Node) -> Value:
    if node.args[2] or importer.flat:
        raise NotImported(f"{node.name}: expected a softmax in its operand's type, in no flat program")
    return importer.builder.softmax(importer.value(node.args[0]), node.args[1])


# Movement

@rule(aten.view.default, aten.reshape.default, aten._unsafe_view.default, aten.unsqueeze.default, aten.squeeze.dim,
      aten.squeeze.dims, elementwise=True)
def _reshape(importer: Importer, node: Node) -> Value:
    value = value_of(node)
    assert value is not None
    if importer.flat and not is_row_view(node):
        raise NotImported(f"{node.name}: expected a view of the same rows, but got {list(value.shape)}")
    return importer.builder.reshape(importer.value(node.args[0]), importer.shape(value))


@rule(aten.permute.default, aten.t.default, aten.transpose.int)
def _permute(importer: Importer, node: Node) -> Value:
    x = importer.value(node.args[0])
    rank = len(x.shape)
    source = value_of(node.args[0])
    if importer.flat and (source is None or source.dim() != 2):
        raise NotImported(f"{node.name}: expected the transpose of a matrix")
    perm = list(range(rank))
    if node.target is aten.permute.default:
        perm = [d % rank for d in node.args[1]]
    elif node.target is aten.t.default:
        perm.reverse()
    else:
        i, j = (d % rank for d in node.args[1:3])
        perm[i], perm[j] = perm[j], perm[i]
    return importer.builder.transpose(x, perm)


@rule(aten.expand.default, elementwise=True)
def _expand(importer: Importer, node: Node) -> Value:
    value = value_of(node)
    assert value is not None
    x = importer.operand(node.args[0], importer.dtype(node), importer.rank(node))
    return importer.builder.broadcast(x, importer.shape(value))


@rule(aten.clone.default, aten.alias.default, aten.detach.default, elementwise=True)
def _same(importer: Importer, node: Node) -> Value:
    return importer.value(node.args[0])


@rule(aten.cat.default)
def _cat(importer: Importer, node: Node) -> Value:
    if importer.flat:
        raise NotImported(f"{node.name}: a concatenation in a flat program")
    dtype, rank = importer.dtype(node), importer.rank(node)
    parts = [importer.operand(x, dtype, rank) for x in node.args[0]]
    return importer.builder.concat(parts, node.args[1] if len(node.args) > 1 else node.kwargs.get("dim", 0))


@rule(aten.slice.Tensor)
def _slice(importer: Importer, node: Node) -> Value:
    if importer.flat:
        raise NotImported(f"{node.name}: a slice in a flat program")
    x = importer.value(node.args[0])
    dim, start, _, step = (list(node.args[1:]) + [0, None, None, 1][len(node.args) - 1:])[:4]
    value = value_of(node)
    assert value is not None
    dim %= len(x.shape)
    start = start or 0
    start = start + x.shape[dim] if start < 0 else start
    offsets = [start if d == dim else 0 for d in range(len(x.shape))]
    strides = [step if d == dim else 1 for d in range(len(x.shape))]
    return importer.builder.slice(x, offsets, tuple(value.shape), strides)


# Chains that inductor made of one function

def _is(node: Any, *targets: Any) -> bool:
    return isinstance(node, Node) and node.target in targets


_ADD, _MUL = (aten.add.Tensor, aten.add.Scalar), (aten.mul.Tensor, aten.mul.Scalar)


def _near(value: Any, number: float) -> bool:
    return isinstance(value, (int, float)) and abs(value - number) <= 1e-6 * max(1.0, abs(number))


def _silu_argument(node: Node) -> Node | None:
    """x of x / (1 + exp(-x)) or x * sigmoid(x)."""
    if _is(node, aten.div.Tensor):
        x, below = node.args
        if _is(below, *_ADD) and _near(below.args[1], 1) and _is(below.args[0], aten.exp.default):
            inner = below.args[0].args[0]
            if _is(inner, aten.neg.default) and inner.args[0] is x and isinstance(x, Node):
                return x
    return None


def _gelu_argument(node: Node) -> tuple[str, Node] | None:
    """x of 0.5 x (1 + erf(x / sqrt 2)) or of 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))."""
    if not _is(node, *_MUL) or not all(isinstance(a, Node) for a in node.args):
        return None
    half, plus = node.args
    if not (_is(half, *_MUL) and _near(half.args[1], 0.5) and _is(plus, *_ADD) and _near(plus.args[1], 1)):
        return None
    x, function = half.args[0], plus.args[0]
    if not isinstance(x, Node) or not isinstance(function, Node):
        return None
    inner = function.args[0] if function.args else None
    if not _is(inner, *_MUL):
        return None
    if _is(function, aten.erf.default) and inner.args[0] is x and _near(inner.args[1], math.sqrt(0.5)):
        return "gelu_erf", x
    if _is(function, aten.tanh.default) and _near(inner.args[1], math.sqrt(2 / math.pi)):
        total = inner.args[0]
        if _is(total, *_ADD) and total.args[0] is x and _is(total.args[1], *_MUL):
            cube, factor = total.args[1].args
            if _near(factor, 0.044715) and _is_cube(cube, x):
                return "gelu_tanh", x
    return None


def _is_cube(node: Any, x: Node) -> bool:
    if _is(node, aten.pow.Tensor_Scalar):
        return node.args[0] is x and _near(node.args[1], 3)
    if not _is(node, *_MUL):
        return False
    square, last = node.args
    return last is x and _is(square, *_MUL) and square.args[0] is x and square.args[1] is x


def _root_of(node: Any) -> tuple[Any, float] | None:
    """(m, eps) of rsqrt(m + eps)."""
    if _is(node, aten.rsqrt.default) and _is(node.args[0], *_ADD) and isinstance(node.args[0].args[1], (int, float)):
        return node.args[0].args[0], float(node.args[0].args[1])
    return None


def _last_dim(dims: Any, tensor: torch.Tensor | None) -> bool:
    return tensor is not None and isinstance(dims, (list, tuple)) and [d % tensor.dim() for d in dims] == [
        tensor.dim() - 1]


def _is_mean_square(node: Any, x: Node) -> bool:
    if not _is(node, aten.mean.dim) or not _last_dim(node.args[1], value_of(x)) or not (
            node.args[2] if len(node.args) > 2 else node.kwargs.get("keepdim")):
        return False
    square = node.args[0]
    return (_is(square, aten.pow.Tensor_Scalar) and square.args == (x, 2)) or (
        _is(square, aten.mul.Tensor) and square.args == (x, x))


def _normalised(node: Any) -> tuple[str, Node, float] | None:
    """("rms_norm", x, eps) of x rsqrt(mean(x^2) + eps), ("layer_norm", x, eps) of (x - m) rsqrt(var + eps)."""
    if not _is(node, aten.mul.Tensor):
        return None
    for value, root in (node.args, node.args[::-1]):
        found = _root_of(root)
        if found is None or not isinstance(value, Node):
            continue
        inner, eps = found
        if _is_mean_square(inner, value):
            return "rms_norm", value, eps
        if _is(value, aten.sub.Tensor) and isinstance(value.args[0], Node):
            x, mean = value.args
            parts = [n for n in (mean, inner) if _is(n, operator.getitem)]
            if len(parts) == 2 and mean.args[1] == 1 and inner.args[1] == 0 and mean.args[0] is inner.args[0]:
                pair = mean.args[0]
                if _is(pair, aten.var_mean.correction) and pair.args[0] is x and pair.kwargs.get("correction") == 0 \
                        and pair.kwargs.get("keepdim") and _last_dim(pair.args[1], value_of(x)):
                    return "layer_norm", x, eps
    return None


def _narrow(node: Any, dtype: torch.dtype) -> Node | None:
    """x of cast(x) to f32 where x is of `dtype`; where that is f32, the node."""
    value = value_of(node)
    if value is None:
        return None
    if value.dtype == dtype:
        return node
    if _is(node, prims.convert_element_type.default):
        source = value_of(node.args[0])
        if source is not None and source.dtype == dtype:
            return node.args[0]
    return None


def _row_vector(node: Any, x: Node, dtype: torch.dtype) -> Node | None:
    """A weight of the last dim, of this type, or None."""
    found = _narrow(node, dtype) if isinstance(node, Node) else None
    value, wide = value_of(found), value_of(x)
    if value is None or wide is None or value.numel() != wide.shape[-1] or value.shape[-1] != wide.shape[-1]:
        return None
    return found


def _norm(importer: Importer, node: Node) -> Value | None:
    """A norm with its weight and bias, computed in f32 and rounded once: what the dialect's op is."""
    value = value_of(node)
    if value is None:
        return None
    dtype = value.dtype
    body = node
    if dtype != torch.float32:
        if not _is(node, prims.convert_element_type.default) or not isinstance(node.args[0], Node):
            return None
        body = node.args[0]
    bias = scale = None
    found = _normalised(body)
    if found is None and _is(body, *_ADD):
        candidates = [(b, r) for b, r in (body.args, body.args[::-1]) if _is(b, aten.mul.Tensor)]
        for inner, rest in candidates:
            parts = _scaled(inner, dtype)
            if parts is not None:
                found, scale = parts
                bias = _row_vector(rest, found[1], dtype)
                if bias is None or found[0] != "layer_norm":
                    return None
                break
    elif found is None:
        parts = _scaled(body, dtype)
        if parts is not None:
            found, scale = parts
    if found is None:
        return None
    kind, wide, eps = found
    x = _narrow(wide, dtype)
    if x is None:
        return None
    rank = importer.rank(x)
    operands = [None if v is None else importer.builder.reshape(
        importer.value(v), (1,) * (rank - 1) + importer.value(v).shape[-1:]) for v in (scale, bias)]
    if kind == "rms_norm":
        return importer.builder.rms_norm(importer.value(x), eps, operands[0])
    return importer.builder.layer_norm(importer.value(x), eps, *operands)


def _scaled(node: Any, dtype: torch.dtype) -> tuple[tuple[str, Node, float], Node] | None:
    """A norm times its weight."""
    if not _is(node, aten.mul.Tensor):
        return None
    for inner, weight in (node.args, node.args[::-1]):
        found = _normalised(inner)
        if found is not None:
            scale = _row_vector(weight, found[1], dtype)
            return None if scale is None else (found, scale)
    return None


def _composite(importer: Importer, node: Node) -> Value | None:
    x = _silu_argument(node)
    if x is not None:
        return importer.builder.unary("silu", importer.operand(x, importer.dtype(node), importer.rank(node)))
    norm = _norm(importer, node)
    if norm is not None:
        return norm
    gelu = _gelu_argument(node)
    if gelu is not None:
        name, x = gelu
        return importer.builder.unary(name, importer.operand(x, importer.dtype(node), importer.rank(node)))
    return None
