/* nn/sharded.c - fully sharded parameters: the choice of the sharded dim, slices, gathering, gradients.
 *
 * The rule is that of Flax's examples of fully sharded training: the largest dim that the axis's size divides, of equal
 * dims the last, and only for large parameters. A slice's leaf has the mesh axis among its logical axes, "data, _",
 * where the specs of regions and of results find it. The derivative of the gather scatters the mean, so that gradients
 * are slices that need no further averaging.
 */
#include "nn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 256, AXIS = 64 };

/* ---- names of dims: "data, _" ---- */

/* The name of dim d; its length, 0: none. */
static size_t sharded_name_of(const char *axes, int d, const char **at)
{
    for (; axes && d > 0; d--) {
        axes = strchr(axes, ',');
        if (axes) axes++;
    }
    if (!axes) return 0;
    axes += strspn(axes, " ");
    size_t n = strcspn(axes, ",");
    while (n && axes[n - 1] == ' ') n--;
    *at = axes;
    return n == 1 && *axes == '_' ? 0 : n;
}

/* True if `axis` is one of "a+b". */
static bool among(const char *name, size_t n, const char *axis)
{
    const size_t len = strlen(axis);
    for (const char *p = name, *end = name + n; p < end;) {
        const size_t one = strcspn(p, "+, ");
        if (one == len && !memcmp(p, axis, len)) return true;
        p += one ? one : 1;
    }
    return false;
}

static int dim_over(const char *site, tt_val v, const char *axis) /* the dim that is sharded over the axis; -1: none */
{
    const char *name, *axes = tt_leaf_axes_at(site, v);
    for (int d = 0; d < tt_rank_at(site, v); d++) {
        const size_t n = sharded_name_of(axes, d, &name);
        if (n && among(name, n, axis)) return d;
    }
    return -1;
}

/* The leaf's names with dim d renamed; NULL: no name is left. */
static const char *renamed(tt_val v, int dim, const char *to, char text[AXES])
{
    const char *name, *axes = tt_leaf_axes_at(NULL, v);
    bool any = false;
    *text = 0;
    for (int d = 0; d < tt_rank_at(NULL, v); d++) {
        const size_t own = sharded_name_of(axes, d, &name), n = d == dim ? strlen(to) : own ? own : 1,
            at = strlen(text);
        if (d == dim) name = to;
        else if (!own) name = "_";
        any |= !(n == 1 && *name == '_');
        snprintf(text + at, AXES - at, "%s%.*s", d ? ", " : "", (int)n, name);
    }
    return any ? text : NULL;
}

static tt_val sharded_named(const char *site, tt_val v, const char *axes, bool frozen)
{
    return tt_leaf_at(site, v, &(tt_leaf_opts){ .size = sizeof(tt_leaf_opts), .axes = axes, .frozen = frozen });
}

/* ---- the rule ---- */

/* True if min_size is a number of elements; else sets the error. */
static bool sharded_size(const char *site, const char *what, int64_t min_size)
{
    if (min_size >= 0) return true;
    tt_fail_at(site, TT_EARG, "%s: min_size is %lld; expected 0 or more elements", what, (long long)min_size);
    return false;
}

int tt_shard_dim_at(const char *site, tt_val v, const char *axis, int64_t min_size, const char **verdict)
{
    TT_ENTRY(site);
    const char *name, *said;
    int best = -1;
    if (!verdict) verdict = &said;
    *verdict = "already";
    if (!tt_ok() || !sharded_size(site, "shard_dim", min_size)) return -1;
    const char *axes = tt_leaf_axes_at(site, v);
    const int64_t devices = tt_axis_size_at(site, axis);
    const int rank = tt_rank_at(site, v);
    if (!tt_ok() || dim_over(site, v, axis) >= 0) return -1;
    *verdict = "too small";
    if (tt_count_at(site, v) <= min_size) return -1;
    for (int d = 0; d < rank; d++) {
        const bool fits = tt_dim_at(site, v, d) % devices == 0 && !sharded_name_of(axes, d, &name);
        if (fits && (best < 0 || tt_dim_at(site, v, d) >= tt_dim_at(site, v, best))) best = d;
    }
    *verdict = best < 0 ? "no axis" : "sharded";
    return best;
}

static void put_tuple(char to[AXES], tt_val v, bool names)       /* "(784, 512)" or "(None, 'data')" */
{
    const char *name, *axes = tt_leaf_axes_at(NULL, v);
    const int rank = tt_rank_at(NULL, v);
    size_t at = (size_t)snprintf(to, AXES, "(");
    for (int d = 0; d < rank && at < AXES; d++) {
        const size_t n = sharded_name_of(axes, d, &name);
        const char *comma = d ? ", " : "";
        if (!names) at += (size_t)snprintf(to + at, AXES - at, "%s%lld", comma, (long long)tt_dim_at(NULL, v, d));
        else if (n) at += (size_t)snprintf(to + at, AXES - at, "%s'%.*s'", comma, (int)n, name);
        else at += (size_t)snprintf(to + at, AXES - at, "%sNone", comma);
    }
    if (at < AXES) snprintf(to + at, AXES - at, rank == 1 ? ",)" : ")");
}

static void sharded_log(tt_val v, const char *axis, int64_t min_size, const char *verdict)
{
    char shape[AXES], names[AXES];
    const bool all = tt_config_value("params") != NULL;
    put_tuple(shape, v, false);
    put_tuple(names, v, true);
    if (!strcmp(verdict, "already"))
        tt_print("Parameter %s with names %s already sharded on axis %s.", shape, names, axis);
    else if (!strcmp(verdict, "no axis"))
        tt_print("Could not shard %s with names %s on axis %s, no suitable axis found.", shape, names, axis);
    else if (all && !strcmp(verdict, "too small"))
        tt_print("Parameter %s with names %s too small to shard, size %lld %s %lld.", shape, names,
                 (long long)tt_count_at(NULL, v), tt_count_at(NULL, v) < min_size ? "<" : "=", (long long)min_size);
    else if (all) tt_print("Parameter %s with names %s is sharded on axis %s.", shape, names, axis);
}

/* ---- trees, leaf by leaf ---- */

typedef struct { const char *site, *axis; int64_t min_size; } over;
typedef tt_val leaf_f(const over *, tt_val leaf);

typedef struct { const over *o; leaf_f *f; } doing;

static tt_val one_leaf(void *env, const char *path, tt_val leaf)
{
    const doing *d = env;
    (void)path;
    return d->f(d->o, leaf);
}

static tt_val leafwise(const over *o, const char *what, tt_val tree, leaf_f *f)
{
    if (!o->axis || !*o->axis)
        return tt_fail_at(o->site, TT_EARG, "%s: the axis is %s", what, o->axis ? "an empty text" : "NULL");
    /* takes the new axes of leaves, where rebuilding the tree would keep the old ones */
    return tt_tree_map_with_path_at(o->site, one_leaf, &(doing){ o, f }, tree);
}

static tt_val slice_of(const over *o, tt_val v)
{
    const char *verdict;
    char axes[AXES];
    tt_axis_size_at(o->site, o->axis);                   /* reports a wrong axis at this call */
    const int d = tt_shard_dim_at(o->site, v, o->axis, o->min_size, &verdict);
    if (!tt_ok()) return tt_poison;
    sharded_log(v, o->axis, o->min_size, verdict);
    if (d < 0) return v;
    const int64_t n = tt_dim_at(o->site, v, d) / tt_axis_size_at(o->site, o->axis);
    const tt_val from = tt_mul_at(o->site, tt_axis_index_at(o->site, o->axis), tt_i(n));
    return sharded_named(o->site, tt_dynamic_slice_at(o->site, v, d, from, n), renamed(v, d, o->axis, axes),
        tt_leaf_frozen_at(o->site, v));
}

tt_val tt_shard_params_at(const char *site, tt_val params, const char *axis, int64_t min_size)
{
    TT_ENTRY(site);
    if (tt_ok() && !sharded_size(site, "shard_params", min_size)) return tt_poison;
    return leafwise(&(over){ site, axis, min_size }, "shard_params", params, slice_of);
}

/* ---- gathering ---- */

typedef struct { const char *site; char axis[AXIS]; int dim; } gather;

static tt_gather_axes_opts options_of(const gather *g)
{
    return (tt_gather_axes_opts){ .size = sizeof(tt_gather_axes_opts), .dim = g->dim };
}

static tt_val sharded_gather(void *env, int n, const tt_val *x)
{
    const gather *g = env;
    const tt_gather_axes_opts o = options_of(g);
    (void)n;
    return tt_all_gather_at(g->site, x[0], g->axis, &o);
}

static tt_val forward(void *env, int n, const tt_val *x)         /* no residuals */
{
    const gather *g = env;
    return tt_tuple_at(g->site, (const tt_val[]){ sharded_gather(env, n, x), tt_none(), tt_end });
}

static tt_val backward(void *env, int n, const tt_val *x)        /* (no residuals, cotangent) */
{
    const gather *g = env;
    const tt_gather_axes_opts o = options_of(g);
    const tt_val sum = tt_psum_scatter_at(g->site, x[1], g->axis, &o);
    (void)n;
    return tt_div_at(g->site, sum, tt_f((double)tt_axis_size_at(g->site, g->axis)));
}

tt_val tt_gather_mean_at(const char *site, tt_val x, const char *axis, int dim)
{
    TT_ENTRY(site);
    gather g;
    memset(&g, 0, sizeof g);  /* zeroes padding: its bytes are part of the functions' identity */
    g.site = site, g.dim = dim;
    if (!axis || strlen(axis) >= sizeof g.axis)
        return axis ? tt_fail_at(site, TT_EARG, "gather_mean: the axis \"%.20s...\" is longer than %zu characters",
                                 axis, sizeof g.axis - 1) : tt_fail_at(site, TT_EARG, "gather_mean: the axis is NULL");
    memcpy(g.axis, axis, strlen(axis));
    const tt_fn f = tt_bind_env_at(NULL, "gather", sharded_gather, &g, sizeof g, 1);
    const tt_fn fwd = tt_bind_env_at(NULL, "gather_forward", forward, &g, sizeof g, 1);
    const tt_fn bwd = tt_bind_env_at(NULL, "gather_backward", backward, &g, sizeof g, 2);
    return tt_call_n(site, tt_custom_vjp_at(site, f, fwd, bwd), 1, &x);
}

static tt_val gathered_leaf(const over *o, tt_val v)
{
    char axes[AXES];
    const int d = dim_over(o->site, v, o->axis);
    if (d < 0) return v;
    const char *rest = renamed(v, d, "_", axes);
    return sharded_named(o->site, tt_gather_mean_at(o->site, v, o->axis, d), rest, tt_leaf_frozen_at(o->site, v));
}

tt_val tt_gather_params_at(const char *site, tt_val params, const char *axis)
{
    TT_ENTRY(site);
    if (axis && *axis) tt_axis_size_at(site, axis);      /* an unknown axis would gather nothing: report it */
    return tt_ok() ? leafwise(&(over){ site, axis, 0 }, "gather_params", params, gathered_leaf) : tt_poison;
}

/* ---- gradients ---- */

/* True if v may be averaged over each of the axes, "i, j". In a checked region the gradient by a parameter that all
 * devices have is the sum over the devices, and its mean would be that sum: an error. */
static bool sharded_averages(const char *site, tt_val v, const char *axes)
{
    char one[AXIS];
    for (const char *p = axes; tt_ok() && *p; p += strspn(p, ", ")) {
        const size_t n = strcspn(p, ", ");
        snprintf(one, sizeof one, "%.*s", (int)n, p);
        p += n;
        if (tt_varies_at(site, v, one) || !tt_ok()) continue;
        tt_fail_at(site, TT_ESPEC, "sync_grads: a gradient %s does not vary over \"%s\": it is combined already",
                   tt_type_text_at(site, v), one);
        tt_hint("by a parameter that all devices have it is their sum: divide it by tt_axis_size(\"%s\"), or give the "
                "tt_shard_map .unchecked = 1", one);
    }
    return tt_ok();
}

/* Averages a gradient over the axes that do not shard it. */
static tt_val synced(const over *o, tt_val v)
{
    char left[AXES] = "", one[AXIS];
    for (const char *p = o->axis + strspn(o->axis, ", "); *p; p += strspn(p, ", ")) {
        const size_t n = strcspn(p, ", ");
        snprintf(one, sizeof one, "%.*s", (int)n, p);
        if (dim_over(o->site, v, one) < 0)
            snprintf(left + strlen(left), AXES - strlen(left), "%s%s", *left ? ", " : "", one);
        p += n;
    }
    if (!*left) return v;
    if (!sharded_averages(o->site, v, left)) return tt_poison;
    const tt_reduce_axes_opts r = { .size = sizeof r };
    return sharded_named(o->site, tt_pmean_at(o->site, v, left, &r), tt_leaf_axes_at(o->site, v),
                         tt_leaf_frozen_at(o->site, v));
}

tt_val tt_sync_grads_at(const char *site, tt_val grads, const char *axes)
{
    TT_ENTRY(site);
    return leafwise(&(over){ site, axes, 0 }, "sync_grads", grads, synced);
}
