/* oracle/layout.c - the suite `layout`: parts of devices, equal layouts, the rule for parameters, constraints, and
 * what is refused. Layouts are compared by what each device holds. Parts of unequal size are Tutti's own: TUTTI=even
 * is on. */
#include "layout.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIMS = 14 };

/* ---- parts ---- */

void oracle_indices_map(oracle_case *c)
{
    const tt_mesh m = oracle_mesh(c, "mesh");
    int64_t dim[DIMS], lo[DIMS], n[DIMS];
    const int rank = oracle_dims(c->params, "shape", dim);
    const int64_t devices = tt_mesh_size(m, NULL);
    const char *spec = oracle_spec(c->params, "spec");
    if (!tt_shard_shape(m, spec, dim, NULL)) return;
    const tt_val v = tt_shard(tt_shape_at(0, TT_F32, dim), m, spec);
    int64_t *out = calloc((size_t)(devices * rank * 2) + 1, sizeof *out);
    for (int64_t place = 0; out && place < devices; place++) {
        const int64_t id = tt_device_id(m, place);
        if (id >= devices || !tt_addressable_data(v, place, lo, n, NULL, 0)) break;
        for (int d = 0; d < rank; d++) {
            out[(id * rank + d) * 2] = lo[d];
            out[(id * rank + d) * 2 + 1] = lo[d] + n[d];
        }
    }
    if (out && tt_ok()) oracle_expect(c, 0, tt_array(TT_I64, out, devices, rank, 2));
    free(out);
}

void oracle_equivalent(oracle_case *c)
{
    const tt_mesh a = oracle_mesh(c, "mesh"), b = oracle_has(c->params, "mesh_b") ? oracle_mesh(c, "mesh_b") : a;
    const bool same = tt_same_layout(a, oracle_spec(c->params, "a"), b, oracle_spec(c->params, "b"),
                                     (int)oracle_int(c->params, "ndim", 0));
    if (tt_ok()) oracle_expect(c, 0, tt_array_at(0, TT_BOOL, &same, (const int64_t[]){ TT_DIM_END }));
}

bool oracle_same_parts(tt_val v, tt_mesh m, const char *spec)
{
    int64_t dim[DIMS], lo[2][DIMS], n[2][DIMS];
    int rank = 0;
    for (; rank < tt_rank(v); rank++) dim[rank] = tt_dim(v, rank);
    dim[rank] = TT_DIM_END;
    const tt_val want = tt_shard(tt_shape_at(0, TT_F32, dim), m, spec);
    for (int64_t k = 0; tt_ok() && k < tt_mesh_size(m, NULL); k++) {
        const bool on = tt_mesh_of(v).p != NULL;         /* one device's value: the whole, everywhere */
        if (!tt_addressable_data(v, on ? k : 0, lo[0], n[0], NULL, 0) ||
            !tt_addressable_data(want, k, lo[1], n[1], NULL, 0)) return false;
        for (int d = 0; d < rank; d++)
            if (n[0][d] != n[1][d] || (n[0][d] && lo[0][d] != lo[1][d])) return false;
    }
    return tt_ok();
}

/* ---- the rule for parameters ---- */

void oracle_spec_kind(oracle_case *c)
{
    char mesh[80], got[256];
    size_t n = 0;
    int64_t dim[DIMS];
    if (oracle_logical_spec(c)) return;
    if (strcmp(c->fn, "shard_params")) {
        char name[80];
        snprintf(name, sizeof name, "spec, %s", c->fn);
        oracle_unknown(c, name);
        return;
    }
    const char *axis = oracle_text(c->params, "axis", "data");
    oracle_dims(c->params, "shape", dim);
    snprintf(mesh, sizeof mesh, "%s:%lld", axis, (long long)oracle_int(c->params, "n", 1));
    const char *spec = tt_fsdp_spec(tt_mesh(mesh), axis, oracle_int(c->params, "min_size", 0), dim);
    for (; spec && *spec && n + 1 < sizeof got; spec++)
        if (*spec != ' ') got[n++] = (char)(*spec == '_' ? '-' : *spec);
    got[n] = 0;
    if (tt_ok()) oracle_expect_text(c, got);
}

/* ---- constraints ---- */

typedef struct { tt_mesh mesh; char spec[128]; int dim; } constraint;

static constraint ask(const oracle_case *c, const char *key)
{
    constraint a;
    memset(&a, 0, sizeof a);                             /* its bytes are part of the function's identity */
    a.mesh = oracle_mesh(c, "mesh");
    snprintf(a.spec, sizeof a.spec, "%s", oracle_spec(c->params, key));
    a.dim = (int)oracle_int(c->params, "dim", 0);
    return a;
}

static tt_val between(void *env, int n, const tt_val *x) /* v 2, constrained, plus 1 */
{
    const constraint *a = env;
    (void)n;
    return tt_add(tt_shard(tt_mul(x[0], tt_f(2)), a->mesh, a->spec), tt_f(1));
}

static tt_val joined(void *env, int n, const tt_val *x)
{
    const constraint *a = env;
    (void)n;
    return tt_shard(tt_concat(a->dim, x[0], x[1]), a->mesh, a->spec);
}

static tt_val doubled(tt_val x) { return tt_mul(x, tt_f(2)); }

static tt_val counted(const oracle_case *c)              /* 0, 1, 2 ... of the case's shape */
{
    int64_t dim[DIMS], count = 1;
    const int rank = oracle_dims(c->params, "shape", dim);
    for (int d = 0; d < rank; d++) count *= dim[d];
    return tt_reshape_at(0, tt_arange(TT_F32, count), dim);
}

void oracle_constraint(oracle_case *c)
{
    const constraint to = ask(c, "constraint");
    const tt_val x = counted(c);
    const tt_fn f = tt_jit(tt_bind_env("between", between, (void *)&to, sizeof to, 1));
    const tt_val y = tt_call(f, tt_shard(x, to.mesh, oracle_spec(c->params, "spec")));
    if (!tt_ok()) return;
    oracle_expect_array(c, "value", y, tt_add(tt_mul(x, tt_f(2)), tt_f(1)));
    if (!oracle_same_parts(y, to.mesh, oracle_spec(c->json, "text")))
        oracle_fail(c, "is laid out as %s, expected %s", tt_spec(y), oracle_text(c->json, "text", ""));
}

void oracle_concat_ones(oracle_case *c)
{
    const constraint to = ask(c, "constraint");
    const tt_fn f = tt_jit(tt_bind_env("joined", joined, (void *)&to, sizeof to, 2));
    const tt_val y = tt_call(f, oracle_in(c, 0), oracle_in(c, 1));
    if (tt_ok()) oracle_expect(c, 0, y);
}

/* ---- verdicts ---- */

static void judged(oracle_case *c, tt_val y, tt_mesh m)  /* "accepted: data,-" */
{
    const char *text = oracle_text(c->json, "text", "accepted");
    if (tt_ok() && !strncmp(text, "accepted: ", 10) && !oracle_same_parts(y, m, oracle_notation(text + 10)))
        oracle_fail(c, "is laid out as %s, expected %s", tt_spec(y), text + 10);
}

static tt_val constrained(void *env, int n, const tt_val *x)
{
    const constraint *a = env;
    (void)n;
    return tt_mul(tt_shard(x[0], a->mesh, a->spec), tt_f(2));
}

static void uneven(oracle_case *c)
{
    const constraint to = ask(c, "spec");
    const tt_val x = counted(c);
    if (!c->user) tt_config("even");
    if (!strcmp(c->fn, "device_put")) judged(c, tt_shard(x, to.mesh, to.spec), to.mesh);
    else if (!strcmp(c->fn, "jit_in_shardings"))
        judged(c, tt_call(tt_jit(doubled, .mesh = to.mesh, .in = to.spec), x), to.mesh);
    else if (!strcmp(c->fn, "jit_out_shardings"))
        judged(c, tt_call(tt_jit(doubled, .mesh = to.mesh, .out = to.spec), x), to.mesh);
    else
        judged(c, tt_call(tt_jit(tt_bind_env("constrained", constrained, (void *)&to, sizeof to, 1)), x), to.mesh);
    if (!c->user) base_switch_off("even");
}

static void shard_shape(oracle_case *c)
{
    int64_t dim[DIMS], part[DIMS];
    char got[256];
    const int rank = oracle_dims(c->params, "shape", dim);
    if (!tt_shard_shape(oracle_mesh(c, "mesh"), oracle_spec(c->params, "spec"), dim, part)) return;
    size_t n = (size_t)snprintf(got, sizeof got, "accepted: (");
    for (int d = 0; d < rank; d++)
        n += (size_t)snprintf(got + n, sizeof got - n, "%s%lld", d ? ", " : "", (long long)part[d]);
    snprintf(got + n, sizeof got - n, rank == 1 ? ",)" : ")");
    oracle_expect_text(c, got);
}

/* What is asked of a constraint in each misuse: on the mesh's first two axes a and b. rows: of v[:7], or v summed
 * over dim 1. */
static const struct { const char *fn, *spec; bool eager, no_mesh, seven, summed; } misuses[] = {
    { "constraint_no_mesh", "a, _", false, true, false, false },
    { "constraint_rank_too_small", "a, _, b", false, false, false, false },
    { "constraint_eager", "a, b", true, false, false, false },
    { "constraint_indivisible", "a", false, false, true, false },
    { "constraint_unknown_axis", "nowhere", false, false, false, false },
    { "constraint_axis_twice", "a, a", false, false, false, false },
    { "constraint_axis_twice_in_tuple", "a+a", false, false, false, false },
    { "constraint_spec_none", NULL, false, false, false, false },
    { "constraint_trailing_none", "a, _", false, false, false, true },
};
typedef struct { tt_mesh mesh; char spec[128]; int how; } misuse;

static tt_val misused(void *env, int n, const tt_val *x)
{
    const misuse *u = env;
    tt_val v = x[0];
    (void)n;
    if (misuses[u->how].seven) v = tt_dynamic_slice(v, 0, tt_i(0), 7);
    if (misuses[u->how].summed) v = tt_sum(v, .dims = "1");
    return misuses[u->how].spec ? tt_shard(v, u->mesh, u->spec) : v;
}

static bool misuse_of(oracle_case *c)
{
    misuse u;
    memset(&u, 0, sizeof u);
    const int n = (int)(sizeof misuses / sizeof *misuses);
    while (u.how < n && strcmp(misuses[u.how].fn, c->fn)) u.how++;
    if (u.how == n) return false;
    const char *mesh = oracle_spec(c->params, "mesh"), *second = strchr(mesh, ',');
    for (const char *p = misuses[u.how].spec; p && *p; p++) {
        const char *axis = !strcmp(misuses[u.how].spec, "nowhere") || (*p != 'a' && *p != 'b') ? NULL
                           : *p == 'a'                                                 ? mesh
                                                                                       : second + 1;
        if (axis) sprintf(u.spec + strlen(u.spec), "%.*s", (int)strcspn(axis, ":"), axis);
        else sprintf(u.spec + strlen(u.spec), "%c", *p);
    }
    if (!misuses[u.how].no_mesh) u.mesh = oracle_mesh(c, "mesh");
    const tt_val x = counted(c);
    if (misuses[u.how].eager) misused(&u, 1, &x);
    else tt_call(tt_jit(tt_bind_env("misused", misused, &u, sizeof u, 1)), x);
    return true;
}

bool oracle_layout_verdict(oracle_case *c)
{
    if (!strcmp(c->fn, "shard_shape")) shard_shape(c);
    else if (!strcmp(c->fn, "device_put") || !strncmp(c->fn, "jit_", 4) || !strcmp(c->fn, "constraint_in_jit"))
        uneven(c);
    else return misuse_of(c);
    return true;
}
