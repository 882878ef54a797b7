"""The same call in Tutti and in NumPy, and in JAX where it is here: results, shapes and types."""
import numpy as np
import pytest

import tutti as tt

R = np.random.default_rng(0)
A = R.normal(size=(3, 4)).astype(np.float32)
B = R.normal(size=(3, 4)).astype(np.float32)
P = np.abs(A) + np.float32(0.5)
U = np.clip(A / 3, -0.9, 0.9)
S = R.normal(size=(4, 4)).astype(np.float32) + 3 * np.eye(4, dtype=np.float32)
I = R.integers(-9, 9, size=(3, 4)).astype(np.int32)      # noqa: E741
J = R.integers(1, 5, size=(3, 4)).astype(np.int32)
V = R.normal(size=5).astype(np.float32)
M = A > 0

# Functions of a module m (tutti, numpy, jax.numpy) that all of them have under one name.
CALLS = {
    **{n: (lambda m, n=n: getattr(m, n)(A)) for n in
       "sin cos tanh exp expm1 square sign floor ceil sinh cosh cbrt abs negative exp2 isnan isinf isfinite signbit "
       "rint "
       "absolute reciprocal nan_to_num real imag conj arctan arcsinh sum prod mean var std max min argmax argmin "
       "median "
       "ravel transpose zeros_like ones_like cumsum cumprod trace".split()},
    **{n: (lambda m, n=n: getattr(m, n)(P)) for n in "sqrt log log1p log2 log10".split()},
    **{n: (lambda m, n=n: getattr(m, n)(U)) for n in "arcsin arccos arctanh tan".split()},
    **{n: (lambda m, n=n: getattr(m, n)(A, B)) for n in
       "add subtract multiply divide true_divide maximum minimum arctan2 hypot logaddexp copysign fmax fmin equal "
       "not_equal less less_equal greater greater_equal logical_and logical_or logical_xor isclose allclose "
       "array_equal outer kron".split()},
    **{n + "_int": (lambda m, n=n: getattr(m, n)(I, J)) for n in
       "add multiply floor_divide mod remainder divide bitwise_and bitwise_or bitwise_xor left_shift right_shift power "
       "maximum isin".split()},
    **{n + "_axis": (lambda m, n=n: getattr(m, n)(A, axis=1)) for n in
       "sum prod mean var std max min argmax argmin cumsum cumprod sort argsort median nansum nanmean any all "
       "count_nonzero flip diff".split()},
    "sum_keepdims": lambda m: m.sum(A, axis=0, keepdims=True), "sum_axes": lambda m: m.sum(A, axis=(0, 1)),
    "sum_where": lambda m: m.sum(A, where=M), "max_initial": lambda m: m.max(A, axis=0, initial=1.0),
    "power": lambda m: m.power(P, B), "power_2": lambda m: m.power(A, 2), "logical_not": lambda m: m.logical_not(M),
    "invert": lambda m: m.invert(I), "clip": lambda m: m.clip(A, -0.5, 0.5), "where": lambda m: m.where(M, A, B),
    "nonzero": lambda m: m.nonzero(M), "where_1": lambda m: m.where(M), "argwhere": lambda m: m.argwhere(M),
    "matmul": lambda m: m.matmul(A, B.T), "dot": lambda m: m.dot(A, S), "dot_vectors": lambda m: m.dot(V, V),
    "vdot": lambda m: m.vdot(A, B), "inner": lambda m: m.inner(A, B),
    "tensordot": lambda m: m.tensordot(A, B, ((0,), (0,))),
    "tensordot_2": lambda m: m.tensordot(A, B, 2), "einsum": lambda m: m.einsum("ij,kj->ik", A, B),
    "einsum_implicit": lambda m: m.einsum("ij,jk", A, S), "einsum_dots": lambda m: m.einsum("...j,jk->...k", A, S),
    "einsum_trace": lambda m: m.einsum("ii->", S), "einsum_sum": lambda m: m.einsum("ij->j", A),
    "cross": lambda m: m.cross(A[:, :3], B[:, :3]),
    "convolve": lambda m: getattr(m, "convolve1d", m.__dict__.get("convolve"))(V, V),
    "reshape": lambda m: m.reshape(A, (2, -1)), "transpose_axes": lambda m: m.transpose(A, (1, 0)),
    "swapaxes": lambda m: m.swapaxes(A, 0, 1), "moveaxis": lambda m: m.moveaxis(A[None], 0, 2),
    "squeeze": lambda m: m.squeeze(A[None, :, None]), "squeeze_axis": lambda m: m.squeeze(A[None, :, None], axis=2),
    "expand_dims": lambda m: m.expand_dims(A, (0, -1)), "broadcast_to": lambda m: m.broadcast_to(V, (2, 5)),
    "concatenate": lambda m: m.concatenate([A, B], axis=1),
    "concatenate_flat": lambda m: m.concatenate([A, B], axis=None),
    "stack": lambda m: m.stack([A, B], axis=-1), "vstack": lambda m: m.vstack([A, B]),
    "hstack": lambda m: m.hstack([A, B]),
    "dstack": lambda m: m.dstack([A, B]), "column_stack": lambda m: m.column_stack([V, V]),
    "split": lambda m: m.split(A, 2, axis=1), "split_places": lambda m: m.split(A, [1, 3], axis=1),
    "array_split": lambda m: m.array_split(V, 3) if m is not tt else tt.array_split(V, 3, 0),
    "tile": lambda m: m.tile(A, (2, 1)), "repeat": lambda m: m.repeat(A, 2, axis=0),
    "repeat_flat": lambda m: m.repeat(A, 2),
    "roll": lambda m: m.roll(A, 1), "roll_axis": lambda m: m.roll(A, -1, axis=1), "rot90": lambda m: m.rot90(A),
    "flip": lambda m: m.flip(A), "pad": lambda m: m.pad(A, 1),
    "pad_edge": lambda m: m.pad(A, ((1, 2), (0, 1)), mode="edge"),
    "pad_reflect": lambda m: m.pad(A, 1, mode="reflect"), "tril": lambda m: m.tril(S), "triu": lambda m: m.triu(S, 1),
    "diag": lambda m: m.diag(V), "diag_of": lambda m: m.diag(S, 1),
    "take": lambda m: m.take(A, np.array([2, 0]), axis=0),
    "take_flat": lambda m: m.take(A, np.array([5, 1])),
    "take_along_axis": lambda m: m.take_along_axis(A, np.argsort(A, 1), axis=1),
    "sort": lambda m: m.sort(A), "argsort": lambda m: m.argsort(A), "unique": lambda m: m.unique(I),
    "searchsorted": lambda m: m.searchsorted(np.sort(V), A),
    "bincount": lambda m: m.bincount(J.ravel(), *([5] if m is tt else [])),
    "interp": lambda m: m.interp(A, np.sort(V), V), "polyval": lambda m: m.polyval(V, A),
    "gradient": lambda m: m.gradient(A),
    "cov": lambda m: m.cov(A), "corrcoef": lambda m: m.corrcoef(A), "quantile": lambda m: m.quantile(A, 0.3),
    "linspace": lambda m: m.linspace(0, 1, 7), "arange": lambda m: m.arange(7),
    "arange_step": lambda m: m.arange(1.0, 3.0, 0.5),
    "eye": lambda m: m.eye(3, 4, k=1), "full": lambda m: m.full((2, 3), 7.5), "full_like": lambda m: m.full_like(I, 3),
    "zeros": lambda m: m.zeros((2, 3)), "ones": lambda m: m.ones(3),
    "meshgrid": lambda m: m.meshgrid(V, V, **({} if m is tt else {"indexing": "ij"})),
    "inv": lambda m: m.linalg.inv(S), "det": lambda m: m.linalg.det(S), "solve": lambda m: m.linalg.solve(S, S.T),
    "cholesky": lambda m: m.linalg.cholesky(S @ S.T), "eigvalsh": lambda m: (m.linalg.eigh(S + S.T)[0]),
    "norm": lambda m: m.linalg.norm(A), "slogdet": lambda m: m.linalg.slogdet(S), "pinv": lambda m: m.linalg.pinv(A),
    "fft": lambda m: m.fft.fft(A.astype(np.complex64)), "rfft": lambda m: m.fft.rfft(A),
    "fftshift": lambda m: m.fft.fftshift(A),
}


def flat(x):
    return [y for z in x for y in flat(z)] if isinstance(x, (list, tuple)) else [x]


def compared(name, got, there, types):
    got, there = flat(got), flat(there)
    assert len(got) == len(there)
    for a, b in zip(got, there):
        dtype = str(getattr(a, "dtype", type(a)))
        a, c = np.asarray(a), np.asarray(b)
        assert a.shape == c.shape, (name, a.shape, c.shape)
        np.testing.assert_allclose(a.astype(complex), c.astype(complex), rtol=2e-4, atol=3e-5, err_msg=name)
        if types:
            assert dtype == str(b.dtype), (name, dtype, b.dtype)


@pytest.mark.parametrize("name", CALLS)
def test_numpy(name):
    compared(name, CALLS[name](tt), CALLS[name](np), False)


@pytest.mark.parametrize("name", CALLS)
def test_jax(name, jax):
    compared(name, CALLS[name](tt), CALLS[name](jax.numpy), name not in ("eigvalsh",))


@pytest.mark.parametrize("name", "relu relu6 silu softplus gelu sigmoid log_sigmoid elu selu softmax log_softmax "
                                 "standardize soft_sign hard_tanh mish glu leaky_relu celu squareplus".split())
def test_jax_nn(name, jax):
    compared(name, getattr(tt, name)(A), getattr(jax.nn, name)(A), True)
