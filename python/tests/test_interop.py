"""NumPy, JAX and PyTorch: arrays in and out, without a copy where that can be."""
import gc
import sys

import numpy as np
import pytest

import tutti as tt

VIEWS = tuple(int(n) for n in np.__version__.split(".")[:2]) >= (2, 1)


def address(x):
    return np.asarray(x).ctypes.data


def aligned(shape, dtype):
    n = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.empty(n + 64, np.uint8)
    at = -raw.ctypes.data % 64
    return raw[at:at + n].view(dtype).reshape(shape)


@pytest.mark.skipif(not VIEWS, reason="NumPy before 2.1")
def test_to_numpy():
    x = tt.array(np.arange(6, dtype=np.float32).reshape(2, 3))
    a, b = np.asarray(x), np.from_dlpack(x)
    assert a.ctypes.data == b.ctypes.data and not a.flags.writeable
    del x
    gc.collect()
    assert (b == np.arange(6).reshape(2, 3)).all()       # the memory lives as long as NumPy's array
    c = np.array(tt.array([1, 2]))
    c[0] = 5                                             # a copy is NumPy's own
    assert np.asarray(tt.array([1, 2]), dtype=np.float64).dtype == np.float64


def test_from_numpy():
    a = aligned((2, 3), np.float32)
    a[:] = 1
    x = tt.array(a)
    a[:] = 2
    assert x.sum().item() == 6                           # tt.array copies what can be written to
    y = tt.from_dlpack(a, copy=False)
    assert address(y) == a.ctypes.data and y.sum().item() == 12
    before = sys.getrefcount(a)
    z = tt.from_dlpack(a)
    assert sys.getrefcount(a) > before
    del z
    gc.collect()
    assert sys.getrefcount(a) == before
    odd = aligned(9, np.float32)[1:]
    odd[:] = 1
    assert tt.from_dlpack(odd).sum().item() == 8         # copied: it does not begin at a multiple of 64
    with pytest.raises(tt.ArgumentError, match="64"):
        tt.from_dlpack(odd, copy=False)
    with pytest.raises(tt.ShapeError, match="row-major"):
        tt.from_dlpack(a.T, copy=False)
    assert np.array_equal(np.asarray(tt.from_dlpack(a.T)), a.T)


def test_narrow_types():
    for dtype in (tt.bfloat16, tt.float8_e4m3fn, tt.int4):
        x = tt.array([1, 2, 3]).astype(dtype)
        assert x.dtype == dtype and x.astype(tt.float32).tolist() == [1, 2, 3]
    pytest.importorskip("ml_dtypes", reason="no ml_dtypes")
    a = np.asarray(tt.array([1.5, 2]).astype(tt.bfloat16))
    assert a.dtype.name == "bfloat16" and tt.array(a).dtype == tt.bfloat16 and a.astype(float).tolist() == [1.5, 2]


def test_jax(jax):
    import jax.numpy as jnp
    a = jnp.arange(12, dtype=jnp.float32).reshape(3, 4) + 1
    x = tt.array(a)
    assert address(x) == address(a)                      # both ways without a copy
    assert x.tolist() == np.asarray(a).tolist() and (x + a).tolist() == (a + a).tolist()
    b = jax.dlpack.from_dlpack(x * 2) if hasattr(jax.dlpack, "from_dlpack") else jnp.from_dlpack(x * 2)
    assert isinstance(b, jax.Array) and b.tolist() == (a * 2).tolist()
    assert tt.jit(lambda p: p["w"] @ p["w"].T)({"w": a}).tolist() == (a @ a.T).tolist()
    assert tt.array(jnp.array([1.5], jnp.bfloat16)).dtype == tt.bfloat16
    del a, x
    gc.collect()
    assert b.sum() == 156
    text = jax.jit(lambda x: jnp.tanh(x) * 2).lower(np.ones(3, np.float32)).as_text()
    f = tt.import_hlo(text)
    np.testing.assert_allclose(np.asarray(f(np.ones(3, np.float32))), np.tanh(1) * 2 * np.ones(3), rtol=1e-6)


def test_torch():
    torch = pytest.importorskip("torch", reason="no torch")
    a = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    x = tt.array(a)
    assert x.tolist() == a.tolist()
    b = torch.from_dlpack(x * 2)
    assert b.tolist() == (a * 2).tolist() and tt.from_dlpack(b).shape == (2, 3)


def test_exported_and_not_taken():
    x = tt.array([1.0, 2.0])
    for version in (None, (1, 0)):
        capsule = x.__dlpack__(max_version=version)
        assert "dltensor" in repr(capsule)
        del capsule                                      # gives its reference back
    assert x.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(tt.Error):
        tt.jit(lambda v: (v.__dlpack__(max_version=(1, 0)), v)[1])(x)
