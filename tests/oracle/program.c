/* oracle/program.c - kind `program`: StableHLO texts printed by JAX, imported, transformed, laid out, run. */
#include "kinds.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 400 };
typedef struct {
    tt_fn f;
    int n, nact, act[MOST];                              /* inputs of the program; those that are differentiated */
} program;

static int numbers(const json_t *params, const char *key, int *out)
{
    const json_t *v = json_object_get(params, key);
    int n = 0;
    if (json_is_integer(v)) out[n++] = (int)json_integer_value(v);
    for (size_t i = 0; i < json_array_size(v) && n < MOST; i++)
        out[n++] = (int)json_integer_value(json_array_get(v, i));
    return n;
}

static tt_val one_by_one(const tt_val *x, int n)         /* a tuple, also of one */
{
    tt_val list[2 * MOST + 1];
    for (int i = 0; i < n; i++) list[i] = x[i];
    list[n] = tt_end;
    return tt_tuple_at(0, list);
}

/* A case's input, on the case's mesh where it has a spec. */
static tt_val input(oracle_case *c, int i)
{
    const char *mesh = oracle_text(c->json, "mesh", NULL);
    const json_t *spec = json_array_get(json_object_get(c->json, "in_specs"), (size_t)i);
    tt_val x = oracle_in(c, i);
    if (!mesh) return x;
    const char *s = json_is_string(spec) ? json_string_value(spec) : "";
    return tt_shard(x, tt_mesh(oracle_notation(mesh)), *s ? oracle_notation(s) : "");
}

/* ---- transforms as functions of all the case's inputs ---- */

typedef struct { program p; bool first; tt_val x[MOST]; } held;

/* The program as a function of what is differentiated; the other inputs are held in x. */
static tt_val active_body(void *env, int n, const tt_val *x)
{
    const held *h = env;
    tt_val all[MOST];
    for (int i = 0; i < h->p.n; i++) all[i] = h->x[i];
    for (int k = 0; k < n; k++) all[h->p.act[k]] = x[k];
    const tt_val y = tt_call_n(0, h->p.f, h->p.n, all);
    return h->first && tt_items(y) ? tt_item(y, 0) : y;
}

static tt_fn active(const held *env, const tt_val *x, bool first, tt_val *act)
{
    held h = *env;
    h.first = first;
    for (int i = 0; i < h.p.n; i++) h.x[i] = x[i];
    for (int k = 0; k < h.p.nact; k++) act[k] = x[h.p.act[k]];
    return tt_bind_env("active", active_body, &h, sizeof h, h.p.nact);
}

static tt_val jvp_body(void *env, int n, const tt_val *x)        /* the inputs, then the tangents */
{
    const held *h = env;
    tt_val act[MOST];
    const tt_fn f = active(h, x, false, act);
    (void)n;
    return tt_call(tt_jvp(f), one_by_one(act, h->p.nact), one_by_one(x + h->p.n, h->p.nact));
}

/* The goldens' cotangent of an output that is no float has elements; JAX's, and Tutti's, has none. */
static tt_val cotangent(tt_val ct)
{
    static const tt_dtype floats[] = { TT_F16, TT_BF16, TT_F32, TT_F64, TT_C64, TT_C128 };
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) if (tt_dtype_of(ct) == floats[i]) return ct;
    return tt_none();
}

static tt_val vjp_body(void *env, int n, const tt_val *x)        /* the inputs, then the cotangents */
{
    const held *h = env;
    tt_val act[MOST], each[MOST];
    const tt_fn f = active(h, x, false, act);
    for (int i = h->p.n; i < n && i - h->p.n < MOST; i++) each[i - h->p.n] = cotangent(x[i]);
    const tt_val ct = n - h->p.n == 1 ? each[0] : one_by_one(each, n - h->p.n);
    return tt_item(tt_call(tt_vjp(f), one_by_one(act, h->p.nact), ct), 1);
}

static tt_val grad_body(void *env, int n, const tt_val *x)
{
    const held *h = env;
    tt_val act[MOST];
    char wrt[6 * MOST] = "";
    (void)n;
    for (int k = 0; k < h->p.nact; k++) snprintf(wrt + strlen(wrt), sizeof wrt - strlen(wrt), "%s%d", k ? ", " : "", k);
    const tt_fn f = active(h, x, true, act);
    return tt_call_n(0, tt_grad(f, .wrt = wrt), h->p.nact, act);
}

static tt_val hessian_body(void *env, int n, const tt_val *x)
{
    tt_val act[MOST];
    (void)n;
    const tt_fn f = active(env, x, true, act);
    return tt_call(tt_hessian(f), act[0]);
}

static tt_fn transformed(oracle_case *c, held *h)
{
    const char *what = oracle_text(c->json, "transform", "none");
    const json_t *axes = json_object_get(c->params, "in_axes");
    static char in[6 * MOST];
    h->p.nact = numbers(c->params, !strcmp(what, "hessian") ? "argnum" : "argnums", h->p.act);
    if (!strcmp(what, "none")) return h->p.f;
    if (!strcmp(what, "vmap")) {
        in[0] = 0;
        for (size_t i = 0; i < json_array_size(axes); i++) {
            const json_t *a = json_array_get(axes, i);
            const size_t at = strlen(in);
            if (json_is_integer(a)) snprintf(in + at, sizeof in - at, "%d; ", (int)json_integer_value(a));
            else snprintf(in + at, sizeof in - at, "_; ");
        }
        if (strlen(in) > 2) in[strlen(in) - 2] = 0;
        return tt_vmap(h->p.f, .in = in);
    }
    if (!strcmp(what, "jvp")) return tt_bind_env("jvp", jvp_body, h, sizeof *h, h->p.n + h->p.nact);
    if (!strcmp(what, "vjp")) return tt_bind_env("vjp", vjp_body, h, sizeof *h, c->nin);
    return tt_bind_env(what, !strcmp(what, "grad") ? grad_body : hessian_body, h, sizeof *h, h->p.n);
}

/* ---- layouts of the outputs ---- */

typedef struct { tt_fn f; oracle_case *c; } laid;

static const char *out_spec(const oracle_case *c, int i)
{
    const char *const s = json_string_value(json_array_get(json_object_get(c->json, "out_specs"), (size_t)i));
    return s && *s ? oracle_notation(s) : s;
}

/* The outputs one after the other (an integer's tangent is an empty tree: no leaf), each laid out as the case says. */
static tt_val laid_body(void *env, int n, const tt_val *x)
{
    const laid *l = env;
    tt_val out[2 * MOST];
    const char *spec;
    n = tt_tree_leaves(tt_call_n(0, l->f, n, x), 2 * MOST, out);
    for (int i = 0; i < n && i < 2 * MOST; i++)
        if ((spec = out_spec(l->c, i)))
            out[i] = tt_shard(out[i], tt_mesh(oracle_notation(oracle_text(l->c->json, "mesh", ""))), spec);
    return one_by_one(out, n < 2 * MOST ? n : 2 * MOST);
}

static void program_run(oracle_case *c)
{
    char path[2400];
    tt_val x[2 * MOST], out[2 * MOST];
    held h;
    memset(&h, 0, sizeof h);
    snprintf(path, sizeof path, "%s/%s", oracle_suite_dir(c->suite), oracle_text(c->json, "file", "?"));
    h.p.f = tt_import(path);
    if (!tt_ok()) return;
    h.p.n = tt_items(tt_import_args(h.p.f));
    if (h.p.n > MOST || c->nin > 2 * MOST) { oracle_fail(c, "more than %d inputs", MOST); return; }
    tt_fn f = transformed(c, &h);
    for (int i = 0; i < c->nin; i++) x[i] = input(c, i);
    if (!c->nin && h.p.n) return;
    laid l = { f, c };
    f = tt_bind_env("laid", laid_body, &l, sizeof l, c->nin);
    const char *const mesh = oracle_text(c->json, "mesh", NULL), *spec;
    f = mesh ? tt_jit(f, .mesh = tt_mesh(oracle_notation(mesh))) : tt_jit(f);
    const tt_val y = tt_call_n(0, f, c->nin, x);
    if (!tt_ok()) return;
    const int n = tt_tree_leaves(y, 2 * MOST, out);
    for (int i = 0; i < c->nout && i < n; i++) {
        oracle_expect(c, i, out[i]);
        if ((spec = out_spec(c, i)) && !tt_has_layout(out[i], tt_mesh(oracle_notation(mesh)), spec))
            oracle_fail(c, "output %d is laid out as \"%s\", not \"%s\"", i, tt_spec(out[i]), spec);
    }
    if (n < c->nout) oracle_fail(c, "%d results instead of %d", n, c->nout);
}

void oracle_program(oracle_case *c) { program_run(c); }
