# Configuration of the lit suite, shared by every build folder.

import glob
import os

import lit.formats
import lit.util

config.name = "Mirage"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.mirage_obj_root, "test")

# Mirage's tools first, then FileCheck and not of the LLVM it is built against.
config.environment["PATH"] = os.pathsep.join(
    [config.mirage_tools_dir, config.llvm_tools_dir, config.environment["PATH"]]
)
config.substitutions.append(("%mirage_src_root", config.mirage_src_root))
config.substitutions.append(("%mirage_obj_root", config.mirage_obj_root))
config.substitutions.append(("%python", f'"{config.python_executable}"'))
config.substitutions.append(("%mlir_tblgen", config.mlir_tblgen))
config.substitutions.append(("%clang_format", os.path.join(config.llvm_tools_dir, "clang-format")))
config.substitutions.append(("%mlir_include", config.mlir_include_dir))

# ptxas, wherever CUDA lies, or the package nvidia-cuda-nvcc of a .venv beside the
# sources: tests that need it say REQUIRES: ptxas.
packaged = glob.glob(
    os.path.join(
        config.mirage_src_root, ".venv/lib/python3*/site-packages/nvidia/**/bin"
    ),
    recursive=True,
)
ptxas = lit.util.which(
    "ptxas",
    os.pathsep.join(
        [os.environ.get("PATH", "")]
        + [
            os.path.join(root, "bin")
            for root in (os.environ.get("CUDA_HOME"), "/usr/local/cuda")
            if root
        ]
        + sorted(packaged)
    ),
)
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
# LLVM's archives and those that they need, for what is linked whole.
if os.path.exists("/usr/lib/llvm-22/lib/libLLVMSupport.a") and os.path.exists(
    "/usr/lib/x86_64-linux-gnu/libzstd.a"
):
    config.available_features.add("static-llvm")

# Graphviz, which reads what --export-dot writes.
if lit.util.which("dot", os.environ.get("PATH", "")):
    config.available_features.add("graphviz")

# Chromium with playwright (pip install playwright), for pages: tests say REQUIRES: browser.
if lit.util.which("chromium", os.environ.get("PATH", "")) and glob.glob(
    os.path.join(config.mirage_src_root, ".venv/lib/python3*/site-packages/playwright")
):
    config.available_features.add("browser")
    config.substitutions.append(("%browser_python", os.path.join(config.mirage_src_root, ".venv/bin/python3")))
else:
    lit_config.note("the test of report pages in a browser is skipped: expected chromium on the PATH and playwright in .venv, but found none")

# PyTorch in .venv, for the pages that use it.
if glob.glob(os.path.join(config.mirage_src_root, ".venv/lib/python3*/site-packages/torch")):
    config.available_features.add("torch")

# iree-compile, on the PATH or as `utils/setup --iree` installs it: tests that need
# it say REQUIRES: iree.
iree_compile = lit.util.which(
    "iree-compile",
    os.pathsep.join(
        [os.environ.get("PATH", ""), os.path.join(config.mirage_src_root, ".venv/bin")]
    ),
)
if iree_compile:
    config.available_features.add("iree")
    config.substitutions.append(("%iree_compile", iree_compile))
else:
    lit_config.note("tests of the IREE export are skipped: expected iree-compile on the PATH or in .venv, but found none")
# Lowering must not depend on a CUDA toolkit that happens to be installed.
config.environment.pop("CUDA_HOME", None)
