"""Prints the readable runs of a binary file, one a line."""
import re
import sys

for run in re.findall(rb"[\t\n -~]{4,}", open(sys.argv[1], "rb").read()):
    print(run.decode())
