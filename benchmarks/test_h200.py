"""What can be tested of the GPU harness without a GPU (and, in part, torch)."""
from __future__ import annotations

import argparse
import copy
import ctypes
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import cuda_driver  # noqa: E402
import h200  # noqa: E402
import launch_plan  # noqa: E402

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
    monkeypatch.setattr(h200, "WORKER", worker)
    monkeypatch.setattr(h200, "PATIENCE", {"kernel": 2})
    monkeypatch.setattr(h200, "STARTUP", 1)
    names = ["a", "crash", "b", "hang", "c", "spoils", "d", "e"]
    steps = [{"kind": "kernel", "group": "g", "names": [name]} for name in names]
    log = tmp_path / "log"
    args = argparse.Namespace(limit=60, dry_run=False, rounds=1)
    results = {step["names"][0]: result for step, result in h200.run_steps({}, steps, args, log)}
    assert list(results) == names
    assert results["crash"]["error"] == "the process ended with status 7: Illegal instruction"
    assert "a hang" in results["hang"]["error"]
    pids = [results[name]["pid"] for name in ("a", "b", "c", "spoils", "d", "e")]
    # A fresh process after each of the three, and only then.
    assert len(set(pids)) == 4 and pids[2] == pids[3] and pids[4] == pids[5]


def test_steps_past_the_limit_say_so(tmp_path):
    steps = [{"kind": "kernel", "group": "g", "names": ["a"]}]
    args = argparse.Namespace(limit=1, dry_run=False, rounds=1)
    ((_, result),) = h200.run_steps({}, steps, args, tmp_path / "log")
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
    run = subprocess.run([sys.executable, str(HERE / "h200.py"), str(tmp_path), "--dry-run", "--json", str(report)],
                         capture_output=True, text=True, timeout=240)
    rows = {row["name"]: row for row in json.loads(report.read_text())["rows"]}
    assert run.returncode == 1, run.stdout + run.stderr
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
