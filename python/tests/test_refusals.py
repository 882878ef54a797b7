"""What is taken by no function without a word: words that match nothing, values out of range, things that are lost."""
import collections
import dataclasses
import os

import numpy as np
import pytest

import tutti as tt

X = np.arange(12, dtype=np.float32).reshape(3, 4)
HERE = os.path.basename(__file__)


def refused(f, *words, error=tt.Error):
    with pytest.raises(error) as e:
        f()
    assert HERE in str(e.value) and not [w for w in words if w not in str(e.value)], str(e.value)


def same(a, b):
    a = np.asarray(a)
    assert a.shape == np.shape(b) and np.array_equal(a, b), (a, b)


# ---- functions of NumPy ----


def test_functions_are_numpys():
    x = tt.array(X)
    for shift, axis in ((1, (0, 1)), ((1, 2), 0), ((1, 2), (0, 1)), (1, 1), ((1, 2), None), (3, None)):
        same(tt.roll(x, shift, axis), np.roll(X, shift, axis))
    same(tt.clip(x, 5, 1), np.clip(X, 5, 1)), same(tt.clip(x, 2, 7), np.clip(X, 2, 7))
    same(x.clip(max=3), np.clip(X, None, 3))
    for name in ("vstack", "hstack", "dstack", "column_stack"):
        f, of = getattr(tt, name), getattr(np, name)
        same(f(x), of(X)), same(f((x, x)), of((X, X))), same(f([x, x]), of([X, X]))
    same(tt.vstack(np.ones((2, 3, 4), np.float32)), np.vstack(np.ones((2, 3, 4))))
    same(tt.squeeze(tt.ones((1, 3, 1)), (0, -1)), np.ones(3))
    same(tt.tensordot(x, x.T, 1), np.tensordot(X, X.T, 1)), same(tt.tensordot(x, x, 2), np.tensordot(X, X, 2))
    same(tt.tensordot(x, x, ((-1,), (1,))), np.tensordot(X, X, ((-1,), (1,))))
    for a in (np.array([2**32 - 1, 8], np.uint32), np.array([200, 1], np.uint8), np.array([-7, 7], np.int8)):
        same(tt.right_shift(a, a.dtype.type(1)), np.right_shift(a, a.dtype.type(1)))
        same(tt.array(a) >> 1, a >> 1)
    same(tt.pad(x, np.array([1, 2])), np.pad(X, np.array([1, 2])))


def test_none_is_a_tree():
    assert tt.stop_gradient(None) is None and tt.scan(lambda c, x: (None, x), None, tt.ones(2))[0] is None
    wrapped = tt.random.fold_in(tt.random.key(3), np.int32(-1))  # a number with a type is taken as it is, as in JAX
    same(wrapped, tt.random.fold_in(tt.random.key(3), 2**32 - 1))


@pytest.mark.parametrize("text, words", [
    ("tt.squeeze(tt.ones((1, 1)), 2)", "no axis 2"), ("tt.squeeze(tt.ones((1, 1)), (0, -2))", "named twice"),
    ("tt.roll(x, (1, 2, 3), (0, 1))", "3 shifts for 2 axes"), ("tt.tensordot(x, x, ((5,), (1,)))", "no axis 5"),
    ("tt.tensordot(x, x, -1)", "expected 0 to 2"), ("tt.tensordot(x, 2.0, 1)", "expected 0 to 0"),
    ("tt.tensordot(x, x, 1.0)", "whole number"), ("tt.tensordot(x, x, ((0,), (1,), (0,)))", "3 lists"),
    ("tt.pad(x, 1.5)", "whole numbers"), ("tt.pad(x, True)", "whole numbers"),
    ("tt.pad(x, ((1, 2), (3, 4), (5, 6)))", "(3, 2) for 2 dims"), ("tt.where(x > 1, x)", "y is missing"),
    ("tt.maximum(x, None)", "b: an array"), ("tt.add(None, x)", "x: an array"), ("tt.sin(None)", "not None"),
    ("tt.dot(x, None)", "not None"),
    ("tt.random.fold_in(tt.random.key(0), -1)", "-1 is out of bounds"),
    ("tt.random.fold_in(tt.random.key(0), 2**32)", "4294967296 is out of bounds"),
    ("tt.where(x > 1, None, x)", "x is missing"), ("tt.einsum('...i,...j->...', x)", "names 2 operands, 1 are given"),
    ("tt.split(x, 2, axis=7)", "no axis 7"), ("tt.transpose(x, 1)", ""), ("tt.linspace('0', 1)", "not str"),
    ("tt.arange('3')", "not str"), ("tt.optim.adam({'w': x}, rate='1e-3')", "rate: a number is expected, not str"),
    ("x.at[x > 3].set(1, mode='foo')", "foo"), ("tt.arange(4).at[tt.arange(4) > 1].set(1.5)", "cut to int32"),
    ("tt.arange(4).at[tt.arange(4) > 1].add(tt.array(1.5))", "cut to int32"),
    ("tt.zeros(4, 'uint8').at[tt.arange(4) > 1].set(300)", "300 is no number of uint8"),
    ("tt.random.permutation(tt.random.key(0), 5, independent='no')", "True or False"),
    ("tt.random.uniform(tt.random.key(0), (2,), minval=tt.ones(2))", "minval: a number"),
    ("tt.from_dlpack('a')", "not str"), ("tt.explain(lambda a: a, x).count('allgather')", "all-gather")])
def test_refused(text, words):
    with pytest.raises(tt.Error) as e:
        eval(text, {"tt": tt, "x": tt.array(X)})
    assert words in str(e.value) and "<string>:1" in str(e.value), str(e.value)


# ---- arrays ----


def test_what_an_array_would_lose():
    masked = np.ma.masked_array([1, 2, 3], mask=[0, 1, 0])
    refused(lambda: tt.array(masked), "mask", "filled")
    refused(lambda: tt.sum(masked), "mask")
    refused(lambda: tt.data.dataset({"a": masked}, batch=1), "mask")
    refused(lambda: tt.array([[1, 2], [3]]), "unequal lengths", error=ValueError)
    for x, dtype in ((300.0, "uint8"), ([float("nan")], "int32"), ([float("inf")], "int8"), (1 + 2j, "f32"),
                     ([1j], "int32"), ([-0.5, 128.0], "int8")):
        refused(lambda: tt.array(x, dtype), "is no number of")
    same(tt.array([1.5, 127.9, -128.5], "int8"), [1, 127, -128])         # fractions are cut, as in NumPy
    refused(lambda: tt.array(2**31), "int32", "tt.int64")
    same(tt.array(2**31, "int64"), 2**31), same(tt.array(-2**31), -2**31)


def test_names_of_two_types():
    for name in ("i2", "i4", "i8", "u2", "u4", "u8"):
        refused(lambda: tt.zeros(3, name), "two meanings", np.dtype(name).name)
    assert tt.zeros(3, np.dtype("i8")).dtype == tt.int64 and tt.zeros(3, "f4").dtype == tt.float32
    assert tt.zeros(3, "i32").dtype == "int32" and tt.zeros(3, "f8").dtype == np.float64


# ---- transforms ----


def test_static_arguments():
    refused(lambda: tt.jit(lambda a: a, static_argnums=5)(X), "static_argnums has 5", "1 arguments")
    refused(lambda: tt.jit(lambda a, n: a, static_argnames="nn"), "'nn'", "a, n")
    refused(lambda: tt.jit(lambda a, n: a, static_argnames=3), "names")
    f = tt.jit(lambda a, n: a * n if n is not True else a + 5, static_argnums=1)
    x = tt.arange(3)
    names = (n for n in ["n"])                           # taken once: they are static nonetheless
    same(tt.jit(lambda a, n: a + len(n), static_argnames=names)(x, n="two"), [3, 4, 5])
    assert f(x, 1).dtype == tt.int32 and f(x, 1.0).dtype == tt.float32           # 1, 1.0 and True are different
    same(f(x, True), [5, 6, 7]), same(f(x, 1), [0, 1, 2])
    g = tt.jit(lambda n, p, a: p + a, static_argnums=0, donate_argnums=1)        # donated by the number it has in g
    p, a = tt.ones(3) * 2, tt.ones(3) * 3
    same(g(1, p, a), [5, 5, 5]), same(a, [3, 3, 3])
    refused(lambda: p + 1)
    refused(lambda: tt.jit(lambda n, p: p, static_argnums=0, donate_argnums=0)(1, a), "static, and donated")
    for n, words in ((5, "has 5, and there are 2"), (-1, "has -1, and there are 2"), ((1, 1), "has 1 twice")):
        refused(lambda: tt.jit(lambda n, p: p, static_argnums=0, donate_argnums=n)(1, a), "donate_argnums " + words)


def test_hints_name_functions_of_python():
    refused(lambda: tt.jit(lambda a: float(tt.sum(a)))(X), "tt.cond, tt.while_loop or tt.where")
    refused(lambda: tt.jit(lambda a: a, in_shardings="data")(X), "inside \"with mesh:\"")


def test_derivatives_of_what_is_there():
    def f(a, w=1.0):
        return tt.sum(a * w)
    refused(lambda: tt.grad(f, argnums=()), "names no argument")
    refused(lambda: tt.grad(f)(a=X), "argument 0, and 0 are given by position")
    refused(lambda: tt.grad(f, argnums=1)(X, w=X), "argument 1, and 1 are given by position")
    refused(lambda: tt.jit(tt.grad(f, argnums=1))(X, w=X), "argument 1, and 1 are given by position")
    same(tt.grad(f)(X, w=2.0), np.full((3, 4), 2)), same(tt.jit(tt.grad(f))(X, w=2.0), np.full((3, 4), 2))
    one, = tt.grad(f, argnums=(0,))(X)                   # a tuple, as in JAX
    same(one, np.ones((3, 4)))
    refused(lambda: tt.grad(lambda a: a[0, :2], has_aux=True)(X), "has_aux", "Array")
    refused(lambda: tt.grad(lambda a: (tt.sum(a), 1, 2), has_aux=True)(X), "3 items")
    refused(lambda: tt.jvp(lambda a: a, tt.ones((1, 3)), tt.ones((1, 3))), "primals are a tuple")


def test_rules_that_there_are_not():
    for custom, words in ((tt.custom_vjp, "defvjp"), (tt.custom_jvp, "defjvp")):
        f = custom(lambda a: a * 2)
        refused(lambda: f(X), "no rule", words)
        refused(lambda: tt.grad(lambda a: tt.sum(f(a)))(X), "no rule")
        refused(lambda: tt.jit(f)(X), "no rule")
    refused(lambda: tt.custom_vjp(lambda a: a).defvjp(lambda a: (a, None), None), "a rule is a function")
    refused(lambda: tt.switch(0, lambda a: a, X), "a list of functions")


def test_callbacks_name_the_line():
    x = tt.array(X)
    for f, words in ((lambda a: a[0], "(4,), where (3, 4)"), (lambda a: (a, a), "a tree"), (lambda a: "a", "shape ()"),
                     (lambda a: np.ma.masked_array(a, a > 3), "mask"), (lambda a: a * 1j, "complex")):
        refused(lambda: tt.pure_callback(f, tt.shape((3, 4)), x), words)
    for value, dtype in ((2**40, tt.int32), (300, tt.uint8), (-1, tt.uint32), (0.5, tt.int32)):
        refused(lambda: tt.pure_callback(lambda a: np.full((3, 4), value), tt.shape((3, 4), dtype), x), "result 0")
    same(tt.pure_callback(lambda a: np.full((3, 4), 7), tt.shape((3, 4), tt.int8), x), np.full((3, 4), 7))
    refused(lambda: tt.array_from_callback((4, 3), lambda i: np.zeros((2, 2), np.float32)), "(2, 2)")
    for text, words in (("{} {}", "{1}"), ("{a}", "{a}"), ("{", "'{'"), ("x", "no place for argument 0")):
        refused(lambda: tt.debug.print(text, x), words)


def test_callbacks_of_narrow_integers():
    pytest.importorskip("ml_dtypes", reason="no ml_dtypes")
    refused(lambda: tt.pure_callback(lambda a: np.full((3, 4), 8), tt.shape((3, 4), tt.int4), tt.array(X)), "result 0")


# ---- trees ----


def test_names_of_trees():
    for name in ("a\0b", "\ud800"):
        refused(lambda: tt.jit(lambda t: t)({name: X}), "key")
    refused(lambda: tt.tree_unflatten(3, [1]), "structure")
    fields = [("a", object), ("n", object, dataclasses.field(metadata={"static": True}))]
    C = dataclasses.make_dataclass("C", fields)
    for n in (1, True, 1.0, (1, 2), (1, True)):          # equal, and not the same
        back = tt.tree_map(lambda v: v, C(X, n)).n
        assert back == n and type(back) is type(n) and repr(back) == repr(n)
    assert tt.jit(lambda t: t)(collections.OrderedDict(b=X, a=X)).keys() == {"a", "b"}


# ---- meshes, modules, data ----


def test_orders_of_meshes():
    for order in ([], [0, 1], [0, 1, 2, 3, 4], 3):
        refused(lambda: tt.mesh("data:4", order=order), "order has")
    assert tt.mesh("data:4", order=[3, 2, 1, 0]).size == 4


def test_modules():
    refused(lambda: tt.nn.Dense(4, use_bias="no"), "use_bias", "True or False")
    refused(lambda: tt.nn.Stack(3, 2).init(tt.random.key(0), X), "Stack: a module")
    refused(lambda: tt.nn.Remat(3).init(tt.random.key(0), X), "Remat: a module")
    refused(lambda: tt.nn.Sequential([3]).init(tt.random.key(0), X), "Sequential")

    class Empty(tt.nn.Module):
        pass
    refused(lambda: Empty().init(tt.random.key(0), X), "Empty has no __call__")


def test_data_sets():
    for options, words in (({"keep_last": "no"}, "keep_last"), ({"mesh": "data:2"}, "mesh"),
                           ({"transform": 3}, "transform"), ({"shuffle": 3}, "shuffle")):
        refused(lambda: tt.data.dataset({"a": X}, batch=2, **options), words)
    d = tt.data.dataset({"a": X}, batch=2, shuffle=tt.random.key(0))
    for state, words in (({"epoch": 1}, "'key'"), (3, "'key'"), ({"key": X, "epoch": 1}, "the state's key"),
                         ({"key": tt.random.key(1), "epoch": -3}, "-3"), ({"key": tt.random.key(1), "epoch": "a"}, "")):
        refused(lambda: d.restore(state), words)
    d.restore({"key": tt.random.key(1), "epoch": tt.array(2)})
    assert d.epoch == 2
