"""Inputs and outputs: PyTorch tensors and NumPy arrays, checked against what a graph expects."""
from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from typing import Any, Sequence

from .builder import show
from .dtypes import DType, as_dtype
from .errors import DTypeError, MirageError, MirageWarning, ShapeError

Shape = tuple[int, ...]


def dense_strides(shape: Sequence[int]) -> Shape:
    """Row-major strides, in elements."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


@dataclass(frozen=True)
class InputSpec:
    """One input of a graph. It lies in memory as a dense row-major tensor whose dim i is the input's `perm[i]`."""

    shape: Shape
    dtype: DType
    perm: tuple[int, ...]
    constant: bool = False

    @staticmethod
    def make(shape: Sequence[int], dtype: DType, strides: Sequence[int] | None = None,
             constant: bool = False) -> "InputSpec":
        """ShapeError where `strides` are not those of a dense tensor with its dims in some order."""
        shape = tuple(shape)
        order = tuple(range(len(shape)))
        if strides is None:
            return InputSpec(shape, dtype, order, constant)
        strides = tuple(strides)
        if len(strides) != len(shape):
            raise ShapeError(f"new_input: expected one stride for each dim of {show(shape)}, but got {show(strides)}")
        perm = _storage_order(shape, strides)
        step = 1
        for d in reversed(perm):
            if shape[d] > 1 and strides[d] != step:
                raise ShapeError(f"new_input: expected strides of a dense tensor with dims {show(shape)} in some "
                                 f"order, but got {show(strides)}")
            step *= shape[d]
        return InputSpec(shape, dtype, perm, constant)

    @property
    def storage_shape(self) -> Shape:
        return tuple(self.shape[d] for d in self.perm)

    @property
    def strides(self) -> Shape:
        stored = dense_strides(self.storage_shape)
        return tuple(stored[self.perm.index(d)] for d in range(len(self.shape)))


def _storage_order(shape: Shape, strides: Shape) -> tuple[int, ...]:
    """Dims from the outermost to the innermost; those of size 1, whose stride says nothing, keep their place."""
    wide = sorted((d for d in range(len(shape)) if shape[d] > 1), key=lambda d: -strides[d])
    return tuple(d if shape[d] == 1 else wide.pop(0) for d in range(len(shape)))


def is_torch(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def check(index: int, value: Any, spec: InputSpec) -> None:
    """Raises where `value` is no tensor of the input's shape and type."""
    shape = getattr(value, "shape", None)
    dtype = getattr(value, "dtype", None)
    if shape is None or dtype is None:
        raise MirageError(f"input {index}: expected a torch tensor or a NumPy array, but got {type(value).__name__}")
    if tuple(shape) != spec.shape:
        raise ShapeError(f"input {index}: expected shape {show(spec.shape)}, but got {show(tuple(shape))}")
    name = str(dtype).rsplit(".", 1)[-1]
    wanted = (spec.dtype.torch_name,) if is_torch(value) else (spec.dtype.numpy_name, spec.dtype.torch_name)
    if name not in wanted:
        raise DTypeError(f"input {index}: expected element type {spec.dtype.torch_name}, but got {name}")


def _warn_copy(index: int, strides: Sequence[int], spec: InputSpec) -> None:
    warnings.warn(f"input {index}: expected strides {show(spec.strides)}, but got {show(tuple(strides))}: it is copied "
                  "at every call", MirageWarning, stacklevel=5)


def stored(index: int, value: Any, spec: InputSpec) -> Any:
    """`value` as the dense row-major tensor that the graph reads, a view where that is possible."""
    if is_torch(value):
        view = value.detach().permute(spec.perm)
        if view.is_contiguous():
            return view
        _warn_copy(index, value.stride(), spec)
        return view.contiguous()
    import numpy as np

    view = np.transpose(value, spec.perm)
    if view.flags["C_CONTIGUOUS"]:
        return view
    _warn_copy(index, [s // value.itemsize for s in value.strides], spec)
    return np.ascontiguousarray(view)


def address_of(value: Any) -> tuple[int, int]:
    """Address and bytes of a dense tensor or array."""
    if is_torch(value):
        return value.data_ptr(), value.numel() * value.element_size()
    return value.ctypes.data, value.nbytes


def empty_like_inputs(inputs: Sequence[Any], shape: Shape, dtype: DType) -> Any:
    """An output beside these inputs: a torch tensor where one of them is."""
    for value in inputs:
        if is_torch(value):
            torch = sys.modules["torch"]
            return torch.empty(shape, dtype=getattr(torch, dtype.torch_name), device=value.device)
    import numpy as np

    return np.empty(shape, dtype.numpy_name)


def input_spec_of(value: Any) -> InputSpec:
    """The spec of a tensor as it lies in memory."""
    strides = value.stride() if is_torch(value) else [s // value.itemsize for s in value.strides]
    return InputSpec.make(tuple(value.shape), as_dtype(value.dtype), strides)
