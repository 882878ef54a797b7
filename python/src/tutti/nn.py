"""Networks: functions of jax.nn, losses, and modules in two ways, whose variables have the names and values of Flax.

As functions of a frame, as in C:

    def net(m, x):
        x = tt.nn.relu(tt.nn.dense(m, "hidden", x, 128))
        return tt.nn.dense(m, "out", x, 10)
    params = tt.nn.init(net, key, x)
    y = tt.nn.apply(net, params, x)

And as classes, as in flax.linen:

    class Net(tt.nn.Module):
        width: int = 128

        def __call__(self, x):
            x = tt.nn.relu(tt.nn.Dense(self.width, name="hidden")(x))
            return tt.nn.Dense(10, name="out")(x)
    net = Net()
    params = net.init(key, x)
    y = net.apply(params, x)"""
import dataclasses
import difflib
import inspect
from typing import Any, Tuple

from . import _api, _core, _modules, _numpy
from ._core import local
from ._modules import Frame

for _h in ("nn", "num", "losses", "attention"):
    for _n in _api.HEADERS.get(_h, []):
        globals()[_n] = getattr(_numpy, _n, getattr(_api, _n))
for _n in ("softmax", "log_softmax", "standardize", "sigmoid", "cross_entropy", "relu"):
    globals()[_n] = getattr(_numpy, _n)
for _n in _api.HEADERS["modules"]:
    globals()[_n] = _modules.wrapped(getattr(_api, _n), _n in _modules.LIFTS)
swish, hard_swish = _api.silu, _api.hard_silu

# ---- modules as classes ----


class _Entered:
    """A module that is running: its frame, and the names of those that it has called."""

    def __init__(self, frame, module):
        self.frame, self.module, self.running = frame, module, False
        self.counts, self.names, self.aliases = {}, {}, {}

    def own_name(self, module):
        """Dense_0, Dense_1: numbered as they are made, as in Flax."""
        kind = type(module).__name__
        n = self.counts[kind] = self.counts.get(kind, -1) + 1
        return "%s_%d" % (kind, n)


def _made(module, name):
    """Names a module that has been made: by name=, or, inside of another module, by a number that counts only there and
    if it is no attribute."""
    entered = _entered()
    if name is not None:
        module.name = name
    elif entered and entered[-1].running:
        object.__setattr__(module, "_there", (entered[-1], entered[-1].own_name(module)))


def _entered():
    try:
        return local.entered
    except AttributeError:
        local.entered = []
        return local.entered


def _lifted(what, module):
    """A module as a function of a frame and a value."""
    if not isinstance(module, Module):
        raise _core.fail(_core.ArgumentError, "%s: a module is expected, not %s" % (what, type(module).__name__))
    return _Run(module, lifted=True)


@dataclasses.dataclass(frozen=True, eq=False)
class _Run:
    """A module with arguments, as a function of a frame. lifted: the frame's value is its argument."""
    module: Any
    args: Tuple = ()
    named: Tuple = ()
    lifted: bool = False

    def __call__(self, frame, x):
        return self.module._run(frame, (x,) if self.lifted else self.args, dict(self.named))

    def __hash__(self):
        return hash(self.module)

    @property
    def __name__(self):
        return type(self.module).__name__


class Module:
    """A model or a part of one, as flax.linen's: a dataclass with __call__, in which other modules are called.

    A module that is called gets its name from name=, from the attribute that it is (self.head = Dense(10), in setup or
    as a field), or from its class and a number, Dense_0. The same object called twice has one set of variables.
    training: True in apply_train. Variables of one's own: self.param(name, shape, init="normal(0.02)")."""
    name = None

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if "__init__" not in cls.__dict__:
            dataclasses.dataclass(cls, eq=False)
            made = cls.__init__

            def __init__(self, *args, name=None, **options):
                made(self, *args, **options)
                _made(self, name)
            cls.__init__ = __init__
        if "__call__" in cls.__dict__:
            cls._body = cls.__dict__["__call__"]
            cls.__call__ = _caller(cls.__dict__["__call__"])

    def __setattr__(self, attribute, value):
        for suffix, m in _modules_of(value):
            if m.name is None:
                m.name = attribute + suffix
        object.__setattr__(self, attribute, value)

    def setup(self):
        """Runs before __call__, in each pass: makes attributes."""

    # ---- inside of a module ----

    @property
    def frame(self) -> Frame:
        """The frame of this module, for functions of nn with a frame."""
        for e in reversed(_entered()):
            if e.module is self:
                return e.frame
        raise _core.fail(_core.ArgumentError, "%s has a frame only while it runs" % type(self).__name__)

    @property
    def training(self) -> bool:
        """True in apply_train."""
        return self.frame.training

    def param(self, name, shape, **options):
        """A parameter of this module: nn.param. init: a form, "normal(0.02)", or a function of (key, shape, dtype)."""
        if callable(options.get("init")):
            options["make"] = options.pop("init")
        return globals()["param"](self.frame, name, shape, **options)

    def stream_key(self, stream):
        """The next key of a stream of random numbers."""
        return globals()["stream_key"](self.frame, stream)

    def sow(self, collection, name, value):
        """Appends a value to a collection: nn.sow."""
        return globals()["sow"](self.frame, collection, name, value)

    def _run(self, frame, args, named):
        if not hasattr(type(self), "_body"):
            raise _core.fail(_core.ArgumentError, "%s has no __call__" % type(self).__name__,
                             "def __call__(self, x): returns the module's result")
        entered = _entered()
        entered.append(_Entered(frame, self))
        try:
            self.setup()
            entered[-1].running = True
            return type(self)._body(self, *args, **named)
        finally:
            entered.pop()

    def _called(self, frame, name, args, named):
        return globals()["sub_module"](frame, name, _Run(self, args, tuple(named.items())), None)

    # ---- from outside ----

    def init(self, key, *args, keys=None, **named):
        """The variables of this module for arguments like these, a dict by names. key: one key, or a dict of keys by
        stream. keys: the rule of keys, "linen" or "nnx" (nn.init)."""
        return globals()["init"](_Run(self, args, tuple(named.items())), key, None, keys=keys)

    def apply(self, variables, *args, **named):
        """The module's result, without dropout and with running statistics."""
        return globals()["apply"](_Run(self, args, tuple(named.items())), variables, None)

    def apply_train(self, variables, *args, rng=None, **named):
        """(result, variables with new statistics), with dropout. rng: a key, or a dict of keys by stream."""
        return globals()["apply_train"](_Run(self, args, tuple(named.items())), variables, None, rng)

    def apply_with(self, variables, *args, collections=None, updates=None, train=None, key=None, **named):
        """(result, collections): nn.apply_with."""
        return globals()["apply_with"](_Run(self, args, tuple(named.items())), variables, None, collections=collections,
                                       updates=updates, train=train, key=key)


def _modules_of(value):
    """[(suffix of the name, module)] of an attribute: a module, or a list or tuple of them."""
    if isinstance(value, Module):
        return [("", value)]
    if isinstance(value, (list, tuple)):
        return [("_%d" % i, m) for i, m in enumerate(value) if isinstance(m, Module)]
    return []


def _caller(body):
    """__call__ of a module: its body, run in a frame of its own below the module that calls it."""
    def __call__(self, *args, **named):
        entered = _entered()
        if not entered:
            raise _core.fail(_core.ArgumentError, "%s is called outside of a module" % type(self).__name__,
                             "module.apply(variables, x) runs it, module.init(key, x) makes the variables")
        up = entered[-1]
        if up.module is self:                            # super().__call__(x)
            return body(self, *args, **named)
        return self._called(up.frame, _name_in(up, self), args, named)
    __call__.__doc__, __call__.__wrapped__ = body.__doc__, body
    return __call__


def _name_in(up, module):
    """The name of a module in the one that calls it; if that calls it again, an alias of the name."""
    name = up.names.get(module)
    if name is None:
        name = module.name
        if name is None:
            there, name = getattr(module, "_there", (None, None))
            name = name if there is up else up.own_name(module)
        up.names[module] = name
        return name
    if name not in up.aliases:
        up.aliases[name] = name + "-again"
        alias(up.frame, up.aliases[name], name)
    return up.aliases[name]


def alias(frame, name, of):
    """Declares another name of a layer that has run: both have the same variables."""
    with _core.Scope():
        _core.lib.tt_alias_at(_core.here(), _core.CONVERT["N"]("frame", frame), _core.text("name", name),
                              _core.text("of", of))
        _core.check()


# ---- layers as classes: those of C, with Flax's names of options ----

_FLAX = {"kernel_size": "window", "strides": "stride", "padding": "pad", "kernel_dilation": "dilation",
         "input_dilation": "base_dilation", "feature_group_count": "groups", "epsilon": "eps",
         "embedding_init": "init", "axis_name": "axis"}
_FLAX_NOT = {"use_bias": "no_bias", "use_scale": "no_scale"}


class Layer(Module):
    """A layer of C as a class."""
    _function, _fields, _first, _twins = "", (), False, ()

    def __init__(self, *args, name=None, **options):
        cls = type(self).__name__
        if len(args) > len(self._fields):
            raise _core.fail(_core.ArgumentError, "%s: %d arguments, where it takes %d" %
                             (cls, len(args), len(self._fields)))
        values = dict(zip(self._fields, args))
        known = set(inspect.signature(globals()[self._function]).parameters) | set(self._fields)
        known -= {"m", "name", "x", "xs", "ids", "carry", "values", "heads"} - set(self._fields)
        for word, x in options.items():
            to = _FLAX.get(word, word) if word not in known else word
            if word in _FLAX_NOT and _FLAX_NOT[word] in known:
                to, x = _FLAX_NOT[word], not _core.flag(word, x)
            if to not in known:
                words = known | {w for f in (_FLAX, _FLAX_NOT) for w, c in f.items() if c in known}
                near = difflib.get_close_matches(word, sorted(words), 1)
                raise _core.fail(_core.ArgumentError, "%s: there is no option %r" % (cls, word),
                                 "did you mean %s?" % near[0] if near else "options are " + ", ".join(sorted(words)))
            if to in values:
                raise _core.fail(_core.ArgumentError, "%s: %s is given twice" % (cls, to))
            values[to] = x
        missing = [f for f in self._fields if f not in values]
        if missing:
            raise _core.fail(_core.ArgumentError, "%s: %s is missing" % (cls, missing[0]))
        self.values = values
        _made(self, name)

    def __call__(self, *args, **named):
        """The layer's result."""

    def _run(self, frame, args, named):                  # as the outermost module its variables have no name before
        return self._layer(frame, "." if self._function != "dropout" else None, args, named)

    def _called(self, frame, name, args, named):
        return self._layer(frame, name, args, named)

    def _layer(self, frame, name, args, named):
        f = globals()[self._function]
        fields = [self.values[n] for n in self._fields]
        options = {k: v for k, v in self.values.items() if k not in self._fields}
        options.update(named)
        if self._function == "dropout":
            return f(frame, *args, *fields, **options)
        inputs = fields + list(args) if self._first else list(args) + fields
        return f(frame, name, *inputs, **options)

    def __repr__(self):
        return "%s(%s)" % (type(self).__name__, ", ".join("%s=%r" % x for x in self.values.items()))


def _layer_class(cls, function, fields="", first=False):
    made = type(cls, (Layer,), {"__init__": Layer.__init__, "_function": function, "_fields": tuple(fields.split()),
                                "_first": first, "__module__": __name__,
                                "__doc__": "nn.%s as a class, %s(%s); also with Flax's names of options.\n\n%s" %
                                (function, cls, fields.replace(" ", ", "), getattr(_api, function).__doc__)})
    globals()[cls] = made


for _cls, _function, _fields, _first in (
        ("Dense", "dense", "features", False), ("DenseGeneral", "dense", "features", False),
        ("Embed", "embed", "num_embeddings features", False), ("Conv", "conv", "features", False),
        ("ConvTranspose", "conv_transpose", "features", False),
        ("DepthwiseConv", "depthwise_conv", "multiplier", False),
        ("SeparableConv", "separable_conv", "features", False), ("BatchNorm", "batch_norm", "", False),
        ("LayerNorm", "layer_norm", "", False), ("RMSNorm", "rms_norm", "", False),
        ("InstanceNorm", "instance_norm", "", False), ("GroupNorm", "group_norm", "num_groups", False),
        ("Dropout", "dropout", "rate", False), ("MultiHeadDotProductAttention", "attention_layer", "num_heads", False),
        ("GatedMLP", "gated_mlp", "hidden", False), ("MoE", "moe", "experts hidden", False),
        ("ResBlock", "res_block", "filters", False), ("LSTMCell", "lstm_cell", "", False),
        ("GRUCell", "gru_cell", "", False), ("SimpleCell", "simple_cell", "", False),
        ("MGUCell", "mgu_cell", "", False),
        ("RNN", "rnn", "cell", True), ("Bidirectional", "bidirectional", "cell", True)):
    _layer_class(_cls, _function, _fields, _first)


class Sequential(Module):
    """Modules and functions one after the other, as flax.linen.Sequential: their names are layers_0, layers_1, ..."""
    layers: Any

    def __call__(self, x):
        for layer in self.layers:
            if not callable(layer):
                raise _core.fail(_core.ArgumentError, "Sequential: a module or a function is expected, not %s" %
                                 type(layer).__name__)
            x = layer(x)
        return x


class Stack(Module):
    """n copies of a module in sequence, run as one scan over stacked variables: nn.stack, flax.linen.scan."""
    module: Any
    n: int
    options: Any = None

    def _called(self, frame, name, args, named):
        return globals()["stack"](frame, name, _lifted("Stack", self.module), self.n, *args, **(self.options or {}))

    def __call__(self, x):
        return globals()["stack"](self.frame, "layers", _lifted("Stack", self.module), self.n, x,
                                  **(self.options or {}))


class Remat(Module):
    """A module whose values are computed again in the backward pass, not stored: nn.remat_module, flax.linen.remat."""
    module: Any

    def _called(self, frame, name, args, named):
        return globals()["remat_module"](frame, name, _lifted("Remat", self.module), *args)

    def __call__(self, x):
        return globals()["remat_module"](self.frame, "module", _lifted("Remat", self.module), x)
