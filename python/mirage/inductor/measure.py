"""Times on the GPU: a fragment's kernel beside its matrix products alone."""
from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, Sequence

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.utils._python_dispatch import _disable_current_modes

_LAUNCHES = 20
_REPLAYS = 12
_LIMIT = 1 << 30  # bytes of copies of the inputs


@contextlib.contextmanager
def real_tensors() -> Iterator[None]:
    """Leaves the modes of a compilation, under which new tensors may be fakes."""
    with unset_fake_temporarily(), _disable_current_modes(), torch.no_grad():
        yield


def graph_micros(run: Callable[[Sequence[torch.Tensor]], Any], inputs: Sequence[torch.Tensor]) -> float:
    """Microseconds of one `run(inputs)` in a CUDA graph that cycles over copies of the inputs, so that they come from
    memory: the median of replays."""
    size = max(1, sum(t.numel() * t.element_size() for t in inputs))
    cache = torch.cuda.get_device_properties(inputs[0].device).L2_cache_size
    count = int(min(max(2, 2 * cache // size + 2), max(1, _LIMIT // size), 64))
    sets = [list(inputs)] + [[t.clone() for t in inputs] for _ in range(count - 1)]
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream), torch.no_grad():
        run(sets[0])
        stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for i in range(max(_LAUNCHES, count)):
                run(sets[i % count])
        times = []
        for i in range(_REPLAYS):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            graph.replay()
            end.record()
            end.synchronize()
            if i >= 2:
                times.append(start.elapsed_time(end) * 1e3 / max(_LAUNCHES, count))
    return sorted(times)[len(times) // 2]


def random_inputs(shapes: Sequence[tuple[tuple[int, ...], torch.dtype]], device: torch.device) -> list[torch.Tensor]:
    generator = torch.Generator(device=device).manual_seed(1)
    return [(torch.randn(shape, device=device, generator=generator) * 0.05).to(dtype) for shape, dtype in shapes]
