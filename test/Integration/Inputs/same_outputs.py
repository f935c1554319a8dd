"""Compares the outputs that two runs of mirage-run wrote, in double precision.
Reads the .npy files by itself: the tests run without NumPy."""

import array
import ast
import pathlib
import sys


def load(path):
    data = path.read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", f"expected version 1 of .npy, but got {data[:8]}"
    end = 10 + int.from_bytes(data[8:10], "little")
    kind = ast.literal_eval(data[10:end].decode())["descr"]
    assert kind == "<f8", f"expected <f8, but got {kind}"
    return array.array("d", data[end:])


first, second = (pathlib.Path(folder) for folder in sys.argv[1:3])
names = sorted(path.name for path in first.iterdir())
assert names and names == sorted(path.name for path in second.iterdir())
for name in names:
    expected, got = load(first / name), load(second / name)
    assert len(expected) == len(got), f"expected {len(expected)} elements, but got {len(got)}"
    error = max(abs(x - y) for x, y in zip(expected, got)) / max(abs(x) for x in expected)
    assert error < 1e-12, f"{name}: expected a relative error under 1e-12, but got {error}"
print("same outputs")
