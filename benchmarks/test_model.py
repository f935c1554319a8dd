"""The cost model against what was measured, and the arithmetic of the comparison."""
from __future__ import annotations

import json
import os
import statistics
from pathlib import Path

import pytest

import model

TOOLS = Path(os.environ.get("MIRAGE_TOOLS", model.HERE.parent / "build" / "bin"))


@pytest.mark.skipif(not (TOOLS / "mirage-opt").exists(), reason=f"needs mirage-opt, not in {TOOLS}")
def test_the_model_ranks_as_the_gpu_does():
    shapes = json.loads((model.HERE / "results" / "h200-shapes.json").read_text())["cold_us"]
    groups = model.judge(shapes, TOOLS, "sm_90a")
    assert sum(row[0] + row[1] for row in groups.values()) == len(shapes)
    assert statistics.median(row[2] for row in groups.values()) >= 0.8
    slower = sorted(first / best - 1 for *_, first, best in groups.values())
    assert slower[-2] < 0.15, slower  # all but one group
    assert slower[-1] < 0.25, slower


def test_spearman():
    assert model.spearman([(1, 10), (2, 20), (3, 30)]) == 1
    assert model.spearman([(1, 30), (2, 20), (3, 10)]) == -1
    assert model.spearman([(1, 10), (2, 30), (3, 20), (4, 40)]) == pytest.approx(0.8)


@pytest.mark.parametrize("name, message", [
    ("gated_mlp_m64", "expected a name such as .*, but got 'gated_mlp_m64'"),
    ("conv_m1_n1_k1_z1_s1_t32", "expected a program of .*, but got 'conv' in 'conv_m1_n1_k1_z1_s1_t32'"),
])
def test_names_that_say_nothing(name, message):
    with pytest.raises(ValueError, match=message):
        model.graph_of(name)


def test_a_tool_that_fails_is_reported(tmp_path):
    tool = tmp_path / "mirage-opt"
    tool.write_text("#!/bin/sh\necho 'error: no such target' >&2\nexit 1\n")
    tool.chmod(0o755)
    with pytest.raises(RuntimeError, match="expected 1 predictions, but got 0: error: no such target"):
        model.predict([model.graph_of("gqa_h2_q64_k64_z2_s3_t128")[1]], tmp_path, "sm_90a")
