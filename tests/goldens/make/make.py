"""Makes goldens: python make.py OUT [--seed N] [--many N] [SUITE ...]

OUT/<suite>/cases.json and arrays.npz of every suite (or of those named), drawn from the seed. `--many` says how often
each function is drawn: 1 makes the project's own, which are small; 100 makes thousands, of other sizes, types and
arguments.
"""

import argparse
import importlib
import os
import sys

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("KERAS_BACKEND", "jax")

SUITES = [
    "math",
    "numpy",
    "random",
    "scipy",
    "stats",
    "losses",
    "init",
    "optim",
    "layers",
    "collectives",
    "distributed",
    "layout",
    "programs",
    "printed",
    "checkpoints",
    "visual",
    "tokenizers",
    "gguf",
    "seeds_nnx",
    "seeds_linen",
    "seeds_pmap",
    "seeds_shardmap",
    "seeds_keras",
]


def main():
    args = argparse.ArgumentParser()
    args.add_argument("out")
    args.add_argument("--seed", type=int, default=2)
    args.add_argument("--many", type=int, default=1)
    args.add_argument("suites", nargs="*")
    a = args.parse_intermixed_args()
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    for name in a.suites or SUITES:
        maker = importlib.import_module("make_" + name)
        suite = maker.suite(a.out, a.seed, a.many)
        maker.fill(suite)
        suite.close()


if __name__ == "__main__":
    main()
