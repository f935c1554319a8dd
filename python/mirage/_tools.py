"""The console scripts of the wheel: each becomes the tool of its name."""
from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn


def _become(name: str) -> NoReturn:
    path = Path(__file__).resolve().parent / "bin" / name
    if not path.exists():
        sys.exit(f"{name}: expected the tool at {path}, but found none: the package was not installed as a wheel")
    os.execv(path, [name, *sys.argv[1:]])


def mirage_opt() -> NoReturn:
    """mirage-opt: runs passes on MLIR text."""
    _become("mirage-opt")


def mirage_translate() -> NoReturn:
    """mirage-translate: writes PTX and launch plans of lowered modules."""
    _become("mirage-translate")


def mirage_run() -> NoReturn:
    """mirage-run: runs programs in the interpreter or on a GPU."""
    _become("mirage-run")
