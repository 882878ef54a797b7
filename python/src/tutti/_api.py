"""Made by generate.py from include/tutti/*.h: a function of Python for each one of C whose arguments Python
has.

Values are arrays, numbers or trees; options come by name, and None is "not given"."""
# flake8: noqa
from typing import Any, Callable, Optional, Sequence, Union

from . import _core
from ._core import Opened, Options, lib
from ._mesh import Mesh

DtypeLike = Any
Shape = Union[int, Sequence[int]]
Axes = Union[int, Sequence[int], str]

_tt_accumulate_opts = Options("tt_accumulate_opts", "scan=scan:k")
_tt_adadelta_opts = Options("tt_adadelta_opts", "rate=rate:d clip_norm=clip_norm:d clip_value=clip_value:d "
    "schedule=schedule:s every=every:k keras=keras:k rho=rho:d eps=eps:d decay=decay:d")
_tt_adafactor_opts = Options("tt_adafactor_opts", "rate=rate:d clip_norm=clip_norm:d clip_value=clip_value:d "
    "schedule=schedule:s every=every:k keras=keras:k momentum=momentum:d rate_of_decay=rate_of_decay:d "
    "threshold=threshold:d eps=eps:d decay=decay:d from_=from:k by_scale=by_scale:k mask=mask:s")
_tt_adagrad_opts = Options("tt_adagrad_opts", "rate=rate:d clip_norm=clip_norm:d clip_value=clip_value:d "
    "schedule=schedule:s every=every:k keras=keras:k initial=initial:d eps=eps:d")
_tt_adam_opts = Options("tt_adam_opts", "rate=rate:d clip_norm=clip_norm:d clip_value=clip_value:d "
    "schedule=schedule:s every=every:k keras=keras:k b1=b1:d b2=b2:d eps=eps:d eps_root=eps_root:d decay=decay:d "
    "nesterov=nesterov:k mask=mask:s mu_dtype=mu_dtype:t")
_tt_all_to_all_opts = Options("tt_all_to_all_opts", "split=split:k concat=concat:k stack=stack:k groups=groups:s")
_tt_allgather_opts = Options("tt_allgather_opts", "tiled=tiled:k")
_tt_attention_mask_opts = Options("tt_attention_mask_opts", "pair=pair:s")
_tt_attention_opts = Options("tt_attention_opts", "mask=mask:v bias=bias:v q_len=q_len:v kv_len=kv_len:v "
    "scale=scale:d causal=causal:k window=window:i2 offset=offset:v dropout=dropout:d key=key:v "
    "dropout_each=dropout_each:k")
_tt_broadcast_opts = Options("tt_broadcast_opts", "source=source:k")
_tt_ckpt_read_opts = Options("tt_ckpt_read_opts", "mesh=mesh:m spec=spec:s codes=codes:k")
_tt_close_opts = Options("tt_close_opts", "rtol=rtol:d atol=atol:d equal_nan=equal_nan:k")
_tt_convolve_opts = Options("tt_convolve_opts", "stride=stride:i8 window_dilation=window_dilation:i8 "
    "base_dilation=base_dilation:i8 pad=pad:s groups=groups:i precision=precision:s")
_tt_csv_opts = Options("tt_csv_opts", "dtype=dtype:t separator=separator:s header=header:k")
_tt_ctc_opts = Options("tt_ctc_opts", "blank=blank:i log_epsilon=log_epsilon:d")
_tt_cum_opts = Options("tt_cum_opts", "reverse=reverse:k")
_tt_curve_opts = Options("tt_curve_opts", "form=form:s title=title:s width=width:k height=height:k log=log:k "
    "log_x=log_x:k smooth=smooth:d xlabel=xlabel:s ylabel=ylabel:s")
_tt_decode_opts = Options("tt_decode_opts", "special=special:k")
_tt_dims_opts = Options("tt_dims_opts", "axis=dims:a")
_tt_dot_opts = Options("tt_dot_opts", "batch=batch:s sum=sum:s result=result:t precision=precision:s")
_tt_encode_opts = Options("tt_encode_opts", "length=length:i bare=bare:k")
_tt_ffi_opts = Options("tt_ffi_opts", "vmap_method=vmap_method:s has_side_effect=has_side_effect:k "
    "elementwise=elementwise:k")
_tt_fftn_opts = Options("tt_fftn_opts", "axis=dims:a norm=norm:s n=n:i")
_tt_focal_opts = Options("tt_focal_opts", "alpha=alpha:d gamma=gamma:d")
_tt_gather_axes_opts = Options("tt_gather_axes_opts", "axis=dim:k stack=stack:k groups=groups:s")
_tt_gradient_opts = Options("tt_gradient_opts", "axis=dims:a step=step:d")
_tt_histogram_opts = Options("tt_histogram_opts", "bins=bins:i range=range:d2 edges=edges:v weights=weights:v "
    "density=density:k")
_tt_image_resize_opts = Options("tt_image_resize_opts", "method=method:s aliased=aliased:k precision=precision:s")
_tt_krylov_opts = Options("tt_krylov_opts", "params=with:v x0=x0:v tol=tol:d atol=atol:d maxiter=maxiter:i "
    "restart=restart:i")
_tt_lars_opts = Options("tt_lars_opts", "rate=rate:d clip_norm=clip_norm:d clip_value=clip_value:d "
    "schedule=schedule:s every=every:k keras=keras:k decay=decay:d trust=trust:d eps=eps:d momentum=momentum:d "
    "nesterov=nesterov:k mask=mask:s trust_mask=trust_mask:s")
_tt_lbfgs_opts = Options("tt_lbfgs_opts", "rate=rate:d memory=memory:k")
_tt_leaf_opts = Options("tt_leaf_opts", "axes=axes:a frozen=frozen:k")
_tt_line_opts = Options("tt_line_opts", "mode=mode:s precision=precision:s")
_tt_lion_opts = Options("tt_lion_opts", "rate=rate:d clip_norm=clip_norm:d clip_value=clip_value:d "
    "schedule=schedule:s every=every:k keras=keras:k b1=b1:d b2=b2:d decay=decay:d mask=mask:s")
_tt_load_opts = Options("tt_load_opts", "mesh=mesh:m rules=rules:s like=like:v cast=cast:k extra=extra:k")
_tt_local_data_opts = Options("tt_local_data_opts", "global_shape=global_shape:s")
_tt_logical_opts = Options("tt_logical_opts", "lookup=lookup:k")
_tt_manager_opts = Options("tt_manager_opts", "keep=keep:i keep_best=keep_best:i keep_every=keep_every:i "
    "best=best:s background=background:k writer=writer:k writers=writers:k patience=patience:d ocdbt=ocdbt:k")
_tt_manager_save_opts = Options("tt_manager_save_opts", "metrics=metrics:v force=force:k")
_tt_matmul_opts = Options("tt_matmul_opts", "precision=precision:s")
_tt_matrix_opts = Options("tt_matrix_opts", "upper=upper:k full=full:k")
_tt_minimize_opts = Options("tt_minimize_opts", "params=with:v tol=tol:d maxiter=maxiter:i")
_tt_nonzero_opts = Options("tt_nonzero_opts", "count=count:i fill=fill:i")
_tt_ntxent_opts = Options("tt_ntxent_opts", "temperature=temperature:d")
_tt_ord_opts = Options("tt_ord_opts", "ord=ord:s axis=dims:a keepdims=keepdims:k")
_tt_pad_opts = Options("tt_pad_opts", "mode=mode:s value=value:v stat_length=stat_length:i reflect_type=reflect_type:s")
_tt_poly_opts = Options("tt_poly_opts", "epsilon=epsilon:d")
_tt_pool_opts = Options("tt_pool_opts", "window=window:i8 stride=stride:i8 pad=pad:s real_only=real_only:k")
_tt_reduce_axes_opts = Options("tt_reduce_axes_opts", "groups=groups:s")
_tt_reduce_opts = Options("tt_reduce_opts", "axis=dims:a keepdims=keepdims:k where=where:v initial=initial:v")
_tt_ring_attention_opts = Options("tt_ring_attention_opts", "causal=causal:k zigzag=zigzag:k scale=scale:d")
_tt_rmsprop_opts = Options("tt_rmsprop_opts", "rate=rate:d clip_norm=clip_norm:d clip_value=clip_value:d "
    "schedule=schedule:s every=every:k keras=keras:k rho=rho:d eps=eps:d momentum=momentum:d initial=initial:d "
    "centered=centered:k nesterov=nesterov:k bias_correction=bias_correction:k eps_outside=eps_outside:k")
_tt_rope_opts = Options("tt_rope_opts", "base=base:d offset=offset:i interleaved=interleaved:k "
    "positions=positions:v scaling=scaling:s")
_tt_save_opts = Options("tt_save_opts", "force=force:k writer=writer:k writers=writers:k patience=patience:d "
    "ocdbt=ocdbt:k")
_tt_search_opts = Options("tt_search_opts", "right=right:k")
_tt_sgd_opts = Options("tt_sgd_opts", "rate=rate:d clip_norm=clip_norm:d clip_value=clip_value:d "
    "schedule=schedule:s every=every:k keras=keras:k momentum=momentum:d nesterov=nesterov:k mu_dtype=mu_dtype:t")
_tt_softmax_opts = Options("tt_softmax_opts", "axis=dims:a where=where:v")
_tt_sort_opts = Options("tt_sort_opts", "descending=descending:k keys=keys:k")
_tt_state_opts = Options("tt_state_opts", "form=form:s rules=rules:s")
_tt_stats_opts = Options("tt_stats_opts", "loc=loc:v scale=scale:v")
_tt_take_opts = Options("tt_take_opts", "mode=mode:s")
_tt_tokenizer_opts = Options("tt_tokenizer_opts", "special=special:s")
_tt_tokenizer_train_opts = Options("tt_tokenizer_train_opts", "length=length:i special=special:s least=least:i")
_tt_trapezoid_opts = Options("tt_trapezoid_opts", "x=x:v step=step:d")
_tt_tri_opts = Options("tt_tri_opts", "k=k:i columns=columns:i")
_tt_triangular_opts = Options("tt_triangular_opts", "lower=lower:k transpose=transpose:k adjoint=adjoint:k "
    "unit=unit:k right=right:k")
_tt_tridiagonal_opts = Options("tt_tridiagonal_opts", "perturb=perturb:k")
_tt_triplet_opts = Options("tt_triplet_opts", "margin=margin:d norm=norm:d eps=eps:d")
_tt_unique_opts = Options("tt_unique_opts", "count=count:i fill=fill:v index=index:k inverse=inverse:k counts=counts:k")
_tt_variance_opts = Options("tt_variance_opts", "scale=scale:d mode=mode:s distribution=distribution:s in_=in:a "
    "out=out:a batch=batch:s")


def like(v: Any) -> Any:
    """An abstract value: a dtype and dims, no elements. For tt_eval_shape, tt_plan, and as the expected form of a tree that
    is loaded.
        tt_val big = tt_shape(TT_F32, 1 << 20, 256), same = tt_like(x);
    the abstract value of a value; of a tree, leaf by leaf

    tt_like in tutti.h"""
    return _core.call(lib.tt_like_at, ("v",), "v", (v,))


def checkpoint_name(v: Any, name: str) -> Any:
    """The same values under a name, for policies of tt_remat (jax.ad_checkpoint.checkpoint_name). Without a comma or a
    parenthesis. What computed the value has no name: save_anything_except_these_names may store that instead.
        tt_val hidden = tt_checkpoint_name(tt_matmul(x, w), "hidden");

    tt_checkpoint_name in tutti.h"""
    return _core.call(lib.tt_checkpoint_name_at, ("v", "name"), "vs", (v, name))


def leaf(v: Any, *, axes: Optional[Axes] = None, frozen: Optional[Union[bool, int]] = None) -> Any:
    """Annotates a leaf: its logical axes, and whether it is frozen, that is, not trained (batch statistics); .frozen = 0
    unfreezes it. Annotations stay with the tree.
        w = tt_leaf(w, .axes = "embed, hidden", .frozen = 1);
        printf("%s %d\\n", tt_leaf_axes(w), tt_leaf_frozen(w));

    tt_leaf in tutti/tree.h"""
    return _core.call(lib.tt_leaf_at, ("v",), "v", (v,), _tt_leaf_opts, (axes, frozen))


def leaf_axes(v: Any) -> str:
    """Annotates a leaf: its logical axes, and whether it is frozen, that is, not trained (batch statistics); .frozen = 0
    unfreezes it. Annotations stay with the tree.
        w = tt_leaf(w, .axes = "embed, hidden", .frozen = 1);
        printf("%s %d\\n", tt_leaf_axes(w), tt_leaf_frozen(w));
    NULL: none given

    tt_leaf_axes in tutti/tree.h"""
    return _core.plain(lib.tt_leaf_axes_at, ("v",), "v", (v,))


def leaf_frozen(v: Any) -> bool:
    """Annotates a leaf: its logical axes, and whether it is frozen, that is, not trained (batch statistics); .frozen = 0
    unfreezes it. Annotations stay with the tree.
        w = tt_leaf(w, .axes = "embed, hidden", .frozen = 1);
        printf("%s %d\\n", tt_leaf_axes(w), tt_leaf_frozen(w));

    tt_leaf_frozen in tutti/tree.h"""
    return _core.plain(lib.tt_leaf_frozen_at, ("v",), "v", (v,))


def shard(v: Any, mesh: Mesh, spec: str) -> Any:
    """Lays out a value (or each leaf of a tree): the spec gives, dim by dim, the mesh axes that shard it. Uneven dims are
    allowed; with TUTTI=even they are errors, and in a traced function such a dim loses the axes that do not divide it,
    as in JAX.
        tt_val rows = tt_shard(x, mesh, "data, _"), both = tt_shard(w, mesh, "data+model, _");
        x = tt_logical_constraint(x, "batch, hidden");

    tt_shard in tutti/sharding.h"""
    return _core.call(lib.tt_shard_at, ("v", "mesh", "spec"), "vms", (v, mesh, spec))


def logical_constraint(v: Any, names: str) -> Any:
    """Lays out a value (or each leaf of a tree): the spec gives, dim by dim, the mesh axes that shard it. Uneven dims are
    allowed; with TUTTI=even they are errors, and in a traced function such a dim loses the axes that do not divide it,
    as in JAX.
        tt_val rows = tt_shard(x, mesh, "data, _"), both = tt_shard(w, mesh, "data+model, _");
        x = tt_logical_constraint(x, "batch, hidden");

    tt_logical_constraint in tutti/sharding.h"""
    return _core.call(lib.tt_logical_constraint_at, ("v", "names"), "vs", (v, names))


def spec(v: Any) -> str:
    """printf("%s on %s\\n", tt_spec(x), tt_mesh_spec(tt_mesh_of(x)));
    "data, _"; "": no layout. Lives as long as the program

    tt_spec in tutti/sharding.h"""
    return _core.plain(lib.tt_spec_at, ("v",), "v", (v,))


def has_layout(v: Any, mesh: Mesh, spec: str) -> bool:
    """True if v has this layout; equivalent layouts are equal
        if (tt_has_layout(x, mesh, "data, _")) puts("sharded by rows");

    tt_has_layout in tutti/sharding.h"""
    return _core.plain(lib.tt_has_layout_at, ("v", "mesh", "spec"), "vms", (v, mesh, spec))


def replicate(v: Any, mesh: Mesh) -> Any:
    """From older JAX guides: replicate adds a leading dim of size n, with one copy per device of the mesh's axis;
    unreplicate takes that dim's first element.
        tt_val copies = tt_replicate(params, mesh), one = tt_unreplicate(copies);

    tt_replicate in tutti/sharding.h"""
    return _core.call(lib.tt_replicate_at, ("v", "mesh"), "vm", (v, mesh))


def unreplicate(v: Any) -> Any:
    """From older JAX guides: replicate adds a leading dim of size n, with one copy per device of the mesh's axis;
    unreplicate takes that dim's first element.
        tt_val copies = tt_replicate(params, mesh), one = tt_unreplicate(copies);

    tt_unreplicate in tutti/sharding.h"""
    return _core.call(lib.tt_unreplicate_at, ("v",), "v", (v,))


def type_text(v: Any) -> str:
    """puts(tt_type_text(x));

    tt_type_text in tutti/report.h"""
    return _core.plain(lib.tt_type_text_at, ("v",), "v", (v,))


def value_text(v: Any) -> str:
    """An array's elements as NumPy prints them, "1.4580092", "[3 0 1 2]"; of a value without elements, or
    with elements that other processes hold, its type. Lives
    until this thread has requested 1,024 later texts, or ends.
        puts(tt_value_text(x));

    tt_value_text in tutti/report.h"""
    return _core.plain(lib.tt_value_text_at, ("v",), "v", (v,))


def text(v: Any, form: str) -> str:
    """one static string

    tt_text in tutti/report.h"""
    return _core.plain(lib.tt_text_at, ("v", "form"), "vs", (v, form))


def config(words: str) -> bool:
    """Sets words of TUTTI: "ir:train, plan, devices:4"
        tt_config("plan:step, devices:4");

    tt_config in tutti/report.h"""
    return _core.plain(lib.tt_config_at, ("words",), "s", (words,))


def register_ffi_library(name: str, path: str, symbol: str) -> bool:
    """As jax.ffi.register_ffi_target: gives a function of C a name, for tt_ffi_call and for programs that are imported:
    stablehlo.custom_call @NAME calls it, element by element under tt_vmap. A Python callback of JAX,
    @xla_ffi_python_cpu_callback with {index = 2}, has the name "xla_ffi_python_cpu_callback#2"; those without results
    (prints, checks) that have no function are left out of the program, and a note says so. From a shared object: the
    file, as dlopen takes it, and the function's symbol. False with the error set: the name is another function's; no
    such file or symbol.
        tt_register_ffi_target("scale", scale, NULL);
        tt_register_ffi_library("gelu", "./libkernels.so", "gelu_f32");

    tt_register_ffi_library in tutti/callback.h"""
    return _core.plain(lib.tt_register_ffi_library_at, ("name", "path", "symbol"), "sss", (name, path, symbol))


def ffi_call(name: str, result: Any, x: Any, *, vmap_method: Optional[str] = None,
        has_side_effect: Optional[Union[bool, int]] = None, elementwise: Optional[Union[bool, int]] = None) -> Any:
    """As jax.ffi.ffi_call: what the function of this name computes from the values of x; result as of tt_pure_callback. A
    derivative is given with tt_custom_jvp or tt_custom_vjp.
        tt_val y = tt_ffi_call("gelu", tt_like(x), x, .elementwise = 1);

    tt_ffi_call in tutti/callback.h"""
    return _core.call(lib.tt_ffi_call_at, ("name", "result", "x"), "svv", (name, result, x), _tt_ffi_opts,
        (vmap_method, has_side_effect, elementwise))


def abs(x: Any) -> Any:
    """tt_abs of C.

    tt_abs in tutti/ops.h"""
    return _core.call(lib.tt_abs_at, ("x",), "v", (x,))


def add(x: Any, y: Any) -> Any:
    """x + y
        tt_val r = tt_add(x, y);

    tt_add in tutti/ops.h"""
    return _core.call(lib.tt_add_at, ("x", "y"), "vv", (x, y))


def bitwise_and(x: Any, y: Any) -> Any:
    """bitwise and
        tt_val r = tt_and(x, y);

    tt_and in tutti/ops.h"""
    return _core.call(lib.tt_and_at, ("x", "y"), "vv", (x, y))


def atan2(y: Any, x: Any) -> Any:
    """angle of the point (y, x)
        tt_val r = tt_atan2(y, x);

    tt_atan2 in tutti/ops.h"""
    return _core.call(lib.tt_atan2_at, ("y", "x"), "vv", (y, x))


def bessel_i0e(x: Any) -> Any:
    """e^-|x| I0(x)
        tt_val r = tt_bessel_i0e(x);

    tt_bessel_i0e in tutti/ops.h"""
    return _core.call(lib.tt_bessel_i0e_at, ("x",), "v", (x,))


def bessel_i1e(x: Any) -> Any:
    """e^-|x| I1(x)
        tt_val r = tt_bessel_i1e(x);

    tt_bessel_i1e in tutti/ops.h"""
    return _core.call(lib.tt_bessel_i1e_at, ("x",), "v", (x,))


def betainc(p: Any, q: Any, x: Any) -> Any:
    """the incomplete beta function
        tt_val r = tt_betainc(p, q, x);

    tt_betainc in tutti/ops.h"""
    return _core.call(lib.tt_betainc_at, ("p", "q", "x"), "vvv", (p, q, x))


def cbrt(x: Any) -> Any:
    """cube root
        tt_val r = tt_cbrt(x);

    tt_cbrt in tutti/ops.h"""
    return _core.call(lib.tt_cbrt_at, ("x",), "v", (x,))


def ceil(x: Any) -> Any:
    """the least whole number not below x; integers stay
        tt_val r = tt_ceil(x);

    tt_ceil in tutti/ops.h"""
    return _core.call(lib.tt_ceil_at, ("x",), "v", (x,))


def clamp(lo: Any, x: Any, hi: Any) -> Any:
    """min(max(lo, x), hi)
        tt_val r = tt_clamp(lo, x, hi);

    tt_clamp in tutti/ops.h"""
    return _core.call(lib.tt_clamp_at, ("lo", "x", "hi"), "vvv", (lo, x, hi))


def clz(x: Any) -> Any:
    """number of leading zero bits
        tt_val r = tt_clz(x);

    tt_clz in tutti/ops.h"""
    return _core.call(lib.tt_clz_at, ("x",), "v", (x,))


def complex(x: Any, y: Any) -> Any:
    """x + i y
        tt_val r = tt_complex(x, y);

    tt_complex in tutti/ops.h"""
    return _core.call(lib.tt_complex_at, ("x", "y"), "vv", (x, y))


def cos(x: Any) -> Any:
    """cosine of x in radians
        tt_val r = tt_cos(x);

    tt_cos in tutti/ops.h"""
    return _core.call(lib.tt_cos_at, ("x",), "v", (x,))


def digamma(x: Any) -> Any:
    """the derivative of lgamma
        tt_val r = tt_digamma(x);

    tt_digamma in tutti/ops.h"""
    return _core.call(lib.tt_digamma_at, ("x",), "v", (x,))


def div(x: Any, y: Any) -> Any:
    """x / y; integers truncate
        tt_val r = tt_div(x, y);

    tt_div in tutti/ops.h"""
    return _core.call(lib.tt_div_at, ("x", "y"), "vv", (x, y))


def erf(x: Any) -> Any:
    """the error function
        tt_val r = tt_erf(x);

    tt_erf in tutti/ops.h"""
    return _core.call(lib.tt_erf_at, ("x",), "v", (x,))


def erf_inv(x: Any) -> Any:
    """the inverse of erf
        tt_val r = tt_erf_inv(x);

    tt_erf_inv in tutti/ops.h"""
    return _core.call(lib.tt_erf_inv_at, ("x",), "v", (x,))


def erfc(x: Any) -> Any:
    """1 - erf(x)
        tt_val r = tt_erfc(x);

    tt_erfc in tutti/ops.h"""
    return _core.call(lib.tt_erfc_at, ("x",), "v", (x,))


def erfcx(x: Any) -> Any:
    """e^(x^2) erfc(x)
        tt_val r = tt_erfcx(x);

    tt_erfcx in tutti/ops.h"""
    return _core.call(lib.tt_erfcx_at, ("x",), "v", (x,))


def exp(x: Any) -> Any:
    """e to the x
        tt_val r = tt_exp(x);

    tt_exp in tutti/ops.h"""
    return _core.call(lib.tt_exp_at, ("x",), "v", (x,))


def expm1(x: Any) -> Any:
    """e to the x, minus 1, accurate near 0
        tt_val r = tt_expm1(x);

    tt_expm1 in tutti/ops.h"""
    return _core.call(lib.tt_expm1_at, ("x",), "v", (x,))


def floor(x: Any) -> Any:
    """the greatest whole number not above x; integers stay
        tt_val r = tt_floor(x);

    tt_floor in tutti/ops.h"""
    return _core.call(lib.tt_floor_at, ("x",), "v", (x,))


def fma(x: Any, y: Any, z: Any) -> Any:
    """x y + z, rounded once
        tt_val r = tt_fma(x, y, z);

    tt_fma in tutti/ops.h"""
    return _core.call(lib.tt_fma_at, ("x", "y", "z"), "vvv", (x, y, z))


def igamma(a: Any, x: Any) -> Any:
    """the lower incomplete gamma function
        tt_val r = tt_igamma(a, x);

    tt_igamma in tutti/ops.h"""
    return _core.call(lib.tt_igamma_at, ("a", "x"), "vv", (a, x))


def igamma_grad_a(a: Any, x: Any) -> Any:
    """the derivative of igamma by a
        tt_val r = tt_igamma_grad_a(a, x);

    tt_igamma_grad_a in tutti/ops.h"""
    return _core.call(lib.tt_igamma_grad_a_at, ("a", "x"), "vv", (a, x))


def igammac(a: Any, x: Any) -> Any:
    """the upper incomplete gamma function
        tt_val r = tt_igammac(a, x);

    tt_igammac in tutti/ops.h"""
    return _core.call(lib.tt_igammac_at, ("a", "x"), "vv", (a, x))


def is_finite(x: Any) -> Any:
    """neither infinite nor NaN
        tt_val r = tt_is_finite(x);

    tt_is_finite in tutti/ops.h"""
    return _core.call(lib.tt_is_finite_at, ("x",), "v", (x,))


def lgamma(x: Any) -> Any:
    """logarithm of |gamma(x)|
        tt_val r = tt_lgamma(x);

    tt_lgamma in tutti/ops.h"""
    return _core.call(lib.tt_lgamma_at, ("x",), "v", (x,))


def log(x: Any) -> Any:
    """natural logarithm
        tt_val r = tt_log(x);

    tt_log in tutti/ops.h"""
    return _core.call(lib.tt_log_at, ("x",), "v", (x,))


def log1p(x: Any) -> Any:
    """ln(1 + x), accurate near 0
        tt_val r = tt_log1p(x);

    tt_log1p in tutti/ops.h"""
    return _core.call(lib.tt_log1p_at, ("x",), "v", (x,))


def logistic(x: Any) -> Any:
    """1 / (1 + e^-x)
        tt_val r = tt_logistic(x);

    tt_logistic in tutti/ops.h"""
    return _core.call(lib.tt_logistic_at, ("x",), "v", (x,))


def mul(x: Any, y: Any) -> Any:
    """x y
        tt_val r = tt_mul(x, y);

    tt_mul in tutti/ops.h"""
    return _core.call(lib.tt_mul_at, ("x", "y"), "vv", (x, y))


def neg(x: Any) -> Any:
    """-x
        tt_val r = tt_neg(x);

    tt_neg in tutti/ops.h"""
    return _core.call(lib.tt_neg_at, ("x",), "v", (x,))


def nextafter(x: Any, z: Any) -> Any:
    """the next float from x towards z
        tt_val r = tt_nextafter(x, z);

    tt_nextafter in tutti/ops.h"""
    return _core.call(lib.tt_nextafter_at, ("x", "z"), "vv", (x, z))


def bitwise_not(x: Any) -> Any:
    """bitwise not
        tt_val r = tt_not(x);

    tt_not in tutti/ops.h"""
    return _core.call(lib.tt_not_at, ("x",), "v", (x,))


def bitwise_or(x: Any, y: Any) -> Any:
    """bitwise or
        tt_val r = tt_or(x, y);

    tt_or in tutti/ops.h"""
    return _core.call(lib.tt_or_at, ("x", "y"), "vv", (x, y))


def polygamma(n: Any, x: Any) -> Any:
    """the n-th derivative of digamma
        tt_val r = tt_polygamma(n, x);

    tt_polygamma in tutti/ops.h"""
    return _core.call(lib.tt_polygamma_at, ("n", "x"), "vv", (n, x))


def popcnt(x: Any) -> Any:
    """number of one bits
        tt_val r = tt_popcnt(x);

    tt_popcnt in tutti/ops.h"""
    return _core.call(lib.tt_popcnt_at, ("x",), "v", (x,))


def pow(x: Any, y: Any) -> Any:
    """x to the y
        tt_val r = tt_pow(x, y);

    tt_pow in tutti/ops.h"""
    return _core.call(lib.tt_pow_at, ("x", "y"), "vv", (x, y))


def random_gamma_grad(a: Any, x: Any) -> Any:
    """the derivative of a gamma sample by a
        tt_val r = tt_random_gamma_grad(a, x);

    tt_random_gamma_grad in tutti/ops.h"""
    return _core.call(lib.tt_random_gamma_grad_at, ("a", "x"), "vv", (a, x))


def rem(x: Any, y: Any) -> Any:
    """remainder of x / y, with the sign of x
        tt_val r = tt_rem(x, y);

    tt_rem in tutti/ops.h"""
    return _core.call(lib.tt_rem_at, ("x", "y"), "vv", (x, y))


def round_away(x: Any) -> Any:
    """nearest whole number, halves away from zero; integers stay
        tt_val r = tt_round_away(x);

    tt_round_away in tutti/ops.h"""
    return _core.call(lib.tt_round_away_at, ("x",), "v", (x,))


def round_even(x: Any) -> Any:
    """nearest whole number, halves to even; integers stay
        tt_val r = tt_round_even(x);

    tt_round_even in tutti/ops.h"""
    return _core.call(lib.tt_round_even_at, ("x",), "v", (x,))


def rsqrt(x: Any) -> Any:
    """1 / sqrt(x)
        tt_val r = tt_rsqrt(x);

    tt_rsqrt in tutti/ops.h"""
    return _core.call(lib.tt_rsqrt_at, ("x",), "v", (x,))


def sar(x: Any, y: Any) -> Any:
    """x shifted right by y bits, sign-extended
        tt_val r = tt_sar(x, y);

    tt_sar in tutti/ops.h"""
    return _core.call(lib.tt_sar_at, ("x", "y"), "vv", (x, y))


def shl(x: Any, y: Any) -> Any:
    """x shifted left by y bits
        tt_val r = tt_shl(x, y);

    tt_shl in tutti/ops.h"""
    return _core.call(lib.tt_shl_at, ("x", "y"), "vv", (x, y))


def shr(x: Any, y: Any) -> Any:
    """x shifted right by y bits, zero-filled
        tt_val r = tt_shr(x, y);

    tt_shr in tutti/ops.h"""
    return _core.call(lib.tt_shr_at, ("x", "y"), "vv", (x, y))


def sign(x: Any) -> Any:
    """-1, 0 or 1
        tt_val r = tt_sign(x);

    tt_sign in tutti/ops.h"""
    return _core.call(lib.tt_sign_at, ("x",), "v", (x,))


def sin(x: Any) -> Any:
    """sine of x in radians
        tt_val r = tt_sin(x);

    tt_sin in tutti/ops.h"""
    return _core.call(lib.tt_sin_at, ("x",), "v", (x,))


def sqrt(x: Any) -> Any:
    """square root
        tt_val r = tt_sqrt(x);

    tt_sqrt in tutti/ops.h"""
    return _core.call(lib.tt_sqrt_at, ("x",), "v", (x,))


def sub(x: Any, y: Any) -> Any:
    """x - y
        tt_val r = tt_sub(x, y);

    tt_sub in tutti/ops.h"""
    return _core.call(lib.tt_sub_at, ("x", "y"), "vv", (x, y))


def tan(x: Any) -> Any:
    """tangent of x in radians
        tt_val r = tt_tan(x);

    tt_tan in tutti/ops.h"""
    return _core.call(lib.tt_tan_at, ("x",), "v", (x,))


def tanh(x: Any) -> Any:
    """hyperbolic tangent
        tt_val r = tt_tanh(x);

    tt_tanh in tutti/ops.h"""
    return _core.call(lib.tt_tanh_at, ("x",), "v", (x,))


def bitwise_xor(x: Any, y: Any) -> Any:
    """bitwise exclusive or
        tt_val r = tt_xor(x, y);

    tt_xor in tutti/ops.h"""
    return _core.call(lib.tt_xor_at, ("x", "y"), "vv", (x, y))


def zeta(x: Any, q: Any) -> Any:
    """the sum of (q + k)^-x over k from 0 on
        tt_val r = tt_zeta(x, q);

    tt_zeta in tutti/ops.h"""
    return _core.call(lib.tt_zeta_at, ("x", "q"), "vv", (x, q))


def cast(v: Any, dtype: DtypeLike) -> Any:
    """Float to integer truncates; out of range gives the nearest end, NaN gives 0. Integers wrap. A complex number loses
    its imaginary part, except that to bool it is true unless both parts are 0.
        tt_val whole = tt_cast(x, TT_I32);

    tt_cast in tutti/array.h"""
    return _core.call(lib.tt_cast_at, ("v", "dtype"), "vt", (v, dtype))


def bitcast(v: Any, dtype: DtypeLike) -> Any:
    """The bits of v as another type, as lax.bitcast_convert_type:
      same width     element for element;
      fewer bits     one more last dim, the least significant part first: f32[3] as u8 is u8[3, 4];
      more bits      the last dim, whose size must be the quotient of the widths, is removed: u8[3, 4] as f32 is f32[3].
    The derivative is zero. Errors: bool and complex types; two widths of which neither is a multiple of the other.
        tt_val bits = tt_bitcast(x, TT_U32);

    tt_bitcast in tutti/array.h"""
    return _core.call(lib.tt_bitcast_at, ("v", "dtype"), "vt", (v, dtype))


def real(v: Any) -> Any:
    """for a real v: the real part and the conjugate are v, the imaginary part is 0

    tt_real in tutti/array.h"""
    return _core.call(lib.tt_real_at, ("v",), "v", (v,))


def imag(v: Any) -> Any:
    """for a real v: the real part and the conjugate are v, the imaginary part is 0

    tt_imag in tutti/array.h"""
    return _core.call(lib.tt_imag_at, ("v",), "v", (v,))


def conj(v: Any) -> Any:
    """for a real v: the real part and the conjugate are v, the imaginary part is 0

    tt_conj in tutti/array.h"""
    return _core.call(lib.tt_conj_at, ("v",), "v", (v,))


def fft(v: Any) -> Any:
    """Along the last dim, as in NumPy: fft and ifft take complex numbers; rfft maps n reals to n / 2 + 1 columns, irfft
    maps these back to n reals.
        tt_fft(z), tt_ifft(z), tt_irfft(tt_rfft(x), 8);

    tt_fft in tutti/array.h"""
    return _core.call(lib.tt_fft_at, ("v",), "v", (v,))


def ifft(v: Any) -> Any:
    """Along the last dim, as in NumPy: fft and ifft take complex numbers; rfft maps n reals to n / 2 + 1 columns, irfft
    maps these back to n reals.
        tt_fft(z), tt_ifft(z), tt_irfft(tt_rfft(x), 8);

    tt_ifft in tutti/array.h"""
    return _core.call(lib.tt_ifft_at, ("v",), "v", (v,))


def rfft(v: Any) -> Any:
    """Along the last dim, as in NumPy: fft and ifft take complex numbers; rfft maps n reals to n / 2 + 1 columns, irfft
    maps these back to n reals.
        tt_fft(z), tt_ifft(z), tt_irfft(tt_rfft(x), 8);

    tt_rfft in tutti/array.h"""
    return _core.call(lib.tt_rfft_at, ("v",), "v", (v,))


def irfft(v: Any, n: int) -> Any:
    """Along the last dim, as in NumPy: fft and ifft take complex numbers; rfft maps n reals to n / 2 + 1 columns, irfft
    maps these back to n reals.
        tt_fft(z), tt_ifft(z), tt_irfft(tt_rfft(x), 8);

    tt_irfft in tutti/array.h"""
    return _core.call(lib.tt_irfft_at, ("v", "n"), "vi", (v, n))


def fft2(v: Any, *, axis: Optional[Axes] = None, norm: Optional[str] = None, n: Optional[int] = None) -> Any:
    """Over several dims (default: all; fft2, ifft2, rfft2: the last two). rfftn is real along the last of the dims; irfftn
    gives back .n elements there (default 2 (columns - 1)). norm: which direction is divided: "backward" (default) the
    inverse by n, "ortho" both by sqrt(n), "forward" the forward one by n.
        tt_fft2(z), tt_ifft2(z), tt_rfft2(x), tt_irfft2(z, .n = 8);
        tt_fftn(z, .dims = "0, 2"), tt_ifftn(z, .norm = "ortho"), tt_rfftn(x), tt_irfftn(z, .n = 8);

    tt_fft2 in tutti/array.h"""
    return _core.call(lib.tt_fft2_at, ("v",), "v", (v,), _tt_fftn_opts, (axis, norm, n))


def ifft2(v: Any, *, axis: Optional[Axes] = None, norm: Optional[str] = None, n: Optional[int] = None) -> Any:
    """Over several dims (default: all; fft2, ifft2, rfft2: the last two). rfftn is real along the last of the dims; irfftn
    gives back .n elements there (default 2 (columns - 1)). norm: which direction is divided: "backward" (default) the
    inverse by n, "ortho" both by sqrt(n), "forward" the forward one by n.
        tt_fft2(z), tt_ifft2(z), tt_rfft2(x), tt_irfft2(z, .n = 8);
        tt_fftn(z, .dims = "0, 2"), tt_ifftn(z, .norm = "ortho"), tt_rfftn(x), tt_irfftn(z, .n = 8);

    tt_ifft2 in tutti/array.h"""
    return _core.call(lib.tt_ifft2_at, ("v",), "v", (v,), _tt_fftn_opts, (axis, norm, n))


def rfft2(v: Any, *, axis: Optional[Axes] = None, norm: Optional[str] = None, n: Optional[int] = None) -> Any:
    """Over several dims (default: all; fft2, ifft2, rfft2: the last two). rfftn is real along the last of the dims; irfftn
    gives back .n elements there (default 2 (columns - 1)). norm: which direction is divided: "backward" (default) the
    inverse by n, "ortho" both by sqrt(n), "forward" the forward one by n.
        tt_fft2(z), tt_ifft2(z), tt_rfft2(x), tt_irfft2(z, .n = 8);
        tt_fftn(z, .dims = "0, 2"), tt_ifftn(z, .norm = "ortho"), tt_rfftn(x), tt_irfftn(z, .n = 8);

    tt_rfft2 in tutti/array.h"""
    return _core.call(lib.tt_rfft2_at, ("v",), "v", (v,), _tt_fftn_opts, (axis, norm, n))


def irfft2(v: Any, *, axis: Optional[Axes] = None, norm: Optional[str] = None, n: Optional[int] = None) -> Any:
    """Over several dims (default: all; fft2, ifft2, rfft2: the last two). rfftn is real along the last of the dims; irfftn
    gives back .n elements there (default 2 (columns - 1)). norm: which direction is divided: "backward" (default) the
    inverse by n, "ortho" both by sqrt(n), "forward" the forward one by n.
        tt_fft2(z), tt_ifft2(z), tt_rfft2(x), tt_irfft2(z, .n = 8);
        tt_fftn(z, .dims = "0, 2"), tt_ifftn(z, .norm = "ortho"), tt_rfftn(x), tt_irfftn(z, .n = 8);

    tt_irfft2 in tutti/array.h"""
    return _core.call(lib.tt_irfft2_at, ("v",), "v", (v,), _tt_fftn_opts, (axis, norm, n))


def fftn(v: Any, *, axis: Optional[Axes] = None, norm: Optional[str] = None, n: Optional[int] = None) -> Any:
    """Over several dims (default: all; fft2, ifft2, rfft2: the last two). rfftn is real along the last of the dims; irfftn
    gives back .n elements there (default 2 (columns - 1)). norm: which direction is divided: "backward" (default) the
    inverse by n, "ortho" both by sqrt(n), "forward" the forward one by n.
        tt_fft2(z), tt_ifft2(z), tt_rfft2(x), tt_irfft2(z, .n = 8);
        tt_fftn(z, .dims = "0, 2"), tt_ifftn(z, .norm = "ortho"), tt_rfftn(x), tt_irfftn(z, .n = 8);

    tt_fftn in tutti/array.h"""
    return _core.call(lib.tt_fftn_at, ("v",), "v", (v,), _tt_fftn_opts, (axis, norm, n))


def ifftn(v: Any, *, axis: Optional[Axes] = None, norm: Optional[str] = None, n: Optional[int] = None) -> Any:
    """Over several dims (default: all; fft2, ifft2, rfft2: the last two). rfftn is real along the last of the dims; irfftn
    gives back .n elements there (default 2 (columns - 1)). norm: which direction is divided: "backward" (default) the
    inverse by n, "ortho" both by sqrt(n), "forward" the forward one by n.
        tt_fft2(z), tt_ifft2(z), tt_rfft2(x), tt_irfft2(z, .n = 8);
        tt_fftn(z, .dims = "0, 2"), tt_ifftn(z, .norm = "ortho"), tt_rfftn(x), tt_irfftn(z, .n = 8);

    tt_ifftn in tutti/array.h"""
    return _core.call(lib.tt_ifftn_at, ("v",), "v", (v,), _tt_fftn_opts, (axis, norm, n))


def rfftn(v: Any, *, axis: Optional[Axes] = None, norm: Optional[str] = None, n: Optional[int] = None) -> Any:
    """Over several dims (default: all; fft2, ifft2, rfft2: the last two). rfftn is real along the last of the dims; irfftn
    gives back .n elements there (default 2 (columns - 1)). norm: which direction is divided: "backward" (default) the
    inverse by n, "ortho" both by sqrt(n), "forward" the forward one by n.
        tt_fft2(z), tt_ifft2(z), tt_rfft2(x), tt_irfft2(z, .n = 8);
        tt_fftn(z, .dims = "0, 2"), tt_ifftn(z, .norm = "ortho"), tt_rfftn(x), tt_irfftn(z, .n = 8);

    tt_rfftn in tutti/array.h"""
    return _core.call(lib.tt_rfftn_at, ("v",), "v", (v,), _tt_fftn_opts, (axis, norm, n))


def irfftn(v: Any, *, axis: Optional[Axes] = None, norm: Optional[str] = None, n: Optional[int] = None) -> Any:
    """Over several dims (default: all; fft2, ifft2, rfft2: the last two). rfftn is real along the last of the dims; irfftn
    gives back .n elements there (default 2 (columns - 1)). norm: which direction is divided: "backward" (default) the
    inverse by n, "ortho" both by sqrt(n), "forward" the forward one by n.
        tt_fft2(z), tt_ifft2(z), tt_rfft2(x), tt_irfft2(z, .n = 8);
        tt_fftn(z, .dims = "0, 2"), tt_ifftn(z, .norm = "ortho"), tt_rfftn(x), tt_irfftn(z, .n = 8);

    tt_irfftn in tutti/array.h"""
    return _core.call(lib.tt_irfftn_at, ("v",), "v", (v,), _tt_fftn_opts, (axis, norm, n))


def fftfreq(n: int, d: float) -> Any:
    """The frequencies, f32, of the results of fft (0, 1, .., -2, -1) and rfft (0, 1, ..), divided by n d. fftshift moves
    frequency 0 to the middle along the dims (default: all), ifftshift back.
        tt_fftfreq(8, 0.1), tt_rfftfreq(8, 0.1);
        tt_fftshift(z), tt_ifftshift(z, .dims = "0");

    tt_fftfreq in tutti/array.h"""
    return _core.call(lib.tt_fftfreq_at, ("n", "d"), "id", (n, d))


def rfftfreq(n: int, d: float) -> Any:
    """The frequencies, f32, of the results of fft (0, 1, .., -2, -1) and rfft (0, 1, ..), divided by n d. fftshift moves
    frequency 0 to the middle along the dims (default: all), ifftshift back.
        tt_fftfreq(8, 0.1), tt_rfftfreq(8, 0.1);
        tt_fftshift(z), tt_ifftshift(z, .dims = "0");

    tt_rfftfreq in tutti/array.h"""
    return _core.call(lib.tt_rfftfreq_at, ("n", "d"), "id", (n, d))


def fftshift(v: Any, *, axis: Optional[Axes] = None) -> Any:
    """The frequencies, f32, of the results of fft (0, 1, .., -2, -1) and rfft (0, 1, ..), divided by n d. fftshift moves
    frequency 0 to the middle along the dims (default: all), ifftshift back.
        tt_fftfreq(8, 0.1), tt_rfftfreq(8, 0.1);
        tt_fftshift(z), tt_ifftshift(z, .dims = "0");

    tt_fftshift in tutti/array.h"""
    return _core.call(lib.tt_fftshift_at, ("v",), "v", (v,), _tt_dims_opts, (axis,))


def ifftshift(v: Any, *, axis: Optional[Axes] = None) -> Any:
    """The frequencies, f32, of the results of fft (0, 1, .., -2, -1) and rfft (0, 1, ..), divided by n d. fftshift moves
    frequency 0 to the middle along the dims (default: all), ifftshift back.
        tt_fftfreq(8, 0.1), tt_rfftfreq(8, 0.1);
        tt_fftshift(z), tt_ifftshift(z, .dims = "0");

    tt_ifftshift in tutti/array.h"""
    return _core.call(lib.tt_ifftshift_at, ("v",), "v", (v,), _tt_dims_opts, (axis,))


def integer_pow(v: Any, n: int) -> Any:
    """tt_val cubes = tt_integer_pow(x, 3);

    tt_integer_pow in tutti/array.h"""
    return _core.call(lib.tt_integer_pow_at, ("v", "n"), "vi", (v, n))


def reduce_precision(v: Any, exponent_bits: int, mantissa_bits: int) -> Any:
    """v rounded to a float format with these numbers of bits, then converted back to its own type
        tt_val as_bf16 = tt_reduce_precision(x, 8, 7);

    tt_reduce_precision in tutti/array.h"""
    return _core.call(lib.tt_reduce_precision_at, ("v", "exponent_bits", "mantissa_bits"), "vii", (v, exponent_bits,
        mantissa_bits))


def reshape(v: Any, shape: Shape) -> Any:
    """one dim may be -1: inferred

    tt_reshape in tutti/array.h"""
    return _core.call(lib.tt_reshape_at, ("v", "shape"), "vD", (v, shape))


def transpose(v: Any, axes: Shape) -> Any:
    """Result dim i is v's dim perm[i]; without perm: the dims are reversed

    tt_transpose in tutti/array.h"""
    return _core.call(lib.tt_transpose_at, ("v", "axes"), "vD", (v, axes))


def broadcast(v: Any, shape: Shape) -> Any:
    """As in NumPy: new dims in front, dims of size 1 are stretched

    tt_broadcast in tutti/array.h"""
    return _core.call(lib.tt_broadcast_at, ("v", "shape"), "vD", (v, shape))


def dynamic_slice(v: Any, axis: int, start: Any, n: int) -> Any:
    """n elements of dim from index `from`, a scalar value. A negative index counts from the end, as in JAX; then it is
    clamped so that the slice fits. With a C number the slice is static.
        tt_val window = tt_dynamic_slice(x, 0, i, 3), every_second = tt_slice(x, 0, 0, 8, 2);

    tt_dynamic_slice in tutti/array.h"""
    return _core.call(lib.tt_dynamic_slice_at, ("v", "axis", "start", "n"), "vivi", (v, axis, start, n))


def dynamic_update_slice(v: Any, part: Any, axis: int, start: Any) -> Any:
    """tt_val written = tt_dynamic_update_slice(x, part, 0, i);

    tt_dynamic_update_slice in tutti/array.h"""
    return _core.call(lib.tt_dynamic_update_slice_at, ("v", "part", "axis", "start"), "vviv", (v, part, axis, start))


def pad(v: Any, value: Any, low: Shape, high: Shape, interior: Shape) -> Any:
    """tt_pad(v, value, low, high, interior): pads with value (a scalar): `low` elements before, `high` after, `interior`
    between elements. low, high and interior have an int64_t per dim; negative low and high crop.
        const int64_t low[] = { 1, 0 }, high[] = { 1, 2 }, between[] = { 0, 0 };
        tt_pad(x, tt_f(0), low, high, between);
        tt_val rows = tt_iota(TT_I32, 0, 4, 3), positions = tt_iota(TT_I32, 1, 4, 3);

    tt_pad in tutti/array.h"""
    return _core.call(lib.tt_pad_at, ("v", "value", "low", "high", "interior"), "vvDDD", (v, value, low, high,
        interior))


def iota(dtype: DtypeLike, axis: int, shape: Shape) -> Any:
    """tt_pad(v, value, low, high, interior): pads with value (a scalar): `low` elements before, `high` after, `interior`
    between elements. low, high and interior have an int64_t per dim; negative low and high crop.
        const int64_t low[] = { 1, 0 }, high[] = { 1, 2 }, between[] = { 0, 0 };
        tt_pad(x, tt_f(0), low, high, between);
        tt_val rows = tt_iota(TT_I32, 0, 4, 3), positions = tt_iota(TT_I32, 1, 4, 3);

    tt_iota in tutti/array.h"""
    return _core.call(lib.tt_iota_at, ("dtype", "axis", "shape"), "tiD", (dtype, axis, shape))


def matmul(a: Any, b: Any, *, precision: Optional[str] = None) -> Any:
    """precision: the accuracy of float32 products in matmul, dot and convolve, and in the products of their gradients. It
    has no effect on other dtypes.
      "default"  the fastest method that keeps the error of a float32 sum. On a processor with a matrix unit (AMX) a
                 large product is six products of bfloat16 parts, with a relative error of at most 2^-23. Elements below
                 2^-110 next to large ones lose digits there. On AVX2, convolutions with 3 x 3 windows use fewer
                 multiplications than their definition.
      "high"     the same as "default"; in JAX it means at least three such products. The word is kept for the text that
                 tt_export writes.
      "highest"  every product is one multiply-add of float32: no bfloat16 parts, no reduced multiplications.
    Not given: the precision in force, tt_precision(). In reproducible mode, and with TUTTI=no-amx, no product is split
    into parts, whatever the precision. "highest" is not "reproducible": the order of sums may depend on sizes.
        tt_val y = tt_matmul(x, w, .precision = "highest");

    tt_matmul in tutti/array.h"""
    return _core.call(lib.tt_matmul_at, ("a", "b"), "vv", (a, b), _tt_matmul_opts, (precision,))


def dot(a: Any, b: Any, *, batch: Optional[str] = None, sum: Optional[str] = None, result: Optional[DtypeLike] = None,
        precision: Optional[str] = None) -> Any:
    """Contraction of numbered dims, written a's:b's. sum: the contracted dims ("2:1, 3:0"). batch: the batch dims ("0:0"),
    which come first in the result. result: its dtype; default the promoted one; of bools: true if any product is true.
    precision: above.
        tt_val products = tt_dot(q, k, .batch = "0:0", .sum = "2:2");

    tt_dot in tutti/array.h"""
    return _core.call(lib.tt_dot_at, ("a", "b"), "vv", (a, b), _tt_dot_opts, (batch, sum, result, precision))


def convolve(x: Any, w: Any, *, stride: Optional[Any] = None, window_dilation: Optional[Any] = None,
        base_dilation: Optional[Any] = None, pad: Optional[str] = None, groups: Optional[int] = None,
        precision: Optional[str] = None) -> Any:
    """Convolution. x [N, spatial…, C], w [window…, C / groups, F] -> [N, spatial'…, F] (NHWC, HWIO). pad: "SAME" (default),
    "VALID" or "1:1, 2:0" (low:high per dim). window_dilation dilates the kernel, base_dilation the image. Dilations and
    strides have one number per spatial dim. groups: groups of features. precision: as in tt_matmul.
        tt_val c = tt_convolve(image, w, .stride = { 2, 2 }, .pad = "SAME");

    tt_convolve in tutti/array.h"""
    return _core.call(lib.tt_convolve_at, ("x", "w"), "vv", (x, w), _tt_convolve_opts, (stride, window_dilation,
        base_dilation, pad, groups, precision))


def sum(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """dims: "0, 2" (default: all). keepdims = 1: reduced dims stay with size 1. where: bools, broadcast to the value:
    only elements whose mask is true take part (tt_amax and tt_amin need .initial too). initial: a scalar that takes
    part as one more element of each result; with .initial, amax and amin of no elements are defined. As in NumPy.
    Errors: .initial of all and any; .where and .initial of argmax and argmin.
        tt_sum(x), tt_prod(x, .dims = "0"), tt_amax(x, .dims = "-1", .keepdims = 1), tt_amin(x);
        tt_all(tt_gt(x, y)), tt_any(tt_gt(x, y), .dims = "1"), tt_sum(x, .where = tt_gt(x, tt_f(0)));
        tt_argmax(x, .dims = "-1"), tt_argmin(x);

    tt_sum in tutti/array.h"""
    return _core.call(lib.tt_sum_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def prod(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """dims: "0, 2" (default: all). keepdims = 1: reduced dims stay with size 1. where: bools, broadcast to the value:
    only elements whose mask is true take part (tt_amax and tt_amin need .initial too). initial: a scalar that takes
    part as one more element of each result; with .initial, amax and amin of no elements are defined. As in NumPy.
    Errors: .initial of all and any; .where and .initial of argmax and argmin.
        tt_sum(x), tt_prod(x, .dims = "0"), tt_amax(x, .dims = "-1", .keepdims = 1), tt_amin(x);
        tt_all(tt_gt(x, y)), tt_any(tt_gt(x, y), .dims = "1"), tt_sum(x, .where = tt_gt(x, tt_f(0)));
        tt_argmax(x, .dims = "-1"), tt_argmin(x);

    tt_prod in tutti/array.h"""
    return _core.call(lib.tt_prod_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def amax(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """dims: "0, 2" (default: all). keepdims = 1: reduced dims stay with size 1. where: bools, broadcast to the value:
    only elements whose mask is true take part (tt_amax and tt_amin need .initial too). initial: a scalar that takes
    part as one more element of each result; with .initial, amax and amin of no elements are defined. As in NumPy.
    Errors: .initial of all and any; .where and .initial of argmax and argmin.
        tt_sum(x), tt_prod(x, .dims = "0"), tt_amax(x, .dims = "-1", .keepdims = 1), tt_amin(x);
        tt_all(tt_gt(x, y)), tt_any(tt_gt(x, y), .dims = "1"), tt_sum(x, .where = tt_gt(x, tt_f(0)));
        tt_argmax(x, .dims = "-1"), tt_argmin(x);

    tt_amax in tutti/array.h"""
    return _core.call(lib.tt_amax_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def amin(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """dims: "0, 2" (default: all). keepdims = 1: reduced dims stay with size 1. where: bools, broadcast to the value:
    only elements whose mask is true take part (tt_amax and tt_amin need .initial too). initial: a scalar that takes
    part as one more element of each result; with .initial, amax and amin of no elements are defined. As in NumPy.
    Errors: .initial of all and any; .where and .initial of argmax and argmin.
        tt_sum(x), tt_prod(x, .dims = "0"), tt_amax(x, .dims = "-1", .keepdims = 1), tt_amin(x);
        tt_all(tt_gt(x, y)), tt_any(tt_gt(x, y), .dims = "1"), tt_sum(x, .where = tt_gt(x, tt_f(0)));
        tt_argmax(x, .dims = "-1"), tt_argmin(x);

    tt_amin in tutti/array.h"""
    return _core.call(lib.tt_amin_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def all(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """dims: "0, 2" (default: all). keepdims = 1: reduced dims stay with size 1. where: bools, broadcast to the value:
    only elements whose mask is true take part (tt_amax and tt_amin need .initial too). initial: a scalar that takes
    part as one more element of each result; with .initial, amax and amin of no elements are defined. As in NumPy.
    Errors: .initial of all and any; .where and .initial of argmax and argmin.
        tt_sum(x), tt_prod(x, .dims = "0"), tt_amax(x, .dims = "-1", .keepdims = 1), tt_amin(x);
        tt_all(tt_gt(x, y)), tt_any(tt_gt(x, y), .dims = "1"), tt_sum(x, .where = tt_gt(x, tt_f(0)));
        tt_argmax(x, .dims = "-1"), tt_argmin(x);

    tt_all in tutti/array.h"""
    return _core.call(lib.tt_all_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def any(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """dims: "0, 2" (default: all). keepdims = 1: reduced dims stay with size 1. where: bools, broadcast to the value:
    only elements whose mask is true take part (tt_amax and tt_amin need .initial too). initial: a scalar that takes
    part as one more element of each result; with .initial, amax and amin of no elements are defined. As in NumPy.
    Errors: .initial of all and any; .where and .initial of argmax and argmin.
        tt_sum(x), tt_prod(x, .dims = "0"), tt_amax(x, .dims = "-1", .keepdims = 1), tt_amin(x);
        tt_all(tt_gt(x, y)), tt_any(tt_gt(x, y), .dims = "1"), tt_sum(x, .where = tt_gt(x, tt_f(0)));
        tt_argmax(x, .dims = "-1"), tt_argmin(x);

    tt_any in tutti/array.h"""
    return _core.call(lib.tt_any_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def argmax(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """dims: "0, 2" (default: all). keepdims = 1: reduced dims stay with size 1. where: bools, broadcast to the value:
    only elements whose mask is true take part (tt_amax and tt_amin need .initial too). initial: a scalar that takes
    part as one more element of each result; with .initial, amax and amin of no elements are defined. As in NumPy.
    Errors: .initial of all and any; .where and .initial of argmax and argmin.
        tt_sum(x), tt_prod(x, .dims = "0"), tt_amax(x, .dims = "-1", .keepdims = 1), tt_amin(x);
        tt_all(tt_gt(x, y)), tt_any(tt_gt(x, y), .dims = "1"), tt_sum(x, .where = tt_gt(x, tt_f(0)));
        tt_argmax(x, .dims = "-1"), tt_argmin(x);

    tt_argmax in tutti/array.h"""
    return _core.call(lib.tt_argmax_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def argmin(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """dims: "0, 2" (default: all). keepdims = 1: reduced dims stay with size 1. where: bools, broadcast to the value:
    only elements whose mask is true take part (tt_amax and tt_amin need .initial too). initial: a scalar that takes
    part as one more element of each result; with .initial, amax and amin of no elements are defined. As in NumPy.
    Errors: .initial of all and any; .where and .initial of argmax and argmin.
        tt_sum(x), tt_prod(x, .dims = "0"), tt_amax(x, .dims = "-1", .keepdims = 1), tt_amin(x);
        tt_all(tt_gt(x, y)), tt_any(tt_gt(x, y), .dims = "1"), tt_sum(x, .where = tt_gt(x, tt_f(0)));
        tt_argmax(x, .dims = "-1"), tt_argmin(x);

    tt_argmin in tutti/array.h"""
    return _core.call(lib.tt_argmin_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def window_sum(v: Any, *, window: Optional[Any] = None, stride: Optional[Any] = None, pad: Optional[str] = None,
        real_only: Optional[Union[bool, int]] = None) -> Any:
    """Windows over the spatial dims of [N, spatial…, C]. window and stride (default: 1) have one number per spatial dim;
    pad: "VALID" (default), "SAME", or "1:1, 0:2". real_only: a mean (tt_avg_pool) divides by the number of elements
    without padding.
        tt_window_sum(image, .window = { 2, 2 }, .stride = { 2, 2 }), tt_window_max(image, .window = { 3, 3 });

    tt_window_sum in tutti/array.h"""
    return _core.call(lib.tt_window_sum_at, ("v",), "v", (v,), _tt_pool_opts, (window, stride, pad, real_only))


def window_max(v: Any, *, window: Optional[Any] = None, stride: Optional[Any] = None, pad: Optional[str] = None,
        real_only: Optional[Union[bool, int]] = None) -> Any:
    """Windows over the spatial dims of [N, spatial…, C]. window and stride (default: 1) have one number per spatial dim;
    pad: "VALID" (default), "SAME", or "1:1, 0:2". real_only: a mean (tt_avg_pool) divides by the number of elements
    without padding.
        tt_window_sum(image, .window = { 2, 2 }, .stride = { 2, 2 }), tt_window_max(image, .window = { 3, 3 });

    tt_window_max in tutti/array.h"""
    return _core.call(lib.tt_window_max_at, ("v",), "v", (v,), _tt_pool_opts, (window, stride, pad, real_only))


def cumsum(v: Any, axis: int, *, reverse: Optional[Union[bool, int]] = None) -> Any:
    """The result has v's type, for bools i32: cumulative sums of u8 wrap at 256, as in JAX (tt_sum of u8 is u32).
        tt_cumsum(x, 0), tt_cumprod(x, -1), tt_cummax(x, 0, .reverse = 1), tt_cummin(x, 0);

    tt_cumsum in tutti/array.h"""
    return _core.call(lib.tt_cumsum_at, ("v", "axis"), "vi", (v, axis), _tt_cum_opts, (reverse,))


def cumprod(v: Any, axis: int, *, reverse: Optional[Union[bool, int]] = None) -> Any:
    """The result has v's type, for bools i32: cumulative sums of u8 wrap at 256, as in JAX (tt_sum of u8 is u32).
        tt_cumsum(x, 0), tt_cumprod(x, -1), tt_cummax(x, 0, .reverse = 1), tt_cummin(x, 0);

    tt_cumprod in tutti/array.h"""
    return _core.call(lib.tt_cumprod_at, ("v", "axis"), "vi", (v, axis), _tt_cum_opts, (reverse,))


def cummax(v: Any, axis: int, *, reverse: Optional[Union[bool, int]] = None) -> Any:
    """The result has v's type, for bools i32: cumulative sums of u8 wrap at 256, as in JAX (tt_sum of u8 is u32).
        tt_cumsum(x, 0), tt_cumprod(x, -1), tt_cummax(x, 0, .reverse = 1), tt_cummin(x, 0);

    tt_cummax in tutti/array.h"""
    return _core.call(lib.tt_cummax_at, ("v", "axis"), "vi", (v, axis), _tt_cum_opts, (reverse,))


def cummin(v: Any, axis: int, *, reverse: Optional[Union[bool, int]] = None) -> Any:
    """The result has v's type, for bools i32: cumulative sums of u8 wrap at 256, as in JAX (tt_sum of u8 is u32).
        tt_cumsum(x, 0), tt_cumprod(x, -1), tt_cummax(x, 0, .reverse = 1), tt_cummin(x, 0);

    tt_cummin in tutti/array.h"""
    return _core.call(lib.tt_cummin_at, ("v", "axis"), "vi", (v, axis), _tt_cum_opts, (reverse,))


def take(v: Any, index: Any, axis: int, *, mode: Optional[str] = None) -> Any:
    """Rows of dim `dim` at integer indices (of any shape, which replaces the dim). Negative indices count from the end.
    mode, for indices out of range, as in jnp.take: "fill" (default) gives NaN, for integers the lowest number (unsigned:
    the highest), for bools true; "clip" gives the nearest row (the first for all negative indices); "wrap" takes the
    index modulo the size; "promise_in_bounds" is for callers who know that all indices are in range. Gradients go to the
    rows that were taken. TUTTI=bounds makes an index out of range an error where mode is "fill" or "drop".
        tt_val embedded = tt_take(table, ids, 0), near = tt_take(x, ids, 1, .mode = "clip");

    tt_take in tutti/array.h"""
    return _core.call(lib.tt_take_at, ("v", "index", "axis"), "vvi", (v, index, axis), _tt_take_opts, (mode,))


def sort(v: Any, axis: int = -1, *, descending: Optional[Union[bool, int]] = None, keys: Optional[Union[bool,
        int]] = None) -> Any:
    """Stable sort along dim. Of a tuple, the first `keys` items (default 1) are the keys, and all items are permuted
    together. NaN counts as the largest number: last, or first if descending.
        tt_val sorted = tt_sort(x, -1, .descending = 1), by_first = tt_sort(tt_tuple(x, y), 0);

    tt_sort in tutti/array.h"""
    return _core.call(lib.tt_sort_at, ("v", "axis"), "vi", (v, axis), _tt_sort_opts, (descending, keys))


def gather(v: Any, shape: str, index: Any, *, mode: Optional[str] = None) -> Any:
    """The elements, or slices, of v at indices of the listed dims ("0, 2"): `index` is a tuple of integer arrays, one per
    dim, broadcast against each other; of one dim also the array itself. The result has the indices' dims, then v's
    other dims. mode: as in tt_take.
        tt_val picked = tt_gather(x, "0, 2", tt_tuple(i, j));

    tt_gather in tutti/index.h"""
    return _core.call(lib.tt_gather_at, ("v", "shape", "index"), "vsv", (v, shape, index), _tt_take_opts, (mode,))


def scatter(how: str, v: Any, shape: str, index: Any, updates: Any, *, mode: Optional[str] = None) -> Any:
    """v with updates combined into those elements or slices by "set", "add", "mul", "max" or "min". updates: broadcast to
    the indices' dims, then v's other dims. mode: as in tt_index_set.
        tt_val put = tt_scatter("add", x, "0, 2", tt_tuple(i, j), y, .mode = "drop");

    tt_scatter in tutti/index.h"""
    return _core.call(lib.tt_scatter_at, ("how", "v", "shape", "index", "updates"), "svsvv", (how, v, shape, index,
        updates), _tt_take_opts, (mode,))


def dynamic_box(v: Any, start: Any, sizes: Shape) -> Any:
    """The box of the given sizes, one per dim, that begins at start: a tuple of integer scalars, one per dim, or an array
    of integers [rank]. Negative numbers count from the end; then start is clamped so that the box is inside.
        tt_val box = tt_dynamic_box(x, tt_tuple(i, j), 2, 3);

    tt_dynamic_box in tutti/index.h"""
    return _core.call(lib.tt_dynamic_box_at, ("v", "start", "sizes"), "vvD", (v, start, sizes))


def dynamic_update_box(v: Any, part: Any, start: Any) -> Any:
    """v with part written at start
        tt_val back = tt_dynamic_update_box(x, part, tt_tuple(i, j));

    tt_dynamic_update_box in tutti/index.h"""
    return _core.call(lib.tt_dynamic_update_box_at, ("v", "part", "start"), "vvv", (v, part, start))


def nonzero(v: Any, *, count: Optional[int] = None, fill: Optional[int] = None) -> Any:
    """The indices of the elements that are not 0, in row-major order: nonzero: a tuple of an i32 array per dim; argwhere:
    one array i32[n, rank]. count (numpy.nonzero's size): how many, required in a traced function: surplus ones are
    left out, missing ones are `fill` (default 0) in each dim. Without .count v must be known.
        tt_val places = tt_nonzero(x, .count = 8), rows = tt_argwhere(tt_gt(x, tt_f(0)), .count = 8, .fill = -1);

    tt_nonzero in tutti/index.h"""
    return _core.call(lib.tt_nonzero_at, ("v",), "v", (v,), _tt_nonzero_opts, (count, fill))


def argwhere(v: Any, *, count: Optional[int] = None, fill: Optional[int] = None) -> Any:
    """The indices of the elements that are not 0, in row-major order: nonzero: a tuple of an i32 array per dim; argwhere:
    one array i32[n, rank]. count (numpy.nonzero's size): how many, required in a traced function: surplus ones are
    left out, missing ones are `fill` (default 0) in each dim. Without .count v must be known.
        tt_val places = tt_nonzero(x, .count = 8), rows = tt_argwhere(tt_gt(x, tt_f(0)), .count = 8, .fill = -1);

    tt_argwhere in tutti/index.h"""
    return _core.call(lib.tt_argwhere_at, ("v",), "v", (v,), _tt_nonzero_opts, (count, fill))


def tril_indices(n: int, *, k: Optional[int] = None, columns: Optional[int] = None) -> Any:
    """The indices of a triangle or of the diagonal of an n x n matrix, a tuple (rows, columns) of i32 arrays: those with
    column - row <= k (tril), >= k (triu), 0 (diag). .columns: default n.
        tt_val below = tt_tril_indices(4, .k = -1), above = tt_triu_indices(4), diagonal = tt_diag_indices(4);

    tt_tril_indices in tutti/index.h"""
    return _core.call(lib.tt_tril_indices_at, ("n",), "i", (n,), _tt_tri_opts, (k, columns))


def triu_indices(n: int, *, k: Optional[int] = None, columns: Optional[int] = None) -> Any:
    """The indices of a triangle or of the diagonal of an n x n matrix, a tuple (rows, columns) of i32 arrays: those with
    column - row <= k (tril), >= k (triu), 0 (diag). .columns: default n.
        tt_val below = tt_tril_indices(4, .k = -1), above = tt_triu_indices(4), diagonal = tt_diag_indices(4);

    tt_triu_indices in tutti/index.h"""
    return _core.call(lib.tt_triu_indices_at, ("n",), "i", (n,), _tt_tri_opts, (k, columns))


def diag_indices(n: int) -> Any:
    """The indices of a triangle or of the diagonal of an n x n matrix, a tuple (rows, columns) of i32 arrays: those with
    column - row <= k (tril), >= k (triu), 0 (diag). .columns: default n.
        tt_val below = tt_tril_indices(4, .k = -1), above = tt_triu_indices(4), diagonal = tt_diag_indices(4);

    tt_diag_indices in tutti/index.h"""
    return _core.call(lib.tt_diag_indices_at, ("n",), "i", (n,))


def optimization_barrier(v: Any) -> Any:
    """The same values; no pass moves, merges or removes computations across it.
        x = tt_optimization_barrier(x);

    tt_optimization_barrier in tutti/transforms.h"""
    return _core.call(lib.tt_optimization_barrier_at, ("v",), "v", (v,))


def psum(v: Any, axis: str, *, groups: Optional[str] = None) -> Any:
    """As in JAX, psum and pmean add integers in their own type, in which the sum may wrap, and bools in i32; pmean divides
    the sum of integers as f32 (TUTTI=x64: of 64 bits as f64).
        tt_psum(x, "data"), tt_pmean(grads, "data"), tt_pmax(x, "data, model"), tt_pmin(x, "data");
        tt_all_gather(x, "data", .dim = 1), tt_psum_scatter(x, "data", .dim = 0);
        tt_val turned = tt_all_to_all(x, "data", .split = 0, .concat = 1);
        tt_val next = tt_ppermute(x, "i", "0>1, 1>2, 2>3"), ring = tt_pshift(x, "i", 1);

    tt_psum in tutti/collectives.h"""
    return _core.call(lib.tt_psum_at, ("v", "axis"), "vs", (v, axis), _tt_reduce_axes_opts, (groups,))


def pmean(v: Any, axis: str, *, groups: Optional[str] = None) -> Any:
    """As in JAX, psum and pmean add integers in their own type, in which the sum may wrap, and bools in i32; pmean divides
    the sum of integers as f32 (TUTTI=x64: of 64 bits as f64).
        tt_psum(x, "data"), tt_pmean(grads, "data"), tt_pmax(x, "data, model"), tt_pmin(x, "data");
        tt_all_gather(x, "data", .dim = 1), tt_psum_scatter(x, "data", .dim = 0);
        tt_val turned = tt_all_to_all(x, "data", .split = 0, .concat = 1);
        tt_val next = tt_ppermute(x, "i", "0>1, 1>2, 2>3"), ring = tt_pshift(x, "i", 1);

    tt_pmean in tutti/collectives.h"""
    return _core.call(lib.tt_pmean_at, ("v", "axis"), "vs", (v, axis), _tt_reduce_axes_opts, (groups,))


def pmax(v: Any, axis: str, *, groups: Optional[str] = None) -> Any:
    """As in JAX, psum and pmean add integers in their own type, in which the sum may wrap, and bools in i32; pmean divides
    the sum of integers as f32 (TUTTI=x64: of 64 bits as f64).
        tt_psum(x, "data"), tt_pmean(grads, "data"), tt_pmax(x, "data, model"), tt_pmin(x, "data");
        tt_all_gather(x, "data", .dim = 1), tt_psum_scatter(x, "data", .dim = 0);
        tt_val turned = tt_all_to_all(x, "data", .split = 0, .concat = 1);
        tt_val next = tt_ppermute(x, "i", "0>1, 1>2, 2>3"), ring = tt_pshift(x, "i", 1);

    tt_pmax in tutti/collectives.h"""
    return _core.call(lib.tt_pmax_at, ("v", "axis"), "vs", (v, axis), _tt_reduce_axes_opts, (groups,))


def pmin(v: Any, axis: str, *, groups: Optional[str] = None) -> Any:
    """As in JAX, psum and pmean add integers in their own type, in which the sum may wrap, and bools in i32; pmean divides
    the sum of integers as f32 (TUTTI=x64: of 64 bits as f64).
        tt_psum(x, "data"), tt_pmean(grads, "data"), tt_pmax(x, "data, model"), tt_pmin(x, "data");
        tt_all_gather(x, "data", .dim = 1), tt_psum_scatter(x, "data", .dim = 0);
        tt_val turned = tt_all_to_all(x, "data", .split = 0, .concat = 1);
        tt_val next = tt_ppermute(x, "i", "0>1, 1>2, 2>3"), ring = tt_pshift(x, "i", 1);

    tt_pmin in tutti/collectives.h"""
    return _core.call(lib.tt_pmin_at, ("v", "axis"), "vs", (v, axis), _tt_reduce_axes_opts, (groups,))


def all_gather(v: Any, axis: str, *, axis_: Optional[Union[bool, int]] = None, stack: Optional[Union[bool,
        int]] = None, groups: Optional[str] = None) -> Any:
    """As in JAX, psum and pmean add integers in their own type, in which the sum may wrap, and bools in i32; pmean divides
    the sum of integers as f32 (TUTTI=x64: of 64 bits as f64).
        tt_psum(x, "data"), tt_pmean(grads, "data"), tt_pmax(x, "data, model"), tt_pmin(x, "data");
        tt_all_gather(x, "data", .dim = 1), tt_psum_scatter(x, "data", .dim = 0);
        tt_val turned = tt_all_to_all(x, "data", .split = 0, .concat = 1);
        tt_val next = tt_ppermute(x, "i", "0>1, 1>2, 2>3"), ring = tt_pshift(x, "i", 1);

    tt_all_gather in tutti/collectives.h"""
    return _core.call(lib.tt_all_gather_at, ("v", "axis"), "vs", (v, axis), _tt_gather_axes_opts, (axis_, stack,
        groups))


def psum_scatter(v: Any, axis: str, *, axis_: Optional[Union[bool, int]] = None, stack: Optional[Union[bool,
        int]] = None, groups: Optional[str] = None) -> Any:
    """As in JAX, psum and pmean add integers in their own type, in which the sum may wrap, and bools in i32; pmean divides
    the sum of integers as f32 (TUTTI=x64: of 64 bits as f64).
        tt_psum(x, "data"), tt_pmean(grads, "data"), tt_pmax(x, "data, model"), tt_pmin(x, "data");
        tt_all_gather(x, "data", .dim = 1), tt_psum_scatter(x, "data", .dim = 0);
        tt_val turned = tt_all_to_all(x, "data", .split = 0, .concat = 1);
        tt_val next = tt_ppermute(x, "i", "0>1, 1>2, 2>3"), ring = tt_pshift(x, "i", 1);

    tt_psum_scatter in tutti/collectives.h"""
    return _core.call(lib.tt_psum_scatter_at, ("v", "axis"), "vs", (v, axis), _tt_gather_axes_opts, (axis_, stack,
        groups))


def all_to_all(v: Any, axis: str, *, split: Optional[Union[bool, int]] = None, concat: Optional[Union[bool,
        int]] = None, stack: Optional[Union[bool, int]] = None, groups: Optional[str] = None) -> Any:
    """As in JAX, psum and pmean add integers in their own type, in which the sum may wrap, and bools in i32; pmean divides
    the sum of integers as f32 (TUTTI=x64: of 64 bits as f64).
        tt_psum(x, "data"), tt_pmean(grads, "data"), tt_pmax(x, "data, model"), tt_pmin(x, "data");
        tt_all_gather(x, "data", .dim = 1), tt_psum_scatter(x, "data", .dim = 0);
        tt_val turned = tt_all_to_all(x, "data", .split = 0, .concat = 1);
        tt_val next = tt_ppermute(x, "i", "0>1, 1>2, 2>3"), ring = tt_pshift(x, "i", 1);

    tt_all_to_all in tutti/collectives.h"""
    return _core.call(lib.tt_all_to_all_at, ("v", "axis"), "vs", (v, axis), _tt_all_to_all_opts, (split, concat, stack,
        groups))


def ppermute(v: Any, axis: str, pairs: str) -> Any:
    """As in JAX, psum and pmean add integers in their own type, in which the sum may wrap, and bools in i32; pmean divides
    the sum of integers as f32 (TUTTI=x64: of 64 bits as f64).
        tt_psum(x, "data"), tt_pmean(grads, "data"), tt_pmax(x, "data, model"), tt_pmin(x, "data");
        tt_all_gather(x, "data", .dim = 1), tt_psum_scatter(x, "data", .dim = 0);
        tt_val turned = tt_all_to_all(x, "data", .split = 0, .concat = 1);
        tt_val next = tt_ppermute(x, "i", "0>1, 1>2, 2>3"), ring = tt_pshift(x, "i", 1);

    tt_ppermute in tutti/collectives.h"""
    return _core.call(lib.tt_ppermute_at, ("v", "axis", "pairs"), "vss", (v, axis, pairs))


def pshift(v: Any, axis: str, by: int) -> Any:
    """To the device `by` positions further along the axis, cyclically

    tt_pshift in tutti/collectives.h"""
    return _core.call(lib.tt_pshift_at, ("v", "axis", "by"), "vsi", (v, axis, by))


def axis_index(axis: str) -> Any:
    """tt_val mine = tt_mul(x, tt_axis_index("data")); const int64_t devices = tt_axis_size("data");
    i32

    tt_axis_index in tutti/collectives.h"""
    return _core.call(lib.tt_axis_index_at, ("axis",), "s", (axis,))


def axis_size(axis: str) -> int:
    """tt_val mine = tt_mul(x, tt_axis_index("data")); const int64_t devices = tt_axis_size("data");
    1 if there is no such axis

    tt_axis_size in tutti/collectives.h"""
    return _core.plain(lib.tt_axis_size_at, ("axis",), "s", (axis,))


def pvary(v: Any, axis: str) -> Any:
    """tt_val copies = tt_pvary(w, "data");

    tt_pvary in tutti/collectives.h"""
    return _core.call(lib.tt_pvary_at, ("v", "axis"), "vs", (v, axis))


def qr_pivoted(v: Any, *, upper: Optional[Union[bool, int]] = None, full: Optional[Union[bool, int]] = None) -> Any:
    """(Q, R, p): v[:, p] = Q R, where p orders R's diagonal by falling magnitude; .full as in tt_qr.
        tt_unpack(tt_qr_pivoted(a), &q, &r, &order);

    tt_qr_pivoted in tutti/linalg.h"""
    return _core.call(lib.tt_qr_pivoted_at, ("v",), "v", (v,), _tt_matrix_opts, (upper, full))


def cholesky(v: Any, *, upper: Optional[Union[bool, int]] = None, full: Optional[Union[bool, int]] = None) -> Any:
    """L, lower, with L L' = v; .upper: U with U' U = v. v is first symmetrised, (v + v') / 2. NaN if v is not positive
    definite.
        tt_val L = tt_cholesky(a), U = tt_cholesky(a, .upper = 1);

    tt_cholesky in tutti/linalg.h"""
    return _core.call(lib.tt_cholesky_at, ("v",), "v", (v,), _tt_matrix_opts, (upper, full))


def qr(v: Any, *, upper: Optional[Union[bool, int]] = None, full: Optional[Union[bool, int]] = None) -> Any:
    """(Q, R), Q with min(m, n) orthonormal columns; .full: m.
        tt_unpack(tt_qr(a), &q, &r), tt_unpack(tt_qr_pivoted(a), &q, &r, &order);

    tt_qr in tutti/linalg.h"""
    return _core.call(lib.tt_qr_at, ("v",), "v", (v,), _tt_matrix_opts, (upper, full))


def svd(v: Any, *, upper: Optional[Union[bool, int]] = None, full: Optional[Union[bool, int]] = None) -> Any:
    """(U, s, V'): v = U diag(s) V', s in falling order; .full: all columns of U and V.
        tt_unpack(tt_svd(a), &u, &s, &v), s = tt_svdvals(a);

    tt_svd in tutti/linalg.h"""
    return _core.call(lib.tt_svd_at, ("v",), "v", (v,), _tt_matrix_opts, (upper, full))


def triangular_solve(a: Any, b: Any, *, lower: Optional[Union[bool, int]] = None, transpose: Optional[Union[bool,
        int]] = None, adjoint: Optional[Union[bool, int]] = None, unit: Optional[Union[bool, int]] = None,
        right: Optional[Union[bool, int]] = None) -> Any:
    """x with a x = b; .right: x a = b. One triangle of a is read: the upper, or with .lower the lower one. .transpose: with
    a's transpose; .adjoint: with a'; .unit: a's diagonal is taken as ones and not read. b of rank 1 is a vector.
        x = tt_triangular_solve(a, b, .lower = 1);

    tt_triangular_solve in tutti/linalg.h"""
    return _core.call(lib.tt_triangular_solve_at, ("a", "b"), "vv", (a, b), _tt_triangular_opts, (lower, transpose,
        adjoint, unit, right))


def tridiagonal_solve(low: Any, mid: Any, high: Any, b: Any, *, perturb: Optional[Union[bool, int]] = None) -> Any:
    """x with T x = b, b [.., n, k], T given by its diagonals, each [.., n]: row i is low[i], mid[i], high[i]; low[0] and
    high[n - 1] are not read. NaN where T is singular; .perturb moves pivots near 0 away from 0, as inverse iteration
    needs.
        x = tt_tridiagonal_solve(low, mid, high, b);

    tt_tridiagonal_solve in tutti/linalg.h"""
    return _core.call(lib.tt_tridiagonal_solve_at, ("low", "mid", "high", "b"), "vvvv", (low, mid, high, b),
        _tt_tridiagonal_opts, (perturb,))


def norm(v: Any, *, ord: Optional[str] = None, axis: Optional[Axes] = None, keepdims: Optional[Union[bool,
        int]] = None) -> Any:
    """numpy.linalg.norm. ord of vectors: "2" (default), "1", "inf", "-inf", "0" (the number of elements that are not 0), or
    any other number p: (sum |x|^p)^(1/p). Of matrices: "fro" (default), "nuc" (the sum of the singular values), "2",
    "-2" (the largest, the smallest), "1", "-1" (the largest, smallest sum of a column's |x|), "inf", "-inf" (of a
    row's). dims: one for vectors, two for matrices, rows first. Without .dims: of v itself if its rank is 1 or 2;
    without .ord too, of all elements as one vector.
        tt_norm(v), tt_norm(v, .ord = "1"), tt_norm(a, .ord = "nuc"), tt_norm(x, .dims = "-1", .keepdims = 1);

    tt_norm in tutti/linalg.h"""
    return _core.call(lib.tt_norm_at, ("v",), "v", (v,), _tt_ord_opts, (ord, axis, keepdims))


def eig(v: Any) -> Any:
    """(w, V): eigenvalues and eigenvectors in columns, complex, of any square matrix, in no particular order. Columns have
    norm 1, and their largest element is real. Their derivative keeps this normalisation, as JAX's with
    enable_eigvec_derivs.
        tt_unpack(tt_eig(a), &w, &v), w = tt_eigvals(a);

    tt_eig in tutti/linalg.h"""
    return _core.call(lib.tt_eig_at, ("v",), "v", (v,))


def eigvals(v: Any) -> Any:
    """w alone

    tt_eigvals in tutti/linalg.h"""
    return _core.call(lib.tt_eigvals_at, ("v",), "v", (v,))


def schur(v: Any) -> Any:
    """Decompositions v = Z T Z' with Z' Z = 1, without derivatives, as in JAX. schur: (T, Z), T upper triangular; for a
    real v with 2 x 2 blocks for pairs of complex eigenvalues. hessenberg: (T, Z), T zero below its subdiagonal.
    tridiagonal: (d, e, Z), T's diagonal and off-diagonal, real, of (v + v') / 2.
        tt_unpack(tt_schur(a), &t_part, &z), tt_unpack(tt_hessenberg(a), &t_part, &z);
        tt_unpack(tt_tridiagonal(a), &d, &e, &z);

    tt_schur in tutti/linalg.h"""
    return _core.call(lib.tt_schur_at, ("v",), "v", (v,))


def hessenberg(v: Any) -> Any:
    """Decompositions v = Z T Z' with Z' Z = 1, without derivatives, as in JAX. schur: (T, Z), T upper triangular; for a
    real v with 2 x 2 blocks for pairs of complex eigenvalues. hessenberg: (T, Z), T zero below its subdiagonal.
    tridiagonal: (d, e, Z), T's diagonal and off-diagonal, real, of (v + v') / 2.
        tt_unpack(tt_schur(a), &t_part, &z), tt_unpack(tt_hessenberg(a), &t_part, &z);
        tt_unpack(tt_tridiagonal(a), &d, &e, &z);

    tt_hessenberg in tutti/linalg.h"""
    return _core.call(lib.tt_hessenberg_at, ("v",), "v", (v,))


def tridiagonal(v: Any) -> Any:
    """Decompositions v = Z T Z' with Z' Z = 1, without derivatives, as in JAX. schur: (T, Z), T upper triangular; for a
    real v with 2 x 2 blocks for pairs of complex eigenvalues. hessenberg: (T, Z), T zero below its subdiagonal.
    tridiagonal: (d, e, Z), T's diagonal and off-diagonal, real, of (v + v') / 2.
        tt_unpack(tt_schur(a), &t_part, &z), tt_unpack(tt_hessenberg(a), &t_part, &z);
        tt_unpack(tt_tridiagonal(a), &d, &e, &z);

    tt_tridiagonal in tutti/linalg.h"""
    return _core.call(lib.tt_tridiagonal_at, ("v",), "v", (v,))


def lu(v: Any) -> Any:
    """(lu, pivots, permutation): v[permutation] = L U. lu holds U and, below the diagonal, L, whose diagonal is ones; row i
    was exchanged with row pivots[i].
        tt_unpack(tt_lu(a), &lu, &pivots, &order);

    tt_lu in tutti/linalg.h"""
    return _core.call(lib.tt_lu_at, ("v",), "v", (v,))


def eigh(v: Any) -> Any:
    """(w, V): eigenvalues in rising order, and eigenvectors in columns, of (v + v') / 2.
        tt_unpack(tt_eigh(a), &w, &v);

    tt_eigh in tutti/linalg.h"""
    return _core.call(lib.tt_eigh_at, ("v",), "v", (v,))


def svdvals(v: Any) -> Any:
    """s alone

    tt_svdvals in tutti/linalg.h"""
    return _core.call(lib.tt_svdvals_at, ("v",), "v", (v,))


def inv(v: Any) -> Any:
    """Compositions of the functions above, as in numpy.linalg. solve: x with a x = b, by LU; b of rank 1 is a vector.
    lstsq: the x of least norm that minimises |a x - b|, by SVD. pinv: likewise by SVD. Both treat singular values below
    the largest times 10 max(m, n) epsilon as zero. slogdet: (sign, log |det|).
        tt_solve(a, b), tt_lstsq(a, b), tt_inv(a), tt_pinv(a), tt_det(a);
        tt_unpack(tt_slogdet(a), &sign, &log_size);

    tt_inv in tutti/linalg.h"""
    return _core.call(lib.tt_inv_at, ("v",), "v", (v,))


def pinv(v: Any) -> Any:
    """Compositions of the functions above, as in numpy.linalg. solve: x with a x = b, by LU; b of rank 1 is a vector.
    lstsq: the x of least norm that minimises |a x - b|, by SVD. pinv: likewise by SVD. Both treat singular values below
    the largest times 10 max(m, n) epsilon as zero. slogdet: (sign, log |det|).
        tt_solve(a, b), tt_lstsq(a, b), tt_inv(a), tt_pinv(a), tt_det(a);
        tt_unpack(tt_slogdet(a), &sign, &log_size);

    tt_pinv in tutti/linalg.h"""
    return _core.call(lib.tt_pinv_at, ("v",), "v", (v,))


def det(v: Any) -> Any:
    """Compositions of the functions above, as in numpy.linalg. solve: x with a x = b, by LU; b of rank 1 is a vector.
    lstsq: the x of least norm that minimises |a x - b|, by SVD. pinv: likewise by SVD. Both treat singular values below
    the largest times 10 max(m, n) epsilon as zero. slogdet: (sign, log |det|).
        tt_solve(a, b), tt_lstsq(a, b), tt_inv(a), tt_pinv(a), tt_det(a);
        tt_unpack(tt_slogdet(a), &sign, &log_size);

    tt_det in tutti/linalg.h"""
    return _core.call(lib.tt_det_at, ("v",), "v", (v,))


def slogdet(v: Any) -> Any:
    """Compositions of the functions above, as in numpy.linalg. solve: x with a x = b, by LU; b of rank 1 is a vector.
    lstsq: the x of least norm that minimises |a x - b|, by SVD. pinv: likewise by SVD. Both treat singular values below
    the largest times 10 max(m, n) epsilon as zero. slogdet: (sign, log |det|).
        tt_solve(a, b), tt_lstsq(a, b), tt_inv(a), tt_pinv(a), tt_det(a);
        tt_unpack(tt_slogdet(a), &sign, &log_size);

    tt_slogdet in tutti/linalg.h"""
    return _core.call(lib.tt_slogdet_at, ("v",), "v", (v,))


def solve(a: Any, b: Any) -> Any:
    """Compositions of the functions above, as in numpy.linalg. solve: x with a x = b, by LU; b of rank 1 is a vector.
    lstsq: the x of least norm that minimises |a x - b|, by SVD. pinv: likewise by SVD. Both treat singular values below
    the largest times 10 max(m, n) epsilon as zero. slogdet: (sign, log |det|).
        tt_solve(a, b), tt_lstsq(a, b), tt_inv(a), tt_pinv(a), tt_det(a);
        tt_unpack(tt_slogdet(a), &sign, &log_size);

    tt_solve in tutti/linalg.h"""
    return _core.call(lib.tt_solve_at, ("a", "b"), "vv", (a, b))


def lstsq(a: Any, b: Any) -> Any:
    """Compositions of the functions above, as in numpy.linalg. solve: x with a x = b, by LU; b of rank 1 is a vector.
    lstsq: the x of least norm that minimises |a x - b|, by SVD. pinv: likewise by SVD. Both treat singular values below
    the largest times 10 max(m, n) epsilon as zero. slogdet: (sign, log |det|).
        tt_solve(a, b), tt_lstsq(a, b), tt_inv(a), tt_pinv(a), tt_det(a);
        tt_unpack(tt_slogdet(a), &sign, &log_size);

    tt_lstsq in tutti/linalg.h"""
    return _core.call(lib.tt_lstsq_at, ("a", "b"), "vv", (a, b))


def mean(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """tt_mean(x), tt_var(x, .dims = "0"), tt_std(x, .dims = "-1", .keepdims = 1), tt_logsumexp(x, .dims = "-1");

    tt_mean in tutti/num.h"""
    return _core.call(lib.tt_mean_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def var(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """tt_mean(x), tt_var(x, .dims = "0"), tt_std(x, .dims = "-1", .keepdims = 1), tt_logsumexp(x, .dims = "-1");

    tt_var in tutti/num.h"""
    return _core.call(lib.tt_var_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def std(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """tt_mean(x), tt_var(x, .dims = "0"), tt_std(x, .dims = "-1", .keepdims = 1), tt_logsumexp(x, .dims = "-1");

    tt_std in tutti/num.h"""
    return _core.call(lib.tt_std_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def logsumexp(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """tt_mean(x), tt_var(x, .dims = "0"), tt_std(x, .dims = "-1", .keepdims = 1), tt_logsumexp(x, .dims = "-1");

    tt_logsumexp in tutti/num.h"""
    return _core.call(lib.tt_logsumexp_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def square(v: Any) -> Any:
    """Elementwise compositions. relu has derivative 0 at 0.
        tt_square(x), tt_reciprocal(x), tt_relu(x), tt_relu6(x), tt_silu(x), tt_softplus(x), tt_log_sigmoid(x);
        tt_gelu(x), tt_gelu_erf(x);

    tt_square in tutti/num.h"""
    return _core.call(lib.tt_square_at, ("v",), "v", (v,))


def reciprocal(v: Any) -> Any:
    """Elementwise compositions. relu has derivative 0 at 0.
        tt_square(x), tt_reciprocal(x), tt_relu(x), tt_relu6(x), tt_silu(x), tt_softplus(x), tt_log_sigmoid(x);
        tt_gelu(x), tt_gelu_erf(x);

    tt_reciprocal in tutti/num.h"""
    return _core.call(lib.tt_reciprocal_at, ("v",), "v", (v,))


def relu(v: Any) -> Any:
    """Elementwise compositions. relu has derivative 0 at 0.
        tt_square(x), tt_reciprocal(x), tt_relu(x), tt_relu6(x), tt_silu(x), tt_softplus(x), tt_log_sigmoid(x);
        tt_gelu(x), tt_gelu_erf(x);

    tt_relu in tutti/num.h"""
    return _core.call(lib.tt_relu_at, ("v",), "v", (v,))


def relu6(v: Any) -> Any:
    """Elementwise compositions. relu has derivative 0 at 0.
        tt_square(x), tt_reciprocal(x), tt_relu(x), tt_relu6(x), tt_silu(x), tt_softplus(x), tt_log_sigmoid(x);
        tt_gelu(x), tt_gelu_erf(x);

    tt_relu6 in tutti/num.h"""
    return _core.call(lib.tt_relu6_at, ("v",), "v", (v,))


def silu(v: Any) -> Any:
    """Elementwise compositions. relu has derivative 0 at 0.
        tt_square(x), tt_reciprocal(x), tt_relu(x), tt_relu6(x), tt_silu(x), tt_softplus(x), tt_log_sigmoid(x);
        tt_gelu(x), tt_gelu_erf(x);

    tt_silu in tutti/num.h"""
    return _core.call(lib.tt_silu_at, ("v",), "v", (v,))


def softplus(v: Any) -> Any:
    """Elementwise compositions. relu has derivative 0 at 0.
        tt_square(x), tt_reciprocal(x), tt_relu(x), tt_relu6(x), tt_silu(x), tt_softplus(x), tt_log_sigmoid(x);
        tt_gelu(x), tt_gelu_erf(x);

    tt_softplus in tutti/num.h"""
    return _core.call(lib.tt_softplus_at, ("v",), "v", (v,))


def log_sigmoid(v: Any) -> Any:
    """Elementwise compositions. relu has derivative 0 at 0.
        tt_square(x), tt_reciprocal(x), tt_relu(x), tt_relu6(x), tt_silu(x), tt_softplus(x), tt_log_sigmoid(x);
        tt_gelu(x), tt_gelu_erf(x);

    tt_log_sigmoid in tutti/num.h"""
    return _core.call(lib.tt_log_sigmoid_at, ("v",), "v", (v,))


def gelu(v: Any) -> Any:
    """the tanh form, JAX's default

    tt_gelu in tutti/num.h"""
    return _core.call(lib.tt_gelu_at, ("v",), "v", (v,))


def gelu_erf(v: Any) -> Any:
    """Elementwise compositions. relu has derivative 0 at 0.
        tt_square(x), tt_reciprocal(x), tt_relu(x), tt_relu6(x), tt_silu(x), tt_softplus(x), tt_log_sigmoid(x);
        tt_gelu(x), tt_gelu_erf(x);

    tt_gelu_erf in tutti/num.h"""
    return _core.call(lib.tt_gelu_erf_at, ("v",), "v", (v,))


def exp2(v: Any) -> Any:
    """Elementary functions composed of others, and NumPy's helpers (fmax, fmin: a NaN is ignored; heaviside(x,
    at_zero)). As in JAX, hypot's derivatives are NaN at (0, 0), and for an operand that is infinite; those of logaddexp
    are NaN where both operands are -infinity, and 1 and e^b at (infinity, b).
        tt_exp2(x), tt_log2(x), tt_log10(x), tt_asin(x), tt_acos(x), tt_atan(x), tt_sinh(x), tt_cosh(x);
        tt_asinh(x), tt_acosh(x), tt_atanh(x), tt_signbit(x);
        tt_hypot(x, y), tt_logaddexp(x, y), tt_copysign(x, y), tt_fmax(x, y), tt_fmin(x, y);
        tt_heaviside(x, tt_f(0.5));

    tt_exp2 in tutti/num.h"""
    return _core.call(lib.tt_exp2_at, ("v",), "v", (v,))


def log2(v: Any) -> Any:
    """Elementary functions composed of others, and NumPy's helpers (fmax, fmin: a NaN is ignored; heaviside(x,
    at_zero)). As in JAX, hypot's derivatives are NaN at (0, 0), and for an operand that is infinite; those of logaddexp
    are NaN where both operands are -infinity, and 1 and e^b at (infinity, b).
        tt_exp2(x), tt_log2(x), tt_log10(x), tt_asin(x), tt_acos(x), tt_atan(x), tt_sinh(x), tt_cosh(x);
        tt_asinh(x), tt_acosh(x), tt_atanh(x), tt_signbit(x);
        tt_hypot(x, y), tt_logaddexp(x, y), tt_copysign(x, y), tt_fmax(x, y), tt_fmin(x, y);
        tt_heaviside(x, tt_f(0.5));

    tt_log2 in tutti/num.h"""
    return _core.call(lib.tt_log2_at, ("v",), "v", (v,))


def log10(v: Any) -> Any:
    """Elementary functions composed of others, and NumPy's helpers (fmax, fmin: a NaN is ignored; heaviside(x,
    at_zero)). As in JAX, hypot's derivatives are NaN at (0, 0), and for an operand that is infinite; those of logaddexp
    are NaN where both operands are -infinity, and 1 and e^b at (infinity, b).
        tt_exp2(x), tt_log2(x), tt_log10(x), tt_asin(x), tt_acos(x), tt_atan(x), tt_sinh(x), tt_cosh(x);
        tt_asinh(x), tt_acosh(x), tt_atanh(x), tt_signbit(x);
        tt_hypot(x, y), tt_logaddexp(x, y), tt_copysign(x, y), tt_fmax(x, y), tt_fmin(x, y);
        tt_heaviside(x, tt_f(0.5));

    tt_log10 in tutti/num.h"""
    return _core.call(lib.tt_log10_at, ("v",), "v", (v,))


def asin(v: Any) -> Any:
    """Elementary functions composed of others, and NumPy's helpers (fmax, fmin: a NaN is ignored; heaviside(x,
    at_zero)). As in JAX, hypot's derivatives are NaN at (0, 0), and for an operand that is infinite; those of logaddexp
    are NaN where both operands are -infinity, and 1 and e^b at (infinity, b).
        tt_exp2(x), tt_log2(x), tt_log10(x), tt_asin(x), tt_acos(x), tt_atan(x), tt_sinh(x), tt_cosh(x);
        tt_asinh(x), tt_acosh(x), tt_atanh(x), tt_signbit(x);
        tt_hypot(x, y), tt_logaddexp(x, y), tt_copysign(x, y), tt_fmax(x, y), tt_fmin(x, y);
        tt_heaviside(x, tt_f(0.5));

    tt_asin in tutti/num.h"""
    return _core.call(lib.tt_asin_at, ("v",), "v", (v,))


def acos(v: Any) -> Any:
    """Elementary functions composed of others, and NumPy's helpers (fmax, fmin: a NaN is ignored; heaviside(x,
    at_zero)). As in JAX, hypot's derivatives are NaN at (0, 0), and for an operand that is infinite; those of logaddexp
    are NaN where both operands are -infinity, and 1 and e^b at (infinity, b).
        tt_exp2(x), tt_log2(x), tt_log10(x), tt_asin(x), tt_acos(x), tt_atan(x), tt_sinh(x), tt_cosh(x);
        tt_asinh(x), tt_acosh(x), tt_atanh(x), tt_signbit(x);
        tt_hypot(x, y), tt_logaddexp(x, y), tt_copysign(x, y), tt_fmax(x, y), tt_fmin(x, y);
        tt_heaviside(x, tt_f(0.5));

    tt_acos in tutti/num.h"""
    return _core.call(lib.tt_acos_at, ("v",), "v", (v,))


def atan(v: Any) -> Any:
    """Elementary functions composed of others, and NumPy's helpers (fmax, fmin: a NaN is ignored; heaviside(x,
    at_zero)). As in JAX, hypot's derivatives are NaN at (0, 0), and for an operand that is infinite; those of logaddexp
    are NaN where both operands are -infinity, and 1 and e^b at (infinity, b).
        tt_exp2(x), tt_log2(x), tt_log10(x), tt_asin(x), tt_acos(x), tt_atan(x), tt_sinh(x), tt_cosh(x);
        tt_asinh(x), tt_acosh(x), tt_atanh(x), tt_signbit(x);
        tt_hypot(x, y), tt_logaddexp(x, y), tt_copysign(x, y), tt_fmax(x, y), tt_fmin(x, y);
        tt_heaviside(x, tt_f(0.5));

    tt_atan in tutti/num.h"""
    return _core.call(lib.tt_atan_at, ("v",), "v", (v,))


def sinh(v: Any) -> Any:
    """Elementary functions composed of others, and NumPy's helpers (fmax, fmin: a NaN is ignored; heaviside(x,
    at_zero)). As in JAX, hypot's derivatives are NaN at (0, 0), and for an operand that is infinite; those of logaddexp
    are NaN where both operands are -infinity, and 1 and e^b at (infinity, b).
        tt_exp2(x), tt_log2(x), tt_log10(x), tt_asin(x), tt_acos(x), tt_atan(x), tt_sinh(x), tt_cosh(x);
        tt_asinh(x), tt_acosh(x), tt_atanh(x), tt_signbit(x);
        tt_hypot(x, y), tt_logaddexp(x, y), tt_copysign(x, y), tt_fmax(x, y), tt_fmin(x, y);
        tt_heaviside(x, tt_f(0.5));

    tt_sinh in tutti/num.h"""
    return _core.call(lib.tt_sinh_at, ("v",), "v", (v,))


def cosh(v: Any) -> Any:
    """Elementary functions composed of others, and NumPy's helpers (fmax, fmin: a NaN is ignored; heaviside(x,
    at_zero)). As in JAX, hypot's derivatives are NaN at (0, 0), and for an operand that is infinite; those of logaddexp
    are NaN where both operands are -infinity, and 1 and e^b at (infinity, b).
        tt_exp2(x), tt_log2(x), tt_log10(x), tt_asin(x), tt_acos(x), tt_atan(x), tt_sinh(x), tt_cosh(x);
        tt_asinh(x), tt_acosh(x), tt_atanh(x), tt_signbit(x);
        tt_hypot(x, y), tt_logaddexp(x, y), tt_copysign(x, y), tt_fmax(x, y), tt_fmin(x, y);
        tt_heaviside(x, tt_f(0.5));

    tt_cosh in tutti/num.h"""
    return _core.call(lib.tt_cosh_at, ("v",), "v", (v,))


def asinh(v: Any) -> Any:
    """Elementary functions composed of others, and NumPy's helpers (fmax, fmin: a NaN is ignored; heaviside(x,
    at_zero)). As in JAX, hypot's derivatives are NaN at (0, 0), and for an operand that is infinite; those of logaddexp
    are NaN where both operands are -infinity, and 1 and e^b at (infinity, b).
        tt_exp2(x), tt_log2(x), tt_log10(x), tt_asin(x), tt_acos(x), tt_atan(x), tt_sinh(x), tt_cosh(x);
        tt_asinh(x), tt_acosh(x), tt_atanh(x), tt_signbit(x);
        tt_hypot(x, y), tt_logaddexp(x, y), tt_copysign(x, y), tt_fmax(x, y), tt_fmin(x, y);
        tt_heaviside(x, tt_f(0.5));

    tt_asinh in tutti/num.h"""
    return _core.call(lib.tt_asinh_at, ("v",), "v", (v,))


def acosh(v: Any) -> Any:
    """Elementary functions composed of others, and NumPy's helpers (fmax, fmin: a NaN is ignored; heaviside(x,
    at_zero)). As in JAX, hypot's derivatives are NaN at (0, 0), and for an operand that is infinite; those of logaddexp
    are NaN where both operands are -infinity, and 1 and e^b at (infinity, b).
        tt_exp2(x), tt_log2(x), tt_log10(x), tt_asin(x), tt_acos(x), tt_atan(x), tt_sinh(x), tt_cosh(x);
        tt_asinh(x), tt_acosh(x), tt_atanh(x), tt_signbit(x);
        tt_hypot(x, y), tt_logaddexp(x, y), tt_copysign(x, y), tt_fmax(x, y), tt_fmin(x, y);
        tt_heaviside(x, tt_f(0.5));

    tt_acosh in tutti/num.h"""
    return _core.call(lib.tt_acosh_at, ("v",), "v", (v,))


def atanh(v: Any) -> Any:
    """Elementary functions composed of others, and NumPy's helpers (fmax, fmin: a NaN is ignored; heaviside(x,
    at_zero)). As in JAX, hypot's derivatives are NaN at (0, 0), and for an operand that is infinite; those of logaddexp
    are NaN where both operands are -infinity, and 1 and e^b at (infinity, b).
        tt_exp2(x), tt_log2(x), tt_log10(x), tt_asin(x), tt_acos(x), tt_atan(x), tt_sinh(x), tt_cosh(x);
        tt_asinh(x), tt_acosh(x), tt_atanh(x), tt_signbit(x);
        tt_hypot(x, y), tt_logaddexp(x, y), tt_copysign(x, y), tt_fmax(x, y), tt_fmin(x, y);
        tt_heaviside(x, tt_f(0.5));

    tt_atanh in tutti/num.h"""
    return _core.call(lib.tt_atanh_at, ("v",), "v", (v,))


def signbit(v: Any) -> Any:
    """Elementary functions composed of others, and NumPy's helpers (fmax, fmin: a NaN is ignored; heaviside(x,
    at_zero)). As in JAX, hypot's derivatives are NaN at (0, 0), and for an operand that is infinite; those of logaddexp
    are NaN where both operands are -infinity, and 1 and e^b at (infinity, b).
        tt_exp2(x), tt_log2(x), tt_log10(x), tt_asin(x), tt_acos(x), tt_atan(x), tt_sinh(x), tt_cosh(x);
        tt_asinh(x), tt_acosh(x), tt_atanh(x), tt_signbit(x);
        tt_hypot(x, y), tt_logaddexp(x, y), tt_copysign(x, y), tt_fmax(x, y), tt_fmin(x, y);
        tt_heaviside(x, tt_f(0.5));

    tt_signbit in tutti/num.h"""
    return _core.call(lib.tt_signbit_at, ("v",), "v", (v,))


def hypot(a: Any, b: Any) -> Any:
    """Elementary functions composed of others, and NumPy's helpers (fmax, fmin: a NaN is ignored; heaviside(x,
    at_zero)). As in JAX, hypot's derivatives are NaN at (0, 0), and for an operand that is infinite; those of logaddexp
    are NaN where both operands are -infinity, and 1 and e^b at (infinity, b).
        tt_exp2(x), tt_log2(x), tt_log10(x), tt_asin(x), tt_acos(x), tt_atan(x), tt_sinh(x), tt_cosh(x);
        tt_asinh(x), tt_acosh(x), tt_atanh(x), tt_signbit(x);
        tt_hypot(x, y), tt_logaddexp(x, y), tt_copysign(x, y), tt_fmax(x, y), tt_fmin(x, y);
        tt_heaviside(x, tt_f(0.5));

    tt_hypot in tutti/num.h"""
    return _core.call(lib.tt_hypot_at, ("a", "b"), "vv", (a, b))


def logaddexp(a: Any, b: Any) -> Any:
    """Elementary functions composed of others, and NumPy's helpers (fmax, fmin: a NaN is ignored; heaviside(x,
    at_zero)). As in JAX, hypot's derivatives are NaN at (0, 0), and for an operand that is infinite; those of logaddexp
    are NaN where both operands are -infinity, and 1 and e^b at (infinity, b).
        tt_exp2(x), tt_log2(x), tt_log10(x), tt_asin(x), tt_acos(x), tt_atan(x), tt_sinh(x), tt_cosh(x);
        tt_asinh(x), tt_acosh(x), tt_atanh(x), tt_signbit(x);
        tt_hypot(x, y), tt_logaddexp(x, y), tt_copysign(x, y), tt_fmax(x, y), tt_fmin(x, y);
        tt_heaviside(x, tt_f(0.5));

    tt_logaddexp in tutti/num.h"""
    return _core.call(lib.tt_logaddexp_at, ("a", "b"), "vv", (a, b))


def copysign(a: Any, b: Any) -> Any:
    """Elementary functions composed of others, and NumPy's helpers (fmax, fmin: a NaN is ignored; heaviside(x,
    at_zero)). As in JAX, hypot's derivatives are NaN at (0, 0), and for an operand that is infinite; those of logaddexp
    are NaN where both operands are -infinity, and 1 and e^b at (infinity, b).
        tt_exp2(x), tt_log2(x), tt_log10(x), tt_asin(x), tt_acos(x), tt_atan(x), tt_sinh(x), tt_cosh(x);
        tt_asinh(x), tt_acosh(x), tt_atanh(x), tt_signbit(x);
        tt_hypot(x, y), tt_logaddexp(x, y), tt_copysign(x, y), tt_fmax(x, y), tt_fmin(x, y);
        tt_heaviside(x, tt_f(0.5));

    tt_copysign in tutti/num.h"""
    return _core.call(lib.tt_copysign_at, ("a", "b"), "vv", (a, b))


def fmax(a: Any, b: Any) -> Any:
    """Elementary functions composed of others, and NumPy's helpers (fmax, fmin: a NaN is ignored; heaviside(x,
    at_zero)). As in JAX, hypot's derivatives are NaN at (0, 0), and for an operand that is infinite; those of logaddexp
    are NaN where both operands are -infinity, and 1 and e^b at (infinity, b).
        tt_exp2(x), tt_log2(x), tt_log10(x), tt_asin(x), tt_acos(x), tt_atan(x), tt_sinh(x), tt_cosh(x);
        tt_asinh(x), tt_acosh(x), tt_atanh(x), tt_signbit(x);
        tt_hypot(x, y), tt_logaddexp(x, y), tt_copysign(x, y), tt_fmax(x, y), tt_fmin(x, y);
        tt_heaviside(x, tt_f(0.5));

    tt_fmax in tutti/num.h"""
    return _core.call(lib.tt_fmax_at, ("a", "b"), "vv", (a, b))


def fmin(a: Any, b: Any) -> Any:
    """Elementary functions composed of others, and NumPy's helpers (fmax, fmin: a NaN is ignored; heaviside(x,
    at_zero)). As in JAX, hypot's derivatives are NaN at (0, 0), and for an operand that is infinite; those of logaddexp
    are NaN where both operands are -infinity, and 1 and e^b at (infinity, b).
        tt_exp2(x), tt_log2(x), tt_log10(x), tt_asin(x), tt_acos(x), tt_atan(x), tt_sinh(x), tt_cosh(x);
        tt_asinh(x), tt_acosh(x), tt_atanh(x), tt_signbit(x);
        tt_hypot(x, y), tt_logaddexp(x, y), tt_copysign(x, y), tt_fmax(x, y), tt_fmin(x, y);
        tt_heaviside(x, tt_f(0.5));

    tt_fmin in tutti/num.h"""
    return _core.call(lib.tt_fmin_at, ("a", "b"), "vv", (a, b))


def heaviside(a: Any, b: Any) -> Any:
    """Elementary functions composed of others, and NumPy's helpers (fmax, fmin: a NaN is ignored; heaviside(x,
    at_zero)). As in JAX, hypot's derivatives are NaN at (0, 0), and for an operand that is infinite; those of logaddexp
    are NaN where both operands are -infinity, and 1 and e^b at (infinity, b).
        tt_exp2(x), tt_log2(x), tt_log10(x), tt_asin(x), tt_acos(x), tt_atan(x), tt_sinh(x), tt_cosh(x);
        tt_asinh(x), tt_acosh(x), tt_atanh(x), tt_signbit(x);
        tt_hypot(x, y), tt_logaddexp(x, y), tt_copysign(x, y), tt_fmax(x, y), tt_fmin(x, y);
        tt_heaviside(x, tt_f(0.5));

    tt_heaviside in tutti/num.h"""
    return _core.call(lib.tt_heaviside_at, ("a", "b"), "vv", (a, b))


def ndtri(v: Any) -> Any:
    """ndtri: the inverse of the normal distribution function, computed in float64. Other special functions are primitives
    (ops.h): erfc, erfcx, lgamma, zeta, igamma, betainc, ...
        tt_val quantile = tt_ndtri(tt_f(0.975));

    tt_ndtri in tutti/num.h"""
    return _core.call(lib.tt_ndtri_at, ("v",), "v", (v,))


def sparse_plus(v: Any) -> Any:
    """(v + 1)^2 / 4 in [-1, 1]

    tt_sparse_plus in tutti/num.h"""
    return _core.call(lib.tt_sparse_plus_at, ("v",), "v", (v,))


def hard_tanh(v: Any) -> Any:
    """Activations of jax.nn.
        tt_hard_tanh(x), tt_hard_sigmoid(x), tt_hard_silu(x), tt_soft_sign(x), tt_squareplus(x), tt_selu(x);
        tt_mish(x), tt_sparse_plus(x), tt_leaky_relu(x, 0.01), tt_elu(x, 1), tt_celu(x, 1);
        tt_mod(x, tt_f(3)), tt_floor_divide(x, tt_f(3));

    tt_hard_tanh in tutti/num.h"""
    return _core.call(lib.tt_hard_tanh_at, ("v",), "v", (v,))


def hard_sigmoid(v: Any) -> Any:
    """Activations of jax.nn.
        tt_hard_tanh(x), tt_hard_sigmoid(x), tt_hard_silu(x), tt_soft_sign(x), tt_squareplus(x), tt_selu(x);
        tt_mish(x), tt_sparse_plus(x), tt_leaky_relu(x, 0.01), tt_elu(x, 1), tt_celu(x, 1);
        tt_mod(x, tt_f(3)), tt_floor_divide(x, tt_f(3));

    tt_hard_sigmoid in tutti/num.h"""
    return _core.call(lib.tt_hard_sigmoid_at, ("v",), "v", (v,))


def hard_silu(v: Any) -> Any:
    """Activations of jax.nn.
        tt_hard_tanh(x), tt_hard_sigmoid(x), tt_hard_silu(x), tt_soft_sign(x), tt_squareplus(x), tt_selu(x);
        tt_mish(x), tt_sparse_plus(x), tt_leaky_relu(x, 0.01), tt_elu(x, 1), tt_celu(x, 1);
        tt_mod(x, tt_f(3)), tt_floor_divide(x, tt_f(3));

    tt_hard_silu in tutti/num.h"""
    return _core.call(lib.tt_hard_silu_at, ("v",), "v", (v,))


def soft_sign(v: Any) -> Any:
    """Activations of jax.nn.
        tt_hard_tanh(x), tt_hard_sigmoid(x), tt_hard_silu(x), tt_soft_sign(x), tt_squareplus(x), tt_selu(x);
        tt_mish(x), tt_sparse_plus(x), tt_leaky_relu(x, 0.01), tt_elu(x, 1), tt_celu(x, 1);
        tt_mod(x, tt_f(3)), tt_floor_divide(x, tt_f(3));

    tt_soft_sign in tutti/num.h"""
    return _core.call(lib.tt_soft_sign_at, ("v",), "v", (v,))


def squareplus(v: Any) -> Any:
    """Activations of jax.nn.
        tt_hard_tanh(x), tt_hard_sigmoid(x), tt_hard_silu(x), tt_soft_sign(x), tt_squareplus(x), tt_selu(x);
        tt_mish(x), tt_sparse_plus(x), tt_leaky_relu(x, 0.01), tt_elu(x, 1), tt_celu(x, 1);
        tt_mod(x, tt_f(3)), tt_floor_divide(x, tt_f(3));

    tt_squareplus in tutti/num.h"""
    return _core.call(lib.tt_squareplus_at, ("v",), "v", (v,))


def selu(v: Any) -> Any:
    """Activations of jax.nn.
        tt_hard_tanh(x), tt_hard_sigmoid(x), tt_hard_silu(x), tt_soft_sign(x), tt_squareplus(x), tt_selu(x);
        tt_mish(x), tt_sparse_plus(x), tt_leaky_relu(x, 0.01), tt_elu(x, 1), tt_celu(x, 1);
        tt_mod(x, tt_f(3)), tt_floor_divide(x, tt_f(3));

    tt_selu in tutti/num.h"""
    return _core.call(lib.tt_selu_at, ("v",), "v", (v,))


def mish(v: Any) -> Any:
    """Activations of jax.nn.
        tt_hard_tanh(x), tt_hard_sigmoid(x), tt_hard_silu(x), tt_soft_sign(x), tt_squareplus(x), tt_selu(x);
        tt_mish(x), tt_sparse_plus(x), tt_leaky_relu(x, 0.01), tt_elu(x, 1), tt_celu(x, 1);
        tt_mod(x, tt_f(3)), tt_floor_divide(x, tt_f(3));

    tt_mish in tutti/num.h"""
    return _core.call(lib.tt_mish_at, ("v",), "v", (v,))


def leaky_relu(v: Any, slope: float = 0.01) -> Any:
    """JAX: 0.01

    tt_leaky_relu in tutti/num.h"""
    return _core.call(lib.tt_leaky_relu_at, ("v", "slope"), "vd", (v, slope))


def elu(v: Any, alpha: float = 1.0) -> Any:
    """Activations of jax.nn.
        tt_hard_tanh(x), tt_hard_sigmoid(x), tt_hard_silu(x), tt_soft_sign(x), tt_squareplus(x), tt_selu(x);
        tt_mish(x), tt_sparse_plus(x), tt_leaky_relu(x, 0.01), tt_elu(x, 1), tt_celu(x, 1);
        tt_mod(x, tt_f(3)), tt_floor_divide(x, tt_f(3));

    tt_elu in tutti/num.h"""
    return _core.call(lib.tt_elu_at, ("v", "alpha"), "vd", (v, alpha))


def celu(v: Any, alpha: float = 1.0) -> Any:
    """Activations of jax.nn.
        tt_hard_tanh(x), tt_hard_sigmoid(x), tt_hard_silu(x), tt_soft_sign(x), tt_squareplus(x), tt_selu(x);
        tt_mish(x), tt_sparse_plus(x), tt_leaky_relu(x, 0.01), tt_elu(x, 1), tt_celu(x, 1);
        tt_mod(x, tt_f(3)), tt_floor_divide(x, tt_f(3));

    tt_celu in tutti/num.h"""
    return _core.call(lib.tt_celu_at, ("v", "alpha"), "vd", (v, alpha))


def mod(a: Any, b: Any) -> Any:
    """has the divisor's sign

    tt_mod in tutti/num.h"""
    return _core.call(lib.tt_mod_at, ("a", "b"), "vv", (a, b))


def floor_divide(a: Any, b: Any) -> Any:
    """Activations of jax.nn.
        tt_hard_tanh(x), tt_hard_sigmoid(x), tt_hard_silu(x), tt_soft_sign(x), tt_squareplus(x), tt_selu(x);
        tt_mish(x), tt_sparse_plus(x), tt_leaky_relu(x, 0.01), tt_elu(x, 1), tt_celu(x, 1);
        tt_mod(x, tt_f(3)), tt_floor_divide(x, tt_f(3));

    tt_floor_divide in tutti/num.h"""
    return _core.call(lib.tt_floor_divide_at, ("a", "b"), "vv", (a, b))


def where(p: Any, x: Any, y: Any) -> Any:
    """where(p, x, y): x where p is true, else y; broadcasts and promotes x and y.
        tt_val positive = tt_where(tt_gt(x, tt_f(0)), x, tt_f(0));

    tt_where in tutti/num.h"""
    return _core.call(lib.tt_where_at, ("p", "x", "y"), "vvv", (p, x, y))


def softmax(v: Any, *, axis: Optional[Axes] = None, where: Optional[Any] = None) -> Any:
    """Bools are an error. dims: "0, 1" (default: the last). where: bools, broadcast to v: the elements that take
    part; the others give 0, of log_softmax -infinity.
        tt_val p = tt_softmax(logits), masked = tt_softmax(logits, .where = mask);
        tt_val log_p = tt_log_softmax(logits, .dims = "0");

    tt_softmax in tutti/num.h"""
    return _core.call(lib.tt_softmax_at, ("v",), "v", (v,), _tt_softmax_opts, (axis, where))


def log_softmax(v: Any, *, axis: Optional[Axes] = None, where: Optional[Any] = None) -> Any:
    """Bools are an error. dims: "0, 1" (default: the last). where: bools, broadcast to v: the elements that take
    part; the others give 0, of log_softmax -infinity.
        tt_val p = tt_softmax(logits), masked = tt_softmax(logits, .where = mask);
        tt_val log_p = tt_log_softmax(logits, .dims = "0");

    tt_log_softmax in tutti/num.h"""
    return _core.call(lib.tt_log_softmax_at, ("v",), "v", (v,), _tt_softmax_opts, (axis, where))


def glu(v: Any) -> Any:
    """Over the last dim: the first half times the logistic of the second half
        tt_val gated = tt_glu(x);
        tt_val standard = tt_standardize(x, .dims = "-1"), classes = tt_one_hot(labels, 10, TT_F32);

    tt_glu in tutti/num.h"""
    return _core.call(lib.tt_glu_at, ("v",), "v", (v,))


def standardize(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """Over the last dim: the first half times the logistic of the second half
        tt_val gated = tt_glu(x);
        tt_val standard = tt_standardize(x, .dims = "-1"), classes = tt_one_hot(labels, 10, TT_F32);

    tt_standardize in tutti/num.h"""
    return _core.call(lib.tt_standardize_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def one_hot(v: Any, n: int, dtype: DtypeLike = float) -> Any:
    """tt_one_hot of C.

    tt_one_hot in tutti/num.h"""
    return _core.call(lib.tt_one_hot_at, ("v", "n", "dtype"), "vit", (v, n, dtype))


def xent(a: Any, b: Any) -> Any:
    """Losses, one value per example: integer labels [B] or a distribution [B, K]. As in optax, a negative label counts from
    the end, and a label out of range gives NaN, with the gradient of log(sum(exp(logits))). To ignore examples, give
    them any label and mask the loss: tt_where(counts, tt_xent(logits, tt_where(counts, labels, tt_i(0))), tt_f(0)).
    Labels have logits' dims. Two shapes that would broadcast against each other, [B] and [B, 1], are an error.
        tt_mean(tt_xent(logits, labels)), tt_mean(tt_l2_loss(y, target)), tt_mean(tt_bce(logits, labels));
        tt_mean(tt_log_cosh(y, target)), tt_mean(tt_hinge(y, target)), tt_mean(tt_kl(log_p, q));

    tt_xent in tutti/num.h"""
    return _core.call(lib.tt_xent_at, ("a", "b"), "vv", (a, b))


def l2_loss(a: Any, b: Any) -> Any:
    """(a - b)^2 / 2

    tt_l2_loss in tutti/num.h"""
    return _core.call(lib.tt_l2_loss_at, ("a", "b"), "vv", (a, b))


def bce(a: Any, b: Any) -> Any:
    """binary cross-entropy of the logistic of logits

    tt_bce in tutti/num.h"""
    return _core.call(lib.tt_bce_at, ("a", "b"), "vv", (a, b))


def log_cosh(a: Any, b: Any) -> Any:
    """binary cross-entropy of the logistic of logits

    tt_log_cosh in tutti/num.h"""
    return _core.call(lib.tt_log_cosh_at, ("a", "b"), "vv", (a, b))


def hinge(a: Any, b: Any) -> Any:
    """labels -1, 1

    tt_hinge in tutti/num.h"""
    return _core.call(lib.tt_hinge_at, ("a", "b"), "vv", (a, b))


def kl(a: Any, b: Any) -> Any:
    """sum of q (log q - log p) over the last dim

    tt_kl in tutti/num.h"""
    return _core.call(lib.tt_kl_at, ("a", "b"), "vv", (a, b))


def smooth_labels(labels: Any, alpha: float) -> Any:
    """labels (1 - alpha) + alpha / classes, of a distribution [B, K] of floats
        tt_val soft = tt_smooth_labels(tt_one_hot(labels, 10, TT_F32), 0.1), robust = tt_mean(tt_huber(y, target, 1));

    tt_smooth_labels in tutti/num.h"""
    return _core.call(lib.tt_smooth_labels_at, ("labels", "alpha"), "vd", (labels, alpha))


def huber(a: Any, b: Any, delta: float = 1.0) -> Any:
    """labels (1 - alpha) + alpha / classes, of a distribution [B, K] of floats
        tt_val soft = tt_smooth_labels(tt_one_hot(labels, 10, TT_F32), 0.1), robust = tt_mean(tt_huber(y, target, 1));

    tt_huber in tutti/num.h"""
    return _core.call(lib.tt_huber_at, ("a", "b", "delta"), "vvd", (a, b, delta))


def cosine(a: Any, b: Any, eps: float = 0.0) -> Any:
    """Cosine similarity over the last dim, -1 to 1; the distance is 1 minus the similarity. eps >= 0 is the least length:
    a vector shorter than eps is divided by eps (optax 0.2.8 compares eps with the square of the length).
        tt_val similar = tt_cosine(a, b, 1e-8);

    tt_cosine in tutti/num.h"""
    return _core.call(lib.tt_cosine_at, ("a", "b", "eps"), "vvd", (a, b, eps))


def flatten(v: Any, start: int = 0) -> Any:
    """Shape. flatten(v, from): dims from `from` on become one. stack_values: along a new dim.
        tt_val rows = tt_flatten(images, 1), both = tt_stack_values(0, x, y);

    tt_flatten in tutti/num.h"""
    return _core.call(lib.tt_flatten_at, ("v", "start"), "vi", (v, start))


def expand_dims(v: Any, axis: int) -> Any:
    """a new dim of size 1
        tt_val column = tt_expand_dims(x, 1), line = tt_squeeze(column, 1);

    tt_expand_dims in tutti/num.h"""
    return _core.call(lib.tt_expand_dims_at, ("v", "axis"), "vi", (v, axis))


def chunk(v: Any, n: int, axis: int) -> Any:
    """At most n pieces of size ceil(size / n) along dim, the last one may be shorter: a tuple (torch.chunk).
        tt_unpack(tt_chunk(x, 2, -1), &a, &b);

    tt_chunk in tutti/num.h"""
    return _core.call(lib.tt_chunk_at, ("v", "n", "axis"), "vii", (v, n, axis))


def avg_pool(v: Any, *, window: Optional[Any] = None, stride: Optional[Any] = None, pad: Optional[str] = None,
        real_only: Optional[Union[bool, int]] = None) -> Any:
    """The mean, the maximum and the minimum of windows of v, as tt_pool_opts says.
        tt_avg_pool(images, .window = { 2, 2 }, .stride = { 2, 2 }), tt_max_pool(images, .window = { 2, 2 });
        tt_min_pool(images, .window = { 2, 2 });

    tt_avg_pool in tutti/num.h"""
    return _core.call(lib.tt_avg_pool_at, ("v",), "v", (v,), _tt_pool_opts, (window, stride, pad, real_only))


def max_pool(v: Any, *, window: Optional[Any] = None, stride: Optional[Any] = None, pad: Optional[str] = None,
        real_only: Optional[Union[bool, int]] = None) -> Any:
    """The mean, the maximum and the minimum of windows of v, as tt_pool_opts says.
        tt_avg_pool(images, .window = { 2, 2 }, .stride = { 2, 2 }), tt_max_pool(images, .window = { 2, 2 });
        tt_min_pool(images, .window = { 2, 2 });

    tt_max_pool in tutti/num.h"""
    return _core.call(lib.tt_max_pool_at, ("v",), "v", (v,), _tt_pool_opts, (window, stride, pad, real_only))


def min_pool(v: Any, *, window: Optional[Any] = None, stride: Optional[Any] = None, pad: Optional[str] = None,
        real_only: Optional[Union[bool, int]] = None) -> Any:
    """The mean, the maximum and the minimum of windows of v, as tt_pool_opts says.
        tt_avg_pool(images, .window = { 2, 2 }, .stride = { 2, 2 }), tt_max_pool(images, .window = { 2, 2 });
        tt_min_pool(images, .window = { 2, 2 });

    tt_min_pool in tutti/num.h"""
    return _core.call(lib.tt_min_pool_at, ("v",), "v", (v,), _tt_pool_opts, (window, stride, pad, real_only))


def cumlogsumexp(v: Any, axis: int, *, reverse: Optional[Union[bool, int]] = None) -> Any:
    """log of the cumulative sum of e^v along dim
        tt_val running = tt_cumlogsumexp(x, -1);

    tt_cumlogsumexp in tutti/num.h"""
    return _core.call(lib.tt_cumlogsumexp_at, ("v", "axis"), "vi", (v, axis), _tt_cum_opts, (reverse,))


def searchsorted(sorted: Any, v: Any, *, right: Optional[Union[bool, int]] = None) -> Any:
    """Indices, i32, at which v's elements would be inserted into sorted (rank 1) to keep it sorted: before equal elements
    (right: after them).
        tt_val bins = tt_searchsorted(edges, x, .right = 1);

    tt_searchsorted in tutti/num.h"""
    return _core.call(lib.tt_searchsorted_at, ("sorted", "v"), "vv", (sorted, v), _tt_search_opts, (right,))


def select_n(which: Any, choice: Any) -> Any:
    """Selects elementwise among the choices: by a bool (false: the first of two) or an integer, clamped to the range of
    choices.
        tt_val chosen = tt_select_n(which, a, b, c);

    tt_select_n in tutti/num.h"""
    return _core.call(lib.tt_select_n_at, ("which", "choice"), "vV", (which, choice))


def top_k(v: Any, k: int) -> Any:
    """(values, indices) over the last dim
        tt_unpack(tt_top_k(x, 5), &best, &ids);

    tt_top_k in tutti/num.h"""
    return _core.call(lib.tt_top_k_at, ("v", "k"), "vi", (v, k))


def global_norm(tree: Any) -> Any:
    """square root of the sum of squares of all leaves
        printf("%g\\n", tt_num(tt_global_norm(grads)));

    tt_global_norm in tutti/num.h"""
    return _core.call(lib.tt_global_norm_at, ("tree",), "v", (tree,))


def meshgrid(values: Any) -> Any:
    """From x [a], y [b], ... (rank 1): a tuple of arrays [a, b, ...]; array i varies along dim i only (indexing "ij").
        tt_unpack(tt_meshgrid(xs, ys), &x, &y);

    tt_meshgrid in tutti/numpy.h"""
    return _core.call(lib.tt_meshgrid_at, ("values",), "V", (values,))


def tril(v: Any, k: int = 0) -> Any:
    """Of the last two dims: zeros above (tril) or below (triu) the k-th diagonal.
        tt_tril(a, 0), tt_triu(a, 1);

    tt_tril in tutti/numpy.h"""
    return _core.call(lib.tt_tril_at, ("v", "k"), "vi", (v, k))


def triu(v: Any, k: int = 0) -> Any:
    """Of the last two dims: zeros above (tril) or below (triu) the k-th diagonal.
        tt_tril(a, 0), tt_triu(a, 1);

    tt_triu in tutti/numpy.h"""
    return _core.call(lib.tt_triu_at, ("v", "k"), "vi", (v, k))


def diag(v: Any, k: int = 0) -> Any:
    """Rank 1: the matrix with v as k-th diagonal. Rank 2: the k-th diagonal. trace: the sum of the main diagonal.
        tt_diag(v, 0), tt_diag(a, -1), tt_trace(a);

    tt_diag in tutti/numpy.h"""
    return _core.call(lib.tt_diag_at, ("v", "k"), "vi", (v, k))


def trace(v: Any) -> Any:
    """Rank 1: the matrix with v as k-th diagonal. Rank 2: the k-th diagonal. trace: the sum of the main diagonal.
        tt_diag(v, 0), tt_diag(a, -1), tt_trace(a);

    tt_trace in tutti/numpy.h"""
    return _core.call(lib.tt_trace_at, ("v",), "v", (v,))


def outer(a: Any, b: Any) -> Any:
    """outer: a_i b_j of the flattened arrays. kron: [m, n] and [p, q] give [m p, n q].
        tt_outer(a, b), tt_kron(a, b);

    tt_outer in tutti/numpy.h"""
    return _core.call(lib.tt_outer_at, ("a", "b"), "vv", (a, b))


def kron(a: Any, b: Any) -> Any:
    """outer: a_i b_j of the flattened arrays. kron: [m, n] and [p, q] give [m p, n q].
        tt_outer(a, b), tt_kron(a, b);

    tt_kron in tutti/numpy.h"""
    return _core.call(lib.tt_kron_at, ("a", "b"), "vv", (a, b))


def roll(v: Any, shift: int, axis: int) -> Any:
    """Element i goes to (i + shift) mod size, along dim
        tt_val moved = tt_roll(x, 1, -1), twice_each = tt_repeat(x, 2, 0);

    tt_roll in tutti/numpy.h"""
    return _core.call(lib.tt_roll_at, ("v", "shift", "axis"), "vii", (v, shift, axis))


def repeat(v: Any, n: int, axis: int) -> Any:
    """Element i goes to (i + shift) mod size, along dim
        tt_val moved = tt_roll(x, 1, -1), twice_each = tt_repeat(x, 2, 0);
    a b -> a a b b

    tt_repeat in tutti/numpy.h"""
    return _core.call(lib.tt_repeat_at, ("v", "n", "axis"), "vii", (v, n, axis))


def swapaxes(v: Any, i: int, j: int) -> Any:
    """a b -> a b a b: number of copies per dim, aligned at the last dim
        tt_tile(x, 2, 1), tt_swapaxes(x, 0, 1), tt_moveaxis(x, -1, 0);

    tt_swapaxes in tutti/numpy.h"""
    return _core.call(lib.tt_swapaxes_at, ("v", "i", "j"), "vii", (v, i, j))


def moveaxis(v: Any, start: int, stop: int) -> Any:
    """a b -> a b a b: number of copies per dim, aligned at the last dim
        tt_tile(x, 2, 1), tt_swapaxes(x, 0, 1), tt_moveaxis(x, -1, 0);

    tt_moveaxis in tutti/numpy.h"""
    return _core.call(lib.tt_moveaxis_at, ("v", "start", "stop"), "vii", (v, start, stop))


def flip(v: Any, *, axis: Optional[Axes] = None) -> Any:
    """Elements in the opposite order along the dims (default: all). rot90: k quarter turns in the plane of dims 0 and 1,
    counterclockwise, from dim 0 towards dim 1.
        tt_flip(x), tt_flip(x, .dims = "0"), tt_rot90(a, 1);

    tt_flip in tutti/numpy.h"""
    return _core.call(lib.tt_flip_at, ("v",), "v", (v,), _tt_dims_opts, (axis,))


def rot90(v: Any, k: int = 1) -> Any:
    """Elements in the opposite order along the dims (default: all). rot90: k quarter turns in the plane of dims 0 and 1,
    counterclockwise, from dim 0 towards dim 1.
        tt_flip(x), tt_flip(x, .dims = "0"), tt_rot90(a, 1);

    tt_rot90 in tutti/numpy.h"""
    return _core.call(lib.tt_rot90_at, ("v", "k"), "vi", (v, k))


def array_split(v: Any, n: int, axis: int) -> Any:
    """Pieces along dim, a tuple. array_split: n pieces whose sizes differ by 1 at most, the longer ones first (tt_chunk:
    equal ones, the last shorter). split_indices: split before each of the given indices, in rising order:
    tt_split_indices(v, 0, 2, 5) is v[:2], v[2:5], v[5:]; negative places count from the end.
        tt_unpack(tt_array_split(x, 3, 0), &a, &b, &c), tt_unpack(tt_split_indices(x, 0, 2, 5), &a, &b, &c);

    tt_array_split in tutti/numpy.h"""
    return _core.call(lib.tt_array_split_at, ("v", "n", "axis"), "vii", (v, n, axis))


def split_indices(v: Any, axis: int, places: Shape) -> Any:
    """Pieces along dim, a tuple. array_split: n pieces whose sizes differ by 1 at most, the longer ones first (tt_chunk:
    equal ones, the last shorter). split_indices: split before each of the given indices, in rising order:
    tt_split_indices(v, 0, 2, 5) is v[:2], v[2:5], v[5:]; negative places count from the end.
        tt_unpack(tt_array_split(x, 3, 0), &a, &b, &c), tt_unpack(tt_split_indices(x, 0, 2, 5), &a, &b, &c);

    tt_split_indices in tutti/numpy.h"""
    return _core.call(lib.tt_split_indices_at, ("v", "axis", "places"), "viD", (v, axis, places))


def vstack(v: Any) -> Any:
    """Arrays joined: vstack: along dim 0, arrays of rank 1 as rows; hstack: along dim 1, of rank 1 along dim 0; dstack:
    along dim 2, of rank 1 and 2 as [1, n, 1] and [m, n, 1]; column_stack: hstack, arrays of rank 1 as columns. block:
    from tuples of arrays, in tuples: the innermost are joined along the last dim, the next along the one before:
    tt_block(tt_tuple(tt_tuple(a, b), tt_tuple(c, d))).
        tt_vstack(a, b), tt_hstack(a, b), tt_dstack(a, b), tt_column_stack(a, b);
        tt_block(tt_tuple(tt_tuple(a, b), tt_tuple(c, d)));

    tt_vstack in tutti/numpy.h"""
    return _core.call(lib.tt_vstack_at, ("v",), "V", (v,))


def hstack(v: Any) -> Any:
    """Arrays joined: vstack: along dim 0, arrays of rank 1 as rows; hstack: along dim 1, of rank 1 along dim 0; dstack:
    along dim 2, of rank 1 and 2 as [1, n, 1] and [m, n, 1]; column_stack: hstack, arrays of rank 1 as columns. block:
    from tuples of arrays, in tuples: the innermost are joined along the last dim, the next along the one before:
    tt_block(tt_tuple(tt_tuple(a, b), tt_tuple(c, d))).
        tt_vstack(a, b), tt_hstack(a, b), tt_dstack(a, b), tt_column_stack(a, b);
        tt_block(tt_tuple(tt_tuple(a, b), tt_tuple(c, d)));

    tt_hstack in tutti/numpy.h"""
    return _core.call(lib.tt_hstack_at, ("v",), "V", (v,))


def dstack(v: Any) -> Any:
    """Arrays joined: vstack: along dim 0, arrays of rank 1 as rows; hstack: along dim 1, of rank 1 along dim 0; dstack:
    along dim 2, of rank 1 and 2 as [1, n, 1] and [m, n, 1]; column_stack: hstack, arrays of rank 1 as columns. block:
    from tuples of arrays, in tuples: the innermost are joined along the last dim, the next along the one before:
    tt_block(tt_tuple(tt_tuple(a, b), tt_tuple(c, d))).
        tt_vstack(a, b), tt_hstack(a, b), tt_dstack(a, b), tt_column_stack(a, b);
        tt_block(tt_tuple(tt_tuple(a, b), tt_tuple(c, d)));

    tt_dstack in tutti/numpy.h"""
    return _core.call(lib.tt_dstack_at, ("v",), "V", (v,))


def column_stack(v: Any) -> Any:
    """Arrays joined: vstack: along dim 0, arrays of rank 1 as rows; hstack: along dim 1, of rank 1 along dim 0; dstack:
    along dim 2, of rank 1 and 2 as [1, n, 1] and [m, n, 1]; column_stack: hstack, arrays of rank 1 as columns. block:
    from tuples of arrays, in tuples: the innermost are joined along the last dim, the next along the one before:
    tt_block(tt_tuple(tt_tuple(a, b), tt_tuple(c, d))).
        tt_vstack(a, b), tt_hstack(a, b), tt_dstack(a, b), tt_column_stack(a, b);
        tt_block(tt_tuple(tt_tuple(a, b), tt_tuple(c, d)));

    tt_column_stack in tutti/numpy.h"""
    return _core.call(lib.tt_column_stack_at, ("v",), "V", (v,))


def block(tree: Any) -> Any:
    """Arrays joined: vstack: along dim 0, arrays of rank 1 as rows; hstack: along dim 1, of rank 1 along dim 0; dstack:
    along dim 2, of rank 1 and 2 as [1, n, 1] and [m, n, 1]; column_stack: hstack, arrays of rank 1 as columns. block:
    from tuples of arrays, in tuples: the innermost are joined along the last dim, the next along the one before:
    tt_block(tt_tuple(tt_tuple(a, b), tt_tuple(c, d))).
        tt_vstack(a, b), tt_hstack(a, b), tt_dstack(a, b), tt_column_stack(a, b);
        tt_block(tt_tuple(tt_tuple(a, b), tt_tuple(c, d)));

    tt_block in tutti/numpy.h"""
    return _core.call(lib.tt_block_at, ("tree",), "v", (tree,))


def pad_with(v: Any, widths: str, *, mode: Optional[str] = None, value: Optional[Any] = None,
        stat_length: Optional[int] = None, reflect_type: Optional[str] = None) -> Any:
    """numpy.pad: `widths` is "low:high" per dim, "1:2, 0:3" (one item for all dims). mode:
      "constant"    the scalar .value (default 0); "empty": zeros
      "edge"        the outermost element
      "reflect"     mirrored at the outermost element; "symmetric": that element too; .reflect_type "odd": twice the
                    outermost element less the mirrored one ("even", the default: the mirrored one)
      "wrap"        from the other end
      "linear_ramp" from the outermost element to .value, in even steps
      "maximum", "minimum", "mean", "median"  of the dim, or of the .stat_length elements next to the edge
    Dims are padded one after the other. An empty dim has nothing to mirror: an error. tt_pad pads between elements
    too.
        tt_pad_with(x, "1:1, 0:2"), tt_pad_with(x, "2:2", .mode = "reflect");

    tt_pad_with in tutti/numpy.h"""
    return _core.call(lib.tt_pad_with_at, ("v", "widths"), "vs", (v, widths), _tt_pad_opts, (mode, value, stat_length,
        reflect_type))


def diff(v: Any, axis: int = -1) -> Any:
    """Differences of neighbours along dim, in v's type (of bools: true if they differ): one element fewer
        tt_val slopes = tt_diff(x, -1);

    tt_diff in tutti/numpy.h"""
    return _core.call(lib.tt_diff_at, ("v", "axis"), "vi", (v, axis))


def take_along_axis(v: Any, index: Any, axis: int) -> Any:
    """v[..., index[..., j, ...], ...] along dim: index has v's rank and the same other dims. Out of range: as in
    tt_take.
        tt_val sorted = tt_take_along_axis(x, tt_argsort(x, -1), -1);

    tt_take_along_axis in tutti/numpy.h"""
    return _core.call(lib.tt_take_along_axis_at, ("v", "index", "axis"), "vvi", (v, index, axis))


def argsort(v: Any, axis: int = -1, *, descending: Optional[Union[bool, int]] = None, keys: Optional[Union[bool,
        int]] = None) -> Any:
    """The indices, i32, that sort v along dim; stable

    tt_argsort in tutti/numpy.h"""
    return _core.call(lib.tt_argsort_at, ("v", "axis"), "vi", (v, axis), _tt_sort_opts, (descending, keys))


def bincount(v: Any, n: int) -> Any:
    """The number of occurrences of each of 0 .. n-1 among v's integers, i32. As in JAX a negative number counts as 0, and
    numbers from n on are ignored.
        tt_val counts = tt_bincount(labels, 10);

    tt_bincount in tutti/numpy.h"""
    return _core.call(lib.tt_bincount_at, ("v", "n"), "vi", (v, n))


def segment_sum(v: Any, ids: Any, n: int) -> Any:
    """Row i of [n, ...]: the sum, product, maximum or minimum of those rows of v [m, ...] whose id (i32[m]) is i; of no
    rows: 0, 1, -infinity, infinity (of integers the ends of their range). Ids out of range are ignored.
        tt_segment_sum(x, ids, 4), tt_segment_prod(x, ids, 4), tt_segment_max(x, ids, 4);
        tt_segment_min(x, ids, 4);

    tt_segment_sum in tutti/numpy.h"""
    return _core.call(lib.tt_segment_sum_at, ("v", "ids", "n"), "vvi", (v, ids, n))


def segment_prod(v: Any, ids: Any, n: int) -> Any:
    """Row i of [n, ...]: the sum, product, maximum or minimum of those rows of v [m, ...] whose id (i32[m]) is i; of no
    rows: 0, 1, -infinity, infinity (of integers the ends of their range). Ids out of range are ignored.
        tt_segment_sum(x, ids, 4), tt_segment_prod(x, ids, 4), tt_segment_max(x, ids, 4);
        tt_segment_min(x, ids, 4);

    tt_segment_prod in tutti/numpy.h"""
    return _core.call(lib.tt_segment_prod_at, ("v", "ids", "n"), "vvi", (v, ids, n))


def segment_max(v: Any, ids: Any, n: int) -> Any:
    """Row i of [n, ...]: the sum, product, maximum or minimum of those rows of v [m, ...] whose id (i32[m]) is i; of no
    rows: 0, 1, -infinity, infinity (of integers the ends of their range). Ids out of range are ignored.
        tt_segment_sum(x, ids, 4), tt_segment_prod(x, ids, 4), tt_segment_max(x, ids, 4);
        tt_segment_min(x, ids, 4);

    tt_segment_max in tutti/numpy.h"""
    return _core.call(lib.tt_segment_max_at, ("v", "ids", "n"), "vvi", (v, ids, n))


def segment_min(v: Any, ids: Any, n: int) -> Any:
    """Row i of [n, ...]: the sum, product, maximum or minimum of those rows of v [m, ...] whose id (i32[m]) is i; of no
    rows: 0, 1, -infinity, infinity (of integers the ends of their range). Ids out of range are ignored.
        tt_segment_sum(x, ids, 4), tt_segment_prod(x, ids, 4), tt_segment_max(x, ids, 4);
        tt_segment_min(x, ids, 4);

    tt_segment_min in tutti/numpy.h"""
    return _core.call(lib.tt_segment_min_at, ("v", "ids", "n"), "vvi", (v, ids, n))


def unique(v: Any, *, count: Optional[int] = None, fill: Optional[Any] = None, index: Optional[Union[bool,
        int]] = None, inverse: Optional[Union[bool, int]] = None, counts: Optional[Union[bool, int]] = None) -> Any:
    """The values that occur in v, sorted, rank 1; NaNs count as one. .index, .inverse, .counts: a tuple of the values and,
    in this order, those requested: the place of each value's first occurrence in the flattened v; for each element the
    number of its value, in v's shape; how often each occurs. All i32. .count (numpy.unique's size): how many values, as
    a function under trace must say: the largest are left out, missing ones are .fill (default: the smallest) with count
    0.
        tt_unpack(tt_unique(ids, .count = 8, .inverse = 1, .counts = 1), &values, &inverse, &counts);

    tt_unique in tutti/numpy.h"""
    return _core.call(lib.tt_unique_at, ("v",), "v", (v,), _tt_unique_opts, (count, fill, index, inverse, counts))


def histogram(v: Any, *, bins: Optional[int] = None, range: Optional[Any] = None, edges: Optional[Any] = None,
        weights: Optional[Any] = None, density: Optional[Union[bool, int]] = None) -> Any:
    """(counts, edges), floats: how many elements, or what sum of .weights (v's shape), lie in each bin. The bins are .bins
    (default 10) of equal width from .range[0] to .range[1] (default: v's extremes), or given by .edges, which rise; the
    last includes its upper edge. .density: divided so that the integral is 1.
        tt_unpack(tt_histogram(x, .bins = 20, .range = { -1, 1 }), &counts, &edges);

    tt_histogram in tutti/numpy.h"""
    return _core.call(lib.tt_histogram_at, ("v",), "v", (v,), _tt_histogram_opts, (bins, range, edges, weights,
        density))


def isin(v: Any, test: Any) -> Any:
    """True where the element is one of test's.
        tt_val known = tt_isin(ids, tt_const(TT_I32, { 1, 5, 7 }));

    tt_isin in tutti/numpy.h"""
    return _core.call(lib.tt_isin_at, ("v", "test"), "vv", (v, test))


def interp(x: Any, xs: Any, ys: Any) -> Any:
    """The piecewise linear function through (xs, ys), xs rising, at x; outside the range: the end values.
        tt_val between = tt_interp(x, xs, ys);

    tt_interp in tutti/numpy.h"""
    return _core.call(lib.tt_interp_at, ("x", "xs", "ys"), "vvv", (x, xs, ys))


def polyval(a: Any, b: Any) -> Any:
    """p_0 x^(n-1) + ... + p_(n-1), by Horner's rule; p has rank 1
        tt_val cubic = tt_polyval(tt_const(TT_F32, { 1, 0, -2, 1 }), x);

    tt_polyval in tutti/numpy.h"""
    return _core.call(lib.tt_polyval_at, ("a", "b"), "vv", (a, b))


def isnan(v: Any) -> Any:
    """tt_isnan(x), tt_isinf(x), tt_nan_to_num(x);

    tt_isnan in tutti/numpy.h"""
    return _core.call(lib.tt_isnan_at, ("v",), "v", (v,))


def isinf(v: Any) -> Any:
    """tt_isnan(x), tt_isinf(x), tt_nan_to_num(x);

    tt_isinf in tutti/numpy.h"""
    return _core.call(lib.tt_isinf_at, ("v",), "v", (v,))


def nan_to_num(v: Any) -> Any:
    """NaN becomes 0; an infinity becomes the largest finite number of its sign

    tt_nan_to_num in tutti/numpy.h"""
    return _core.call(lib.tt_nan_to_num_at, ("v",), "v", (v,))


def isclose(a: Any, b: Any, *, rtol: Optional[float] = None, atol: Optional[float] = None,
        equal_nan: Optional[Union[bool, int]] = None) -> Any:
    """True where |a - b| <= atol + rtol |b| (1e-8, 1e-5); infinities are close to equal ones, NaNs if equal_nan
        tt_isclose(a, b), tt_isclose(a, b, .rtol = 1e-3, .equal_nan = 1);

    tt_isclose in tutti/numpy.h"""
    return _core.call(lib.tt_isclose_at, ("a", "b"), "vv", (a, b), _tt_close_opts, (rtol, atol, equal_nan))


def allclose(a: Any, b: Any, *, rtol: Optional[float] = None, atol: Optional[float] = None,
        equal_nan: Optional[Union[bool, int]] = None) -> Any:
    """One bool: allclose: all are close, as above. array_equal: the same shape, and all elements equal (NaNs if equal_nan;
    .rtol and .atol are refused).
        if (tt_num(tt_allclose(a, b, .atol = 1e-6))) puts("close");
        if (!tt_num(tt_array_equal(a, b))) puts("not equal");

    tt_allclose in tutti/numpy.h"""
    return _core.call(lib.tt_allclose_at, ("a", "b"), "vv", (a, b), _tt_close_opts, (rtol, atol, equal_nan))


def array_equal(a: Any, b: Any, *, rtol: Optional[float] = None, atol: Optional[float] = None,
        equal_nan: Optional[Union[bool, int]] = None) -> Any:
    """One bool: allclose: all are close, as above. array_equal: the same shape, and all elements equal (NaNs if equal_nan;
    .rtol and .atol are refused).
        if (tt_num(tt_allclose(a, b, .atol = 1e-6))) puts("close");
        if (!tt_num(tt_array_equal(a, b))) puts("not equal");

    tt_array_equal in tutti/numpy.h"""
    return _core.call(lib.tt_array_equal_at, ("a", "b"), "vv", (a, b), _tt_close_opts, (rtol, atol, equal_nan))


def nanprod(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """Reductions of the elements that are not NaN; nanmax and nanmin of none: NaN. nanvar: the mean of squared distances
    from nanmean.
        tt_nanprod(x), tt_nanmax(x), tt_nanmin(x), tt_nanvar(x, .dims = "0"), tt_nanstd(x);

    tt_nanprod in tutti/numpy.h"""
    return _core.call(lib.tt_nanprod_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def nanmax(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """Reductions of the elements that are not NaN; nanmax and nanmin of none: NaN. nanvar: the mean of squared distances
    from nanmean.
        tt_nanprod(x), tt_nanmax(x), tt_nanmin(x), tt_nanvar(x, .dims = "0"), tt_nanstd(x);

    tt_nanmax in tutti/numpy.h"""
    return _core.call(lib.tt_nanmax_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def nanmin(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """Reductions of the elements that are not NaN; nanmax and nanmin of none: NaN. nanvar: the mean of squared distances
    from nanmean.
        tt_nanprod(x), tt_nanmax(x), tt_nanmin(x), tt_nanvar(x, .dims = "0"), tt_nanstd(x);

    tt_nanmin in tutti/numpy.h"""
    return _core.call(lib.tt_nanmin_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def nanvar(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """Reductions of the elements that are not NaN; nanmax and nanmin of none: NaN. nanvar: the mean of squared distances
    from nanmean.
        tt_nanprod(x), tt_nanmax(x), tt_nanmin(x), tt_nanvar(x, .dims = "0"), tt_nanstd(x);

    tt_nanvar in tutti/numpy.h"""
    return _core.call(lib.tt_nanvar_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def nanstd(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """Reductions of the elements that are not NaN; nanmax and nanmin of none: NaN. nanvar: the mean of squared distances
    from nanmean.
        tt_nanprod(x), tt_nanmax(x), tt_nanmin(x), tt_nanvar(x, .dims = "0"), tt_nanstd(x);

    tt_nanstd in tutti/numpy.h"""
    return _core.call(lib.tt_nanstd_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def count_nonzero(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """How many elements are not 0 (NaN is not), i32
        tt_val hits = tt_count_nonzero(tt_eq(a, b));

    tt_count_nonzero in tutti/numpy.h"""
    return _core.call(lib.tt_count_nonzero_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def nansum(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """tt_nansum(x), tt_nanmean(x, .dims = "0"), tt_median(x, .dims = "-1");

    tt_nansum in tutti/numpy.h"""
    return _core.call(lib.tt_nansum_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def nanmean(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """tt_nansum(x), tt_nanmean(x, .dims = "0"), tt_median(x, .dims = "-1");

    tt_nanmean in tutti/numpy.h"""
    return _core.call(lib.tt_nanmean_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def median(v: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """tt_nansum(x), tt_nanmean(x, .dims = "0"), tt_median(x, .dims = "-1");

    tt_median in tutti/numpy.h"""
    return _core.call(lib.tt_median_at, ("v",), "v", (v,), _tt_reduce_opts, (axis, keepdims, where, initial))


def quantile(v: Any, q: float, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """0 <= q <= 1; linear interpolation between neighbours; NaN if v has a NaN

    tt_quantile in tutti/numpy.h"""
    return _core.call(lib.tt_quantile_at, ("v", "q"), "vd", (v, q), _tt_reduce_opts, (axis, keepdims, where, initial))


def average(v: Any, w: Any, *, axis: Optional[Axes] = None, keepdims: Optional[Union[bool, int]] = None,
        where: Optional[Any] = None, initial: Optional[Any] = None) -> Any:
    """sum(v w) / sum(w) with weights w of v's shape
        tt_val weighted = tt_average(x, weights, .dims = "0");

    tt_average in tutti/numpy.h"""
    return _core.call(lib.tt_average_at, ("v", "w"), "vv", (v, w), _tt_reduce_opts, (axis, keepdims, where, initial))


def cov(v: Any) -> Any:
    """Of [variables, observations]: covariances (divided by observations - 1); correlations: covariances divided by the
    standard deviations. Of one variable, rank 1 or [1, observations], the result is a scalar, as in NumPy.
        tt_cov(x), tt_corrcoef(x);

    tt_cov in tutti/numpy.h"""
    return _core.call(lib.tt_cov_at, ("v",), "v", (v,))


def corrcoef(v: Any) -> Any:
    """Of [variables, observations]: covariances (divided by observations - 1); correlations: covariances divided by the
    standard deviations. Of one variable, rank 1 or [1, observations], the result is a scalar, as in NumPy.
        tt_cov(x), tt_corrcoef(x);

    tt_corrcoef in tutti/numpy.h"""
    return _core.call(lib.tt_corrcoef_at, ("v",), "v", (v,))


def cross(a: Any, b: Any) -> Any:
    """a x b along the last dims, of size 3; of two vectors of size 2 the third component alone
        tt_val normal = tt_cross(a, b);

    tt_cross in tutti/numpy.h"""
    return _core.call(lib.tt_cross_at, ("a", "b"), "vv", (a, b))


def convolve1d(a: Any, b: Any, *, mode: Optional[str] = None, precision: Optional[str] = None) -> Any:
    """numpy.convolve and correlate of two arrays of rank 1, m and n long. mode: "full" (m + n - 1 elements), "same" (max(m,
    n), the middle ones), "valid" (max(m, n) - min(m, n) + 1: those without padding). Default: convolve1d "full",
    correlate "valid". correlate conjugates b. Images: tt_convolve.
        tt_convolve1d(a, b, .mode = "same"), tt_correlate(a, b);

    tt_convolve1d in tutti/numpy.h"""
    return _core.call(lib.tt_convolve1d_at, ("a", "b"), "vv", (a, b), _tt_line_opts, (mode, precision))


def correlate(a: Any, b: Any, *, mode: Optional[str] = None, precision: Optional[str] = None) -> Any:
    """numpy.convolve and correlate of two arrays of rank 1, m and n long. mode: "full" (m + n - 1 elements), "same" (max(m,
    n), the middle ones), "valid" (max(m, n) - min(m, n) + 1: those without padding). Default: convolve1d "full",
    correlate "valid". correlate conjugates b. Images: tt_convolve.
        tt_convolve1d(a, b, .mode = "same"), tt_correlate(a, b);

    tt_correlate in tutti/numpy.h"""
    return _core.call(lib.tt_correlate_at, ("a", "b"), "vv", (a, b), _tt_line_opts, (mode, precision))


def gradient(v: Any, *, axis: Optional[Axes] = None, step: Optional[float] = None) -> Any:
    """The slope along one dim: differences of neighbours on both sides, one-sided at the ends, divided by .step
    (default 1). Without .dims or with several: a tuple, one array per dim; of rank 1 the array.
        tt_val slope = tt_gradient(x, .dims = "0", .step = 0.1);

    tt_gradient in tutti/numpy.h"""
    return _core.call(lib.tt_gradient_at, ("v",), "v", (v,), _tt_gradient_opts, (axis, step))


def trapezoid(v: Any, *, x: Optional[Any] = None, step: Optional[float] = None) -> Any:
    """The integral along the last dim by trapezoids, of points .step apart (default 1), or at .x (rank 1, or v's shape)
        tt_val area = tt_trapezoid(y, .step = 0.1);

    tt_trapezoid in tutti/numpy.h"""
    return _core.call(lib.tt_trapezoid_at, ("v",), "v", (v,), _tt_trapezoid_opts, (x, step))


def image_resize(v: Any, shape: Shape, *, method: Optional[str] = None, aliased: Optional[Union[bool, int]] = None,
        precision: Optional[str] = None) -> Any:
    """v resized to the given dims, one dim after the other; unchanged dims are copied. tt_image_resize(v, TT_DIMS(8, 64,
    64, 3, TT_DIM_END)). method: "linear" (default), "nearest", "cubic" (Keys, a = -0.5), "cubic-pytorch", "lanczos3",
    "lanczos5", "area", and JAX's other words for them ("bilinear", "bicubic", ...). Result i of n is centred at (i +
    0.5) m / n - 0.5 among m pixels; weights are scaled to the sum 1. When a dim shrinks, the
    kernel is widened so that nothing is skipped; aliased = 1: the kernel is not widened (JAX: antialias=False).
    Integers become f32, but for "nearest", which keeps the type.
        tt_val small = tt_image_resize(images, TT_DIMS(8, 14, 14, 1, TT_DIM_END), .method = "cubic");

    tt_image_resize in tutti/image.h"""
    return _core.call(lib.tt_image_resize_at, ("v", "shape"), "vD", (v, shape), _tt_image_resize_opts, (method,
        aliased, precision))


def xlogy(a: Any, b: Any) -> Any:
    """x log y and x log(1 + y), 0 where x is 0 and y is not NaN
        tt_xlogy(x, y), tt_xlog1py(x, y);

    tt_xlogy in tutti/special.h"""
    return _core.call(lib.tt_xlogy_at, ("a", "b"), "vv", (a, b))


def xlog1py(a: Any, b: Any) -> Any:
    """x log y and x log(1 + y), 0 where x is 0 and y is not NaN
        tt_xlogy(x, y), tt_xlog1py(x, y);

    tt_xlog1py in tutti/special.h"""
    return _core.call(lib.tt_xlog1py_at, ("a", "b"), "vv", (a, b))


def rel_entr(a: Any, b: Any) -> Any:
    """rel_entr: p log(p / q); kl_div: rel_entr - p + q: 0 and q where p is 0, infinity where p or q is negative, or q is
    0 and p is not
        tt_sum(tt_rel_entr(p, q)), tt_sum(tt_kl_div(p, q));

    tt_rel_entr in tutti/special.h"""
    return _core.call(lib.tt_rel_entr_at, ("a", "b"), "vv", (a, b))


def kl_div(a: Any, b: Any) -> Any:
    """rel_entr: p log(p / q); kl_div: rel_entr - p + q: 0 and q where p is 0, infinity where p or q is negative, or q is
    0 and p is not
        tt_sum(tt_rel_entr(p, q)), tt_sum(tt_kl_div(p, q));

    tt_kl_div in tutti/special.h"""
    return _core.call(lib.tt_kl_div_at, ("a", "b"), "vv", (a, b))


def boxcox(a: Any, b: Any) -> Any:
    """(x^k - 1) / k, and log x where k is 0; boxcox1p: of 1 + x
        tt_boxcox(x, tt_f(0.5)), tt_boxcox1p(x, tt_f(0.5));

    tt_boxcox in tutti/special.h"""
    return _core.call(lib.tt_boxcox_at, ("a", "b"), "vv", (a, b))


def boxcox1p(a: Any, b: Any) -> Any:
    """(x^k - 1) / k, and log x where k is 0; boxcox1p: of 1 + x
        tt_boxcox(x, tt_f(0.5)), tt_boxcox1p(x, tt_f(0.5));

    tt_boxcox1p in tutti/special.h"""
    return _core.call(lib.tt_boxcox1p_at, ("a", "b"), "vv", (a, b))


def entr(v: Any) -> Any:
    """-x log x, -infinity where x < 0
        tt_val entropy = tt_sum(tt_entr(p));

    tt_entr in tutti/special.h"""
    return _core.call(lib.tt_entr_at, ("v",), "v", (v,))


def logit(v: Any) -> Any:
    """log(x / (1 - x)); its inverse 1 / (1 + e^-x) is tt_expit, the same as tt_logistic
        tt_logit(p), tt_expit(x);

    tt_logit in tutti/special.h"""
    return _core.call(lib.tt_logit_at, ("v",), "v", (v,))


def expit(v: Any) -> Any:
    """log(x / (1 - x)); its inverse 1 / (1 + e^-x) is tt_expit, the same as tt_logistic
        tt_logit(p), tt_expit(x);

    tt_expit in tutti/special.h"""
    return _core.call(lib.tt_expit_at, ("v",), "v", (v,))


def ndtr(v: Any) -> Any:
    """The distribution function of the normal distribution, and its logarithm, which does not underflow; tt_ndtri (num.h)
    is its inverse.
        tt_ndtr(x), tt_log_ndtr(x);

    tt_ndtr in tutti/special.h"""
    return _core.call(lib.tt_ndtr_at, ("v",), "v", (v,))


def log_ndtr(v: Any) -> Any:
    """The distribution function of the normal distribution, and its logarithm, which does not underflow; tt_ndtri (num.h)
    is its inverse.
        tt_ndtr(x), tt_log_ndtr(x);

    tt_log_ndtr in tutti/special.h"""
    return _core.call(lib.tt_log_ndtr_at, ("v",), "v", (v,))


def multigammaln(a: Any, d: int) -> Any:
    """log of the multivariate gamma function of d dims, d from 1 up: d(d - 1)/4 log pi + the sum of log gamma(a - i/2)
        tt_val volume = tt_multigammaln(a, 3);

    tt_multigammaln in tutti/special.h"""
    return _core.call(lib.tt_multigammaln_at, ("a", "d"), "vi", (a, d))


def gammafn(v: Any) -> Any:
    """The gamma function, its sign (1 at 0, -1 at -0, NaN at -1, -2, ...), and log |gamma|, which is tt_lgamma;
    x!, 0 where x < 0; the beta function and the logarithm of its size; gamma(z + m) / gamma(z). tt_gamma and tt_beta
    are draws (tutti/random.h).
        tt_gammafn(x), tt_gammasgn(x), tt_gammaln(x), tt_factorial(x), tt_betafn(a, b), tt_betaln(a, b);
        tt_poch(z, w);

    tt_gammafn in tutti/special.h"""
    return _core.call(lib.tt_gammafn_at, ("v",), "v", (v,))


def gammasgn(v: Any) -> Any:
    """The gamma function, its sign (1 at 0, -1 at -0, NaN at -1, -2, ...), and log |gamma|, which is tt_lgamma;
    x!, 0 where x < 0; the beta function and the logarithm of its size; gamma(z + m) / gamma(z). tt_gamma and tt_beta
    are draws (tutti/random.h).
        tt_gammafn(x), tt_gammasgn(x), tt_gammaln(x), tt_factorial(x), tt_betafn(a, b), tt_betaln(a, b);
        tt_poch(z, w);

    tt_gammasgn in tutti/special.h"""
    return _core.call(lib.tt_gammasgn_at, ("v",), "v", (v,))


def gammaln(v: Any) -> Any:
    """The gamma function, its sign (1 at 0, -1 at -0, NaN at -1, -2, ...), and log |gamma|, which is tt_lgamma;
    x!, 0 where x < 0; the beta function and the logarithm of its size; gamma(z + m) / gamma(z). tt_gamma and tt_beta
    are draws (tutti/random.h).
        tt_gammafn(x), tt_gammasgn(x), tt_gammaln(x), tt_factorial(x), tt_betafn(a, b), tt_betaln(a, b);
        tt_poch(z, w);

    tt_gammaln in tutti/special.h"""
    return _core.call(lib.tt_gammaln_at, ("v",), "v", (v,))


def factorial(v: Any) -> Any:
    """The gamma function, its sign (1 at 0, -1 at -0, NaN at -1, -2, ...), and log |gamma|, which is tt_lgamma;
    x!, 0 where x < 0; the beta function and the logarithm of its size; gamma(z + m) / gamma(z). tt_gamma and tt_beta
    are draws (tutti/random.h).
        tt_gammafn(x), tt_gammasgn(x), tt_gammaln(x), tt_factorial(x), tt_betafn(a, b), tt_betaln(a, b);
        tt_poch(z, w);

    tt_factorial in tutti/special.h"""
    return _core.call(lib.tt_factorial_at, ("v",), "v", (v,))


def betafn(a: Any, b: Any) -> Any:
    """The gamma function, its sign (1 at 0, -1 at -0, NaN at -1, -2, ...), and log |gamma|, which is tt_lgamma;
    x!, 0 where x < 0; the beta function and the logarithm of its size; gamma(z + m) / gamma(z). tt_gamma and tt_beta
    are draws (tutti/random.h).
        tt_gammafn(x), tt_gammasgn(x), tt_gammaln(x), tt_factorial(x), tt_betafn(a, b), tt_betaln(a, b);
        tt_poch(z, w);

    tt_betafn in tutti/special.h"""
    return _core.call(lib.tt_betafn_at, ("a", "b"), "vv", (a, b))


def betaln(a: Any, b: Any) -> Any:
    """The gamma function, its sign (1 at 0, -1 at -0, NaN at -1, -2, ...), and log |gamma|, which is tt_lgamma;
    x!, 0 where x < 0; the beta function and the logarithm of its size; gamma(z + m) / gamma(z). tt_gamma and tt_beta
    are draws (tutti/random.h).
        tt_gammafn(x), tt_gammasgn(x), tt_gammaln(x), tt_factorial(x), tt_betafn(a, b), tt_betaln(a, b);
        tt_poch(z, w);

    tt_betaln in tutti/special.h"""
    return _core.call(lib.tt_betaln_at, ("a", "b"), "vv", (a, b))


def poch(a: Any, b: Any) -> Any:
    """The gamma function, its sign (1 at 0, -1 at -0, NaN at -1, -2, ...), and log |gamma|, which is tt_lgamma;
    x!, 0 where x < 0; the beta function and the logarithm of its size; gamma(z + m) / gamma(z). tt_gamma and tt_beta
    are draws (tutti/random.h).
        tt_gammafn(x), tt_gammasgn(x), tt_gammaln(x), tt_factorial(x), tt_betafn(a, b), tt_betaln(a, b);
        tt_poch(z, w);

    tt_poch in tutti/special.h"""
    return _core.call(lib.tt_poch_at, ("a", "b"), "vv", (a, b))


def expi(v: Any) -> Any:
    """Exponential integrals: expi(x), the principal value of the integral of e^t / t from -infinity to x; exp1(x) =
    -expi(-x), NaN where x < 0. Computed in float64: a power series near 0, an asymptotic one above 40, a continued
    fraction below -1 (Abramowitz and Stegun, 5.1.10, 5.1.51, 5.1.22).
        tt_expi(x), tt_exp1(x);

    tt_expi in tutti/special.h"""
    return _core.call(lib.tt_expi_at, ("v",), "v", (v,))


def exp1(v: Any) -> Any:
    """Exponential integrals: expi(x), the principal value of the integral of e^t / t from -infinity to x; exp1(x) =
    -expi(-x), NaN where x < 0. Computed in float64: a power series near 0, an asymptotic one above 40, a continued
    fraction below -1 (Abramowitz and Stegun, 5.1.10, 5.1.51, 5.1.22).
        tt_expi(x), tt_exp1(x);

    tt_exp1 in tutti/special.h"""
    return _core.call(lib.tt_exp1_at, ("v",), "v", (v,))


def i0(v: Any) -> Any:
    """Modified Bessel functions of the first kind: e^|x| times tt_bessel_i0e and tt_bessel_i1e
        tt_i0(x), tt_i1(x);

    tt_i0 in tutti/special.h"""
    return _core.call(lib.tt_i0_at, ("v",), "v", (v,))


def i1(v: Any) -> Any:
    """Modified Bessel functions of the first kind: e^|x| times tt_bessel_i0e and tt_bessel_i1e
        tt_i0(x), tt_i1(x);

    tt_i1 in tutti/special.h"""
    return _core.call(lib.tt_i1_at, ("v",), "v", (v,))


def norm_logpdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """norm(x): the normal distribution
        tt_norm_logpdf(x, .loc = mu, .scale = sigma), tt_norm_pdf(x), tt_norm_cdf(x), tt_norm_logcdf(x);
        tt_norm_sf(x), tt_norm_logsf(x), tt_norm_ppf(p), tt_norm_isf(p);

    tt_norm_logpdf in tutti/stats.h"""
    return _core.call(lib.tt_norm_logpdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def norm_pdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """norm(x): the normal distribution
        tt_norm_logpdf(x, .loc = mu, .scale = sigma), tt_norm_pdf(x), tt_norm_cdf(x), tt_norm_logcdf(x);
        tt_norm_sf(x), tt_norm_logsf(x), tt_norm_ppf(p), tt_norm_isf(p);

    tt_norm_pdf in tutti/stats.h"""
    return _core.call(lib.tt_norm_pdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def norm_cdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """norm(x): the normal distribution
        tt_norm_logpdf(x, .loc = mu, .scale = sigma), tt_norm_pdf(x), tt_norm_cdf(x), tt_norm_logcdf(x);
        tt_norm_sf(x), tt_norm_logsf(x), tt_norm_ppf(p), tt_norm_isf(p);

    tt_norm_cdf in tutti/stats.h"""
    return _core.call(lib.tt_norm_cdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def norm_logcdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """norm(x): the normal distribution
        tt_norm_logpdf(x, .loc = mu, .scale = sigma), tt_norm_pdf(x), tt_norm_cdf(x), tt_norm_logcdf(x);
        tt_norm_sf(x), tt_norm_logsf(x), tt_norm_ppf(p), tt_norm_isf(p);

    tt_norm_logcdf in tutti/stats.h"""
    return _core.call(lib.tt_norm_logcdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def norm_sf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """norm(x): the normal distribution
        tt_norm_logpdf(x, .loc = mu, .scale = sigma), tt_norm_pdf(x), tt_norm_cdf(x), tt_norm_logcdf(x);
        tt_norm_sf(x), tt_norm_logsf(x), tt_norm_ppf(p), tt_norm_isf(p);

    tt_norm_sf in tutti/stats.h"""
    return _core.call(lib.tt_norm_sf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def norm_logsf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """norm(x): the normal distribution
        tt_norm_logpdf(x, .loc = mu, .scale = sigma), tt_norm_pdf(x), tt_norm_cdf(x), tt_norm_logcdf(x);
        tt_norm_sf(x), tt_norm_logsf(x), tt_norm_ppf(p), tt_norm_isf(p);

    tt_norm_logsf in tutti/stats.h"""
    return _core.call(lib.tt_norm_logsf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def norm_ppf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """norm(x): the normal distribution
        tt_norm_logpdf(x, .loc = mu, .scale = sigma), tt_norm_pdf(x), tt_norm_cdf(x), tt_norm_logcdf(x);
        tt_norm_sf(x), tt_norm_logsf(x), tt_norm_ppf(p), tt_norm_isf(p);

    tt_norm_ppf in tutti/stats.h"""
    return _core.call(lib.tt_norm_ppf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def norm_isf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """norm(x): the normal distribution
        tt_norm_logpdf(x, .loc = mu, .scale = sigma), tt_norm_pdf(x), tt_norm_cdf(x), tt_norm_logcdf(x);
        tt_norm_sf(x), tt_norm_logsf(x), tt_norm_ppf(p), tt_norm_isf(p);

    tt_norm_isf in tutti/stats.h"""
    return _core.call(lib.tt_norm_isf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def expon_logpdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """expon(x): exponential, on [0, infinity)
        tt_expon_logpdf(x), tt_expon_pdf(x), tt_expon_cdf(x, .scale = tt_f(2)), tt_expon_logcdf(x);
        tt_expon_sf(x), tt_expon_logsf(x), tt_expon_ppf(p);

    tt_expon_logpdf in tutti/stats.h"""
    return _core.call(lib.tt_expon_logpdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def expon_pdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """expon(x): exponential, on [0, infinity)
        tt_expon_logpdf(x), tt_expon_pdf(x), tt_expon_cdf(x, .scale = tt_f(2)), tt_expon_logcdf(x);
        tt_expon_sf(x), tt_expon_logsf(x), tt_expon_ppf(p);

    tt_expon_pdf in tutti/stats.h"""
    return _core.call(lib.tt_expon_pdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def expon_cdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """expon(x): exponential, on [0, infinity)
        tt_expon_logpdf(x), tt_expon_pdf(x), tt_expon_cdf(x, .scale = tt_f(2)), tt_expon_logcdf(x);
        tt_expon_sf(x), tt_expon_logsf(x), tt_expon_ppf(p);

    tt_expon_cdf in tutti/stats.h"""
    return _core.call(lib.tt_expon_cdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def expon_logcdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """expon(x): exponential, on [0, infinity)
        tt_expon_logpdf(x), tt_expon_pdf(x), tt_expon_cdf(x, .scale = tt_f(2)), tt_expon_logcdf(x);
        tt_expon_sf(x), tt_expon_logsf(x), tt_expon_ppf(p);

    tt_expon_logcdf in tutti/stats.h"""
    return _core.call(lib.tt_expon_logcdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def expon_sf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """expon(x): exponential, on [0, infinity)
        tt_expon_logpdf(x), tt_expon_pdf(x), tt_expon_cdf(x, .scale = tt_f(2)), tt_expon_logcdf(x);
        tt_expon_sf(x), tt_expon_logsf(x), tt_expon_ppf(p);

    tt_expon_sf in tutti/stats.h"""
    return _core.call(lib.tt_expon_sf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def expon_logsf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """expon(x): exponential, on [0, infinity)
        tt_expon_logpdf(x), tt_expon_pdf(x), tt_expon_cdf(x, .scale = tt_f(2)), tt_expon_logcdf(x);
        tt_expon_sf(x), tt_expon_logsf(x), tt_expon_ppf(p);

    tt_expon_logsf in tutti/stats.h"""
    return _core.call(lib.tt_expon_logsf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def expon_ppf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """expon(x): exponential, on [0, infinity)
        tt_expon_logpdf(x), tt_expon_pdf(x), tt_expon_cdf(x, .scale = tt_f(2)), tt_expon_logcdf(x);
        tt_expon_sf(x), tt_expon_logsf(x), tt_expon_ppf(p);

    tt_expon_ppf in tutti/stats.h"""
    return _core.call(lib.tt_expon_ppf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def laplace_logpdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """laplace(x)
        tt_laplace_logpdf(x), tt_laplace_pdf(x), tt_laplace_cdf(x, .loc = mu);

    tt_laplace_logpdf in tutti/stats.h"""
    return _core.call(lib.tt_laplace_logpdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def laplace_pdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """laplace(x)
        tt_laplace_logpdf(x), tt_laplace_pdf(x), tt_laplace_cdf(x, .loc = mu);

    tt_laplace_pdf in tutti/stats.h"""
    return _core.call(lib.tt_laplace_pdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def laplace_cdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """laplace(x)
        tt_laplace_logpdf(x), tt_laplace_pdf(x), tt_laplace_cdf(x, .loc = mu);

    tt_laplace_cdf in tutti/stats.h"""
    return _core.call(lib.tt_laplace_cdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def logistic_logpdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """logistic(x)
        tt_logistic_logpdf(x), tt_logistic_pdf(x), tt_logistic_cdf(x), tt_logistic_sf(x);
        tt_logistic_ppf(p), tt_logistic_isf(p);

    tt_logistic_logpdf in tutti/stats.h"""
    return _core.call(lib.tt_logistic_logpdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def logistic_pdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """logistic(x)
        tt_logistic_logpdf(x), tt_logistic_pdf(x), tt_logistic_cdf(x), tt_logistic_sf(x);
        tt_logistic_ppf(p), tt_logistic_isf(p);

    tt_logistic_pdf in tutti/stats.h"""
    return _core.call(lib.tt_logistic_pdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def logistic_cdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """logistic(x)
        tt_logistic_logpdf(x), tt_logistic_pdf(x), tt_logistic_cdf(x), tt_logistic_sf(x);
        tt_logistic_ppf(p), tt_logistic_isf(p);

    tt_logistic_cdf in tutti/stats.h"""
    return _core.call(lib.tt_logistic_cdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def logistic_sf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """logistic(x)
        tt_logistic_logpdf(x), tt_logistic_pdf(x), tt_logistic_cdf(x), tt_logistic_sf(x);
        tt_logistic_ppf(p), tt_logistic_isf(p);

    tt_logistic_sf in tutti/stats.h"""
    return _core.call(lib.tt_logistic_sf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def logistic_ppf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """logistic(x)
        tt_logistic_logpdf(x), tt_logistic_pdf(x), tt_logistic_cdf(x), tt_logistic_sf(x);
        tt_logistic_ppf(p), tt_logistic_isf(p);

    tt_logistic_ppf in tutti/stats.h"""
    return _core.call(lib.tt_logistic_ppf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def logistic_isf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """logistic(x)
        tt_logistic_logpdf(x), tt_logistic_pdf(x), tt_logistic_cdf(x), tt_logistic_sf(x);
        tt_logistic_ppf(p), tt_logistic_isf(p);

    tt_logistic_isf in tutti/stats.h"""
    return _core.call(lib.tt_logistic_isf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def cauchy_logpdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """cauchy(x)
        tt_cauchy_logpdf(x), tt_cauchy_pdf(x), tt_cauchy_cdf(x), tt_cauchy_logcdf(x);
        tt_cauchy_sf(x), tt_cauchy_logsf(x), tt_cauchy_ppf(p), tt_cauchy_isf(p);

    tt_cauchy_logpdf in tutti/stats.h"""
    return _core.call(lib.tt_cauchy_logpdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def cauchy_pdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """cauchy(x)
        tt_cauchy_logpdf(x), tt_cauchy_pdf(x), tt_cauchy_cdf(x), tt_cauchy_logcdf(x);
        tt_cauchy_sf(x), tt_cauchy_logsf(x), tt_cauchy_ppf(p), tt_cauchy_isf(p);

    tt_cauchy_pdf in tutti/stats.h"""
    return _core.call(lib.tt_cauchy_pdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def cauchy_cdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """cauchy(x)
        tt_cauchy_logpdf(x), tt_cauchy_pdf(x), tt_cauchy_cdf(x), tt_cauchy_logcdf(x);
        tt_cauchy_sf(x), tt_cauchy_logsf(x), tt_cauchy_ppf(p), tt_cauchy_isf(p);

    tt_cauchy_cdf in tutti/stats.h"""
    return _core.call(lib.tt_cauchy_cdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def cauchy_logcdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """cauchy(x)
        tt_cauchy_logpdf(x), tt_cauchy_pdf(x), tt_cauchy_cdf(x), tt_cauchy_logcdf(x);
        tt_cauchy_sf(x), tt_cauchy_logsf(x), tt_cauchy_ppf(p), tt_cauchy_isf(p);

    tt_cauchy_logcdf in tutti/stats.h"""
    return _core.call(lib.tt_cauchy_logcdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def cauchy_sf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """cauchy(x)
        tt_cauchy_logpdf(x), tt_cauchy_pdf(x), tt_cauchy_cdf(x), tt_cauchy_logcdf(x);
        tt_cauchy_sf(x), tt_cauchy_logsf(x), tt_cauchy_ppf(p), tt_cauchy_isf(p);

    tt_cauchy_sf in tutti/stats.h"""
    return _core.call(lib.tt_cauchy_sf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def cauchy_logsf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """cauchy(x)
        tt_cauchy_logpdf(x), tt_cauchy_pdf(x), tt_cauchy_cdf(x), tt_cauchy_logcdf(x);
        tt_cauchy_sf(x), tt_cauchy_logsf(x), tt_cauchy_ppf(p), tt_cauchy_isf(p);

    tt_cauchy_logsf in tutti/stats.h"""
    return _core.call(lib.tt_cauchy_logsf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def cauchy_ppf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """cauchy(x)
        tt_cauchy_logpdf(x), tt_cauchy_pdf(x), tt_cauchy_cdf(x), tt_cauchy_logcdf(x);
        tt_cauchy_sf(x), tt_cauchy_logsf(x), tt_cauchy_ppf(p), tt_cauchy_isf(p);

    tt_cauchy_ppf in tutti/stats.h"""
    return _core.call(lib.tt_cauchy_ppf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def cauchy_isf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """cauchy(x)
        tt_cauchy_logpdf(x), tt_cauchy_pdf(x), tt_cauchy_cdf(x), tt_cauchy_logcdf(x);
        tt_cauchy_sf(x), tt_cauchy_logsf(x), tt_cauchy_ppf(p), tt_cauchy_isf(p);

    tt_cauchy_isf in tutti/stats.h"""
    return _core.call(lib.tt_cauchy_isf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def uniform_logpdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """uniform(x): on [loc, loc + scale]
        tt_uniform_logpdf(x), tt_uniform_pdf(x), tt_uniform_cdf(x, .loc = low, .scale = sigma), tt_uniform_ppf(p);

    tt_uniform_logpdf in tutti/stats.h"""
    return _core.call(lib.tt_uniform_logpdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def uniform_pdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """uniform(x): on [loc, loc + scale]
        tt_uniform_logpdf(x), tt_uniform_pdf(x), tt_uniform_cdf(x, .loc = low, .scale = sigma), tt_uniform_ppf(p);

    tt_uniform_pdf in tutti/stats.h"""
    return _core.call(lib.tt_uniform_pdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def uniform_cdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """uniform(x): on [loc, loc + scale]
        tt_uniform_logpdf(x), tt_uniform_pdf(x), tt_uniform_cdf(x, .loc = low, .scale = sigma), tt_uniform_ppf(p);

    tt_uniform_cdf in tutti/stats.h"""
    return _core.call(lib.tt_uniform_cdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def uniform_ppf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """uniform(x): on [loc, loc + scale]
        tt_uniform_logpdf(x), tt_uniform_pdf(x), tt_uniform_cdf(x, .loc = low, .scale = sigma), tt_uniform_ppf(p);

    tt_uniform_ppf in tutti/stats.h"""
    return _core.call(lib.tt_uniform_ppf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def gumbel_l_logpdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gumbel_l(x): of minima
        tt_gumbel_l_logpdf(x), tt_gumbel_l_pdf(x), tt_gumbel_l_cdf(x), tt_gumbel_l_logcdf(x);
        tt_gumbel_l_sf(x), tt_gumbel_l_logsf(x), tt_gumbel_l_ppf(p);

    tt_gumbel_l_logpdf in tutti/stats.h"""
    return _core.call(lib.tt_gumbel_l_logpdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def gumbel_l_pdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gumbel_l(x): of minima
        tt_gumbel_l_logpdf(x), tt_gumbel_l_pdf(x), tt_gumbel_l_cdf(x), tt_gumbel_l_logcdf(x);
        tt_gumbel_l_sf(x), tt_gumbel_l_logsf(x), tt_gumbel_l_ppf(p);

    tt_gumbel_l_pdf in tutti/stats.h"""
    return _core.call(lib.tt_gumbel_l_pdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def gumbel_l_cdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gumbel_l(x): of minima
        tt_gumbel_l_logpdf(x), tt_gumbel_l_pdf(x), tt_gumbel_l_cdf(x), tt_gumbel_l_logcdf(x);
        tt_gumbel_l_sf(x), tt_gumbel_l_logsf(x), tt_gumbel_l_ppf(p);

    tt_gumbel_l_cdf in tutti/stats.h"""
    return _core.call(lib.tt_gumbel_l_cdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def gumbel_l_logcdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gumbel_l(x): of minima
        tt_gumbel_l_logpdf(x), tt_gumbel_l_pdf(x), tt_gumbel_l_cdf(x), tt_gumbel_l_logcdf(x);
        tt_gumbel_l_sf(x), tt_gumbel_l_logsf(x), tt_gumbel_l_ppf(p);

    tt_gumbel_l_logcdf in tutti/stats.h"""
    return _core.call(lib.tt_gumbel_l_logcdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def gumbel_l_sf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gumbel_l(x): of minima
        tt_gumbel_l_logpdf(x), tt_gumbel_l_pdf(x), tt_gumbel_l_cdf(x), tt_gumbel_l_logcdf(x);
        tt_gumbel_l_sf(x), tt_gumbel_l_logsf(x), tt_gumbel_l_ppf(p);

    tt_gumbel_l_sf in tutti/stats.h"""
    return _core.call(lib.tt_gumbel_l_sf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def gumbel_l_logsf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gumbel_l(x): of minima
        tt_gumbel_l_logpdf(x), tt_gumbel_l_pdf(x), tt_gumbel_l_cdf(x), tt_gumbel_l_logcdf(x);
        tt_gumbel_l_sf(x), tt_gumbel_l_logsf(x), tt_gumbel_l_ppf(p);

    tt_gumbel_l_logsf in tutti/stats.h"""
    return _core.call(lib.tt_gumbel_l_logsf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def gumbel_l_ppf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gumbel_l(x): of minima
        tt_gumbel_l_logpdf(x), tt_gumbel_l_pdf(x), tt_gumbel_l_cdf(x), tt_gumbel_l_logcdf(x);
        tt_gumbel_l_sf(x), tt_gumbel_l_logsf(x), tt_gumbel_l_ppf(p);

    tt_gumbel_l_ppf in tutti/stats.h"""
    return _core.call(lib.tt_gumbel_l_ppf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def gumbel_r_logpdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gumbel_r(x): of maxima
        tt_gumbel_r_logpdf(x), tt_gumbel_r_pdf(x), tt_gumbel_r_cdf(x), tt_gumbel_r_logcdf(x);
        tt_gumbel_r_sf(x), tt_gumbel_r_logsf(x), tt_gumbel_r_ppf(p);

    tt_gumbel_r_logpdf in tutti/stats.h"""
    return _core.call(lib.tt_gumbel_r_logpdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def gumbel_r_pdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gumbel_r(x): of maxima
        tt_gumbel_r_logpdf(x), tt_gumbel_r_pdf(x), tt_gumbel_r_cdf(x), tt_gumbel_r_logcdf(x);
        tt_gumbel_r_sf(x), tt_gumbel_r_logsf(x), tt_gumbel_r_ppf(p);

    tt_gumbel_r_pdf in tutti/stats.h"""
    return _core.call(lib.tt_gumbel_r_pdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def gumbel_r_cdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gumbel_r(x): of maxima
        tt_gumbel_r_logpdf(x), tt_gumbel_r_pdf(x), tt_gumbel_r_cdf(x), tt_gumbel_r_logcdf(x);
        tt_gumbel_r_sf(x), tt_gumbel_r_logsf(x), tt_gumbel_r_ppf(p);

    tt_gumbel_r_cdf in tutti/stats.h"""
    return _core.call(lib.tt_gumbel_r_cdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def gumbel_r_logcdf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gumbel_r(x): of maxima
        tt_gumbel_r_logpdf(x), tt_gumbel_r_pdf(x), tt_gumbel_r_cdf(x), tt_gumbel_r_logcdf(x);
        tt_gumbel_r_sf(x), tt_gumbel_r_logsf(x), tt_gumbel_r_ppf(p);

    tt_gumbel_r_logcdf in tutti/stats.h"""
    return _core.call(lib.tt_gumbel_r_logcdf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def gumbel_r_sf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gumbel_r(x): of maxima
        tt_gumbel_r_logpdf(x), tt_gumbel_r_pdf(x), tt_gumbel_r_cdf(x), tt_gumbel_r_logcdf(x);
        tt_gumbel_r_sf(x), tt_gumbel_r_logsf(x), tt_gumbel_r_ppf(p);

    tt_gumbel_r_sf in tutti/stats.h"""
    return _core.call(lib.tt_gumbel_r_sf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def gumbel_r_logsf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gumbel_r(x): of maxima
        tt_gumbel_r_logpdf(x), tt_gumbel_r_pdf(x), tt_gumbel_r_cdf(x), tt_gumbel_r_logcdf(x);
        tt_gumbel_r_sf(x), tt_gumbel_r_logsf(x), tt_gumbel_r_ppf(p);

    tt_gumbel_r_logsf in tutti/stats.h"""
    return _core.call(lib.tt_gumbel_r_logsf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def gumbel_r_ppf(x: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gumbel_r(x): of maxima
        tt_gumbel_r_logpdf(x), tt_gumbel_r_pdf(x), tt_gumbel_r_cdf(x), tt_gumbel_r_logcdf(x);
        tt_gumbel_r_sf(x), tt_gumbel_r_logsf(x), tt_gumbel_r_ppf(p);

    tt_gumbel_r_ppf in tutti/stats.h"""
    return _core.call(lib.tt_gumbel_r_ppf_at, ("x",), "v", (x,), _tt_stats_opts, (loc, scale))


def gamma_logpdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gamma(x, a): of shape a
        tt_gamma_logpdf(x, a), tt_gamma_pdf(x, a), tt_gamma_cdf(x, a, .scale = sigma), tt_gamma_logcdf(x, a);
        tt_gamma_sf(x, a), tt_gamma_logsf(x, a);

    tt_gamma_logpdf in tutti/stats.h"""
    return _core.call(lib.tt_gamma_logpdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def gamma_pdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gamma(x, a): of shape a
        tt_gamma_logpdf(x, a), tt_gamma_pdf(x, a), tt_gamma_cdf(x, a, .scale = sigma), tt_gamma_logcdf(x, a);
        tt_gamma_sf(x, a), tt_gamma_logsf(x, a);

    tt_gamma_pdf in tutti/stats.h"""
    return _core.call(lib.tt_gamma_pdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def gamma_cdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gamma(x, a): of shape a
        tt_gamma_logpdf(x, a), tt_gamma_pdf(x, a), tt_gamma_cdf(x, a, .scale = sigma), tt_gamma_logcdf(x, a);
        tt_gamma_sf(x, a), tt_gamma_logsf(x, a);

    tt_gamma_cdf in tutti/stats.h"""
    return _core.call(lib.tt_gamma_cdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def gamma_logcdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gamma(x, a): of shape a
        tt_gamma_logpdf(x, a), tt_gamma_pdf(x, a), tt_gamma_cdf(x, a, .scale = sigma), tt_gamma_logcdf(x, a);
        tt_gamma_sf(x, a), tt_gamma_logsf(x, a);

    tt_gamma_logcdf in tutti/stats.h"""
    return _core.call(lib.tt_gamma_logcdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def gamma_sf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gamma(x, a): of shape a
        tt_gamma_logpdf(x, a), tt_gamma_pdf(x, a), tt_gamma_cdf(x, a, .scale = sigma), tt_gamma_logcdf(x, a);
        tt_gamma_sf(x, a), tt_gamma_logsf(x, a);

    tt_gamma_sf in tutti/stats.h"""
    return _core.call(lib.tt_gamma_sf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def gamma_logsf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gamma(x, a): of shape a
        tt_gamma_logpdf(x, a), tt_gamma_pdf(x, a), tt_gamma_cdf(x, a, .scale = sigma), tt_gamma_logcdf(x, a);
        tt_gamma_sf(x, a), tt_gamma_logsf(x, a);

    tt_gamma_logsf in tutti/stats.h"""
    return _core.call(lib.tt_gamma_logsf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def chi2_logpdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """chi2(x, df)
        tt_chi2_logpdf(x, df), tt_chi2_pdf(x, df), tt_chi2_cdf(x, df), tt_chi2_logcdf(x, df);
        tt_chi2_sf(x, df), tt_chi2_logsf(x, df);

    tt_chi2_logpdf in tutti/stats.h"""
    return _core.call(lib.tt_chi2_logpdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def chi2_pdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """chi2(x, df)
        tt_chi2_logpdf(x, df), tt_chi2_pdf(x, df), tt_chi2_cdf(x, df), tt_chi2_logcdf(x, df);
        tt_chi2_sf(x, df), tt_chi2_logsf(x, df);

    tt_chi2_pdf in tutti/stats.h"""
    return _core.call(lib.tt_chi2_pdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def chi2_cdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """chi2(x, df)
        tt_chi2_logpdf(x, df), tt_chi2_pdf(x, df), tt_chi2_cdf(x, df), tt_chi2_logcdf(x, df);
        tt_chi2_sf(x, df), tt_chi2_logsf(x, df);

    tt_chi2_cdf in tutti/stats.h"""
    return _core.call(lib.tt_chi2_cdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def chi2_logcdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """chi2(x, df)
        tt_chi2_logpdf(x, df), tt_chi2_pdf(x, df), tt_chi2_cdf(x, df), tt_chi2_logcdf(x, df);
        tt_chi2_sf(x, df), tt_chi2_logsf(x, df);

    tt_chi2_logcdf in tutti/stats.h"""
    return _core.call(lib.tt_chi2_logcdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def chi2_sf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """chi2(x, df)
        tt_chi2_logpdf(x, df), tt_chi2_pdf(x, df), tt_chi2_cdf(x, df), tt_chi2_logcdf(x, df);
        tt_chi2_sf(x, df), tt_chi2_logsf(x, df);

    tt_chi2_sf in tutti/stats.h"""
    return _core.call(lib.tt_chi2_sf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def chi2_logsf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """chi2(x, df)
        tt_chi2_logpdf(x, df), tt_chi2_pdf(x, df), tt_chi2_cdf(x, df), tt_chi2_logcdf(x, df);
        tt_chi2_sf(x, df), tt_chi2_logsf(x, df);

    tt_chi2_logsf in tutti/stats.h"""
    return _core.call(lib.tt_chi2_logsf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def t_logpdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """t(x, df): Student's
        tt_t_logpdf(x, df), tt_t_pdf(x, df, .scale = sigma);

    tt_t_logpdf in tutti/stats.h"""
    return _core.call(lib.tt_t_logpdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def t_pdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """t(x, df): Student's
        tt_t_logpdf(x, df), tt_t_pdf(x, df, .scale = sigma);

    tt_t_pdf in tutti/stats.h"""
    return _core.call(lib.tt_t_pdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def pareto_logpdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """pareto(x, b): on [1, infinity)
        tt_pareto_logpdf(x, b), tt_pareto_pdf(x, b), tt_pareto_cdf(x, b), tt_pareto_logcdf(x, b);
        tt_pareto_sf(x, b), tt_pareto_logsf(x, b), tt_pareto_ppf(p, b);

    tt_pareto_logpdf in tutti/stats.h"""
    return _core.call(lib.tt_pareto_logpdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def pareto_pdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """pareto(x, b): on [1, infinity)
        tt_pareto_logpdf(x, b), tt_pareto_pdf(x, b), tt_pareto_cdf(x, b), tt_pareto_logcdf(x, b);
        tt_pareto_sf(x, b), tt_pareto_logsf(x, b), tt_pareto_ppf(p, b);

    tt_pareto_pdf in tutti/stats.h"""
    return _core.call(lib.tt_pareto_pdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def pareto_cdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """pareto(x, b): on [1, infinity)
        tt_pareto_logpdf(x, b), tt_pareto_pdf(x, b), tt_pareto_cdf(x, b), tt_pareto_logcdf(x, b);
        tt_pareto_sf(x, b), tt_pareto_logsf(x, b), tt_pareto_ppf(p, b);

    tt_pareto_cdf in tutti/stats.h"""
    return _core.call(lib.tt_pareto_cdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def pareto_logcdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """pareto(x, b): on [1, infinity)
        tt_pareto_logpdf(x, b), tt_pareto_pdf(x, b), tt_pareto_cdf(x, b), tt_pareto_logcdf(x, b);
        tt_pareto_sf(x, b), tt_pareto_logsf(x, b), tt_pareto_ppf(p, b);

    tt_pareto_logcdf in tutti/stats.h"""
    return _core.call(lib.tt_pareto_logcdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def pareto_sf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """pareto(x, b): on [1, infinity)
        tt_pareto_logpdf(x, b), tt_pareto_pdf(x, b), tt_pareto_cdf(x, b), tt_pareto_logcdf(x, b);
        tt_pareto_sf(x, b), tt_pareto_logsf(x, b), tt_pareto_ppf(p, b);

    tt_pareto_sf in tutti/stats.h"""
    return _core.call(lib.tt_pareto_sf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def pareto_logsf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """pareto(x, b): on [1, infinity)
        tt_pareto_logpdf(x, b), tt_pareto_pdf(x, b), tt_pareto_cdf(x, b), tt_pareto_logcdf(x, b);
        tt_pareto_sf(x, b), tt_pareto_logsf(x, b), tt_pareto_ppf(p, b);

    tt_pareto_logsf in tutti/stats.h"""
    return _core.call(lib.tt_pareto_logsf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def pareto_ppf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """pareto(x, b): on [1, infinity)
        tt_pareto_logpdf(x, b), tt_pareto_pdf(x, b), tt_pareto_cdf(x, b), tt_pareto_logcdf(x, b);
        tt_pareto_sf(x, b), tt_pareto_logsf(x, b), tt_pareto_ppf(p, b);

    tt_pareto_ppf in tutti/stats.h"""
    return _core.call(lib.tt_pareto_ppf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def gennorm_logpdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gennorm(x, b): generalised normal of power b
        tt_gennorm_logpdf(x, b), tt_gennorm_pdf(x, b), tt_gennorm_cdf(x, b);

    tt_gennorm_logpdf in tutti/stats.h"""
    return _core.call(lib.tt_gennorm_logpdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def gennorm_pdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gennorm(x, b): generalised normal of power b
        tt_gennorm_logpdf(x, b), tt_gennorm_pdf(x, b), tt_gennorm_cdf(x, b);

    tt_gennorm_pdf in tutti/stats.h"""
    return _core.call(lib.tt_gennorm_pdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def gennorm_cdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """gennorm(x, b): generalised normal of power b
        tt_gennorm_logpdf(x, b), tt_gennorm_pdf(x, b), tt_gennorm_cdf(x, b);

    tt_gennorm_cdf in tutti/stats.h"""
    return _core.call(lib.tt_gennorm_cdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def vonmises_logpdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """vonmises(x, kappa): on the circle
        tt_vonmises_logpdf(x, kappa), tt_vonmises_pdf(x, kappa);

    tt_vonmises_logpdf in tutti/stats.h"""
    return _core.call(lib.tt_vonmises_logpdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def vonmises_pdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """vonmises(x, kappa): on the circle
        tt_vonmises_logpdf(x, kappa), tt_vonmises_pdf(x, kappa);

    tt_vonmises_pdf in tutti/stats.h"""
    return _core.call(lib.tt_vonmises_pdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def wrapcauchy_logpdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """wrapcauchy(x, c): on [0, 2 pi]
        tt_wrapcauchy_logpdf(x, c), tt_wrapcauchy_pdf(x, c);

    tt_wrapcauchy_logpdf in tutti/stats.h"""
    return _core.call(lib.tt_wrapcauchy_logpdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def wrapcauchy_pdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """wrapcauchy(x, c): on [0, 2 pi]
        tt_wrapcauchy_logpdf(x, c), tt_wrapcauchy_pdf(x, c);

    tt_wrapcauchy_pdf in tutti/stats.h"""
    return _core.call(lib.tt_wrapcauchy_pdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def beta_logpdf(x: Any, a: Any, b: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """beta(x, a, b): on [0, 1]
        tt_beta_logpdf(x, a, b), tt_beta_pdf(x, a, b), tt_beta_cdf(x, a, b), tt_beta_logcdf(x, a, b);
        tt_beta_sf(x, a, b), tt_beta_logsf(x, a, b);

    tt_beta_logpdf in tutti/stats.h"""
    return _core.call(lib.tt_beta_logpdf_at, ("x", "a", "b"), "vvv", (x, a, b), _tt_stats_opts, (loc, scale))


def beta_pdf(x: Any, a: Any, b: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """beta(x, a, b): on [0, 1]
        tt_beta_logpdf(x, a, b), tt_beta_pdf(x, a, b), tt_beta_cdf(x, a, b), tt_beta_logcdf(x, a, b);
        tt_beta_sf(x, a, b), tt_beta_logsf(x, a, b);

    tt_beta_pdf in tutti/stats.h"""
    return _core.call(lib.tt_beta_pdf_at, ("x", "a", "b"), "vvv", (x, a, b), _tt_stats_opts, (loc, scale))


def beta_cdf(x: Any, a: Any, b: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """beta(x, a, b): on [0, 1]
        tt_beta_logpdf(x, a, b), tt_beta_pdf(x, a, b), tt_beta_cdf(x, a, b), tt_beta_logcdf(x, a, b);
        tt_beta_sf(x, a, b), tt_beta_logsf(x, a, b);

    tt_beta_cdf in tutti/stats.h"""
    return _core.call(lib.tt_beta_cdf_at, ("x", "a", "b"), "vvv", (x, a, b), _tt_stats_opts, (loc, scale))


def beta_logcdf(x: Any, a: Any, b: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """beta(x, a, b): on [0, 1]
        tt_beta_logpdf(x, a, b), tt_beta_pdf(x, a, b), tt_beta_cdf(x, a, b), tt_beta_logcdf(x, a, b);
        tt_beta_sf(x, a, b), tt_beta_logsf(x, a, b);

    tt_beta_logcdf in tutti/stats.h"""
    return _core.call(lib.tt_beta_logcdf_at, ("x", "a", "b"), "vvv", (x, a, b), _tt_stats_opts, (loc, scale))


def beta_sf(x: Any, a: Any, b: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """beta(x, a, b): on [0, 1]
        tt_beta_logpdf(x, a, b), tt_beta_pdf(x, a, b), tt_beta_cdf(x, a, b), tt_beta_logcdf(x, a, b);
        tt_beta_sf(x, a, b), tt_beta_logsf(x, a, b);

    tt_beta_sf in tutti/stats.h"""
    return _core.call(lib.tt_beta_sf_at, ("x", "a", "b"), "vvv", (x, a, b), _tt_stats_opts, (loc, scale))


def beta_logsf(x: Any, a: Any, b: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """beta(x, a, b): on [0, 1]
        tt_beta_logpdf(x, a, b), tt_beta_pdf(x, a, b), tt_beta_cdf(x, a, b), tt_beta_logcdf(x, a, b);
        tt_beta_sf(x, a, b), tt_beta_logsf(x, a, b);

    tt_beta_logsf in tutti/stats.h"""
    return _core.call(lib.tt_beta_logsf_at, ("x", "a", "b"), "vvv", (x, a, b), _tt_stats_opts, (loc, scale))


def truncnorm_logpdf(x: Any, a: Any, b: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """truncnorm(x, a, b): normal, truncated to [a, b]
        tt_truncnorm_logpdf(x, a, b), tt_truncnorm_pdf(x, a, b), tt_truncnorm_cdf(x, a, b);
        tt_truncnorm_logcdf(x, a, b), tt_truncnorm_sf(x, a, b), tt_truncnorm_logsf(x, a, b);

    tt_truncnorm_logpdf in tutti/stats.h"""
    return _core.call(lib.tt_truncnorm_logpdf_at, ("x", "a", "b"), "vvv", (x, a, b), _tt_stats_opts, (loc, scale))


def truncnorm_pdf(x: Any, a: Any, b: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """truncnorm(x, a, b): normal, truncated to [a, b]
        tt_truncnorm_logpdf(x, a, b), tt_truncnorm_pdf(x, a, b), tt_truncnorm_cdf(x, a, b);
        tt_truncnorm_logcdf(x, a, b), tt_truncnorm_sf(x, a, b), tt_truncnorm_logsf(x, a, b);

    tt_truncnorm_pdf in tutti/stats.h"""
    return _core.call(lib.tt_truncnorm_pdf_at, ("x", "a", "b"), "vvv", (x, a, b), _tt_stats_opts, (loc, scale))


def truncnorm_cdf(x: Any, a: Any, b: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """truncnorm(x, a, b): normal, truncated to [a, b]
        tt_truncnorm_logpdf(x, a, b), tt_truncnorm_pdf(x, a, b), tt_truncnorm_cdf(x, a, b);
        tt_truncnorm_logcdf(x, a, b), tt_truncnorm_sf(x, a, b), tt_truncnorm_logsf(x, a, b);

    tt_truncnorm_cdf in tutti/stats.h"""
    return _core.call(lib.tt_truncnorm_cdf_at, ("x", "a", "b"), "vvv", (x, a, b), _tt_stats_opts, (loc, scale))


def truncnorm_logcdf(x: Any, a: Any, b: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """truncnorm(x, a, b): normal, truncated to [a, b]
        tt_truncnorm_logpdf(x, a, b), tt_truncnorm_pdf(x, a, b), tt_truncnorm_cdf(x, a, b);
        tt_truncnorm_logcdf(x, a, b), tt_truncnorm_sf(x, a, b), tt_truncnorm_logsf(x, a, b);

    tt_truncnorm_logcdf in tutti/stats.h"""
    return _core.call(lib.tt_truncnorm_logcdf_at, ("x", "a", "b"), "vvv", (x, a, b), _tt_stats_opts, (loc, scale))


def truncnorm_sf(x: Any, a: Any, b: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """truncnorm(x, a, b): normal, truncated to [a, b]
        tt_truncnorm_logpdf(x, a, b), tt_truncnorm_pdf(x, a, b), tt_truncnorm_cdf(x, a, b);
        tt_truncnorm_logcdf(x, a, b), tt_truncnorm_sf(x, a, b), tt_truncnorm_logsf(x, a, b);

    tt_truncnorm_sf in tutti/stats.h"""
    return _core.call(lib.tt_truncnorm_sf_at, ("x", "a", "b"), "vvv", (x, a, b), _tt_stats_opts, (loc, scale))


def truncnorm_logsf(x: Any, a: Any, b: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """truncnorm(x, a, b): normal, truncated to [a, b]
        tt_truncnorm_logpdf(x, a, b), tt_truncnorm_pdf(x, a, b), tt_truncnorm_cdf(x, a, b);
        tt_truncnorm_logcdf(x, a, b), tt_truncnorm_sf(x, a, b), tt_truncnorm_logsf(x, a, b);

    tt_truncnorm_logsf in tutti/stats.h"""
    return _core.call(lib.tt_truncnorm_logsf_at, ("x", "a", "b"), "vvv", (x, a, b), _tt_stats_opts, (loc, scale))


def poisson_logpmf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """poisson(x, mu): counts
        tt_poisson_logpmf(k, mu), tt_poisson_pmf(k, mu), tt_poisson_cdf(k, mu, .loc = tt_i(1));

    tt_poisson_logpmf in tutti/stats.h"""
    return _core.call(lib.tt_poisson_logpmf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def poisson_pmf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """poisson(x, mu): counts
        tt_poisson_logpmf(k, mu), tt_poisson_pmf(k, mu), tt_poisson_cdf(k, mu, .loc = tt_i(1));

    tt_poisson_pmf in tutti/stats.h"""
    return _core.call(lib.tt_poisson_pmf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def poisson_cdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """poisson(x, mu): counts
        tt_poisson_logpmf(k, mu), tt_poisson_pmf(k, mu), tt_poisson_cdf(k, mu, .loc = tt_i(1));

    tt_poisson_cdf in tutti/stats.h"""
    return _core.call(lib.tt_poisson_cdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def bernoulli_logpmf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """bernoulli(x, p)
        tt_bernoulli_logpmf(k, p), tt_bernoulli_pmf(k, p), tt_bernoulli_cdf(k, p), tt_bernoulli_ppf(q, p);

    tt_bernoulli_logpmf in tutti/stats.h"""
    return _core.call(lib.tt_bernoulli_logpmf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def bernoulli_pmf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """bernoulli(x, p)
        tt_bernoulli_logpmf(k, p), tt_bernoulli_pmf(k, p), tt_bernoulli_cdf(k, p), tt_bernoulli_ppf(q, p);

    tt_bernoulli_pmf in tutti/stats.h"""
    return _core.call(lib.tt_bernoulli_pmf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def bernoulli_cdf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """bernoulli(x, p)
        tt_bernoulli_logpmf(k, p), tt_bernoulli_pmf(k, p), tt_bernoulli_cdf(k, p), tt_bernoulli_ppf(q, p);

    tt_bernoulli_cdf in tutti/stats.h"""
    return _core.call(lib.tt_bernoulli_cdf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def bernoulli_ppf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """bernoulli(x, p)
        tt_bernoulli_logpmf(k, p), tt_bernoulli_pmf(k, p), tt_bernoulli_cdf(k, p), tt_bernoulli_ppf(q, p);

    tt_bernoulli_ppf in tutti/stats.h"""
    return _core.call(lib.tt_bernoulli_ppf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def geom_logpmf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """geom(x, p): trials to the first success, 1 or more
        tt_geom_logpmf(k, p), tt_geom_pmf(k, p);

    tt_geom_logpmf in tutti/stats.h"""
    return _core.call(lib.tt_geom_logpmf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def geom_pmf(x: Any, a: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """geom(x, p): trials to the first success, 1 or more
        tt_geom_logpmf(k, p), tt_geom_pmf(k, p);

    tt_geom_pmf in tutti/stats.h"""
    return _core.call(lib.tt_geom_pmf_at, ("x", "a"), "vv", (x, a), _tt_stats_opts, (loc, scale))


def binom_logpmf(x: Any, a: Any, b: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """binom(x, n, p)
        tt_binom_logpmf(k, n_trials, p), tt_binom_pmf(k, n_trials, p);

    tt_binom_logpmf in tutti/stats.h"""
    return _core.call(lib.tt_binom_logpmf_at, ("x", "a", "b"), "vvv", (x, a, b), _tt_stats_opts, (loc, scale))


def binom_pmf(x: Any, a: Any, b: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """binom(x, n, p)
        tt_binom_logpmf(k, n_trials, p), tt_binom_pmf(k, n_trials, p);

    tt_binom_pmf in tutti/stats.h"""
    return _core.call(lib.tt_binom_pmf_at, ("x", "a", "b"), "vvv", (x, a, b), _tt_stats_opts, (loc, scale))


def nbinom_logpmf(x: Any, a: Any, b: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """nbinom(x, n, p): failures before n successes
        tt_nbinom_logpmf(k, n_trials, p), tt_nbinom_pmf(k, n_trials, p);

    tt_nbinom_logpmf in tutti/stats.h"""
    return _core.call(lib.tt_nbinom_logpmf_at, ("x", "a", "b"), "vvv", (x, a, b), _tt_stats_opts, (loc, scale))


def nbinom_pmf(x: Any, a: Any, b: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """nbinom(x, n, p): failures before n successes
        tt_nbinom_logpmf(k, n_trials, p), tt_nbinom_pmf(k, n_trials, p);

    tt_nbinom_pmf in tutti/stats.h"""
    return _core.call(lib.tt_nbinom_pmf_at, ("x", "a", "b"), "vvv", (x, a, b), _tt_stats_opts, (loc, scale))


def betabinom_logpmf(x: Any, a: Any, b: Any, c: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """betabinom(x, n, a, b)
        tt_betabinom_logpmf(k, n_trials, a, b), tt_betabinom_pmf(k, n_trials, a, b);

    tt_betabinom_logpmf in tutti/stats.h"""
    return _core.call(lib.tt_betabinom_logpmf_at, ("x", "a", "b", "c"), "vvvv", (x, a, b, c), _tt_stats_opts, (loc,
        scale))


def betabinom_pmf(x: Any, a: Any, b: Any, c: Any, *, loc: Optional[Any] = None, scale: Optional[Any] = None) -> Any:
    """betabinom(x, n, a, b)
        tt_betabinom_logpmf(k, n_trials, a, b), tt_betabinom_pmf(k, n_trials, a, b);

    tt_betabinom_pmf in tutti/stats.h"""
    return _core.call(lib.tt_betabinom_pmf_at, ("x", "a", "b", "c"), "vvvv", (x, a, b, c), _tt_stats_opts, (loc, scale))


def multivariate_normal_logpdf(x: Any, mean: Any, cov: Any) -> Any:
    """Vectors: x [.., n]. multivariate_normal: mean [.., n] and cov [.., n, n], or cov a scalar, a multiple of the unit
    matrix; dirichlet: of one vector alpha [n], x [n] or [n - 1] along dim 0, as in JAX; multinomial: counts x [n] of
    integers, n trials, probabilities p [n].
        tt_multivariate_normal_logpdf(x, mean, cov), tt_multivariate_normal_pdf(x, mean, cov);
        tt_dirichlet_logpdf(x, alpha), tt_dirichlet_pdf(x, alpha);
        tt_multinomial_logpmf(k, n_trials, p), tt_multinomial_pmf(k, n_trials, p);

    tt_multivariate_normal_logpdf in tutti/stats.h"""
    return _core.call(lib.tt_multivariate_normal_logpdf_at, ("x", "mean", "cov"), "vvv", (x, mean, cov))


def multivariate_normal_pdf(x: Any, mean: Any, cov: Any) -> Any:
    """Vectors: x [.., n]. multivariate_normal: mean [.., n] and cov [.., n, n], or cov a scalar, a multiple of the unit
    matrix; dirichlet: of one vector alpha [n], x [n] or [n - 1] along dim 0, as in JAX; multinomial: counts x [n] of
    integers, n trials, probabilities p [n].
        tt_multivariate_normal_logpdf(x, mean, cov), tt_multivariate_normal_pdf(x, mean, cov);
        tt_dirichlet_logpdf(x, alpha), tt_dirichlet_pdf(x, alpha);
        tt_multinomial_logpmf(k, n_trials, p), tt_multinomial_pmf(k, n_trials, p);

    tt_multivariate_normal_pdf in tutti/stats.h"""
    return _core.call(lib.tt_multivariate_normal_pdf_at, ("x", "mean", "cov"), "vvv", (x, mean, cov))


def multinomial_logpmf(x: Any, n: Any, p: Any) -> Any:
    """Vectors: x [.., n]. multivariate_normal: mean [.., n] and cov [.., n, n], or cov a scalar, a multiple of the unit
    matrix; dirichlet: of one vector alpha [n], x [n] or [n - 1] along dim 0, as in JAX; multinomial: counts x [n] of
    integers, n trials, probabilities p [n].
        tt_multivariate_normal_logpdf(x, mean, cov), tt_multivariate_normal_pdf(x, mean, cov);
        tt_dirichlet_logpdf(x, alpha), tt_dirichlet_pdf(x, alpha);
        tt_multinomial_logpmf(k, n_trials, p), tt_multinomial_pmf(k, n_trials, p);

    tt_multinomial_logpmf in tutti/stats.h"""
    return _core.call(lib.tt_multinomial_logpmf_at, ("x", "n", "p"), "vvv", (x, n, p))


def multinomial_pmf(x: Any, n: Any, p: Any) -> Any:
    """Vectors: x [.., n]. multivariate_normal: mean [.., n] and cov [.., n, n], or cov a scalar, a multiple of the unit
    matrix; dirichlet: of one vector alpha [n], x [n] or [n - 1] along dim 0, as in JAX; multinomial: counts x [n] of
    integers, n trials, probabilities p [n].
        tt_multivariate_normal_logpdf(x, mean, cov), tt_multivariate_normal_pdf(x, mean, cov);
        tt_dirichlet_logpdf(x, alpha), tt_dirichlet_pdf(x, alpha);
        tt_multinomial_logpmf(k, n_trials, p), tt_multinomial_pmf(k, n_trials, p);

    tt_multinomial_pmf in tutti/stats.h"""
    return _core.call(lib.tt_multinomial_pmf_at, ("x", "n", "p"), "vvv", (x, n, p))


def dirichlet_logpdf(a: Any, b: Any) -> Any:
    """Vectors: x [.., n]. multivariate_normal: mean [.., n] and cov [.., n, n], or cov a scalar, a multiple of the unit
    matrix; dirichlet: of one vector alpha [n], x [n] or [n - 1] along dim 0, as in JAX; multinomial: counts x [n] of
    integers, n trials, probabilities p [n].
        tt_multivariate_normal_logpdf(x, mean, cov), tt_multivariate_normal_pdf(x, mean, cov);
        tt_dirichlet_logpdf(x, alpha), tt_dirichlet_pdf(x, alpha);
        tt_multinomial_logpmf(k, n_trials, p), tt_multinomial_pmf(k, n_trials, p);

    tt_dirichlet_logpdf in tutti/stats.h"""
    return _core.call(lib.tt_dirichlet_logpdf_at, ("a", "b"), "vv", (a, b))


def dirichlet_pdf(a: Any, b: Any) -> Any:
    """Vectors: x [.., n]. multivariate_normal: mean [.., n] and cov [.., n, n], or cov a scalar, a multiple of the unit
    matrix; dirichlet: of one vector alpha [n], x [n] or [n - 1] along dim 0, as in JAX; multinomial: counts x [n] of
    integers, n trials, probabilities p [n].
        tt_multivariate_normal_logpdf(x, mean, cov), tt_multivariate_normal_pdf(x, mean, cov);
        tt_dirichlet_logpdf(x, alpha), tt_dirichlet_pdf(x, alpha);
        tt_multinomial_logpmf(k, n_trials, p), tt_multinomial_pmf(k, n_trials, p);

    tt_dirichlet_pdf in tutti/stats.h"""
    return _core.call(lib.tt_dirichlet_pdf_at, ("a", "b"), "vv", (a, b))


def cosine_distance(a: Any, b: Any, eps: float = 0.0) -> Any:
    """(a - b)^2, elementwise; 1 - the cosine similarity over the last dim
        tt_mean(tt_squared_error(y, target)), tt_mean(tt_cosine_distance(a, b, 1e-8));

    tt_cosine_distance in tutti/losses.h"""
    return _core.call(lib.tt_cosine_distance_at, ("a", "b", "eps"), "vvd", (a, b, eps))


def squared_error(a: Any, b: Any) -> Any:
    """(a - b)^2, elementwise; 1 - the cosine similarity over the last dim
        tt_mean(tt_squared_error(y, target)), tt_mean(tt_cosine_distance(a, b, 1e-8));

    tt_squared_error in tutti/losses.h"""
    return _core.call(lib.tt_squared_error_at, ("a", "b"), "vv", (a, b))


def kl_with_log_targets(a: Any, b: Any) -> Any:
    """Divergences over the last dim, of log-probabilities p: the targets are log-probabilities as well; or p and q need not
    sum to 1, and the sum of p - q is added (optax's convex_kl_divergence).
        tt_mean(tt_kl_with_log_targets(log_p, log_q)), tt_mean(tt_generalized_kl(log_p, q));

    tt_kl_with_log_targets in tutti/losses.h"""
    return _core.call(lib.tt_kl_with_log_targets_at, ("a", "b"), "vv", (a, b))


def generalized_kl(a: Any, b: Any) -> Any:
    """Divergences over the last dim, of log-probabilities p: the targets are log-probabilities as well; or p and q need not
    sum to 1, and the sum of p - q is added (optax's convex_kl_divergence).
        tt_mean(tt_kl_with_log_targets(log_p, log_q)), tt_mean(tt_generalized_kl(log_p, q));

    tt_generalized_kl in tutti/losses.h"""
    return _core.call(lib.tt_generalized_kl_at, ("a", "b"), "vv", (a, b))


def perceptron_loss(a: Any, b: Any) -> Any:
    """max(0, -y target) elementwise, targets -1 and 1
        tt_mean(tt_perceptron_loss(y, target));

    tt_perceptron_loss in tutti/losses.h"""
    return _core.call(lib.tt_perceptron_loss_at, ("a", "b"), "vv", (a, b))


def multiclass_hinge_loss(a: Any, b: Any) -> Any:
    """Scores [B, K] and integer labels [B]: the largest score, and 1 more for wrong classes, less the label's score.
        tt_mean(tt_multiclass_hinge_loss(scores, labels)), tt_mean(tt_multiclass_perceptron_loss(scores, labels));

    tt_multiclass_hinge_loss in tutti/losses.h"""
    return _core.call(lib.tt_multiclass_hinge_loss_at, ("a", "b"), "vv", (a, b))


def multiclass_perceptron_loss(a: Any, b: Any) -> Any:
    """Scores [B, K] and integer labels [B]: the largest score, and 1 more for wrong classes, less the label's score.
        tt_mean(tt_multiclass_hinge_loss(scores, labels)), tt_mean(tt_multiclass_perceptron_loss(scores, labels));

    tt_multiclass_perceptron_loss in tutti/losses.h"""
    return _core.call(lib.tt_multiclass_perceptron_loss_at, ("a", "b"), "vv", (a, b))


def ranking_softmax_loss(a: Any, b: Any) -> Any:
    """- the sum of labels log_softmax(logits) over the last dim, [B, items] of relevances: the mean over B, a scalar
        tt_val rank_loss = tt_ranking_softmax_loss(scores, relevances);

    tt_ranking_softmax_loss in tutti/losses.h"""
    return _core.call(lib.tt_ranking_softmax_loss_at, ("a", "b"), "vv", (a, b))


def sigmoid_focal_loss(logits: Any, labels: Any, *, alpha: Optional[float] = None,
        gamma: Optional[float] = None) -> Any:
    """Binary cross-entropy times (1 - p of the right class)^gamma, elementwise (Lin and others, 2017). gamma 2; alpha: the
    weight of the labels 1, 1 - alpha of the labels 0; not given: 1 both.
        tt_mean(tt_sigmoid_focal_loss(logits, labels, .alpha = 0.25));

    tt_sigmoid_focal_loss in tutti/losses.h"""
    return _core.call(lib.tt_sigmoid_focal_loss_at, ("logits", "labels"), "vv", (logits, labels), _tt_focal_opts,
        (alpha, gamma))


def poly_loss_cross_entropy(logits: Any, labels: Any, *, epsilon: Optional[float] = None) -> Any:
    """Cross-entropy with a distribution [B, K], plus epsilon (2) times the probability of the wrong classes (Leng and
    others, 2022).
        tt_mean(tt_poly_loss_cross_entropy(logits, tt_one_hot(labels, 10, TT_F32)));

    tt_poly_loss_cross_entropy in tutti/losses.h"""
    return _core.call(lib.tt_poly_loss_cross_entropy_at, ("logits", "labels"), "vv", (logits, labels), _tt_poly_opts,
        (epsilon,))


def triplet_margin_loss(anchors: Any, positives: Any, negatives: Any, *, margin: Optional[float] = None,
        norm: Optional[float] = None, eps: Optional[float] = None) -> Any:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), vectors over the last dim; d = (the sum of |x|^norm +
    eps)^(1/norm). margin 1, norm 2, eps 1e-6.
        tt_mean(tt_triplet_margin_loss(anchors, positives, negatives, .margin = 0.5));

    tt_triplet_margin_loss in tutti/losses.h"""
    return _core.call(lib.tt_triplet_margin_loss_at, ("anchors", "positives", "negatives"), "vvv", (anchors, positives,
        negatives), _tt_triplet_opts, (margin, norm, eps))


def ntxent(embeddings: Any, labels: Any, *, temperature: Optional[float] = None) -> Any:
    """Of embeddings [B, D] with integer labels [B], a scalar: rows with the same label attract each other, all others repel
    (Sohn, 2016; Chen and others, 2020). temperature 0.07.
        tt_val contrast = tt_ntxent(embeddings, labels, .temperature = 0.1);

    tt_ntxent in tutti/losses.h"""
    return _core.call(lib.tt_ntxent_at, ("embeddings", "labels"), "vv", (embeddings, labels), _tt_ntxent_opts,
        (temperature,))


def ctc_loss(logits: Any, logit_paddings: Any, labels: Any, label_paddings: Any, *, blank: Optional[int] = None,
        log_epsilon: Optional[float] = None) -> Any:
    """Connectionist temporal classification (Graves and others, 2006): -log of the probability of labels [B, N], summed
    over all alignments of the labels with the logits [B, T, K], [B]. The paddings, [B, T] and [B, N], are floats: 1
    where there is no element; padded elements come last. blank: the class of the blank, 0; log_epsilon: the
    logarithm that stands for probability 0, -1e5.

    tt_ctc_loss in tutti/losses.h"""
    return _core.call(lib.tt_ctc_loss_at, ("logits", "logit_paddings", "labels", "label_paddings"), "vvvv", (logits,
        logit_paddings, labels, label_paddings), _tt_ctc_opts, (blank, log_epsilon))


def expm(v: Any) -> Any:
    """e^v, by Pade approximants and squaring (Higham, 2005; degree 7 for float32, 13 for float64), with derivatives; NaN
    where more than 16 squarings are needed, as in JAX.
        tt_val propagator = tt_expm(a);

    tt_expm in tutti/scipy.h"""
    return _core.call(lib.tt_expm_at, ("v",), "v", (v,))


def sqrtm(v: Any) -> Any:
    """The principal square root, complex, by the Schur form (Bjorck and Hammarling, 1983); no derivatives, as in JAX.
        tt_val root = tt_sqrtm(a);

    tt_sqrtm in tutti/scipy.h"""
    return _core.call(lib.tt_sqrtm_at, ("v",), "v", (v,))


def polar(v: Any) -> Any:
    """(U, P) with v = U P, U with orthonormal columns and P positive semidefinite; v [.., m, n], m >= n.
        tt_unpack(tt_polar(a), &u, &p);

    tt_polar in tutti/scipy.h"""
    return _core.call(lib.tt_polar_at, ("v",), "v", (v,))


def cho_solve(factor: Any, b: Any, *, upper: Optional[Union[bool, int]] = None, full: Optional[Union[bool,
        int]] = None) -> Any:
    """x with v x = b from the factor of tt_cholesky(v): lower, or with .upper upper. b of rank 1 is a vector.
        x = tt_cho_solve(tt_cholesky(a), b);

    tt_cho_solve in tutti/scipy.h"""
    return _core.call(lib.tt_cho_solve_at, ("factor", "b"), "vv", (factor, b), _tt_matrix_opts, (upper, full))


def block_diag(v: Any) -> Any:
    """Matrices along the diagonal of a matrix of zeros; rank 1: one row, rank 0: [1, 1].
        tt_val big = tt_block_diag(a, b, tt_f(1));

    tt_block_diag in tutti/scipy.h"""
    return _core.call(lib.tt_block_diag_at, ("v",), "V", (v,))


def lu_solve(a: Any, b: Any) -> Any:
    """x with v x = b from the tuple of tt_lu(v)
        x = tt_lu_solve(tt_lu(a), b);

    tt_lu_solve in tutti/scipy.h"""
    return _core.call(lib.tt_lu_solve_at, ("a", "b"), "vv", (a, b))


def toeplitz(a: Any, b: Any) -> Any:
    """Constant along diagonals: first column c [m], first row r [n], whose r[0] is not read.
        tt_val stripes = tt_toeplitz(c, c);

    tt_toeplitz in tutti/scipy.h"""
    return _core.call(lib.tt_toeplitz_at, ("a", "b"), "vv", (a, b))


def cg(f: Callable, b: Any, *, params: Optional[Any] = None, x0: Optional[Any] = None, tol: Optional[float] = None,
        atol: Optional[float] = None, maxiter: Optional[int] = None, restart: Optional[int] = None) -> Any:
    """f is the linear map: f(x); with .with = w, f(x, w), w a tree of its parameters. b: an array of floats of any shape;
    the result has its shape. The iteration ends when |b - A x| <= max(tol |b|, atol), or after maxiter iterations (10
    times b's number of elements); it reports no failure, as in JAX. Reverse mode differentiates by b and by w without
    the iterations: the transposed system is solved in the same way. Parameters that f does not get from .with have no
    derivative.
    - cg: A symmetric and positive definite (Hestenes and Stiefel, 1952);
    - bicgstab: any A (van der Vorst, 1992);
    - gmres: any A (Saad and Schultz, 1986); after `restart` directions (20) the iteration restarts, and maxiter counts
      restarts.

    x0: where to begin; default 0. Options not given: tol 1e-5, atol 0.
        x = tt_cg(map_of, b, .with = a), x = tt_bicgstab(map_of, b, .with = a, .x0 = x);
        x = tt_gmres(map_of, b, .with = a, .restart = 30);

    tt_cg in tutti/scipy.h"""
    return _core.call(lib.tt_cg_at, ("f", "b"), "fv", (f, b), _tt_krylov_opts, (params, x0, tol, atol, maxiter,
        restart))


def bicgstab(f: Callable, b: Any, *, params: Optional[Any] = None, x0: Optional[Any] = None,
        tol: Optional[float] = None, atol: Optional[float] = None, maxiter: Optional[int] = None,
        restart: Optional[int] = None) -> Any:
    """f is the linear map: f(x); with .with = w, f(x, w), w a tree of its parameters. b: an array of floats of any shape;
    the result has its shape. The iteration ends when |b - A x| <= max(tol |b|, atol), or after maxiter iterations (10
    times b's number of elements); it reports no failure, as in JAX. Reverse mode differentiates by b and by w without
    the iterations: the transposed system is solved in the same way. Parameters that f does not get from .with have no
    derivative.
    - cg: A symmetric and positive definite (Hestenes and Stiefel, 1952);
    - bicgstab: any A (van der Vorst, 1992);
    - gmres: any A (Saad and Schultz, 1986); after `restart` directions (20) the iteration restarts, and maxiter counts
      restarts.

    x0: where to begin; default 0. Options not given: tol 1e-5, atol 0.
        x = tt_cg(map_of, b, .with = a), x = tt_bicgstab(map_of, b, .with = a, .x0 = x);
        x = tt_gmres(map_of, b, .with = a, .restart = 30);

    tt_bicgstab in tutti/scipy.h"""
    return _core.call(lib.tt_bicgstab_at, ("f", "b"), "fv", (f, b), _tt_krylov_opts, (params, x0, tol, atol, maxiter,
        restart))


def gmres(f: Callable, b: Any, *, params: Optional[Any] = None, x0: Optional[Any] = None, tol: Optional[float] = None,
        atol: Optional[float] = None, maxiter: Optional[int] = None, restart: Optional[int] = None) -> Any:
    """f is the linear map: f(x); with .with = w, f(x, w), w a tree of its parameters. b: an array of floats of any shape;
    the result has its shape. The iteration ends when |b - A x| <= max(tol |b|, atol), or after maxiter iterations (10
    times b's number of elements); it reports no failure, as in JAX. Reverse mode differentiates by b and by w without
    the iterations: the transposed system is solved in the same way. Parameters that f does not get from .with have no
    derivative.
    - cg: A symmetric and positive definite (Hestenes and Stiefel, 1952);
    - bicgstab: any A (van der Vorst, 1992);
    - gmres: any A (Saad and Schultz, 1986); after `restart` directions (20) the iteration restarts, and maxiter counts
      restarts.

    x0: where to begin; default 0. Options not given: tol 1e-5, atol 0.
        x = tt_cg(map_of, b, .with = a), x = tt_bicgstab(map_of, b, .with = a, .x0 = x);
        x = tt_gmres(map_of, b, .with = a, .restart = 30);

    tt_gmres in tutti/scipy.h"""
    return _core.call(lib.tt_gmres_at, ("f", "b"), "fv", (f, b), _tt_krylov_opts, (params, x0, tol, atol, maxiter,
        restart))


def key64(seed: int) -> Any:
    """with 64-bit seeds, as under jax_enable_x64
        tt_val wide = tt_key64(1ll << 40);

    tt_key64 in tutti/random.h"""
    return _core.call(lib.tt_key64_at, ("seed",), "i", (seed,))


def seed(seed: int) -> Any:
    """The words (seed, 0): a key in Keras's numbering, where a SeedGenerator continues with (seed, 1), (seed, 2), ...
        tt_unpack(tt_split(key, 2), &a, &b);

    tt_seed in tutti/random.h"""
    return _core.call(lib.tt_seed_at, ("seed",), "i", (seed,))


def fold_in(key: Any, data: Any) -> Any:
    """A key derived from a key and the integer `data`. data of any dims: u32[dims..., 2], a key for each of its elements,
    as jax.vmap(fold_in) gives.
        tt_val step_key = tt_fold_in(key, tt_i(7));

    tt_fold_in in tutti/random.h"""
    return _core.call(lib.tt_fold_in_at, ("key", "data"), "vv", (key, data))


def uniform(key: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """uniform: in [0, 1); bits: of an unsigned dtype.
        tt_uniform(key, TT_F32, 8, 4), tt_normal(key, TT_F32, 8, 4), tt_gumbel(key, TT_F32, 8);
        tt_exponential(key, TT_F32, 8);
        tt_laplace(key, TT_F32, 8), tt_cauchy(key, TT_F32, 8), tt_rademacher(key, TT_F32, 8);
        tt_bits(key, TT_U32, 8);

    tt_uniform in tutti/random.h"""
    return _core.call(lib.tt_uniform_at, ("key", "dtype", "shape"), "vtD", (key, dtype, shape))


def normal(key: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """uniform: in [0, 1); bits: of an unsigned dtype.
        tt_uniform(key, TT_F32, 8, 4), tt_normal(key, TT_F32, 8, 4), tt_gumbel(key, TT_F32, 8);
        tt_exponential(key, TT_F32, 8);
        tt_laplace(key, TT_F32, 8), tt_cauchy(key, TT_F32, 8), tt_rademacher(key, TT_F32, 8);
        tt_bits(key, TT_U32, 8);

    tt_normal in tutti/random.h"""
    return _core.call(lib.tt_normal_at, ("key", "dtype", "shape"), "vtD", (key, dtype, shape))


def gumbel(key: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """uniform: in [0, 1); bits: of an unsigned dtype.
        tt_uniform(key, TT_F32, 8, 4), tt_normal(key, TT_F32, 8, 4), tt_gumbel(key, TT_F32, 8);
        tt_exponential(key, TT_F32, 8);
        tt_laplace(key, TT_F32, 8), tt_cauchy(key, TT_F32, 8), tt_rademacher(key, TT_F32, 8);
        tt_bits(key, TT_U32, 8);

    tt_gumbel in tutti/random.h"""
    return _core.call(lib.tt_gumbel_at, ("key", "dtype", "shape"), "vtD", (key, dtype, shape))


def exponential(key: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """uniform: in [0, 1); bits: of an unsigned dtype.
        tt_uniform(key, TT_F32, 8, 4), tt_normal(key, TT_F32, 8, 4), tt_gumbel(key, TT_F32, 8);
        tt_exponential(key, TT_F32, 8);
        tt_laplace(key, TT_F32, 8), tt_cauchy(key, TT_F32, 8), tt_rademacher(key, TT_F32, 8);
        tt_bits(key, TT_U32, 8);

    tt_exponential in tutti/random.h"""
    return _core.call(lib.tt_exponential_at, ("key", "dtype", "shape"), "vtD", (key, dtype, shape))


def laplace(key: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """uniform: in [0, 1); bits: of an unsigned dtype.
        tt_uniform(key, TT_F32, 8, 4), tt_normal(key, TT_F32, 8, 4), tt_gumbel(key, TT_F32, 8);
        tt_exponential(key, TT_F32, 8);
        tt_laplace(key, TT_F32, 8), tt_cauchy(key, TT_F32, 8), tt_rademacher(key, TT_F32, 8);
        tt_bits(key, TT_U32, 8);

    tt_laplace in tutti/random.h"""
    return _core.call(lib.tt_laplace_at, ("key", "dtype", "shape"), "vtD", (key, dtype, shape))


def cauchy(key: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """uniform: in [0, 1); bits: of an unsigned dtype.
        tt_uniform(key, TT_F32, 8, 4), tt_normal(key, TT_F32, 8, 4), tt_gumbel(key, TT_F32, 8);
        tt_exponential(key, TT_F32, 8);
        tt_laplace(key, TT_F32, 8), tt_cauchy(key, TT_F32, 8), tt_rademacher(key, TT_F32, 8);
        tt_bits(key, TT_U32, 8);

    tt_cauchy in tutti/random.h"""
    return _core.call(lib.tt_cauchy_at, ("key", "dtype", "shape"), "vtD", (key, dtype, shape))


def rademacher(key: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """uniform: in [0, 1); bits: of an unsigned dtype.
        tt_uniform(key, TT_F32, 8, 4), tt_normal(key, TT_F32, 8, 4), tt_gumbel(key, TT_F32, 8);
        tt_exponential(key, TT_F32, 8);
        tt_laplace(key, TT_F32, 8), tt_cauchy(key, TT_F32, 8), tt_rademacher(key, TT_F32, 8);
        tt_bits(key, TT_U32, 8);

    tt_rademacher in tutti/random.h"""
    return _core.call(lib.tt_rademacher_at, ("key", "dtype", "shape"), "vtD", (key, dtype, shape))


def bits(key: Any, shape: Shape = (), dtype: DtypeLike = "uint32") -> Any:
    """uniform: in [0, 1); bits: of an unsigned dtype.
        tt_uniform(key, TT_F32, 8, 4), tt_normal(key, TT_F32, 8, 4), tt_gumbel(key, TT_F32, 8);
        tt_exponential(key, TT_F32, 8);
        tt_laplace(key, TT_F32, 8), tt_cauchy(key, TT_F32, 8), tt_rademacher(key, TT_F32, 8);
        tt_bits(key, TT_U32, 8);

    tt_bits in tutti/random.h"""
    return _core.call(lib.tt_bits_at, ("key", "dtype", "shape"), "vtD", (key, dtype, shape))


def randint_native(key: Any, lo: Any, hi: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """for 8 and 16 bits draws words of that width
        tt_val kept = tt_bernoulli(key, tt_f(0.9), 8, 4);

    tt_randint_native in tutti/random.h"""
    return _core.call(lib.tt_randint_native_at, ("key", "dtype", "lo", "hi", "shape"), "vtvvD", (key, dtype, lo, hi,
        shape))


def gamma(key: Any, a: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_gamma in tutti/random.h"""
    return _core.call(lib.tt_gamma_at, ("key", "dtype", "a", "shape"), "vtvD", (key, dtype, a, shape))


def loggamma(key: Any, a: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_loggamma in tutti/random.h"""
    return _core.call(lib.tt_loggamma_at, ("key", "dtype", "a", "shape"), "vtvD", (key, dtype, a, shape))


def chisquare(key: Any, a: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_chisquare in tutti/random.h"""
    return _core.call(lib.tt_chisquare_at, ("key", "dtype", "a", "shape"), "vtvD", (key, dtype, a, shape))


def t_draw(key: Any, a: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_t_draw in tutti/random.h"""
    return _core.call(lib.tt_t_draw_at, ("key", "dtype", "a", "shape"), "vtvD", (key, dtype, a, shape))


def generalized_normal(key: Any, a: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_generalized_normal in tutti/random.h"""
    return _core.call(lib.tt_generalized_normal_at, ("key", "dtype", "a", "shape"), "vtvD", (key, dtype, a, shape))


def dirichlet(key: Any, a: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_dirichlet in tutti/random.h"""
    return _core.call(lib.tt_dirichlet_at, ("key", "dtype", "a", "shape"), "vtvD", (key, dtype, a, shape))


def pareto(key: Any, a: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_pareto in tutti/random.h"""
    return _core.call(lib.tt_pareto_at, ("key", "dtype", "a", "shape"), "vtvD", (key, dtype, a, shape))


def lognormal(key: Any, a: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_lognormal in tutti/random.h"""
    return _core.call(lib.tt_lognormal_at, ("key", "dtype", "a", "shape"), "vtvD", (key, dtype, a, shape))


def rayleigh(key: Any, a: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_rayleigh in tutti/random.h"""
    return _core.call(lib.tt_rayleigh_at, ("key", "dtype", "a", "shape"), "vtvD", (key, dtype, a, shape))


def wald(key: Any, a: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_wald in tutti/random.h"""
    return _core.call(lib.tt_wald_at, ("key", "dtype", "a", "shape"), "vtvD", (key, dtype, a, shape))


def poisson(key: Any, a: Any, shape: Shape = (), dtype: DtypeLike = int) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_poisson in tutti/random.h"""
    return _core.call(lib.tt_poisson_at, ("key", "dtype", "a", "shape"), "vtvD", (key, dtype, a, shape))


def geometric(key: Any, a: Any, shape: Shape = (), dtype: DtypeLike = int) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_geometric in tutti/random.h"""
    return _core.call(lib.tt_geometric_at, ("key", "dtype", "a", "shape"), "vtvD", (key, dtype, a, shape))


def beta(key: Any, a: Any, b: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_beta in tutti/random.h"""
    return _core.call(lib.tt_beta_at, ("key", "dtype", "a", "b", "shape"), "vtvvD", (key, dtype, a, b, shape))


def f_draw(key: Any, a: Any, b: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_f_draw in tutti/random.h"""
    return _core.call(lib.tt_f_draw_at, ("key", "dtype", "a", "b", "shape"), "vtvvD", (key, dtype, a, b, shape))


def weibull_min(key: Any, a: Any, b: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_weibull_min in tutti/random.h"""
    return _core.call(lib.tt_weibull_min_at, ("key", "dtype", "a", "b", "shape"), "vtvvD", (key, dtype, a, b, shape))


def double_sided_maxwell(key: Any, a: Any, b: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_double_sided_maxwell in tutti/random.h"""
    return _core.call(lib.tt_double_sided_maxwell_at, ("key", "dtype", "a", "b", "shape"), "vtvvD", (key, dtype, a, b,
        shape))


def binomial(key: Any, a: Any, b: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_binomial in tutti/random.h"""
    return _core.call(lib.tt_binomial_at, ("key", "dtype", "a", "b", "shape"), "vtvvD", (key, dtype, a, b, shape))


def multinomial(key: Any, a: Any, b: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_multinomial in tutti/random.h"""
    return _core.call(lib.tt_multinomial_at, ("key", "dtype", "a", "b", "shape"), "vtvvD", (key, dtype, a, b, shape))


def maxwell(key: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_maxwell in tutti/random.h"""
    return _core.call(lib.tt_maxwell_at, ("key", "dtype", "shape"), "vtD", (key, dtype, shape))


def orthogonal(key: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_orthogonal in tutti/random.h"""
    return _core.call(lib.tt_orthogonal_at, ("key", "dtype", "shape"), "vtD", (key, dtype, shape))


def triangular(key: Any, left: Any, mode: Any, right: Any, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_triangular in tutti/random.h"""
    return _core.call(lib.tt_triangular_at, ("key", "dtype", "left", "mode", "right", "shape"), "vtvvvD", (key, dtype,
        left, mode, right, shape))


def ball(key: Any, p: float, shape: Shape = (), dtype: DtypeLike = float) -> Any:
    """Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
    shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
    are converted to the draw's type. As in JAX, nothing is checked that is known only when the draw runs: parameters
    out of range give NaN, or numbers without meaning. A name that another function has ends in _draw.
    - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
      a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
    - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
      right), double_sided_maxwell(loc, scale); maxwell has no parameters.
    - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where n < 0 or p is not in [0, 1].
    - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
      are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
      cov.
    - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
      of the p-norm, uniformly.

    Algorithms: src/random/gamma.c, counts.c, transformed.c. Errors: a type that the draw does not have, complex
    parameters, shapes that do not broadcast.
        tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
        tt_t_draw(key, TT_F32, df);
        tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
        tt_lognormal(key, TT_F32, a);
        tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
        tt_geometric(key, TT_I32, p);
        tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
        tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
        tt_multinomial(key, TT_F32, n_trials, p);
        tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
        tt_orthogonal(key, TT_F32, 4, 4);
        tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8);

    tt_ball in tutti/random.h"""
    return _core.call(lib.tt_ball_at, ("key", "dtype", "p", "shape"), "vtdD", (key, dtype, p, shape))


def variance_scaling(key: Any, shape: Shape = (), dtype: DtypeLike = float, *, scale: Optional[float] = None,
        mode: Optional[str] = None, distribution: Optional[str] = None, in_: Optional[Axes] = None,
        out: Optional[Axes] = None, batch: Optional[str] = None) -> Any:
    """tt_variance_scaling(key, TT_F32, TT_DIMS(8, 4, TT_DIM_END), .mode = "fan_out")
        tt_val w = tt_variance_scaling(key, TT_F32, TT_DIMS(8, 4, TT_DIM_END), .mode = "fan_out");

    tt_variance_scaling in tutti/random.h"""
    return _core.call(lib.tt_variance_scaling_at, ("key", "dtype", "shape"), "vtD", (key, dtype, shape),
        _tt_variance_opts, (scale, mode, distribution, in_, out, batch))


def logical_spec(names: str, rules: str, *, lookup: Optional[Union[bool, int]] = None) -> str:
    """A spec from logical axes and rules, without a mesh: "layer, embed, hidden" with "batch:data, hidden:model" gives "_,
    _, model". Flax Linen's precedence, as in tt_jit(.rules): the rules are applied in order; a rule applies if its name
    occurs, the name's dim has no axis yet, and none of the rule's mesh axes is in use. lookup: NNX's rule, each name
    independently. "": an error (a name on two dims, a rule without ':'). Lives until the eighth call after this one.
        puts(tt_logical_spec("layer, embed, hidden", "batch:data, hidden:model"));

    tt_logical_spec in tutti/nn.h"""
    return _core.plain(lib.tt_logical_spec_at, ("names", "rules"), "ss", (names, rules), _tt_logical_opts, (lookup,))


def names_with(names: str, axis: int, name: str) -> str:
    """The logical axes of an array with one dim added or removed: "embed, hidden" with "layer" at 0 is "layer, embed,
    hidden". Lives as long as tt_logical_spec's text.
        puts(tt_names_with("embed, hidden", 0, "layer")), puts(tt_names_without("layer, embed, hidden", 0));

    tt_names_with in tutti/nn.h"""
    return _core.plain(lib.tt_names_with_at, ("names", "axis", "name"), "sis", (names, axis, name))


def names_without(names: str, axis: int) -> str:
    """The logical axes of an array with one dim added or removed: "embed, hidden" with "layer" at 0 is "layer, embed,
    hidden". Lives as long as tt_logical_spec's text.
        puts(tt_names_with("embed, hidden", 0, "layer")), puts(tt_names_without("layer, embed, hidden", 0));

    tt_names_without in tutti/nn.h"""
    return _core.plain(lib.tt_names_without_at, ("names", "axis"), "si", (names, axis))


def summary(vars: Any) -> str:
    """A table of the variables: path, type, count; the total. Lives until this thread requests the next, or ends.
        puts(tt_summary(vars));

    tt_summary in tutti/nn.h"""
    return _core.plain(lib.tt_summary_at, ("vars",), "v", (vars,))


def train_only(vars: Any, mask: str) -> Any:
    """The tree with all leaves frozen but those whose paths end with one of the words; "not kernel": but all others. Leaves
    that are frozen already, statistics, stay so. A word that is the end of no path is an error.

    tt_train_only in tutti/module.h"""
    return _core.call(lib.tt_train_only_at, ("vars", "mask"), "vs", (vars, mask))


def lora_merge(vars: Any) -> Any:
    """The tree in which each kernel with low-rank terms, lora_a and lora_b beside it, is kernel + lora_a lora_b, without
    them, and trained. Also for stacked layers. Without any such kernel: an error.

    tt_lora_merge in tutti/module.h"""
    return _core.call(lib.tt_lora_merge_at, ("vars",), "v", (vars,))


def attention(q: Any, k: Any, v: Any, *, mask: Optional[Any] = None, bias: Optional[Any] = None,
        q_len: Optional[Any] = None, kv_len: Optional[Any] = None, scale: Optional[float] = None,
        causal: Optional[Union[bool, int]] = None, window: Optional[Any] = None, offset: Optional[Any] = None,
        dropout: Optional[float] = None, key: Optional[Any] = None, dropout_each: Optional[Union[bool,
        int]] = None) -> Any:
    """Attention: softmax(q k^T scale + bias) v with q [batch, tq, heads, depth], k and v [batch, tk, kv heads, depth]; if
    k has fewer heads than q, groups of successive query heads share one.
    - scale: default 1/sqrt(depth). mask (true: may attend), bias (added): [batch, heads, tq, tk], any dim may be 1.
    - causal: no later keys. window {left, right}: only keys within these distances, 0 or more; {0, 0}: the same
      position. offset: the position of the first query among the keys, an integer scalar, default 0: with a cache, the
      number of earlier ones.
    - q_len, kv_len: integers per batch row; results of queries beyond q_len are zero.
    - dropout: the rate at which probabilities are dropped, by a mask [tq, tk] drawn with `key`, the same for all rows
      and heads, as in Flax; dropout_each: a mask for each row and head (Flax: broadcast_dropout=False).
        tt_val y = tt_attention(q, k, v, .causal = 1, .window = { 127, 0 });

    tt_attention in tutti/attention.h"""
    return _core.call(lib.tt_attention_at, ("q", "k", "v"), "vvv", (q, k, v), _tt_attention_opts, (mask, bias, q_len,
        kv_len, scale, causal, window, offset, dropout, key, dropout_each))


def rope(x: Any, *, base: Optional[float] = None, offset: Optional[int] = None, interleaved: Optional[Union[bool,
        int]] = None, positions: Optional[Any] = None, scaling: Optional[str] = None) -> Any:
    """Rotary positions (Su and others, 2021) of x [batch, time, heads, depth]: pair i is rotated by (position + offset) f_i
    with f_i = base^(-2i/depth), base 10000. Pairs are (i, i + depth/2), with interleaved (2i, 2i + 1). positions: [batch
    or 1, time], default 0, 1, 2, ...; offset is a C number, positions a value.
    scaling: other f_i for contexts longer than a model was trained on, as a form:
    - "linear(factor=4)": f_i / factor (Chen and others, 2023);
    - "ntk(factor=4)": base factor^(depth / (depth - 2)) in the place of base;
    - "yarn(factor=4, original=4096, beta_fast=32, beta_slow=1, attention_factor=)": between f_i and f_i / factor by the
      number of turns in `original` positions; cosines and sines times attention_factor, 0.1 ln(factor) + 1 (Peng and
      others, 2023);
    - "llama3(factor=8, low=1, high=4, original=8192)": f_i / factor for wavelengths above original / low, f_i for
      wavelengths below original / high, interpolated between (Llama 3.1).
        tt_val q2 = tt_rope(q, .offset = 10), long_q = tt_rope(q, .scaling = "linear(factor=4)");

    tt_rope in tutti/attention.h"""
    return _core.call(lib.tt_rope_at, ("x",), "v", (x,), _tt_rope_opts, (base, offset, interleaved, positions, scaling))


def make_attention_mask(q: Any, k: Any, *, pair: Optional[str] = None) -> Any:
    """From q [batch..., queries] and k [batch..., keys]; pair: "and" (default; true where both are not 0: tokens that are
    no padding), "equal" (segments of packed sequences), "greater_equal" (positions: no later keys).
        tt_val mask = tt_make_attention_mask(tokens, tokens);
        tt_val packed = tt_make_attention_mask(ids, ids, .pair = "equal");

    tt_make_attention_mask in tutti/attention.h"""
    return _core.call(lib.tt_make_attention_mask_at, ("q", "k"), "vv", (q, k), _tt_attention_mask_opts, (pair,))


def make_causal_mask(x: Any) -> Any:
    """Of x [batch..., time]: no later keys. window {left, right}: only keys within these distances, as in tt_attention.
        tt_val causal = tt_make_causal_mask(ids), window = tt_make_window_mask(ids, 127, 0);

    tt_make_causal_mask in tutti/attention.h"""
    return _core.call(lib.tt_make_causal_mask_at, ("x",), "v", (x,))


def make_window_mask(x: Any, left: int, right: int) -> Any:
    """Of x [batch..., time]: no later keys. window {left, right}: only keys within these distances, as in tt_attention.
        tt_val causal = tt_make_causal_mask(ids), window = tt_make_window_mask(ids, 127, 0);

    tt_make_window_mask in tutti/attention.h"""
    return _core.call(lib.tt_make_window_mask_at, ("x", "left", "right"), "vii", (x, left, right))


def combine_masks(masks: Any) -> Any:
    """True where all masks are; masks of one rank, which broadcast.
        tt_val both = tt_combine_masks(tt_make_attention_mask(tokens, tokens), tt_make_causal_mask(tokens));

    tt_combine_masks in tutti/attention.h"""
    return _core.call(lib.tt_combine_masks_at, ("masks",), "V", (masks,))


def ring_attention(q: Any, k: Any, v: Any, axis: str, *, causal: Optional[Union[bool, int]] = None,
        zigzag: Optional[Union[bool, int]] = None, scale: Optional[float] = None) -> Any:
    """Attention inside a tt_shard_map in which the sequence is sharded over `axis` (Liu and others, 2023): q, k and v are a
    device's blocks [batch, time / devices, heads, depth], keys and values are passed around the ring of devices, and
    nothing is gathered. The derivative passes keys and values around again instead of storing probabilities. causal,
    scale, fewer key heads: as tt_attention. zigzag: device i has parts i and 2 n - 1 - i of the sequence split into 2
    n parts, so that with .causal every device computes the same amount.
        static tt_val part(tt_val q, tt_val k, tt_val v) { return tt_ring_attention(q, k, v, "seq", .causal = 1); }
        y = tt_call(tt_shard_map(part, .mesh = mesh, .in = "_, seq", .out = "_, seq"), q, k, v);

    tt_ring_attention in tutti/attention.h"""
    return _core.call(lib.tt_ring_attention_at, ("q", "k", "v", "axis"), "vvvs", (q, k, v, axis),
        _tt_ring_attention_opts, (causal, zigzag, scale))


def fold_in_axis(key: Any, axes: str) -> Any:
    """A distinct key for every position along the axes: fold_in with the device's index on each axis, in the order given
    ("i", or "i, j"). For dropout masks that differ between devices.
        tt_val mine = tt_fold_in_axis(key, "data");

    tt_fold_in_axis in tutti/parallel.h"""
    return _core.call(lib.tt_fold_in_axis_at, ("key", "axes"), "vs", (key, axes))


def shard_params(params: Any, axis: str, min_size: int) -> Any:
    """Replaces every leaf with more than min_size elements by this device's slice, annotated with .axes "data, _". Other
    leaves stay as they are. The verdicts "already" and "no axis" are printed, a line each (TUTTI=params: all
    verdicts).

    tt_shard_params in tutti/parallel.h"""
    return _core.call(lib.tt_shard_params_at, ("params", "axis", "min_size"), "vsi", (params, axis, min_size))


def gather_mean(x: Any, axis: str, dim: int) -> Any:
    """The full array x, of which each device along the axis has a part of dim. In the backward pass the mean over devices
    of the incoming gradient is scattered: each device gets its own part.
        w = tt_gather_mean(w, "data", 0);

    tt_gather_mean in tutti/parallel.h"""
    return _core.call(lib.tt_gather_mean_at, ("x", "axis", "dim"), "vsi", (x, axis, dim))


def gather_params(params: Any, axis: str) -> Any:
    """Gathers the leaves that are sharded over the axis, by tt_gather_mean; other leaves are unchanged. Undoes
    tt_shard_params.

    tt_gather_params in tutti/parallel.h"""
    return _core.call(lib.tt_gather_params_at, ("params", "axis"), "vs", (params, axis))


def sync_grads(grads: Any, axes: str) -> Any:
    """Averages each gradient over those of the axes ("data", "data, model") over which its leaf is not sharded; for the
    others, tt_gather_mean has averaged it already. In a checked tt_shard_map, as in JAX, the gradient by a parameter
    that all devices have is summed over them already; to average it again is an error.

    tt_sync_grads in tutti/parallel.h"""
    return _core.call(lib.tt_sync_grads_at, ("grads", "axes"), "vs", (grads, axes))


def accumulate(loss: Callable, n: int, params: Any, batch: Any, key: Any, *, scan: Optional[Union[bool,
        int]] = None) -> Any:
    """(gradients, metrics) of loss over n minibatches: rows [j s, (j + 1) s) of every leaf of batch, s = rows / n; the
    remaining rows are not used. loss(params, minibatch, key) returns (scalar, metrics); keys are split(key, n).
    Gradients are the mean over minibatches, metrics the sum. scan: traces one minibatch in a loop instead of n
    minibatches.

    tt_accumulate in tutti/parallel.h"""
    return _core.call(lib.tt_accumulate_at, ("loss", "n", "params", "batch", "key"), "fivvv", (loss, n, params, batch,
        key), _tt_accumulate_opts, (scan,))


def print_metrics(metrics: Any, title: str) -> bool:
    """Metrics are a dict of pairs (sum, count). Prints a line "name: sum/count" for each, six decimals, under a title or
    NULL.
        tt_print_metrics(metrics, "epoch 1");

    tt_print_metrics in tutti/parallel.h"""
    return _core.plain(lib.tt_print_metrics_at, ("metrics", "title"), "vs", (metrics, title))


def is_fully_addressable(v: Any) -> bool:
    """True if this process holds all of v
        if (tt_is_fully_addressable(x) && !tt_is_fully_replicated(x)) puts("all of it is here, in parts");

    tt_is_fully_addressable in tutti/process.h"""
    return _core.plain(lib.tt_is_fully_addressable_at, ("v",), "v", (v,))


def is_fully_replicated(v: Any) -> bool:
    """True if every device holds all of v

    tt_is_fully_replicated in tutti/process.h"""
    return _core.plain(lib.tt_is_fully_replicated_at, ("v",), "v", (v,))


def process_allgather(v: Any, *, tiled: Optional[Union[bool, int]] = None) -> Any:
    """All of v, on no mesh, in every process: of an array on a mesh the whole array; of a process's own values those of all
    processes, stacked along a new dim 0, or with tiled = 1 joined along dim 0.
        tt_val whole = tt_process_allgather(x), rows = tt_process_allgather(mine, .tiled = 1);

    tt_process_allgather in tutti/process.h"""
    return _core.call(lib.tt_process_allgather_at, ("v",), "v", (v,), _tt_allgather_opts, (tiled,))


def broadcast_one_to_all(v: Any, *, source: Optional[Union[bool, int]] = None) -> Any:
    """What process `source` (default 0; the same number in all) gave, in every process; arrays on a mesh stay as they are.
    The way to decide together: for (;;) if (tt_num(tt_broadcast_one_to_all(tt_b(clock() > end)))) break;
        tt_val same = tt_broadcast_one_to_all(mine, .source = 0);

    tt_broadcast_one_to_all in tutti/process.h"""
    return _core.call(lib.tt_broadcast_one_to_all_at, ("v",), "v", (v,), _tt_broadcast_opts, (source,))


def sync_global_devices(name: str) -> bool:
    """Waits until all processes have made this call with the same name. False with the error set: another came with
    another name.
        tt_sync_global_devices("data is there");

    tt_sync_global_devices in tutti/process.h"""
    return _core.plain(lib.tt_sync_global_devices_at, ("name",), "s", (name,))


def assert_equal(v: Any) -> bool:
    """True if all processes have given the same values of the same types, to the bit; else the error is set in all.
        tt_assert_equal(params);

    tt_assert_equal in tutti/process.h"""
    return _core.plain(lib.tt_assert_equal_at, ("v",), "v", (v,))


def array_from_process_local_data(v: Any, mesh: Mesh, spec: str, *, global_shape: Optional[str] = None) -> Any:
    """An array on a mesh of which every process gives its own part: the box around the blocks of its devices. Each dim of
    the array is as many times larger than v's as there are different parts of it among the processes. global_shape:
    "64, 784", the dims, where the dims do not follow from v's; a dim of v that already has the global size is kept.
    Processes whose devices have the same box give the same elements of it, to the bit; others are an error, which is
    set in all processes.
        tt_val batch = tt_array_from_process_local_data(rows, mesh, "data, _");      // 32 rows here, 128 of four
    tt_host_local_array_to_global_array is the same without the option, and tt_global_array_to_host_local_array gives
    this process's part back, on no mesh.
        tt_val all = tt_host_local_array_to_global_array(rows, mesh, "data, _");
        tt_val mine = tt_global_array_to_host_local_array(all);

    tt_array_from_process_local_data in tutti/process.h"""
    return _core.call(lib.tt_array_from_process_local_data_at, ("v", "mesh", "spec"), "vms", (v, mesh, spec),
        _tt_local_data_opts, (global_shape,))


def host_local_array_to_global_array(v: Any, mesh: Mesh, spec: str) -> Any:
    """An array on a mesh of which every process gives its own part: the box around the blocks of its devices. Each dim of
    the array is as many times larger than v's as there are different parts of it among the processes. global_shape:
    "64, 784", the dims, where the dims do not follow from v's; a dim of v that already has the global size is kept.
    Processes whose devices have the same box give the same elements of it, to the bit; others are an error, which is
    set in all processes.
        tt_val batch = tt_array_from_process_local_data(rows, mesh, "data, _");      // 32 rows here, 128 of four
    tt_host_local_array_to_global_array is the same without the option, and tt_global_array_to_host_local_array gives
    this process's part back, on no mesh.
        tt_val all = tt_host_local_array_to_global_array(rows, mesh, "data, _");
        tt_val mine = tt_global_array_to_host_local_array(all);

    tt_host_local_array_to_global_array in tutti/process.h"""
    return _core.call(lib.tt_host_local_array_to_global_array_at, ("v", "mesh", "spec"), "vms", (v, mesh, spec))


def global_array_to_host_local_array(v: Any) -> Any:
    """An array on a mesh of which every process gives its own part: the box around the blocks of its devices. Each dim of
    the array is as many times larger than v's as there are different parts of it among the processes. global_shape:
    "64, 784", the dims, where the dims do not follow from v's; a dim of v that already has the global size is kept.
    Processes whose devices have the same box give the same elements of it, to the bit; others are an error, which is
    set in all processes.
        tt_val batch = tt_array_from_process_local_data(rows, mesh, "data, _");      // 32 rows here, 128 of four
    tt_host_local_array_to_global_array is the same without the option, and tt_global_array_to_host_local_array gives
    this process's part back, on no mesh.
        tt_val all = tt_host_local_array_to_global_array(rows, mesh, "data, _");
        tt_val mine = tt_global_array_to_host_local_array(all);

    tt_global_array_to_host_local_array in tutti/process.h"""
    return _core.call(lib.tt_global_array_to_host_local_array_at, ("v",), "v", (v,))


def engine(text: str) -> bool:
    """The engine on which values are made and functions run from here on, in all threads:

        tt_engine("pjrt:cuda, else cpu");

    - "pjrt:NAME": the library whose name contains NAME, among Python's packages and PJRT_NAMES_AND_LIBRARY_PATHS;
      "pjrt:/PATH.so": this file; "pjrt": the first that is found. `tutti doctor` lists them.
    - "cpu": the embedded engine.
    - ", else cpu" uses the embedded engine if the library cannot be opened, and prints a line.

    TUTTI=pjrt:NAME (and TUTTI=pjrt:NAME,else-cpu) says the same for a whole program. Arrays stay where they are:
    functions take arrays of the engine in force, C numbers are sent to the engine of the call, and tt_shard moves an
    array there. A library of virtual devices (a CPU) creates 8, or TUTTI=devices:N.
    False with the error set (TT_EENGINE): no such library, no plug-in of PJRT, another version, no device. Then each
    later call that makes a value is an error, until an engine is in force.

    tt_engine in tutti/engine.h"""
    return _core.plain(lib.tt_engine_at, ("text",), "s", (text,))


def sgd(params: Any, *, rate: Optional[float] = None, clip_norm: Optional[float] = None,
        clip_value: Optional[float] = None, schedule: Optional[str] = None, every: Optional[Union[bool, int]] = None,
        keras: Optional[Union[bool, int]] = None, momentum: Optional[float] = None, nesterov: Optional[Union[bool,
        int]] = None, mu_dtype: Optional[DtypeLike] = None) -> Any:
    """rate 0.01. mu_dtype: dtype of the stored momentum.
        opt = tt_sgd(params, .rate = 0.1, .momentum = 0.9, .nesterov = 1);

    tt_sgd in tutti/optim.h"""
    return _core.call(lib.tt_sgd_at, ("params",), "v", (params,), _tt_sgd_opts, (rate, clip_norm, clip_value, schedule,
        every, keras, momentum, nesterov, mu_dtype))


def adam(params: Any, *, rate: Optional[float] = None, clip_norm: Optional[float] = None,
        clip_value: Optional[float] = None, schedule: Optional[str] = None, every: Optional[Union[bool, int]] = None,
        keras: Optional[Union[bool, int]] = None, b1: Optional[float] = None, b2: Optional[float] = None,
        eps: Optional[float] = None, eps_root: Optional[float] = None, decay: Optional[float] = None,
        nesterov: Optional[Union[bool, int]] = None, mask: Optional[str] = None,
        mu_dtype: Optional[DtypeLike] = None) -> Any:
    """rate 1e-3, b1 0.9, b2 0.999, eps 1e-8 (LAMB 1e-6, Keras 1e-7); eps_root: added inside the root; nesterov:
    Nesterov's momentum; b1 and b2 are below 1 where moments are divided by 1 - b^t; decay: decoupled weight decay
    (adamw 1e-4, else 0); mask: the leaves that decay, by the ends of their paths, "w" or "not bias scale", each must
    match a leaf and may be listed once; mu_dtype: dtype of the first moment.
        opt = tt_adam(params, .rate = 1e-3), opt = tt_adamw(params, .decay = 0.1, .mask = "kernel");
        opt = tt_nadam(params);
        opt = tt_radam(params), opt = tt_amsgrad(params), opt = tt_adamax(params);
        opt = tt_lamb(params, .rate = 1e-2);

    tt_adam in tutti/optim.h"""
    return _core.call(lib.tt_adam_at, ("params",), "v", (params,), _tt_adam_opts, (rate, clip_norm, clip_value,
        schedule, every, keras, b1, b2, eps, eps_root, decay, nesterov, mask, mu_dtype))


def adamw(params: Any, *, rate: Optional[float] = None, clip_norm: Optional[float] = None,
        clip_value: Optional[float] = None, schedule: Optional[str] = None, every: Optional[Union[bool, int]] = None,
        keras: Optional[Union[bool, int]] = None, b1: Optional[float] = None, b2: Optional[float] = None,
        eps: Optional[float] = None, eps_root: Optional[float] = None, decay: Optional[float] = None,
        nesterov: Optional[Union[bool, int]] = None, mask: Optional[str] = None,
        mu_dtype: Optional[DtypeLike] = None) -> Any:
    """rate 1e-3, b1 0.9, b2 0.999, eps 1e-8 (LAMB 1e-6, Keras 1e-7); eps_root: added inside the root; nesterov:
    Nesterov's momentum; b1 and b2 are below 1 where moments are divided by 1 - b^t; decay: decoupled weight decay
    (adamw 1e-4, else 0); mask: the leaves that decay, by the ends of their paths, "w" or "not bias scale", each must
    match a leaf and may be listed once; mu_dtype: dtype of the first moment.
        opt = tt_adam(params, .rate = 1e-3), opt = tt_adamw(params, .decay = 0.1, .mask = "kernel");
        opt = tt_nadam(params);
        opt = tt_radam(params), opt = tt_amsgrad(params), opt = tt_adamax(params);
        opt = tt_lamb(params, .rate = 1e-2);

    tt_adamw in tutti/optim.h"""
    return _core.call(lib.tt_adamw_at, ("params",), "v", (params,), _tt_adam_opts, (rate, clip_norm, clip_value,
        schedule, every, keras, b1, b2, eps, eps_root, decay, nesterov, mask, mu_dtype))


def nadam(params: Any, *, rate: Optional[float] = None, clip_norm: Optional[float] = None,
        clip_value: Optional[float] = None, schedule: Optional[str] = None, every: Optional[Union[bool, int]] = None,
        keras: Optional[Union[bool, int]] = None, b1: Optional[float] = None, b2: Optional[float] = None,
        eps: Optional[float] = None, eps_root: Optional[float] = None, decay: Optional[float] = None,
        nesterov: Optional[Union[bool, int]] = None, mask: Optional[str] = None,
        mu_dtype: Optional[DtypeLike] = None) -> Any:
    """rate 1e-3, b1 0.9, b2 0.999, eps 1e-8 (LAMB 1e-6, Keras 1e-7); eps_root: added inside the root; nesterov:
    Nesterov's momentum; b1 and b2 are below 1 where moments are divided by 1 - b^t; decay: decoupled weight decay
    (adamw 1e-4, else 0); mask: the leaves that decay, by the ends of their paths, "w" or "not bias scale", each must
    match a leaf and may be listed once; mu_dtype: dtype of the first moment.
        opt = tt_adam(params, .rate = 1e-3), opt = tt_adamw(params, .decay = 0.1, .mask = "kernel");
        opt = tt_nadam(params);
        opt = tt_radam(params), opt = tt_amsgrad(params), opt = tt_adamax(params);
        opt = tt_lamb(params, .rate = 1e-2);

    tt_nadam in tutti/optim.h"""
    return _core.call(lib.tt_nadam_at, ("params",), "v", (params,), _tt_adam_opts, (rate, clip_norm, clip_value,
        schedule, every, keras, b1, b2, eps, eps_root, decay, nesterov, mask, mu_dtype))


def radam(params: Any, *, rate: Optional[float] = None, clip_norm: Optional[float] = None,
        clip_value: Optional[float] = None, schedule: Optional[str] = None, every: Optional[Union[bool, int]] = None,
        keras: Optional[Union[bool, int]] = None, b1: Optional[float] = None, b2: Optional[float] = None,
        eps: Optional[float] = None, eps_root: Optional[float] = None, decay: Optional[float] = None,
        nesterov: Optional[Union[bool, int]] = None, mask: Optional[str] = None,
        mu_dtype: Optional[DtypeLike] = None) -> Any:
    """rate 1e-3, b1 0.9, b2 0.999, eps 1e-8 (LAMB 1e-6, Keras 1e-7); eps_root: added inside the root; nesterov:
    Nesterov's momentum; b1 and b2 are below 1 where moments are divided by 1 - b^t; decay: decoupled weight decay
    (adamw 1e-4, else 0); mask: the leaves that decay, by the ends of their paths, "w" or "not bias scale", each must
    match a leaf and may be listed once; mu_dtype: dtype of the first moment.
        opt = tt_adam(params, .rate = 1e-3), opt = tt_adamw(params, .decay = 0.1, .mask = "kernel");
        opt = tt_nadam(params);
        opt = tt_radam(params), opt = tt_amsgrad(params), opt = tt_adamax(params);
        opt = tt_lamb(params, .rate = 1e-2);

    tt_radam in tutti/optim.h"""
    return _core.call(lib.tt_radam_at, ("params",), "v", (params,), _tt_adam_opts, (rate, clip_norm, clip_value,
        schedule, every, keras, b1, b2, eps, eps_root, decay, nesterov, mask, mu_dtype))


def amsgrad(params: Any, *, rate: Optional[float] = None, clip_norm: Optional[float] = None,
        clip_value: Optional[float] = None, schedule: Optional[str] = None, every: Optional[Union[bool, int]] = None,
        keras: Optional[Union[bool, int]] = None, b1: Optional[float] = None, b2: Optional[float] = None,
        eps: Optional[float] = None, eps_root: Optional[float] = None, decay: Optional[float] = None,
        nesterov: Optional[Union[bool, int]] = None, mask: Optional[str] = None,
        mu_dtype: Optional[DtypeLike] = None) -> Any:
    """rate 1e-3, b1 0.9, b2 0.999, eps 1e-8 (LAMB 1e-6, Keras 1e-7); eps_root: added inside the root; nesterov:
    Nesterov's momentum; b1 and b2 are below 1 where moments are divided by 1 - b^t; decay: decoupled weight decay
    (adamw 1e-4, else 0); mask: the leaves that decay, by the ends of their paths, "w" or "not bias scale", each must
    match a leaf and may be listed once; mu_dtype: dtype of the first moment.
        opt = tt_adam(params, .rate = 1e-3), opt = tt_adamw(params, .decay = 0.1, .mask = "kernel");
        opt = tt_nadam(params);
        opt = tt_radam(params), opt = tt_amsgrad(params), opt = tt_adamax(params);
        opt = tt_lamb(params, .rate = 1e-2);

    tt_amsgrad in tutti/optim.h"""
    return _core.call(lib.tt_amsgrad_at, ("params",), "v", (params,), _tt_adam_opts, (rate, clip_norm, clip_value,
        schedule, every, keras, b1, b2, eps, eps_root, decay, nesterov, mask, mu_dtype))


def adamax(params: Any, *, rate: Optional[float] = None, clip_norm: Optional[float] = None,
        clip_value: Optional[float] = None, schedule: Optional[str] = None, every: Optional[Union[bool, int]] = None,
        keras: Optional[Union[bool, int]] = None, b1: Optional[float] = None, b2: Optional[float] = None,
        eps: Optional[float] = None, eps_root: Optional[float] = None, decay: Optional[float] = None,
        nesterov: Optional[Union[bool, int]] = None, mask: Optional[str] = None,
        mu_dtype: Optional[DtypeLike] = None) -> Any:
    """rate 1e-3, b1 0.9, b2 0.999, eps 1e-8 (LAMB 1e-6, Keras 1e-7); eps_root: added inside the root; nesterov:
    Nesterov's momentum; b1 and b2 are below 1 where moments are divided by 1 - b^t; decay: decoupled weight decay
    (adamw 1e-4, else 0); mask: the leaves that decay, by the ends of their paths, "w" or "not bias scale", each must
    match a leaf and may be listed once; mu_dtype: dtype of the first moment.
        opt = tt_adam(params, .rate = 1e-3), opt = tt_adamw(params, .decay = 0.1, .mask = "kernel");
        opt = tt_nadam(params);
        opt = tt_radam(params), opt = tt_amsgrad(params), opt = tt_adamax(params);
        opt = tt_lamb(params, .rate = 1e-2);

    tt_adamax in tutti/optim.h"""
    return _core.call(lib.tt_adamax_at, ("params",), "v", (params,), _tt_adam_opts, (rate, clip_norm, clip_value,
        schedule, every, keras, b1, b2, eps, eps_root, decay, nesterov, mask, mu_dtype))


def lamb(params: Any, *, rate: Optional[float] = None, clip_norm: Optional[float] = None,
        clip_value: Optional[float] = None, schedule: Optional[str] = None, every: Optional[Union[bool, int]] = None,
        keras: Optional[Union[bool, int]] = None, b1: Optional[float] = None, b2: Optional[float] = None,
        eps: Optional[float] = None, eps_root: Optional[float] = None, decay: Optional[float] = None,
        nesterov: Optional[Union[bool, int]] = None, mask: Optional[str] = None,
        mu_dtype: Optional[DtypeLike] = None) -> Any:
    """rate 1e-3, b1 0.9, b2 0.999, eps 1e-8 (LAMB 1e-6, Keras 1e-7); eps_root: added inside the root; nesterov:
    Nesterov's momentum; b1 and b2 are below 1 where moments are divided by 1 - b^t; decay: decoupled weight decay
    (adamw 1e-4, else 0); mask: the leaves that decay, by the ends of their paths, "w" or "not bias scale", each must
    match a leaf and may be listed once; mu_dtype: dtype of the first moment.
        opt = tt_adam(params, .rate = 1e-3), opt = tt_adamw(params, .decay = 0.1, .mask = "kernel");
        opt = tt_nadam(params);
        opt = tt_radam(params), opt = tt_amsgrad(params), opt = tt_adamax(params);
        opt = tt_lamb(params, .rate = 1e-2);

    tt_lamb in tutti/optim.h"""
    return _core.call(lib.tt_lamb_at, ("params",), "v", (params,), _tt_adam_opts, (rate, clip_norm, clip_value,
        schedule, every, keras, b1, b2, eps, eps_root, decay, nesterov, mask, mu_dtype))


def adabelief(params: Any, *, rate: Optional[float] = None, clip_norm: Optional[float] = None,
        clip_value: Optional[float] = None, schedule: Optional[str] = None, every: Optional[Union[bool, int]] = None,
        keras: Optional[Union[bool, int]] = None, b1: Optional[float] = None, b2: Optional[float] = None,
        eps: Optional[float] = None, eps_root: Optional[float] = None, decay: Optional[float] = None,
        nesterov: Optional[Union[bool, int]] = None, mask: Optional[str] = None,
        mu_dtype: Optional[DtypeLike] = None) -> Any:
    """eps 1e-16, eps_root 1e-16 (AdaBelief); eps 1e-3 (Yogi); b2 0.25, eps 1e-6, and .decay inside the moment (NovoGrad)
        opt = tt_adabelief(params), opt = tt_yogi(params), opt = tt_novograd(params, .decay = 1e-3);

    tt_adabelief in tutti/optim.h"""
    return _core.call(lib.tt_adabelief_at, ("params",), "v", (params,), _tt_adam_opts, (rate, clip_norm, clip_value,
        schedule, every, keras, b1, b2, eps, eps_root, decay, nesterov, mask, mu_dtype))


def yogi(params: Any, *, rate: Optional[float] = None, clip_norm: Optional[float] = None,
        clip_value: Optional[float] = None, schedule: Optional[str] = None, every: Optional[Union[bool, int]] = None,
        keras: Optional[Union[bool, int]] = None, b1: Optional[float] = None, b2: Optional[float] = None,
        eps: Optional[float] = None, eps_root: Optional[float] = None, decay: Optional[float] = None,
        nesterov: Optional[Union[bool, int]] = None, mask: Optional[str] = None,
        mu_dtype: Optional[DtypeLike] = None) -> Any:
    """eps 1e-16, eps_root 1e-16 (AdaBelief); eps 1e-3 (Yogi); b2 0.25, eps 1e-6, and .decay inside the moment (NovoGrad)
        opt = tt_adabelief(params), opt = tt_yogi(params), opt = tt_novograd(params, .decay = 1e-3);

    tt_yogi in tutti/optim.h"""
    return _core.call(lib.tt_yogi_at, ("params",), "v", (params,), _tt_adam_opts, (rate, clip_norm, clip_value,
        schedule, every, keras, b1, b2, eps, eps_root, decay, nesterov, mask, mu_dtype))


def novograd(params: Any, *, rate: Optional[float] = None, clip_norm: Optional[float] = None,
        clip_value: Optional[float] = None, schedule: Optional[str] = None, every: Optional[Union[bool, int]] = None,
        keras: Optional[Union[bool, int]] = None, b1: Optional[float] = None, b2: Optional[float] = None,
        eps: Optional[float] = None, eps_root: Optional[float] = None, decay: Optional[float] = None,
        nesterov: Optional[Union[bool, int]] = None, mask: Optional[str] = None,
        mu_dtype: Optional[DtypeLike] = None) -> Any:
    """eps 1e-16, eps_root 1e-16 (AdaBelief); eps 1e-3 (Yogi); b2 0.25, eps 1e-6, and .decay inside the moment (NovoGrad)
        opt = tt_adabelief(params), opt = tt_yogi(params), opt = tt_novograd(params, .decay = 1e-3);

    tt_novograd in tutti/optim.h"""
    return _core.call(lib.tt_novograd_at, ("params",), "v", (params,), _tt_adam_opts, (rate, clip_norm, clip_value,
        schedule, every, keras, b1, b2, eps, eps_root, decay, nesterov, mask, mu_dtype))


def lion(params: Any, *, rate: Optional[float] = None, clip_norm: Optional[float] = None,
        clip_value: Optional[float] = None, schedule: Optional[str] = None, every: Optional[Union[bool, int]] = None,
        keras: Optional[Union[bool, int]] = None, b1: Optional[float] = None, b2: Optional[float] = None,
        decay: Optional[float] = None, mask: Optional[str] = None) -> Any:
    """rate 1e-4, b1 0.9, b2 0.99, decay 1e-3
        opt = tt_lion(params, .rate = 1e-4);

    tt_lion in tutti/optim.h"""
    return _core.call(lib.tt_lion_at, ("params",), "v", (params,), _tt_lion_opts, (rate, clip_norm, clip_value,
        schedule, every, keras, b1, b2, decay, mask))


def lars(params: Any, *, rate: Optional[float] = None, clip_norm: Optional[float] = None,
        clip_value: Optional[float] = None, schedule: Optional[str] = None, every: Optional[Union[bool, int]] = None,
        keras: Optional[Union[bool, int]] = None, decay: Optional[float] = None, trust: Optional[float] = None,
        eps: Optional[float] = None, momentum: Optional[float] = None, nesterov: Optional[Union[bool, int]] = None,
        mask: Optional[str] = None, trust_mask: Optional[str] = None) -> Any:
    """rate 0.01, momentum 0.9, trust coefficient 0.001, decay 0, eps 0; mask: the leaves that decay; trust_mask: the leaves
    whose steps are scaled by the trust ratio (default: all)
        opt = tt_lars(params, .decay = 1e-4, .mask = "kernel");

    tt_lars in tutti/optim.h"""
    return _core.call(lib.tt_lars_at, ("params",), "v", (params,), _tt_lars_opts, (rate, clip_norm, clip_value,
        schedule, every, keras, decay, trust, eps, momentum, nesterov, mask, trust_mask))


def rmsprop(params: Any, *, rate: Optional[float] = None, clip_norm: Optional[float] = None,
        clip_value: Optional[float] = None, schedule: Optional[str] = None, every: Optional[Union[bool, int]] = None,
        keras: Optional[Union[bool, int]] = None, rho: Optional[float] = None, eps: Optional[float] = None,
        momentum: Optional[float] = None, initial: Optional[float] = None, centered: Optional[Union[bool, int]] = None,
        nesterov: Optional[Union[bool, int]] = None, bias_correction: Optional[Union[bool, int]] = None,
        eps_outside: Optional[Union[bool, int]] = None) -> Any:
    """rate 1e-3, rho 0.9 (optax's `decay`), eps 1e-8 (Keras 1e-7); centered: divides by the standard deviation; initial:
    the initial second moment; eps_outside: eps is added outside the root
        opt = tt_rmsprop(params, .momentum = 0.9, .centered = 1);

    tt_rmsprop in tutti/optim.h"""
    return _core.call(lib.tt_rmsprop_at, ("params",), "v", (params,), _tt_rmsprop_opts, (rate, clip_norm, clip_value,
        schedule, every, keras, rho, eps, momentum, initial, centered, nesterov, bias_correction, eps_outside))


def adagrad(params: Any, *, rate: Optional[float] = None, clip_norm: Optional[float] = None,
        clip_value: Optional[float] = None, schedule: Optional[str] = None, every: Optional[Union[bool, int]] = None,
        keras: Optional[Union[bool, int]] = None, initial: Optional[float] = None, eps: Optional[float] = None) -> Any:
    """rate 0.01, initial 0.1, eps 1e-7
        opt = tt_adagrad(params, .rate = 0.1);

    tt_adagrad in tutti/optim.h"""
    return _core.call(lib.tt_adagrad_at, ("params",), "v", (params,), _tt_adagrad_opts, (rate, clip_norm, clip_value,
        schedule, every, keras, initial, eps))


def adadelta(params: Any, *, rate: Optional[float] = None, clip_norm: Optional[float] = None,
        clip_value: Optional[float] = None, schedule: Optional[str] = None, every: Optional[Union[bool, int]] = None,
        keras: Optional[Union[bool, int]] = None, rho: Optional[float] = None, eps: Optional[float] = None,
        decay: Optional[float] = None) -> Any:
    """rate 1, rho 0.9, eps 1e-6
        opt = tt_adadelta(params, .rho = 0.95);

    tt_adadelta in tutti/optim.h"""
    return _core.call(lib.tt_adadelta_at, ("params",), "v", (params,), _tt_adadelta_opts, (rate, clip_norm, clip_value,
        schedule, every, keras, rho, eps, decay))


def adafactor(params: Any, *, rate: Optional[float] = None, clip_norm: Optional[float] = None,
        clip_value: Optional[float] = None, schedule: Optional[str] = None, every: Optional[Union[bool, int]] = None,
        keras: Optional[Union[bool, int]] = None, momentum: Optional[float] = None,
        rate_of_decay: Optional[float] = None, threshold: Optional[float] = None, eps: Optional[float] = None,
        decay: Optional[float] = None, from_: Optional[Union[bool, int]] = None, by_scale: Optional[Union[bool,
        int]] = None, mask: Optional[str] = None) -> Any:
    """Adafactor: second moments per row and column of leaves whose two largest dims have `from` elements or more (128).
    rate 0.01, rate_of_decay 0.8, threshold 1 (clip_by_block_rms), by_scale 1 (steps in proportion to the parameters),
    eps 1e-30, momentum and decay none.
        opt = tt_adafactor(params, .from = 32);

    tt_adafactor in tutti/optim.h"""
    return _core.call(lib.tt_adafactor_at, ("params",), "v", (params,), _tt_adafactor_opts, (rate, clip_norm,
        clip_value, schedule, every, keras, momentum, rate_of_decay, threshold, eps, decay, from_, by_scale, mask))


def lbfgs(params: Any, *, rate: Optional[float] = None, memory: Optional[Union[bool, int]] = None) -> Any:
    """L-BFGS with a zoom line search, for tt_opt_step_with. memory: the number of differences kept, 10; rate: default 1.
    Other searches: tt_optimizer(params, "scale_by_lbfgs(); scale(-1); scale_by_backtracking_linesearch(20)").

    tt_lbfgs in tutti/optim.h"""
    return _core.call(lib.tt_lbfgs_at, ("params",), "v", (params,), _tt_lbfgs_opts, (rate, memory))


def optimizer(params: Any, text: str) -> Any:
    """Any chain of parts, as optax.chain: "clip_by_global_norm(1); scale_by_adam(b1=0.8); add_decayed_weights(0.1, mask=w);
    scale_by_learning_rate(linear(0.1, 0.01, 30))".
    - Complete optimizers may be parts: adamw(...), keras.SGD(...), and those without a call of their own: adan, sm3,
      rprop, sign_sgd, signum, noisy_sgd, optimistic_gradient_descent, optimistic_adam_v2, polyak_sgd.
    - Parts: scale_by_adam, _amsgrad, _radam, _adamax, _lion, _rms, _stddev, _rss, _adadelta, _belief, _yogi, _adan,
      _novograd, _sm3, _factored_rms, _rprop, _sign, _optimistic_gradient, _trust_ratio (mask=w), _param_block_norm,
      _param_block_rms, _learning_rate (flip_sign=0), _schedule, _lbfgs, _backtracking_linesearch, _zoom_linesearch,
      _polyak; scale, trace, ema, apply_every, add_decayed_weights, add_noise, centralize, normalize_by_update_norm,
      clip, clip_by_block_rms, clip_by_global_norm, clip_by_norm, adaptive_grad_clip, reduce_on_plateau, identity,
      set_to_zero.
    - Groups: masked(chain, mask=kernel) applies a chain to the leaves that the words select, other leaves pass
      unchanged; partition(kernel=adam(0.01), others=sgd(0.1)) gives each leaf to the chain of its group, an end of
      paths. A leaf in no group, or in two, is an error.
    - Before a chain, once each: multi_steps(every=4) (use_grad_mean=0: sums); apply_if_finite(max_consecutive_errors=5)
      leaves out steps whose gradients are not finite; lookahead(sync_period=5, slow_step_size=0.5): the slow parameters
      are the state's "slow", and every sync_period steps the parameters are set to them; params_ema(decay=0.999): the
      state's "params_ema" is the mean of the parameters after each step, and begins as the parameters.
        opt = tt_optimizer(params, "clip_by_global_norm(1); adamw(1e-3)");

    tt_optimizer in tutti/optim.h"""
    return _core.call(lib.tt_optimizer_at, ("params", "text"), "vs", (params, text))


def schedule(text: str, count: Any) -> Any:
    """The value of a schedule at a count (integers of any shape), f32: "warmup_cosine_decay(0, 0.1, 10, 60)". Schedules:
    constant, linear, polynomial, exponential_decay, cosine_decay, warmup_constant, warmup_cosine_decay,
    warmup_exponential_decay, piecewise_constant, piecewise_interpolate, cosine_onecycle, linear_onecycle, sgdr,
    join_schedules, with optax's arguments in optax's order.
        tt_val rates = tt_schedule("warmup_cosine_decay(0, 0.1, 10, 60)", tt_arange(TT_I32, 60));

    tt_schedule in tutti/optim.h"""
    return _core.call(lib.tt_schedule_at, ("text", "count"), "sv", (text, count))


def minimize(f: Callable, x0: Any, *, params: Optional[Any] = None, tol: Optional[float] = None,
        maxiter: Optional[int] = None) -> Any:
    """The minimum of f(x), or with .with = w of f(x, w), by the BFGS method with a zoom line search (Nocedal and Wright,
    algorithms 6.1 and 3.5), as jax.scipy.optimize.minimize. x0: an array of floats; f returns one number. It ends when
    the largest element of the gradient is at most tol (1e-5), after maxiter iterations (200 times x0's number of
    elements), or when no step lowers f. The result is a dict: x; fun, jac, hess_inv: f, its gradient and the inverse
    Hessian [n, n] there; nit, the number of iterations; success, true if the gradient is at most tol. tt_minimize has
    no derivative.
        tt_val found = tt_minimize(energy, x, .tol = 1e-6), at = tt_get(found, "x");

    tt_minimize in tutti/optim.h"""
    return _core.call(lib.tt_minimize_at, ("f", "x0"), "fv", (f, x0), _tt_minimize_opts, (params, tol, maxiter))


def apply_updates(params: Any, updates: Any) -> Any:
    """params + updates, added in the wider type and returned in the parameters' type
        params = tt_apply_updates(params, updates), grads = tt_clip_by_norm(grads, 1);

    tt_apply_updates in tutti/optim.h"""
    return _core.call(lib.tt_apply_updates_at, ("params", "updates"), "vv", (params, updates))


def incremental_update(source: Any, target: Any, step: float) -> Any:
    """target + step (source - target) leaf by leaf, as optax.incremental_update: means of parameters, target networks.
        target = tt_incremental_update(params, target, 0.005);

    tt_incremental_update in tutti/optim.h"""
    return _core.call(lib.tt_incremental_update_at, ("source", "target", "step"), "vvd", (source, target, step))


def clip_by_norm(grads: Any, max: float) -> Any:
    """params + updates, added in the wider type and returned in the parameters' type
        params = tt_apply_updates(params, updates), grads = tt_clip_by_norm(grads, 1);

    tt_clip_by_norm in tutti/optim.h"""
    return _core.call(lib.tt_clip_by_norm_at, ("grads", "max"), "vd", (grads, max))


def read_csv(path: str, *, dtype: Optional[DtypeLike] = None, separator: Optional[str] = None,
        header: Optional[Union[bool, int]] = None) -> Any:
    """A table of numbers, a row per line: a dict of columns if the first line names them, else a matrix; gzip too. dtype:
    TT_F32 by default; with an integer dtype every number must be an integer of that dtype. An empty field is NaN.
    separator: one character, "," by default. header: 1 if the first line names the columns; by default it does if all
    its fields are words; a first line that mixes words and numbers is an error.
        tt_val table = tt_read_csv("points.csv"), column = tt_get(table, "x");

    tt_read_csv in tutti/data.h"""
    return _core.call(lib.tt_read_csv_at, ("path",), "s", (path,), _tt_csv_opts, (dtype, separator, header))


def read_text(path: str) -> Any:
    """The bytes of a file, u8 [N], unpacked if it is gzip. A name without a folder that is not a file of the working
    directory is searched in TUTTI_DATA's folder text, then among the texts that come with Tutti: "tinyshakespeare.txt".
        tt_val bytes = tt_read_text("tinyshakespeare.txt");
        tt_val rows = tt_read_npy("rows.npy"), all = tt_read_npz("all.npz");

    tt_read_text in tutti/data.h"""
    return _core.call(lib.tt_read_text_at, ("path",), "s", (path,))


def read_idx(path: str) -> Any:
    """also .gz; u8 arrays

    tt_read_idx in tutti/data.h"""
    return _core.call(lib.tt_read_idx_at, ("path",), "s", (path,))


def read_npy(path: str) -> Any:
    """The bytes of a file, u8 [N], unpacked if it is gzip. A name without a folder that is not a file of the working
    directory is searched in TUTTI_DATA's folder text, then among the texts that come with Tutti: "tinyshakespeare.txt".
        tt_val bytes = tt_read_text("tinyshakespeare.txt");
        tt_val rows = tt_read_npy("rows.npy"), all = tt_read_npz("all.npz");

    tt_read_npy in tutti/data.h"""
    return _core.call(lib.tt_read_npy_at, ("path",), "s", (path,))


def read_npz(path: str) -> Any:
    """a dict

    tt_read_npz in tutti/data.h"""
    return _core.call(lib.tt_read_npz_at, ("path",), "s", (path,))


def write_npy(path: str, v: Any) -> bool:
    """These write what this process has: in a job each process writes its own file, at a path of its own.
        tt_write_npy("rows.npy", x), tt_write_npz("all.npz", tt_dict("x", x, "y", y));

    tt_write_npy in tutti/data.h"""
    return _core.plain(lib.tt_write_npy_at, ("path", "v"), "sv", (path, v))


def write_npz(path: str, tree: Any) -> bool:
    """These write what this process has: in a job each process writes its own file, at a path of its own.
        tt_write_npy("rows.npy", x), tt_write_npz("all.npz", tt_dict("x", x, "y", y));

    tt_write_npz in tutti/data.h"""
    return _core.plain(lib.tt_write_npz_at, ("path", "tree"), "sv", (path, tree))


def save(path: str, tree: Any, *, force: Optional[Union[bool, int]] = None, writer: Optional[Union[bool, int]] = None,
        writers: Optional[Union[bool, int]] = None, patience: Optional[float] = None, ocdbt: Optional[Union[bool,
        int]] = None) -> bool:
    """Writes a folder; a path that ends with .npz or .safetensors: one file. An existing path is an error. force = 1
    atomically replaces a checkpoint, an empty folder, or a file of the same format; any other existing path stays an
    error. A symbolic link is itself replaced; its target stays as it is (also in tt_write_npz and tt_write_npy). Each
    file of a checkpoint is written once: by this process, or by writer 0, 1, ... of `writers` processes that share the
    folder, have the same tree, and wait for each other (patience: seconds, default 300; 0: no waiting).

    ocdbt = 1: the elements are values of one OCDBT store, as Orbax writes by default: one file for each writer, however
    many arrays there are.

    A single file has the arrays with .frozen and logical axes (tt_leaf), which other readers ignore: safetensors in its
    __metadata__ ("tutti.leaves"), NPZ in the entries' comments. It has no empty nodes, tags and layouts; tt_load with
    .like takes these from `like`. A file of another library has no such attributes: without .like no leaf is frozen,
    not even a running mean. Any other file ending (.h5, .hdf5, .keras, .msgpack, .gguf, .npy, .pt, .pth, .pkl;
    capitals count too) is an error.

    In a job (tutti/process.h) the processes are the writers, and .writer and .writers are left out: all of them save
    together, each the files of which it has the elements. A value on no mesh is saved as process 0 has it. Single files
    (.npz, .safetensors) are written by process 0, which gathers the tree. All processes must see the folder.
    All processes call tt_save, tt_load and the functions of a manager, in one order; an error of one is an error of
    all.
        tt_save("run.ckpt", params, .force = 1), tt_save("model.safetensors", params);

    tt_save in tutti/ckpt.h"""
    return _core.plain(lib.tt_save_at, ("path", "tree"), "sv", (path, tree), _tt_save_opts, (force, writer, writers,
        patience, ocdbt))


def load(path: str, *, mesh: Optional[Mesh] = None, rules: Optional[str] = None, like: Optional[Any] = None,
        cast: Optional[Union[bool, int]] = None, extra: Optional[Union[bool, int]] = None) -> Any:
    """- mesh: leaves with logical axes are laid out over it by the rules; other leaves, and all without rules, as they were
      saved if the mesh has their axes, else replicated; a part of an axis ("k.2.2") needs the axis with the size that
      it had when saved. Without a mesh: as they were saved. Open dims, priorities and states of a layout ("a?!2
      +sum(b)") are not saved.
    - like: a tree of values or shapes (tt_like, tt_eval_shape, tt_shape) whose structure and types the result must have,
      and whose layouts it takes. cast = 1 allows other dtypes; extra = 1 allows leaves in the checkpoint that like does
      not have.

    A folder without a checkpoint of its own, but with exactly one folder that is one, as a manager's step has, is loaded
    as that checkpoint.

    In a job each process reads the bytes of its own parts, of a checkpoint that any number of processes has saved.

    Errors: rules without mesh, mesh or rules together with like, cast or extra without like; in a job also a file that
    one process does not see.
        tt_val s = tt_load("run.ckpt", .like = tt_like(params), .cast = 1);

    tt_load in tutti/ckpt.h"""
    return _core.call(lib.tt_load_at, ("path",), "s", (path,), _tt_load_opts, (mesh, rules, like, cast, extra))


def manager_open(root: str, *, keep: Optional[int] = None, keep_best: Optional[int] = None,
        keep_every: Optional[int] = None, best: Optional[str] = None, background: Optional[Union[bool, int]] = None,
        writer: Optional[Union[bool, int]] = None, writers: Optional[Union[bool, int]] = None,
        patience: Optional[float] = None, ocdbt: Optional[Union[bool, int]] = None) -> Opened:
    """Keeps the newest `keep` steps (default: all), besides them the keep_best best by a metric ("min loss", "max
    accuracy"; default 1, 0: none), and every step that keep_every divides. background = 1: a save returns as soon as the
    elements are copied; a later failure is reported by the next call, by tt_manager_wait, or when the manager's scope
    closes. The exit of the process waits for background saves too. Only one thread at a time may use a manager. In a job
    process 0 decides which steps there are and which of them stay, by its metrics. ocdbt: as in tt_save.
        tt_manager runs = tt_manager_open("run", .keep = 3, .best = "min loss", .background = 1);

    tt_manager_open in tutti/ckpt.h"""
    return _core.opened(lib.tt_manager_open_at, ("root",), "s", (root,), _tt_manager_opts, (keep, keep_best,
        keep_every, best, background, writer, writers, patience, ocdbt))


def manager_save(manager: Opened, step: int, tree: Any, *, metrics: Optional[Any] = None, force: Optional[Union[bool,
        int]] = None) -> bool:
    """metrics: a dict of scalars. With .best it is required, and has that metric; tt_none() is for a step that has none,
    Such a step is never the best; it stays while it is among the newest. A metric that is not finite counts as none.
    (Orbax warns where .metrics is missing.) A step that would be removed at once, as it is older than the `keep`
    newest and neither among the best nor one of keep_every, is an error, with .force too.
        if (step_number % 100 == 0) tt_manager_save(runs, step_number, params, .metrics = tt_dict("loss", l));
        tt_manager_wait(runs);
        tt_val state = tt_manager_load(runs, tt_manager_newest(runs), .like = tt_like(params));

    tt_manager_save in tutti/ckpt.h"""
    return _core.plain(lib.tt_manager_save_at, ("manager", "step", "tree"), "Hiv", (manager, step, tree),
        _tt_manager_save_opts, (metrics, force))


def manager_wait(manager: Opened) -> bool:
    """metrics: a dict of scalars. With .best it is required, and has that metric; tt_none() is for a step that has none,
    Such a step is never the best; it stays while it is among the newest. A metric that is not finite counts as none.
    (Orbax warns where .metrics is missing.) A step that would be removed at once, as it is older than the `keep`
    newest and neither among the best nor one of keep_every, is an error, with .force too.
        if (step_number % 100 == 0) tt_manager_save(runs, step_number, params, .metrics = tt_dict("loss", l));
        tt_manager_wait(runs);
        tt_val state = tt_manager_load(runs, tt_manager_newest(runs), .like = tt_like(params));

    tt_manager_wait in tutti/ckpt.h"""
    return _core.plain(lib.tt_manager_wait_at, ("manager",), "H", (manager,))


def manager_load(manager: Opened, step: int, *, mesh: Optional[Mesh] = None, rules: Optional[str] = None,
        like: Optional[Any] = None, cast: Optional[Union[bool, int]] = None, extra: Optional[Union[bool,
        int]] = None) -> Any:
    """metrics: a dict of scalars. With .best it is required, and has that metric; tt_none() is for a step that has none,
    Such a step is never the best; it stays while it is among the newest. A metric that is not finite counts as none.
    (Orbax warns where .metrics is missing.) A step that would be removed at once, as it is older than the `keep`
    newest and neither among the best nor one of keep_every, is an error, with .force too.
        if (step_number % 100 == 0) tt_manager_save(runs, step_number, params, .metrics = tt_dict("loss", l));
        tt_manager_wait(runs);
        tt_val state = tt_manager_load(runs, tt_manager_newest(runs), .like = tt_like(params));

    tt_manager_load in tutti/ckpt.h"""
    return _core.call(lib.tt_manager_load_at, ("manager", "step"), "Hi", (manager, step), _tt_load_opts, (mesh, rules,
        like, cast, extra))


def manager_newest(manager: Opened) -> int:
    """steps: the number of finished steps; fills at most n, in rising order. newest, best: a step, -1 if there is none.
    Without an open manager the results are 0 and -1, with the error set.
        int64_t steps[16]; const int n16 = tt_manager_steps(runs, 16, steps);
        printf("newest %d, best %d\\n", (int)tt_manager_newest(runs), (int)tt_manager_best(runs));

    tt_manager_newest in tutti/ckpt.h"""
    return _core.plain(lib.tt_manager_newest_at, ("manager",), "H", (manager,))


def manager_best(manager: Opened) -> int:
    """steps: the number of finished steps; fills at most n, in rising order. newest, best: a step, -1 if there is none.
    Without an open manager the results are 0 and -1, with the error set.
        int64_t steps[16]; const int n16 = tt_manager_steps(runs, 16, steps);
        printf("newest %d, best %d\\n", (int)tt_manager_newest(runs), (int)tt_manager_best(runs));

    tt_manager_best in tutti/ckpt.h"""
    return _core.plain(lib.tt_manager_best_at, ("manager",), "H", (manager,))


def manager_path(manager: Opened, step: int) -> str:
    """The path of a finished step, for tt_ckpt_open; "" with the error set: there is no such step
        tt_ckpt ck = tt_ckpt_open(tt_manager_path(runs, tt_manager_best(runs)));

    tt_manager_path in tutti/ckpt.h"""
    return _core.plain(lib.tt_manager_path_at, ("manager", "step"), "Hi", (manager, step))


def ckpt_open(path: str) -> Opened:
    """tt_ckpt c = tt_ckpt_open("model.safetensors");

    tt_ckpt_open in tutti/ckpt.h"""
    return _core.opened(lib.tt_ckpt_open_at, ("path",), "s", (path,))


def ckpt_format(ckpt: Opened) -> str:
    """"orbax", "zarr3", "zarr2", "ocdbt", "safetensors", "npz", "flax-msgpack", "keras-h5", "gguf"; "" with the error set
    if no checkpoint is open
        puts(tt_ckpt_format(ckpt));

    tt_ckpt_format in tutti/ckpt.h"""
    return _core.plain(lib.tt_ckpt_format_at, ("ckpt",), "H", (ckpt,))


def ckpt_count(ckpt: Opened) -> int:
    """The number of items; no open checkpoint: 0, with the error set.
        for (int j = 0; j < tt_ckpt_count(ckpt); j++) puts(tt_ckpt_at(ckpt, j)->path);

    tt_ckpt_count in tutti/ckpt.h"""
    return _core.plain(lib.tt_ckpt_count_at, ("ckpt",), "H", (ckpt,))


def ckpt_metadata(ckpt: Opened) -> str:
    """The file's own metadata (safetensors' __metadata__, GGUF's keys) as JSON; "": none, or, with the error set, no open
    checkpoint.
        puts(tt_ckpt_metadata(ckpt));

    tt_ckpt_metadata in tutti/ckpt.h"""
    return _core.plain(lib.tt_ckpt_metadata_at, ("ckpt",), "H", (ckpt,))


def ckpt_read(ckpt: Opened, i: int, *, mesh: Optional[Mesh] = None, spec: Optional[str] = None,
        codes: Optional[Union[bool, int]] = None) -> Any:
    """Reads one array; mesh and spec lay it out (without them: on no mesh).
    codes = 1, of a GGUF's Q8_0 or Q4_0: a dict of "codes", i8 or i4 [..., N], and "scales", f16 [..., N / 32]; the
    array is their product, each scale for 32 codes in a row. Without it such an array is that product, as f32.
        tt_val first = tt_ckpt_read(ckpt, 0, .mesh = mesh, .spec = "data, _");

    tt_ckpt_read in tutti/ckpt.h"""
    return _core.call(lib.tt_ckpt_read_at, ("ckpt", "i"), "Hi", (ckpt, i), _tt_ckpt_read_opts, (mesh, spec, codes))


def tokenizer_open(path: str, *, special: Optional[str] = None) -> Opened:
    """path: one of the files above, or a folder that has one (tokenizer.json before tokenizer.model before vocab.json).
    special: of a vocab.json, names of pieces that are special tokens, separated by blanks: "<|endoftext|>". Without it
    there are none: vocab.json does not mark special tokens.
        const tt_tokenizer gpt2 = tt_tokenizer_open("vocab.json", .special = "<|endoftext|>");

    tt_tokenizer_open in tutti/tokenizer.h"""
    return _core.opened(lib.tt_tokenizer_open_at, ("path",), "s", (path,), _tt_tokenizer_opts, (special,))


def tokenizer_encode(tokenizer: Opened, text: str, *, length: Optional[int] = None, bare: Optional[Union[bool,
        int]] = None) -> Any:
    """The ids of the text, i32 [N]. length: the text's bytes, which may have zeros among them; without it the text ends at
    its 0. bare = 1: without the tokens that the file's template adds, such as the one for the beginning. Special tokens
    that stand in the text become their ids.
        tt_val bare = tt_tokenizer_encode(t, "Hello world", .bare = 1);

    tt_tokenizer_encode in tutti/tokenizer.h"""
    return _core.call(lib.tt_tokenizer_encode_at, ("tokenizer", "text"), "Hs", (tokenizer, text), _tt_encode_opts,
        (length, bare))


def tokenizer_decode(tokenizer: Opened, ids: Any, *, special: Optional[Union[bool, int]] = None) -> str:
    """The text of ids: an integer array of rank 1, or a scalar; or n ids. It belongs to the current scope; "" with the
    error set. special = 1: special tokens are shown; without it they are left out. Bytes that are no character are
    U+FFFD. length: where the number of the text's bytes is written, for texts with zeros among them. Errors: an id
    that the vocabulary does not have.
        puts(tt_tokenizer_decode(t, ids, .special = 1)), puts(tt_tokenizer_text(t, 3, some_ids));

    tt_tokenizer_decode in tutti/tokenizer.h"""
    return _core.plain(lib.tt_tokenizer_decode_at, ("tokenizer", "ids"), "Hv", (tokenizer, ids), _tt_decode_opts,
        (special,))


def tokenizer_stream(tokenizer: Opened, *, special: Optional[Union[bool, int]] = None) -> Opened:
    """Decodes ids one by one, as they are generated: tt_token_stream_next returns the text that is certain now, "" while a
    character is not complete; tt_token_stream_end what is left, after which a stream may begin anew. The texts in a
    row are that of all ids; but where bytes ("<0xE2>") in a row are damaged, characters before the damage stay. A text
    lives until the next call on the stream; length is written by each call.

        tt_token_stream s = tt_tokenizer_stream(t);
        while (generating) fputs(tt_token_stream_next(s, id), stdout);
        puts(tt_token_stream_end(s));

    tt_tokenizer_stream in tutti/tokenizer.h"""
    return _core.opened(lib.tt_tokenizer_stream_at, ("tokenizer",), "H", (tokenizer,), _tt_decode_opts, (special,))


def token_stream_next(token_stream: Opened, id: int) -> str:
    """Decodes ids one by one, as they are generated: tt_token_stream_next returns the text that is certain now, "" while a
    character is not complete; tt_token_stream_end what is left, after which a stream may begin anew. The texts in a
    row are that of all ids; but where bytes ("<0xE2>") in a row are damaged, characters before the damage stay. A text
    lives until the next call on the stream; length is written by each call.

        tt_token_stream s = tt_tokenizer_stream(t);
        while (generating) fputs(tt_token_stream_next(s, id), stdout);
        puts(tt_token_stream_end(s));

    tt_token_stream_next in tutti/tokenizer.h"""
    return _core.plain(lib.tt_token_stream_next_at, ("token_stream", "id"), "Hi", (token_stream, id))


def token_stream_end(token_stream: Opened) -> str:
    """Decodes ids one by one, as they are generated: tt_token_stream_next returns the text that is certain now, "" while a
    character is not complete; tt_token_stream_end what is left, after which a stream may begin anew. The texts in a
    row are that of all ids; but where bytes ("<0xE2>") in a row are damaged, characters before the damage stay. A text
    lives until the next call on the stream; length is written by each call.

        tt_token_stream s = tt_tokenizer_stream(t);
        while (generating) fputs(tt_token_stream_next(s, id), stdout);
        puts(tt_token_stream_end(s));

    tt_token_stream_end in tutti/tokenizer.h"""
    return _core.plain(lib.tt_token_stream_end_at, ("token_stream",), "H", (token_stream,))


def tokenizer_size(tokenizer: Opened) -> int:
    """The vocabulary's size; every id is below it; 0 with the error set.
        tt_val x = tt_embed(m, "tokens", ids, tt_tokenizer_size(t), 768);

    tt_tokenizer_size in tutti/tokenizer.h"""
    return _core.plain(lib.tt_tokenizer_size_at, ("tokenizer",), "H", (tokenizer,))


def tokenizer_piece(tokenizer: Opened, id: int) -> str:
    """The piece of an id as the file has it, "\\u0120world" or "\\u2581world"; "" if no piece has the id. It lives until the
    thread's next call.
        puts(tt_tokenizer_piece(t, 42));

    tt_tokenizer_piece in tutti/tokenizer.h"""
    return _core.plain(lib.tt_tokenizer_piece_at, ("tokenizer", "id"), "Hi", (tokenizer, id))


def tokenizer_id(tokenizer: Opened, piece: str) -> int:
    """The id of such a piece, "<|endoftext|>"; -1: there is none.
        if (id == tt_tokenizer_id(t, "<|endoftext|>") || tt_tokenizer_is_special(t, id)) puts("the end");

    tt_tokenizer_id in tutti/tokenizer.h"""
    return _core.plain(lib.tt_tokenizer_id_at, ("tokenizer", "piece"), "Hs", (tokenizer, piece))


def tokenizer_is_special(tokenizer: Opened, id: int) -> bool:
    """True if the id is that of a special token (of SentencePiece: of a control piece).

    tt_tokenizer_is_special in tutti/tokenizer.h"""
    return _core.plain(lib.tt_tokenizer_is_special_at, ("tokenizer", "id"), "Hi", (tokenizer, id))


def tokenizer_kind(tokenizer: Opened) -> str:
    """"BPE, tokenizer.json": the model and the format; "" with the error set.
        puts(tt_tokenizer_kind(t));

    tt_tokenizer_kind in tutti/tokenizer.h"""
    return _core.plain(lib.tt_tokenizer_kind_at, ("tokenizer",), "H", (tokenizer,))


def tokenizer_train(path: str, text: str, size: int, *, length: Optional[int] = None, special: Optional[str] = None,
        least: Optional[int] = None) -> bool:
    """Trains byte-level BPE on a text and writes it to path, as a tokenizer.json with GPT-2's pre-tokenizer: special tokens
    (names separated by blanks), the 256 bytes, then merges until there are `size` pieces or no pair occurs `least` times
    (default: once). The merges are those that `tokenizers` makes (BpeTrainer with ByteLevel's alphabet, the text as
    one). length: as in tt_tokenizer_encode. False with the error set.

        tt_tokenizer_train("bpe.json", text, 8000, .special = "<|endoftext|>");

    tt_tokenizer_train in tutti/tokenizer.h"""
    return _core.plain(lib.tt_tokenizer_train_at, ("path", "text", "size"), "ssi", (path, text, size),
        _tt_tokenizer_train_opts, (length, special, least))


def state_text(v: Any, *, form: Optional[str] = None, rules: Optional[str] = None) -> str:
    """A tree of a program's state as Flax and optax print it: FrozenDict({...}) of dicts, records by their names,
    (ScaleByAdamState(count=..., mu=..., nu=...), EmptyState()) for Adam. form, the text of a leaf: "spec" (default)
    PartitionSpec(None, 'model') from its logical axes (tt_leaf's), "names" (None, 'model'), "box" Partitioned(value=(8,
    4), names=(None, 'model'), mesh=None), "logical" LogicallyPartitioned(...), "shape" (8, 4). rules: applied to the
    axes first, by tt_logical_spec. Lives until the fourth call after this one; "": an error.
        puts(tt_state_text(opt, .form = "shape"));

    tt_state_text in tutti/viz.h"""
    return _core.plain(lib.tt_state_text_at, ("v",), "v", (v,), _tt_state_opts, (form, rules))


def curve(v: Any, *, form: Optional[str] = None, title: Optional[str] = None, width: Optional[Union[bool, int]] = None,
        height: Optional[Union[bool, int]] = None, log: Optional[Union[bool, int]] = None, log_x: Optional[Union[bool,
        int]] = None, smooth: Optional[float] = None, xlabel: Optional[str] = None,
        ylabel: Optional[str] = None) -> str:
    """Curves over steps, as text for the terminal (default: 64 x 10 cells, axes not counted) or as SVG for a file (640 x
    320); at most 1000 x 1000 cells, 100,000 x 100,000 pixels; at most 8 series.

        puts(tt_curve(losses, .title = "loss", .log = 1, .smooth = 0.9));
        tt_val tests = tt_tuple(tt_arange(TT_I32, 0, 1000, 250), test_losses);
        puts(tt_curve(tt_dict("train", losses, "test", tests), .xlabel = "step"));

    v: one row of real numbers; or a dict of series, named in the legend; or a tuple of them. A series in it is a row
    ys, at x = 0, 1, 2, ..., or a tuple (xs, ys) of two rows of one length, xs finite.
    - log, log_x: logarithmic scales, with ticks at the powers of ten, or at 1, 2, 5 of them. title, xlabel, ylabel:
      texts.
    - smooth: from 0 to below 1, a series is replaced by TensorBoard's smoothing with this weight: s_i = w s_(i-1) + (1
      - w) y_i, divided by 1 - w^i; the series itself is drawn pale behind it in SVG.
    - Values that are not finite, or without a logarithm, are left out, and break the line; their number is printed
      under the curve. One point is a dot.
    In the terminal several series have colours, or, without colours, letters of their own (a, b, ...). Lives until the
    next call; "": an error.

    tt_curve in tutti/viz.h"""
    return _core.plain(lib.tt_curve_at, ("v",), "v", (v,), _tt_curve_opts, (form, title, width, height, log, log_x,
        smooth, xlabel, ylabel))


def image_text(image: Any, columns: int) -> str:
    """A greyscale image [H, W] in [0, 1] in half-block characters, one line of text per two rows; each line ends with a
    newline. columns: at most so many; 0: as wide as the image.
        fputs(tt_image_text(image, 28), stdout);

    tt_image_text in tutti/viz.h"""
    return _core.plain(lib.tt_image_text_at, ("image", "columns"), "vi", (image, columns))


def layout_text(mesh: Mesh, rank: int, spec: str, form: str) -> str:
    """A layout; rank -1: as many dims as the spec has items. Forms:
      spec         PartitionSpec('data', None); from 0.10 on P('data', None)
      tuple        ('data', None)
      sharding     NamedSharding(mesh=..., spec=..., memory_kind=unpinned_host)
      positional   PositionalSharding([[{CPU 0, 1, 2, 3}]...: the devices of each part
      shardy       #sdy.sharding<@mesh, [{"data"}, {}]>
      gspmd        {devices=[2,1,4]<=[8] last_tile_dim_replicate}; "gspmd list" lists all devices
      device       SingleDeviceSharding(device=CpuDevice(id=0), ...): the mesh's first device
    With the word short: without trailing dims that are not sharded, as a spec that the compiler returns. tt_text(v,
    form) prints a value's layout in the same forms; "sharding" of a value without a layout is "device". "": an error.

    tt_layout_text in tutti/layout.h"""
    return _core.plain(lib.tt_layout_text_at, ("mesh", "rank", "spec", "form"), "miss", (mesh, rank, spec, form))


def mesh_text(mesh: Mesh, form: str) -> str:
    """A mesh. Forms: str Mesh('data': 2, 'model': 4); repr; devices, the grid as an array; list [CpuDevice(id=0), ...]; and
    of the first device alone: device CpuDevice(id=0); name TFRT_CPU_0, from 0.10 on cpu:0. Lists have 2^18 at most.

    tt_mesh_text in tutti/layout.h"""
    return _core.plain(lib.tt_mesh_text_at, ("mesh", "form"), "ms", (mesh, form))


def same_layout(a: Mesh, spec_a: str, b: Mesh, spec_b: str, rank: int) -> bool:
    """True if both layouts give every device the same part of an array of this rank; false with the error set: a spec is
    wrong.

    tt_same_layout in tutti/layout.h"""
    return _core.plain(lib.tt_same_layout_at, ("a", "spec_a", "b", "spec_b", "rank"), "msmsi", (a, spec_a, b, spec_b,
        rank))


def fsdp_spec(mesh: Mesh, axis: str, least: int, shape: Shape) -> str:
    """The spec of a parameter in fully sharded data parallelism: an array of more than `least` elements is sharded over the
    axis on its largest dim that the axis divides (of equal dims, the last); other arrays are replicated.
        const char *spec = tt_fsdp_spec(mesh, "data", 1 << 18, TT_DIMS(1024, 4096, TT_DIM_END));

    tt_fsdp_spec in tutti/layout.h"""
    return _core.plain(lib.tt_fsdp_spec_at, ("mesh", "axis", "least", "shape"), "msiD", (mesh, axis, least, shape))


HEADERS = {
    "tutti": "like checkpoint_name".split(),
    "array": "cast bitcast real imag conj fft ifft rfft irfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn fftfreq rfftfreq fftshift ifftshift integer_pow reduce_precision reshape transpose broadcast dynamic_slice dynamic_update_slice pad iota matmul dot convolve sum prod amax amin all any argmax argmin window_sum window_max cumsum cumprod cummax cummin take sort".split(),
    "attention": "attention rope make_attention_mask make_causal_mask make_window_mask combine_masks ring_attention".split(),
    "callback": "register_ffi_library ffi_call".split(),
    "ckpt": "save load manager_open manager_save manager_wait manager_load manager_newest manager_best manager_path ckpt_open ckpt_format ckpt_count ckpt_metadata ckpt_read".split(),
    "collectives": "psum pmean pmax pmin all_gather psum_scatter all_to_all ppermute pshift axis_index axis_size pvary".split(),
    "data": "read_csv read_text read_idx read_npy read_npz write_npy write_npz".split(),
    "engine": "engine".split(),
    "image": "image_resize".split(),
    "index": "gather scatter dynamic_box dynamic_update_box nonzero argwhere tril_indices triu_indices diag_indices".split(),
    "layout": "layout_text mesh_text same_layout fsdp_spec".split(),
    "linalg": "qr_pivoted cholesky qr svd triangular_solve tridiagonal_solve norm eig eigvals schur hessenberg tridiagonal lu eigh svdvals inv pinv det slogdet solve lstsq".split(),
    "losses": "cosine_distance squared_error kl_with_log_targets generalized_kl perceptron_loss multiclass_hinge_loss multiclass_perceptron_loss ranking_softmax_loss sigmoid_focal_loss poly_loss_cross_entropy triplet_margin_loss ntxent ctc_loss".split(),
    "module": "train_only lora_merge".split(),
    "nn": "logical_spec names_with names_without summary".split(),
    "num": "mean var std logsumexp square reciprocal relu relu6 silu softplus log_sigmoid gelu gelu_erf exp2 log2 log10 asin acos atan sinh cosh asinh acosh atanh signbit hypot logaddexp copysign fmax fmin heaviside ndtri sparse_plus hard_tanh hard_sigmoid hard_silu soft_sign squareplus selu mish leaky_relu elu celu mod floor_divide where softmax log_softmax glu standardize one_hot xent l2_loss bce log_cosh hinge kl smooth_labels huber cosine flatten expand_dims chunk avg_pool max_pool min_pool cumlogsumexp searchsorted select_n top_k global_norm".split(),
    "numpy": "meshgrid tril triu diag trace outer kron roll repeat swapaxes moveaxis flip rot90 array_split split_indices vstack hstack dstack column_stack block pad_with diff take_along_axis argsort bincount segment_sum segment_prod segment_max segment_min unique histogram isin interp polyval isnan isinf nan_to_num isclose allclose array_equal nanprod nanmax nanmin nanvar nanstd count_nonzero nansum nanmean median quantile average cov corrcoef cross convolve1d correlate gradient trapezoid".split(),
    "ops": "abs add bitwise_and atan2 bessel_i0e bessel_i1e betainc cbrt ceil clamp clz complex cos digamma div erf erf_inv erfc erfcx exp expm1 floor fma igamma igamma_grad_a igammac is_finite lgamma log log1p logistic mul neg nextafter bitwise_not bitwise_or polygamma popcnt pow random_gamma_grad rem round_away round_even rsqrt sar shl shr sign sin sqrt sub tan tanh bitwise_xor zeta".split(),
    "optim": "sgd adam adamw nadam radam amsgrad adamax lamb adabelief yogi novograd lion lars rmsprop adagrad adadelta adafactor lbfgs optimizer schedule minimize apply_updates incremental_update clip_by_norm".split(),
    "parallel": "fold_in_axis shard_params gather_mean gather_params sync_grads accumulate print_metrics".split(),
    "process": "is_fully_addressable is_fully_replicated process_allgather broadcast_one_to_all sync_global_devices assert_equal array_from_process_local_data host_local_array_to_global_array global_array_to_host_local_array".split(),
    "random": "key64 seed fold_in uniform normal gumbel exponential laplace cauchy rademacher bits randint_native gamma loggamma chisquare t_draw generalized_normal dirichlet pareto lognormal rayleigh wald poisson geometric beta f_draw weibull_min double_sided_maxwell binomial multinomial maxwell orthogonal triangular ball variance_scaling".split(),
    "report": "type_text value_text text config".split(),
    "scipy": "expm sqrtm polar cho_solve block_diag lu_solve toeplitz cg bicgstab gmres".split(),
    "sharding": "shard logical_constraint spec has_layout replicate unreplicate".split(),
    "special": "xlogy xlog1py rel_entr kl_div boxcox boxcox1p entr logit expit ndtr log_ndtr multigammaln gammafn gammasgn gammaln factorial betafn betaln poch expi exp1 i0 i1".split(),
    "stats": "norm_logpdf norm_pdf norm_cdf norm_logcdf norm_sf norm_logsf norm_ppf norm_isf expon_logpdf expon_pdf expon_cdf expon_logcdf expon_sf expon_logsf expon_ppf laplace_logpdf laplace_pdf laplace_cdf logistic_logpdf logistic_pdf logistic_cdf logistic_sf logistic_ppf logistic_isf cauchy_logpdf cauchy_pdf cauchy_cdf cauchy_logcdf cauchy_sf cauchy_logsf cauchy_ppf cauchy_isf uniform_logpdf uniform_pdf uniform_cdf uniform_ppf gumbel_l_logpdf gumbel_l_pdf gumbel_l_cdf gumbel_l_logcdf gumbel_l_sf gumbel_l_logsf gumbel_l_ppf gumbel_r_logpdf gumbel_r_pdf gumbel_r_cdf gumbel_r_logcdf gumbel_r_sf gumbel_r_logsf gumbel_r_ppf gamma_logpdf gamma_pdf gamma_cdf gamma_logcdf gamma_sf gamma_logsf chi2_logpdf chi2_pdf chi2_cdf chi2_logcdf chi2_sf chi2_logsf t_logpdf t_pdf pareto_logpdf pareto_pdf pareto_cdf pareto_logcdf pareto_sf pareto_logsf pareto_ppf gennorm_logpdf gennorm_pdf gennorm_cdf vonmises_logpdf vonmises_pdf wrapcauchy_logpdf wrapcauchy_pdf beta_logpdf beta_pdf beta_cdf beta_logcdf beta_sf beta_logsf truncnorm_logpdf truncnorm_pdf truncnorm_cdf truncnorm_logcdf truncnorm_sf truncnorm_logsf poisson_logpmf poisson_pmf poisson_cdf bernoulli_logpmf bernoulli_pmf bernoulli_cdf bernoulli_ppf geom_logpmf geom_pmf binom_logpmf binom_pmf nbinom_logpmf nbinom_pmf betabinom_logpmf betabinom_pmf multivariate_normal_logpdf multivariate_normal_pdf multinomial_logpmf multinomial_pmf dirichlet_logpdf dirichlet_pdf".split(),
    "tokenizer": "tokenizer_open tokenizer_encode tokenizer_decode tokenizer_stream token_stream_next token_stream_end tokenizer_size tokenizer_piece tokenizer_id tokenizer_is_special tokenizer_kind tokenizer_train".split(),
    "transforms": "optimization_barrier".split(),
    "tree": "leaf leaf_axes leaf_frozen".split(),
    "viz": "state_text curve image_text".split(),
}
