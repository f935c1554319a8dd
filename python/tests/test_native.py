"""The C interface as Python sees it, and launching on a driver that runs on the host."""
from __future__ import annotations

import ctypes
import json

import numpy as np
import pytest

import mirage as mi
from mirage import _native, launch

PLAN = {"schema": 1, "target": "sm_90a", "inputs": [{"shape": [64], "dtype": "f32", "constant": False}],
        "outputs": [{"shape": [64], "dtype": "f32"}],
        "kernels": [{"name": "negate", "grid": [1, 1, 1], "threads": 64, "shared_bytes": 0,
                     "parameters": [{"kind": "input", "index": 0}, {"kind": "output", "index": 0}]}]}


def kernels(driver, **changes):
    return _native.Kernels(json.dumps(PLAN | changes), b"code", driver=driver)


class Tensor:
    """What the launch extension asks of a tensor."""

    def __init__(self, address):
        self.data_ptr = lambda: address


def test_parse_errors_keep_their_place():
    with pytest.raises(mi.MirageError, match="model.mlir:1:1: "):
        mi.Module("nonsense", "model.mlir")


def test_linalg_is_read_and_signatures_told():
    module = mi.Module("""func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %e = tensor.empty() : tensor<4xf32>
      %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }""")
    assert module.signature() == {"function": "f", "inputs": [{"shape": [4], "dtype": "f32"}],
                                  "outputs": [{"shape": [4], "dtype": "f32"}]}
    module.raise_linalg()
    assert "mgraph_kernel.exp" in str(module)


def test_launch_through_ctypes(fake_driver):
    loaded = kernels(fake_driver)
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    loaded.launch([x.ctypes.data, y.ctypes.data], 0)
    np.testing.assert_array_equal(y, -x)
    with pytest.raises(mi.MirageError, match="expected 2 addresses, but got 1"):
        loaded.launch([x.ctypes.data], 0)


def test_launch_through_the_extension(fake_driver):
    extension = launch._extension()
    if extension is None:
        pytest.skip("skipped: the launch extension was not built, because Python's headers were not found")
    loaded = kernels(fake_driver)
    memory = (ctypes.c_float * 132)()
    base = (ctypes.addressof(memory) + 15) // 16 * 16
    floats = (ctypes.c_float * 128).from_address(base)
    floats[0:64] = range(64)
    arguments = (loaded.launch_address, loaded.handle, 0, False)
    assert extension.launch(*arguments, Tensor(base), Tensor(base + 256)) == 0
    assert list(floats[64:128]) == [-float(i) for i in range(64)]
    # Addresses that kernels are promised not to see.
    assert extension.launch(*arguments, Tensor(base + 4), Tensor(base + 256)) == -1
    with pytest.raises(AttributeError):
        extension.launch(*arguments, 3, 4)
    with pytest.raises(TypeError):
        extension.launch(1)


def test_no_driver_and_other_devices(fake_driver):
    with pytest.raises(mi.MirageError, match="expected the CUDA driver library /no/driver.so"):
        kernels("/no/driver.so")
    with pytest.raises(mi.MirageError, match="expected a device of sm_100 for the plan's target sm_100a"):
        kernels(fake_driver, target="sm_100a")
    with pytest.raises(mi.MirageError, match="schema"):
        kernels(fake_driver, schema=2)


def test_library_that_is_none(monkeypatch, tmp_path):
    monkeypatch.setattr(_native, "_library", None)
    monkeypatch.setenv("MIRAGE_LIBRARY", str(tmp_path / "libMirageC.so"))
    with pytest.raises(mi.MirageError, match="expected the shared object .*libMirageC.so, but it could not be loaded"):
        mi.Module("module {}")
