"""Tutti: write a numerical program once, as if for one device; run it on a mesh of devices.

    import tutti as tt
    f = tt.jit(lambda x: tt.sum(x * 2))
    g = tt.grad(f)

Arrays and functions have the names of jax.numpy, jax.random, jax.nn and jax itself."""
from ._core import (ArgumentError, DtypeError, Error, FileError, GradError, LifeError, MeshError, OutOfMemory,
                    ShapeError,
                    SpecError, TextError, TraceError, TreeError, scope)
from ._dtypes import DTYPES as _DTYPES, Dtype, dtype
from ._tree import register_pytree_node, tree_flatten, tree_leaves, tree_map, tree_structure, tree_unflatten
from ._array import Array, State, array, asarray, from_dlpack
from ._mesh import Mesh, current_mesh, device_count, mesh
from ._functions import (Function, associative_scan, checkpoint, cond, custom_jvp, custom_root, custom_vjp, eval_shape,
                         fori_loop, grad, hessian, jacfwd, jacrev, jit, jvp, linearize, map, pmap, remat, scan,
                         shard_map,
                         stop_gradient, switch, value_and_grad, vjp, vmap, while_loop)
from ._numpy import *  # noqa: F401,F403
from ._numpy import all, any, max, min, round, sum  # noqa: A004
from ._report import (ShapeDtypeStruct, clear_caches, config, doctor, draw, drawing, explain, export, import_hlo,
                      ir_text, manager_steps, plan, plan_text, reproducible, shape, show, threads, timeit)
from ._callback import array_from_callback, io_callback, pure_callback
from . import _api, data, debug, nn, optim, random
from .optim import step as opt_step

for _d in _DTYPES:
    if _d.name != "bool":
        globals()[_d.name] = _d
bool_ = _DTYPES[0]
newaxis = None
inf, nan, pi, e = float("inf"), float("nan"), 3.141592653589793, 2.718281828459045
key, fold_in = random.key, random.fold_in


class _Names:
    """The functions of some headers of C under one name: tt.linalg.svd, tt.nn.relu."""

    def __init__(self, name, *headers):
        self.__name__ = "tutti." + name
        for h in headers:
            for n in _api.HEADERS.get(h, []):
                setattr(self, n, globals().get(n, getattr(_api, n)))

    def __repr__(self):
        return "<functions of %s>" % self.__name__


linalg = _Names("linalg", "linalg", "scipy")
stats = _Names("stats", "stats")
special = _Names("special", "special")
fft = _Names("fft")
for _n in ("fft ifft rfft irfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn fftfreq rfftfreq fftshift "
           "ifftshift").split():
    setattr(fft, _n, getattr(_api, _n))
__version__ = "0.1.0"
