"""Meshes: tt.mesh("data:2, model:4"); with mesh: gives it to the transforms that are made inside."""
from . import _core
from ._core import ffi, lib


class Mesh:
    """Devices on a grid whose axes have names. As a context it is the mesh in use: the default of jit, pmap and
    shard_map."""

    def __init__(self, handle):
        self._mesh = handle
        self._was = []

    @property
    def spec(self):
        """The text that makes this mesh: "data:2, model:4"."""
        return _core.text_of(lib.tt_mesh_spec(self._mesh))

    @property
    def size(self):
        """The number of devices."""
        return int(lib.tt_mesh_size(self._mesh, ffi.NULL))

    @property
    def shape(self):
        """The sizes of the axes by their names."""
        names = [axis.split(":")[0].strip() for axis in self.spec.split(",")]
        return {n: int(lib.tt_mesh_size(self._mesh, n.encode())) for n in names}

    @property
    def axis_names(self):
        return tuple(self.shape)

    def using(self, rules=None):
        """A context with rules, logical axes to mesh axes: with mesh.using("batch:data, hidden:model"): ..."""
        return _Using(self, rules)

    def __enter__(self):
        self._was.append(_Using(self, None))
        self._was[-1].__enter__()
        return self

    def __exit__(self, *error):
        self._was.pop().__exit__(*error)

    def __eq__(self, other):
        return isinstance(other, Mesh) and self._mesh.p == other._mesh.p

    def __hash__(self):
        return hash(int(ffi.cast("intptr_t", self._mesh.p)))

    def __repr__(self):
        return "Mesh(\"%s\")" % self.spec


_use_options = _core.Options("tt_set_mesh_opts", "rules=rules:s")


class _Using:
    def __init__(self, mesh, rules):
        self.mesh, self.rules = mesh, rules

    def __enter__(self):
        keep = []
        self.was = lib.tt_set_mesh_at(_core.here(), self.mesh._mesh, _use_options.struct((self.rules,), keep))
        _core.check()
        return self.mesh

    def __exit__(self, *error):
        lib.tt_restore_mesh(self.was)


def mesh(spec, order=None) -> Mesh:
    """A mesh of named axes, major axis first: "data:2, model:4"; "data:2 explicit": layouts over data are part of the
    types. order: the devices, row-major."""
    site = _core.here()
    options = ffi.NULL
    if order is not None:
        places = _core.wholes("order", order)
        size = int(lib.tt_mesh_size(mesh(spec)._mesh, ffi.NULL))
        if len(places) != size:
            raise _core.fail(_core.MeshError, "mesh: order has %d devices; \"%s\" has %d" % (len(places), spec, size))
        options = ffi.new("tt_mesh_opts *")
        numbers = ffi.new("int64_t[]", places)
        options.size, options.order = ffi.sizeof(options[0]), numbers
    m = lib.tt_mesh_at(site, _core.text("mesh", spec), options)
    _core.check()
    return Mesh(m)


def _mesh_value(what, m):
    if not isinstance(m, Mesh):
        raise _core.fail(_core.MeshError, "%s: a mesh is expected, not %s" % (what, type(m).__name__),
                         'tt.mesh("data:8")')
    return m._mesh


_core.CONVERT["m"] = _mesh_value


def current_mesh():
    """The mesh in use; None: there is none."""
    m = lib.tt_current_mesh()
    return None if m.p == ffi.NULL else Mesh(m)


def mesh_of(x):
    """The mesh that an array is laid out over; None: it is not."""
    m = lib.tt_mesh_of_at(_core.here(), x._v)
    _core.check()
    return None if m.p == ffi.NULL else Mesh(m)


def device_count() -> int:
    """The number of devices: TUTTI=devices:N, else of the largest mesh so far, else the cores."""
    return int(lib.tt_device_count())
