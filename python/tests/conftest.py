"""TUTTI_WITHOUT_JAX=1 leaves out what asks the real JAX."""
import os

import pytest


@pytest.fixture(scope="session")
def jax():
    if os.environ.get("TUTTI_WITHOUT_JAX"):
        pytest.skip("TUTTI_WITHOUT_JAX")
    return pytest.importorskip("jax", reason="no jax")
