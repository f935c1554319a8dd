"""lower_check.py without a GPU: a driver whose memory is the host's."""
import ctypes
import json
from pathlib import Path

import numpy as np
import pytest

import cuda_driver
import lower_check
from lower_cases import cases


class HostDriver:
    def __init__(self):
        self.blocks = {}

    def call(self, name, *args):
        if name == "cuMemAlloc_v2":
            block = ctypes.create_string_buffer(args[1].value)
            ctypes.cast(args[0], ctypes.POINTER(ctypes.c_uint64))[0] = ctypes.addressof(block)
            self.blocks[ctypes.addressof(block)] = block
        elif name == "cuMemFree_v2":
            del self.blocks[args[0].value]
        elif name in ("cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2"):
            ctypes.memmove(args[0].value, args[1].value, args[2].value)
        elif name == "cuMemsetD8_v2":
            ctypes.memset(args[0].value, args[1], args[2].value)


def make_case(folder: Path, dtype: str, values: np.ndarray) -> None:
    """output = input, as one kernel."""
    shape = list(values.shape)
    plan = {"schema": 1, "target": "sm_90a", "scratch": [],
            "inputs": [{"shape": shape, "dtype": dtype, "constant": False}],
            "outputs": [{"shape": shape, "dtype": dtype}],
            "kernels": [{"name": "k", "grid": [1, 1, 1], "threads": 32, "shared_bytes": 0,
                         "parameters": [{"kind": "input", "index": 0}, {"kind": "output", "index": 0}]}]}
    (folder / "plan.json").write_text(json.dumps(plan))
    (folder / "kernel.cubin").write_bytes(b"x")
    lower_check.save(folder / "input_0.npy", values, dtype)
    for name in ("f64", "program"):
        (folder / name).mkdir()
    np.save(folder / "f64" / "output_0.npy", lower_check.to_f64(values, dtype))
    lower_check.save(folder / "program" / "output_0.npy", values, dtype)


def run_case(monkeypatch, folder: Path, alter=lambda memory, launches: None) -> str:
    launches = []

    class Bound:
        def __init__(self, source, target, nbytes):
            self.source, self.target, self.nbytes = source, target, nbytes

        def launch(self, stream, dependent):
            launches.append(dependent)
            ctypes.memmove(self.target, self.source, self.nbytes)
            alter((ctypes.c_uint8 * self.nbytes).from_address(self.target), launches)

    class Loaded:
        module = None

        def __init__(self, driver, plan, image):
            self.plan = plan

        def bind(self, inputs, outputs, scratch):
            return Bound(inputs[0], outputs[0], self.plan.inputs[0].nbytes)

    monkeypatch.setattr(cuda_driver, "LoadedPlan", Loaded)
    driver = HostDriver()
    problem = lower_check.check_case(folder, driver)
    assert not driver.blocks, "memory is given back"
    assert True in launches and False in launches, "both ways of launching are run"
    return problem


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "i32", "i1"])
def test_equal_results_pass(monkeypatch, tmp_path, dtype):
    values = np.random.default_rng(1).standard_normal((5, 7)).astype(np.float32)
    make_case(tmp_path, dtype, lower_check.to_bf16(values) if dtype == "bf16"
              else values.astype(lower_check.NUMPY[dtype]))
    assert run_case(monkeypatch, tmp_path) == ""


def test_infinities_pass_where_they_are_expected(monkeypatch, tmp_path):
    make_case(tmp_path, "f16", np.array([[1.0, np.inf, -np.inf, np.nan]], np.float16))
    assert run_case(monkeypatch, tmp_path) == ""


def test_one_wrong_element_fails(monkeypatch, tmp_path):
    make_case(tmp_path, "f32", np.ones((4, 8), np.float32))

    def alter(memory, launches):
        memory[4 * 9 + 2] ^= 0x40  # element (1, 1)
    assert "at [1, 1] expected 1" in run_case(monkeypatch, tmp_path, alter)


def test_nan_in_place_of_a_number_fails(monkeypatch, tmp_path):
    make_case(tmp_path, "f16", np.ones((4, 8), np.float16))

    def alter(memory, launches):
        memory[:2] = b"\xff\xff"
    assert "output 0: expected" in run_case(monkeypatch, tmp_path, alter)


def test_runs_that_differ_fail(monkeypatch, tmp_path):
    make_case(tmp_path, "f32", np.ones((4, 8), np.float32))

    def alter(memory, launches):
        if len(launches) == 8:
            memory[0] ^= 1
    assert "equal bits" in run_case(monkeypatch, tmp_path, alter)


def test_cases_are_many_and_parse_as_functions():
    found = cases()
    assert len(found) >= 60
    assert all(text.startswith("func.func @f(") for text in found.values())
