"""Functions of Python in programs: callbacks, prints, blocks of arrays; options of layers that are functions."""
import functools
import gc

import numpy as np
import pytest

import tutti as tt

nn = tt.nn
KEY = tt.random.key(0)
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def like(x):
    return tt.ShapeDtypeStruct(x.shape, x.dtype)


def same(a, b, tol=1e-6):
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=tol, atol=tol)


def test_pure_callback():
    seen = []

    def f(x, y, *, scale):
        seen.append((type(x), x.shape, y.dtype))
        return x * scale + y, {"n": np.int32(x.size)}

    def g(x):
        out, more = tt.pure_callback(f, (like(x), {"n": tt.ShapeDtypeStruct((), tt.int32)}), x, tt.ones((2, 3)),
                                     scale=tt.array(2.0))
        return out + more["n"]
    for call in (g, tt.jit(g)):
        same(call(tt.array(X)), X * 2 + 1 + 6)
    assert seen[0] == (np.ndarray, (2, 3), np.dtype("float32"))
    # A transposed operand, and one that is empty.
    same(tt.jit(lambda x: tt.pure_callback(lambda a: a + 1, tt.ShapeDtypeStruct((3, 2), "f32"), x.T))(tt.array(X)),
         X.T + 1)
    assert tt.pure_callback(lambda a: a, tt.ShapeDtypeStruct((0, 2), "f32"), tt.zeros((0, 2))).shape == (0, 2)


def test_pure_callback_mapped_and_differentiated():
    calls = []

    def sine(x):
        calls.append(x.shape)
        return np.sin(x)

    def f(x, method="sequential"):
        return tt.pure_callback(sine, like(x), x, vmap_method=method)
    same(tt.vmap(f)(tt.array(X)), np.sin(X))
    assert calls == [(3,), (3,)]
    calls.clear()
    same(tt.jit(tt.vmap(functools.partial(f, method="expand_dims")))(tt.array(X)), np.sin(X))
    assert calls == [(2, 3)]
    with pytest.raises(tt.Error, match="vmap_method"):
        tt.vmap(functools.partial(f, method=None))(tt.array(X))
    with pytest.raises(tt.ArgumentError, match="sequental"):
        f(tt.array(X), "sequental")
    with pytest.raises(tt.GradError, match="custom"):
        tt.grad(lambda x: tt.sum(f(x)))(tt.array(X))
    g = tt.custom_jvp(f)
    g.defjvp(lambda primals, tangents: (f(primals[0]), tt.cos(primals[0]) * tangents[0]))
    same(tt.jit(tt.grad(lambda x: tt.sum(g(x))))(tt.array(X)), np.cos(X))


def test_io_callback():
    rows = iter(X)
    read = tt.jit(lambda c: tt.io_callback(lambda: next(rows), tt.ShapeDtypeStruct((3,), tt.float32)) + c)
    same(read(1.0), X[0] + 1)
    same(read(1.0), X[1] + 1)
    got = []

    @tt.jit
    def f(x):
        def body(i, x):
            assert tt.io_callback(lambda i, x: got.append((int(i), float(x))), None, i, x, ordered=True) is None
            return x * 2
        return tt.fori_loop(0, 3, body, x)
    assert f(1.0).item() == 8 and got == [(0, 1.0), (1, 2.0), (2, 4.0)]


def test_print(capsys):
    @tt.jit
    def f(x):
        tt.debug.print("x {} {n:.2f} {{}}", x, n=tt.sum(x))
        return x + 1
    f(tt.array([1.0, 2.0]))
    f(tt.array([3.0, 4.0]))
    assert capsys.readouterr().out == "x [1. 2.] 3.00 {}\nx [3. 4.] 7.00 {}\n"
    tt.vmap(lambda x: tt.debug.print("row {}", x, ordered=True))
    tt.grad(lambda x: (tt.debug.print("at {:.1f}", x), x * x)[1])(3.0)
    assert capsys.readouterr().out == "at 3.0\n"
    for text, args, named, wrong in (("{} {}", (1,), {}, r"\{1\}"), ("{}", (1, 2), {}, "argument 1"),
                                     ("{a}", (), {"b": 1}, r"\{a\}"), ("", (), {"b": 1}, "'b'")):
        with pytest.raises(tt.TextError, match=wrong):
            tt.debug.print(text, *args, **named)
    with pytest.raises(tt.ArgumentError, match="a format is expected"):
        tt.debug.print(3)


def test_debug_callback_keeps_what_programs_call():
    got = []

    def made():
        class Seen:
            def __call__(self, x):
                got.append(float(x))

        def f(x):
            for _ in range(100):
                tt.debug.callback(Seen(), x)             # more than the rules that a function keeps
            return x + 1
        return tt.jit(f)
    f = made()
    f(1.0)
    gc.collect()
    f(2.0)
    assert got == [1.0] * 100 + [2.0] * 100

    class Inner(nn.Module):
        def __call__(self, x):
            tt.debug.callback(lambda x: got.append("layer"), x)
            return nn.Dense(3)(x)
    net = nn.Stack(Inner(), 2)
    params = net.init(KEY, X)
    got.clear()
    for _ in range(3):
        gc.collect()
        net.apply(params, X)
    assert got == ["layer"] * 6


@pytest.mark.parametrize("wrong, kind, match", [
    (lambda x: x[:1], tt.Error, r"result 0 has the shape \(1,\), where \(3,\) was declared"),
    (lambda x: x.astype(np.complex64), tt.Error, "result 0 is complex64, where float32 was declared"),
    (lambda x: (x, x), tt.Error, r"returned a tree \(\*\*\), where \* was declared"),
    (lambda x: 1 // 0, ZeroDivisionError, "division"),
])
def test_what_a_callback_does_wrong(wrong, kind, match):
    f = tt.jit(lambda x: tt.pure_callback(wrong, like(x), x))
    for _ in range(2):
        with pytest.raises(kind, match=match):
            f(tt.array(X[0]))
    same(tt.array(X) + 1, X + 1)                         # the library goes on
    with pytest.raises(tt.ArgumentError, match="a function is expected, not int"):
        tt.pure_callback(3, like(X), X)
    with pytest.raises(KeyboardInterrupt):
        tt.io_callback(_interrupted, None)


def _interrupted():
    raise KeyboardInterrupt


def test_array_from_callback():
    index = []

    def f(at):
        index.append(at)
        return X[at]
    x = tt.array_from_callback((2, 3), f, tt.mesh("a:2"), "a, _")
    same(x, X)
    assert sorted(index, key=str) == [(slice(0, 1), slice(0, 3)), (slice(1, 2), slice(0, 3))]
    assert tt.array_from_callback((), lambda at: 3, dtype=tt.int32).item() == 3
    with pytest.raises(ValueError, match=r"has the shape \(2,\)"):
        tt.array_from_callback((3,), lambda at: np.zeros(2))
    with pytest.raises(ZeroDivisionError):
        tt.array_from_callback((3,), lambda at: 1 // 0)


def test_options_that_are_functions():
    x = tt.array(np.random.default_rng(0).normal(size=(5, 2, 4)).astype(np.float32))

    def rnn(**options):
        return lambda m, x: nn.rnn(m, "rnn", nn.lstm_cell, (tt.zeros((2, 4)), tt.zeros((2, 4))), x, **options)[1]
    params = nn.init(rnn(), KEY, x)
    same(nn.apply(rnn(act=tt.tanh, gate=nn.sigmoid), params, x), nn.apply(rnn(), params, x), 0)
    own = [nn.apply(rnn(act=lambda h, k=k: h * k), params, x) for k in (0.25, 0.5)]      # one place, two functions
    assert not np.allclose(own[0], own[1])
    f = tt.jit(lambda p, k: nn.apply(rnn(act=lambda h: tt.sin(h)), p, x) * k)
    same(f(params, 2.0), 2 * np.asarray(nn.apply(rnn(act=tt.sin), params, x)))

    def mlp(m, x):
        return nn.gated_mlp(m, "mlp", x, 8, act=nn.gelu)
    p = nn.init(mlp, KEY, x)
    same(nn.apply(mlp, p, x), nn.GatedMLP(8, act=lambda h: nn.gelu(h)).apply({k: v for k, v in p["mlp"].items()}, x), 0)
    assert not np.allclose(nn.apply(mlp, p, x), nn.GatedMLP(8).apply(p["mlp"], x))

    def experts(m, x):
        return nn.moe(m, "moe", x, 2, 8, act=lambda h: h * 0)
    same(nn.apply(experts, nn.init(experts, KEY, x), x)[0], np.zeros(x.shape))


def test_initializers():
    asked = []

    def halves(key, shape, dtype):
        asked.append((key.shape, shape, dtype))
        return tt.full(shape, 0.5, dtype)

    def net(m, x):
        return x * nn.param(m, "scale", (3,), make=halves)
    same(nn.init(net, KEY, X)["scale"], [0.5] * 3)
    assert asked == [((2,), (3,), tt.float32)]

    class Net(nn.Module):
        def __call__(self, x):
            return x * self.param("scale", (3,), init=halves) + self.param("shift", (3,), init="ones")
    p = Net().init(KEY, X)
    same(Net().apply(p, X), X * 0.5 + 1)
    assert len(asked) == 2                               # applying draws nothing
    jitted = tt.jit(lambda key: Net().init(key, X))(KEY)
    same(jitted["scale"], p["scale"])
    with pytest.raises(ZeroDivisionError):
        nn.init(lambda m, x: nn.param(m, "w", (2,), make=lambda *a: 1 // 0), KEY, X)
    with pytest.raises(tt.ArgumentError, match="make: a function is expected, not str"):
        nn.init(lambda m, x: nn.param(m, "w", (2,), make="ones"), KEY, X)
