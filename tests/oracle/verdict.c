/* oracle/verdict.c - kind `verdict`: small regions that are accepted, with their value, or refused. The body is given
 * in words; a collective without an axis is over the first of the mesh. */
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { char words[160], first[32]; } body;     /* lives while its function does */

static tt_val identity(tt_val x) { return x; }
static tt_val negated(tt_val x) { return tt_neg(x); }

static const char *after(const char *text, const char *start)    /* what follows start; NULL: text begins otherwise */
{
    const size_t n = strlen(start);
    return strncmp(text, start, n) ? NULL : text + n;
}

/* "0>1 1>2" as tt_ppermute reads it, and "x,y" as axes. */
static tt_val reduced(const char *words, tt_val x)
{
    static const struct {
        const char *start;
        tt_val (*f)(const char *, tt_val, const char *, const tt_reduce_axes_opts *);
    } t[] = {
        { "psum over ", tt_psum_at }, { "pmean over ", tt_pmean_at },
        { "pmax over ", tt_pmax_at }, { "pmin over ", tt_pmin_at },
    };
    const tt_reduce_axes_opts o = { .size = sizeof o };
    for (int i = 0; i < 4; i++) if (after(words, t[i].start)) return t[i].f(0, x, after(words, t[i].start), &o);
    return tt_end;
}

static tt_val summed(const char *dim, tt_val x)          /* "1" or "1, keep" */
{
    char over[8];
    snprintf(over, sizeof over, "%d", atoi(dim));
    return tt_sum(x, .dims = over, .keepdims = strstr(dim, "keep") != NULL);
}

static tt_val permuted(const char *pairs, tt_val x, const char *axis)
{
    char list[160];
    snprintf(list, sizeof list, "%s", pairs);
    for (char *p = list; *p; p++) if (*p == ' ') *p = ',';
    return tt_ppermute(x, axis, list);
}

/* The body's value; tt_end: the words are not known. */
static tt_val said(const body *b, int n, const tt_val *x)
{
    const char *w = b->words, *axis = b->first, *rest;
    const tt_val known = reduced(w, x[0]);
    int i, k;
    if (known.slot != UINT32_MAX || known.born != UINT32_MAX) return known;
    if (!strcmp(w, "identity") || !strcmp(w, "first argument")) return x[0];
    if (!strcmp(w, "a + b") && n == 2) return tt_add(x[0], x[1]);
    if ((rest = after(w, "sum over dim "))) return summed(rest, x[0]);
    if ((rest = after(w, "all_gather tiled over "))) return tt_all_gather(x[0], rest);
    if ((rest = after(w, "all_gather untiled over "))) return tt_all_gather(x[0], rest, .stack = 1);
    if ((rest = after(w, "all_gather dim "))) return tt_all_gather(x[0], axis, .dim = atoi(rest));
    if (!strcmp(w, "psum_scatter tiled")) return tt_psum_scatter(x[0], axis);
    if (!strcmp(w, "psum_scatter untiled")) return tt_psum_scatter(x[0], axis, .stack = 1);
    if (sscanf(w, "all_to_all %d %d", &i, &k) == 2)
        return tt_all_to_all(x[0], axis, .split = i, .concat = k, .stack = 1);
    if ((rest = after(w, "ppermute "))) return permuted(rest, x[0], axis);
    if ((rest = after(w, "x + axis_index over "))) return tt_add(x[0], tt_cast(tt_axis_index(rest), tt_dtype_of(x[0])));
    if (sscanf(w, "cond(axis_index > %d, x, -x)", &i) == 1)
        return tt_cond(tt_gt(tt_axis_index(axis), tt_i(i)), identity, negated, x[0]);
    return tt_end;
}

static tt_val run(void *env, int n, const tt_val *x) { return said(env, n, x); }

static bool understood(const char *words)
{
    static const char *const t[] = {
        "psum over ", "pmean over ", "pmax over ", "pmin over ", "identity", "first argument", "a + b", "sum over dim ",
        "all_gather tiled over ", "all_gather untiled over ", "all_gather dim ", "psum_scatter tiled",
        "psum_scatter untiled", "all_to_all ", "ppermute ", "x + axis_index over ", "cond(axis_index > ",
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) if (after(words, t[i])) return true;
    return false;
}

static const char *specs(const json_t *list, char *to, size_t size)
{
    *to = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *s = oracle_notation(json_string_value(json_array_get(list, i)));
        snprintf(to + strlen(to), size - strlen(to), "%s;", *s ? s : "_");
    }
    return to;
}

void oracle_verdict(oracle_case *c)
{
    if (oracle_layout_verdict(c)) return;
    const json_t *p = c->params;
    const char *mesh = oracle_notation(oracle_text(p, "mesh", "")),
               *outside = strstr(oracle_text(p, "body", ""), " outside any region");
    char in[256], out[256];
    body b;
    memset(&b, 0, sizeof b);                             /* its bytes are part of the function's identity */
    snprintf(b.words, sizeof b.words, "%.*s", (int)(outside ? outside - oracle_text(p, "body", "") : 150),
             oracle_text(p, "body", ""));
    snprintf(b.first, sizeof b.first, "%.*s", (int)strcspn(mesh, ":"), mesh);
    tt_val x[2] = { tt_f(1), tt_f(1) };
    for (int k = 0; k < c->nin && k < 2; k++) x[k] = oracle_in(c, k);
    if (!understood(b.words)) {
        oracle_unknown(c, *b.words ? b.words : c->fn);
        return;
    }
    if (outside) {
        said(&b, c->nin, x);
        return;
    }
    const tt_shard_map_opts o = { .size = sizeof o,
                                  .mesh = tt_mesh(mesh),
                                  .in = specs(json_object_get(p, "in_specs"), in, sizeof in),
                                  .out = specs(json_object_get(p, "out_specs"), out, sizeof out),
                                  .unchecked = !oracle_flag(p, "check") };
    const tt_val y = tt_call_n(0, tt_shard_map_at(0, tt_bind_env("body", run, &b, sizeof b, c->nin), &o), c->nin, x);
    if (c->nout && tt_ok()) oracle_expect(c, 0, y);
}
