/* oracle/collectives.c - kinds `collective`, `collective_vjp`, `collective_scalar`, `collective_nested`: collectives
 * under shard_map (checked and not) and pmap (with groups), and what comes back through them. */
#include "kinds.h"

#include <stdio.h>
#include <string.h>

typedef struct { char text[512]; } line;
typedef struct { oracle_case *c; const char *fn; line axis, groups, perm; bool pmap; } job;

static line comma_axis(const char *axis)                 /* "a+b" -> "a, b" */
{
    line l = { "" };
    size_t n = 0;
    for (; *axis && n + 3 < sizeof l.text; axis++) {
        if (*axis == '+') l.text[n++] = ',', l.text[n++] = ' ';
        else l.text[n++] = *axis;
    }
    l.text[n] = 0;
    return l;
}

static line groups_of(const json_t *p)                   /* [[0, 1], [2, 3]] -> "0 1; 2 3" */
{
    const json_t *g = json_object_get(p, "groups");
    line l = { "" };
    for (size_t i = 0; i < json_array_size(g); i++)
        for (size_t k = 0; k < json_array_size(json_array_get(g, i)); k++) {
            const size_t n = strlen(l.text);
            const char *before = k ? " " : i ? "; " : "";
            const int place = (int)json_integer_value(json_array_get(json_array_get(g, i), k));
            snprintf(l.text + n, sizeof l.text - n, "%s%d", before, place);
        }
    return l;
}

static line pairs_of(const json_t *p, bool sources)      /* pairs "0>1, 1>2"; pshuffle lists sources */
{
    const json_t *perm = json_object_get(p, "perm");
    line l = { "" };
    for (size_t i = 0; i < json_array_size(perm); i++) {
        const json_t *e = json_array_get(perm, i);
        const int from = (int)json_integer_value(sources ? e : json_array_get(e, 0)),
                  to = sources ? (int)i : (int)json_integer_value(json_array_get(e, 1));
        const size_t n = strlen(l.text);
        snprintf(l.text + n, sizeof l.text - n, "%s%d>%d", i ? ", " : "", from, to);
    }
    return l;
}

static tt_val apply(const job *j, tt_val x)
{
    const json_t *p = j->c->params;
    const char *axis = j->axis.text, *groups = *j->groups.text ? j->groups.text : NULL;
    const tt_reduce_axes_opts r = { .size = sizeof r, .groups = groups };
    const tt_gather_axes_opts g = {
        .size = sizeof g, .dim = (int)oracle_int(p, "dim", 0), .stack = !oracle_flag(p, "tiled"), .groups = groups
    };
    const tt_all_to_all_opts a = { .size = sizeof a,
                                   .split = (int)oracle_int(p, "split", 0),
                                   .concat = (int)oracle_int(p, "concat", 0),
                                   .stack = !oracle_flag(p, "tiled"),
                                   .groups = groups };
    if (!strcmp(j->fn, "psum")) return tt_psum_at(0, x, axis, &r);
    if (!strcmp(j->fn, "pmean")) return tt_pmean_at(0, x, axis, &r);
    if (!strcmp(j->fn, "pmax")) return tt_pmax_at(0, x, axis, &r);
    if (!strcmp(j->fn, "pmin")) return tt_pmin_at(0, x, axis, &r);
    if (!strcmp(j->fn, "all_gather")) return tt_all_gather_at(0, x, axis, &g);
    if (!strcmp(j->fn, "psum_scatter")) return tt_psum_scatter_at(0, x, axis, &g);
    if (!strcmp(j->fn, "all_to_all")) return tt_all_to_all_at(0, x, axis, &a);
    if (!strcmp(j->fn, "ppermute") || !strcmp(j->fn, "pshuffle")) return tt_ppermute_at(0, x, axis, j->perm.text);
    if (!strcmp(j->fn, "pcast")) return tt_pvary(x, axis);
    return tt_fail_at(0, TT_EARG, "no collective %s", j->fn);
}

static tt_val body1(void *env, int n, const tt_val *x)
{
    const job *j = env;
    (void)n;
    return apply(j, x[0]);
}

static tt_val body_tree(void *env, int n, const tt_val *x)
{
    const job *j = env;
    (void)n;
    return apply(j, tt_tuple(x[0], x[1]));
}

/* axis_index, axis_size: a local scalar; in a shard_map with a dim of one */
static tt_val body_place(void *env, int n, const tt_val *x)
{
    const job *j = env;
    (void)n, (void)x;
    const tt_val v =
        !strcmp(j->fn, "axis_index") ? tt_axis_index(j->axis.text) : tt_cast(tt_i(tt_axis_size(j->axis.text)), TT_I32);
    return j->pmap ? v : tt_reshape(v, 1);
}

static tt_val body_vjp(void *env, int n, const tt_val *x)        /* (x, c): the body pulls c back itself */
{
    job *j = env;
    (void)n;
    const tt_fn f = tt_bind_env("body", body1, j, sizeof *j, 1);
    return tt_item(tt_item(tt_call(tt_vjp(f), tt_tuple(x[0]), x[1]), 1), 0);
}

static line specs(const json_t *list, const char *more)  /* one per argument, "x, _; y" */
{
    line l = { "" };
    for (size_t i = 0; i <= json_array_size(list); i++) {
        const char *s = i < json_array_size(list) ? json_string_value(json_array_get(list, i)) : more;
        if (!s) continue;
        const size_t n = strlen(l.text);
        const char *own = oracle_notation(s);
        snprintf(l.text + n, sizeof l.text - n, "%s;", *own ? own : "_");
    }
    return l;
}

/* The sharded function of a case; arity inputs. `more`: the spec of one more argument (a cotangent), `out`: instead of
 * the case's. */
static tt_fn mapped(job *j, tt_fn body, const char *more, const char *out)
{
    const json_t *p = j->c->params;
    if (j->pmap) {
        char mesh[64];
        snprintf(mesh, sizeof mesh, "i:%d", (int)oracle_int(p, "n", 1));
        return tt_pmap(body, .mesh = tt_mesh(mesh), .axis = "i");
    }
    static line in, result;                              /* options are copied by the call */
    in = specs(json_object_get(p, "in_specs"), more);
    result = specs(json_object_get(p, "out_specs"), NULL);
    return tt_shard_map(body, .mesh = tt_mesh(oracle_notation(oracle_text(p, "mesh", ""))), .in = in.text,
                        .out = out ? out : result.text, .unchecked = !oracle_flag(p, "check"));
}

static job job_of(oracle_case *c)
{
    const json_t *p = c->params;
    job j;
    memset(&j, 0, sizeof j);
    j.c = c, j.fn = c->fn, j.axis = comma_axis(oracle_text(p, "axis", "i"));
    j.pmap = !strcmp(oracle_text(p, "mode", "shard_map"), "pmap");
    j.groups = groups_of(p);
    j.perm = pairs_of(p, !strcmp(c->fn, "pshuffle"));
    return j;
}

void oracle_collective(oracle_case *c)
{
    job j = job_of(c);
    const bool place = !strncmp(c->fn, "axis_", 5);
    tt_env_f *const f0 = place ? body_place : c->nin == 2 ? body_tree : body1;
    const tt_fn body = tt_bind_env("body", f0, &j, sizeof j, place ? 0 : c->nin);
    const tt_fn f = mapped(&j, body, NULL, NULL);
    tt_val x[2] = { tt_none(), tt_none() };
    for (int i = 0; i < c->nin && i < 2; i++) x[i] = oracle_in(c, i);
    const tt_val y = tt_call_n(0, f, place ? 0 : c->nin, x);
    for (int i = 0; i < c->nout; i++) oracle_expect(c, i, c->nin == 2 ? tt_item(y, i) : y);
}

void oracle_collective_vjp(oracle_case *c)
{
    job j = job_of(c);
    const tt_val x = oracle_in(c, 0), ct = oracle_in(c, 1);
    const json_t *p = c->params;
    if (!strcmp(oracle_text(p, "where", ""), "outside")) {
        const tt_fn f = mapped(&j, tt_bind_env("body", body1, &j, sizeof j, 1), NULL, NULL);
        oracle_expect(c, 0, tt_item(tt_item(tt_call(tt_vjp(f), tt_tuple(x), ct), 1), 0));
        return;
    }
    const char *cut = json_string_value(json_array_get(json_object_get(p, "out_specs"), 0));
    const char *in = json_string_value(json_array_get(json_object_get(p, "in_specs"), 0));
    const tt_fn f =
        mapped(&j, tt_bind_env("body_vjp", body_vjp, &j, sizeof j, 2), cut, in ? oracle_notation(in) : NULL);
    oracle_expect(c, 0, tt_call(f, x, ct));
}

static tt_val body_scalar(void *env, int n, const tt_val *x)
{
    const job *j = env;
    const json_t *v = json_object_get(j->c->params, "value");
    (void)n, (void)x;
    if (json_is_boolean(v)) return apply(j, tt_b(json_is_true(v)));
    return apply(j, json_is_integer(v) ? tt_i(json_integer_value(v)) : tt_f(json_number_value(v)));
}

void oracle_collective_scalar(oracle_case *c)
{
    job j = job_of(c);
    const tt_fn f = tt_shard_map(tt_bind_env("body", body_scalar, &j, sizeof j, 0),
                                 .mesh = tt_mesh(oracle_notation(oracle_text(c->params, "mesh", ""))), .out = "_");
    oracle_expect(c, 0, tt_call_n(0, f, 0, NULL));
}

static tt_val inner(tt_val x) { return tt_tuple(tt_psum(x, "j"), tt_psum(x, "i"), tt_psum(x, "i, j")); }
static tt_val outer(tt_val x) { return tt_call(tt_vmap(inner, .axis = "j"), x); }

void oracle_collective_nested(oracle_case *c)
{
    char mesh[32];
    snprintf(mesh, sizeof mesh, "i:%d", (int)oracle_int(c->params, "n", 1));
    const tt_val y = tt_call(tt_pmap(outer, .mesh = tt_mesh(mesh), .axis = "i"), oracle_in(c, 0));
    for (int i = 0; i < 3; i++) oracle_expect(c, i, tt_item(y, i));
}
