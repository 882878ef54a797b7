"""The extension module tutti._tutti: the declarations of cdef.h and glue.h, compiled against libtutti.so.

TUTTI_BUILD names the build folder of the library (default: build of the tree)."""
import os

import cffi

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BUILD = os.environ.get("TUTTI_BUILD", os.path.join(ROOT, "build"))

with open(os.path.join(HERE, "glue.h")) as f:
    glue = f.read().split("/* ---- */")[1]
with open(os.path.join(HERE, "cdef.h")) as f:
    declared = f.read()
with open(os.path.join(HERE, "glue.c")) as f:
    source = f.read()

ffi = cffi.FFI()
ffi.cdef(declared + glue + 'extern "Python" void pt_python(int64_t number, int n, const tt_val *args, tt_val *out);')
# Relative paths keep the build folder's path out of the wheel.
ffi.set_source("tutti._tutti", source, include_dirs=[HERE, os.path.join(ROOT, "include")], library_dirs=[BUILD],
               libraries=["tutti"], extra_link_args=["-Wl,-rpath,$ORIGIN"], extra_compile_args=["-O1", "-g0"],
               py_limited_api=True)
