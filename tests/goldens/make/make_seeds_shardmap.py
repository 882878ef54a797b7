"""Suite `seeds_shardmap`: the small programs of the shard_map notebook."""

import hashlib

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

from golden import Suite, versions
from make_collectives import mesh_of, spec_of


def suite(out, seed, many):
    return Suite(out, "seeds_shardmap", seed, many, versions("jax"))


def fill(s):
    for _ in range(s.many):
        mesh = s.pick("i=4,j=2", "i=2,j=4", "i=2,j=2")
        m = mesh_of(mesh)
        a, b = m.devices.shape
        key = np.asarray(jax.random.PRNGKey(int(s.rng.integers(0, 999))))
        axes = s.pick(["i"], ["j"], ["i", "j"], ["j", "i"])

        def fold(k):
            for axis in axes:
                k = jax.random.fold_in(k, lax.axis_index(axis))
            return k[None]

        keys = jax.jit(jax.shard_map(fold, mesh=m, in_specs=P(), out_specs=P(("i", "j")), check_vma=False))(key)
        s.case(
            f"fold/{mesh}/{'-'.join(axes)}",
            "fold_axis",
            "fold_rng_over_axis",
            {"mesh": mesh, "axes": axes, "args": ["key"], "outs": ["keys"]},
            [key],
            [keys],
        )
        n, k, c = a * int(s.rng.integers(1, 5)), int(s.rng.integers(2, 12)), b * int(s.rng.integers(1, 5))
        x, w, v = s.floats((n, k)), s.floats((k, c)), s.floats((c,))
        specs = ["i,-", "-,j", "j"]
        s.case(
            f"mm/{mesh}",
            "shardmap",
            "matmul_bias",
            {
                "mesh": mesh,
                "in_specs": specs,
                "out_specs": ["i,j"],
                "local_shapes": [[n // a, k], [k, c // b], [c // b]],
                "args": ["x", "w", "b"],
                "outs": ["y"],
            },
            [x, w, v],
            [x @ w + v],
            {"rtol": 1e-5, "atol": 2e-5},
        )
        z = s.floats((a * 2, b * 3))

        def normalize(t):
            off = t - lax.pmean(t, "j")
            return off / jnp.sqrt(lax.pmean(off**2, "j"))

        y = jax.jit(jax.shard_map(normalize, mesh=m, in_specs=P("i", "j"), out_specs=P("i", "j")))(z)
        s.case(
            f"normalize/{mesh}",
            "shardmap",
            "parallel_normalize",
            {"mesh": mesh, "in_specs": ["i,j"], "out_specs": ["i,j"], "axis": "j", "args": ["x"], "outs": ["y"]},
            [z],
            [y],
            {"rtol": 1e-5, "atol": 1e-5},
        )
        line = mesh_of("i=4")
        t = s.quarters((16, 4))
        tiled = bool(s.rng.integers(0, 2))
        y = jax.jit(
            jax.shard_map(
                lambda u: lax.psum_scatter(u, "i", scatter_dimension=1, tiled=tiled),
                mesh=line,
                in_specs=P("i", None),
                out_specs=P("i"),
                check_vma=False,
            )
        )(t)
        s.case(
            f"scatter/{tiled}",
            "shardmap",
            "psum_scatter",
            {"mesh": "i=4", "in_specs": ["i,-"], "scatter_dimension": 1, "tiled": tiled, "args": ["x"], "outs": ["y"]},
            [t],
            [y],
        )
        g, h = s.floats((8, 8)), s.floats((8, 5))
        s.case(
            f"gmm/{mesh}",
            "gather_matmul",
            "all_gather",
            {"mesh": mesh, "axis": "i", "args": ["x", "w"], "outs": ["y"]},
            [g, h],
            [g @ h],
            {"rtol": 1e-5, "atol": 2e-5},
        )
        shape, least = [int(d) for d in s.rng.integers(1, 20, int(s.rng.integers(1, 4)))], int(s.pick(0, 16, 64))
        params(s, shape, least)
    donations(s)


def params(s, shape, least):
    n, value = 8, np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)
    fits = [d for d in range(len(shape)) if shape[d] % n == 0]
    if value.size <= least:
        verdict, dim = "too small", None
    elif not fits:
        verdict, dim = "no axis", None
    else:
        verdict, dim = "sharded", max(fits, key=lambda d: (shape[d], d))
    local = np.stack([value] * n if dim is None else np.split(value, n, dim))
    if local.size > 4096:
        return
    spec = ",".join("data" if d == dim else "-" for d in range(len(shape)))
    s.case(
        f"shard/{'x'.join(map(str, shape))}/{least}",
        "shard_params",
        "shard_params",
        {
            "devices": n,
            "axis": "data",
            "min_weight_size": least,
            "shape": shape,
            "names": None,
            "sha256": hashlib.sha256(local.tobytes()).hexdigest(),
            "outs": ["local"],
        },
        [],
        [local],
        text=f"{verdict}\n{spec}\n",
    )


def donations(s):
    for fn, sizes, gone in (("same", [16, 8], [1, 1]), ("smaller", [16, 8], [0, 1]), ("dtype", [16, 8], [1, 1])):
        s.case(
            f"donate/{fn}",
            "donation",
            fn,
            {"devices": 8, "sizes": sizes, "in_spec": "data", "warned": False},
            text="".join("gone\n" if g else "kept\n" for g in gone),
        )
