"""Suite `printed`: the same programs as several versions of JAX print them, shard_map and pmap over eight devices first.

A version adds its own; what others printed stays: run it once in each of their environments.
"""

import json
import os
import zipfile

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

try:
    from jax import shard_map
except ImportError:
    from jax.experimental.shard_map import shard_map

from golden import Suite, versions

TOL = {"rtol": 2e-5, "atol": 2e-5}


def suite(out, seed, many):
    s = Suite(out, "printed", seed, many, versions("jax"))
    old = os.path.join(s.dir, "cases.json")
    if not os.path.exists(old):
        return s
    arrays = np.load(os.path.join(s.dir, "arrays.npz"))
    for c in json.load(open(old)):
        if c["made"] != s.made:
            s.cases.append(c)
            s.arrays.update({n: arrays[n] for n in c["in"] + c["out"]})
    return s


def mesh(**axes):
    n = int(np.prod(list(axes.values())))
    return Mesh(np.array(jax.devices()[:n]).reshape(tuple(axes.values())), tuple(axes))


def mapped(f, m, i, o):
    for unchecked in ({"check_vma": False}, {"check_rep": False}):
        try:
            return shard_map(f, mesh=m, in_specs=i, out_specs=o, **unchecked)
        except TypeError:
            continue


def everything(a, axes, n):
    return (
        lax.psum(a, axes),
        lax.pmax(a, axes) - lax.pmin(a, axes),
        lax.all_gather(a, axes, axis=1, tiled=True),
        lax.psum_scatter(a, axes, scatter_dimension=1, tiled=True),
        lax.all_to_all(a, axes, 1, 0, tiled=True),
    )


def moves(a):
    ring = [(i, (i + 1) % 4) for i in range(4)]
    return lax.ppermute(a, "y", ring), lax.ppermute(a, "x", [(0, 1)]), a + lax.axis_index(("x", "y"))


def loss(w, a):
    f = mapped(lambda q, b: lax.psum(jnp.tanh(b @ q) @ q.T, "y"), mesh(x=2, y=4), (P(None, "y"), P("x")), P("x"))
    return (f(w, a) ** 2).sum()


def newton(a):
    def more(s):
        return (jnp.abs(s[0] ** 2 - a) > 1e-5) & (s[1] < 50)

    return lax.while_loop(more, lambda s: (0.5 * (s[0] + a / s[0]), s[1] + 1), (a, 0))


def programs(s):
    m1, m2, m3 = mesh(x=8), mesh(x=2, y=4), mesh(x=2, y=2, z=2)
    x = s.floats((16, 8))
    for name, m, axes in (("x8", m1, ("x",)), ("y4", m2, ("y",)), ("yx", m2, ("y", "x")), ("zx", m3, ("z", "x"))):
        whole, n = P(m.axis_names), int(np.prod([m.shape[a] for a in axes]))
        yield "shard_map_" + name, mapped(lambda a, axes=axes, n=n: everything(a, axes, n), m, whole, whole), (x,)
    yield "shard_map_moves", mapped(moves, m2, P(("x", "y")), P(("x", "y"))), (x,)
    groups = [[0, 2], [1, 3], [4, 6], [5, 7]]
    yield "shard_map_groups", mapped(lambda a: lax.psum(a, "x", axis_index_groups=groups), m1, P("x"), P("x")), (x,)
    yield "shard_map_grad", jax.grad(loss, (0, 1)), (s.floats((3, 8)), s.floats((4, 3)))
    rows = NamedSharding(m2, P("x", "y"))
    yield "constraint", lambda a: lax.with_sharding_constraint(jnp.sin(a), rows).sum(0), (x,)
    yield "newton", jax.vmap(newton), (np.abs(s.floats((5,))) * 9,)
    yield "scan_grad", jax.grad(lambda w, t: lax.scan(lambda c, u: (jnp.tanh(c @ w + u), c.sum()), t[0], t)[1].sum()), (
        s.floats((4, 4), scale=0.5),
        s.floats((7, 4)),
    )
    yield "random", lambda k: (jax.random.normal(k, (4, 3)), jax.random.permutation(k, 10)), (np.array([0, 3], np.uint32),)
    yield "solve", lambda a, b: jnp.linalg.solve(a @ a.T + 4 * jnp.eye(4), b), (s.floats((4, 4)), s.floats((4, 2)))
    yield "pmap_sums", jax.pmap(lambda a, b: (lax.psum(a, "i"), a * b, lax.axis_index("i")), "i", in_axes=(0, None)), (
        s.floats((8, 3)),
        s.floats((3,)),
    )
    yield "pmap_moves", jax.pmap(lambda a: (lax.all_gather(a, "i"), lax.psum_scatter(a, "i"), lax.all_to_all(a, "i", 0, 0)), "i"), (
        s.floats((8, 8, 2)),
    )
    yield "pmap_plain", jax.pmap(lambda a: jnp.sin(a).sum(0)), (s.floats((4, 3, 2)),)
    sparse = __import__("jax.experimental.sparse", fromlist=["BCSR"])
    yield "sparse", lambda d, i, p, b: sparse.BCSR((d, i, p), shape=(3, 4)) @ b, (
        s.floats((6,)),
        np.array([0, 2, 1, 3, 0, 3], np.int32),
        np.array([0, 2, 2, 6], np.int32),
        s.floats((4, 3)),
    )


def fill(s):
    version = jax.__version__
    for name, f, args in programs(s):
        jitted = f if hasattr(f, "lower") else jax.jit(f, keep_unused=True)
        out = [np.asarray(o) for o in jax.tree_util.tree_leaves(jitted(*args))]
        file = s.text(f"{name}_{version}.mlir", jitted.lower(*args).as_text())
        s.case(f"{name}/{version}", "program", name, None, args, out, TOL, file=file, transform="none")
