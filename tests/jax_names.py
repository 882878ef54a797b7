#!/usr/bin/env python3
"""Every public name of JAX, and of Optax and Flax where they are, stands on docs/from-jax.md or
docs/from-jax-names.md, in the section of its module, as a name here or as left out with a reason.
usage: tests/jax_names.py [--only-pages]      from the tree's root"""
import fnmatch
import importlib
import inspect
import re
import sys

MODULES = """jax jax.tree jax.tree_util jax.lax jax.numpy jax.numpy.fft jax.numpy.linalg jax.nn jax.nn.initializers
    jax.ops jax.random jax.image jax.scipy.special jax.scipy.linalg jax.scipy.signal jax.scipy.fft jax.scipy.ndimage
    jax.scipy.integrate jax.scipy.interpolate jax.scipy.cluster.vq jax.scipy.optimize jax.scipy.sparse.linalg
    jax.scipy.spatial.transform jax.scipy.stats optax flax.linen""".split()
# Sections in which a module's names are looked for, by the beginning of its name.
SECTIONS = [("jax.tree", ("jax", "jax.tree, jax.tree_util")), ("jax.lax", ("jax.lax",)),
            ("jax.numpy.", ("jax.numpy", "jax.numpy.fft, jax.numpy.linalg")), ("jax.numpy", ("jax.numpy",)),
            ("jax.nn", ("jax.nn, jax.ops",)), ("jax.ops", ("jax.nn, jax.ops",)), ("jax.random", ("jax.random",)),
            ("jax.image", ("jax.image",)), ("jax.scipy", ("jax.scipy",)), ("optax", ("Optax",)),
            ("flax.linen", ("Flax Linen",)), ("jax", ("jax",))]
passed = failed = skipped = 0


def check(good, text):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAIL: " + text)


def words(text):
    return set(re.findall(r"[A-Za-z_*][\w*]*", " ".join(re.findall(r"`([^`]*)`", text))))


def sections():
    """{section: (words of the left column, names that are the same here)} of both pages."""
    found = {}
    for path in ("docs/from-jax.md", "docs/from-jax-names.md"):
        with open(path) as f:
            for part in re.split(r"^## ", f.read(), flags=re.M)[1:]:
                left, same = found.setdefault(part.split("\n")[0], (set(), set()))
                for line in part.split("\n"):
                    cells = line.split(" | ")
                    if line.startswith("| ") and len(cells) > 1:
                        left |= words(cells[0])
                        check("left out" not in cells[1] or len(cells) > 2 and cells[2].strip(" |"),
                              "%s: left out without a reason: %s" % (path, line))
                for m in re.findall(r"^The same name with `tt_`: (.*?)\.$", part, re.M | re.S):
                    same |= words(m)
    return found


def headers():
    """The names of the functions that the public headers define or declare."""
    import glob
    text = ""
    for path in ["include/tutti.h"] + glob.glob("include/tutti/*.h"):
        with open(path) as f:
            text += f.read()
    return set(re.findall(r"#define tt_(\w+)\(", text)) | set(re.findall(r"\btt_(\w+?)(?:_at)?\(", text)) | \
        set(re.findall(r"\bTT_[A-Z]+\d?\((\w+)\)", text))


def public(module):
    for n in dir(module):
        try:
            x = getattr(module, n)
        except Exception:                                # gone: asking for it raises
            continue
        if not n.startswith("_") and not inspect.ismodule(x):
            yield n


def main():
    global skipped
    found, here = sections(), headers()
    for s, (_, same) in found.items():
        for n in sorted(same):
            check(n in here, "docs/from-jax-names.md, %s: there is no tt_%s" % (s, n))
    for name in [] if "--only-pages" in sys.argv else MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError:
            skipped += 1
            print("skip: jax_names: no " + name.split(".")[0])
            continue
        of = next(s for begin, s in SECTIONS if name.startswith(begin))
        known = set().union(*(found[s][0] | found[s][1] for s in of if s in found))
        patterns = [p for p in known if "*" in p]
        for n in public(module):
            check(n in known or any(fnmatch.fnmatchcase(n, p) for p in patterns),
                  "%s.%s is on neither page: add it to docs/from-jax-names.md, section %s" % (name, n, of[-1]))
        if name == "jax.scipy.stats":
            for d in dir(module):
                dist = getattr(module, d)
                if not inspect.ismodule(dist) or d.startswith("_"):
                    continue
                for n in public(dist):
                    if getattr(getattr(dist, n), "__module__", "").startswith("jax._src.scipy.stats"):
                        check("%s_%s" % (d, n) in here or {d, n} <= known, "there is no tt_%s_%s" % (d, n))
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
