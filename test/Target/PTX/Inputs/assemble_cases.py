"""assemble_cases.py PTXAS TARGET FOLDER [PART]: lowers and assembles the cases of benchmarks/lower_cases.py.

PART takes the cases whose name holds it. A target without clusters must refuse
reduce_blocks over several blocks, with its diagnostic, and nothing else.
"""
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "benchmarks"))
from assemble import assemble  # noqa: E402
from lower_cases import cases  # noqa: E402

REFUSAL = "reduce_blocks: expected a target with clusters"


def case_problems(text: str, ptxas: str, target: str, folder: Path) -> list[str]:
    source, ptx = folder / "in.mlir", folder / "kernel.ptx"
    source.write_text(text)
    lowered = subprocess.run(["mirage-opt", source, f"--mirage-lower-to-ptx=target={target}"],
                             capture_output=True, text=True)
    refuses = "reduce_blocks" in text and target in ("sm_80", "sm_86", "sm_89")
    if refuses:
        return [] if lowered.returncode == 1 and REFUSAL in lowered.stderr else ["expected a refusal of reduce_blocks"]
    if lowered.returncode:
        return [lowered.stderr.strip()[:300]]
    exported = subprocess.run(["mirage-translate", "--export-ptx"], input=lowered.stdout,
                              capture_output=True, text=True)
    if exported.returncode:
        return [exported.stderr.strip()[:300]]
    ptx.write_text(exported.stdout)
    return assemble(ptxas, target, str(ptx))


def main() -> int:
    ptxas, target, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    part = sys.argv[4] if len(sys.argv) > 4 else ""
    folder.mkdir(parents=True, exist_ok=True)
    taken = {name: text for name, text in cases().items() if part in name}
    failures = 0
    for name, text in taken.items():
        for problem in case_problems(text, ptxas, target, folder):
            print(f"{target} {name}: {problem}", file=sys.stderr)
            failures += 1
    print(f"{target}: {len(taken)} cases, {failures} problems")
    return 1 if failures or not taken else 0


if __name__ == "__main__":
    sys.exit(main())
