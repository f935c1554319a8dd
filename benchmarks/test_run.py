"""What can be tested of the GPU harness without a GPU (and, in part, torch)."""
from __future__ import annotations

import argparse
import copy
import ctypes
import importlib.util
import json
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import cuda_driver  # noqa: E402
import launch_plan  # noqa: E402
import run  # noqa: E402

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs torch")


def make_plan():
    return {
        "schema": 1, "target": "sm_90a",
        "inputs": [{"shape": [16, 128], "dtype": "f16", "constant": False},
                   {"shape": [128, 96], "dtype": "f16", "constant": True}],
        "outputs": [{"shape": [16, 96], "dtype": "f16"}],
        "scratch": [{"bytes": 64, "zero": True}],
        "kernels": [{"name": "k", "grid": [6, 1, 4], "cluster": [1, 1, 4], "threads": 128, "shared_bytes": 1024,
                     "dependent_launch": True,
                     "parameters": [{"kind": "input", "index": 0}, {"kind": "input", "index": 1},
                                    {"kind": "output", "index": 0}, {"kind": "scratch", "index": 0}]}]}


def test_reads_a_plan():
    plan = launch_plan.parse(json.dumps(make_plan()))
    assert plan.inputs[1] == launch_plan.Tensor((128, 96), "f16", True)
    assert plan.kernels[0].cluster == (1, 1, 4)
    assert plan.kernels[0].parameters[3] == ("scratch", 0)


def test_optional_keys():
    value = make_plan()
    value["kernels"][0]["parameters"].pop()
    for key in ("cluster", "dependent_launch"):
        del value["kernels"][0][key]
    del value["scratch"]
    kernel = launch_plan.parse(json.dumps(value)).kernels[0]
    assert kernel.cluster == (1, 1, 1) and not kernel.dependent_launch


@pytest.mark.parametrize("path, value, message", [
    (["schema"], 2, "expected schema to be 1, but got 2"),
    (["extra"], 1, 'to have only the keys schema, target, inputs, outputs, scratch, kernels, but got "extra"'),
    (["inputs", 0, "dtype"], "f8", 'inputs[0].dtype to be one of f16, bf16, f32, f64, i1, i32, i64, but got "f8"'),
    (["inputs", 0, "shape"], [16, 0], "inputs[0].shape to be an array of positive integers, but got [16, 0]"),
    (["inputs", 0, "constant"], 1, "inputs[0].constant to be true or false, but got 1"),
    (["kernels"], [], "expected at least 1 kernel, but got 0"),
    (["kernels", 0, "grid"], [6, 1], "kernels[0].grid to be 3 integers"),
    (["kernels", 0, "grid"], [6, 1, 6], "kernels[0].grid to be a multiple of the cluster [1, 1, 4], but got [6, 1, 6]"),
    (["kernels", 0, "threads"], 2048, "kernels[0].threads to be an integer in [1, 1024], but got 2048"),
    (["kernels", 0, "shared_bytes"], 1 << 20, "kernels[0].shared_bytes to be an integer in [0, 232448]"),
    (["kernels", 0, "parameters", 1, "index"], 2,
     "kernels[0].parameters[1].index to be an integer below the number of input tensors, 2, but got 2"),
    (["kernels", 0, "parameters", 2, "kind"], "scratch",
     "expected outputs[0] to be a parameter of some kernel, but got none"),
])
def test_refuses(path, value, message):
    plan = copy.deepcopy(make_plan())
    place = plan
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(launch_plan.PlanError) as caught:
        launch_plan.parse(json.dumps(plan))
    assert message in str(caught.value)


def test_missing_key_and_broken_json():
    value = make_plan()
    del value["kernels"][0]["threads"]
    with pytest.raises(launch_plan.PlanError, match=r"expected kernels\[0\].threads to be .*, but got nothing"):
        launch_plan.parse(json.dumps(value))
    with pytest.raises(launch_plan.PlanError, match="expected JSON"):
        launch_plan.parse("{")


class RecordingDriver:
    """Stands in for the driver: remembers calls, and reads launches as the driver would."""

    def __init__(self):
        self.calls = []

    def load_module(self, image):
        return ctypes.c_void_p(1)

    def attribute(self, function, which):
        return {11: 1, 12: 1, 13: 4}.get(which, 0)

    def call(self, name, *args):
        if name == "cuLaunchKernelEx":
            config = args[0]._obj
            addresses = [ctypes.cast(pointer, ctypes.POINTER(ctypes.c_uint64))[0] for pointer in args[2]]
            flag = config.attributes[0].id if config.num_attributes else None
            self.calls.append((name, list(config.grid), list(config.block), config.shared_bytes, addresses, flag))
        else:
            self.calls.append((name,))


def test_launch_passes_addresses_and_attributes():
    driver = RecordingDriver()
    loaded = cuda_driver.LoadedPlan(driver, launch_plan.parse(json.dumps(make_plan())), b"")
    bound = loaded.bind([10, 20], [30], [40])
    driver.calls.clear()
    bound.launch(0, dependent=False)
    bound.launch(0, dependent=True)
    launch = ("cuLaunchKernelEx", [6, 1, 4], [128, 1, 1], 1024, [10, 20, 30, 40])
    zero = ("cuMemsetD8Async",)
    assert driver.calls == [zero, (*launch, None), zero, (*launch, cuda_driver.LAUNCH_PROGRAMMATIC_SERIALIZATION)]


def test_cluster_of_the_plan_must_be_compiled_in():
    value = make_plan()
    value["kernels"][0]["cluster"] = [1, 1, 2]
    with pytest.raises(cuda_driver.CudaError, match=r"cluster \[1, 1, 2\], but got \[1, 1, 4\]"):
        cuda_driver.LoadedPlan(RecordingDriver(), launch_plan.parse(json.dumps(value)), b"")


STUB_WORKER = """
import json, os, sys, time
for step in json.loads(sys.stdin.read())["steps"]:
    name = step["names"][0]
    if name == "crash":
        print("Illegal instruction", file=sys.stderr)
        os._exit(7)
    if name == "hang":
        time.sleep(60)
    result = {"pid": os.getpid(), "context_lost": name == "spoils"}
    print("@@STEP " + json.dumps(result), flush=True)
"""


def test_a_kernel_that_crashes_or_hangs_costs_its_own_row(tmp_path, monkeypatch):
    worker = tmp_path / "worker.py"
    worker.write_text(STUB_WORKER)
    monkeypatch.setattr(run, "WORKER", worker)
    monkeypatch.setattr(run, "PATIENCE", {"kernel": 2})
    monkeypatch.setattr(run, "STARTUP", 1)
    names = ["a", "crash", "b", "hang", "c", "spoils", "d", "e"]
    steps = [{"kind": "kernel", "group": "g", "names": [name]} for name in names]
    log = tmp_path / "log"
    args = argparse.Namespace(limit=60, dry_run=False, rounds=1)
    results = {step["names"][0]: result for step, result in run.run_steps({}, steps, args, log)}
    assert list(results) == names
    assert results["crash"]["error"] == "the process ended with status 7: Illegal instruction"
    assert "a hang" in results["hang"]["error"]
    pids = [results[name]["pid"] for name in ("a", "b", "c", "spoils", "d", "e")]
    # A fresh process after each of the three, and only then.
    assert len(set(pids)) == 4 and pids[2] == pids[3] and pids[4] == pids[5]


def test_steps_past_the_limit_say_so(tmp_path):
    steps = [{"kind": "kernel", "group": "g", "names": ["a"]}]
    args = argparse.Namespace(limit=1, dry_run=False, rounds=1)
    ((_, result),) = run.run_steps({}, steps, args, tmp_path / "log")
    assert result["error"] == "not run: the limit of 1 s was reached"


@needs_torch
def test_dry_run_walks_every_step_and_keeps_going(tmp_path):
    good, bad = tmp_path / "rmsnorm_linear_b8", tmp_path / "rmsnorm_linear_broken"
    for folder in (good, bad):
        folder.mkdir()
        (folder / "kernel.ptx").write_text("//")
        (folder / "plan.json").write_text(json.dumps(make_plan()))
    value = make_plan()
    value["outputs"][0]["shape"] = [16, 95]  # fails only once it runs
    (bad / "plan.json").write_text(json.dumps(value))
    report = tmp_path / "report.json"
    svg = tmp_path / "times.svg"
    walk = subprocess.run([sys.executable, str(HERE / "run.py"), str(tmp_path), "--dry-run", "--json", str(report),
                           "--svg", str(svg)], capture_output=True, text=True, timeout=240)
    rows = {row["name"]: row for row in json.loads(report.read_text())["rows"]}
    assert walk.returncode == 1, walk.stdout + walk.stderr
    assert xml.fromstring(svg.read_text()) is not None
    assert rows["rmsnorm_linear_b8"]["kernel"]["verdict"] == "pass"
    assert {"cold_us", "cold_dependent_us", "warm_us"} <= rows["rmsnorm_linear_b8"]["kernel"].keys()
    assert "cold_us" in rows["rmsnorm_linear_b8"]["pytorch"]["compile"]
    assert "error" in rows["rmsnorm_linear_broken"]["kernel"]


@needs_torch
def test_a_wrong_kernel_fails():
    import torch
    from programs import compare, ratio
    ref = torch.randn(64, 64, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    eager = compare(ref.half(), ref)
    assert ratio(eager, eager) == 1.0
    assert ratio(compare(ref.half() * 1.01, ref), eager) > 1.5
    broken = ref.half()
    broken[3, 5] = float("nan")  # one element that was never written
    assert compare(broken, ref)["wrong_class"] == 1


def rows_of(verdict="pass", compile_verdict="pass"):
    kernel = {"verdict": verdict, "cold_us": 11.11, "warm_us": 9.0, "cold_dependent_us": 10.5, "warm_dependent_us": 8.5,
              "worst_ratio": 0.7}
    if verdict != "pass":
        kernel["error"] = "2 of 7 checks failed"
    compiled = {"verdict": compile_verdict, "cold_us": 22.22}
    if compile_verdict != "pass":
        compiled["error"] = "1 of 7 checks failed"
    return [{"name": "attention_b1 <&>", "program": "attention", "kernel": kernel,
             "pytorch": {"eager": {"verdict": "pass", "cold_us": 33.33}, "compile": compiled,
                         "sdpa": {"verdict": "pass", "cold_us": 15.5}}}]


def test_shows_every_figure_that_holds():
    text, drawing = run.table(rows_of()), run.draw(rows_of(), {"name": "a device"})
    for figure in ("11.11", "10.50", "22.22", "33.33", "15.50"):
        assert figure in text and figure in drawing
    bars = [e for e in xml.fromstring(drawing).iter() if e.get("class") == "bar"]
    assert len(bars) == 5


@pytest.mark.parametrize("verdicts, hidden, shown", [
    (("FAIL", "pass"), ("11.11", "10.50", "9.00"), "22.22"), (("pass", "FAIL"), ("22.22",), "11.11")])
def test_shows_no_figure_whose_check_failed(verdicts, hidden, shown):
    rows = rows_of(*verdicts)
    for text in (run.table(rows), run.draw(rows, None)):
        assert not any(figure in text for figure in hidden) and shown in text
    assert "checks failed" in run.table(rows)
    assert "no figure: its check failed" in run.draw(rows, None)


def test_attention_is_timed_beside_sdpa():
    jobs = {"attention_b1": {"program": "attention", "shapes": [[1]], "dtypes": ["f16"], "eps": None},
            "lora": {"program": "lora", "shapes": [[1]], "dtypes": ["f16"], "eps": None}}
    kinds = [(step["kind"], step["names"][0]) for step in run.plan_steps(jobs, quick=False, max_autotune=True)]
    assert ("sdpa", "attention_b1") in kinds and ("sdpa", "lora") not in kinds
    assert ("max_autotune", "lora") in kinds


@needs_torch
def test_sdpa_computes_attention():
    import torch
    from programs import PROGRAMS, make_inputs, sdpa, sdpa_inputs
    inputs = make_inputs([[2, 16, 8], [2, 8, 32], [2, 32, 8]], ["f32"] * 3, "cpu", 1)
    torch.testing.assert_close(sdpa(*sdpa_inputs(*inputs))[0], PROGRAMS["attention"].run(None, *inputs))
