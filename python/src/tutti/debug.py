"""Looking at values while a program runs, as jax.debug."""
import builtins
import functools
import string

from . import _callback, _core

__all__ = ["callback", "print"]


def callback(f, *args, ordered=False, partitioned=False, **named) -> None:
    """f of the values, as arrays of NumPy, whenever the program comes here. Calls are always in the order of the
    program, ordered or not. partitioned: f sees each device's part instead of the whole. tt_debug_callback in
    tutti/callback.h."""
    _callback.watch("debug.callback", f, args, named, partitioned)


class _Wrong(ValueError):
    pass


class _Checked(string.Formatter):
    """Finds what a format reads."""

    def check_unused_args(self, used, args, named):
        left = [i for i in range(len(args)) if i not in used] + [n for n in named if n not in used]
        if left:
            raise _Wrong("the format has no place for " + ", ".join("argument %r" % x for x in left))

    def get_field(self, name, args, named):
        try:
            _, used = super().get_field(name.split(".")[0].split("[")[0], args, named)
        except (IndexError, KeyError):
            raise _Wrong("the format has {%s}, which no argument is" % name) from None
        return _Any(), used

    def convert_field(self, value, conversion):
        return value


class _Any:
    def __format__(self, how):
        return ""


@functools.lru_cache(maxsize=1024)
def _printer(text):
    def print_(*args, **named):
        builtins.print(text.format(*args, **named))
    return print_


def print(text, *args, ordered=False, partitioned=False, **named) -> None:  # noqa: A001
    """Prints text.format(*args, **named) of the values, arrays of NumPy, whenever the program comes here:
    tt.debug.print("loss {:.4f} at step {i}", loss, i=i). Lines are always in the order of the program, ordered or
    not."""
    if not isinstance(text, str):
        raise _core.fail(_core.ArgumentError, "debug.print: a format is expected, not %s" % type(text).__name__,
                         'tt.debug.print("x is {}", x)')
    try:
        _Checked().vformat(text, args, named)
    except ValueError as e:                              # from string: its lines are not the user's
        raise _core.fail(_core.TextError, "debug.print: %s" % e) from None
    _callback.watch("debug.print", _printer(text), args, named, partitioned)
