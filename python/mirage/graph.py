"""Kernel graphs: tensor programs over device memory, written op by op.

The names and arguments are those of the published system's Python interface, so
that its scripts run unmodified; what this package adds is marked so.
"""
from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Sequence

from . import search
from .builder import Builder, Value, function_text, show
from .compiled import CompiledGraph
from .dtypes import DType, as_dtype, float16
from .errors import MirageError, MirageWarning, ShapeError
from .tensors import InputSpec

if TYPE_CHECKING:
    from .threadblock import TBGraph

# Arguments of `superoptimize` that narrow the published system's search. This one chooses them itself.
_SPACE = ("imaps", "omaps", "griddims", "blockdims", "fmaps", "franges")
_CONFIGS = (None, "mlp", "attention", "lora", "gqa", "spec")


def warn_unknown(where: str, unknown: dict[str, Any]) -> None:
    """A warning that names arguments which the package does not know."""
    if unknown:
        warnings.warn(f"{where}: unknown argument{'s' if len(unknown) > 1 else ''} {', '.join(sorted(unknown))}: "
                      "without effect", MirageWarning, stacklevel=3)


class DTensor:
    """A tensor in device memory, made by the operators of one KernelGraph: `shape`, `dtype`, `dim(i)`."""

    def __init__(self, graph: "KernelGraph", value: Value) -> None:
        self.graph, self.value = graph, value

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of its dims."""
        return self.value.shape

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self.value.dtype

    @property
    def num_dims(self) -> int:
        """The number of its dims."""
        return len(self.value.shape)

    def dim(self, i: int) -> int:
        """The size of dim `i`."""
        return self.value.shape[i]

    def __repr__(self) -> str:
        return f"DTensor(shape={self.shape}, dtype={self.dtype})"


class KernelGraph:
    """A tensor program. Make one with `mirage.new_kernel_graph()`, declare inputs, apply operators, mark outputs, then
    `superoptimize` it, or call it as it is.

    Operators take and return DTensors of this graph. They raise ShapeError and DTypeError, which name the operator and
    the dims or types, and MirageError for a tensor of another graph. A result has its operands' element type; it is
    computed in f32 and rounded once. Source: python/mirage/graph.py.
    """

    def __init__(self, **unknown: Any) -> None:
        warn_unknown("new_kernel_graph", unknown)
        self._builder = Builder()
        self._specs: list[InputSpec] = []
        self._arguments: list[Value] = []
        self._outputs: list[Value] = []

    # Inputs and outputs

    def new_input(self, dims: Sequence[int], dtype: Any = float16, strides: Sequence[int] | None = None,
                  constant: bool = False, **unknown: Any) -> DTensor:
        """An input of shape `dims` (1 to 6 dims) and element type `dtype` (mi.float16, mi.bfloat16, mi.float32).

        `strides`, in elements, say how it lies in memory: dense, with its dims in any order; row-major if not given.
        Added: `constant` says that no kernel on the stream writes it (a weight), so that it may be read early.
        """
        warn_unknown("new_input", unknown)
        dims = tuple(dims)
        if not 1 <= len(dims) <= 6 or any(not isinstance(d, int) or d < 1 for d in dims):
            raise ShapeError(f"new_input: expected 1 to 6 positive dims, but got {list(dims)}")
        spec = InputSpec.make(dims, as_dtype(dtype), strides, constant)
        argument = Value(f"%arg{len(self._arguments)}", spec.storage_shape, spec.dtype)
        self._specs.append(spec)
        self._arguments.append(argument)
        inverse = [spec.perm.index(d) for d in range(len(dims))]
        return DTensor(self, self._builder.transpose(argument, inverse))

    def mark_output(self, A: DTensor, strides: Sequence[int] | None = None) -> None:
        """Makes `A` an output, after those marked before. Outputs are dense and row-major."""
        value = self._value("mark_output", A)
        if strides is not None and InputSpec.make(value.shape, value.dtype, strides).strides != \
                InputSpec.make(value.shape, value.dtype).strides:
            raise ShapeError(f"mark_output: expected row-major strides of {show(value.shape)}, but got "
                             f"{show(tuple(strides))}")
        self._outputs.append(value)

    def _value(self, op: str, tensor: Any) -> Value:
        if not isinstance(tensor, DTensor):
            raise MirageError(f"{op}: expected a DTensor, but got {type(tensor).__name__}")
        if tensor.graph is not self:
            raise MirageError(f"{op}: expected a tensor of this graph, but got one of another")
        return tensor.value

    def _unary(self, op: str, A: DTensor, mnemonic: str | None = None) -> DTensor:
        return DTensor(self, self._builder.unary(mnemonic or op, self._value(op, A)))

    def _binary(self, op: str, A: DTensor, B: DTensor) -> DTensor:
        return DTensor(self, self._builder.binary(op, self._value(op, A), self._value(op, B)))

    # Contractions and reductions

    def matmul(self, A: DTensor, B: DTensor) -> DTensor:
        """`A @ B` for `A` of shape [..., m, k] and `B` of shape [..., k, n]; leading dims are equal or 1."""
        return DTensor(self, self._builder.matmul(self._value("matmul", A), self._value("matmul", B)))

    def reduction(self, A: DTensor, dim: int) -> DTensor:
        """The sum along `dim`, which stays with size 1."""
        return DTensor(self, self._builder.reduce("sum", self._value("reduction", A), [dim]))

    def max(self, A: DTensor, dim: int) -> DTensor:
        """Added: the maximum along `dim`, which stays with size 1."""
        return DTensor(self, self._builder.reduce("max", self._value("max", A), [dim]))

    def mean(self, A: DTensor, dim: int) -> DTensor:
        """Added: the mean along `dim`, which stays with size 1."""
        return DTensor(self, self._builder.reduce("mean", self._value("mean", A), [dim]))

    def rms_norm(self, A: DTensor, normalized_shape: Sequence[int], eps: float = 1e-5,
                 weight: DTensor | None = None) -> DTensor:
        """`A / sqrt(mean(A^2) + eps)`, the mean along the last dims, whose sizes are `normalized_shape`.

        Added: `eps`, and `weight` of shape `normalized_shape`, which multiplies the result.
        """
        value = self._value("rms_norm", A)
        normalized = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        if not normalized or value.shape[-len(normalized):] != normalized:
            raise ShapeError(f"rms_norm: expected normalized_shape to be the last dims of {show(value.shape)}, but got "
                             f"{show(normalized)}")
        b = self._builder
        scale = None
        if weight is not None:
            scale = self._value("rms_norm", weight)
            if scale.shape != normalized:
                raise ShapeError(f"rms_norm: expected a weight of shape {show(normalized)}, but got "
                                 f"{show(scale.shape)}")
        # The dialect's op normalises the last dim: several become one.
        rows = value.shape[:-len(normalized)]
        width = 1
        for size in normalized:
            width *= size
        flat = b.reshape(value, rows + (width,))
        if scale is not None:
            scale = b.reshape(scale, (1,) * len(rows) + (width,))
        return DTensor(self, b.reshape(b.rms_norm(flat, eps, scale), value.shape))

    def softmax(self, A: DTensor, dim: int) -> DTensor:
        """Added: exponentials that sum to 1 along `dim`, the maximum subtracted first."""
        return DTensor(self, self._builder.softmax(self._value("softmax", A), dim))

    # Elementwise

    def exp(self, A: DTensor) -> DTensor:
        """e to the power of each element."""
        return self._unary("exp", A)

    def silu(self, A: DTensor) -> DTensor:
        """`x / (1 + exp(-x))`."""
        return self._unary("silu", A)

    def gelu(self, A: DTensor, approximate: str = "none") -> DTensor:
        """`x * Phi(x)` by erf. Added: `approximate="tanh"`, as in PyTorch."""
        if approximate not in ("none", "tanh"):
            raise MirageError(f"gelu: expected approximate to be none or tanh, but got {approximate}")
        return self._unary("gelu", A, "gelu_erf" if approximate == "none" else "gelu_tanh")

    def relu(self, A: DTensor) -> DTensor:
        """`max(x, 0)`."""
        return self._unary("relu", A)

    def clamp(self, A: DTensor, min_val: float, max_val: float) -> DTensor:
        """`min(max(x, min_val), max_val)`."""
        return DTensor(self, self._builder.clamp(self._value("clamp", A), min_val, max_val))

    def sqrt(self, A: DTensor) -> DTensor:
        """The square root."""
        return self._unary("sqrt", A)

    def rsqrt(self, A: DTensor) -> DTensor:
        """Added: `1 / sqrt(x)`."""
        return self._unary("rsqrt", A)

    def square(self, A: DTensor) -> DTensor:
        """`x * x`."""
        return self._unary("square", A)

    def log(self, A: DTensor) -> DTensor:
        """Added: the natural logarithm."""
        return self._unary("log", A)

    def sigmoid(self, A: DTensor) -> DTensor:
        """Added: `1 / (1 + exp(-x))`."""
        return self._unary("sigmoid", A)

    def tanh(self, A: DTensor) -> DTensor:
        """Added: the hyperbolic tangent."""
        return self._unary("tanh", A)

    def mul_scalar(self, A: DTensor, scalar: float) -> DTensor:
        """`x * scalar`."""
        value = self._value("mul_scalar", A)
        constant = self._builder.constant(float(scalar), len(value.shape), value.dtype)
        return DTensor(self, self._builder.binary("mul", value, constant))

    def add(self, A: DTensor, B: DTensor) -> DTensor:
        """The sum. Operands of add, sub, mul, div and pow have one rank; dims of size 1 broadcast."""
        return self._binary("add", A, B)

    def sub(self, A: DTensor, B: DTensor) -> DTensor:
        """The difference."""
        return self._binary("sub", A, B)

    def mul(self, A: DTensor, B: DTensor) -> DTensor:
        """The product, element by element."""
        return self._binary("mul", A, B)

    def div(self, A: DTensor, B: DTensor) -> DTensor:
        """The quotient."""
        return self._binary("div", A, B)

    def pow(self, A: DTensor, B: DTensor) -> DTensor:
        """`A` to the power of `B`."""
        return self._binary("pow", A, B)

    # Movement

    def chunk(self, A: DTensor, chunk_size: int, dim: int) -> list[DTensor]:
        """`A` cut along `dim` into `chunk_size` parts of equal size."""
        value = self._value("chunk", A)
        if not -len(value.shape) <= dim < len(value.shape):
            raise ShapeError(f"chunk: expected a dim of {show(value.shape)}, but got {dim}")
        dim %= len(value.shape)
        if chunk_size < 1 or value.shape[dim] % chunk_size:
            raise ShapeError(f"chunk: expected a number of parts that divides dim {dim} of {show(value.shape)}, but "
                             f"got {chunk_size}")
        part = value.shape[dim] // chunk_size
        sizes = value.shape[:dim] + (part,) + value.shape[dim + 1:]
        result = []
        for i in range(chunk_size):
            offsets = [i * part if d == dim else 0 for d in range(len(sizes))]
            result.append(DTensor(self, self._builder.slice(value, offsets, sizes, [1] * len(sizes))))
        return result

    def concat(self, A: DTensor, B: DTensor, dim: int) -> DTensor:
        """Added: `A`, then `B`, along `dim`."""
        return DTensor(self, self._builder.concat([self._value("concat", A), self._value("concat", B)], dim))

    def transpose(self, A: DTensor, perm: Sequence[int]) -> DTensor:
        """Added: dim `i` of the result is dim `perm[i]` of `A`."""
        return DTensor(self, self._builder.transpose(self._value("transpose", A), list(perm)))

    def reshape(self, A: DTensor, dims: Sequence[int]) -> DTensor:
        """Added: the elements in row-major order under another shape."""
        return DTensor(self, self._builder.reshape(self._value("reshape", A), dims))

    # Graph-defined kernels

    def customized(self, inputs: Sequence[DTensor], bgraph: "TBGraph") -> list[DTensor]:
        """One kernel, written by hand as a thread block's program. `inputs` are the tensors that `bgraph` loads.

        Returns the tensors that its `new_output` stores, in order.
        """
        from .threadblock import TBGraph

        if not isinstance(bgraph, TBGraph):
            raise MirageError(f"customized: expected a thread-block graph, but got {type(bgraph).__name__}")
        values = [self._value("customized", t) for t in inputs]
        return [DTensor(self, v) for v in bgraph.emit(self._builder, values)]

    # Results

    @property
    def mlir(self) -> str:
        """The program as text of mgraph_kernel. MirageError where no output was marked."""
        if not self._outputs:
            raise MirageError("expected at least one output, but mark_output was not called")
        inputs = [(v, s.constant) for v, s in zip(self._arguments, self._specs)]
        return function_text("mirage_graph", inputs, self._builder.lines, self._outputs)

    def _compiled(self, found: search.Found, device: str) -> CompiledGraph:
        return CompiledGraph(found, self._specs, [(v.shape, v.dtype) for v in self._outputs], device)

    def superoptimize(self, config: str | None = None, backend: str = "cuda", previous_checkpoint: str | None = None,
                      save_codes: bool = False, warmup_iters: int = 16, profile_iters: int = 1000,
                      griddims: Any = None, blockdims: Any = None, franges: Any = None, imaps: Any = None,
                      omaps: Any = None, fmaps: Any = None, verbose: bool = False, target: str | None = None,
                      device: str | None = None, threads: int = 0, cache: bool = True,
                      options: dict[str, Any] | None = None, **unknown: Any) -> CompiledGraph:
        """Searches equivalent graphs, verifies the best, and returns what can be called.

        config: "mlp", "attention" or "lora": accepted; the search takes no presets.
        backend: "cuda", or "cpu" for the interpreter. Others give a warning and stand for "cuda".
        previous_checkpoint: a file. Where it exists, its program is taken instead of a search, after it was
            verified against this graph; else it is written.
        save_codes: writes program.mlir, kernel.ptx and plan.json to ./mirage_codes.
        warmup_iters, profile_iters: accepted; candidates are ranked by the cost model, not by running them.
        griddims, blockdims, franges, imaps, omaps, fmaps: a warning where given; the search chooses them.
        verbose: prints what was searched, found and verified.
        Added: target, as "sm_90a" (of the first GPU, else sm_90a); device="cpu" for the interpreter; threads (0: all
        cores); cache=False to search anew; options of the pass mirage-superopt by name, as {"max-block-ops": 12}.

        Raises MirageError. Where nothing better is found the result computes the graph as it was written.
        """
        warn_unknown("superoptimize", unknown)
        given = {"griddims": griddims, "blockdims": blockdims, "franges": franges, "imaps": imaps, "omaps": omaps,
                 "fmaps": fmaps}
        ignored = [name for name in _SPACE if given[name] is not None]
        if ignored:
            warnings.warn(f"superoptimize: {', '.join(ignored)} without effect: the search chooses grids and maps "
                          "itself", MirageWarning, stacklevel=2)
        if config not in _CONFIGS:
            warnings.warn(f"superoptimize: config {config!r} is unknown: without effect", MirageWarning, stacklevel=2)
        if backend not in ("cuda", "cpu"):
            warnings.warn(f"superoptimize: backend {backend!r} is unknown: cuda is taken", MirageWarning, stacklevel=2)
        device = device or ("cpu" if backend == "cpu" else "cuda")
        target = target or search.default_target()
        pass_options = dict(options or {})
        if threads:
            pass_options["threads"] = threads
        path = Path(previous_checkpoint) if previous_checkpoint else None
        if path is not None and path.exists():
            found = _load_checkpoint(path, self.mlir, target)
        else:
            found = search.superoptimize(self.mlir, target, pass_options, cache)
            if path is not None:
                path.write_text(found.text)
        if verbose:
            print(found.remarks or "mirage: nothing was replaced")
        compiled = self._compiled(found, device)
        if save_codes:
            compiled.save("mirage_codes")
        return compiled

    def compile(self, target: str | None = None, device: str | None = None, **unknown: Any) -> CompiledGraph:
        """The graph as it is written, without a search."""
        warn_unknown("compile", unknown)
        target = target or search.default_target()
        return self._compiled(search.unsearched(self.mlir, target), device or "cuda")

    def __call__(self, inputs: Sequence[Any], **kwargs: Any) -> list[Any]:
        """Runs the graph as it is written: see CompiledGraph."""
        return self.compile()(inputs, **kwargs)


def _load_checkpoint(path: Path, text: str, target: str) -> search.Found:
    """A saved program, if it is shown equivalent to `text`: a file of another graph must not answer for this one."""
    from ._native import Module

    saved = Module(path.read_text(), str(path))
    saved.strip_references()
    both = text.replace("@mirage_graph(", "@mirage_checkpoint_reference(", 1) + _body_of(str(saved))
    module = Module(both)
    try:
        module.verify("reference=mirage_checkpoint_reference candidate=mirage_graph")
    except MirageError as error:
        raise MirageError(f"expected {path} to hold a program that is equivalent to this graph, but got: {error}"
                          ) from None
    return search.Found(path.read_text(), target)


def _body_of(text: str) -> str:
    """What stands inside `module {}`."""
    text = text.strip()
    if text.startswith("module {") and text.endswith("}"):
        return text[len("module {"):-1]
    return text


def new_kernel_graph(**unknown: Any) -> KernelGraph:
    """An empty kernel graph."""
    return KernelGraph(**unknown)
