"""Launching on PyTorch's current stream.

The host's share of a call is what this file is about: outputs come from
PyTorch's allocator, and addresses go to the library through a small extension
(_launch.c) where it was built, else through ctypes.
"""
from __future__ import annotations

import importlib.util
import json
import math
from typing import Any, Callable, Sequence

from . import _native
from .dtypes import from_name
from .errors import MirageError
from .tensors import dense_strides


def _extension() -> Any:
    """The launch extension: of the wheel, or of the build folder. None where it was not built: slower, not different."""
    try:
        from . import _launch  # type: ignore[attr-defined]

        return _launch
    except ImportError:
        pass
    path = _native.library_path().parent / "_launch.abi3.so"
    if not path.exists():
        return None
    spec = importlib.util.spec_from_file_location("mirage._launch", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _allocator(torch: Any, shape: tuple[int, ...], dtype: Any, ordinal: int) -> Callable[[], Any]:
    """A call without arguments that makes a dense tensor. Inductor's own entry takes half the time of torch.empty."""
    strides = dense_strides(shape)
    fast = getattr(getattr(torch._C, "_dynamo", None), "guards", None)
    fast = getattr(fast, "_empty_strided_cuda", None)
    if fast is not None:
        return lambda: fast(shape, strides, dtype)
    device = torch.device("cuda", ordinal)
    return lambda: torch.empty_strided(shape, strides, dtype=dtype, device=device)


def output_shapes(planned: Sequence[Sequence[int]], asked: Sequence[Sequence[int]] | None) -> list[tuple[int, ...]]:
    """The shapes of the outputs that a launch makes: `asked`, or else the plan's own.

    A plan may know an output with fewer or more dims of size 1, or flat: elements lie in row-major order all the same.
    Raises MirageError where the numbers of outputs or of elements differ.
    """
    if asked is None:
        return [tuple(shape) for shape in planned]
    if len(asked) != len(planned):
        raise MirageError(f"expected {len(planned)} outputs, as the plan has, but got {len(asked)}")
    for i, (mine, theirs) in enumerate(zip(asked, planned)):
        if math.prod(mine) != math.prod(theirs):
            raise MirageError(f"output {i}: expected a shape of {math.prod(theirs)} elements, as the plan's "
                              f"{list(theirs)}, but got {list(mine)}")
    return [tuple(shape) for shape in asked]


class Launcher:
    """A plan on one CUDA device. A call takes dense CUDA tensors of that device, in the plan's types, and returns a
    list of new ones; they are the caller's to check (CompiledGraph does). It neither waits nor copies, so that
    it may be captured into a CUDA graph after its first call. `shapes` are those of the results, where they are not
    the plan's."""

    def __init__(self, plan: str, ptx: str, ordinal: int, dependent: bool = False,
                 shapes: Sequence[Sequence[int]] | None = None) -> None:
        import torch

        if not torch.cuda.is_available():
            raise MirageError("expected a CUDA device that PyTorch can use, but found none: run on the CPU with "
                              "device=\"cpu\"")
        torch.cuda.init()
        with torch.cuda.device(ordinal):
            self._kernels = _native.Kernels(plan, ptx.encode(), ordinal)
        description = json.loads(plan)
        self.ordinal, self.dependent = ordinal, dependent
        planned = description["outputs"]
        types = [getattr(torch, from_name(o["dtype"]).torch_name) for o in planned]
        outputs = list(zip(output_shapes([o["shape"] for o in planned], shapes), types))
        scratch = [((s["bytes"],), torch.uint8) for s in description.get("scratch", [])]
        extension = _extension()
        self._launch = extension.launch if extension else None
        self._num_outputs = len(outputs)
        self._allocate = [_allocator(torch, shape, dtype, ordinal) for shape, dtype in outputs + scratch]
        self._stream = torch._C._cuda_getCurrentRawStream
        self._current_device = torch._C._cuda_getDevice  # CUDA is initialised: without its check
        self._device_guard = torch.cuda.device
        self._function, self._handle = self._kernels.launch_address, self._kernels.handle

    def __call__(self, inputs: Sequence[Any]) -> list[Any]:
        if self._current_device() != self.ordinal:
            with self._device_guard(self.ordinal):
                return self(inputs)
        made = [allocate() for allocate in self._allocate]
        stream = self._stream(self.ordinal)
        if self._launch is not None:
            status = self._launch(self._function, self._handle, stream, self.dependent, *inputs, *made)
            if status:
                self._fail(status, inputs)
        else:
            addresses = [t.data_ptr() for t in inputs]
            if any(a % 16 for a in addresses):
                self._fail(-1, inputs)
            self._kernels.launch(addresses + [t.data_ptr() for t in made], stream, self.dependent)
        return made if len(made) == self._num_outputs else made[:self._num_outputs]

    def _fail(self, status: int, inputs: Sequence[Any]) -> None:
        if status > 0:
            self._kernels.fail(status)
        for i, t in enumerate(inputs):
            if t.data_ptr() % 16:
                raise MirageError(f"input {i}: expected an address that is a multiple of 16, but got "
                                  f"{t.data_ptr():#x}")
        raise MirageError(f"expected {self._kernels.num_addresses} tensors in all, but got "
                          f"{len(inputs) + len(self._allocate)}")
