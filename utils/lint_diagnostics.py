#!/usr/bin/env python3
"""Lists the diagnostics that no test mentions.

Reads every statement under lib/, include/ and tools/ of the given root that makes
a diagnostic (emitError and its kin, createStringError, refuse, or a text that
begins with 'expected '), takes the longest piece of its text between two inserted
values, and looks for it in test/, unittests/ and python/. One line for each that
is not found; the exit status is 0, since some cannot be reached on purpose and two
messages may share their longest piece.
"""

import argparse
import pathlib
import re
import sys

TOKEN = re.compile(
    r'R"\((?P<raw>.*?)\)"|"(?P<text>(?:[^"\\\n]|\\.)*)"|//[^\n]*|/\*.*?\*/'
    r"|'(?:[^'\\]|\\.)*'|(?P<end>[;{}])|(?P<space>\s+)|(?P<word>\w+)|(?P<other>.)",
    re.S)
MAKERS = {"emitOpError", "emitError", "emitRemark", "emitWarning", "emitOptionalError",
          "createStringError", "refuse", "fail", "error"}
SOURCES = {".cpp", ".h", ".inc"}
TESTS = {".mlir", ".test", ".cpp", ".py", ".c"}


def statements(text):
    """The line, the joined string literals and the words of each statement."""
    line, start, literals, words, adjacent = 1, 1, [], set(), False
    for token in TOKEN.finditer(text):
        literal = token["text"] if token["text"] is not None else token["raw"]
        if token["end"]:
            if literals:
                yield start, literals, words
            literals, words, adjacent = [], set(), False
        elif literal is not None:
            literal = literal.replace('\\"', '"').replace("\\\\", "\\")
            if not literals:
                start = line
            if adjacent:  # C++ joins them, and so does clang-format split them
                literals[-1] += literal
            else:
                literals.append(literal)
            adjacent = True
        elif token["word"] or token["other"]:
            adjacent = False
            words.add(token["word"] or "")
        line += token.group(0).count("\n")


def tested(root):
    """The text of every test, with C++ literals joined."""
    parts = []
    for folder in ("test", "unittests", "python"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in TESTS or not path.is_file():
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            parts.append(text)
            if path.suffix in {".cpp", ".py"}:
                parts += [piece for _, pieces, _ in statements(text) for piece in pieces]
    return "\n".join(parts)


def untested(root):
    tests = tested(root)
    for folder in ("lib", "include", "tools"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SOURCES or not path.is_file():
                continue
            for line, literals, words in statements(path.read_text(encoding="utf-8")):
                makes = words & MAKERS or any(x.startswith("expected ") for x in literals)
                if not makes or words & {"assert", "static_assert"}:
                    continue
                pieces = [piece.strip(" :") for literal in literals
                          for piece in re.split(r"\{\d[^}]*\}|%[a-z]+", literal)]
                longest = max(pieces, key=len)
                if len(longest) > 3 and longest not in tests:
                    yield f"{path.relative_to(root)}:{line}: {' ... '.join(literals)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=pathlib.Path)
    root = parser.parse_args().root
    if not (root / "lib").is_dir():
        parser.error(f"expected a folder that holds lib/, but got '{root}'")
    for finding in untested(root):
        print(finding)
    return 0


if __name__ == "__main__":
    sys.exit(main())
