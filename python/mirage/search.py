"""From the text of a program to the text of the best equivalent one."""
from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import dataclass, field
from typing import Any

from . import _native, cache

DEFAULT_TARGET = "sm_90a"
# Compute capability to target: where the architecture has features of its own, code is for it alone.
_TARGETS = {(8, 0): "sm_80", (8, 6): "sm_86", (8, 9): "sm_89", (9, 0): "sm_90a", (10, 0): "sm_100a",
            (12, 0): "sm_120a"}


def default_target() -> str:
    """The target of the first GPU where PyTorch is loaded and has one, else sm_90a."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        return _TARGETS.get(tuple(torch.cuda.get_device_capability()), DEFAULT_TARGET)
    return DEFAULT_TARGET


@dataclass
class Found:
    """What a search left. `text` is the module with certificates and kept originals."""

    text: str
    target: str
    remarks: str = ""
    fragments: list[dict[str, Any]] = field(default_factory=list)
    original_micros: float = 0.0
    micros: float = 0.0
    from_cache: bool = False
    # PTX and plan, once they have been asked for; None before.
    ptx: str | None = None
    plan: str | None = None
    use_cache: bool = False

    @property
    def improved(self) -> bool:
        """Whether some fragment was replaced by a verified graph."""
        return any(f.get("outcome") == "replaced" for f in self.fragments)

    def lowered(self) -> tuple[str, str]:
        """PTX and launch plan. MirageError where an op has no lowering for the target."""
        if self.ptx is None or self.plan is None:
            module = _native.Module(self.text)
            module.strip_references()
            key = f"{self.target}\n{module}"
            kept = cache.load("lowered", key) if self.use_cache else None
            if isinstance(kept, dict) and isinstance(kept.get("ptx"), str) and isinstance(kept.get("plan"), str):
                self.ptx, self.plan = kept["ptx"], kept["plan"]
                return self.ptx, self.plan
            module.lower(self.target)
            self.ptx, self.plan = module.ptx(), module.plan()
            if self.use_cache:
                cache.store("lowered", key, {"ptx": self.ptx, "plan": self.plan})
        return self.ptx, self.plan


def unsearched(text: str, target: str) -> Found:
    """The program as it is written."""
    return Found(text=text, target=target)


def superoptimize(text: str, target: str, options: dict[str, Any] | None = None, use_cache: bool = True) -> Found:
    """Searches `text`, a module with one public function of mgraph_kernel, or takes the answers from the cache.

    `options` are those of the pass mirage-superopt, by its names. The seed of the verifier is drawn anew for every
    candidate that is verified, unless it is among them.
    """
    words = [f"target={target}"] + [f"{name}={value}" for name, value in sorted((options or {}).items())]
    if use_cache and cache.option():
        words.append(cache.option())
    module = _native.Module(text)
    original = module.predict(target)
    handle, report = tempfile.mkstemp(prefix="mirage-", suffix=".json")
    os.close(handle)
    try:
        module.superoptimize(" ".join(words + [f"report={report}"]))
        with open(report) as file:
            written = json.load(file)
    finally:
        os.unlink(report)
    if use_cache:
        cache.warn(module.remarks)
    return Found(str(module), target, module.remarks, written["fragments"], original, module.predict(target),
                 from_cache=written["cache_hits"] > 0 and written["searches"] == 0, use_cache=use_cache)
