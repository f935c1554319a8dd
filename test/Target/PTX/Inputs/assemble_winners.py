"""assemble_winners.py PTXAS TARGET FILE.mlir FOLDER: searches for TARGET, lowers and assembles what was found.

Prints the number of kernels that each function became.
"""
import re
import subprocess
import sys
from pathlib import Path

from assemble import assemble


def run(command: list, text: str = "") -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command[0]}: {done.stderr.strip()[:2000]}")
    sys.stderr.write(done.stderr)
    return done.stdout


def main() -> int:
    ptxas, target, source, folder = sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4])
    folder.mkdir(parents=True, exist_ok=True)
    found = run(["mirage-opt", source, f"--mirage-superopt=seed=1 target={target}"])
    lowered = run(["mirage-opt", "--mirage-strip-reference", f"--mirage-lower-to-ptx=target={target}"], found)
    text = run(["mirage-translate", "--export-ptx"], lowered)
    (folder / "kernel.ptx").write_text(text)
    entries = re.findall(r"\.entry (\w+)\(", text)
    for name in re.findall(r"func\.func @(\w+)\(", found):
        count = sum(bool(re.fullmatch(rf"{name}_\d+", entry)) for entry in entries)
        print(f"{name}: {count} kernel{'' if count == 1 else 's'}")
    problems = assemble(ptxas, target, str(folder / "kernel.ptx"))
    for problem in problems:
        print(f"{target}: {problem}", file=sys.stderr)
    print(f"{target}: {len(entries)} kernels, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
