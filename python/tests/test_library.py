"""Meshes, reports, random keys, optimizers, checkpoints, settings."""
import inspect
import re

import numpy as np
import pytest

import tutti as tt

X = np.arange(32, dtype=np.float32).reshape(8, 4)


def same(a, b, rtol=1e-6):
    np.testing.assert_allclose(np.asarray(a), b, rtol=rtol, atol=1e-6)


# ---- meshes ----


def test_mesh():
    m = tt.mesh("data:4, model:2")
    assert (m.size, m.shape, m.axis_names, m.spec) == (8, {"data": 4, "model": 2}, ("data", "model"), "data:4, model:2")
    x = tt.shard(X, m, "data, model")
    assert x.spec == "data, model" and x.mesh == m and x.mesh != tt.mesh("data:8") and tt.has_layout(x, m,
                                                                                                     "data, model")
    same(x, X), same(x[1:3, ::2], X[1:3, ::2]), same(tt.jit(lambda a: a @ a.T)(x), X @ X.T, 1e-5)
    same(tt.jit(lambda a: a + 1, mesh=m, in_shardings="data, _", out_shardings="_, model")(X), X + 1)
    assert tt.jit(lambda a: a + 1, mesh=m, out_shardings="_, model")(X).spec == "_, model"
    f = tt.shard_map(lambda a: tt.psum(tt.sum(a), "data"), mesh=m, in_specs="data, _", out_specs="")
    same(f(X), X.sum())
    same(tt.pmap(lambda a: tt.psum(a, "i"), axis_name="i")(X), np.stack([X.sum(0)] * 8))
    with m:
        assert tt.current_mesh() == m
        same(tt.shard_map(lambda a: a * 2, in_specs="data, _", out_specs="data, _")(X), 2 * X)
    assert tt.current_mesh() is None
    with m.using("batch:data"):
        y = tt.jit(lambda a: tt.logical_constraint(a * 2, "batch, _"))(X)
    same(y, 2 * X)
    assert tt.device_count() >= 1
    with pytest.raises(tt.SpecError, match="nope"):
        tt.shard(X, m, "nope")


def test_reports(capsys):
    m = tt.mesh("data:4")
    x = tt.shard(X, m, "data, _")
    r = tt.explain(tt.jit(lambda a: tt.sum(a)), x)
    assert r.count("all-reduce") == 1 and r.exchanges[0].axes == "data" and "test_library.py" in r.exchanges[0].site
    b = tt.plan(lambda a: a @ a.T, tt.shape((1024, 64)))
    assert b.arguments == 1024 * 64 * 4 and b.peak >= b.arguments and "plan" in b.text and repr(b) == b.text
    big = tt.plan(lambda a: a * 2, tt.shard(tt.shape((1 << 20, 256)), tt.mesh("data:4096, model:16"), "data, _"))
    assert big.devices == 65536
    assert "tanh" in tt.ir_text(lambda a: tt.tanh(a), X) and tt.plan_text(lambda a: a + 1, X)
    assert "stablehlo" in tt.export(lambda a: a + 1, X) and "per loop" in tt.timeit(tt.jit(lambda a: a), X)
    same(tt.import_hlo(tt.export(lambda a: a * 2, X))(X), 2 * X)
    tt.draw(x), tt.show({"a": x})
    out = capsys.readouterr().out
    assert "CPU 0" in out and "f32[8@data, 4]" in out
    assert tt.drawing(x, form="svg").startswith("<svg") and tt.curve(tt.array([3.0, 2, 1]), title="loss")
    assert tt.doctor()


# ---- random ----


def test_random():
    k = tt.random.key(42)
    assert k.tolist() == [0, 42] and k.dtype == tt.uint32 and tt.random.split(k, 3).shape == (3, 2)
    a, b = tt.random.split(k)
    assert a.tolist() != b.tolist()
    for draw in (lambda: tt.random.normal(k, (3, 2)), lambda: tt.random.uniform(k, (3, 2), minval=-1, maxval=1),
                 lambda: tt.random.randint(k, (3, 2), 0, 10), lambda: tt.random.bernoulli(k, 0.3, (3, 2)),
                 lambda: tt.random.gamma(k, 2.0, (3, 2)), lambda: tt.random.truncated_normal(k, -1, 1, (3, 2)),
                 lambda: tt.random.choice(k, tt.arange(9), (3, 2)),
                 lambda: tt.random.categorical(k, tt.zeros(5), shape=(3, 2)),
                 lambda: tt.random.poisson(k, 3.0, (3, 2)), lambda: tt.random.logistic(k, (3, 2)),
                 lambda: tt.random.beta(k, 1.0, 2.0, (3, 2)), lambda: tt.random.exponential(k, (3, 2), tt.float16)):
        assert draw().shape == (3, 2) and draw().tolist() == draw().tolist()
    assert sorted(tt.random.permutation(k, 5).tolist()) == list(range(5))
    assert sorted(tt.random.choice(k, 6, (6,), replace=False).tolist()) == list(range(6))
    assert tt.random.multivariate_normal(k, tt.zeros(2), tt.eye(2), (4,)).shape == (4, 2)
    same(tt.vmap(lambda key: tt.random.normal(key))(tt.random.split(k, 3)),
         [tt.random.normal(x).item() for x in tt.random.split(k, 3)])


def test_random_is_jax(jax):
    k, mine = jax.random.PRNGKey(7), tt.random.key(7)
    r = jax.random
    for f, g in ((lambda: r.normal(k, (5,)), lambda: tt.random.normal(mine, (5,))),
                 (lambda: r.uniform(k, (5,), minval=-2, maxval=3),
                  lambda: tt.random.uniform(mine, (5,), minval=-2, maxval=3)),
                 (lambda: r.randint(k, (5,), 0, 99), lambda: tt.random.randint(mine, (5,), 0, 99)),
                 (lambda: r.split(k, 4), lambda: tt.random.split(mine, 4)),
                 (lambda: r.fold_in(k, 3), lambda: tt.random.fold_in(mine, 3)),
                 (lambda: r.permutation(k, 9), lambda: tt.random.permutation(mine, 9)),
                 (lambda: r.bernoulli(k, 0.4, (9,)), lambda: tt.random.bernoulli(mine, 0.4, (9,))),
                 (lambda: r.categorical(k, np.arange(5.0, dtype=np.float32), shape=(6,)),
                  lambda: tt.random.categorical(mine, np.arange(5.0, dtype=np.float32), shape=(6,))),
                 (lambda: r.choice(k, 20, (4,), replace=False),
                  lambda: tt.random.choice(mine, 20, (4,), replace=False))):
        np.testing.assert_array_equal(np.asarray(f()), np.asarray(g()))
    same(tt.random.gamma(mine, 2.5, (4,)), r.gamma(k, 2.5, (4,)))


# ---- optimizers, checkpoints ----


def test_training():
    x = tt.random.normal(tt.random.key(0), (32, 4))
    y = x @ np.array([[1.0], [2], [3], [4]], np.float32)
    params = {"w": tt.zeros((4, 1)), "b": tt.zeros(1)}

    def loss(p, x, y):
        return tt.mean((x @ p["w"] + p["b"] - y) ** 2)
    for make in (lambda: tt.optim.sgd(params, rate=0.1, momentum=0.9), lambda: tt.optim.adam(params, rate=0.1),
                 lambda: tt.optim.optimizer(params, "clip_by_global_norm(1); adamw(0.1)")):
        @tt.jit
        def step(p, s, x, y):
            value, g = tt.value_and_grad(loss)(p, x, y)
            p, s = tt.opt_step(p, s, g)
            return p, s, value
        p, s = params, make()
        first = None
        for _ in range(60):
            p, s, value = step(p, s, x, y)
            first = value.item() if first is None else first
        assert value.item() < 0.1 * first and sorted(p) == ["b", "w"]
    assert "rate" in s or "count" in s
    a = tt.optim.adam(params, rate=0.1)
    assert a["rate"].item() == pytest.approx(0.1) and a.set("rate", 0.5)["rate"].item() == 0.5 and "mu.w" in repr(a)
    p, s = params, tt.optim.lbfgs(params)
    for _ in range(10):
        p, s, value = tt.optim.step_with(p, s, loss, x, y)
    assert value.item() < 1e-3
    m = tt.minimize(lambda v: tt.sum((v - 3.0) ** 2), tt.zeros(2))
    same(m["x"], [3, 3], 1e-3)
    same(tt.optim.schedule("linear(1, 0, 10)", tt.array([0, 5, 10])), [1, 0.5, 0])


def test_checkpoints(tmp_path):
    tree = {"w": X, "layers": {"a": X[0], "b": X[1]}}
    for name in ("a.ckpt", "a.npz", "a.safetensors"):
        path = str(tmp_path / name)
        tt.save(path, tree)
        got = tt.load(path)
        same(got["w"], X), same(got["layers"]["b"], X[1])
        with pytest.raises(tt.Error, match="force"):
            tt.save(path, tree)
        tt.save(path, tree, force=True)
        placed = tt.load(path, like={"w": tt.shard(tt.shape((8, 4)), tt.mesh("data:4"), "data, _"),
                                     "layers": {"a": tt.shape((4,)), "b": tt.shape((4,))}})
        assert placed["w"].spec == "data, _"
    state = tt.optim.adam({"w": X}, rate=0.25)
    path = str(tmp_path / "state.ckpt")
    tt.save(path, {"opt": state})
    same(tt.load(path, like={"opt": state})["opt"]["rate"], 0.25)
    same(np.load(str(tmp_path / "a.npz"))["w"], X)


def test_manager(tmp_path):
    m = tt.manager_open(str(tmp_path / "run"), keep=2, best="min loss", keep_best=1)
    for step, loss in ((1, 0.5), (2, 0.1), (3, 0.3), (4, 0.2)):
        tt.manager_save(m, step, {"w": X * step}, metrics={"loss": loss})
    assert tt.manager_steps(m) == [2, 3, 4] and tt.manager_newest(m) == 4 and tt.manager_best(m) == 2
    same(tt.manager_load(m, 3)["w"], X * 3)
    c = tt.ckpt_open(tt.manager_path(m, 2))
    assert tt.ckpt_count(c) == 1 and repr(m) == "<tutti manager>"
    same(tt.ckpt_read(c, 0), X * 2)
    with pytest.raises(tt.Error, match="9"):
        tt.manager_load(m, 9)
    with pytest.raises(tt.ArgumentError, match="manager_open"):
        tt.manager_newest("run")
    with pytest.raises(TypeError):
        tt.manager_newest(c)


def test_tokenizer(tmp_path):
    path = str(tmp_path / "tokenizer.json")
    tt.tokenizer_train(path, "the cat and the dog and the bird " * 20, 280)
    t = tt.tokenizer_open(path)
    ids = tt.tokenizer_encode(t, "the dog")
    assert ids.dtype == tt.int32 and tt.tokenizer_decode(t, ids) == "the dog" and tt.tokenizer_size(t) <= 280


# ---- settings, documentation ----


def test_settings():
    n = tt.threads()
    assert tt.threads(2) == 2 and tt.threads(n) == n
    tt.clear_caches()
    same(tt.jit(lambda x: x + 1)(X), X + 1)


def test_documentation():
    import tutti._api as api
    functions = [f for n, f in vars(api).items() if inspect.isfunction(f) and f.__module__ == "tutti._api"]
    assert len(functions) > 500
    for f in functions:
        assert f.__doc__ and re.search(r"tt_\w+ in tutti", f.__doc__), f.__name__
        inspect.signature(f)
    assert "einsum" not in tt.max_pool.__doc__ and "clamped" in tt.dynamic_slice.__doc__
    for name in dir(tt):
        f = getattr(tt, name)
        if inspect.isfunction(f) and f.__module__.startswith("tutti"):
            assert f.__doc__, name


def test_names():
    assert not {"np", "lib", "call", "Any", "Options", "ffi"} & set(dir(tt))
    for name in "sum max any abs round sin where zeros concatenate split jit grad float32 mesh shard save".split():
        assert hasattr(tt, name), name


def test_namespaces():
    same(tt.linalg.inv(np.eye(3, dtype=np.float32) * 2), np.eye(3) / 2), same(tt.nn.relu(-X), 0 * X)
    same(tt.stats.norm_pdf(0.0), 0.3989423), same(tt.special.gammaln(5.0), np.log(24), 1e-5)
    assert tt.fft.rfft(X).shape == (8, 3)


def test_scope(tmp_path):
    path = str(tmp_path / "m.jsonl")
    for i in range(2):                                   # what was opened in it is closed
        with tt.scope():
            w = tt.metric_writer_open(path)
            x = tt.array([1.0, 2.0]) * 2
            tt.write_scalars(w, i, {"a": x[0]})
            with pytest.raises(tt.Error, match="another writer"):
                tt.metric_writer_open(path)
        assert x.tolist() == [2, 4]                      # arrays live on
        with pytest.raises(tt.LifeError):
            tt.write_scalars(w, i, {"a": x[0]})
    assert len(open(path).read().splitlines()) == 2
    with pytest.raises(KeyError), tt.scope():
        raise KeyError
