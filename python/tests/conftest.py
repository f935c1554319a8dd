"""Every test has a cache of its own, and warnings are errors unless they are expected."""
from __future__ import annotations

import os

import pytest

import mirage

# Seconds count on two cores: the tests' programs are small.
THREADS = {"threads": 2, "seed": 1}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MIRAGE_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture(autouse=True)
def warnings_are_errors(recwarn):
    yield
    left = [w for w in recwarn.list if issubclass(w.category, mirage.MirageWarning)]
    assert not left, [str(w.message) for w in left]


@pytest.fixture
def fake_driver() -> str:
    path = os.environ.get("MIRAGE_FAKE_CUDA")
    if not path:
        pytest.skip("skipped: MIRAGE_FAKE_CUDA does not name the fake driver")
    return path
