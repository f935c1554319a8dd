#!/usr/bin/env python3
"""Rejects test directives that the test tools would silently ignore.

A misspelt `CHEKC:` or `expected-eror` is a comment: the test passes and checks
nothing. This looks at every lit test under the given folders, and reports

  - a comment that looks like a directive but is none that the file's RUN lines,
    lit or -verify-diagnostics read;
  - a directive without its colon, or `expected-error` without a position or text;
  - a file without a RUN line, a FileCheck without a CHECK, and a prefix that is
    asked for and never used.

Exit status 1 and one line for each finding, else 0 and nothing.
"""

import argparse
import difflib
import pathlib
import re
import sys

SUFFIXES = {".mlir", ".test"}
LIT = {"RUN", "REQUIRES", "UNSUPPORTED", "XFAIL", "DEFINE", "REDEFINE", "END",
       "ALLOW_RETRIES"}
PROSE = {"TODO", "NOTE", "FIXME"}
EXPECTED = {"expected-error", "expected-warning", "expected-note", "expected-remark"}

COMMENT = re.compile(r"^\s*(?://|#|;)\s*(.*)$")
BARE = re.compile(r"^\s*(?:(?://|#|;)\s*)?(.*)$")  # a .test file is all directives
# A word in capitals before a colon, as `CHECK-NEXT:`, `CHECK-COUNT-2:`.
DIRECTIVE = re.compile(r"^([A-Z][A-Z0-9_]*(?:-[A-Z0-9_]+)*)(\([^)]*\))?(:?)(.*)$")
EXPECTATION = re.compile(r"\b([a-z]*xp[a-z]*ct[a-z]*[-_][a-z]+(?:-re)?)\b(.*)$")
# What -verify-diagnostics accepts after the word.
POSITION = re.compile(r"^\s*(@(\+\d+|-\d+|above|below|unknown|\S+:\d+))?\s*(\d+[+]?|[+*])?\s*\{\{")


def prefixes_of(text):
    """Prefixes that the FileCheck runs of a file read."""
    runs = "\n".join(line for line in text.splitlines() if "RUN:" in line)
    found = set()
    for value in re.findall(r"--?check-prefix(?:es)?[= ](\S+)", runs):
        found.update(value.split(","))
    # A FileCheck without a prefix of its own reads CHECK.
    for command in re.split(r"[|;&\n]", runs):
        if "FileCheck" in command and "check-prefix" not in command:
            found.add("CHECK")
    return found


def base_and_form(word):
    match = re.match(r"^(.*?)(?:-(NEXT|SAME|NOT|DAG|LABEL|EMPTY|COUNT-\d+))?$", word)
    return match.group(1), match.group(2) or ""


def near(word, names):
    """Whether `word` is probably a misspelt one of `names`."""
    return bool(difflib.get_close_matches(word.upper(), names, n=1, cutoff=0.75))


def lint(path):
    text = path.read_text(encoding="utf-8")
    prefixes = prefixes_of(text)
    used = set()
    findings = []

    def report(number, message):
        findings.append(f"{path}:{number}: {message}")

    if "RUN:" not in text:
        report(1, "expected a RUN line, but got none")
    for number, line in enumerate(text.splitlines(), 1):
        comment = (BARE if path.suffix == ".test" else COMMENT).match(line)
        if comment:
            word = re.match(r"^([A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*)", comment.group(1))
            directive = DIRECTIVE.match(comment.group(1))
            if directive and directive.group(1) not in PROSE:
                name, colon = directive.group(1), directive.group(3)
                base, _ = base_and_form(name)
                if base in prefixes:
                    used.add(base)
                    if not colon:
                        report(number, f"expected ':' after '{name}', but got none")
                elif name not in LIT and (colon or near(base, LIT | prefixes | {"CHECK"})):
                    names = ", ".join(sorted(prefixes)) or "none"
                    report(number, "expected a directive of lit or a prefix of this "
                                   f"file ({names}), but got '{name}'")
            elif word and ":" in comment.group(1)[len(word.group(1)):][:1]:
                # `Check:`, `check-next:`
                base, _ = base_and_form(word.group(1).upper())
                if base in prefixes | {"RUN", "CHECK"}:
                    report(number, f"expected '{word.group(1).upper()}', but got '{word.group(1)}'")
        if "//" in line:
            expectation = EXPECTATION.search(line.split("//", 1)[1])
            if expectation:
                name, rest = expectation.groups()
                if name.removesuffix("-re") not in EXPECTED:
                    report(number, f"expected one of {', '.join(sorted(EXPECTED))}, but got '{name}'")
                elif not POSITION.match(rest):
                    report(number, f"expected a position and '{{{{' after '{name}', but got '{rest.strip()[:20]}'")
                elif "verify-diagnostics" not in text:
                    report(number, f"expected -verify-diagnostics in a RUN line for '{name}', but got none")
    for prefix in sorted(prefixes - used):
        report(1, f"expected a use of the prefix '{prefix}', but got none")
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    findings = []
    for root in parser.parse_args().paths:
        files = [root] if root.is_file() else sorted(root.rglob("*"))
        for path in files:
            nested = path.relative_to(root).parts if path != root else ()
            if path.is_file() and path.suffix in SUFFIXES and "Inputs" not in nested:
                findings += lint(path)
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
