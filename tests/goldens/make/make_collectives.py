"""Suite `collectives`: collectives of lax under shard_map and pmap, their derivatives, and refusals."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

from golden import Suite, versions


def suite(out, seed, many):
    return Suite(out, "collectives", seed, many, versions("jax"))


def mesh_of(text):
    names, sizes = zip(*[a.split("=") for a in text.split(",")])
    sizes = [int(n) for n in sizes]
    return Mesh(np.array(jax.devices()[: int(np.prod(sizes))]).reshape(sizes), names)


def spec_of(text):
    items = [None if t == "-" else tuple(t.split("+")) if "+" in t else t for t in text.split(",")] if text else []
    return P(*items)


def axes_of(axis):
    return tuple(axis.split("+")) if "+" in axis else axis


def drawn(s):
    """A collective over an axis of a mesh: its function and arguments, the local shape, how many devices meet."""
    mesh = s.pick("x=4", "x=2,y=4", "x=8", "x=4,y=2", "x=2,y=2")
    sizes = {a.split("=")[0]: int(a.split("=")[1]) for a in mesh.split(",")}
    axis = s.pick(*sizes, "+".join(sizes)) if len(sizes) > 1 else "x"
    n = int(np.prod([sizes[a] for a in axis.split("+")]))
    fn = s.pick("psum", "pmean", "pmax", "pmin", "all_gather", "psum_scatter", "all_to_all", "ppermute")
    tiled, dim = bool(s.rng.integers(0, 2)), int(s.rng.integers(0, 2))
    local = [int(v) for v in s.rng.integers(1, 4, 2)]
    name, a = axes_of(axis), {}
    if fn in ("psum", "pmean", "pmax", "pmin"):
        f = functools.partial(getattr(lax, fn), axis_name=name)
    elif fn == "all_gather":
        a = {"dim": dim, "tiled": tiled}
        f = functools.partial(lax.all_gather, axis_name=name, axis=dim, tiled=tiled)
    elif fn == "psum_scatter":
        a = {"dim": dim, "tiled": tiled}
        local[dim] = n * local[dim] if tiled else n
        f = functools.partial(lax.psum_scatter, axis_name=name, scatter_dimension=dim, tiled=tiled)
    elif fn == "all_to_all":
        other = int(s.rng.integers(0, 2))
        tiled = tiled or other != dim
        a = {"split": dim, "concat": other, "tiled": tiled}
        local[dim] = n * local[dim] if tiled else n
        f = functools.partial(lax.all_to_all, axis_name=name, split_axis=dim, concat_axis=other, tiled=tiled)
    else:
        to = s.rng.permutation(n)
        perm = [[i, int(to[i])] for i in range(n) if s.rng.integers(0, 4)]
        a = {"perm": perm}
        f = functools.partial(lax.ppermute, axis_name=name, perm=[tuple(p) for p in perm])
    return mesh, axis, fn, a, f, local, n


def one(s):
    mesh, axis, fn, a, f, local, n = drawn(s)
    m = mesh_of(mesh)
    every = "+".join(m.axis_names)
    spec = f"{every},-"  # every device has rows of its own
    total = int(np.prod(m.devices.shape))
    d = s.pick(np.float32, np.float32, np.int32, np.float16) if fn != "pmean" else np.float32
    x = s.quarters((total * local[0], local[1])).astype(d) if d != np.int32 else s.ints((total * local[0], local[1]))
    y_rank = 2 + (fn == "all_gather" and not a["tiled"]) - (fn == "psum_scatter" and not a["tiled"])
    out = ",".join([every] + ["-"] * (y_rank - 1))
    g = jax.jit(jax.shard_map(f, mesh=m, in_specs=spec_of(spec), out_specs=spec_of(out), check_vma=False))
    y = g(x)
    params = {
        "mode": "shard_map",
        "mesh": mesh,
        "axis": axis,
        "check": False,
        "in_specs": [spec],
        "out_specs": [out],
        **a,
    }
    s.case(f"{mesh}/{axis}/{fn}", "collective", fn, params, [x], [y], None if fn != "pmean" else {"ulp": 1})
    if d == np.float32 and fn not in ("pmax", "pmin") and not (fn == "all_to_all" and not a["tiled"]):
        ct = s.quarters(y.shape)
        back = jax.jit(lambda v, c: jax.vjp(g, v)[1](c)[0])(x, ct)
        s.case(
            f"{mesh}/{axis}/{fn}/vjp", "collective_vjp", fn, {**params, "where": "outside"}, [x, ct], [back], {"ulp": 1}
        )


def mapped(s):
    n = s.pick(2, 4, 8)
    x = s.quarters((n, *s.shape(2, 4)))
    devices = jax.devices()[:n]
    for fn in ("psum", "pmax", "pmin", "pmean"):
        y = jax.pmap(lambda v, fn=fn: getattr(lax, fn)(v, "i"), axis_name="i", devices=devices)(x)
        s.case(
            f"pmap/{n}/{fn}",
            "collective",
            fn,
            {"mode": "pmap", "n": n, "axis": "i", "groups": None},
            [x],
            [y],
            {"ulp": 1},
        )
    perm = [[i - n, int(t)] if s.rng.integers(0, 2) else [i, int(t) - n] for i, t in enumerate(s.rng.permutation(n))]
    y = jax.pmap(lambda v: lax.ppermute(v, "i", [tuple(p) for p in perm]), axis_name="i", devices=devices)(x)
    s.case(
        f"pmap/{n}/ppermute-from-the-end",
        "collective",
        "ppermute",
        {"mode": "pmap", "n": n, "axis": "i", "groups": None, "perm": perm},
        [x],
        [y],
    )
    source = [int(v) for v in s.rng.permutation(n)]
    y = jax.pmap(lambda v: lax.pshuffle(v, "i", source), axis_name="i", devices=devices)(x)
    s.case(
        f"pmap/{n}/pshuffle",
        "collective",
        "pshuffle",
        {"mode": "pmap", "n": n, "axis": "i", "groups": None, "perm": source},
        [x],
        [y],
    )
    z = s.quarters((n, 3))
    y = jax.pmap(
        lambda v: jax.vmap(lambda w: (lax.psum(w, "j"), lax.psum(w, "i"), lax.psum(w, ("i", "j"))), axis_name="j")(v),
        axis_name="i",
        devices=devices,
    )(z)
    s.case(
        f"pmap/{n}/nested", "collective_nested", "pmap_vmap_psum", {"n": n, "outer": "i", "inner": "j"}, [z], list(y)
    )


REFUSED = [
    ("unbound", "x=4", ["x"], ["x"], "psum over q", "NameError: unbound axis name: q"),
    ("too-long", "x=4", ["x,-"], ["x"], "identity", "ValueError: was given an in_specs entry which is too long"),
    (
        "twice",
        "x=2,y=2",
        ["x,x"],
        ["x"],
        "identity",
        "DuplicateSpecError: A single NamedSharding spec specification can map every mesh axis to at most one dimension",
    ),
    (
        "varies",
        "x=4",
        ["x"],
        ["-"],
        "identity",
        "out_specs which require replication which can't be statically inferred",
    ),
    (
        "indivisible",
        "x=4",
        ["x"],
        ["x"],
        "identity",
        "was given argument arrays with axis sizes that are not evenly divisible",
    ),
    (
        "ppermute-twice",
        "x=4",
        ["x"],
        ["x"],
        "ppermute 0>1 0>2",
        "ValueError: ppermute sources and destinations must be unique",
    ),
]


def verdicts(s):
    for ident, mesh, ins, outs, body, error in REFUSED:
        x = s.quarters((6,) if ident == "indivisible" else (4, 4) if ident == "twice" else (4,))
        s.case(
            f"refused/{ident}",
            "verdict",
            "shard_map",
            {"mode": "shard_map", "mesh": mesh, "check": True, "in_specs": ins, "out_specs": outs, "body": body},
            [x],
            [],
            error=error,
        )
    x = s.quarters((4,))
    m = mesh_of("x=4")
    y = jax.shard_map(lambda v: lax.psum(v, "x"), mesh=m, in_specs=P("x"), out_specs=P(None))(x)
    s.case(
        "accepted/psum",
        "verdict",
        "shard_map",
        {
            "mode": "shard_map",
            "mesh": "x=4",
            "check": True,
            "in_specs": ["x"],
            "out_specs": ["-"],
            "body": "psum over x",
        },
        [x],
        [y],
    )


def fill(s):
    for _ in range(s.many):
        for _ in range(12):
            one(s)
        mapped(s)
    verdicts(s)
