"""assemble.py PTXAS TARGET FILE.ptx: assembles PTX text and says what is wrong with it.

Wrong is: an error, a warning of the C75 family (a wgmma pipeline that was
serialised, a cluster that does not fit), a spill, or a call of a library.
"""
import re
import subprocess
import sys


def assemble(ptxas: str, target: str, path: str) -> list[str]:
    text = open(path, encoding="utf-8").read()
    problems = [f"expected no external function, but got: {line.strip()}"
                for line in text.splitlines() if ".extern .func" in line]
    if ".entry" not in text:
        problems.append("expected a kernel, but got none")
    done = subprocess.run([ptxas, "-v", f"-arch={target}", path, "-o", "/dev/null"], capture_output=True, text=True)
    log = done.stdout + done.stderr
    if done.returncode:
        problems.append(f"expected ptxas to succeed, but got: {log.strip()[:2000]}")
    for line in log.splitlines():
        spilled = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line)
        if spilled and spilled.groups() != ("0", "0"):
            problems.append(f"expected no spills, but got: {line.strip()}")
        if re.search(r"\bC75\d\d\b", line):
            problems.append(f"expected no message of ptxas, but got: {line.strip()}")
    return problems


def main() -> int:
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    problems = assemble(*sys.argv[1:])
    for problem in problems:
        print(problem, file=sys.stderr)
    print("assembled" if not problems else f"{len(problems)} problem(s)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
