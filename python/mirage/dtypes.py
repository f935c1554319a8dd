"""Element types, and their names in PyTorch and NumPy."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .errors import DTypeError


@dataclass(frozen=True)
class DType:
    """An element type of Mirage: `name` as MLIR prints it, `bytes` of one element."""

    name: str
    bytes: int
    torch_name: str
    numpy_name: str  # NumPy has no bfloat16: its 16-bit patterns, as uint16

    def __repr__(self) -> str:
        return f"mirage.{self.torch_name}"


float16 = DType("f16", 2, "float16", "float16")
bfloat16 = DType("bf16", 2, "bfloat16", "uint16")
float32 = DType("f32", 4, "float32", "float32")
bool_ = DType("i1", 1, "bool", "bool")
int32 = DType("i32", 4, "int32", "int32")
int64 = DType("i64", 8, "int64", "int64")

_ALL = (float16, bfloat16, float32, bool_, int32, int64)
_BY_NAME = {d.name: d for d in _ALL}


def from_name(name: str) -> DType:
    """The type that MLIR and launch plans call `name`, as "f16"."""
    if name not in _BY_NAME:
        raise DTypeError(f"expected an element type of {', '.join(_BY_NAME)}, but got {name}")
    return _BY_NAME[name]


def as_dtype(value: Any) -> DType:
    """A DType from a DType, a torch.dtype, a NumPy dtype or one of their names."""
    if isinstance(value, DType):
        return value
    name = str(value).rsplit(".", 1)[-1].strip("'>")
    for dtype in _ALL:
        if name in (dtype.torch_name, dtype.name):
            return dtype
    raise DTypeError(f"expected an element type of {', '.join(d.torch_name for d in _ALL)}, but got {value!r}")
