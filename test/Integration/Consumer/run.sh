#!/usr/bin/env bash
# run.sh SOURCE BUILD MIRAGE_DIR CMAKE_ARGUMENT...: configures the consumer against a
# Mirage, builds it and runs what it made.
set -euo pipefail
source=$1 build=$2 mirage=$3
shift 3
cmake -S "$source" -B "$build" -G Ninja "-DMirage_DIR=$mirage" "$@" > "$build.log" 2>&1 ||
  { cat "$build.log"; exit 1; }
cmake --build "$build"
"$build/consumer-opt" "$source/Inputs/program.mlir" --consumer-pipeline \
  > "$build/out.mlir" 2> "$build/remarks.txt" ||
  { cat "$build/remarks.txt"; exit 1; }
grep -q 'mgraph_kernel.graph' "$build/out.mlir"
if grep -q 'mirage.certificate' "$build/out.mlir"; then
  echo "expected no certificate after the pipeline, but got one" >&2
  exit 1
fi
"$build/consumer-c" | grep 'Mirage .* for .*sm_90a'
