"""Suite `checkpoints`: files that Orbax, Flax, safetensors and NumPy write, and copies with one damage each."""

import json
import os
import shutil

import flax.serialization
import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp
import safetensors.numpy

from golden import Suite, versions


def suite(out, seed, many):
    return Suite(out, "checkpoints", seed, many, versions("jax", "flax", "orbax-checkpoint", "safetensors", "numpy"))


def drawn_tree(s):
    return {
        "w": {"kernel": s.floats(s.shape(2, 5)), "bias": s.floats(s.shape(1, 5))},
        "step": np.asarray(int(s.rng.integers(0, 99)), np.int32),
        "mask": s.rng.integers(0, 2, 5).astype(bool),
        "half": np.asarray(jnp.asarray(s.floats((3,)), jnp.bfloat16)),
        "list": [s.ints((2, 2), np.uint8, 0, 255), s.floats((2,), np.float64)],
    }


def leaves(tree, digits=False):
    flat = jax.tree_util.tree_flatten_with_path(tree)[0]
    return [
        [
            str(getattr(k, "key", getattr(k, "idx", None))) if digits else getattr(k, "key", getattr(k, "idx", None))
            for k in path
        ]
        for path, _ in flat
    ], [v for _, v in flat]


def restored(s, ident, path, form, paths, values):
    s.case(ident, "checkpoint", "restore", {"path": path, "format": form, "leaves": paths}, [], values)


def refused(s, ident, path, form, error):
    s.case(f"bad.{ident}", "checkpoint", "restore", {"path": path, "format": form}, error=error)


def save(s, name, tree, **how):
    path = os.path.join(os.path.abspath(s.dir), name)
    shutil.rmtree(path, ignore_errors=True)
    with ocp.Checkpointer(ocp.PyTreeCheckpointHandler(**how)) as c:
        c.save(path, tree)
    for extra in ("_CHECKPOINT_METADATA", "_sharding", "commit_success.txt"):
        if os.path.exists(os.path.join(path, extra)):
            os.unlink(os.path.join(path, extra))
    return path


def damaged(s, source, name, edit):
    to = os.path.join(s.dir, name)
    shutil.rmtree(to, ignore_errors=True)
    (
        shutil.copytree(os.path.join(s.dir, source), to)
        if os.path.isdir(os.path.join(s.dir, source))
        else shutil.copy(os.path.join(s.dir, source), to)
    )
    edit(to)


def replace(name, old, new):
    def edit(folder):
        with open(os.path.join(folder, name)) as f:
            text = f.read()
        assert old in text, (name, old)
        with open(os.path.join(folder, name), "w") as f:
            f.write(text.replace(old, new, 1))

    return edit


def cut(n):
    def edit(path):
        with open(path, "r+b") as f:
            f.truncate(os.path.getsize(path) - n)

    return edit


def fill(s):
    for k in range(s.many):
        tree = drawn_tree(s)
        paths, values = leaves(tree)
        for name, how in (("ocdbt2", {"use_ocdbt": True}), ("files3", {"use_ocdbt": False, "use_zarr3": True})):
            save(s, f"{name}_{k}", tree, **how)
            restored(s, f"orbax.{name}.{k}", f"{name}_{k}", "orbax", paths, values)
        flat = {"/".join(map(str, p)): np.asarray(v) for p, v in zip(paths, values) if v.dtype.name != "bfloat16"}
        names = sorted(flat)
        safetensors.numpy.save_file(
            {n.replace("/", "."): flat[n] for n in names}, os.path.join(s.dir, f"m{k}.safetensors")
        )
        restored(
            s,
            f"safetensors.{k}",
            f"m{k}.safetensors",
            "safetensors",
            [[n.replace("/", ".")] for n in names],
            [flat[n] for n in names],
        )
        np.savez(os.path.join(s.dir, f"a{k}.npz"), **{n.replace("/", "."): flat[n] for n in names})
        restored(s, f"npz.{k}", f"a{k}.npz", "npz", [[n.replace("/", ".")] for n in names], [flat[n] for n in names])
        with open(os.path.join(s.dir, f"f{k}.msgpack"), "wb") as f:
            f.write(flax.serialization.to_bytes(tree))
        paths, values = leaves(tree, True)
        restored(s, f"msgpack.{k}", f"f{k}.msgpack", "flax-msgpack", paths, values)
    damaged(s, "files3_0", "bad_kind", replace("_METADATA", '"np.ndarray"', '"np.matrix"'))
    refused(s, "kind", "bad_kind", "orbax", "unknown kind of leaf")
    damaged(s, "files3_0", "bad_dtype", replace("mask/zarr.json", '"bool"', '"bool9"'))
    refused(s, "dtype", "bad_dtype", "orbax", "unknown element type")
    damaged(s, "files3_0", "bad_array", lambda d: os.unlink(os.path.join(d, "mask", "zarr.json")))
    refused(s, "array", "bad_array", "orbax", "array metadata missing")
    damaged(s, "ocdbt2_0", "bad_manifest", lambda d: os.unlink(os.path.join(d, "manifest.ocdbt")))
    refused(s, "manifest", "bad_manifest", "orbax", "the OCDBT manifest is missing")
    damaged(s, "m0.safetensors", "bad_cut.safetensors", cut(1))
    refused(s, "safetensors", "bad_cut.safetensors", "safetensors", "file too short")
    damaged(s, "f0.msgpack", "bad_cut.msgpack", cut(3))
    refused(s, "msgpack", "bad_cut.msgpack", "flax-msgpack", "truncated")
