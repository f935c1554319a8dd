"""Thread-block graphs: one kernel, written by hand.

A block loads tiles, runs a loop over them, accumulates, and stores what it
computes from the totals. The names are those of the published system.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Sequence

from .builder import Builder, Value, show
from .dtypes import DType, float32
from .errors import MirageError, ShapeError
from .graph import DTensor, warn_unknown


@dataclass(eq=False)
class STensor:
    """A tile of a thread block: `shape`. Made by the operators of one TBGraph."""

    graph: "TBGraph"
    shape: tuple[int, ...]
    operands: tuple["STensor", ...] = ()
    # Appends the op to a builder, given the operands' values.
    build: Any = None
    # Whether it exists once, after the loop; a tile without loop input may be computed in both places.
    after_loop: bool = False
    in_loop: bool = False
    load: "_Load | None" = None
    accumulator: "_Accumulator | None" = None

    def dim(self, i: int) -> int:
        """The size of dim `i`."""
        return self.shape[i]

    @property
    def num_dims(self) -> int:
        """The number of its dims."""
        return len(self.shape)


@dataclass(frozen=True)
class _Load:
    operand: int
    imap: tuple[int, int, int]
    fmap: int


@dataclass(frozen=True)
class _Accumulator:
    source: STensor
    kind: str


@dataclass
class _Store:
    tensor: STensor
    omap: tuple[int, int, int]
    shape: tuple[int, ...] = field(default=())


def _triple(what: str, values: Sequence[int], low: int) -> tuple[int, int, int]:
    values = tuple(values)
    if len(values) != 3 or any(not isinstance(v, int) or v < low for v in values):
        raise ShapeError(f"{what}: expected 3 integers, each at least {low}, but got {list(values)}")
    return values  # type: ignore[return-value]


class TBGraph:
    """The program of one thread block. Make one with `mirage.new_threadblock_graph(...)`.

    Operators take and return STensors. Tiles are computed in f32; operands of a matmul are rounded to the element type
    of the graph's first input. Errors name the operator and the dims. Source: python/mirage/threadblock.py.
    """

    def __init__(self, grid_dim: Sequence[int], block_dim: Sequence[int], forloop_range: int = 1,
                 reduction_dimx: int = 64, cluster_dim: Sequence[int] = (1, 1, 1), stages: int = 0,
                 **unknown: Any) -> None:
        warn_unknown("new_threadblock_graph", unknown)
        self.grid = _triple("grid_dim", grid_dim, 1)
        self.block = _triple("block_dim", block_dim, 1)
        self.cluster = _triple("cluster_dim", cluster_dim, 1)
        if not isinstance(forloop_range, int) or forloop_range < 1:
            raise ShapeError(f"new_threadblock_graph: expected forloop_range to be at least 1, but got {forloop_range}")
        self.range, self.reduction_dimx, self.stages = forloop_range, reduction_dimx, stages
        self._operands: list[DTensor] = []
        self._accumulated: list[STensor] = []
        self._stores: list[_Store] = []

    # Inputs, accumulators, outputs

    def new_input(self, dtensor: DTensor, input_map: Sequence[int], forloop_dim: int = -1, store_in_dmem: bool = False,
                  **unknown: Any) -> STensor:
        """The tile of `dtensor` that a block reads. `input_map[g]` is the dim that grid axis g splits, or -1;
        `forloop_dim` the dim that the loop splits, or -1: then every iteration reads the same tile."""
        warn_unknown("new_input", unknown)
        if not isinstance(dtensor, DTensor):
            raise MirageError(f"new_input: expected a DTensor, but got {type(dtensor).__name__}")
        imap = _triple("input_map", input_map, -1)
        shape = list(dtensor.shape)
        splits = [(f"grid axis {g}", d, n) for g, (d, n) in enumerate(zip(imap, self.grid))]
        for what, d, n in splits + [("the loop", forloop_dim, self.range)]:
            if d < 0:
                continue
            if d >= len(shape) or shape[d] % n:
                raise ShapeError(f"new_input: expected {what} to split a dim of {show(dtensor.shape)} into {n} equal "
                                 f"parts, but got dim {d}")
            shape[d] //= n
        operand = next((i for i, t in enumerate(self._operands) if t is dtensor), len(self._operands))
        if operand == len(self._operands):
            self._operands.append(dtensor)
        return STensor(self, tuple(shape), in_loop=forloop_dim >= 0, load=_Load(operand, imap, forloop_dim))

    def forloop_accum(self, A: STensor, acc: str | None = None) -> STensor:
        """The total over the loop. `acc`: None adds tiles; "sum" adds them and then along the last dim, which becomes
        1; "mean" and "rms" divide that by the number of elements, "rms" of squares, and takes the root; added: "max".
        """
        self._check("forloop_accum", A)
        if A.after_loop:
            raise MirageError("forloop_accum: expected a tile of the loop, but got one that is computed after it")
        if acc not in (None, "sum", "mean", "rms", "max"):
            raise MirageError(f"forloop_accum: expected None, sum, mean, rms or max, but got {acc!r}")
        shape = A.shape if acc in (None, "max") else A.shape[:-1] + (1,)
        total = STensor(self, shape, after_loop=True, accumulator=_Accumulator(A, acc or "add"))
        self._accumulated.append(total)
        return total

    def new_output(self, stensor: STensor, output_map: Sequence[int], forloop_dim: int = -1, **unknown: Any) -> None:
        """Stores `stensor`: `output_map[g]` is the dim along which the blocks of grid axis g lie side by side, or -1."""
        warn_unknown("new_output", unknown)
        self._check("new_output", stensor)
        omap = _triple("output_map", output_map, -1)
        if forloop_dim >= 0:
            raise MirageError(f"new_output: expected forloop_dim -1, a store after the loop, but got {forloop_dim}")
        if stensor.in_loop and not stensor.after_loop:
            raise MirageError("new_output: expected a tile that is computed after the loop, but got one of the loop: "
                              "accumulate it with forloop_accum")
        shape = list(stensor.shape)
        for g, (d, n) in enumerate(zip(omap, self.grid)):
            if d >= len(shape):
                raise ShapeError(f"new_output: expected a dim of the tile {show(stensor.shape)} for grid axis {g}, but "
                                 f"got {d}")
            if d >= 0:
                shape[d] *= n
        self._stores.append(_Store(stensor, omap, tuple(shape)))

    def _check(self, op: str, *tiles: Any) -> None:
        for t in tiles:
            if not isinstance(t, STensor):
                raise MirageError(f"{op}: expected an STensor, but got {type(t).__name__}")
            if t.graph is not self:
                raise MirageError(f"{op}: expected a tile of this graph, but got one of another")

    def _apply(self, op: str, operands: Sequence[STensor], build: Any) -> STensor:
        self._check(op, *operands)
        after, inside = any(t.after_loop for t in operands), any(t.in_loop and not t.after_loop for t in operands)
        if after and inside:
            raise MirageError(f"{op}: expected operands that are all of the loop or all after it, but got both: "
                              "accumulate the former with forloop_accum")
        # The shape rule, on values that are thrown away.
        trial = build(Builder(block=True), [Value("%t", t.shape, float32) for t in operands])
        return STensor(self, trial.shape, tuple(operands), build, after, inside)

    def _unary(self, op: str, A: STensor) -> STensor:
        return self._apply(op, [A], lambda b, v: b.unary(op, v[0]))

    def _binary(self, op: str, A: STensor, B: STensor) -> STensor:
        return self._apply(op, [A, B], lambda b, v: b.binary(op, v[0], v[1]))

    # Operators

    def matmul(self, A: STensor, B: STensor) -> STensor:
        """`A @ B`; leading dims are equal or 1."""
        def build(b: Builder, v: list[Value]) -> Value:
            return b.matmul(*[x if x.name == "%t" else b.cast(x, self._element_type()) for x in v])
        return self._apply("matmul", [A, B], build)

    def exp(self, A: STensor) -> STensor:
        """e to the power of each element."""
        return self._unary("exp", A)

    def silu(self, A: STensor) -> STensor:
        """`x / (1 + exp(-x))`."""
        return self._unary("silu", A)

    def gelu(self, A: STensor) -> STensor:
        """`x * Phi(x)` by erf."""
        return self._apply("gelu", [A], lambda b, v: b.unary("gelu_erf", v[0]))

    def relu(self, A: STensor) -> STensor:
        """`max(x, 0)`."""
        return self._unary("relu", A)

    def clamp(self, A: STensor, min_val: float, max_val: float) -> STensor:
        """`min(max(x, min_val), max_val)`."""
        return self._apply("clamp", [A], lambda b, v: b.clamp(v[0], min_val, max_val))

    def square(self, A: STensor) -> STensor:
        """`x * x`."""
        return self._unary("square", A)

    def sqrt(self, A: STensor) -> STensor:
        """The square root."""
        return self._unary("sqrt", A)

    def mul_scalar(self, A: STensor, scalar: float) -> STensor:
        """`x * scalar`."""
        return self._apply("mul_scalar", [A], lambda b, v: b.binary(
            "mul", v[0], b.constant(float(scalar), len(v[0].shape), float32)))

    def add(self, A: STensor, B: STensor) -> STensor:
        """The sum; dims of size 1 broadcast."""
        return self._binary("add", A, B)

    def sub(self, A: STensor, B: STensor) -> STensor:
        """The difference."""
        return self._binary("sub", A, B)

    def mul(self, A: STensor, B: STensor) -> STensor:
        """The product, element by element."""
        return self._binary("mul", A, B)

    def div(self, A: STensor, B: STensor) -> STensor:
        """The quotient."""
        return self._binary("div", A, B)

    def pow(self, A: STensor, B: STensor) -> STensor:
        """`A` to the power of `B`."""
        return self._binary("pow", A, B)

    def reduction(self, A: STensor, dim: int) -> STensor:
        """The sum along `dim`, which stays with size 1."""
        return self._apply("reduction", [A], lambda b, v: b.reduce("sum", v[0], [dim]))

    def reduce_blocks(self, A: STensor, grid_axis: int) -> STensor:
        """Added: the sum of the tile over the blocks of a grid axis, which must lie in one cluster."""
        def build(b: Builder, v: list[Value]) -> Value:
            result = b.fresh(v[0].shape, v[0].dtype)
            b.lines.append(f"{result.name} = reduce_blocks sum {v[0].name} dim {grid_axis} : {b.type(v[0])}")
            return result
        return self._apply("reduce_blocks", [A], build)

    def rms_norm(self, A: STensor, normalized_shape: Sequence[int], eps: float = 1e-5) -> STensor:
        """`A / sqrt(mean(A^2) + eps)` along the last dim, whose size is `normalized_shape`."""
        self._check("rms_norm", A)
        if tuple(normalized_shape) != A.shape[-1:]:
            raise ShapeError(f"rms_norm: expected normalized_shape to be the last dim of {show(A.shape)}, but got "
                             f"{show(tuple(normalized_shape))}")
        return self._apply("rms_norm", [A], lambda b, v: b.rms_norm(v[0], eps))

    # Text

    def _element_type(self) -> DType:
        return self._operands[0].dtype

    def emit(self, kernel: Builder, inputs: Sequence[Value]) -> list[Value]:
        """Appends the graph to `kernel` and returns its results. `inputs` must be the tensors that it loads."""
        if not self._stores:
            raise MirageError("customized: expected a graph that stores something, but new_output was not called")
        known = {v.name for v in inputs}
        for t in self._operands:
            if t.value.name not in known:
                raise MirageError(f"customized: expected inputs that hold every tensor which the graph loads, but one "
                                  f"of shape {show(t.shape)} is missing")
        dtype = self._element_type()
        emitter = _Emitter(self)
        body = emitter.body(dtype)
        results = [kernel.fresh(s.shape, dtype) for s in self._stores]
        operands = ", ".join(f"%in{i} = {t.value.name}" for i, t in enumerate(self._operands))
        threads = self.block[0] * self.block[1] * self.block[2]
        options = f" threads {threads}" + (f" stages {self.stages}" if self.stages else "")
        if self.cluster != (1, 1, 1):
            options = f" cluster {show(self.cluster)}" + options
        kernel.lines.append(
            f"{', '.join(v.name for v in results)} = mgraph_kernel.graph ({operands}) grid {show(self.grid)}{options} "
            f": ({', '.join(kernel.type(t.value) for t in self._operands)}) -> "
            f"({', '.join(map(kernel.type, results))}) {{")
        kernel.lines += ["  " + line for line in body] + ["}"]
        return results


class _Emitter:
    """Writes the region of a graph: the loop, then what follows it."""

    def __init__(self, graph: TBGraph) -> None:
        self.graph = graph

    def body(self, dtype: DType) -> list[str]:
        graph = self.graph
        after = Builder(block=True, prefix="a")
        values: dict[int, Value] = {}  # of tiles after the loop, by identity
        if graph._accumulated:
            self._loop(after, values)
        lines_of_stores = []
        kernel = Builder()
        for i, store in enumerate(graph._stores):
            tile = self._value(store.tensor, after, values, in_loop=False)
            result = Value(f"%s{i}", store.shape, dtype)
            after.lines.append(f"{result.name} = store {tile.name} omap {show(store.omap)} : {after.type(tile)} -> "
                               f"{kernel.type(result)}")
            lines_of_stores.append(result)
        after.lines.append(f"yield {', '.join(v.name for v in lines_of_stores)} : "
                           f"{', '.join(map(kernel.type, lines_of_stores))}")
        return after.lines

    def _loop(self, after: Builder, values: dict[int, Value]) -> None:
        graph = self.graph
        inside = Builder(block=True, prefix="l")
        in_loop: dict[int, Value] = {}
        yields, types, totals = [], [], []
        for i, total in enumerate(graph._accumulated):
            assert total.accumulator is not None
            source = self._value(total.accumulator.source, inside, in_loop, in_loop=True)
            kind = total.accumulator.kind
            if kind == "rms":
                source = inside.unary("square", source)
            reduced = "" if kind in ("add", "max") else f"({len(source.shape) - 1})"
            yields.append(f"{'max' if kind == 'max' else 'sum'}{reduced} {source.name}")
            types.append(inside.type(source))
            totals.append(Value(f"%t{i}", total.shape, float32))
        after.lines.append(f"{', '.join(t.name for t in totals)} = for %i = {graph.range} -> "
                           f"{', '.join(map(after.type, totals))} {{")
        after.lines += ["  " + line for line in inside.lines]
        after.lines += [f"  yield {', '.join(yields)} : {', '.join(types)}", "}"]
        for tensor, value in zip(graph._accumulated, totals):
            values[id(tensor)] = self._finish(tensor, value, after)

    def _finish(self, tensor: STensor, value: Value, after: Builder) -> Value:
        """What a mean makes of its sum, and a root mean square of its sum of squares."""
        assert tensor.accumulator is not None
        kind, source = tensor.accumulator.kind, tensor.accumulator.source
        if kind not in ("mean", "rms"):
            return value
        count = source.shape[-1] * self.graph.range
        mean = after.binary("mul", value, after.constant(f"inv_extent {count}", len(value.shape), float32))
        return after.unary("sqrt", mean) if kind == "rms" else mean

    def _value(self, tensor: STensor, builder: Builder, values: dict[int, Value], in_loop: bool) -> Value:
        """The value of `tensor` in this region. A load that the loop does not split is repeated where it is used."""
        found = values.get(id(tensor))
        if found is not None:
            return found
        if tensor.load is not None:
            value = self._load(tensor, builder, in_loop)
        else:
            value = tensor.build(builder, [self._value(t, builder, values, in_loop) for t in tensor.operands])
        values[id(tensor)] = value
        return value

    def _load(self, tensor: STensor, builder: Builder, in_loop: bool) -> Value:
        load = tensor.load
        assert load is not None
        source = self.graph._operands[load.operand]
        value = builder.fresh(tensor.shape, source.dtype)
        place = "[%i]" if in_loop else ""
        fmap = f" fmap {load.fmap}" if in_loop else ""
        builder.lines.append(f"{value.name} = load %in{load.operand}{place} imap {show(load.imap)}{fmap} : "
                             f"{Builder().type(Value('', source.shape, source.dtype))} -> {builder.type(value)}")
        return value


def new_threadblock_graph(grid_dim: Sequence[int], block_dim: Sequence[int], forloop_range: int = 1,
                          reduction_dimx: int = 64, **kwargs: Any) -> TBGraph:
    """An empty thread-block graph: blocks along x, y and z, threads of a block, iterations of its loop."""
    return TBGraph(grid_dim, block_dim, forloop_range, reduction_dimx, **kwargs)
