"""What was searched, verified and lowered is kept on disk: the cache of `mirage-opt`, whose folder and format it shares.

The pass looks up searches and verdicts itself; this module says where, and keeps PTX and plans. docs/cache.md says
what is kept, and what is trusted and why.
"""
from __future__ import annotations

import ctypes
import json
import os
import warnings
from pathlib import Path
from typing import Any

from . import _native
from .errors import MirageWarning


def folder() -> Path:
    """$MIRAGE_CACHE_DIR, else $XDG_CACHE_HOME/mirage, else ~/.cache/mirage."""
    named = os.environ.get("MIRAGE_CACHE_DIR")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "mirage"


def option() -> str:
    """The pass's option that names the folder, or "" where its name cannot be written as one."""
    path = str(folder())
    return "" if '"' in path else f'cache="{path}"'


def warn(remarks: str) -> None:
    """Tells a caller what the pass said about a cache that it could not use."""
    for line in remarks.splitlines():
        _, mark, text = line.partition("superopt: ")
        if mark and text.startswith(("cache: ", "works without the cache: ")):
            warnings.warn(text, MirageWarning, stacklevel=4)


def load(kind: str, key: str) -> Any | None:
    """What is kept under this key, or None."""
    library, encoded = _native.library(), key.encode()
    address = library.mirageCacheLoad(os.fsencode(folder()), kind.encode(), encoded, len(encoded))
    if not address:
        return None
    text = ctypes.string_at(address).decode()
    library.mirageStringDestroy(address)
    return json.loads(text)


def store(kind: str, key: str, answer: Any) -> bool:
    """Whether the answer was kept. A folder that cannot be written costs the next process some time, and is no error."""
    encoded, text = key.encode(), json.dumps(answer).encode()
    return _native.library().mirageCacheSave(os.fsencode(folder()), kind.encode(), encoded, len(encoded), text,
                                             len(text))
