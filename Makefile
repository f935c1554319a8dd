# Thin: each target calls what does the work.
.PHONY: setup build demo test tidy format clean

setup:
	@utils/setup

build: setup
	@cmake --preset release > /dev/null
	@cmake --build build

demo: setup
	@cmake --preset release > /dev/null
	@cmake --build build --target mirage-opt mirage-translate
	@utils/demo

test: build
	@ctest --test-dir build --output-on-failure

tidy: build
	@run-clang-tidy-22 -quiet -p build "^$(CURDIR)/(lib|tools)/.*\.cpp$$"

format:
	@git ls-files '*.cpp' '*.h' | xargs /usr/lib/llvm-22/bin/clang-format -i

clean:
	@rm -rf build build-dev build-asan out
