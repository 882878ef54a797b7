"""Trees: dicts, lists, tuples, None, named tuples, dataclasses, registered classes, through every transform."""
import collections
import dataclasses

import numpy as np
import pytest

import tutti as tt

Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Model:
    w: object
    b: object
    name: str = dataclasses.field(default="m", metadata={"static": True})


@dataclasses.dataclass(frozen=True)
class Pair:
    first: object
    second: object


class Box:
    def __init__(self, value, label):
        self.value, self.label = value, label


tt.register_pytree_node(Box, lambda b: ((b.value,), b.label), lambda label, c: Box(c[0], label))
A = np.arange(3, dtype=np.float32)
TREES = {
    "dict": {"b": A, "a": {"c.d": A, "": A}}, "list": [A, [A], []], "tuple": (A, (A,), ()), "none": {"n": None, "x": A},
    "named": Point(A, [A]), "dataclass": Model(A, {"k": A}, "name"), "frozen": Pair(A, (A, None)),
    "registered": Box(A, "label"),
    "mixed": [Point(Model(A, None), {"z": (A,), "y": [A]}), Box([A, A], 3)], "unicode": {"λ": A, "a:b": A, "1:": [A]}}


def like(a, b):
    if isinstance(b, (np.ndarray, float, int)):
        return np.array_equal(np.asarray(a), b)
    if dataclasses.is_dataclass(b):
        return type(a) is type(b) and all(like(getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(b))
    if isinstance(b, dict):
        return sorted(a) == sorted(b) and all(like(a[k], b[k]) for k in b)
    if isinstance(b, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(like, a, b))
    if isinstance(b, Box):
        return type(a) is Box and a.label == b.label and like(a.value, b.value)
    return a == b


@pytest.mark.parametrize("name", TREES)
def test_round_trip(name):
    tree = TREES[name]
    if name == "dict":
        with pytest.raises(tt.Error):                    # a dot parts a path, and a name is not empty
            tt.jit(lambda t: t)(tree)
        tree = {"b": A, "a": {"c": A}}
    seen = []
    got = tt.jit(lambda t: (seen.append(type(t)), t)[1])(tree)
    assert like(got, tree) and seen == [type(tree)]
    leaves, structure = tt.tree_flatten(tree)
    assert like(tt.tree_unflatten(structure, leaves), tree) and tt.tree_structure(tree) == structure
    doubled = tt.vmap(lambda t: tt.tree_map(lambda x: x * 2, t))(tree)
    assert like(tt.tree_map(lambda x: np.asarray(x) / 2, doubled), tree)
    carry, _ = tt.scan(lambda c, _: (c, None), tree, None, length=2)
    assert like(carry, tree)


def test_gradients_have_the_tree():
    def loss(m):
        return tt.sum(m.w ** 2) + tt.sum(m.b["k"] * 3.0)
    g = tt.grad(loss)(Model(A, {"k": A}, "x"))
    assert isinstance(g, Model) and g.name == "x" and like(g.w, 2 * A) and like(g.b, {"k": np.full(3, 3, np.float32)})
    assert like(tt.grad(lambda p: tt.sum(p.x * p.y[0]))(Point(A, [A + 1])), Point(A + 1, [A]))


def test_tree_functions():
    t = {"a": 1, "b": [2, 3]}
    assert tt.tree_leaves(t) == [1, 2, 3] and tt.tree_map(lambda x, y: x + y, t, t) == {"a": 2, "b": [4, 6]}
    assert tt.tree_leaves({"b": 1, "a": 2}) == [2, 1]    # names in order, as in JAX
    with pytest.raises(tt.TreeError, match="different structures"):
        tt.tree_map(lambda x, y: x, t, {"a": 1})
    with pytest.raises(tt.TreeError, match="leaves"):
        tt.tree_unflatten(tt.tree_structure(t), [1])


def test_arithmetic_is_leafwise():
    t = {"a": A, "b": [A]}
    assert like(tt.add(t, t), {"a": 2 * A, "b": [2 * A]}) and like(tt.tanh({"a": 0.0})["a"], 0.0)
    assert abs(tt.global_norm(t).item() - np.sqrt(10)) < 1e-5


def test_refused():
    with pytest.raises(tt.TreeError, match="type str"):
        tt.jit(lambda t: t)({1: A})
    with pytest.raises(tt.DtypeError, match="argument 0"):
        tt.jit(lambda t: t)(object())
    with pytest.raises(tt.DtypeError, match="result of f"):
        def f(t):
            return "text"
        tt.jit(f)(A)
    with pytest.raises(tt.TreeError, match="hashed"):
        tt.jit(lambda t: t)(Model(A, A, []))
    with pytest.raises(tt.Error):
        tt.add({"a": A}, {"b": A})


def test_deep():
    t = A
    for _ in range(200):
        t = [t]
    assert like(tt.jit(lambda x: x)(t), t)
    for _ in range(200):
        t = [t]
    with pytest.raises(tt.Error, match="256"):
        tt.jit(lambda x: x)(t)
