"""Builds the wheel: the extension module, libtutti.so and its plug-ins, which are found beside it."""
import glob
import os
import shutil

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("TUTTI_BUILD", os.path.join(os.path.dirname(HERE), "build"))


class WithLibrary(build_py):
    """build_py, and the libraries of the build folder into the package."""

    def run(self):
        super().run()
        to = os.path.join(self.build_lib, "tutti")
        library = os.path.join(BUILD, "libtutti.so")
        if not os.path.exists(library):
            raise SystemExit("there is no %s: run make first, or name the build folder in TUTTI_BUILD" % library)
        os.makedirs(to, exist_ok=True)
        shutil.copy2(library, os.path.join(to, soname()))
        for plugin in glob.glob(os.path.join(BUILD, "libtutti_*.so")):
            if "seen" not in plugin:
                shutil.copy2(plugin, to)


def soname():
    """The name by which programs find the library: libtutti.so.0.1."""
    return [os.path.basename(p) for p in glob.glob(os.path.join(BUILD, "libtutti.so.*"))][0]


setup(cffi_modules=["build_ffi.py:ffi"], cmdclass={"build_py": WithLibrary},
      options={"bdist_wheel": {"py_limited_api": "cp39"}})
