"""Keys and draws, bit for bit JAX's, with the signatures of jax.random."""
from . import _api, _core
from ._array import Array, array
from ._core import call, ffi, lib

__all__ = """key PRNGKey key_data fold_in split uniform truncated_normal randint bernoulli permutation shuffle
categorical choice multivariate_normal logistic""".split()
for _name in _api.HEADERS["random"]:
    if _name not in __all__:
        globals()[_name] = getattr(_api, _name)
        __all__.append(_name)
t, f = _api.t_draw, _api.f_draw


def key(seed) -> Array:
    """A key, uint32[2], of a whole number."""
    return call(lib.tt_key_at, ("seed",), "i", (seed,))


PRNGKey = key


def key_data(key) -> Array:
    """The words of a key: the key itself."""
    return key


def fold_in(key, data) -> Array:
    """A key derived from a key and whole numbers: of Python's, those of uint32. data of any shape: a key for each of
    its elements, as jax.vmap(fold_in) gives."""
    if isinstance(data, int) and not 0 <= data < 2**32:
        raise _core.fail(_core.ArgumentError, "fold_in: %d is out of bounds for uint32" % data,
                         "numpy.uint32(data % 2**32) is the number that C would take")
    return call(lib.tt_fold_in_at, ("key", "data"), "vv", (key, data))


def split(key, num=2) -> Array:
    """num keys of one, uint32[num, 2]."""
    return call(lib.tt_split_at, ("key", "num"), "vi", (key, num))


def uniform(key, shape=(), dtype=float, minval=0.0, maxval=1.0) -> Array:
    """Numbers in [minval, maxval)."""
    if _core.number("minval", minval) == 0.0 and _core.number("maxval", maxval) == 1.0:
        return call(lib.tt_uniform_at, ("key", "dtype", "shape"), "vtD", (key, dtype, shape))
    return call(lib.tt_uniform_in_at, ("key", "dtype", "minval", "maxval", "shape"), "vtddD",
                (key, dtype, minval, maxval, shape))


def truncated_normal(key, lower, upper, shape=(), dtype=float) -> Array:
    """Normal numbers between lower and upper."""
    return call(lib.tt_truncated_normal_at, ("key", "dtype", "lower", "upper", "shape"), "vtddD",
                (key, dtype, lower, upper, shape))


def randint(key, shape, minval, maxval, dtype=int) -> Array:
    """Whole numbers in [minval, maxval)."""
    return call(lib.tt_randint_at, ("key", "dtype", "minval", "maxval", "shape"), "vtvvD",
                (key, dtype, minval, maxval, shape))


def bernoulli(key, p=0.5, shape=None) -> Array:
    """True with probability p, in p's shape without another."""
    if shape is None:
        shape = array(p).shape
    return call(lib.tt_bernoulli_at, ("key", "p", "shape"), "vvD", (key, p, shape))


def permutation(key, x, axis=0, independent=False) -> Array:
    """The rows of x, or 0 .. x - 1, in another order."""
    return call(lib.tt_permutation_at, ("key", "x", "axis", "independent"), "vvik",
                (key, x, axis, _core.flag("independent", independent)))


shuffle = permutation


def categorical(key, logits, axis=-1, shape=None) -> Array:
    """Indices along an axis, distributed by its logits."""
    return call(lib.tt_categorical_at, ("key", "logits", "axis", "shape"), "vviO", (key, logits, axis, shape))


_core.CONVERT["O"] = lambda what, x: ffi.NULL if x is None else _core.dims_list(what, x)
_choice_options = _core.Options("tt_choice_opts", "p=p:v once=once:k axis=dim:k")


def choice(key, a, shape=(), replace=True, p=None, axis=0) -> Array:
    """Rows of a, or numbers of 0 .. a - 1; p: their weights; replace=False: each at most once."""
    return call(lib.tt_choice_with_at, ("key", "a", "shape"), "vvD", (key, a, shape), _choice_options,
                (p, None if _core.flag("replace", replace) else True, axis or None))


def multivariate_normal(key, mean, cov, shape=(), dtype=float, method=None) -> Array:
    """Vectors of a mean and a covariance; shape: the dims before them. method: "cholesky", "svd" or "eigh"."""
    return call(lib.tt_multivariate_normal_at, ("key", "dtype", "mean", "cov", "method", "shape"), "vtvvSD",
                (key, dtype, mean, cov, method, shape))


_core.CONVERT["S"] = lambda what, x: ffi.NULL if x is None else _core.text(what, x)


def logistic(key, shape=(), dtype=float) -> Array:
    """Numbers of the logistic distribution."""
    return call(lib.tt_logistic_draw_at, ("key", "dtype", "shape", "difference"), "vtDi", (key, dtype, shape, 1))
