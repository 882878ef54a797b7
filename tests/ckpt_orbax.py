#!/usr/bin/env python3
"""Orbax reads what Tutti wrote, and writes what Tutti is to read.

usage: ckpt_orbax.py read DIR    an item, a folder of steps and the same values as NPZ, written by ckpt_save --for-orbax
       ckpt_orbax.py write DIR   items in several forms, and their values as NPZ
Prints one line per failure, then "N passed, M failed"."""
import os, sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"
import jax, ml_dtypes, numpy as np, orbax.checkpoint as ocp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

passed = failed = 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAIL orbax:", what)


def leaves(tree):
    """Paths in Tutti's notation, and arrays; None is no leaf."""
    flat = jax.tree_util.tree_flatten_with_path(tree)[0]
    return {".".join(str(getattr(k, "key", getattr(k, "idx", k))) for k in path): np.asarray(x) for path, x in flat}


def same(tree, want, what):
    got = leaves(tree)
    check(set(got) == set(want), f"{what}: leaves {sorted(got)}, expected {sorted(want)}")
    for name in set(got) & set(want):
        x = got[name].view(np.uint16) if got[name].dtype == ml_dtypes.bfloat16 else got[name]
        check(x.dtype == want[name].dtype and x.shape == want[name].shape and x.tobytes() == want[name].tobytes(), f"{what}: {name}")


def read(root):
    want = {k: v.view(np.uint16) if v.dtype.kind == "V" else v for k, v in np.load(root + "/item.npz").items()}
    with ocp.StandardCheckpointer() as c:
        same(c.restore(os.path.abspath(root + "/store")), want, "an OCDBT store")
    item = os.path.abspath(root + "/item")
    with ocp.StandardCheckpointer() as c:
        tree = c.restore(item)
        same(tree, want, "StandardCheckpointer")
        check(tree["w"].sharding.spec == P("data", "model"), f"layout {tree['w'].sharding}")
        check(isinstance(tree["list"], list) and tree["list"][1]["n"] is None, "a list, and None in it")
        for shape, names in (((4, 2), ("a", "b")), ((8, 1), ("a", "b")), ((1, 1), ("a", "b"))):
            mesh = Mesh(np.array(jax.devices()[: shape[0] * shape[1]]).reshape(shape), names)
            spec = lambda x: P(*["a" if i == 0 and x.shape[0] % shape[0] == 0 else None for i in range(x.ndim)])
            target = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=NamedSharding(mesh, spec(x))), tree)
            same(c.restore(item, target), want, f"onto {shape}")
    same(ocp.PyTreeCheckpointer().restore(item), want, "PyTreeCheckpointer")
    with ocp.CheckpointManager(os.path.abspath(root + "/steps")) as m:
        check(list(m.all_steps()) == [20, 30, 40], f"steps {m.all_steps()}")
        check(m.latest_step() == 40, f"latest {m.latest_step()}")
        check(np.array_equal(m.restore(20, args=ocp.args.StandardRestore())["x"], np.arange(16)), "step 20")
        m.save(50, args=ocp.args.StandardSave({"x": np.arange(3)}))
        m.wait_until_finished()
        check(list(m.all_steps()) == [20, 30, 40, 50], f"steps with Orbax's own {m.all_steps()}")
    marks(root)


def marks(root):
    """Single files with marks of leaves, which others ignore: numpy.load, and safetensors where it is."""
    w = np.arange(6, dtype=np.float32).reshape(2, 3)
    want = {"w": w, "none": w + 1, "bn.mean": np.ones(3, np.float32)}
    with np.load(root + "/marks.npz") as f:
        check(set(f) == {*want, "bn.half"} and all(np.array_equal(f[k], want[k]) for k in want), f"npz {sorted(f)}")
        half = f["bn.half"].view(np.uint16).view(ml_dtypes.bfloat16)
        check(np.array_equal(half.astype(np.float32), w), "bfloat16 of an NPZ")
    try:
        from safetensors import safe_open
    except ImportError:
        return
    with safe_open(root + "/marks.safetensors", "np") as f:
        check(set(f.keys()) == {*want, "bn.half"}, f"safetensors {f.keys()}")
        check(all(np.array_equal(f.get_tensor(k), want[k]) for k in want), "safetensors: other values")
        check(all(isinstance(v, str) for v in f.metadata().values()), f"metadata {f.metadata()}")


def write(root):
    mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))
    put = lambda x, *s: jax.device_put(x, NamedSharding(mesh, P(*s)))
    r = np.random.default_rng(int.from_bytes(os.urandom(4), "little"))
    tree = {
        "w": put(r.normal(size=(16, 24)).astype(np.float32), "data", "model"), "b": [put(r.integers(-99, 99, 8, np.int32), "model")],
        "bf": put(r.normal(size=(8, 12)).astype(ml_dtypes.bfloat16), ("data", "model")), "s": put(np.float32(r.normal())),
    }
    want = {k: v.view(np.uint16) if v.dtype == ml_dtypes.bfloat16 else v for k, v in leaves(tree).items()}
    np.savez(root + "/orbax.npz", **want)
    for zarr3 in (False, True):
        for ocdbt in (False, True):
            with ocp.Checkpointer(ocp.PyTreeCheckpointHandler(use_ocdbt=ocdbt, use_zarr3=zarr3)) as c:
                c.save(os.path.abspath(f"{root}/orbax-{int(zarr3)}{int(ocdbt)}"), tree)
                check(True, "written")


{"read": read, "write": write}[sys.argv[1]](sys.argv[2])
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
