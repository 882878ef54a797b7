"""Suite `layout`: which part each device holds, equal layouts, those that the compiler gives, refusals."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from golden import Suite, versions
from make_collectives import mesh_of, spec_of

MESHES = ["data=2,model=4", "data=4,model=2", "data=8", "x=2,y=2,z=2"]


def suite(out, seed, many):
    return Suite(out, "layout", seed, many, versions("jax"))


def drawn_spec(s, mesh, rank):
    """Each axis of the mesh at most once, alone or joined to another."""
    items = [[] for _ in range(rank)]
    for a in s.rng.permutation([a.split("=")[0] for a in mesh.split(",")]):
        if s.rng.integers(0, 3):
            items[int(s.rng.integers(0, rank))].append(str(a))
    return ",".join("+".join(i) or "-" for i in items)


def text_of(spec, rank):
    items = [("-" if e is None else "+".join(e) if isinstance(e, tuple) else e) or "-" for e in spec]
    return ",".join(items + ["-"] * (rank - len(items)))


def parts(s):
    mesh, rank = s.pick(*MESHES), int(s.rng.integers(1, 4))
    spec, shape = drawn_spec(s, mesh, rank), [8 * int(n) for n in s.rng.integers(1, 4, rank)]
    sharding = NamedSharding(mesh_of(mesh), spec_of(spec))
    index = sharding.devices_indices_map(tuple(shape))
    at = np.array(
        [
            [[i.start or 0, n if i.stop is None else i.stop] for i, n in zip(index[d], shape)]
            for d in sorted(index, key=lambda d: d.id)
        ],
        np.int64,
    )
    s.case(
        f"map/{mesh}/{spec}",
        "indices_map",
        "devices_indices_map",
        {"mesh": mesh, "order": None, "spec": spec, "shape": shape},
        [],
        [at],
    )
    other = drawn_spec(s, mesh, rank) if s.rng.integers(0, 2) else ",".join(spec.split(",")[::-1])
    same = sharding.is_equivalent_to(NamedSharding(mesh_of(mesh), spec_of(other)), rank)
    s.case(
        f"equivalent/{mesh}/{spec}~{other}",
        "equivalent",
        "is_equivalent_to",
        {"mesh": mesh, "ndim": rank, "a": spec, "b": other},
        [],
        [np.asarray(same)],
    )
    s.case(f"spec/{mesh}/{spec}", "text", "spec_repr", {"spec": spec}, text=repr(spec_of(spec)))


FUNCTIONS = {
    "add": (jnp.add, [(8, 16), (8, 16)]),
    "dot": (jnp.matmul, [(8, 16), (16, 32)]),
    "transpose": (jnp.transpose, [(8, 16)]),
    "sum0": (lambda v: v.sum(0), [(8, 16)]),
    "sum1": (lambda v: v.sum(1), [(8, 16)]),
    "relu": (jax.nn.relu, [(8, 16)]),
    "mlp": (lambda x, w, v: jnp.tanh(x @ w) @ v, [(8, 16), (16, 32), (32, 16)]),
    "broadcast": (lambda v: jnp.broadcast_to(v, (8,) + v.shape), [(16,)]),
    "batch_dot": (lambda x, y: jnp.einsum("bij,bjk->bik", x, y), [(8, 8, 16), (8, 16, 8)]),
}


def propagated(s):
    fn = s.pick(*FUNCTIONS)
    f, shapes = FUNCTIONS[fn]
    mesh = s.pick("data=2,model=4", "data=4,model=2")
    m = mesh_of(mesh)
    specs = [drawn_spec(s, mesh, len(shape)) for shape in shapes]
    args = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes]
    file = s.text(f"{fn}.mlir", jax.jit(f).lower(*args).as_text())
    shardings = tuple(NamedSharding(m, spec_of(t)) for t in specs)
    out = jax.jit(f, in_shardings=shardings).lower(*args).compile().output_shardings
    rank = len(jax.eval_shape(f, *args).shape)
    s.case(
        f"propagate/{mesh}/{fn}/{';'.join(specs)}",
        "propagate",
        fn,
        {"shapes": [list(v) for v in shapes]},
        file=file,
        mesh=mesh,
        in_specs=specs,
        out_specs=[text_of(out.spec, rank)],
    )


def constrained(s):
    mesh = s.pick("data=2,model=4", "data=4,model=2")
    spec, to, m = drawn_spec(s, mesh, 2), drawn_spec(s, mesh, 2), mesh_of(mesh)
    x = jax.device_put(jnp.arange(128.0).reshape(8, 16), NamedSharding(m, spec_of(spec)))
    y = jax.jit(lambda v: jax.lax.with_sharding_constraint(v * 2, NamedSharding(m, spec_of(to))) + 1)(x)
    s.case(
        f"constraint/{mesh}/{spec}~{to}",
        "constraint",
        "with_sharding_constraint",
        {"mesh": mesh, "spec": spec, "constraint": to, "shape": [8, 16]},
        text=text_of(y.sharding.spec, 2),
    )
    s.case(
        f"concat/{mesh}/{to}",
        "concat_ones",
        "concatenate",
        {"mesh": mesh, "constraint": to, "dim": 0},
        [np.ones((4, 8), np.float32)] * 2,
        [np.ones((8, 8), np.float32)],
    )


def verdicts(s):
    for shape, spec in (([7], "data"), ([6, 6], "data,model"), ([8, 16], "model,data")):
        m = mesh_of("data=2,model=4")
        params = {"mesh": "data=2,model=4", "shape": shape, "spec": spec}
        for fn, run in (
            ("device_put", lambda x, h: jax.device_put(x, h)),
            ("jit_in_shardings", lambda x, h: jax.jit(lambda v: v * 2, in_shardings=h)(x)),
            ("jit_out_shardings", lambda x, h: jax.jit(lambda v: v * 2, out_shardings=h)(x)),
        ):
            ident = f"uneven/{'x'.join(map(str, shape))}/{spec}/{fn}"
            try:
                y = run(jnp.zeros(shape), NamedSharding(m, spec_of(spec)))
                s.case(ident, "verdict", fn, params, text="accepted: " + text_of(y.sharding.spec, len(shape)))
            except ValueError as e:
                s.case(ident, "verdict", fn, params, error=f"IndivisibleError: {str(e).splitlines()[0][:150]}")
    for shape, n, least in (([784, 512], 8, 16), ([10], 8, 16), ([7, 9], 2, 4), ([12, 12], 4, 16), ([3, 8, 8], 8, 1)):
        fits = [d for d in range(len(shape)) if shape[d] % n == 0] if np.prod(shape) > least else []
        dim = max(fits, key=lambda d: (shape[d], d)) if fits else None
        s.case(
            f"params/{'x'.join(map(str, shape))}",
            "spec",
            "shard_params",
            {"shape": shape, "axis": "data", "n": n, "min_size": least},
            text=",".join("data" if d == dim else "-" for d in range(len(shape))),
        )


def fill(s):
    for _ in range(s.many):
        for _ in range(5):
            parts(s)
            propagated(s)
        constrained(s)
    verdicts(s)
