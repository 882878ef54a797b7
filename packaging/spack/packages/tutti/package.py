# SPDX-License-Identifier: Apache-2.0
"""A recipe for Spack: spack repo add packaging/spack && spack install tutti"""

from spack.package import *


class Tutti(MakefilePackage):
    """JAX's multi-device programming model as a library for C and C++: a numerical program is written once, as if for one
    device, and runs on a mesh of devices."""

    license("Apache-2.0")

    # A release has no place of its own to be fetched from; `make dist` makes its tarball and prints the checksum:
    # spack mirror create, or a file beside this recipe.
    url = "file:///opt/src/tutti-0.1.0.tar.gz"
    version("0.1.0", expand=True)

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

    def install(self, spec, prefix):
        make(*self._names(), "install")

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def runs_a_program(self):
        tutti = Executable(join_path(self.prefix.bin, "tutti"))
        assert "f32[8@i]" in tutti("run", "examples/hello.c", output=str)
