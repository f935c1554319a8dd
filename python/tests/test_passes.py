"""Passes on torch-mlir's own output, exported once and kept in the tree."""
from __future__ import annotations

import json
from pathlib import Path

import pytest

import mirage as mi

INPUTS = Path(__file__).resolve().parents[2] / "test" / "Integration" / "Inputs"


class Foreign:
    """Stands for a module of torch-mlir's bindings: only its str() is read."""

    def __init__(self, text):
        self._text = text

    def __str__(self):
        return self._text


@pytest.fixture
def linear():
    path = INPUTS / "linear_bias_gelu_tanh.mlir"
    if not path.exists():
        pytest.skip("skipped: the exported modules are not beside the tests")
    return Foreign(path.read_text())


def test_superoptimize_verify_and_lower(linear):
    text = mi.passes.superoptimize(linear, threads=2, seed=1, max_block_ops=12)
    assert "mirage.certificate" in text
    assert "holds" in mi.passes.verify(text)
    ptx, plan = mi.passes.to_ptx(text, search=False)
    assert ".visible .entry" in ptx and ".extern .func" not in ptx
    assert json.loads(plan)["target"] == "sm_90a"


def test_raise(linear):
    text = mi.passes.raise_linalg(linear)
    assert "mgraph_kernel." in text and "linalg." not in text


def test_errors(linear):
    with pytest.raises(mi.MirageError, match="expected options of mirage-superopt"):
        mi.passes.superoptimize(linear, colour="red")
    with pytest.raises(mi.MirageError, match="expected target to be one of"):
        mi.passes.to_ptx(linear, target="sm_1", search=False)
    with pytest.raises(mi.MirageError):
        mi.passes.verify(linear)
