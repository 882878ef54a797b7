# SPDX-License-Identifier: Apache-2.0
"""A recipe for Spack: spack repo add packaging/spack && spack install tutti@main"""

import pathlib

from spack.package import *

# The clone of Tutti that this recipe stands in.
TREE = pathlib.Path(__file__).resolve().parents[4].as_posix()


class Tutti(MakefilePackage):
    """JAX's multi-device programming model as a library for C and C++: a numerical program is written once, as if for one
    device, and runs on a mesh of devices."""

    license("Apache-2.0")

    # The last commit of the clone's branch; or the tarball that `make dist` makes of it, whose checksum cannot stand in
    # a file that is part of it: spack install --no-checksum tutti@0.1.0
    git = "file://" + TREE
    url = "file://" + TREE + "/build/tutti-0.1.0.tar.gz"
    version("main", branch="main")
    version("0.1.0")

    variant("onednn", default=True, description="Products and convolutions by oneDNN")
    variant("mpi", default=True, description="Programs in several processes")
    variant("lapack", default=True, description="Linear algebra by LAPACK, which is found at run time")

    depends_on("c", type="build")
    depends_on("gmake@4.2:", type="build")
    depends_on("jansson")
    depends_on("zlib-api")
    depends_on("onednn", when="+onednn")
    depends_on("mpi", when="+mpi")
    depends_on("openblas", type="run", when="+lapack")

    conflicts("platform=darwin", msg="Tutti is for Linux: docs/platforms.md")
    conflicts("platform=windows", msg="Tutti is for Linux: docs/platforms.md")
    conflicts("%gcc@:8", msg="C17 with the attributes that Tutti uses needs gcc 9")

    def _names(self):
        names = ["CC=" + spack_cc, "PREFIX=" + self.prefix, "LIBDIR=" + self.prefix.lib]
        for kind in ("openmpi", "mpich"):
            mine = self.spec.satisfies("+mpi ^[virtuals=mpi] " + kind)
            names.append("MPICC_%s=%s" % (kind, self.spec["mpi"].mpicc if mine else "no-mpicc"))
        return names

    def build(self, spec, prefix):
        make(*self._names(), "lib", "build/tutti", "man")

    def check(self):
        for test in ("ir/text", "op/elem"):
            make(*self._names(), "test", "T=" + test)

    def install(self, spec, prefix):
        make(*self._names(), "install")

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def runs_a_program(self):
        tutti = Executable(join_path(self.prefix.bin, "tutti"))
        assert "f32[8@i]" in tutti("run", join_path(self.stage.source_path, "examples", "hello.c"), output=str)
