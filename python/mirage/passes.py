"""Mirage's passes on modules of other front ends, in one Python process.

    module = torch_mlir.fx.export_and_import(model, x, output_type="linalg-on-tensors")
    result = mirage.passes.superoptimize(module)      # text, with certificates
    ptx, plan = mirage.passes.to_ptx(module, target="sm_90a")

A module is text, or anything whose str() is MLIR text, as modules of MLIR's own
Python bindings are: text stands between two versions of MLIR, where bytecode of a
newer one could not be read. Source: python/mirage/passes.py.
"""
from __future__ import annotations

from typing import Any

from ._native import Module
from .search import DEFAULT_TARGET


def _read(module: Any) -> Module:
    return module if isinstance(module, Module) else Module(str(module))


def _options(target: str, options: dict[str, Any]) -> str:
    words = {"target": target, **{name.replace("_", "-"): value for name, value in options.items()}}
    return " ".join(f"{name}={value}" for name, value in words.items())


def raise_linalg(module: Any) -> str:
    """The module with linalg turned into mgraph_kernel where it can be. MirageError where the text is not read."""
    read = _read(module)
    read.raise_linalg()
    return str(read)


def superoptimize(module: Any, target: str = DEFAULT_TARGET, **options: Any) -> str:
    """The module with fragments replaced by verified graphs, their certificates, and the originals as private
    functions. `options` are those of mirage-superopt: threads=2, max_block_ops=12, seed=1."""
    read = _read(module)
    read.superoptimize(_options(target, options))
    return str(read)


def verify(module: Any) -> str:
    """Re-checks every certificate and returns the verdicts. MirageError where one does not hold or none is there."""
    read = _read(module)
    read.verify()
    return read.remarks


def to_ptx(module: Any, target: str = DEFAULT_TARGET, search: bool = True, **options: Any) -> tuple[str, str]:
    """PTX and launch plan of a module with one public function, superoptimized first unless `search` is False.
    MirageError where an op of it has no lowering."""
    read = _read(module)
    if search:
        read.superoptimize(_options(target, options))
    else:
        read.raise_linalg()
    read.strip_references()
    read.lower(target)
    return read.ptx(), read.plan()
