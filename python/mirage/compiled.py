"""A program that can be called."""
from __future__ import annotations

from pathlib import Path
from typing import Any, Sequence

from . import _native, tensors
from .builder import show
from .dtypes import DType
from .errors import MirageError
from .search import Found
from .tensors import InputSpec


class CompiledGraph:
    """What `superoptimize` returns: call it with `inputs=[...]`, get a list of outputs.

    Inputs are PyTorch tensors (or NumPy arrays, on the CPU) of the shapes and element types of the graph's inputs;
    outputs are new dense tensors of the same kind, on the inputs' device. CUDA tensors run on PyTorch's current
    stream, or on `stream`. Tensors in host memory run in the interpreter, and only where the graph was made for
    device "cpu" or the call says `device="cpu"`.

    Raises ShapeError, DTypeError or MirageError, which name the input, what was expected and what was given.
    Source: python/mirage/compiled.py.
    """

    def __init__(self, found: Found, inputs: Sequence[InputSpec], outputs: Sequence[tuple[tuple[int, ...], DType]],
                 device: str = "cuda") -> None:
        self.found, self.device = found, device
        self._inputs, self._outputs = list(inputs), list(outputs)
        self._module: _native.Module | None = None
        self._launchers: dict[tuple[int, bool], Any] = {}

    # What was found

    @property
    def mlir(self) -> str:
        """The module: the graph, its certificate and the original that it was checked against."""
        return self.found.text

    @property
    def ptx(self) -> str:
        """The machine code, as PTX. MirageError where an op has no lowering for the target."""
        return self.found.lowered()[0]

    @property
    def plan(self) -> str:
        """The launch plan, as JSON."""
        return self.found.lowered()[1]

    @property
    def report(self) -> list[dict[str, Any]]:
        """For each fragment: what was searched, what was found and verified, and what came of it."""
        return self.found.fragments

    def verify(self) -> str:
        """Re-checks the certificates with a fresh seed and returns the verdicts. MirageError where one fails, or
        where there is none, because nothing was replaced."""
        module = _native.Module(self.mlir)
        module.verify()
        return module.remarks

    def save(self, folder: str | Path) -> None:
        """Writes program.mlir, kernel.ptx and plan.json, which `mirage-run --gpu` reads."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "program.mlir").write_text(self.mlir)
        (folder / "kernel.ptx").write_text(self.ptx)
        (folder / "plan.json").write_text(self.plan)

    # Calls

    def __call__(self, inputs: Sequence[Any], stream: Any = None, device: str | None = None,
                 dependent: bool = False) -> list[Any]:
        """One run on tensors of the graph's shapes and types; returns new tensors, one for each output."""
        if len(inputs) != len(self._inputs):
            raise MirageError(f"expected {len(self._inputs)} inputs, of shapes "
                              f"{', '.join(show(s.shape) for s in self._inputs)}, but got {len(inputs)}")
        for i, (value, spec) in enumerate(zip(inputs, self._inputs)):
            tensors.check(i, value, spec)
        on_gpu = [tensors.is_torch(v) and v.device.type == "cuda" for v in inputs]
        if all(on_gpu) and inputs:
            return self._run_cuda(inputs, stream, dependent)
        if any(on_gpu):
            raise MirageError("expected all inputs on one device, but got "
                              f"{', '.join('a GPU' if g else 'host memory' for g in on_gpu)}")
        if (device or self.device) != "cpu":
            raise MirageError("expected CUDA tensors, but got tensors in host memory: move them to the GPU, or ask for "
                              "the interpreter with device=\"cpu\"")
        return self._run_cpu(inputs)

    def _run_cpu(self, inputs: Sequence[Any]) -> list[Any]:
        if self._module is None:
            self._module = _native.Module(self.mlir)
        dense = [tensors.stored(i, value, spec) for i, (value, spec) in enumerate(zip(inputs, self._inputs))]
        outputs = [tensors.empty_like_inputs(inputs, shape, dtype) for shape, dtype in self._outputs]
        self._module.run([tensors.address_of(t) for t in dense], [tensors.address_of(t) for t in outputs])
        return outputs

    def _run_cuda(self, inputs: Sequence[Any], stream: Any, dependent: bool) -> list[Any]:
        import torch

        from .launch import Launcher

        ordinal = inputs[0].device.index
        for i, value in enumerate(inputs):
            if value.device.index != ordinal:
                raise MirageError(f"input {i}: expected device cuda:{ordinal}, as input 0, but got {value.device}")
        launcher = self._launchers.get((ordinal, dependent))
        if launcher is None:
            ptx, plan = self.found.lowered()
            launcher = self._launchers[ordinal, dependent] = Launcher(
                plan, ptx, ordinal, dependent, [shape for shape, _ in self._outputs])
        # Not `contiguous` alone: a view into the middle of a tensor may lie askew.
        dense = [tensors.stored(i, value, spec) for i, (value, spec) in enumerate(zip(inputs, self._inputs))]
        dense = [t.clone() if t.data_ptr() % 16 else t for t in dense]
        if stream is None:
            return launcher(dense)
        with torch.cuda.stream(stream):
            return launcher(dense)
