"""Suite `init`: initializers of jax.nn.initializers, the variables of Linen and NNX modules, NNX's streams of keys."""

import flax.linen as nn
import flax.traverse_util as trees
import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from golden import Suite, versions
from make_random import in_layout, key_of

INIT = jax.nn.initializers


def suite(out, seed, many):
    return Suite(out, "init", seed, many, versions("jax", "flax"))


def initializers(s):
    fans = [
        "glorot_uniform",
        "glorot_normal",
        "he_uniform",
        "he_normal",
        "lecun_uniform",
        "lecun_normal",
        "xavier_uniform",
        "kaiming_normal",
    ]
    rows = [(name, {}) for name in fans]
    rows += [
        (
            "variance_scaling",
            {
                "scale": 1.7,
                "mode": s.pick("fan_in", "fan_out", "fan_avg"),
                "distribution": s.pick("truncated_normal", "normal", "uniform"),
                "in_axis": -2,
                "out_axis": -1,
            },
        ),
        ("normal", {"stddev": 0.3}),
        ("uniform", {"scale": 0.7}),
        ("truncated_normal", {"stddev": 0.2, "lower": -1.0, "upper": 2.0}),
        ("zeros", {}),
        ("ones", {}),
        ("constant", {"value": 2.5}),
        ("orthogonal", {"scale": 1.5}),
    ]
    for name, args in rows:
        key, layout = key_of(s), s.pick("original", "partitionable")
        shape = s.shape(2 if name == "orthogonal" else int(s.rng.integers(2, 5)), 9)
        with in_layout(layout):
            f = getattr(INIT, name)
            y = (f if name in ("zeros", "ones") else f(**args))(jnp.asarray(key), shape, jnp.float32)
        tol = {"rtol": 2e-5, "atol": 2e-6} if name == "orthogonal" else {"ulp": 4}
        s.case(
            f"{name}-{layout}",
            "init",
            name,
            {"key": [int(k) for k in key], "shape": list(shape), "dtype": "float32", "layout": layout, **args},
            [],
            [y],
            tol,
        )
    s.case(
        "refused-glorot",
        "init",
        "glorot_uniform",
        {"key": [0, 1], "shape": [4], "dtype": "float32", "layout": "partitionable"},
        error="needs at least two dimensions",
    )
    s.case(
        "refused-mode",
        "init",
        "variance_scaling",
        {
            "key": [0, 1],
            "shape": [4, 4],
            "dtype": "float32",
            "layout": "partitionable",
            "scale": 1.0,
            "mode": "fan_max",
            "distribution": "normal",
        },
        error="unknown mode",
    )


# ---- Linen: a description becomes modules ----


def call(layer, x, m):
    kind = layer["type"]
    args = {
        k: tuple(v) if isinstance(v, list) else v
        for k, v in layer.items()
        if k not in ("type", "class", "layers", "name", "body")
    }
    if kind == "relu":
        return nn.relu(x)
    if kind == "flatten":
        return x.reshape(x.shape[0], -1)
    if kind == "avg_pool":
        return nn.avg_pool(x, args["window"], args["strides"])
    if kind == "Module":
        return module(layer)(x)
    if kind == "param":
        p = m.param(layer["name"], INIT.normal() if layer["init"] == "normal" else INIT.zeros, tuple(layer["shape"]))
        return x @ p if layer.get("dot") else x
    named = {"name": layer["name"]} if "name" in layer else {}
    made = getattr(nn, kind)(**args, **named)
    if kind == "Dropout":
        return made(x, deterministic=False)
    return made(x, use_running_average=False) if kind == "BatchNorm" else made(x)


def module(described):
    def body(self, x):
        for layer in described["layers"]:
            x = call(layer, x, self)
        return x

    return type(described["class"], (nn.Module,), {"__call__": nn.compact(body)})()


def drawn_module(s):
    width = lambda: int(s.rng.integers(2, 7))
    dense = lambda: {"type": "Dense", "features": width(), **s.pick({}, {"use_bias": False}, {"name": f"own{width()}"})}
    rows = [
        ({"type": "Module", "class": "Mlp", "layers": [dense(), {"type": "relu"}, dense()]}, (2, width())),
        (
            {
                "type": "Module",
                "class": "Outer",
                "layers": [
                    {"type": "Module", "class": "Inner", "layers": [dense(), {"type": "LayerNorm"}]},
                    {"type": "Module", "class": "Inner", "layers": [dense()]},
                    dense(),
                ],
            },
            (1, width()),
        ),
        (
            {
                "type": "Module",
                "class": "Net",
                "layers": [
                    {"type": "Conv", "features": width(), "kernel_size": [3, 3]},
                    {"type": "BatchNorm"},
                    {"type": "relu"},
                    {"type": "avg_pool", "window": [2, 2], "strides": [2, 2]},
                    {"type": "flatten"},
                    dense(),
                ],
            },
            (1, 6, 6, width()),
        ),
        (
            {
                "type": "Module",
                "class": "Own",
                "layers": [
                    {"type": "param", "name": "w", "init": "normal", "shape": [5, 3], "dot": True},
                    dense(),
                    {"type": "RMSNorm"},
                ],
            },
            (2, 5),
        ),
    ]
    return s.pick(*rows)


def linen(s):
    described, shape = drawn_module(s)
    key, layout = key_of(s), s.pick("original", "partitionable")
    with in_layout(layout):
        variables = module(described).init({"params": jnp.asarray(key)}, jnp.zeros(shape))
    flat = trees.flatten_dict(variables, sep="/")
    paths = sorted(flat)
    s.case(
        f"linen-{described['class']}-{layout}",
        "linen_init",
        "linen",
        {"module": described, "x_shape": list(shape), "keys": {"params": [int(k) for k in key]}, "layout": layout},
        [],
        [flat[p] for p in paths],
        {"ulp": 4},
        paths=paths,
    )


def streams(s):
    rngs = {"default": int(s.rng.integers(0, 99)), **s.pick({}, {"params": 3}, {"dropout": 5, "noise": 9})}
    calls = [s.pick("params", "dropout", "noise", "default") for _ in range(int(s.rng.integers(1, 9)))]
    layout = s.pick("original", "partitionable")
    with in_layout(layout):
        r = nnx.Rngs(**rngs)
        keys = np.stack([jax.random.key_data(getattr(r, c)()) for c in calls])
    s.case(f"nnx-rngs-{layout}", "nnx_rngs", "nnx-rngs", {"rngs": rngs, "calls": calls, "layout": layout}, [], [keys])


def nnx_layers(s):
    w = lambda: int(s.rng.integers(2, 7))
    layers = [
        {"type": "Linear", "name": "first", "in_features": w(), "out_features": w()},
        {"type": "Linear", "name": "second", "in_features": w(), "out_features": w(), "use_bias": False},
        {"type": "Embed", "name": "table", "num_embeddings": w(), "features": w()},
        {"type": "LayerNorm", "name": "norm", "num_features": w()},
        {"type": "Conv", "name": "conv", "in_features": w(), "out_features": w(), "kernel_size": [3, 3]},
    ]
    layers = [layers[i] for i in s.rng.permutation(len(layers))[: int(s.rng.integers(1, 6))]]
    rngs = {s.pick("default", "params"): int(s.rng.integers(0, 99))}
    layout = s.pick("original", "partitionable")
    with in_layout(layout):
        r = nnx.Rngs(**rngs)
        made = {
            l["name"]: getattr(nnx, l["type"])(
                **{k: tuple(v) if isinstance(v, list) else v for k, v in l.items() if k not in ("type", "name")}, rngs=r
            )
            for l in layers
        }
        flat = {
            f"{name}/" + "/".join(map(str, path)): leaf[...]
            for name, layer in made.items()
            for path, leaf in nnx.to_flat_state(nnx.state(layer, nnx.Param))
        }
    paths = sorted(flat)
    s.case(
        f"nnx-module-{layout}",
        "nnx_init",
        "nnx-module",
        {"module": {"type": "Module", "class": "M", "layers": layers}, "rngs": rngs, "layout": layout},
        [],
        [flat[p] for p in paths],
        {"ulp": 4},
        paths=paths,
    )


def fill(s):
    for _ in range(s.many):
        initializers(s)
        for _ in range(3):
            linen(s)
            streams(s)
            nnx_layers(s)
    s.case(
        "refused-rngs",
        "nnx_rngs",
        "nnx-rngs",
        {"rngs": {"params": 0}, "calls": ["dropout"], "layout": "partitionable"},
        error="no such stream and no default",
    )
