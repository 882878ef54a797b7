"""Suite `seeds_nnx`: the two weights of the NNX guide, and their training, on one device and on a mesh."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

from golden import Suite, versions
from make_random import in_layout


def suite(out, seed, many):
    return Suite(out, "seeds_nnx", seed, many, versions("jax", "flax", "optax"))


def fill(s):
    for _ in range(s.many):
        depth, batch = int(s.pick(8, 16, 24)), int(s.pick(4, 8))
        p = {
            "depth": depth,
            "batch": batch,
            "seed": int(s.rng.integers(0, 99)),
            "input_seed": int(s.rng.integers(0, 99)),
            "label_seed": int(s.rng.integers(0, 99)),
            "rate": 0.01,
            "steps": 5,
            "layout": s.pick("original", "partitionable"),
            "w2_word_factor": 1,
        }
        with in_layout(p["layout"]):
            init = nnx.initializers.lecun_normal()
            key = jax.random.key(p["seed"])
            w = [init(jax.random.fold_in(key, i), (depth, depth)) for i in range(2)]
            x, label = (jax.random.normal(jax.random.key(p[k]), (batch, depth)) for k in ("input_seed", "label_seed"))
        ident = f"{depth}/{p['seed']}/{p['layout']}"
        model = lambda ws, v: jax.nn.relu(v @ ws[0]) @ ws[1]
        spread = lambda v: v.reshape(-1)[:: max(1, v.size // 61)]
        s.case(
            f"init/{ident}",
            "nnx_init",
            "two_weights",
            {**p, "out": ["w1_spread", "w2_spread", "w1_row0", "w2_row0"]},
            [],
            [spread(w[0]), spread(w[1]), w[0][0][:8], w[1][0][:8]],
            {"ulp": 4},
        )
        s.case(
            f"forward/{ident}",
            "nnx_forward",
            "two_weights",
            {**p, "out": ["x", "y", "output"]},
            [],
            [x, label, model(w, x)],
            {"rtol": 1e-5, "atol": 1e-5},
        )
        o = optax.adam(p["rate"])
        state, losses, ws = o.init(w), [], w
        for _ in range(p["steps"]):
            value, g = jax.value_and_grad(lambda v: ((model(v, x) - label) ** 2).mean())(ws)
            losses.append(value)
            u, state = o.update(g, state)
            ws = optax.apply_updates(ws, u)
        params = {**p, "out": ["losses", "w1_row0", "w2_row0"]}
        outs = [jnp.stack(losses), ws[0][0][:8], ws[1][0][:8]]
        s.case(f"train/{ident}", "nnx_train", "two_weights", params, [], outs, {"rtol": 1e-4, "atol": 3e-6})
        on = {
            "mesh": "data=2,model=4",
            "w1_spec": "-,model",
            "w2_spec": "model,-",
            "input_spec": "data,-",
            "hidden_spec": "data,model",
        }
        s.case(
            f"train/{ident}/mesh", "nnx_train", "two_weights", {**params, **on}, [], outs, {"rtol": 1e-4, "atol": 3e-6}
        )
