"""iree_check.py without a GPU: a script stands in for iree-run-module."""
import json
import os
import shutil
import stat
import sys
from pathlib import Path

import numpy as np
import pytest

import iree_check

# Doubles the first input; with CUDA graphs it fails, as a module that IREE cannot
# load does.
RUNNER = """#!{python}
import sys
import numpy as np
flags = dict(flag.split("=", 1) for flag in sys.argv[1:])
if flags["--cuda_use_streams"] == "false":
    sys.exit("no graphs")
assert flags["--device"] == "cuda" and flags["--function"] == "double"
values = np.load(flags["--input"][1:])
np.save(flags["--output"][1:], (values * {factor}).astype(values.dtype))
"""


@pytest.fixture
def folder(tmp_path):
    values = iree_check.make_input(7, 0, [4, 8], "f16")
    np.save(tmp_path / "case.0.npy", 2 * values.astype(np.float64))
    meta = {"function": "double", "seed": 7,
            "inputs": [{"shape": [4, 8], "dtype": "f16", "sha256": iree_check.digest(values)}],
            "outputs": [{"shape": [4, 8], "dtype": "f16", "bound": 1e-3}]}
    (tmp_path / "case.json").write_text(json.dumps(meta))
    (tmp_path / "case.vmfb").touch()
    return tmp_path


def check(folder, monkeypatch, factor):
    runner = folder / "iree-run-module"
    runner.write_text(RUNNER.format(python=sys.executable, factor=factor))
    runner.chmod(runner.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    monkeypatch.setattr(iree_check, "driver_environment", lambda folder: dict(os.environ))
    return iree_check.main(["check", str(folder)])


def test_reports_each_run(folder, monkeypatch, capsys):
    assert check(folder, monkeypatch, 2) == 1
    out = capsys.readouterr().out
    assert "case (streams): ok, output 0 error 0.00e+00 of at most 1.00e-03" in out
    assert "case (graphs): FAILED, iree-run-module ended with status 1: no graphs" in out
    assert "2 runs, 1 failures" in out


@pytest.mark.parametrize("factor", [2.1, np.nan])
def test_refuses_wrong_numbers(folder, monkeypatch, capsys, factor):
    check(folder, monkeypatch, f"float('{factor}')")
    assert "case (streams): FAILED, output 0 error" in capsys.readouterr().out


def test_refuses_other_inputs(folder, monkeypatch, capsys):
    meta = json.loads((folder / "case.json").read_text())
    meta["seed"] = 8
    (folder / "case.json").write_text(json.dumps(meta))
    assert check(folder, monkeypatch, 2) == 1
    assert "FAILED, expected input 0 with digest" in capsys.readouterr().out


def test_says_what_is_missing(tmp_path, monkeypatch, capsys):
    assert iree_check.main(["check", str(tmp_path)]) == 1
    assert "expected .vmfb files in" in capsys.readouterr().err
    (tmp_path / "case.vmfb").touch()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert iree_check.main(["check", str(tmp_path)]) == 1
    assert "expected iree-run-module on the PATH or a --wheel" in capsys.readouterr().err


def test_generates_what_check_reads(tmp_path, capsys):
    tools = os.environ.get("MIRAGE_TOOLS")
    venv = Path(__file__).parents[1] / ".venv" / "bin" / "iree-compile"
    compiler = shutil.which("iree-compile") or (str(venv) if venv.exists() else None)
    if not tools or not compiler:
        pytest.skip("skipped: needs MIRAGE_TOOLS and iree-compile (utils/setup --iree)")
    program = tmp_path / "twice.mlir"
    program.write_text("""func.func @scale(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %0 = mgraph_kernel.exp %x : tensor<4x8xf16> -> tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}
""")
    assert iree_check.main(["generate", str(tmp_path / "out"), str(program), "--tools", tools,
                            "--iree-compile", compiler]) == 0
    meta = json.loads((tmp_path / "out" / "twice.json").read_text())
    assert meta["function"] == "scale" and 0 < meta["outputs"][0]["bound"] < 2e-3
    values = iree_check.make_input(1, 0, [4, 8], "f16")
    want = np.load(tmp_path / "out" / "twice.0.npy")
    assert iree_check.relative_error(np.exp(values.astype(np.float64)), want) < 1e-12
    assert b".visible .entry scale_0(" in (tmp_path / "out" / "twice.vmfb").read_bytes()
