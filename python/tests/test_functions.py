"""Transforms and control flow on functions of Python."""
import functools
import gc
import weakref

import numpy as np
import pytest

import tutti as tt

X = np.arange(6, dtype=np.float32).reshape(2, 3) + 1


def same(a, b, rtol=1e-6):
    np.testing.assert_allclose(np.asarray(a), b, rtol=rtol)


def test_jit():
    calls = []

    @tt.jit
    def f(x):
        """doubles"""
        calls.append(x)
        return x * 2
    same(f(X), X * 2), same(f(X + 1), X * 2 + 2)
    assert len(calls) == 1 and f.__name__ == "f" and f.__doc__ == "doubles"
    f(X[0])
    assert len(calls) == 2                               # once per types
    same(tt.jit(f)(X), X * 2), same(f(3.0), 6)
    assert "f" in repr(f)


def test_jit_options():
    f = tt.jit(lambda x, n, *, scale=1.0, name: x * n * scale if name == "a" else x, static_argnums=1,
               static_argnames="name")
    same(f(X, 3, name="a"), X * 3), same(f(X, 2, scale=0.5, name="a"), X), same(f(X, 2, name="b"), X)
    with pytest.raises(tt.ArgumentError, match="hashed"):
        f(X, [], name="a")
    g = tt.jit(donate_argnums=0)(lambda x: x + 1)
    x = tt.array(X)
    same(g(x), X + 1)
    with pytest.raises(tt.Error, match="donated"):
        x + 1
    r = tt.jit(lambda x: tt.sum(x), reproducible=True)
    same(r(X), 21)
    with pytest.raises(tt.ArgumentError, match="function"):
        tt.jit(3)
    with pytest.raises(tt.Error, match="donate"):
        tt.jit(lambda x: x, donate_argnums=5)(X)


def test_by_name():
    f = tt.jit(lambda x, *, p: {"y": x * p["w"]})
    same(f(X, p={"w": 2.0})["y"], X * 2)
    g = tt.grad(lambda x, y: tt.sum(x * y))
    same(g(X, y=X), X), same(tt.vmap(lambda x, y: x + y)(X, y=X), X + X)


def test_kinds_of_callables():
    class Model:
        def __init__(self, w):
            self.w = w

        def __call__(self, x):
            return x * self.w

        def loss(self, x):
            return tt.sum(x * self.w)
    m = Model(3.0)
    same(tt.jit(m)(X), X * 3), same(tt.jit(m.loss)(X), 63), same(tt.grad(m.loss)(X), np.full((2, 3), 3))
    same(tt.jit(functools.partial(lambda a, b: a - b, 10.0))(X), 10 - X)
    same(tt.jit(tt.sin)(X), np.sin(X), 1e-5), same(tt.vmap(tt.sum)(X), X.sum(1))

    class Method:
        @tt.jit
        def f(self, x):
            return x + 1
    tt.register_pytree_node(Method, lambda m: ((1.0,), None), lambda s, c: Method())
    same(Method().f(X), X + 1)


def test_grad():
    f = lambda w, x: tt.sum(tt.tanh(x @ w["w"]) * w["b"])  # noqa: E731
    w = {"w": np.ones((3, 2), np.float32), "b": np.ones(2, np.float32)}
    g = tt.grad(f)(w, X)
    assert sorted(g) == ["b", "w"] and g["w"].shape == (3, 2)
    value, h = tt.jit(tt.value_and_grad(f))(w, X)
    same(value, np.tanh(X @ w["w"]).sum(), 1e-5), same(h["b"], np.tanh(X @ w["w"]).sum(0), 1e-5)
    a, b = tt.grad(lambda x, y: tt.sum(x * y * y), argnums=(0, 1))(X, X)
    same(a, X * X), same(b, 2 * X * X)
    same(tt.grad(lambda x, y: tt.sum(x * y), 1)(X, 2 * X), X)
    v, aux = tt.grad(lambda x: (tt.sum(x * x), {"n": x[0, 0]}), has_aux=True)(X)
    same(v, 2 * X), same(aux["n"], 1)
    (v, aux), g = tt.jit(tt.value_and_grad(lambda x: (tt.sum(x), [x]), has_aux=True))(X)
    same(v, 21), same(aux[0], X), same(g, np.ones((2, 3)))
    with pytest.raises(tt.GradError, match="one floating-point number"):
        tt.grad(lambda x: x)(X)


def test_derivatives():
    f = lambda x: tt.sin(x) * x[0]                       # noqa: E731
    x = np.array([1.0, 2, 3], np.float32)
    forward, reverse = tt.jacfwd(f)(x), tt.jacrev(f)(x)
    same(forward, np.asarray(reverse), 1e-5)
    same(tt.hessian(lambda x: tt.sum(x ** 3))(x), np.diag(6 * x), 1e-5)
    y, dy = tt.jvp(f, (x,), (np.ones(3, np.float32),))
    same(dy, np.asarray(forward).sum(1), 1e-5)
    y, back = tt.vjp(f, x)
    same(back(np.ones(3, np.float32))[0], np.asarray(forward).sum(0), 1e-5)
    y, linear = tt.linearize(f, x)
    same(linear(np.ones(3, np.float32)), np.asarray(dy), 1e-5)
    same(tt.grad(tt.remat(lambda x: tt.sum(f(x))))(x), np.asarray(forward).sum(0), 1e-5)
    same(tt.grad(tt.remat(lambda x: tt.sum(f(x)), policy="dots_saveable"))(x), np.asarray(forward).sum(0), 1e-5)
    with pytest.raises(tt.Error, match="dots"):
        tt.grad(tt.remat(f, policy="dots"))
    same(tt.grad(lambda x: tt.sum(tt.stop_gradient(x) * x))(x), x)


def test_own_derivatives():
    @tt.custom_vjp
    def f(x):
        return x * x
    f.defvjp(lambda x: (x * x, x), lambda r, ct: (7.0 * ct * r,))
    same(tt.grad(lambda x: tt.sum(f(x)))(X), 7 * X), same(tt.jit(f)(X), X * X)

    @tt.custom_jvp
    def g(x):
        return x * x
    g.defjvp(lambda p, t: (p[0] * p[0], t[0] * 5.0))
    same(tt.grad(lambda x: tt.sum(g(x)))(X), np.full((2, 3), 5)), same(tt.jvp(g, (X,), (X,))[1], 5 * X)

    def inside(x):                                       # a rule that is made while a function is traced
        @tt.custom_vjp
        def h(y):
            return y
        h.defvjp(lambda y: (y, y), lambda r, ct: (3.0 * ct,))
        return tt.sum(h(x))
    compiled = tt.jit(inside)
    compiled(X)
    gc.collect()
    same(tt.grad(inside)(X), np.full((2, 3), 3)), same(tt.grad(compiled)(X), np.full((2, 3), 3))
    root = tt.custom_root(lambda x, p: x * x - p, lambda guess, p: tt.sqrt(p))
    same(tt.grad(lambda p: root(1.0, p))(4.0), 0.25, 1e-5)


def test_vmap():
    same(tt.vmap(lambda x: tt.sum(x))(X), X.sum(1)), same(tt.vmap(lambda x: tt.sum(x), in_axes=1)(X), X.sum(0))
    same(tt.vmap(lambda x, y: x + y, in_axes=(0, None))(X, X[0]), X + X[0])
    same(tt.vmap(lambda x: x, out_axes=1)(X), X.T), same(tt.vmap(tt.vmap(lambda x: x * 2))(X), X * 2)
    same(tt.vmap(lambda x: tt.psum(x, "i"), axis_name="i")(X), np.stack([X.sum(0)] * 2))
    same(tt.jit(tt.vmap(tt.grad(lambda x: tt.sum(x ** 2))))(X), 2 * X)
    same(tt.vmap(lambda: tt.ones(2), axis_size=3)(), np.ones((3, 2)))
    with pytest.raises(tt.ArgumentError, match="in_axes"):
        tt.vmap(lambda x: x, in_axes=({"a": 0},))
    with pytest.raises(tt.Error):
        tt.vmap(lambda x, y: x + y)(X, X[:, :2].T)


def test_control_flow():
    carry, ys = tt.scan(lambda c, x: (c + x["a"], {"y": c}), np.zeros(3, np.float32), {"a": X})
    same(carry, X.sum(0)), same(ys["y"], np.stack([0 * X[0], X[0]]))
    c, ys = tt.scan(lambda c, _: (c * 2, c), 1.0, None, length=4)
    same(c, 16), same(ys, [1, 2, 4, 8])
    same(tt.scan(lambda c, x: (c - x, c), np.zeros(3, np.float32), X, reverse=True)[1][0], -X[1])
    same(tt.while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, s[1] * 2), (0, 1.0))[1], 32)
    same(tt.fori_loop(0, 4, lambda i, s: s + i, 0), 6)
    same(tt.jit(lambda n: tt.fori_loop(0, n, lambda i, s: s + i, 0))(4), 6)
    f = tt.jit(lambda p, x: tt.cond(p, lambda a: a * 2, lambda a: -a, x))
    same(f(True, X), 2 * X), same(f(False, X), -X)
    h = tt.jit(lambda i, x: tt.switch(i, [lambda a, b: a, lambda a, b: a + b, tt.jit(lambda a, b: a * b)], x, 3.0))
    same(h(0, X), X), same(h(1, X), X + 3), same(h(2, X), X * 3), same(h(9, X), X * 3)
    same(tt.map(lambda x: tt.sum(x), X), X.sum(1)), same(tt.map(lambda x: x * 2, X, batch_size=2), 2 * X)
    same(tt.associative_scan(lambda a, b: a + b, X), X.cumsum(0)), same(tt.associative_scan(tt.maximum, X, axis=1), X)
    same(tt.grad(lambda x: tt.scan(lambda c, r: (c * r, None), np.ones(3, np.float32), x)[0].sum())(X), X[::-1])
    with pytest.raises(tt.Error, match="carry"):
        tt.scan(lambda c, x: (c[0], x), np.zeros(3, np.float32), X)


def test_closures():
    w = tt.array(X)

    def step(k):
        return tt.jit(lambda x: x * k + w)
    same(step(2.0)(X), 3 * X), same(step(3.0)(X), 4 * X)
    outer = tt.jit(lambda x: tt.jit(lambda y: x + y)(x * 2))
    same(outer(X), 3 * X)


def test_functions_are_given_back():
    def make():
        big = np.ones(1000)
        f = lambda x: x + big[0]                         # noqa: E731
        r = weakref.ref(f)
        tt.jit(f)(1.0), tt.grad(f)(1.0), tt.vmap(f)(X), tt.cond(True, f, f, 1.0)
        return r
    refs = [make() for _ in range(3)]
    gc.collect()
    assert [r() for r in refs] == [None] * 3


def test_eval_shape():
    s = tt.eval_shape(lambda x: {"y": x @ x.T}, X)
    assert s["y"].shape == (2, 2) and s["y"].dtype == tt.float32
    assert tt.eval_shape(lambda x: x.sum(), tt.shape((3, 4))).shape == ()


def test_recursion_is_an_error():
    def f(x):
        return tt.jit(f)(x)
    with pytest.raises((tt.TraceError, RecursionError)):
        tt.jit(f)(X)
