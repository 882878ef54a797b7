"""Suite `visual`: what jax.debug.visualize_sharding draws where there is no terminal."""

import contextlib
import io

import jax
import numpy as np
from jax.sharding import NamedSharding

from golden import Suite, versions
from make_collectives import mesh_of, spec_of
from make_layout import MESHES, drawn_spec


def suite(out, seed, many):
    return Suite(out, "visual", seed, many, versions("jax", "rich"))


def fill(s):
    for _ in range(4 * s.many):
        mesh, rank = s.pick(*MESHES[:3]), int(s.rng.integers(1, 3))
        spec, shape = drawn_spec(s, mesh, rank), [8 * int(n) for n in s.rng.integers(1, 9, rank)]
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            jax.debug.visualize_sharding(tuple(shape), NamedSharding(mesh_of(mesh), spec_of(spec)))
        s.case(
            f"{mesh}/{spec}/{'x'.join(map(str, shape))}",
            "visual",
            "visualize_sharding",
            {"mesh": mesh, "order": None, "spec": spec, "shape": shape, "form": "plain"},
            text="\n".join(line.rstrip() for line in said.getvalue().splitlines()) + "\n",
        )
    s.case(
        "refused/rank3",
        "visual",
        "visualize_sharding",
        {"mesh": "data=8", "order": None, "spec": "data,-,-", "shape": [8, 8, 8], "form": "plain"},
        error="ValueError: `visualize_sharding` only works for shapes with 1 and 2 dimensions.",
    )
