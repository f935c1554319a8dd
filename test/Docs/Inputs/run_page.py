"""Runs the commands of a page, and checks the output that it shows.

    run_page.py PAGE BUILD FOLDER [WORD...]

The page is written to be followed from the root of the sources, so its commands
run in FOLDER, which is made anew to look like it. In order of the page:

    ```sh                 run by bash, which stops at the first failure
    ```text               each line is in the output of the commands before it, in
                          this order; `...` stands for anything
    any other             with a first line `// NAME` or `# NAME`: the file NAME

Other blocks (```console) are for the reader alone: they need a GPU, say. So is a block
of commands that contains a WORD, with the output that it shows; it is said to be skipped.
"""
import re
import shutil
import subprocess
import sys
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
    page, build, folder = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
    root = page.resolve().parent
    while not (root / "CMakePresets.json").exists():
        root = root.parent
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    look_like_root(folder, root, build)
    ran, skipped, output = 0, 0, ""
    for language, text in FENCE.findall(page.read_text()):
        named = re.match(r"(?://|#) (\S+\.\w+)\n", text)
        if language == "sh" and any(word in text for word in sys.argv[4:]):
            skipped += 1
            output = None
        elif language == "sh":
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            output = done.stdout
            if done.returncode != 0:
                fail(f"expected status 0 of the commands\n{text}but got {done.returncode}:\n{output}")
            ran += 1
        elif language == "text" and output is not None:
            check_shown(text, output)
        elif named:
            path = folder / named.group(1)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    print(f"{page.name}: {ran} blocks of commands ran, {skipped} skipped")


main()
