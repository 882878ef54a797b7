"""Trees of Python (dict, list, tuple, None, named tuples, dataclasses, registered classes) as values of C and back.

Between the two a tree is a text and a list of leaves; glue.c has the grammar. A class is a record whose tag names the
class and what of it is static."""
import dataclasses

from . import _core
from ._core import ffi, lib

# ---- classes as records ----

_tags = {}                                               # (class, static values): tag
_classes = {}                                            # tag: (class, static values)
_registered = {}                                         # class: (flatten, unflatten)


def register_pytree_node(cls, flatten, unflatten):
    """Lets objects of a class be trees, as in JAX: flatten(x) returns (children, static), unflatten(static, children)
    an object. static is hashable."""
    _registered[cls] = (flatten, unflatten)
    return cls


def typed(x):
    """x with the types of what is in it, so that 1, 1.0 and True are different keys."""
    return tuple([typed(y) for y in x]) if type(x) is tuple else (type(x), x)


def _tag(cls, static):
    key = (cls, typed(static))
    try:
        tag = _tags.get(key)
    except TypeError:
        raise _core.fail(_core.TreeError,
                         "%s: what is static in it cannot be hashed: %r" % (cls.__name__, static)) from None
    if tag is None:
        tag = cls.__name__ if cls.__name__ not in _classes else "%s_%d" % (cls.__name__, len(_classes))
        _tags[key] = tag
        _classes[tag] = (cls, static)
    return tag


def _is_static(f):
    return bool(f.metadata.get("static", False))


def _children(x):
    """(class, static, names, children) of an object that is a record; None: it is not a tree."""
    cls = type(x)
    if cls in _registered:
        children, static = _registered[cls][0](x)
        children = tuple(children)
        return cls, static, ["c%d" % i for i in range(len(children))], children
    if isinstance(x, tuple) and hasattr(cls, "_fields"):
        return cls, None, cls._fields, tuple(x)
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        fields = dataclasses.fields(x)
        static = tuple(getattr(x, f.name) for f in fields if _is_static(f))
        names = [f.name for f in fields if not _is_static(f)]
        return cls, static, names, [getattr(x, n) for n in names]
    return None


def _made(tag, names, children):
    """The object of a record."""
    if tag not in _classes:
        return dict(zip(names, children))                # a record that a program of C has made, as from a file
    cls, static = _classes[tag]
    if cls in _registered:
        return _registered[cls][1](static, tuple(children))
    if issubclass(cls, tuple):
        return cls(*children)
    x = object.__new__(cls)
    values = dict(zip(names, children))
    at = iter(static)
    for f in dataclasses.fields(cls):
        object.__setattr__(x, f.name, next(at) if _is_static(f) else values[f.name])
    return x


# ---- Python to C ----


def _name(s):
    try:
        b = s.encode()
    except UnicodeEncodeError:
        raise _core.fail(_core.TreeError, "a dict with the key %r: half a character" % s) from None
    if "\0" in s:
        raise _core.fail(_core.TreeError, "a dict with the key %r: names have no NUL" % s)
    return "%d:%s" % (len(b), s)


def put(x, out, leaves, leaf):
    """Appends x's text to out and its leaves, through leaf(x), to leaves."""
    if isinstance(x, dict):
        out.append("{")
        for k in sorted(x, key=str):
            if not isinstance(k, str):
                raise _core.fail(_core.TreeError, "a dict with the key %r: names are of type str" % (k,),
                                 "{str(k): v for k, v in d.items()}")
            out.append(_name(k))
            put(x[k], out, leaves, leaf)
        out.append("}")
    elif x is None:
        out.append("~")
    elif type(x) is tuple or type(x) is list:
        out.append("(" if type(x) is tuple else "[")
        for y in x:
            put(y, out, leaves, leaf)
        out.append(")" if type(x) is tuple else "]")
    else:
        record = _children(x)
        if record is None:
            out.append("#" if type(x).__name__ == "State" and hasattr(x, "_v") else "*")
            leaves.append(leaf(x))
            return
        cls, static, names, children = record
        if not children:
            raise _core.fail(_core.TreeError, "%s: a class without arrays is no tree" % cls.__name__)
        out.append("<" + _name(_tag(cls, static)))
        for n, y in zip(names, children):
            out.append(_name(n))
            put(y, out, leaves, leaf)
        out.append(">")


def is_tree(x):
    return isinstance(x, (dict, list, tuple)) or x is None or _children(x) is not None


def value(what, x):
    """A value of C, in the current scope, of an array, a number or a tree."""
    handle = getattr(x, "_v", None)
    if handle is not None:
        return handle
    if type(x) is float:
        return lib.tt_f(x)
    if type(x) is int or type(x) is bool:
        return LEAF[0](what, x)
    out, leaves = [], []
    put(x, out, leaves, lambda y: LEAF[0](what, y))
    if out == ["*"]:
        return leaves[0]
    v = lib.pt_build(_core.here(), "".join(out).encode(), ffi.new("tt_val[]", leaves))
    _core.check()
    return v


LEAF = [None]                                            # set by _array: an array or number as a value of C
# Parameters that may be any tree, None too; others are arrays, or trees that a function takes leaf by leaf. Of modules
# all are trees.
_TREES = frozenset("""v tree params vars carry init xs operands arguments result grads updates batch metrics source
target""".split())


def _operand(what, x):
    """value(), where None is not an array: as a tree without leaves it would make a result without leaves."""
    if x is None and what not in _TREES:
        raise _core.fail(_core.DtypeError, "%s: an array, a number or a tree of them is expected, not None" % what)
    return value(what, x)


_core.CONVERT["v"], _core.CONVERT["T"] = _operand, value


def values(what, xs):
    """Several values as a list of C, which ends with tt_end."""
    return ffi.new("tt_val[]", [value(what, x) for x in xs] + [_core.END])


_core.CONVERT["V"] = values

# ---- C to Python ----

_parsed = {}


def _parse(text, at):
    """The structure that begins at text[at], as a function of an iterator of leaves, and where it ends."""
    open_ = text[at:at + 1]
    at += 1
    if open_ in (b"*", b"#"):
        return next, at
    if open_ == b"~":
        return (lambda leaves: None), at
    close = {b"(": b")", b"[": b"]", b"{": b"}", b"<": b">"}[open_]
    tag, names, parts = None, [], []

    def name(at):
        colon = text.index(b":", at)
        end = colon + 1 + int(text[at:colon])
        return text[colon + 1:end].decode("utf-8", "replace"), end

    if open_ == b"<":
        tag, at = name(at)
    while text[at:at + 1] != close:
        if open_ in (b"{", b"<"):
            n, at = name(at)
            names.append(n)
        part, at = _parse(text, at)
        parts.append(part)
    if open_ == b"(":
        return (lambda leaves: tuple([p(leaves) for p in parts])), at + 1
    if open_ == b"[":
        return (lambda leaves: [p(leaves) for p in parts]), at + 1
    if open_ == b"{":
        return (lambda leaves: {n: p(leaves) for n, p in zip(names, parts)}), at + 1
    return (lambda leaves: _made(tag, names, [p(leaves) for p in parts])), at + 1


def structure(text):
    """The function that makes a tree of an iterator of its leaves."""
    made = _parsed.get(text)
    if made is None:
        if len(_parsed) > 4096:
            _parsed.clear()
        made = _parsed[text] = _parse(text, 0)[0]
    return made


def tree_of(site, v, array, state):
    """What Python has for a value of C; its leaves are kept. array, state: make an object of a leaf's handle."""
    t = lib.pt_flatten(site, v)
    if t == ffi.NULL:
        _core.raise_error()
    try:
        text = ffi.unpack(t.text, t.used)
        handles = [ffi.new("tt_val *", t.leaf[i])[0] for i in range(t.n)]
    finally:
        lib.pt_tree_free(t)
    marks = _marks(text)
    return structure(text)(iter([(array if m == 42 else state)(h) for m, h in zip(marks, handles)]))


_marks_of = {}


def _marks(text):
    """The marks of a text's leaves, "*" or "#", in order."""
    marks = _marks_of.get(text)
    if marks is not None:
        return marks
    found, at = [], 0
    while at < len(text):
        c = text[at]
        if 48 <= c <= 57:                                # a name
            colon = text.index(b":", at)
            at = colon + 1 + int(text[at:colon])
            continue
        if c in b"*#":
            found.append(c)
        at += 1
    if len(_marks_of) > 4096:
        _marks_of.clear()
    _marks_of[text] = bytes(found)
    return _marks_of[text]


# ---- trees in Python ----


def tree_flatten(tree):
    """(leaves, structure): the leaves in order, and what tree_unflatten makes a tree of."""
    out, leaves = [], []
    put(tree, out, leaves, lambda x: x)
    return leaves, "".join(out)


def tree_unflatten(structure_text, leaves):
    """The tree of a structure with these leaves; dicts have their names in the structure's order."""
    leaves = list(leaves)
    if not isinstance(structure_text, str):
        raise _core.fail(_core.TreeError, "tree_unflatten: a structure of tree_flatten is expected, not %s" %
                         type(structure_text).__name__)
    n = len(_marks(structure_text.encode()))
    if n != len(leaves):
        raise _core.fail(_core.TreeError, "tree_unflatten: %d leaves, where the structure has %d" % (len(leaves), n))
    return structure(structure_text.encode())(iter(leaves))


def tree_leaves(tree):
    """The leaves of a tree, in order."""
    return tree_flatten(tree)[0]


def tree_structure(tree):
    """The structure of a tree: equal where trees have the same containers and names."""
    return tree_flatten(tree)[1]


def tree_map(f, tree, *rest):
    """f of each leaf, and of the leaves of `rest` at the same places, in a tree of the same structure."""
    leaves, shape = tree_flatten(tree)
    others = []
    for r in rest:
        more, other = tree_flatten(r)
        if other != shape:
            raise _core.fail(_core.TreeError, "tree_map: trees of different structures: %s and %s" % (shape, other))
        others.append(more)
    return tree_unflatten(shape, [f(*xs) for xs in zip(leaves, *others)])
