"""Builds the wheel: _api.py, which generate.py makes of the headers, the extension module, libtutti.so and its
plug-ins, which are found beside it. A source distribution has a copy of the headers."""
import glob
import os
import shutil
import sys

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("TUTTI_BUILD", os.path.join(os.path.dirname(HERE), "build"))
if HERE not in sys.path:
    sys.path.insert(0, HERE)
import generate  # noqa: E402


class WithLibrary(build_py):
    """build_py, then _api.py and the libraries of the build folder into the package."""

    def run(self):
        super().run()
        # An editable install imports the package from where it stands.
        editable = getattr(self, "editable_mode", False)
        to = os.path.join(HERE, "src", "tutti") if editable else os.path.join(self.build_lib, "tutti")
        library = os.path.join(BUILD, "libtutti.so")
        if not os.path.exists(library):
            raise SystemExit("there is no %s: run make first, or name the build folder in TUTTI_BUILD" % library)
        generate.write("_api.py", to)
        shutil.copy2(library, os.path.join(to, soname()))
        for plugin in glob.glob(os.path.join(BUILD, "libtutti_*.so")):
            if "seen" not in plugin:
                shutil.copy2(plugin, to)


class WithHeaders(sdist):
    """sdist, and the headers of which the package is made."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        shutil.copytree(generate.INCLUDE, os.path.join(base_dir, "include"), dirs_exist_ok=True)


def soname():
    """The name by which programs find the library: libtutti.so.0.1."""
    return [os.path.basename(p) for p in glob.glob(os.path.join(BUILD, "libtutti.so.*"))][0]


setup(cffi_modules=["build_ffi.py:ffi"], cmdclass={"build_py": WithLibrary, "sdist": WithHeaders},
      options={"bdist_wheel": {"py_limited_api": "cp39"}})
