"""Errors are exceptions with the line of Python's user; exceptions pass through C; Ctrl-C ends a program."""
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import tutti as tt

X = np.ones((2, 3), np.float32)
HERE = os.path.basename(__file__)


def line():
    return sys._getframe(1).f_lineno


def test_line_and_parts():
    with pytest.raises(tt.ShapeError) as e:
        at = line() + 1
        tt.matmul(tt.array(X), X)
    assert "%s:%d: tt.matmul(tt.array(X), X)" % (HERE, at) in e.value.site
    assert "inner dimensions differ: 3 and 2" in e.value.message and e.value.code == 1
    assert str(e.value).startswith("matmul: inner") and "f32[2, 3]" in str(e.value)
    assert isinstance(e.value, tt.Error) and isinstance(e.value, ValueError)
    tt.array(X) + 1                                      # the next call is well


def test_line_of_operators():
    with pytest.raises(tt.ShapeError) as e:
        at = line() + 1
        (tt.array(X) @
         tt.array(X))
    assert "%s:%d: tt.array(X) @ tt.array(X)" % (HERE, at) in e.value.site
    with pytest.raises(tt.Error) as e:
        at = line() + 1
        tt.array(X)[5, 0]
    assert "%s:%d: tt.array(X)[5, 0]" % (HERE, at) in e.value.site


def test_line_inside_of_a_function():
    def layer(x):
        return x @ x

    def model(x):
        return tt.sum(layer(x) * 2)
    with pytest.raises(tt.ShapeError) as e:
        tt.jit(tt.grad(model))(X)
    assert "%s:%d: x @ x" % (HERE, layer.__code__.co_firstlineno + 1) in e.value.site
    names = []
    t = e.value.__traceback__
    while t:
        names.append(t.tb_frame.f_code.co_name)
        t = t.tb_next
    assert "layer" in names and "model" in names         # Python's traceback leads through the user's functions


def test_errors_of_options():
    for f, kind, word in ((lambda: tt.sum(X, axis=5), tt.Error, "5"), (lambda: tt.sum(X, axis="a"), tt.Error, "a"),
                          (lambda: tt.sum(X, axis=1.5), tt.DtypeError, "whole"),
                          (lambda: tt.mesh("data"), tt.Error, "data"),
                          (lambda: tt.mesh(3), tt.ArgumentError, "str"),
                          (lambda: tt.shard(X, "m", "a"), tt.MeshError, "mesh"),
                          (lambda: tt.zeros((2, -1)), tt.Error, "-1"),
                          (lambda: tt.zeros(2, "f99"), tt.DtypeError, "f99"),
                          (lambda: tt.reshape(X, (4, 4)), tt.ShapeError, "4"),
                          (lambda: tt.load("nowhere.npz"), tt.Error, "nowhere"),
                          (lambda: tt.adam({"w": X}, rate="x"), Exception, "x"),
                          (lambda: tt.softmax(X, axis=7), tt.Error, "7"),
                          (lambda: tt.concatenate([X, X[:1, :2]]), tt.ShapeError, "concat"),
                          (lambda: tt.concatenate(tt.array(X)), tt.DtypeError, "list"),
                          (lambda: tt.einsum("ij,jk->ik", X, X), tt.Error, "einsum"),
                          (lambda: tt.config("nonsense"), tt.Error, "nonsense"),
                          (lambda: tt.mesh("a:2\0"), tt.ArgumentError, "NUL")):
        with pytest.raises(kind, match=word):
            f()
    with pytest.raises(TypeError):
        tt.sum(X, nonsense=1)
    with pytest.raises(tt.FileError):
        tt.load("/nowhere/at/all.npz")


def test_exceptions_pass():
    class Mine(Exception):
        pass

    def bad(x):
        raise Mine("here")
    for f in (tt.jit(bad), tt.grad(bad), tt.vmap(bad), lambda x: tt.scan(lambda c, r: bad(c), 0.0, x),
              lambda x: tt.cond(True, bad, bad, x), tt.jit(lambda x: tt.jit(bad)(x)), lambda x: tt.eval_shape(bad, x)):
        with pytest.raises(Mine, match="here"):
            f(X)
    assert tt.sum(X).item() == 6

    def tries(x):                                        # a function may catch what fails in it
        try:
            return x @ x
        except tt.ShapeError:
            return x * 2
    np.testing.assert_array_equal(np.asarray(tt.jit(tries)(X)), X * 2)
    with pytest.raises(KeyboardInterrupt):
        tt.jit(lambda x: (_ for _ in ()).throw(KeyboardInterrupt))(X)
    with pytest.raises(SystemExit):
        tt.jit(lambda x: sys.exit(3))(X)


def test_traced_values():
    f = tt.jit(lambda x: x if x[0, 0] > 0 else -x)
    with pytest.raises(tt.TraceError):
        f(X)
    for use in (float, int, np.asarray, lambda v: v.tolist(), range):
        with pytest.raises((tt.TraceError, TypeError)):
            tt.jit(lambda x: (use(x[0, 0]), x)[1])(X)
    kept = []
    tt.jit(lambda x: (kept.append(x), x)[1])(X)
    with pytest.raises(tt.TraceError, match="has ended"):
        kept[0] + 1


def test_threads_have_their_own_errors():
    found = []

    def run(n):
        for i in range(20):
            if (i + n) % 2:
                try:
                    tt.matmul(X, X)
                    found.append("none")
                except tt.ShapeError:
                    pass
            elif tt.sum(tt.array(X) * n).item() != 6 * n:
                found.append("sum")
    all_ = [threading.Thread(target=run, args=(n,)) for n in range(4)]
    [t.start() for t in all_], [t.join() for t in all_]
    assert not found


def test_other_threads_run_meanwhile():
    """While a program computes, Python's other threads go on."""
    x = tt.array(np.ones((400, 400), np.float32))
    f = tt.jit(lambda x: tt.fori_loop(0, 200, lambda i, y: y @ x * 0.002, x))
    f(x).block_until_ready()
    count, stop = [0], []

    def counts():
        while not stop:
            count[0] += 1
            time.sleep(0)
    t = threading.Thread(target=counts)
    t.start()
    before = count[0]
    f(x).block_until_ready()
    after = count[0]
    stop.append(1)
    t.join()
    assert after > before + 10


def test_ctrl_c(tmp_path):
    """A Ctrl-C in a loop of calls is a KeyboardInterrupt; the program can save and go on."""
    path = tmp_path / "loop.py"
    path.write_text("""
import tutti as tt
f = tt.jit(lambda x: tt.fori_loop(0, 50, lambda i, y: y + 1, x))
x = tt.zeros(1000)
x = f(x)
print("begun", flush=True)
try:
    while True:
        x = f(x)
except KeyboardInterrupt:
    print("ended", bool(x[0] > 0), tt.sum(f(x)).item() > 0, flush=True)
""")
    p = subprocess.Popen([sys.executable, str(path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    assert p.stdout.readline() == "begun\n"
    time.sleep(0.2)
    p.send_signal(signal.SIGINT)
    rest = p.communicate(timeout=120)[0]
    assert rest == "ended True True\n" and p.returncode == 0


def identity(x):
    return x


CALLED = {"pt_python": lambda: tt.jit(lambda x: x + 1)(X),
          "pt_python_callback": lambda: tt.jit(lambda x: tt.pure_callback(identity, x, x))(X).block_until_ready(),
          "pt_python_fill": lambda: tt.array_from_callback((2,), lambda index: np.ones(2)[index])}


@pytest.mark.parametrize("name", sorted(CALLED))
def test_interrupted_before_the_function(name, capfd):
    """A KeyboardInterrupt that comes when C has called Python, and the function itself has not begun."""
    def interrupt(frame, event, arg):
        if event == "call" and frame.f_code.co_name == name:
            raise KeyboardInterrupt
    sys.setprofile(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            CALLED[name]()
    finally:
        sys.setprofile(None)
    assert capfd.readouterr() == ("", "")
    assert tt.sum(tt.array(X)).item() == 6


def test_nothing_is_printed(capfd):
    with pytest.raises(tt.Error):
        tt.matmul(X, X)
    assert capfd.readouterr() == ("", "")
