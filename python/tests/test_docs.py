"""The Python code of docs/python.md runs as it is written."""
from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL) if PAGE.exists() else []


@pytest.mark.parametrize("code", [b for b in BLOCKS if "torch" not in b])
def test_page(code, capsys):
    exec(compile(code, str(PAGE), "exec"), {})


def test_page_has_code():
    if not PAGE.exists():
        pytest.skip("skipped: the documentation is not beside the tests")
    assert len(BLOCKS) >= 2
