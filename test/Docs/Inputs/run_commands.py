"""Runs the lines of a page's ```sh blocks in the current folder and echoes them.

    run_commands.py PAGE.md START COMMAND DRIVER.so

Before the first line that begins with START, COMMAND is run. Lines that use a GPU
are given DRIVER.so as the CUDA driver.
"""
import re
import subprocess
import sys


def main():
    page, start, command, driver = sys.argv[1:]
    blocks = re.findall(r"^```sh\n(.*?)^```", open(page, encoding="utf-8").read(), re.M | re.S)
    lines = [line for block in blocks for line in block.splitlines()]
    if not lines:
        sys.exit(f"expected ```sh blocks in {page}, but found none")
    prepared = False
    for line in lines:
        if line.startswith(start) and not prepared:
            subprocess.run(command, shell=True, check=True)
            prepared = True
        print("$", line, flush=True)
        if "--bundle=" in line or "--gpu" in line:
            line += f" --cuda-driver={driver}"
        subprocess.run(line, shell=True, check=True)


if __name__ == "__main__":
    main()
