"""Suite `math`: functions of lax, jnp, jax.nn and optax's losses, on drawn numbers and on awkward ones."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

from golden import Suite, versions


def suite(out, seed, many):
    return Suite(out, "math", seed, many, versions("jax", "optax"))


FLAT = {"rtol": 3e-6, "atol": 2e-6}
AWKWARD = np.array(
    [
        0,
        -0.0,
        1,
        -1,
        0.5,
        2,
        3,
        -2.5,
        np.inf,
        -np.inf,
        np.nan,
        1e-30,
        1e30,
        88,
        -88,
        100,
        0.9999999,
        1.0000001,
        127,
        16777216,
    ],
    np.float32,
)

# name: (function, inputs, low, high, tolerance in ulp)
ONE = {
    "exp": (jnp.exp, -20, 20, 4),
    "log": (jnp.log, 0, 50, 4),
    "log1p": (jnp.log1p, -1, 5, 4),
    "expm1": (jnp.expm1, -5, 5, 4),
    "tanh": (jnp.tanh, -6, 6, 6),
    "erf": (lax.erf, -4, 4, 6),
    "erfc": (lax.erfc, -4, 4, 16),
    "erf_inv": (lax.erf_inv, -1, 1, 8),
    "logistic": (lax.logistic, -20, 20, 6),
    "rsqrt": (lax.rsqrt, 0, 50, 4),
    "sqrt": (jnp.sqrt, 0, 50, 1),
    "sin": (jnp.sin, -50, 50, 4),
    "cos": (jnp.cos, -50, 50, 4),
    "tan": (jnp.tan, -3, 3, 6),
    "asin": (jnp.arcsin, -1, 1, 6),
    "acos": (jnp.arccos, -1, 1, 6),
    "atan": (jnp.arctan, -9, 9, 6),
    "sinh": (jnp.sinh, -5, 5, 6),
    "cosh": (jnp.cosh, -5, 5, 6),
    "asinh": (jnp.arcsinh, -9, 9, 6),
    "acosh": (jnp.arccosh, 1, 9, 8),
    "atanh": (jnp.arctanh, -1, 1, 8),
    "cbrt": (jnp.cbrt, -50, 50, 4),
    "exp2": (jnp.exp2, -20, 20, 4),
    "log2": (jnp.log2, 0, 50, 4),
    "log10": (jnp.log10, 0, 50, 4),
    "lgamma": (lax.lgamma, 0.1, 30, 24),
    "digamma": (lax.digamma, 0.1, 30, 24),
    "bessel_i0e": (lax.bessel_i0e, -9, 9, 8),
    "bessel_i1e": (lax.bessel_i1e, -9, 9, 8),
    "ndtri": (jax.scipy.special.ndtri, 0.001, 0.999, 16),
}
EXACT_ONE = {
    "floor": jnp.floor,
    "ceil": jnp.ceil,
    "sign": jnp.sign,
    "abs": jnp.abs,
    "neg": jnp.negative,
    "is_finite": jnp.isfinite,
    "signbit": jnp.signbit,
    "relu": jax.nn.relu,
    "relu6": jax.nn.relu6,
    "square": jnp.square,
}
TWO = {
    "add": jnp.add,
    "sub": jnp.subtract,
    "mul": jnp.multiply,
    "div": jnp.divide,
    "rem": lax.rem,
    "max": jnp.maximum,
    "min": jnp.minimum,
    "copysign": jnp.copysign,
    "fmax": jnp.fmax,
    "fmin": jnp.fmin,
    "nextafter": jnp.nextafter,
    "heaviside": jnp.heaviside,
    "mod": jnp.mod,
    "floor_divide": jnp.floor_divide,
}
TWO_ULP = {"atan2": (jnp.arctan2, 6), "hypot": (jnp.hypot, 4), "logaddexp": (jnp.logaddexp, 6), "pow": (jnp.power, 8)}
INTS = {
    "add": jnp.add,
    "sub": jnp.subtract,
    "mul": jnp.multiply,
    "max": jnp.maximum,
    "min": jnp.minimum,
    "bitwise_and": jnp.bitwise_and,
    "bitwise_or": jnp.bitwise_or,
    "bitwise_xor": jnp.bitwise_xor,
    "rem": lax.rem,
    "div": lax.div,
    "mod": jnp.mod,
    "floor_divide": jnp.floor_divide,
}
INT_ONE = {
    "abs": jnp.abs,
    "neg": jnp.negative,
    "sign": jnp.sign,
    "bitwise_not": jnp.bitwise_not,
    "clz": lax.clz,
    "population_count": lax.population_count,
}
NN = {
    "silu": jax.nn.silu,
    "softplus": jax.nn.softplus,
    "log_sigmoid": jax.nn.log_sigmoid,
    "mish": jax.nn.mish,
    "selu": jax.nn.selu,
    "soft_sign": jax.nn.soft_sign,
    "squareplus": jax.nn.squareplus,
    "hard_tanh": jax.nn.hard_tanh,
    "hard_sigmoid": jax.nn.hard_sigmoid,
    "hard_silu": jax.nn.hard_silu,
}


def wide(f, *xs):
    """The same in float64, rounded to float32: either answer is right."""
    with jax.enable_x64(True):
        y = f(*[jnp.asarray(x, jnp.float64) for x in xs])
        return np.asarray(y).astype(np.float32) if jnp.issubdtype(y.dtype, jnp.floating) else None


def between(s, low, high, shape):
    x = s.rng.uniform(low, high, shape).astype(np.float32)
    if x.ndim and s.rng.integers(0, 3) == 0:
        k = min(len(AWKWARD), x.size)
        x.reshape(-1)[:k] = s.rng.permutation(AWKWARD)[:k]
    return x


def elementwise(s):
    for name, (f, low, high, ulp) in ONE.items():
        x = between(s, low, high, s.shape(int(s.rng.integers(0, 3)), 40))
        s.case(name, "math", name, {}, [x], [f(x)], {"ulp": ulp}, ref64=wide(f, x))
    for name, f in EXACT_ONE.items():
        x = between(s, -9, 9, s.shape())
        s.case(name, "math", name, {}, [x], [f(x)])
    for name, f in TWO.items():
        shape = s.shape(None, 8)
        x, y = between(s, -9, 9, shape), between(
            s, -9, 9, s.pick(shape, shape, tuple(1 if s.pick(0, 1) else n for n in shape))
        )
        s.case(
            name,
            "math",
            name,
            {},
            [x, y],
            [f(x, y)] if x.shape == y.shape or name not in ("rem",) else [lax.rem(*np.broadcast_arrays(x, y))],
            {"ulp": 1},
        )
    for name, (f, ulp) in TWO_ULP.items():
        shape = s.shape(None, 8)
        low = 0 if name == "pow" else -9
        x, y = between(s, low, 9, shape), between(s, -9, 9, shape)
        s.case(name, "math", name, {}, [x, y], [f(x, y)], {"ulp": ulp}, ref64=wide(f, x, y))
    for name, f in NN.items():
        x = between(s, -9, 9, s.shape())
        s.case(name, "math", name, {}, [x], [f(x)], FLAT)
    x = between(s, -6, 6, s.shape())
    for approximate in (True, False):
        s.case("gelu", "math", "gelu", {"approximate": approximate}, [x], [jax.nn.gelu(x, approximate)], FLAT)
    s.case("leaky_relu", "math", "leaky_relu", {"negative_slope": 0.2}, [x], [jax.nn.leaky_relu(x, 0.2)], {"ulp": 1})
    for name, f in (("elu", jax.nn.elu), ("celu", jax.nn.celu)):
        s.case(name, "math", name, {"alpha": 0.5}, [x], [f(x, 0.5)], FLAT)
    y = int(s.rng.integers(-3, 6))
    s.case(
        "integer_pow",
        "math",
        "integer_pow",
        {"y": y},
        [x],
        [lax.integer_pow(x, y)],
        {"ulp": 6},
        ref64=wide(lambda v: v**y, x),
    )
    for mode, how in (
        ("to_nearest_even", lax.RoundingMethod.TO_NEAREST_EVEN),
        ("away_from_zero", lax.RoundingMethod.AWAY_FROM_ZERO),
    ):
        h = np.asarray(s.rng.integers(-9, 10, s.shape()) / 2, np.float32)
        s.case("round", "math", "round", {"mode": mode}, [h], [lax.round(h, how)])


def integers(s):
    kinds = [np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32]
    for name, f in INTS.items():
        d, shape = s.pick(*kinds), s.shape()
        x, y = (s.ints(shape, d, np.iinfo(d).min, np.iinfo(d).max) for _ in range(2))
        if name in ("div", "rem", "mod", "floor_divide"):
            y = np.where(y == 0, 1, y).astype(d)
            y = np.where(y == -1, 2, y).astype(d) if np.iinfo(d).min else y
        s.case(f"{name}-{np.dtype(d).name}", "math", name, {}, [x, y], [f(x, y)])
    for name, f in INT_ONE.items():
        d = s.pick(*kinds)
        x = s.ints(s.shape(), d, np.iinfo(d).min + 1, np.iinfo(d).max)
        s.case(f"{name}-{np.dtype(d).name}", "math", name, {}, [x], [f(x)])
    for name, f in (
        ("shift_left", lax.shift_left),
        ("shift_right_logical", lax.shift_right_logical),
        ("shift_right_arithmetic", lax.shift_right_arithmetic),
    ):
        d = s.pick(*kinds)
        shape = s.shape()
        x, y = s.ints(shape, d, np.iinfo(d).min, np.iinfo(d).max), s.ints(shape, d, 0, 8 * np.dtype(d).itemsize - 1)
        s.case(f"{name}-{np.dtype(d).name}", "math", name, {}, [x, y], [f(x, y)])
    for _ in range(4):
        a, b = s.pick(*kinds, np.float32, np.float16, jnp.bfloat16), s.pick(
            *kinds, np.float32, np.float16, jnp.bfloat16, np.bool_
        )
        x = np.asarray(jnp.asarray(s.ints(s.shape(), np.int32, 0, 100)).astype(a))
        s.case(
            f"convert-{np.dtype(a).name}-{np.dtype(b).name}",
            "math",
            "convert",
            {"to": np.dtype(b).name},
            [x],
            [lax.convert_element_type(x, b)],
        )
    x = s.floats(s.shape(None, 8))
    s.case("bitcast", "math", "bitcast_convert", {"to": "int32"}, [x], [lax.bitcast_convert_type(x, jnp.int32)])
    e, m = int(s.rng.integers(3, 9)), int(s.rng.integers(2, 12))
    s.case(
        "reduce_precision",
        "math",
        "reduce_precision",
        {"exponent_bits": e, "mantissa_bits": m},
        [x],
        [lax.reduce_precision(x, e, m)],
    )
    for op in ("eq", "ne", "lt", "le", "gt", "ge"):
        shape = s.shape()
        x, y = s.pick(
            (s.ints(shape, np.int32, 0, 3), s.ints(shape, np.int32, 0, 3)),
            (between(s, -2, 2, shape), between(s, -2, 2, shape)),
        )
        s.case(f"compare-{op}", "math", "compare", {"op": op}, [x, y], [getattr(lax, op)(x, y)])


def reductions(s):
    for op in ("sum", "prod", "max", "min", "mean", "var", "std", "any", "all"):
        shape = s.shape(int(s.rng.integers(1, 5)), 7)
        axes = sorted(int(a) for a in s.rng.permutation(len(shape))[: s.rng.integers(1, len(shape) + 1)])
        d = (
            s.pick(np.float32, np.float32, np.int32, np.int8, jnp.bfloat16)
            if op not in ("any", "all", "var", "std", "mean")
            else np.float32
        )
        x = (
            s.rng.integers(0, 2, shape).astype(bool)
            if op in ("any", "all")
            else np.asarray(jnp.asarray(s.floats(shape, scale=1 if op == "prod" else 9)).astype(d))
        )
        keep = bool(s.rng.integers(0, 2))
        y = getattr(jnp, op)(x, axis=tuple(axes), keepdims=keep)
        tol = (
            {"rtol": 1e-5, "atol": 1e-5}
            if np.dtype(x.dtype) == np.float32
            else {"ulp": 1} if x.dtype.name == "bfloat16" else None
        )
        if op == "prod" and x.dtype.name == "bfloat16":
            tol = {"rtol": 0.05, "atol": 1e-3}
        s.case(
            f"reduce-{op}-{x.dtype.name}", "math", "reduce", {"op": op, "axes": axes, "keepdims": keep}, [x], [y], tol
        )
    shape = s.shape(int(s.rng.integers(1, 4)), 9)
    axis = int(s.rng.integers(0, len(shape)))
    x = s.floats(shape)
    tied = s.ints(shape, np.int32, 0, 4)
    for name in ("argmax", "argmin"):
        s.case(name, "math", name, {"axis": axis}, [tied], [getattr(jnp, name)(tied, axis)])
    for name, f in (
        ("cumsum", lax.cumsum),
        ("cumprod", lax.cumprod),
        ("cummax", lax.cummax),
        ("cummin", lax.cummin),
        ("cumlogsumexp", lax.cumlogsumexp),
    ):
        back = bool(s.rng.integers(0, 2))
        s.case(
            name,
            "math",
            name,
            {"axis": axis, "reverse": back},
            [x],
            [f(x, axis=axis, reverse=back)],
            {"rtol": 1e-5, "atol": 1e-5},
        )
    for descending in (False, True):
        s.case(
            "argsort",
            "math",
            "argsort",
            {"axis": axis, "descending": descending},
            [tied],
            [jnp.argsort(tied, axis=axis, descending=descending, stable=True)],
        )
    s.case("sort", "math", "sort", {"axis": axis}, [x], [jnp.sort(x, axis=axis)])
    keys, second = int(s.rng.integers(1, 3)), s.ints(shape, np.int32, 0, 3)
    s.case(
        "sort-keys",
        "math",
        "sort",
        {"axis": axis, "num_keys": keys},
        [tied, second, x],
        list(lax.sort([tied, second, x], dimension=axis, num_keys=keys)),
    )
    k = int(s.rng.integers(1, shape[-1] + 1))
    s.case("top_k", "math", "top_k", {"k": k}, [x], list(lax.top_k(x, k)))
    line = np.sort(s.ints((9,), np.int32, 0, 20))
    for side in ("left", "right"):
        v = s.ints(s.shape(1, 9), np.int32, -2, 22)
        s.case(
            "searchsorted", "math", "searchsorted", {"side": side}, [line, v], [jnp.searchsorted(line, v, side=side)]
        )
    which = s.ints(shape, np.int32, 0, 2)
    options = [s.floats(shape) for _ in range(3)]
    s.case("select_n", "math", "select_n", {}, [which] + options, [lax.select_n(which, *options)])
    low, high = np.float32(-0.5), np.float32(0.7)
    s.case("clamp", "math", "clamp", {}, [low, x, high], [lax.clamp(low, x, high)])
    for name, f in (
        ("softmax", jax.nn.softmax),
        ("log_softmax", jax.nn.log_softmax),
        ("standardize", jax.nn.standardize),
    ):
        s.case(name, "math", name, {"axis": axis}, [x], [f(x, axis=axis)], {"rtol": 1e-5, "atol": 1e-5})
    s.case("logsumexp", "math", "logsumexp", {"axis": axis}, [x], [jax.nn.logsumexp(x, axis=axis)], FLAT)
    pairs = s.floats(shape[:-1] + (2 * shape[-1],))
    s.case("glu", "math", "glu", {"axis": len(shape) - 1}, [pairs], [jax.nn.glu(pairs, axis=-1)], FLAT)
    ids = s.ints(s.shape(None, 5), np.int32, -1, 8)
    s.case("one_hot", "math", "one_hot", {"num_classes": 7}, [ids], [jax.nn.one_hot(ids, 7)])


def losses(s):
    b, n = s.shape(2, 9)
    n += 1
    x, y = s.floats((b, n), scale=3), s.floats((b, n), scale=3)
    soft = np.asarray(jax.nn.softmax(s.floats((b, n))))
    labels = s.ints((b,), np.int32, 0, n - 1)
    hard = s.rng.integers(0, 2, (b, n)).astype(np.float32)
    rows = [
        ("softmax_cross_entropy", optax.softmax_cross_entropy, [x, soft], [0, 1], {}),
        (
            "softmax_cross_entropy_with_integer_labels",
            optax.softmax_cross_entropy_with_integer_labels,
            [x, labels],
            [0],
            {},
        ),
        ("l2_loss", optax.l2_loss, [x, y], [0, 1], {}),
        ("squared_error", optax.squared_error, [x, y], [0, 1], {}),
        ("sigmoid_binary_cross_entropy", optax.sigmoid_binary_cross_entropy, [x, hard], [0], {}),
        ("log_cosh", optax.log_cosh, [x, y], [0, 1], {}),
        ("hinge_loss", optax.hinge_loss, [x, 2 * hard - 1], [0], {}),
        ("kl_divergence", optax.kl_divergence, [np.asarray(jax.nn.log_softmax(x)), soft], [0], {}),
        ("huber_loss", optax.huber_loss, [x, y], [0, 1], {"delta": 0.7}),
        ("cosine_similarity", optax.cosine_similarity, [x, y], [0, 1], {"epsilon": 1e-8}),
        ("cosine_distance", optax.cosine_distance, [x, y], [0], {"epsilon": 1e-8}),
        ("smooth_labels", optax.smooth_labels, [soft], [0], {"alpha": 0.1}),
    ]
    for name, f, args, grad, kw in rows:
        value = f(*args, **kw)
        grads = jax.grad(lambda *a: f(*a, **kw).sum(), tuple(grad))(*[jnp.asarray(a) for a in args])
        s.case(name, "loss", name, {**kw, "grad": grad}, args, [value, *grads], {"rtol": 1e-5, "atol": 2e-6})


def fill(s):
    for _ in range(s.many):
        elementwise(s)
        integers(s)
        reductions(s)
        losses(s)
