"""Writes a bundle whose candidates are kernels of the fake driver.

    make_bundle.py FOLDER OUTPUT.npy REFERENCE.mlir [KERNEL ...]

OUTPUT.npy is what `mirage-run --cpu REFERENCE.mlir` writes for a function that
negates one 4x64xf32 tensor: the inputs are its negative. A kernel is a name that the
fake driver knows, with `:unverified` behind it if no verifier has seen it, or `bad`
for an image that does not load. The model ranks them in this order.
"""
import array
import hashlib
import json
import pathlib
import sys


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def main():
    folder, output, reference, kernels = (
        pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4:])
    folder.mkdir(parents=True)
    values = array.array("f", output.read_bytes()[-4 * 64 * 4:])
    expected = array.array("d", values).tobytes()
    (folder / "expected_0.bin").write_bytes(expected)
    (folder / "reference.mlir").write_bytes(reference.read_bytes())
    type_ = {"shape": [4, 64], "dtype": "f32"}
    candidates = []
    for rank, kernel in enumerate(kernels):
        name, _, unverified = kernel.partition(":")
        plan = {"schema": 1, "target": "sm_90a", "inputs": [{**type_, "constant": False}],
                "outputs": [type_],
                "kernels": [{"name": name, "grid": [1, 1, 4], "threads": 64, "shared_bytes": 0,
                             "dependent_launch": name == "negate",
                             "parameters": [{"kind": "input", "index": 0}, {"kind": "output", "index": 0}]}]}
        files = {"graph": ("graph.mlir", f"// graph of {name}\n"), "plan": ("plan.json", json.dumps(plan)),
                 "kernel": ("kernel.ptx", "bad" if name == "bad" else f"// {name}\n")}
        place = folder / f"{rank:03}"
        place.mkdir()
        for file, text in files.values():
            (place / file).write_text(text)
        candidates.append({"folder": place.name, "rank": rank, "predicted_us": 2.0 + rank, "summary": name,
                           "verdict": "not verified" if unverified else "equivalent",
                           **{f"{key}_sha256": sha256(text.encode()) for key, (_, text) in files.items()}})
    (folder / "bundle.json").write_text(json.dumps({
        "schema": 1, "tool": "mirage test", "target": "sm_90a", "program": "negate", "seed": 1,
        "spread": False, "ranked": 100, "original_us": 9.0,
        "reference_sha256": sha256(reference.read_bytes()),
        "inputs": [{**type_, "sha256": sha256(array.array("f", [-v for v in values]).tobytes())}],
        "outputs": [{**type_, "expected_sha256": sha256(expected), "op_by_op_error": 0.0,
                     "op_by_op_wrong_class": 0}],
        "candidates": candidates, "dropped": []}))


if __name__ == "__main__":
    main()
