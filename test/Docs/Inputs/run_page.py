"""Runs the commands of a page, and checks the output that it shows.

    run_page.py PAGE BUILD [WORD...]

The page is written to be followed from the root of the sources, so its commands
run in a scratch folder that looks like it. In order of the page:

    ```sh                 run by bash, which stops at the first failure
    ```text               each line is in the output of the commands before it, in
                          this order; `...` stands for anything
    ```mlir, ```python    with a first line `// NAME` or `# NAME`: the file NAME

Other blocks (```console) are for the reader alone: they need a GPU, say. A block of
commands that contains a WORD is for the reader alone too, and said to be skipped.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fail(message):
    print(f"run_page: {message}", file=sys.stderr)
    sys.exit(1)


def look_like_root(folder, root, build):
    for entry in root.iterdir():
        if entry.name not in ("out", "build"):
            (folder / entry.name).symlink_to(entry)
    (folder / "build").symlink_to(build)


def check_shown(text, output):
    rest = output
    for line in filter(None, map(str.strip, text.splitlines())):
        pattern = ".*".join(map(re.escape, line.split("...")))
        found = re.search(pattern, rest)
        if not found:
            fail(f"expected '{line}' in the output, but got:\n{output}")
        rest = rest[found.end():]


def main():
    page, build = Path(sys.argv[1]), Path(sys.argv[2])
    root = page.resolve().parent
    while not (root / "CMakePresets.json").exists():
        root = root.parent
    ran, skipped, output = 0, 0, ""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        look_like_root(folder, root, build)
        for language, text in FENCE.findall(page.read_text()):
            first = re.match(r"(?://|#) (\S+\.\w+)\n", text)
            if language == "sh":
                if any(word in text for word in sys.argv[3:]):
                    skipped += 1
                    continue
                done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                output = done.stdout
                if done.returncode != 0:
                    fail(f"expected status 0 of the commands\n{text}but got {done.returncode}:\n{output}")
                ran += 1
            elif language == "text":
                check_shown(text, output)
            elif language in ("mlir", "python") and first:
                (folder / first.group(1)).write_text(text)
    print(f"{page.name}: {ran} blocks of commands ran, {skipped} skipped")


main()
