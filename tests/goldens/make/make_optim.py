"""Suite `optim`: optimizers and schedules of optax, steps over given gradients."""

import jax
import jax.numpy as jnp
import numpy as np
import optax

from golden import Suite, versions


def suite(out, seed, many):
    return Suite(out, "optim", seed, many, versions("jax", "optax"))


def schedules(s):
    n = int(s.rng.integers(5, 40))
    return [
        ("constant_schedule", {"value": 0.1}),
        ("cosine_decay_schedule", {"init_value": 0.1, "decay_steps": n, "alpha": 0.1}),
        (
            "exponential_decay",
            {
                "init_value": 0.1,
                "transition_steps": n,
                "decay_rate": 0.7,
                "staircase": bool(s.rng.integers(0, 2)),
                "transition_begin": int(s.rng.integers(0, 5)),
            },
        ),
        (
            "linear_schedule",
            {
                "init_value": 0.2,
                "end_value": 0.01,
                "transition_steps": n,
                "transition_begin": int(s.rng.integers(0, 5)),
            },
        ),
        (
            "polynomial_schedule",
            {"init_value": 0.2, "end_value": 0.01, "power": s.pick(1, 2, 3), "transition_steps": n},
        ),
        (
            "warmup_cosine_decay_schedule",
            {"init_value": 0.0, "peak_value": 0.3, "warmup_steps": 5, "decay_steps": n + 6, "end_value": 0.01},
        ),
        (
            "warmup_exponential_decay_schedule",
            {"init_value": 0.0, "peak_value": 0.3, "warmup_steps": 5, "transition_steps": n, "decay_rate": 0.6},
        ),
        ("piecewise_constant_schedule", {"init_value": 0.3, "boundaries_and_scales": [[4, 0.5], [n + 4, 0.1]]}),
    ]


def schedule_of(name, args):
    args = dict(args)
    if name == "piecewise_constant_schedule":
        args["boundaries_and_scales"] = {k: v for k, v in args["boundaries_and_scales"]}
    return getattr(optax, name)(**args)


def optimizers(s):
    rate = float(s.pick(0.1, 0.01, 0.003))
    if s.rng.integers(0, 3) == 0:
        name, args = s.pick(*[(n, a) for n, a in schedules(s) if n != "piecewise_constant_schedule"])
        rate = {"fn": name, **args}
    lr = {"learning_rate": rate}
    return [
        {"fn": "sgd", **lr},
        {"fn": "sgd", **lr, "momentum": float(s.pick(0.9, 0.5)), "nesterov": bool(s.rng.integers(0, 2))},
        {"fn": "adam", **lr, "b1": float(s.pick(0.9, 0.8)), "b2": float(s.pick(0.999, 0.95))},
        {"fn": "adam", **lr, "eps_root": 1e-6},
        {"fn": "adamw", **lr, "weight_decay": float(s.pick(0.1, 1e-3))},
        {"fn": "adamax", **lr},
        {"fn": "nadam", **lr},
        {"fn": "amsgrad", **lr},
        {"fn": "rmsprop", **lr, "decay": 0.9},
        {"fn": "rmsprop", **lr, "centered": True, "momentum": 0.9},
        {"fn": "adagrad", **lr},
        {"fn": "adadelta", **lr},
        {"fn": "lion", **lr},
        {"fn": "lamb", **lr, "weight_decay": 0.01},
        {"fn": "lars", **lr, "weight_decay": 0.01},
        {"fn": "radam", **lr},
        {"fn": "chain", "parts": [{"fn": "clip_by_global_norm", "max_norm": 1.0}, {"fn": "adam", **lr}]},
        {
            "fn": "chain",
            "parts": [
                {"fn": "clip", "max_delta": 0.3},
                {"fn": "trace", "decay": 0.9},
                {"fn": "scale", "step_size": -0.1},
            ],
        },
        {"fn": "multi_steps", "every": 3, "inner": {"fn": "adam", **lr}},
    ]


def transform_of(t):
    t = dict(t)
    fn = t.pop("fn")
    if fn == "chain":
        return optax.chain(*[transform_of(p) for p in t["parts"]])
    if fn == "multi_steps":
        return optax.MultiSteps(transform_of(t["inner"]), t["every"])
    if isinstance(t.get("learning_rate"), dict):
        d = dict(t["learning_rate"])
        t["learning_rate"] = schedule_of(d.pop("fn"), d)
    return getattr(optax, fn)(**t)


def fill(s):
    for _ in range(s.many):
        counts = np.arange(0, 50, int(s.rng.integers(1, 4)), dtype=np.int32)
        for name, args in schedules(s):
            s.case(
                name,
                "schedule",
                name,
                args,
                [counts],
                [np.asarray(jax.vmap(lambda c: schedule_of(name, args)(c) * jnp.float32(1))(counts), np.float32)],
                {"rtol": 2e-6, "atol": 1e-9},
            )
        for t in optimizers(s):
            one(s, t)
        trees = [s.floats(s.shape(None, 5)) for _ in range(3)]
        s.case("global_norm", "optim", "global_norm", {}, trees, [optax.global_norm(trees)], {"rtol": 2e-6, "atol": 0})
        deltas = [s.floats(x.shape) for x in trees]
        s.case(
            "apply_updates",
            "optim",
            "apply_updates",
            {},
            trees + deltas,
            jax.tree.leaves(optax.apply_updates([jnp.asarray(x) for x in trees], deltas)),
            {"ulp": 1},
        )


def one(s, t):
    steps = int(s.rng.integers(2, 9))
    shapes = {"b": s.shape(1, 6), "w": s.shape(2, 6)}
    params = {k: jnp.asarray(s.floats(v)) for k, v in shapes.items()}
    grads = {k: s.floats((steps,) + v) for k, v in shapes.items()}
    record = sorted({1, steps, int(s.rng.integers(1, steps + 1))})
    o = transform_of(t)
    state, kept, start = o.init(params), {k: [] for k in params}, params
    for i in range(steps):
        updates, state = o.update({k: g[i] for k, g in grads.items()}, state, params)
        params = optax.apply_updates(params, updates)
        if i + 1 in record:
            for k in params:
                kept[k].append(params[k])
    names = sorted(params)
    s.case(
        f"{t['fn']}",
        "optim",
        t["fn"],
        {"leaves": names, "record": record, "transform": t},
        [start[k] for k in names] + [grads[k] for k in names],
        [np.stack(kept[k]) for k in names],
        {"rtol": 1e-5, "atol": 2e-6},
        names=[f"params/{k}" for k in names],
    )
