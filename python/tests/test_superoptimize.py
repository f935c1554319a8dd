"""Search, verification, lowering, cache and checkpoints, from Python."""
from __future__ import annotations

import json
import subprocess
import sys
import time

import numpy as np
import pytest

import mirage as mi
from conftest import THREADS

RNG = np.random.default_rng(3)


def rms_linear(n=128):
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(16, 256), dtype=mi.float16)
    w = graph.new_input(dims=(256, n), dtype=mi.float16, constant=True)
    graph.mark_output(graph.matmul(graph.rms_norm(x, normalized_shape=(256,)), w))
    return graph


def search(graph, **kwargs):
    return graph.superoptimize(target="sm_90a", device="cpu", options=THREADS, **kwargs)


def check(compiled, n=128):
    x = RNG.standard_normal((16, 256)).astype(np.float16)
    w = (RNG.standard_normal((256, n)) / 16).astype(np.float16)
    (y,) = compiled(inputs=[x, w])
    wide = x.astype(np.float64)
    expected = wide / np.sqrt((wide**2).mean(-1, keepdims=True) + 1e-5) @ w
    np.testing.assert_allclose(y, expected, rtol=4e-3, atol=2e-3)


def test_finds_verifies_lowers_and_caches(capsys, tmp_path):
    found = search(rms_linear(), verbose=True)
    assert found.found.improved and found.found.micros < found.found.original_micros
    assert "became 1 kernel" in capsys.readouterr().out
    check(found)
    assert "holds" in found.verify()
    assert ".visible .entry" in found.ptx
    assert json.loads(found.plan)["inputs"][1]["constant"] is True
    found.save(tmp_path / "out")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["kernel.ptx", "plan.json", "program.mlir"]
    start = time.perf_counter()
    again = search(rms_linear())
    seconds = time.perf_counter() - start
    assert again.found.from_cache and again.ptx == found.ptx
    assert seconds < 0.2
    check(again)


def test_cache_tells_programs_apart():
    search(rms_linear())
    assert not search(rms_linear(64)).found.from_cache
    assert not search(rms_linear(), cache=False).found.from_cache


def test_broken_cache_entries_are_searched_anew(tmp_path):
    search(rms_linear())
    for entry in (tmp_path / "cache").glob("*.entry"):
        entry.write_text("{")
    with pytest.warns(mi.MirageWarning, match="cache: .*; the entry is set aside"):
        again = search(rms_linear())
    assert not again.found.from_cache
    check(again)
    assert search(rms_linear()).found.from_cache


def test_works_where_there_can_be_no_cache(monkeypatch):
    monkeypatch.setenv("MIRAGE_CACHE_DIR", "/proc/none")
    with pytest.warns(mi.MirageWarning, match="works without the cache: expected to make a cache in /proc/none"):
        found = search(rms_linear())
    check(found)
    assert ".visible .entry" in found.ptx


def test_cache_folder_may_have_spaces(tmp_path, monkeypatch):
    monkeypatch.setenv("MIRAGE_CACHE_DIR", str(tmp_path / "my own cache"))
    assert search(rms_linear()).ptx
    kinds = [path.read_text().split('"kind":"')[1].split('"')[0]
             for path in (tmp_path / "my own cache").glob("*.entry")]
    assert sorted(set(kinds)) == ["lowered", "search", "verdict"]
    assert search(rms_linear()).found.from_cache


def test_checkpoint_is_verified_against_the_graph(tmp_path):
    path = tmp_path / "saved.mlir"
    search(rms_linear(), previous_checkpoint=str(path))
    check(search(rms_linear(), previous_checkpoint=str(path)))
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(16, 256), dtype=mi.float16)
    w = graph.new_input(dims=(256, 128), dtype=mi.float16)
    graph.mark_output(graph.matmul(x, w))
    with pytest.raises(mi.MirageError, match="expected .* to hold a program that is equivalent to this graph"):
        search(graph, previous_checkpoint=str(path))


def test_published_arguments_are_taken_or_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.warns(mi.MirageWarning) as warned:
        found = rms_linear().superoptimize(config="mlp", backend="cpu", save_codes=True, warmup_iters=1,
                                           profile_iters=2, griddims=[(64, 1, 1)], fmaps=[-1], use_graph_dataset=True,
                                           target="sm_90a", options=THREADS)
    texts = sorted(str(w.message) for w in warned)
    assert texts == ["superoptimize: griddims, fmaps without effect: the search chooses grids and maps itself",
                     "superoptimize: unknown argument use_graph_dataset: without effect"]
    assert (tmp_path / "mirage_codes" / "kernel.ptx").exists()
    check(found)


def test_options_and_targets_that_name_nothing():
    with pytest.raises(mi.MirageError, match="expected options of mirage-superopt, but got .*colour"):
        rms_linear().superoptimize(target="sm_90a", options={"colour": "red"})
    with pytest.raises(mi.MirageError, match="expected target to be one of .*, but got 'sm_1'"):
        rms_linear().superoptimize(target="sm_1")
    assert "sm_90a" in mi.targets()


def test_import_is_quick_and_light():
    code = ("import sys, time; t = time.perf_counter(); import mirage; s = time.perf_counter() - t; "
            "print(s, 'torch' in sys.modules, 'numpy' in sys.modules)")
    seconds, torch, numpy = min(subprocess.check_output([sys.executable, "-c", code], text=True).split()
                                for _ in range(3))
    assert float(seconds) < 0.3 and torch == "False" and numpy == "False"
