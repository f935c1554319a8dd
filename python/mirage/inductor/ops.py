"""The operator that fragments become: torch.ops.mirage.call(tensors, key) -> tensors.

A key is the hash of the fragment's text and options, and names an entry of this
process; so that no other process meets a key that it does not know, graphs that
hold the operator are not cached on disk by inductor. Results are new tensors
that alias nothing, dense and row-major.
"""
from __future__ import annotations

from typing import Any, Sequence

import torch

from .. import _native
from ..dtypes import DType
from ..errors import MirageError
from ..search import Found
from ..tensors import InputSpec


class Entry:
    """A fragment that can be run: on the CPU by the interpreter, on a GPU from its plan."""

    def __init__(self, found: Found, inputs: Sequence[InputSpec], outputs: Sequence[tuple[tuple[int, ...], DType]],
                 dependent: bool = False) -> None:
        self.found, self.inputs, self.dependent = found, list(inputs), dependent
        self.outputs = [(shape, getattr(torch, dtype.torch_name)) for shape, dtype in outputs]
        self._plain = [spec.perm == tuple(range(len(spec.perm))) for spec in self.inputs]
        self._all_plain = all(self._plain)
        self._perms = [spec.perm for spec in self.inputs]
        self._launchers: dict[int, Any] = {}
        self._module: _native.Module | None = None

    def fake(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        return [tensors[0].new_empty(shape, dtype=dtype) for shape, dtype in self.outputs]

    def _stored(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Inputs as the kernel reads them. Inductor may hand over other strides than it announced."""
        if self._all_plain and all([t.is_contiguous() for t in tensors]):
            return list(tensors)
        result = []
        for tensor, plain, perm in zip(tensors, self._plain, self._perms):
            if not plain:
                tensor = tensor.permute(perm)
            result.append(tensor if tensor.is_contiguous() else tensor.contiguous())
        return result

    def check(self, tensors: Sequence[torch.Tensor]) -> None:
        """Guards and fake tensors make this hold; a wrong shape would be a wrong answer, so it is looked at."""
        for i, (tensor, spec) in enumerate(zip(tensors, self.inputs)):
            if tuple(tensor.shape) != spec.shape:
                raise MirageError(f"input {i}: expected shape {list(spec.shape)}, but got {list(tensor.shape)}")

    def run_cpu(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        self.check(tensors)
        if self._module is None:
            self._module = _native.Module(self.found.text)
        dense = self._stored(tensors)
        outputs = self.fake(tensors)
        pairs = [[(t.data_ptr(), t.numel() * t.element_size()) for t in group] for group in (dense, outputs)]
        self._module.run(pairs[0], pairs[1])
        return outputs

    def launcher(self, ordinal: int) -> Any:
        from ..launch import Launcher

        found = self._launchers.get(ordinal)
        if found is None:
            ptx, plan = self.found.lowered()
            found = self._launchers[ordinal] = Launcher(
                plan, ptx, ordinal, self.dependent, [shape for shape, _ in self.outputs])
        return found

    def run_cuda(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        launcher = self._launchers.get(tensors[0].device.index) or self.launcher(tensors[0].device.index)
        dense = self._stored(tensors)
        try:
            return launcher(dense)
        except MirageError:
            askew = [t.data_ptr() % 16 != 0 for t in dense]
            if not any(askew):
                raise
            return launcher([t.clone() if a else t for t, a in zip(dense, askew)])


class WholeGraph:
    """The callable for a graph that is one fragment and nothing else: Dynamo's arguments go to the entry, past
    inductor's and the dispatcher's layers. `inputs` are the places of the fragment's inputs among the arguments,
    `outputs` those of the results among its outputs."""

    def __init__(self, entry: Entry, inputs: Sequence[int], outputs: Sequence[int], on_cuda: bool,
                 num_arguments: int) -> None:
        self._inputs = tuple(inputs)
        self.num_arguments, self.num_results = num_arguments, len(outputs)
        self._outputs = None if list(outputs) == list(range(len(entry.outputs))) else tuple(outputs)
        self._run = entry.run_cuda if on_cuda else entry.run_cpu

    def __call__(self, *args: Any) -> list[torch.Tensor]:
        results = self._run([args[i] for i in self._inputs])
        return results if self._outputs is None else [results[i] for i in self._outputs]


_ENTRIES: dict[str, Entry] = {}


def register(key: str, entry: Entry) -> None:
    _ENTRIES[key] = entry


def entry_of(key: str) -> Entry:
    if key not in _ENTRIES:
        raise MirageError(f"expected a fragment of this process, but got the key {key}")
    return _ENTRIES[key]


_library = torch.library.Library("mirage", "DEF")
_tags = [getattr(torch.Tag, "needs_exact_strides", torch.Tag.needs_fixed_stride_order), torch.Tag.pt2_compliant_tag]
_library.define("call(Tensor[] inputs, str key) -> Tensor[]", tags=_tags)
_library.impl("call", lambda inputs, key: entry_of(key).run_cpu(inputs), "CPU")
_library.impl("call", lambda inputs, key: _ENTRIES[key].run_cuda(inputs), "CUDA")
torch.library.register_fake("mirage::call", lambda inputs, key: entry_of(key).fake(inputs), lib=_library)

call = torch.ops.mirage.call.default
