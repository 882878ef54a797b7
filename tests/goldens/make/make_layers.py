"""Suite `layers`: values and gradients of layers with given weights; PyTorch's pieces of a batch by its rule.

Longer than 400 lines: one suite of goldens, a function for each of its layers.
"""

import math

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

from golden import Suite, versions


def suite(out, seed, many):
    return Suite(out, "layers", seed, many, versions("jax", "flax", "optax"))


def layer(s, ident, fn, params, inputs, f, least=2e-6):
    """f(inputs by role) gives outputs by role. The tolerance is six times JAX's own distance from float64."""
    smooth = [r for r, v in inputs.items() if np.issubdtype(v.dtype, np.floating)]

    def both(dtype):
        x = {r: jnp.asarray(v, dtype) if r in smooth else jnp.asarray(v) for r, v in inputs.items()}
        fixed = {r: v for r, v in x.items() if r not in smooth}
        y, back = jax.vjp(lambda d: f({**fixed, **d}), {r: x[r] for r in smooth})
        return y, back

    y, back = both(jnp.float32)
    roles = sorted(y)
    cts = {r: s.floats(y[r].shape) for r in roles if r == "y" or r.startswith("new_h") or r.startswith("new_c")}
    zeros = lambda ys: {r: jnp.asarray(cts[r], ys[r].dtype) if r in cts else jnp.zeros_like(ys[r]) for r in roles}
    g = back(zeros(y))[0]
    with jax.enable_x64(True):
        y64, back64 = both(jnp.float64)
        g64 = back64(zeros(y64))[0]
        pairs = [(y[r], y64[r]) for r in roles] + [(g[r], g64[r]) for r in smooth]
        error = max(
            float(np.max(np.abs(np.asarray(a, np.float64) - np.asarray(b)) / (1 + np.abs(np.asarray(b))), initial=0))
            for a, b in pairs
        )
    near = max(least, math.ceil(6 * error * 1e6) * 1e-6)
    args = list(inputs) + [f"ct.{r}" for r in cts]
    outs = roles + [f"d.{r}" for r in smooth]
    s.case(
        ident,
        "layer",
        fn,
        {**params, "dtype": "f32", "args": args, "outs": outs},
        [*inputs.values(), *cts.values()],
        [y[r] for r in roles] + [g[r] for r in smooth],
        {"rtol": near, "atol": near},
    )


# ---- dense, convolutions, pools ----


def linear(s):
    x, n = s.floats(s.shape(int(s.rng.integers(1, 4)), 7)), int(s.rng.integers(1, 8))
    bias = bool(s.rng.integers(0, 2))
    w = {"x": x, "kernel": s.floats((x.shape[-1], n)), **({"bias": s.floats((n,))} if bias else {})}
    layer(
        s,
        "dense",
        "dense",
        {"features": n, "bias": bias},
        w,
        lambda a: {"y": a["x"] @ a["kernel"] + (a["bias"] if bias else 0)},
    )
    rank = int(s.rng.integers(1, 4))
    spatial, k = s.shape(rank, 9, 4), [int(v) for v in s.rng.integers(1, 4, rank)]
    groups = s.pick(1, 1, 2)
    ins, outs = groups * int(s.rng.integers(1, 4)), groups * int(s.rng.integers(1, 4))
    strides, dilation = [int(v) for v in s.rng.integers(1, 3, rank)], [int(v) for v in s.rng.integers(1, 3, rank)]
    padding = s.pick("SAME", "VALID", [[int(v) for v in s.rng.integers(0, 3, 2)] for _ in range(rank)])
    if padding == "VALID" and any((kk - 1) * d + 1 > n for kk, d, n in zip(k, dilation, spatial)):
        padding = "SAME"
    p = {
        "kernel": k,
        "features": outs,
        "strides": strides,
        "padding": padding,
        "kernel_dilation": dilation,
        "groups": groups,
        "bias": True,
    }
    names = ("N" + "DHW"[-rank:] + "C", "DHW"[-rank:] + "IO", "N" + "DHW"[-rank:] + "C")
    pads = padding if isinstance(padding, str) else [tuple(v) for v in padding]
    layer(
        s,
        f"conv{rank}d",
        "conv",
        p,
        {
            "x": s.floats((2,) + spatial + (ins,)),
            "kernel": s.floats((*k, ins // groups, outs)),
            "bias": s.floats((outs,)),
        },
        lambda a: {
            "y": jax.lax.conv_general_dilated(a["x"], a["kernel"], strides, pads, None, dilation, names, groups)
            + a["bias"]
        },
    )
    k2, st = [int(v) for v in s.rng.integers(1, 5, 2)], [int(v) for v in s.rng.integers(1, 4, 2)]
    pad = s.pick("SAME", "VALID")
    layer(
        s,
        "conv_t",
        "conv_transpose",
        {"transpose": True, "kernel": k2, "features": 3, "strides": st, "padding": pad, "bias": True},
        {"x": s.floats((2, 4, 5, 2)), "kernel": s.floats((*k2, 2, 3)), "bias": s.floats((3,))},
        lambda a: {
            "y": jax.lax.conv_transpose(a["x"], a["kernel"], st, pad, dimension_numbers=("NHWC", "HWIO", "NHWC"))
            + a["bias"]
        },
    )
    window, step = [int(v) for v in s.rng.integers(1, 4, 2)], [int(v) for v in s.rng.integers(1, 3, 2)]
    pad = s.pick("SAME", "VALID")
    image = s.rng.permutation(2 * 6 * 7 * 3).reshape(2, 6, 7, 3).astype(np.float32) / 50
    for fn, f in (("avg_pool", nn.avg_pool), ("max_pool", nn.max_pool), ("min_pool", nn.pooling.min_pool)):
        layer(
            s,
            fn,
            fn,
            {"op": fn[:3], "window": window, "strides": step, "padding": pad},
            {"x": image},
            lambda a, f=f: {"y": f(a["x"], tuple(window), tuple(step), pad)},
        )


# ---- norms, embeddings ----


def norms(s):
    c = 4 * int(s.rng.integers(1, 3))
    x = s.floats((int(s.rng.integers(2, 5)),) + s.shape(int(s.rng.integers(0, 3)), 5, 2) + (c,))
    w = {"scale": s.floats((c,)), "bias": s.floats((c,))}
    m, eps = float(s.pick(0.9, 0.5)), float(s.pick(1e-5, 1e-3))

    def batch(a):
        axes = tuple(range(x.ndim - 1))
        mean = a["x"].mean(axes)
        var = jnp.maximum(0, (a["x"] ** 2).mean(axes) - mean**2)
        y = (a["x"] - mean) * (jax.lax.rsqrt(var + eps) * a["scale"]) + a["bias"]
        stop = jax.lax.stop_gradient
        return {"y": y, "new_mean": m * a["mean"] + (1 - m) * stop(mean), "new_var": m * a["var"] + (1 - m) * stop(var)}

    common = {"momentum": m, "epsilon": eps, "bias": True, "scale": True}
    stats = {"mean": s.floats((c,)), "var": np.abs(s.floats((c,))) + 1}
    batch_norm(s, batch, x, stats, w, common)
    f = {
        "layer_norm": nn.LayerNorm(epsilon=eps),
        "rms_norm": nn.RMSNorm(epsilon=eps),
        "group_norm": nn.GroupNorm(num_groups=4, epsilon=eps),
    }
    for fn, module in f.items():
        if fn == "group_norm" and x.ndim < 3:
            continue
        own = {"scale": w["scale"]} if fn == "rms_norm" else w
        layer(
            s,
            fn,
            fn,
            {
                "op": fn,
                "epsilon": eps,
                "bias": "bias" in own,
                "scale": True,
                **({"groups": 4} if fn == "group_norm" else {}),
            },
            {"x": x, **own},
            lambda a, module=module, own=own: {"y": module.apply({"params": {k: a[k] for k in own}}, a["x"])},
        )
    ids = s.ints(s.shape(2, 5), np.int32, 0, 8)
    layer(
        s,
        "embed",
        "embed",
        {"rows": 9, "features": 5},
        {"ids": ids, "embedding": s.floats((9, 5))},
        lambda a: {"y": a["embedding"][a["ids"]]},
    )


def batch_norm(s, f, x, stats, w, params):
    """Statistics take part as inputs, but only the values of the new ones are compared."""
    inputs = {"x": x, **stats, **w}
    y, back = jax.vjp(
        lambda d: f({**{k: jnp.asarray(v) for k, v in inputs.items()}, **d}),
        {k: jnp.asarray(inputs[k]) for k in ("bias", "scale", "x")},
    )
    ct = s.floats(x.shape)
    g = back(
        {"y": jnp.asarray(ct), "new_mean": jnp.zeros_like(y["new_mean"]), "new_var": jnp.zeros_like(y["new_var"])}
    )[0]
    s.case(
        "batch_norm",
        "layer",
        "batch_norm",
        {
            "train": True,
            **params,
            "dtype": "f32",
            "args": [*inputs, "ct.y"],
            "outs": ["new_mean", "new_var", "y", "d.bias", "d.scale", "d.x"],
        },
        [*inputs.values(), ct],
        [y["new_mean"], y["new_var"], y["y"], g["bias"], g["scale"], g["x"]],
        {"rtol": 1e-5, "atol": 1e-5},
    )


# ---- attention, recurrence ----


def attention(s):
    b, tq, heads, d = (int(v) for v in s.rng.integers(1, 5, 4))
    d *= 2
    share = s.pick(1, 1, 2)
    h, hk = heads * share, heads
    causal = bool(s.rng.integers(0, 2))
    tk = tq if causal else int(s.rng.integers(1, 7))
    more = {}
    if s.rng.integers(0, 3) == 0:
        more["scale"] = 0.3
    q, k, v = s.floats((b, tq, h, d)), s.floats((b, tk, hk, d)), s.floats((b, tk, hk, d))
    layer(
        s,
        "attention",
        "dot_product_attention",
        {"batch": b, "tq": tq, "tk": tk, "heads": h, "kv_heads": hk, "depth": d, "causal": causal, **more},
        {"q": q, "k": k, "v": v},
        lambda a: {"y": jax.nn.dot_product_attention(a["q"], a["k"], a["v"], is_causal=causal, **more)},
    )
    x, offset, mixed = (
        s.floats((2, int(s.rng.integers(2, 6)), 2, d)),
        int(s.rng.integers(0, 5)),
        bool(s.rng.integers(0, 2)),
    )

    def rope(a):
        v = a["x"]
        at = (jnp.arange(v.shape[1], dtype=v.dtype) + offset)[:, None] * 10000.0 ** (
            -2 * jnp.arange(d // 2, dtype=v.dtype) / d
        )
        sin, cos = jnp.sin(at)[:, None, :], jnp.cos(at)[:, None, :]
        one, two = (v[..., 0::2], v[..., 1::2]) if mixed else (v[..., : d // 2], v[..., d // 2 :])
        y = one * cos - two * sin, two * cos + one * sin
        return {"y": jnp.stack(y, -1).reshape(v.shape) if mixed else jnp.concatenate(y, -1)}

    layer(s, "rope", "rope", {"base": 10000.0, "offset": offset, "interleaved": mixed}, {"x": x}, rope)
    n, hidden, time = int(s.rng.integers(1, 5)), int(s.rng.integers(1, 6)), s.pick(0, 4)
    seq = s.floats(((time,) if time else ()) + (3, n))
    sig = jax.nn.sigmoid

    def lstm(a, c, h, x):
        i, f, g, o = (x @ a[f"i{z}.kernel"] + h @ a[f"h{z}.kernel"] + a[f"h{z}.bias"] for z in "ifgo")
        c = sig(f) * c + sig(i) * jnp.tanh(g)
        return c, sig(o) * jnp.tanh(c)

    def gru(a, h, x):
        r = sig(x @ a["ir.kernel"] + a["ir.bias"] + h @ a["hr.kernel"])
        z = sig(x @ a["iz.kernel"] + a["iz.bias"] + h @ a["hz.kernel"])
        v = jnp.tanh(x @ a["in.kernel"] + a["in.bias"] + r * (h @ a["hn.kernel"] + a["hn.bias"]))
        return (1 - z) * v + z * h

    def run_lstm(a):
        if not time:
            c, h = lstm(a, a["c"], a["h"], a["x"])
            return {"y": h, "new_c": c, "new_h": h}
        (c, h), y = jax.lax.scan(lambda s_, x_: ((v := lstm(a, *s_, x_)), v[1]), (a["c"], a["h"]), a["x"])
        return {"y": y, "new_c": c, "new_h": h}

    def run_gru(a):
        if not time:
            h = gru(a, a["h"], a["x"])
            return {"y": h, "new_h": h}
        h, y = jax.lax.scan(lambda h_, x_: ((v := gru(a, h_, x_)), v), a["h"], a["x"])
        return {"y": y, "new_h": h}

    w = {}
    for z in "fgio":
        w[f"h{z}.bias"], w[f"h{z}.kernel"], w[f"i{z}.kernel"] = (
            s.floats((hidden,)),
            s.floats((hidden, hidden)),
            s.floats((n, hidden)),
        )
    layer(
        s,
        "lstm",
        "lstm_cell",
        {"op": "lstm", "batch": 3, "features": n, "hidden": hidden, "time": time},
        {"x": seq, "c": s.floats((3, hidden)), "h": s.floats((3, hidden)), **w},
        run_lstm,
    )
    w = {f"i{z}.{p}": s.floats((n, hidden) if p == "kernel" else (hidden,)) for z in "nrz" for p in ("bias", "kernel")}
    w |= {f"h{z}.kernel": s.floats((hidden, hidden)) for z in "nrz"} | {"hn.bias": s.floats((hidden,))}
    layer(
        s,
        "gru",
        "gru_cell",
        {"op": "gru", "batch": 3, "features": n, "hidden": hidden, "time": time},
        {"x": seq, "h": s.floats((3, hidden)), **w},
        run_gru,
    )


def others(s):
    shape = s.shape(2, 7, 2)
    x = s.floats(shape, scale=3)
    for fn, f in (
        ("relu", jax.nn.relu),
        ("silu", jax.nn.silu),
        ("gelu_tanh", lambda v: jax.nn.gelu(v, True)),
        ("gelu", lambda v: jax.nn.gelu(v, False)),
        ("softmax", jax.nn.softmax),
        ("log_softmax", jax.nn.log_softmax),
        ("tanh", jnp.tanh),
        ("sigmoid", jax.nn.sigmoid),
        ("softplus", jax.nn.softplus),
    ):
        layer(s, fn, fn, {"op": fn}, {"x": x}, lambda a, f=f: {"y": f(a["x"])})
    labels = s.ints(shape[:1], np.int32, 0, shape[1] - 1)
    layer(
        s,
        "softmax_ce_int",
        "softmax_ce_int",
        {"op": "softmax_ce_int"},
        {"x": x, "labels": labels},
        lambda a: {"y": optax.softmax_cross_entropy_with_integer_labels(a["x"], a["labels"])},
    )
    n, k = int(s.rng.integers(1, 6)), int(s.rng.integers(1, 5))
    layer(
        s,
        "scan_layers",
        "scan_layers",
        {"layers": k},
        {"x": s.floats((3, n)), "kernel": s.floats((k, n, n)), "bias": s.floats((k, n))},
        lambda a: {
            "y": jax.lax.scan(lambda c, w: (c + jnp.tanh(c @ w[0] + w[1]), None), a["x"], (a["kernel"], a["bias"]))[0]
        },
    )
    rate, seed = float(s.pick(0.5, 0.1, 0.8)), int(s.rng.integers(0, 99))
    for layout in ("original", "partitionable"):
        with jax.threefry_partitionable(layout == "partitionable"):
            key = np.asarray(jax.random.PRNGKey(seed))
            keep = jax.random.uniform(jnp.asarray(key), shape) < np.float32(1 - rate)
        layer(
            s,
            f"dropout-{layout}",
            "dropout",
            {"rate": rate, "key": seed, "threefry": layout},
            {"x": x, "key": key},
            lambda a, keep=keep: {"y": jnp.where(keep, a["x"] / (1 - rate), 0)},
            1e-6,
        )
    batch, replicas = int(s.rng.integers(1, 30)), int(s.rng.integers(1, 9))
    size = -(-batch // replicas)
    s.case(
        "chunks",
        "dp_chunks",
        "DataParallel",
        {"batch": batch, "replicas": replicas, "outs": ["sizes"]},
        [],
        [np.asarray([min(size, batch - i) for i in range(0, batch, size)], np.int32)],
    )


# ---- parts of transformers, layers around layers, images ----


def variables(s, module, *inputs, rngs=None):
    """Drawn parameters of a Flax module, by roles "query.kernel", and the function that makes a tree of them."""
    shapes = jax.eval_shape(lambda: module.init(rngs or jax.random.key(0), *(jnp.asarray(v) for v in inputs)))["params"]
    flat, tree = jax.tree_util.tree_flatten_with_path(shapes)
    roles = [".".join(k.key for k in path) for path, _ in flat]
    return {r: s.floats(v.shape, scale=0.5) for r, (_, v) in zip(roles, flat)}, lambda a: tree.unflatten(
        [a[r] for r in roles]
    )


def transformer(s):
    b, t, heads = 2, int(s.rng.integers(3, 6)), int(s.rng.integers(1, 4))
    features = heads * 2 * int(s.rng.integers(1, 3))
    x = s.floats((b, t, features))
    mha = lambda **o: nn.MultiHeadDotProductAttention(num_heads=heads, **o)
    w, tree = variables(s, mha(), x)
    common = {"heads": heads, "features": features}
    causal = nn.make_causal_mask(jnp.ones((b, t)))

    def decoded(a):
        module, y, cache = mha(decode=True), [], None
        cache = {"cached_key": jnp.zeros((b, t, heads, features // heads), a["x"].dtype)}
        cache |= {"cached_value": cache["cached_key"], "cache_index": jnp.array(0, jnp.int32)}
        for i in range(t):
            v = {"params": tree(a), "cache": cache}
            one, new = module.apply(v, a["x"][:, i : i + 1], mutable=["cache"])
            cache = new["cache"]
            y.append(one)
        return {"y": jnp.concatenate(y, 1), "cached_key": cache["cached_key"]}

    layer(s, "mha_decode", "mha_decode", common, {"x": x, **w}, decoded)
    key, rate = np.asarray(jax.random.PRNGKey(int(s.rng.integers(0, 99)))), 0.3
    for each in (False, True):
        module = mha(dropout_rate=rate, broadcast_dropout=not each, deterministic=False)
        keep = jax.random.bernoulli(  # the key of the module's first draw from the stream
            nn.Dropout(0.5).bind({}, rngs={"dropout": jnp.asarray(key)}).make_rng("dropout"),
            1 - rate,
            (b, heads, t, t) if each else (1, 1, t, t),
        )

        def dropped(a, keep=keep):
            q, k, v = (
                jnp.einsum("btf,fhd->bthd", a["x"], a[n + ".kernel"]) + a[n + ".bias"] for n in ("query", "key", "value")
            )
            p = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(features // heads)
            p = jax.nn.softmax(jnp.where(causal, p, -1e30)) * keep / (1 - rate)
            y = jnp.einsum("bhqk,bkhd->bqhd", p, v)
            return {"y": jnp.einsum("bthd,hdf->btf", y, a["out.kernel"]) + a["out.bias"]}

        inputs = {"x": x, **w}
        apply = lambda: module.apply({"params": tree(inputs)}, x, mask=causal, rngs={"dropout": jnp.asarray(key)})
        np.testing.assert_allclose(dropped(inputs)["y"], apply(), 2e-5, 2e-5)  # the formula is Flax's layer
        layer(s, "mha_dropout", "mha_dropout", {**common, "rate": rate, "each": each}, {"key": key, **inputs}, dropped)
    q, k = s.ints((2, 5), np.int32, 0, 2), s.ints((2, 4), np.int32, 0, 2)
    masks = {
        "and": lambda a: nn.make_attention_mask(a["q"], a["k"]),
        "equal": lambda a: nn.make_attention_mask(a["q"], a["k"], jnp.equal),
        "greater_equal": lambda a: nn.make_attention_mask(a["q"], a["k"], jnp.greater_equal),
        "combined": lambda a: nn.combine_masks(
            nn.make_causal_mask(a["q"]), nn.make_attention_mask(a["q"] > 0, a["q"] > 0)
        ),
    }
    for pair, f in masks.items():
        layer(s, "mask", "attention_mask", {"pair": pair}, {"q": q, "k": k}, lambda a, f=f: {"y": (f(a) != 0) * np.float32(1)})
    h = int(s.rng.integers(2, 9))
    layer(
        s,
        "gated_mlp",
        "gated_mlp",
        {"hidden": h},
        {"x": x, **{f"{n}.kernel": s.floats((features, h)) for n in ("gate", "up")}, "down.kernel": s.floats((h, features))},
        lambda a: {"y": (jax.nn.silu(a["x"] @ a["gate.kernel"]) * (a["x"] @ a["up.kernel"])) @ a["down.kernel"]},
    )
    for scaling in (
        "linear(factor=4)",
        "ntk(factor=4)",
        "yarn(factor=4, original=32)",
        "yarn(factor=4, original=64, beta_fast=8, beta_slow=2, attention_factor=1.5)",
        "llama3(factor=8, low=1, high=4, original=64)",
    ):
        rotary(s, scaling)


def rotary(s, scaling):
    """As transformers' modeling_rope_utils computes the frequencies."""
    d, base, t = 16, float(s.pick(1e4, 500.0)), 40
    p = {k: float(v) for k, v in (w.split("=") for w in scaling[scaling.index("(") + 1 : -1].split(", "))}
    f, scale, factor = base ** (-np.arange(0, d, 2) / d), 1.0, p["factor"]
    if scaling.startswith("linear"):
        f = f / factor
    elif scaling.startswith("ntk"):
        f = (base * factor ** (d / (d - 2))) ** (-np.arange(0, d, 2) / d)
    elif scaling.startswith("yarn"):
        turn = lambda n: d * math.log(p["original"] / (n * 2 * math.pi)) / (2 * math.log(base))
        low = max(math.floor(turn(p.get("beta_fast", 32))), 0)
        high = min(math.ceil(turn(p.get("beta_slow", 1))), d - 1)
        ramp = np.clip((np.arange(d // 2) - low) / (high - low + (0.001 if low == high else 0)), 0, 1)
        f = f / factor * ramp + f * (1 - ramp)
        scale = p.get("attention_factor", 0.1 * math.log(factor) + 1)
    else:
        wave, old = 2 * math.pi / f, p["original"]
        smooth = (old / wave - p["low"]) / (p["high"] - p["low"])
        f = np.where(wave > old / p["low"], f / factor, np.where(wave < old / p["high"], f, (1 - smooth) * f / factor + smooth * f))

    def turned(a):
        at = jnp.arange(t, dtype=a["x"].dtype)[:, None] * jnp.asarray(f, a["x"].dtype)
        c, n = jnp.cos(at)[:, None] * scale, jnp.sin(at)[:, None] * scale
        one, two = a["x"][..., : d // 2], a["x"][..., d // 2 :]
        return {"y": jnp.concatenate([one * c - two * n, two * c + one * n], -1)}

    layer(s, "rope_scaled", "rope", {"base": base, "scaling": scaling}, {"x": s.floats((1, t, 1, d))}, turned, 2e-5)


class Around(nn.Module):
    """A dense layer d in a norm s."""

    norm: type
    more: dict
    features: int

    @nn.compact
    def __call__(self, x, **o):
        return self.norm(nn.Dense(self.features, name="d"), name="s", **self.more)(x, **o)


def around(s):
    x, n = s.floats((3, int(s.rng.integers(1, 6)))), int(s.rng.integers(2, 6))
    w = {"d.kernel": s.floats((x.shape[1], n)), "d.bias": s.floats((n,))}
    steps = int(s.rng.integers(1, 4))

    def spectral(a):
        v = {
            "params": {"d": {"kernel": a["d.kernel"], "bias": a["d.bias"]}},
            "batch_stats": {"s": {"d/kernel/u": a["s.d/kernel/u"], "d/kernel/sigma": a["s.d/kernel/sigma"]}},
        }
        m = Around(nn.SpectralNorm, {"n_steps": steps}, n)
        y, new = m.apply(v, a["x"], update_stats=True, mutable=["batch_stats"])
        return {"y": y, "new_u": new["batch_stats"]["s"]["d/kernel/u"], "sigma": new["batch_stats"]["s"]["d/kernel/sigma"]}

    stats = {"s.d/kernel/u": s.floats((1, n)), "s.d/kernel/sigma": np.float32(1)}
    layer(s, "spectral_norm", "spectral_norm", {"features": n, "steps": steps}, {"x": x, **w, **stats}, spectral, 1e-5)
    for scaled in (True, False):
        more = {"s.d/kernel/scale": s.floats((n,))} if scaled else {}

        def weight(a, scaled=scaled):
            p = {"d": {"kernel": a["d.kernel"], "bias": a["d.bias"]}}
            if scaled:
                p["s"] = {"d/kernel/scale": a["s.d/kernel/scale"]}
            return {"y": Around(nn.WeightNorm, {"use_scale": scaled}, n).apply({"params": p}, a["x"])}

        layer(s, "weight_norm", "weight_norm", {"features": n, "scaled": scaled}, {"x": x, **w, **more}, weight)
    hidden, xs = int(s.rng.integers(1, 4)), s.floats((4, 2, 3))


    def module(dtype):
        one, other = (nn.RNN(nn.GRUCell(hidden, param_dtype=dtype)) for _ in range(2))
        return nn.Bidirectional(one, other, time_major=True)

    cells, tree = variables(s, module(jnp.float32), xs)
    tutti = lambda r: r.replace(".cell.", ".")
    layer(
        s,
        "bidirectional",
        "bidirectional",
        {"hidden": hidden},
        {"x": xs, **{tutti(r): v for r, v in cells.items()}},
        lambda a: {"y": module(a["x"].dtype).apply({"params": tree({r: a[tutti(r)] for r in cells})}, a["x"])},
    )


def images(s):
    x = s.floats((1, int(s.rng.integers(3, 8)), int(s.rng.integers(3, 8)), 1))
    for method in ("nearest", "linear", "cubic", "cubic-pytorch", "lanczos3", "lanczos5", "area"):
        for aliased in (False, True):
            to = (1, int(s.rng.integers(2, 12)), int(s.rng.integers(2, 12)), 1)
            if method == "nearest" and aliased:
                continue
            layer(
                s,
                "resize",
                "image_resize",
                {"method": method, "aliased": aliased, "to": list(to)},
                {"x": x},
                lambda a, to=to, method=method, aliased=aliased: {"y": jax.image.resize(a["x"], to, method, not aliased)},
                1e-5,
            )


def fill(s):
    for _ in range(s.many):
        linear(s)
        norms(s)
        attention(s)
        others(s)
    for _ in range(s.many):  # what came later: the cases above stay as they are
        transformer(s)
        around(s)
        images(s)
