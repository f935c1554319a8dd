"""Prints the programs of benchmarks/lower_cases.py as one module, one function each.

Those that read integers are left out: the verifier cannot tell."""

import re
import sys

sys.path.insert(0, sys.argv[1])
import lower_cases  # noqa: E402

for name, text in lower_cases.cases().items():
    functions = text.split("func.func @f(")
    if len(functions) != 2:
        sys.exit(f"{name}: expected one function, but got {len(functions) - 1}")
    signature = functions[1].split("->")[0]
    if not re.search(r"xi(1|32|64)>", signature):
        print(text.replace("func.func @f(", f"func.func @{name}("))
