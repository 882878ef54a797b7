"""Suite `seeds_linen`: logical axes through rules; the stack of the Linen guide as a loop of modules."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

from golden import Suite, versions
from make_random import in_layout


def suite(out, seed, many):
    return Suite(out, "seeds_linen", seed, many, versions("jax", "flax", "optax"))


class DotReluDot(nn.Module):
    depth: int
    hidden: int

    @nn.compact
    def __call__(self, x):
        init = nn.initializers.xavier_normal()
        w1, w2 = self.param("W1", init, (self.depth, self.hidden)), self.param("W2", init, (self.hidden, self.depth))
        return jax.nn.relu(x @ w1) @ w2


def rules(s):
    names = [s.pick("batch", "embed", "hidden", "layer", "vocab") for _ in range(int(s.rng.integers(1, 4)))]
    table = [
        ["batch", "data"],
        ["hidden", "model"],
        ["embed", s.pick(None, "model", "data")],
        ["vocab", ["data", "model"]],
    ]
    table = [table[i] for i in s.rng.permutation(4)[: int(s.rng.integers(1, 5))]]
    ident, params = f"logical/{','.join(names)}/{len(table)}", {"names": ",".join(names), "rules": table}
    try:
        spec = nn.logical_to_mesh_axes(names, [(n, tuple(a) if isinstance(a, list) else a) for n, a in table])
        items = ["-" if a is None else "+".join(a) if isinstance(a, tuple) else a for a in spec]
        s.case(ident, "spec", "logical_to_mesh", params, text=",".join(items))
    except ValueError as e:
        s.case(ident, "spec", "logical_to_mesh", params, error=str(e))


class Stack(nn.Module):
    layers: int
    depth: int
    hidden: int

    @nn.compact
    def __call__(self, x):
        for _ in range(self.layers):
            x = DotReluDot(self.depth, self.hidden)(x)
        return x


def stack(s):
    p = {
        "batch": 4,
        "layers": int(s.rng.integers(1, 4)),
        "depth": int(s.pick(8, 12)),
        "hidden": int(s.pick(8, 16)),
        "seed": int(s.rng.integers(0, 99)),
        "input": "normal",
        "input_seed": int(s.rng.integers(0, 99)),
        "layout": s.pick("original", "partitionable"),
        "stack": "loop",
        "rate": 0.003,
        "steps": 3,
    }
    net = Stack(p["layers"], p["depth"], p["hidden"])
    with in_layout(p["layout"]):
        x = jax.random.normal(jax.random.PRNGKey(p["input_seed"]), (p["batch"], p["depth"]))
        w = net.init(jax.random.PRNGKey(p["seed"]), x)["params"]
    apply = lambda v: net.apply({"params": v}, x)
    each = lambda tree, n: jnp.stack([tree[f"DotReluDot_{i}"][n] for i in range(p["layers"])])
    head = lambda tree, n: each(tree, n)[:, 0, :8]
    ident = f"{p['layers']}x{p['depth']}x{p['hidden']}/{p['seed']}/{p['layout']}"
    s.case(
        f"init/{ident}",
        "linen_init",
        "mlp",
        {**p, "out": ["w1_head", "w2_head"]},
        [],
        [head(w, "W1"), head(w, "W2")],
        {"ulp": 4},
    )
    g = jax.grad(lambda v: apply(v).sum())(w)
    s.case(
        f"forward/{ident}",
        "linen_forward",
        "mlp",
        {**p, "out": ["output", "grad_w1_head", "grad_w2_head"]},
        [],
        [apply(w), head(g, "W1"), head(g, "W2")],
        {"rtol": 1e-5, "atol": 1e-5},
    )
    o = optax.adam(p["rate"])
    state, outputs, v = o.init(w), [], w
    for _ in range(p["steps"]):
        u, state = o.update(jax.grad(lambda t: apply(t).sum())(v), state)
        v = optax.apply_updates(v, u)
        outputs.append(apply(v))
    s.case(
        f"train/{ident}",
        "linen_train",
        "mlp",
        {**p, "out": ["outputs", "w1_head", "w2_head", "step", "count"]},
        [],
        [jnp.stack(outputs), head(v, "W1"), head(v, "W2"), np.int32(p["steps"]), state[0].count],
        {"rtol": 1e-4, "atol": 2e-5},
    )


def fill(s):
    for _ in range(s.many):
        for _ in range(6):
            rules(s)
        stack(s)
