"""Arrays: what they are, operators, elements by place."""
import copy
import pickle

import numpy as np
import pytest

import tutti as tt

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def same(a, b):
    a = np.asarray(a)
    assert a.shape == np.shape(b) and np.array_equal(a, b, equal_nan=True), (a, b)


def test_from_python():
    assert tt.array(1.5).dtype == tt.float32 and tt.array(1).dtype == "i32" and tt.array(True).dtype == bool
    assert tt.array([1, 2]).dtype == np.int32 and tt.array([1.0, 2]).dtype == np.float32
    assert tt.array([1, 2**40]).dtype == tt.int64 and tt.array([1j]).dtype == tt.complex64
    assert tt.array(X.astype(np.float64)).dtype == tt.float64                  # an array keeps its type
    same(tt.array([[1, 2], [3, 4]], dtype=tt.float16), np.array([[1, 2], [3, 4]], np.float16))
    same(tt.array([tt.array(1.0), 2.0]), np.array([1, 2], np.float32))
    same(tt.array(X.T), X.T)
    same(tt.array(np.array(7, ">i4")), 7)
    same(tt.array(np.zeros((0, 3), np.int8)), np.zeros((0, 3)))
    same(tt.array(range(3)), np.arange(3)), same(tt.array(memoryview(b"abc")), np.frombuffer(b"abc", np.uint8))


def test_refused():
    for bad in ("text", object(), {1, 2}, np.array(["a"]), np.array([None])):
        with pytest.raises((TypeError, ValueError)):
            tt.array(bad)
    with pytest.raises(tt.DtypeError):
        tt.array([2**70, 1])
    with pytest.raises(tt.ArgumentError, match="64 bits"):
        tt.array(2**70)
    with pytest.raises(TypeError, match="immutable"):
        tt.array(X)[0] = 1
    with pytest.raises(TypeError):
        hash(tt.array(1))
    with pytest.raises(TypeError, match="tt.array"):
        tt.Array(1)


def test_properties():
    x = tt.array(X)
    assert (x.shape, x.ndim, x.size, x.nbytes, x.itemsize, len(x)) == ((2, 3, 4), 3, 24, 96, 4, 2)
    assert not x.is_traced and x.spec == "" and x.mesh is None
    assert [r.shape for r in x] == [(3, 4)] * 2
    same(x.T, X.T), same(x.mT, X.swapaxes(1, 2))
    assert float(x[0, 0, 1]) == 1.0 and int(x[1, 0, 0]) == 12 and bool(x[0, 0, 1]) and complex(x[0, 0, 2]) == 2
    assert x[0, 0, 3].item() == 3.0 and x[0, 0].tolist() == [0, 1, 2, 3] and [5, 6, 7][tt.array(1)] == 6
    with pytest.raises(TypeError):
        bool(x)
    with pytest.raises(TypeError):
        len(x[0, 0, 0])


def test_text():
    assert repr(tt.array([1.0, 2.5])) == "Array([1. , 2.5], dtype=float32)"
    assert repr(tt.array(3)) == "Array(3, dtype=int32)" and str(tt.array([1, 2])) == "[1 2]"
    assert "%s" % tt.array(1.0) == "1.0" and "{:.2f}".format(tt.array(1.0)) == "1.00"
    assert repr(tt.float32) == "float32" and repr(tt.mesh("data:2")) == 'Mesh("data:2")'
    seen = []
    tt.jit(lambda a: (seen.append(repr(a)), a)[1])(tt.array(X))
    assert seen == ["Traced(f32[2, 3, 4])"]


def test_operators():
    a, b = X[0] + 1, X[1] - 14
    x, y = tt.array(a), tt.array(b)
    for f in (lambda p, q: p + q, lambda p, q: p - q, lambda p, q: p * q, lambda p, q: p / (q + 0.5), lambda p,
              q: p == q,
              lambda p, q: p < q, lambda p, q: p >= q, lambda p, q: p != q, lambda p, q: -p, lambda p, q: abs(q),
              lambda p, q: p + 2, lambda p, q: 2 - p, lambda p, q: 3.0 * q, lambda p, q: p ** 2, lambda p, q: +p,
              lambda p, q: q // 3, lambda p, q: q % 3, lambda p, q: p @ q.T, lambda p, q: p > 2):
        np.testing.assert_allclose(np.asarray(f(x, y)), f(a, b), rtol=2e-6)
    assert round(tt.array(2.5)).item() == 2 and abs(round(tt.array(2.567), 2).item() - 2.57) < 1e-6
    same(np.abs(y), np.abs(b)), same(np.concatenate([x, y]), np.concatenate([a, b]))       # NumPy's functions read it
    assert isinstance(a + y, tt.Array) and isinstance(np.float32(2) * x, tt.Array) and isinstance(a < y, tt.Array)
    same(a + y, a + b), same(x + b, a + b)               # NumPy's array on either side
    np.testing.assert_allclose(np.asarray(1.0 / x), 1.0 / a, rtol=1e-6)
    np.testing.assert_allclose(np.asarray(2.0 ** x), 2.0 ** a, rtol=1e-5)
    i, j = np.array([6, -7, 8], np.int32), np.array([4, 2, -3], np.int32)
    p, q = tt.array(i), tt.array(j)
    same(p & q, i & j), same(p | q, i | j), same(p ^ q, i ^ j), same(~p, ~i)
    same(p << 2, i << 2), same(p >> 1, i >> 1), same(p // q, i // j), same(p % q, i % j), same(p ** 2, i ** 2)
    same(tt.array(np.array([200], np.uint8)) >> 1, np.array([100], np.uint8))
    np.testing.assert_allclose(np.asarray(p / q), i / j, rtol=1e-6)
    assert divmod(tt.array(7), 2)[1].item() == 1
    assert (x == None) is False and (x != "a") is True   # noqa: E711
    for bad in ("a", None, [1], {}):
        with pytest.raises(TypeError):
            x + bad


def test_types_of_numbers():
    assert (tt.array(1, dtype=tt.bfloat16) * 2.0).dtype == tt.bfloat16         # Python's numbers are weak
    assert (tt.array(1) + 1.5).dtype == tt.float32 and (tt.array(1, dtype="uint8") + 1).dtype == tt.uint8
    assert (tt.array(1.0) + np.float64(1)).dtype == tt.float64


@pytest.mark.parametrize("index", [
    0, -1, (1, 2, 3), (0, slice(1, 3)), slice(None, None, -1), (slice(None), 1), (Ellipsis, 0), (0, Ellipsis, 1), None,
    (slice(1, 3), Ellipsis, None), (None, 0, None), (slice(None), slice(5, 0, -2)), (slice(0, 0),), (), Ellipsis,
    np.array([1, 0, 1]), (slice(None), np.array([2, 0])), (np.array([0, 1]), np.array([2, 1])),
    (np.array([[0], [1]]), np.array([2, 1])), [1, 0], (0, [1, 2], slice(None, 2)), (np.array([0, 1]), slice(None), 1),
    X > 7, (X > 7)[:, :, 0], (0, np.array([True, False, True])), np.int64(1), (slice(-2, None), slice(None, -1))],
    ids=str)
def test_index(index):
    same(tt.array(X)[index], X[index])
    u = np.float32(100)
    for how, f in (("set", lambda a, b: b), ("add", np.add), ("multiply", np.multiply), ("max", np.maximum),
                   ("min", np.minimum)):
        if isinstance(index, np.ndarray) and index.dtype != bool and how in ("add", "multiply"):
            continue                                     # an index that occurs twice: NumPy does it once
        y = X.copy()
        y[index] = f(y[index], u)
        same(getattr(tt.array(X).at[index], how)(100.0), y)


def test_index_by_arrays():
    x = tt.array(X)
    same(x[tt.array([1, 0])], X[[1, 0]]), same(x[tt.array(1)], X[1])
    same(tt.jit(lambda a, i: a[i, ..., 0])(x, tt.array(1)), X[1, :, 0])
    same(tt.jit(lambda a: a.at[a > 7].set(0.0))(x), np.where(X > 7, 0, X))
    same(x.at[tt.array([0, 0])].add(1.0)[0], X[0] + 2)   # an index that occurs twice counts twice
    assert np.isnan(x[tt.array([5])].sum().item()) and x.at[tt.array([5])].get(mode="clip").tolist() == [X[1].tolist()]
    with pytest.raises(tt.ShapeError, match="7"):
        x[7]
    with pytest.raises(tt.TraceError, match="bools"):
        tt.jit(lambda a: a[a > 0])(x)
    with pytest.raises(tt.TraceError, match="dynamic_slice"):
        tt.jit(lambda a, i: a[i:])(x, 1)
    for bad in (1.5, "a", True, {}):
        with pytest.raises(tt.DtypeError):
            x[bad]


def test_methods():
    x = tt.array(X)
    for name, args in (("sum", {}), ("sum", {"axis": 1}), ("mean", {"axis": (0, 2)}),
                       ("max", {"axis": -1, "keepdims": True}),
                       ("min", {}), ("prod", {"axis": 2}), ("any", {"axis": 0}), ("all", {}), ("argmax", {"axis": 1}),
                       ("argmin", {}), ("std", {"axis": 0}), ("var", {}), ("cumsum", {"axis": 1}), ("cumsum", {}),
                       ("sort", {"axis": 0}), ("argsort", {"axis": -1}), ("ravel", {}), ("flatten", {}),
                       ("squeeze", {}), ("round", {}), ("conj", {}), ("copy", {})):
        there = np.sort(X, **args) if name == "sort" else getattr(X, name)(**args)
        np.testing.assert_allclose(np.asarray(getattr(x, name)(**args)), there, rtol=1e-5, err_msg=name)
    same(x.reshape(4, -1), X.reshape(4, -1)), same(x.reshape((6, 4)), X.reshape(6, 4)), same(x.reshape([24]), X.ravel())
    same(x.transpose(2, 0, 1), X.transpose(2, 0, 1)), same(x.transpose((1, 0, 2)), X.transpose(1, 0, 2))
    same(x.astype(int), X.astype(int)), same(x.clip(3, 7), X.clip(3, 7)), same(x.take([1, 0], axis=0),
                                                                               X.take([1, 0], axis=0))
    same(x.repeat(2, axis=1), X.repeat(2, axis=1)), same(x.swapaxes(0, 2), X.swapaxes(0, 2)), same(x[0].dot(x[1].T),
                                                                                                   X[0] @ X[1].T)
    assert x.block_until_ready() is x


def test_copies():
    x = tt.array(X)
    assert copy.deepcopy(x) is x and copy.copy(x) is x
    same(pickle.loads(pickle.dumps(x)), X)


def test_dtypes():
    assert tt.dtype("f32") is tt.float32 and tt.dtype(np.int8) is tt.int8 and tt.dtype(float) is tt.float32
    assert tt.float32 == np.float32 and tt.float32 == "float32" and tt.float32 != tt.int8
    assert {np.dtype("f4"): 1}[tt.float32]
    for name in ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128 "
                 "bool").split():
        a = np.array([0, 1, 1, 0]).astype(name)
        x = tt.array(a)
        assert x.dtype.name == name and np.asarray(x).dtype == a.dtype
        same(x, a)
    with pytest.raises(tt.DtypeError, match="no element type"):
        tt.dtype("float99")
    with pytest.raises(tt.DtypeError):
        tt.zeros(3, dtype="S5")


def test_masks_have_the_sizes_of_the_dims():
    x = tt.arange(12.0).reshape(3, 4)
    assert x[tt.array([True, False, True])].shape == (2, 4)
    assert x[..., np.array([True, False, False, True])].shape == (3, 2)
    assert x[None, np.ones((3, 4), bool)].shape == (1, 12)
    for mask in (tt.array([True, False]), np.array([True] * 4), np.ones((3, 3), bool), np.ones((3, 4, 1), bool),
                 np.ones((3, 1), bool), np.ones(1, bool)):
        with pytest.raises(tt.ShapeError, match="a mask of dims"):
            x[mask]
        with pytest.raises(tt.ShapeError, match="a mask of dims"):
            x.at[mask].set(0)
    assert x.at[np.array([True, False, True])].set(0).sum() == 22
    with pytest.raises(tt.ShapeError, match=r"a mask of dims \(3,\) for dims \(4,\)"):
        x[..., np.array([True, False, True])]


def test_numbers_out_of_the_range_of_a_dtype():
    assert tt.array([255, 0], dtype="uint8").tolist() == [255, 0]
    assert tt.array([-128], dtype="int8").tolist() == [-128]
    for numbers, dtype in (([300], "uint8"), (300, "uint8"), ([[1], [-1]], "uint32"), ([-129], "int8"), ([8], "int4")):
        with pytest.raises(tt.DtypeError, match="is no number of %s" % dtype):
            tt.array(numbers, dtype=dtype)
