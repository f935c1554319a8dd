"""What was searched is kept on disk, so that the next process need not search.

An entry is one JSON file under $MIRAGE_CACHE_DIR, or $XDG_CACHE_HOME/mirage, or
~/.cache/mirage, named by the hash of the program's text, the options and the
library. Writing is atomic, and what cannot be read counts as absent.
"""
from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from . import _native

SCHEMA = 1


def folder() -> Path:
    named = os.environ.get("MIRAGE_CACHE_DIR")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "mirage"


def key_of(text: str, options: str) -> str:
    """Changes with the program, the options and the build of the library."""
    path = _native.library_path()
    stat = path.stat()
    parts = [str(SCHEMA), str(path.resolve()), str(stat.st_size), str(stat.st_mtime_ns), options, text]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def load(key: str) -> dict[str, Any] | None:
    try:
        entry = json.loads((folder() / f"{key}.json").read_text())
    except (OSError, ValueError):
        return None
    return entry if isinstance(entry, dict) and entry.get("schema") == SCHEMA else None


def store(key: str, entry: dict[str, Any]) -> None:
    """A folder that cannot be written costs the next process a search, and is no error."""
    try:
        target = folder()
        target.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target, suffix=".tmp")
        with os.fdopen(handle, "w") as file:
            json.dump({"schema": SCHEMA, **entry}, file)
        os.replace(name, target / f"{key}.json")
    except OSError:
        pass
