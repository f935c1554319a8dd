#!/usr/bin/env python3
"""Checks which parts of the sources include which.

Reads the #include lines of include/, lib/ and tools/ under the given root:

  - Search and Verify, the finder and the judge, never include each other;
  - the plain parts (Semantics, Search, Solver, Verify, Interpreter, Import, Cost,
    Support, Runtime) include no MLIR and no part of Mirage built on it;
  - Z3 stands behind lib/Solver;
  - headers of linalg, the GPU dialects and LLVM IR's dialects are for
    lib/Conversion, lib/CAPI, which registers dialects, and the tools.

Exit status 1 and one line for each finding, else 0 and nothing.
"""

import argparse
import pathlib
import re
import sys

SUFFIXES = {".h", ".cpp", ".inc", ".td", ".def"}
INCLUDE = re.compile(r'^\s*#?\s*include\s*[<"]([^>"]+)[>"]')
PLAIN = {"Semantics", "Search", "Solver", "Verify", "Interpreter", "Import", "Cost",
         "Support", "Runtime"}
APART = {("Search", "Verify"), ("Verify", "Search")}
TARGETS = re.compile(
    r"^mlir/(Dialect/(Linalg|GPU|NVGPU|LLVMIR)/|Target/LLVM|Conversion/\w*(GPU|NVVM|Linalg))")


def part_of(path):
    """The folder that owns `path`: `Search` for lib/Search/Values.h."""
    parts = path.parts
    if parts[0] == "include" and parts[1:2] == ("Mirage",):
        return parts[2] if len(parts) > 3 else ""
    return parts[1] if parts[0] == "lib" and len(parts) > 2 else ""


def why_not(path, header):
    """What `path` is expected to include instead of `header`, or None."""
    part = part_of(path)
    other = header.split("/")[1] if header.startswith("Mirage/") else ""
    if (part, other) in APART:
        return f"no header of {other} in {part}"
    if part in PLAIN and header.startswith("mlir/"):
        return f"no MLIR header in {part}"
    if part in PLAIN and other and other not in PLAIN:
        return f"only plain parts of Mirage in {part}"
    if re.match(r"z3\w*\.h$", header) and path.parts[:2] != ("lib", "Solver"):
        return "Z3 only in lib/Solver"
    if TARGETS.match(header) and path.parts[0] != "tools" and part not in ("Conversion", "CAPI"):
        return "headers of target dialects only in lib/Conversion and tools"
    return None


def lint(root):
    for folder in ("include", "lib", "tools"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES or not path.is_file():
                continue
            relative = path.relative_to(root)
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                include = INCLUDE.match(line)
                reason = include and why_not(relative, include.group(1))
                if reason:
                    yield f"{relative.as_posix()}:{number}: expected {reason}, but got '{include.group(1)}'"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=pathlib.Path)
    root = parser.parse_args().root
    if not (root / "lib").is_dir():
        parser.error(f"expected a folder that holds lib/, but got '{root}'")
    findings = list(lint(root))
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
