"""Mirage: a multi-level superoptimizer for tensor programs.

    import mirage as mi

    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(8, 4096), dtype=mi.float16)
    w = graph.new_input(dims=(4096, 6144), dtype=mi.float16)
    graph.mark_output(graph.matmul(graph.rms_norm(x, normalized_shape=(4096,)), w))
    optimized = graph.superoptimize(config="mlp")
    (result,) = optimized(inputs=[x_tensor, w_tensor])

The native library is loaded at the first use. Neither PyTorch nor NumPy is
needed to import the package.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .dtypes import DType, bfloat16, float16, float32
from .errors import DTypeError, MirageError, MirageWarning, ShapeError

if TYPE_CHECKING:
    from ._native import Module
    from .compiled import CompiledGraph
    from .graph import DTensor, KernelGraph, new_kernel_graph
    from . import inductor, passes
    from .inductor import explain
    from .threadblock import STensor, TBGraph, new_threadblock_graph

__version__ = "0.1.0"

# Loaded at first use, so that `import mirage` costs next to nothing.
_LAZY = {
    "new_kernel_graph": "graph", "KernelGraph": "graph", "DTensor": "graph",
    "new_threadblock_graph": "threadblock", "TBGraph": "threadblock", "STensor": "threadblock",
    "CompiledGraph": "compiled", "Module": "_native", "targets": "_native", "passes": "", "inductor": "",
}

__all__ = ["DType", "float16", "bfloat16", "float32", "MirageError", "ShapeError", "DTypeError", "MirageWarning",
           "explain", *_LAZY]


def __getattr__(name: str) -> Any:
    if name == "explain":  # needs PyTorch
        from .inductor import explain

        return explain
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    # A submodule stands for itself.
    value = getattr(import_module("." + _LAZY[name], __name__), name) if _LAZY[name] else \
        import_module("." + name, __name__)
    globals()[name] = value
    return value
