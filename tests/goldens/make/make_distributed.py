"""Suite `distributed`: what JAX and Orbax answer in two processes, of one and of two devices each.

The maker starts the processes (gloo, simulated devices of the CPU): this file again, with the name of a file of cases.
Each process runs all cases, and writes what it gave and saw, which becomes its entry of `each`. Values are multiples of
1/4, so that sums are exact in any order.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile

import numpy as np

from golden import Suite, versions

PROCESSES, PER = 2, (1, 2)
LEAVES = [["w", [8, 6], "float32"], ["b", [12], "int32"], ["n", [], "int32"]]


def suite(out, seed, many):
    return Suite(out, "distributed", seed, many, versions("jax", "orbax-checkpoint"))


# ---- in one of the processes ----


class Process:
    """kinds: methods that take a case's name and parameters, and return (its own entry, names of common arrays)."""

    def __init__(self, job):
        import jax
        from jax.experimental import multihost_utils

        jax.config.update("jax_num_cpu_devices", job["per"])
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
        jax.distributed.initialize(f"localhost:{job['port']}", PROCESSES, job["rank"])
        self.jax, self.together, self.rank, self.folder = jax, multihost_utils, job["rank"], job["folder"]
        self.devices = sorted(jax.devices(), key=lambda d: (d.process_index, d.id))
        self.arrays = {}

    def keep(self, name, x):
        self.arrays[name] = np.asarray(x, order="C")
        return name

    def mesh(self, q):
        names, sizes = zip(*[a.split("=") for a in q["mesh"].split(",")])
        return self.jax.sharding.Mesh(np.array(self.devices).reshape([int(n) for n in sizes]), names)

    def layout(self, q, text):
        from make_collectives import spec_of

        return self.jax.sharding.NamedSharding(self.mesh(q), spec_of(text))

    def whole(self, x, layout):
        return self.jax.make_array_from_callback(x.shape, layout, lambda i: x[i])

    def values(self, q, *extra):
        return (np.random.default_rng([q["seed"], *extra]).integers(-32, 32, q["shape"]) / 4).astype(np.float32)

    def pieces(self, name, x):
        """The part of each device of this process: devices, replicas, boxes, elements."""
        mine = sorted(x.addressable_shards, key=lambda s: self.devices.index(s.device))
        return {
            "devices": [self.devices.index(s.device) for s in mine],
            "replica": [s.replica_id for s in mine],
            "box": [
                [[i.start or 0, n if i.stop is None else i.stop] for i, n in zip(s.index, x.shape)] for s in mine
            ],
            "out": [self.keep(f"{name}.p{self.rank}.o{i}", s.data) for i, s in enumerate(mine)],
        }

    def topology(self, name, q):
        mesh = self.mesh(q)
        return {
            "index": self.jax.process_index(),
            "count": self.jax.process_count(),
            "devices": self.jax.device_count(),
            "local": [self.devices.index(d) for d in self.jax.local_devices()],
            "process_of": [d.process_index for d in mesh.devices.flat],
            "local_mesh": [[k, n] for k, n in mesh.local_mesh.shape.items()],
        }, {}

    def shards(self, name, q):
        g = self.values(q)
        x = self.whole(g, self.layout(q, q["spec"]))
        mine = {"whole": x.is_fully_addressable, "same": x.is_fully_replicated, **self.pieces(name, x)}
        return mine, {"in": [self.keep(f"{name}.i0", g)]}

    def local_data(self, name, q):
        mine = np.split(self.values(q), PROCESSES)[self.rank]
        x = self.jax.make_array_from_process_local_data(self.layout(q, q["spec"]), mine)
        whole = self.together.process_allgather(x, tiled=True)
        entry = {"in": [self.keep(f"{name}.p{self.rank}.i0", mine)], "shape": list(x.shape), **self.pieces(name, x)}
        return entry, {"out": [self.keep(f"{name}.whole", whole)]}

    def allgather(self, name, q):
        x = self.values(q, self.rank)
        y = self.together.process_allgather(x, tiled=q["tiled"])
        return {"in": [self.keep(f"{name}.p{self.rank}.i0", x)], "out": [self.keep(f"{name}.p{self.rank}.o0", y)]}, {}

    def broadcast(self, name, q):
        x = self.values(q, self.rank)
        y = self.together.broadcast_one_to_all(x, is_source=self.rank == q["source"])
        return {"in": [self.keep(f"{name}.p{self.rank}.i0", x)], "out": [self.keep(f"{name}.p{self.rank}.o0", y)]}, {}

    def collective(self, name, q):
        lax, axis, g = self.jax.lax, q["axis"], self.values(q)
        f = {
            "psum": lambda x: lax.psum(x, axis),
            "all_gather": lambda x: lax.all_gather(x, axis, tiled=True),
            "psum_scatter": lambda x: lax.psum_scatter(x, axis, tiled=True),
            "all_to_all": lambda x: lax.all_to_all(x, axis, 1, 0, tiled=True),
            "ppermute": lambda x: lax.ppermute(x, axis, q["perm"]),
        }[q["fn"]]
        a, b = self.layout(q, q["in_spec"]), self.layout(q, q["out_spec"])
        mapped = self.jax.shard_map(f, mesh=a.mesh, in_specs=a.spec, out_specs=b.spec, check_vma=False)
        y = self.jax.jit(mapped)(self.whole(g, a))
        return {"shape": list(y.shape), **self.pieces(name, y)}, {"in": [self.keep(f"{name}.i0", g)]}

    def step(self, name, q):
        jax, (i, h, o) = self.jax, q["widths"]
        r = np.random.default_rng(q["seed"])
        drawn = [r.standard_normal(n).astype(np.float32) for n in ((i, h), (h, o), (q["rows"], i), (q["rows"], o))]
        first = [drawn[0] / 4, np.zeros(h, np.float32), drawn[1] / 4, np.zeros(o, np.float32)]

        def loss(p, x, y):
            return jax.numpy.mean((jax.numpy.tanh(x @ p[0] + p[1]) @ p[2] + p[3] - y) ** 2)

        def train(p, v, x, y):
            error, g = jax.value_and_grad(loss)(p, x, y)
            v = [0.5 * a + b for a, b in zip(v, g)]
            return [a - 0.125 * b for a, b in zip(p, v)], v, error

        at, rows = self.layout(q, "data" if q["layout"] == "fsdp" else ""), self.layout(q, "data")
        f = jax.jit(train, out_shardings=([at] * 4, [at] * 4, self.layout(q, "")))
        p, v = [self.whole(w, at) for w in first], [self.whole(np.zeros_like(w), at) for w in first]
        x, y, losses = self.whole(drawn[2], rows), self.whole(drawn[3], rows), []
        for _ in range(q["steps"]):
            p, v, error = f(p, v, x, y)
            losses.append(np.asarray(error))
        parts = [self.pieces(f"{name}.w{k}", w) for k, w in enumerate(p)]
        entry = {"out": [self.keep(f"{name}.p{self.rank}.losses", np.array(losses))], "parts": parts}
        return entry, {"in": [self.keep(f"{name}.i{k}", w) for k, w in enumerate(first + drawn[2:])]}

    def leaves(self, q):
        r = np.random.default_rng(q["seed"])
        return {name: r.integers(-64, 64, shape).astype(dtype) for name, shape, dtype, _ in q["leaves"]}

    def checkpointer(self):
        import orbax.checkpoint as ocp

        return ocp, ocp.Checkpointer(ocp.PyTreeCheckpointHandler())

    def checkpoint_save(self, name, q):
        tree = self.leaves(q)
        state = {leaf[0]: self.whole(tree[leaf[0]], self.layout(q, leaf[3])) for leaf in q["leaves"]}
        with self.checkpointer()[1] as c:
            c.save(os.path.join(self.folder, q["path"]), state, force=True)
        return {}, {"out": [self.keep(f"{name}.{k}", x) for k, x in tree.items()]}

    def checkpoint_load(self, name, q):
        ocp, checkpointer = self.checkpointer()
        tree = self.leaves(q)
        how = {
            k: ocp.ArrayRestoreArgs(sharding=self.layout(q, s), global_shape=x.shape)
            for (k, x), s in zip(tree.items(), q["specs"])
        }
        with checkpointer as c:
            asked = ocp.args.PyTreeRestore(item=dict.fromkeys(tree, 0), restore_args=how)
            got = c.restore(os.path.join(self.folder, q["path"]), args=asked)
        return {"leaves": [{"name": k, **self.pieces(f"{name}.{k}", got[k])} for k in tree]}, {}


def work(job):
    p = Process(job)
    said = [getattr(p, c["kind"])(c["id"], c["params"]) for c in job["cases"]]
    with open(f"{job['to']}.json", "w") as f:
        json.dump(said, f)
    np.savez(f"{job['to']}.npz", **p.arrays)
    p.together.sync_global_devices("end")
    p.jax.distributed.shutdown()


# ---- the maker ----


def run(s, per, cases):
    """Runs the cases in all processes, and adds them to the suite."""
    with socket.socket() as port, tempfile.TemporaryDirectory() as temp:
        port.bind(("localhost", 0))
        job = {"port": port.getsockname()[1], "per": per, "cases": cases, "folder": os.path.abspath(s.dir)}
        port.close()
        env = {k: v for k, v in os.environ.items() if k != "XLA_FLAGS"}
        started = []
        for rank in range(PROCESSES):
            path = os.path.join(temp, f"{rank}.job")
            with open(path, "w") as f:
                json.dump({**job, "rank": rank, "to": os.path.join(temp, str(rank))}, f)
            started.append(subprocess.Popen([sys.executable, os.path.abspath(__file__), path], env=env))
        codes = [p.wait() for p in started]
        assert not any(codes), codes
        said = []
        for rank in range(PROCESSES):
            with open(os.path.join(temp, f"{rank}.json")) as f:
                said.append(json.load(f))
            with np.load(os.path.join(temp, f"{rank}.npz")) as z:
                s.arrays.update(z)
    for k, c in enumerate(cases):
        tol = {"rtol": 2e-5, "atol": 2e-6} if c["kind"] == "step" else {"exact": True}
        case = s.case(c["id"], c["kind"], c["fn"], c["params"], each=[one[k][0] for one in said])
        case.update({"tol": tol, **said[0][k][1]})


def drawn(s, per, turn):
    n = PROCESSES * per
    cases = []

    def add(ident, kind, fn, **params):
        seed = int(s.rng.integers(1 << 30))
        where = {"processes": PROCESSES, "per": per, "mesh": f"data={n}", "order": None, "seed": seed}
        ident = f"{PROCESSES}x{per}/{ident}" + (f"/{turn}" if turn else "")
        cases.append({"id": ident, "kind": kind, "fn": fn, "params": {**where, "fn": fn, **params}})

    def some():
        return int(s.rng.integers(1, 4))

    square = f"data={PROCESSES},model={per}"
    add("topology", "topology", "devices", mesh=square)
    for spec in ("data,model", "-,model+data"):
        add(f"shards/{spec}", "shards", "addressable_shards", mesh=square, spec=spec, shape=[n * some(), n * some()])
    add("local_data", "local_data", "make_array_from_process_local_data", spec="data,-", shape=[n * some(), some()])
    add("allgather", "allgather", "process_allgather", of="host", tiled=per == 1, shape=[some(), 3])
    add("broadcast", "broadcast", "broadcast_one_to_all", source=per - 1, shape=[2, some()])
    outs = {"psum": "-,-", "all_gather": "-,-", "psum_scatter": "data,-", "all_to_all": "-,data", "ppermute": "data,-"}
    for fn, out in outs.items():
        more = {"perm": [[i, (i + 1) % n] for i in range(n)]} if fn == "ppermute" else {}
        shape = [n * n * some(), n * some()]
        add(fn, "collective", fn, axis="data", in_spec="data,-", out_spec=out, shape=shape, **more)
    for layout in ("dp", "fsdp"):
        add(f"step/{layout}", "step", "train", layout=layout, steps=4, rows=2 * n, widths=[2 * n, 3 * n, n])
    return cases


def checkpoint(s):
    """Saved by processes of one device, read by processes of two."""
    specs = ["data,-", "data", ""]
    params = {
        "path": "saved",
        "mesh": "data=2",
        "order": None,
        "leaves": [[*leaf, spec] for leaf, spec in zip(LEAVES, specs)],
        "seed": int(s.rng.integers(1 << 30)),
    }
    where = {"processes": PROCESSES, "per": 1}
    shutil.rmtree(os.path.join(s.dir, "saved"), ignore_errors=True)
    run(s, 1, [{"id": "2x1/save", "kind": "checkpoint_save", "fn": "save", "params": {**params, **where}}])
    for extra in ("_CHECKPOINT_METADATA", "_sharding", "commit_success.txt"):
        path = os.path.join(s.dir, "saved", extra)
        if os.path.exists(path):
            os.unlink(path)
    params.update({"mesh": "data=4", "specs": specs, "per": 2, "processes": PROCESSES})
    run(s, 2, [{"id": "2x2/load", "kind": "checkpoint_load", "fn": "restore", "params": params}])


def fill(s):
    for turn in range(s.many):
        for per in PER:
            run(s, per, drawn(s, per, turn))
    checkpoint(s)


if __name__ == "__main__":
    with open(sys.argv[1]) as f:
        work(json.load(f))
