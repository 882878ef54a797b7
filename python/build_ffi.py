"""The extension module tutti._tutti: the declarations that generate.py makes of the headers, and those of glue.h,
compiled against libtutti.so.

TUTTI_BUILD names the build folder of the library (default: build of the tree)."""
import os
import sys

import cffi

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("TUTTI_BUILD", os.path.join(os.path.dirname(HERE), "build"))
if HERE not in sys.path:
    sys.path.insert(0, HERE)
import generate  # noqa: E402

with open(os.path.join(HERE, "glue.h")) as f:
    glue = f.read().split("/* ---- */")[1]
with open(os.path.join(HERE, "glue.c")) as f:
    source = f.read()

ffi = cffi.FFI()
ffi.cdef(generate.made()[0]["cdef.h"] + glue + """extern "Python" void pt_python(int64_t number, int n, const tt_val *args, tt_val *out);
    extern "Python" void pt_python_module(const tt_nn *m, const tt_val *x, tt_val *out);
    extern "Python" void pt_python_activation(int gate, const tt_val *x, tt_val *out);
    extern "Python" void pt_python_initializer(const tt_val *key, int dtype, const int64_t *dims, tt_val *out);
    extern "Python" const char *pt_python_callback(void *env, int nin, const tt_box *in, int nout, const tt_box *out);
    extern "Python" bool pt_python_fill(void *env, const int64_t *lo, const int64_t *n, void *to);""")
# Relative paths keep the build folder's path out of the wheel.
ffi.set_source("tutti._tutti", source, include_dirs=[HERE, generate.INCLUDE], library_dirs=[BUILD],
               libraries=["tutti"], extra_link_args=["-Wl,-rpath,$ORIGIN"], extra_compile_args=["-O1", "-g0"],
               py_limited_api=True)
