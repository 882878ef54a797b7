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


# Chains by their text here, and by optax.
def texts():
    label = lambda p: {k: k for k in p}
    return [
        ("adabelief(0.01)", optax.adabelief(0.01)),
        ("adabelief(0.01, nesterov=1, b1=0.8)", optax.adabelief(0.01, nesterov=True, b1=0.8)),
        ("yogi(0.01)", optax.yogi(0.01)),
        ("adan(0.01, weight_decay=0.02)", optax.adan(0.01, weight_decay=0.02)),
        ("novograd(0.01, weight_decay=0.1)", optax.novograd(0.01, weight_decay=0.1)),
        ("sm3(0.1)", optax.sm3(0.1)),
        ("rprop(0.01)", optax.rprop(0.01)),
        ("sign_sgd(0.01)", optax.sign_sgd(0.01)),
        ("signum(0.01)", optax.signum(0.01)),
        ("noisy_sgd(0.1, key=7)", optax.noisy_sgd(0.1, key=7)),
        ("optimistic_gradient_descent(0.1)", optax.optimistic_gradient_descent(0.1)),
        ("optimistic_adam_v2(0.01)", optax.optimistic_adam_v2(0.01)),
        ("adafactor(0.1)", optax.adafactor(0.1)),
        ("adafactor(0.1, min_dim_size_to_factor=2)", optax.adafactor(0.1, min_dim_size_to_factor=2)),
        (
            "adafactor(0.1, 2, momentum=0.9, weight_decay_rate=0.01, clipping_threshold=None, multiply_by_parameter_scale=False)",
            optax.adafactor(0.1, 2, momentum=0.9, weight_decay_rate=0.01, clipping_threshold=None, multiply_by_parameter_scale=False),
        ),
        ("centralize(); sgd(0.1)", optax.chain(optax.centralize(), optax.sgd(0.1))),
        ("normalize_by_update_norm(); sgd(0.1)", optax.chain(optax.normalize_by_update_norm(), optax.sgd(0.1))),
        ("adaptive_grad_clip(0.1); sgd(0.1)", optax.chain(optax.adaptive_grad_clip(0.1), optax.sgd(0.1))),
        ("apply_every(3); sgd(0.1)", optax.chain(optax.apply_every(3), optax.sgd(0.1))),
        ("scale_by_param_block_norm(); sgd(0.1)", optax.chain(optax.scale_by_param_block_norm(), optax.sgd(0.1))),
        ("scale_by_param_block_rms(); sgd(0.1)", optax.chain(optax.scale_by_param_block_rms(), optax.sgd(0.1))),
        (
            "clip_by_global_norm(1); masked(trace(0.9); clip_by_global_norm(0.5), mask=w); scale(-0.1)",
            optax.chain(
                optax.clip_by_global_norm(1.0),
                optax.masked(optax.chain(optax.trace(0.9), optax.clip_by_global_norm(0.5)), {"b": False, "w": True}),
                optax.scale(-0.1),
            ),
        ),
        (
            "partition(w=adam(0.01), others=sgd(0.1, momentum=0.9))",
            optax.partition({"w": optax.adam(0.01), "b": optax.sgd(0.1, momentum=0.9)}, {"b": "b", "w": "w"}),
        ),
        (
            "partition(w=set_to_zero(), b=adamw(0.01))",
            optax.partition({"w": optax.set_to_zero(), "b": optax.adamw(0.01)}, {"b": "b", "w": "w"}),
        ),
        ("apply_if_finite(1); adam(0.01)", optax.apply_if_finite(optax.adam(0.01), 1)),
    ]


def by_text(s):
    for text, o in texts():
        grads = None
        if text.startswith("apply_if_finite"):
            grads = {"b": s.floats((6, 3)), "w": s.floats((6, 2, 4))}
            grads["b"][1, 0], grads["w"][3, 1, 1], grads["b"][4, 2] = np.inf, np.nan, np.nan
        one(s, {"fn": text.split("(")[0]}, o, text, grads)
    values = np.asarray([5, 4, 4, 4.5, 4, 4, 4, 3, 3, 3, 3, 3], np.float32)
    from optax import contrib

    one(
        s,
        {"fn": "reduce_on_plateau"},
        optax.chain(optax.sgd(0.1), contrib.reduce_on_plateau(0.5, 2, cooldown=1)),
        "sgd(0.1); reduce_on_plateau(0.5, 2, cooldown=1)",
        values=values,
    )
    one(s, {"fn": "polyak_sgd"}, optax.polyak_sgd(0.2, f_min=1.0), "polyak_sgd(0.2, f_min=1)", values=values)
    lookahead(s)
    for text, o in (
        ("lbfgs()", optax.lbfgs()),
        ("lbfgs(memory_size=3)", optax.lbfgs(memory_size=3)),
        (
            "scale_by_lbfgs(); scale(-1); scale_by_backtracking_linesearch(15)",
            optax.chain(optax.scale_by_lbfgs(), optax.scale(-1.0), optax.scale_by_backtracking_linesearch(15)),
        ),
        (
            "sgd(1); scale_by_zoom_linesearch(15)",
            optax.chain(optax.sgd(1.0), optax.scale_by_zoom_linesearch(15)),
        ),
        (
            "sgd(1); scale_by_backtracking_linesearch(15)",
            optax.chain(optax.sgd(1.0), optax.scale_by_backtracking_linesearch(15)),
        ),
    ):
        searched(s, text, o)


def lookahead(s):
    steps, shapes = 7, {"b": (3,), "w": (2, 4)}
    start = {k: jnp.asarray(s.floats(v)) for k, v in shapes.items()}
    grads = {k: s.floats((steps,) + v) for k, v in shapes.items()}
    o = optax.lookahead(optax.adam(0.1), 3, 0.5)
    params = optax.LookaheadParams.init_synced(start)
    state = o.init(params)
    kept = {k: [] for k in shapes}
    for i in range(steps):
        updates, state = o.update({k: g[i] for k, g in grads.items()}, state, params)
        params = optax.apply_updates(params, updates)
        for k in kept:
            kept[k].append(params.fast[k])
    names = sorted(shapes)
    s.case(
        "lookahead",
        "optim",
        "lookahead",
        {"leaves": names, "record": list(range(1, steps + 1)), "text": "lookahead(3, 0.5); adam(0.1)"},
        [start[k] for k in names] + [grads[k] for k in names],
        [np.stack(kept[k]) for k in names] + [params.slow[k] for k in names],
        {"rtol": 1e-5, "atol": 2e-6},
        names=[f"params/{k}" for k in names] + [f"state/slow/{k}" for k in names],
    )


def rosenbrock(p, a):
    """Of the elements of w, and a bowl for b around a."""
    w = p["w"].reshape(-1)
    return jnp.sum(10 * (w[1:] - w[:-1] ** 2) ** 2 + (1 - w[:-1]) ** 2) + jnp.sum((p["b"] - a) ** 4 + (p["b"] - a) ** 2)


def searched(s, text, o):
    """Steps with a line search: the parameters after each of the first ones."""
    steps = 6
    start = {"b": jnp.asarray(s.floats((3,))), "w": jnp.asarray(s.floats((2, 2)) * 0.5)}
    a = jnp.asarray(s.floats((3,)))
    params, state, losses = start, o.init(start), []
    f = lambda p: rosenbrock(p, a)
    kept = {k: [] for k in params}
    for _ in range(steps):
        value, grad = jax.value_and_grad(f)(params)
        losses.append(value)
        updates, state = o.update(grad, state, params, value=value, grad=grad, value_fn=f)
        params = optax.apply_updates(params, updates)
        for k in kept:
            kept[k].append(params[k])
    s.case(
        "searched",
        "optim",
        "searched",
        {"leaves": ["b", "w"], "record": list(range(1, steps + 1)), "text": text},
        [start["b"], start["w"], a],
        [np.stack(kept["b"]), np.stack(kept["w"]), np.stack(losses)],
        {"rtol": 2e-3, "atol": 2e-4},
    )


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
        by_text(s)


def one(s, t, o=None, text=None, grads=None, values=None):
    steps = int(s.rng.integers(2, 9)) if grads is None else len(grads["b"])
    if values is not None:
        steps = len(values)
    shapes = {"b": s.shape(1, 6), "w": s.shape(2, 6)} if grads is None else {k: g.shape[1:] for k, g in grads.items()}
    params = {k: jnp.asarray(s.floats(v)) for k, v in shapes.items()}
    grads = {k: s.floats((steps,) + v) for k, v in shapes.items()} if grads is None else grads
    record = sorted({1, steps, int(s.rng.integers(1, steps + 1))})
    o = o or transform_of(t)
    state, kept, start = o.init(params), {k: [] for k in params}, params
    for i in range(steps):
        more = {} if values is None else {"value": values[i]}
        updates, state = o.update({k: g[i] for k, g in grads.items()}, state, params, **more)
        params = optax.apply_updates(params, updates)
        if i + 1 in record:
            for k in params:
                kept[k].append(params[k])
    names = sorted(params)
    s.case(
        f"{t['fn']}",
        "optim",
        t["fn"],
        {"leaves": names, "record": record, **({"text": text} if text else {"transform": t})},
        [start[k] for k in names] + [grads[k] for k in names] + ([] if values is None else [values]),
        [np.stack(kept[k]) for k in names],
        {"rtol": 1e-5, "atol": 2e-6},
        names=[f"params/{k}" for k in names],
    )
