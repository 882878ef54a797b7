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
    assert tt.from_dlpack(odd).sum().item() == 8         # copied: it does not begin at a multiple of 16
    with pytest.raises(tt.ArgumentError, match="16"):
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


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="no torch")


def test_torch_taken(torch):
    a = torch.arange(64, dtype=torch.float32).reshape(8, 8)
    for x in (tt.array(a), tt.from_dlpack(a, copy=False)):
        assert address(x) == a.data_ptr() and x.tolist() == a.tolist()
    assert tt.jit(lambda p: p["w"] @ p["w"].T)({"w": a}).tolist() == (a @ a.T).tolist()
    assert isinstance(a + x, tt.Array) and (a + x).tolist() == (x + a).tolist() == (2 * a).tolist()
    for b in (a.T, a[::2, 1::3], a[1:], torch.flip(a, [0]), torch.ones(1, 3).expand(4, 3), a.T.contiguous().T):
        assert tt.array(b).tolist() == b.tolist()        # copied: not row-major, or not at a multiple of 16
    with pytest.raises(tt.ShapeError, match="row-major"):
        tt.from_dlpack(a.T, copy=False)
    c = tt.from_dlpack(a, copy=True)
    a.zero_()
    assert c.sum().item() == 2016 and x.sum().item() == 0
    for shape in ((), (0, 3), (1,), (2, 0), (1, 1, 1)):
        b = torch.full(shape, 2.5)
        assert tt.array(b).shape == shape and tt.array(b).tolist() == b.tolist()


def test_torch_types(torch):
    for name in "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split():
        a = torch.tensor([0, 1, 3]).to(getattr(torch, name))
        x = tt.array(a)
        assert x.dtype.name == name and x.astype("complex64").tolist() == [complex(n) for n in a.tolist()]
        b = torch.from_dlpack(x)
        assert b.dtype == a.dtype and b.tolist() == a.tolist()
    assert tt.array(torch.ones(2).to(torch.float8_e4m3fn)).dtype == tt.float8_e4m3fn


def test_torch_views_of_values(torch):
    z = torch.tensor([1 + 2j, 3 - 4j])
    for b in (z.conj(), z.conj().imag, z.conj().real, torch.view_as_real(z)):
        assert tt.array(b).tolist() == b.tolist()        # the bits of conjugation and negation are not lost
    with pytest.raises(tt.ArgumentError, match="negated"):
        tt.from_dlpack(z.conj().imag, copy=False)
    for b in (torch.ones(2, requires_grad=True), torch.nn.Linear(2, 2).weight, torch.ones(2, requires_grad=True) * 2):
        for f in (tt.array, tt.from_dlpack, tt.jit(lambda x: x * 2), lambda x: tt.sum({"a": x}["a"])):
            with pytest.raises(tt.GradError, match=r"requires a gradient(.|\n)*test_interop.py(.|\n)*detach"):
                f(b)
        assert tt.array(b.detach()).tolist() == b.detach().tolist()
    with pytest.raises(tt.ArgumentError, match="strided"):
        tt.array(torch.eye(2).to_sparse())
    with pytest.raises(ValueError):
        tt.array(torch.empty(2, device="meta"))


def test_torch_given(torch):
    x = tt.array(np.arange(64, dtype=np.float32))
    b = torch.from_dlpack(x)
    assert b.data_ptr() == address(x) and b.tolist() == x.tolist()
    assert torch.utils.dlpack.from_dlpack(x).data_ptr() == b.data_ptr()
    del x
    gc.collect()
    assert b.sum() == 2016                               # the memory lives as long as PyTorch's tensor
    y = tt.array(b)
    assert address(y) == b.data_ptr()
    del b
    gc.collect()
    assert y.sum().item() == 2016                        # and back again
    assert torch.from_dlpack(tt.array(2.5)).item() == 2.5 and torch.from_dlpack(tt.zeros((0, 3))).shape == (0, 3)
    assert torch.as_tensor(np.array(y)).sum() == 2016
    with pytest.raises(tt.Error, match="sharded"):
        torch.from_dlpack(tt.shard(y, tt.mesh("data:8"), "data"))
    assert tt.shard(torch.ones(8, 2), tt.mesh("data:8"), "data, _").spec == "data, _"


def test_read_only_is_said():
    """What takes an array is told that nobody may write to it: DLPACK_FLAG_BITMASK_READ_ONLY."""
    import ctypes
    py = ctypes.pythonapi
    py.PyCapsule_GetPointer.restype = ctypes.c_void_p
    py.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    capsule = tt.array([1.0, 2.0]).__dlpack__(max_version=(1, 0))
    p = py.PyCapsule_GetPointer(capsule, b"dltensor_versioned")
    assert ctypes.c_uint64.from_address(p + 24).value & 1


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
