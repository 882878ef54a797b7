"""Runs texts that Tutti wrote in the real JAX: hlo_jax.py DIR [TUTTI].

NAME.mlir beside NAME.bin (arguments and results, one after the other, as tests/hlo_export wrote them): JAX's results are
compared with those. NAME.mlir alone: arguments are drawn here, and TUTTI run NAME.mlir gives the results to compare with.
Prints each failure and "N passed, N failed, N skipped"."""
import os, re, subprocess, sys
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8 --xla_cpu_enable_fast_math=false"
os.environ["JAX_PLATFORMS"] = "cpu"
import ml_dtypes
import numpy as np
import jax
jax.config.update("jax_enable_x64", True)
from jax._src import compiler, xla_bridge
from jax._src.sharding_impls import GSPMDSharding
from jax._src.interpreters import mlir
from jaxlib import lapack, xla_client as xc
from jaxlib.mlir import ir

lapack.prepare_lapack_call("getrf_ffi", np.dtype(np.float32))        # fetches LAPACK, for texts that call it

DTYPES = {"i1": np.bool_, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32, "f64": np.float64,
          "complex<f32>": np.complex64, "complex<f64>": np.complex128}
for bits in (8, 16, 32, 64):
    DTYPES[f"i{bits}"], DTYPES[f"ui{bits}"] = getattr(np, f"int{bits}"), getattr(np, f"uint{bits}")
NARROW = {"f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2", "f8E4M3": "float8_e4m3", "f8E3M4": "float8_e3m4",
          "f8E4M3FNUZ": "float8_e4m3fnuz", "f8E5M2FNUZ": "float8_e5m2fnuz", "f8E4M3B11FNUZ": "float8_e4m3b11fnuz",
          "f8E8M0FNU": "float8_e8m0fnu", "f4E2M1FN": "float4_e2m1fn", "i2": "int2", "ui2": "uint2", "i4": "int4", "ui4": "uint4"}
DTYPES.update({k: getattr(ml_dtypes, v) for k, v in NARROW.items() if hasattr(ml_dtypes, v)})


def tolerance(dtype, whole):                             # whole: programs, whose sums are ordered otherwise
    d = np.dtype(dtype)
    if d in (np.dtype(np.float64), np.dtype(np.complex128)): return 1e-9
    if d in (np.dtype(np.float32), np.dtype(np.complex64)): return 1e-4 if whole else 2e-5
    if d == np.dtype(np.float16): return 4e-3
    if d == np.dtype(ml_dtypes.bfloat16): return 3e-2
    return 0.25 if d.name.startswith("float") else 0


def signature(module):
    main = next(f for f in module.body.operations if getattr(f, "sym_name", None) and f.sym_name.value == "main")
    t = ir.FunctionType(main.type.value if hasattr(main.type, "value") else main.type)
    both = []
    for kinds in (t.inputs, t.results):
        both.append([(tuple(ir.RankedTensorType(k).shape), DTYPES[str(ir.RankedTensorType(k).element_type)]) for k in kinds])
    return both


def execute(module, args):
    n = int(re.search(r"mhlo.num_partitions = (\d+)", str(module)).group(1)) if "num_partitions" in str(module) else 1
    devices = jax.devices()[:n]
    options = compiler.get_compile_options(1, n, device_assignment=np.array(devices).reshape(1, n) if n > 1 else None)
    options.executable_build_options.allow_spmd_sharding_propagation_to_parameters = [False] * len(args)
    options.executable_build_options.allow_spmd_sharding_propagation_to_output = [False]
    backend = xla_bridge.get_backend("cpu")
    exe = backend.compile_and_load(module, executable_devices=xc.DeviceList(tuple(devices)), compile_options=options)
    wants = exe.get_parameter_shardings() if n > 1 else None
    if n > 1:
        wants = [xc.HloSharding.from_proto(s) if s else None for s in wants] if wants else [None] * len(args)
        put = [jax.device_put(a, GSPMDSharding(devices, w) if w is not None else
                              jax.sharding.NamedSharding(jax.sharding.Mesh(np.array(devices), "d"), jax.sharding.PartitionSpec()))
               for a, w in zip(args, wants)]
    else:
        put = [jax.device_put(a, devices[0]) for a in args]
    out = exe.execute_sharded(put).disassemble_into_single_device_arrays()
    gives = [xc.HloSharding.from_proto(s) for s in exe.get_output_shardings()] if n > 1 else None
    whole = []
    for k, parts in enumerate(out):
        if n == 1: whole.append(np.asarray(parts[0])); continue
        whole.append((gives[k], parts))
    return whole, devices


def assembled(piece, shape, devices):
    if isinstance(piece, np.ndarray): return piece
    sharding, parts = piece
    return np.asarray(jax.make_array_from_single_device_arrays(shape, GSPMDSharding(devices, sharding), list(parts)))


def drawn(shape, dtype, i):
    k = np.arange(int(np.prod(shape)), dtype=np.float64)
    if np.dtype(dtype).kind in "iu" : return ((7 * k + 3 + i) % 2).astype(dtype).reshape(shape)
    if np.dtype(dtype).kind == "b": return ((k + i) % 2 == 0).reshape(shape)
    return np.random.default_rng(i).uniform(0.005, 0.045, shape).astype(dtype)


def recorded(path, types):
    raw, at, out = open(path, "rb").read(), 0, []
    for shape, dtype in types:
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        out.append(np.frombuffer(raw[at:at + size], dtype).reshape(shape))
        at += size
    return out


def by_tool(tool, path, args, results):
    base = path[:-5]
    np.savez(base + ".in.npz", **{f"arg{i}": a for i, a in enumerate(args)})
    done = subprocess.run([tool, "run", path, "--out", base + ".out.npz"] + (["--in", base + ".in.npz"] if args else []),
                          capture_output=True, text=True)
    if done.returncode: raise RuntimeError(done.stderr.strip().replace("\n", "; "))
    got = np.load(base + ".out.npz")
    bits = lambda a, d: a.view(d) if a.dtype.kind in "uV" and a.dtype != d and a.itemsize == np.dtype(d).itemsize else a
    return [bits(got[k], d) for k, (_, d) in zip(got.files, results)]     # NumPy has no bfloat16: a file has its bits


def differs(got, want, kind, whole, least):
    a, b = np.asarray(got), np.asarray(want)
    tol = max(tolerance(kind, whole), least)
    if b.dtype.kind not in "fcV" and tol == 0: bad = a != b
    else:
        x, y = (v.astype(np.complex128 if b.dtype.kind == "c" else np.float64) for v in (a, b))
        scale = 1 + np.abs(x) + np.abs(y)
        with np.errstate(invalid="ignore"): bad = ~((x == y) | (np.isnan(x) & np.isnan(y)) | (np.abs(x - y) <= tol * scale))
    if not bad.any(): return None
    i = np.unravel_index(np.argmax(bad), bad.shape)
    return f"at {list(map(int, i))} JAX has {a[i]}, Tutti {b[i]}"


def settled(path, out):
    """What a factorization determines: its vectors are of any sign, phase or basis, what they are put together to is not."""
    whole = lambda *v: all(a.size for a in v)
    turned = lambda a: np.conj(np.swapaxes(a, -1, -2))
    times = lambda v, w: v * w[..., None, :]
    wide = [a.astype(np.complex128) for a in out]
    if "_eig." in path:                                  # values, left vectors, right vectors
        w, left, right = wide
        order = np.lexsort((w.imag, np.round(w.real, 6)))    # LAPACKs differ in the order of the values, too
        with_left = [np.linalg.inv(turned(left)) @ (w[..., None] * turned(left))] if whole(left) else []
        return [np.take_along_axis(w, order, -1)] + with_left + ([times(right, w) @ np.linalg.inv(right)] if whole(right) else [])
    if "_eigh." in path and whole(*wide): return [out[0], times(wide[1], wide[0]) @ turned(wide[1])]
    if "_schur." in path:                                # the triangle, its basis, its diagonal in whatever order
        t, v, w = wide
        return [np.sort(w)] if not whole(v) else [v @ t @ turned(v), v @ turned(v)]
    if "_svd." in path and len(out) == 3 and whole(*wide):
        s, u, v = wide
        k = s.shape[-1]
        return [out[0], times(u[..., :k], s) @ v[..., :k, :]]
    return out


def one(path, tool):
    text = open(path).read()
    if "geqp3" in text and re.search(r"tensor<(\d+x)*0x\d+x", text): return "skip: pivoted QR of nothing, where jaxlib divides by zero"
    with mlir.make_ir_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        ins, outs = signature(module)
        record = path[:-5] + ".bin"
        if os.path.exists(record): both = recorded(record, ins + outs); args, want = both[:len(ins)], both[len(ins):]
        else: args = [drawn(s, d, i) for i, (s, d) in enumerate(ins)]; want = by_tool(tool, path, args, outs)
        got, devices = execute(module, args)
        got = [assembled(g, outs[j][0], devices) for j, g in enumerate(got)]
        shapes = [f"shape {w.shape} instead of {g.shape}" for g, w in zip(got, want) if g.shape != w.shape]
        if shapes: return shapes[0]
        least = 1e-7 if '"Eigh"' in text else 0          # where XLA's own iteration ends; Tutti's residual is 1e-14
        kind = next((w.dtype for w in want if w.dtype.kind in "fcV"), None)
        for j, (g, w) in enumerate(zip(settled(path, got), settled(path, want))):
            d = differs(g, w, kind if w.dtype == np.complex128 else w.dtype, not os.path.exists(record), least)
            if d: return f"result {j}: {d}"
        return None


passed = failed = skipped = 0
for name in sorted(os.listdir(sys.argv[1])):
    if not name.endswith(".mlir"): continue
    try: what = one(os.path.join(sys.argv[1], name), sys.argv[2] if len(sys.argv) > 2 else "tutti")
    except Exception as e: what = f"{type(e).__name__}: {str(e).strip()[:600]}"
    if not what: passed += 1
    elif what.startswith("skip: "): skipped += 1; print(what, flush=True)
    else: failed += 1; print(f"FAIL {name}: {what}", flush=True)
print(f"{passed} passed, {failed} failed, {skipped} skipped")
