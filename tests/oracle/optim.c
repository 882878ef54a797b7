/* oracle/optim.c - kinds `optim`, `schedule`: steps of an optimizer over given gradients; parameters at recorded
 * steps, the last state, and values of schedules. The case's description becomes the text of a chain. */
#include "kinds.h"

#include <stdio.h>
#include <string.h>

enum { LEAVES = 16, RECORDS = 64 };
typedef struct {
    oracle_case *c;
    const json_t *p;
    int n;
    const char *name[LEAVES];
    tt_val grads[LEAVES], values;
    bool valued;
} job;

static void write_optimizer(const json_t *t, char to[ORACLE_FORM])
{
    const json_t *parts = json_object_get(t, "parts"), *inner = json_object_get(t, "inner");
    if (inner) {
        const size_t n = strlen(to);
        snprintf(to + n, ORACLE_FORM - n, "multi_steps(every=%d); ", (int)oracle_int(t, "every", 1));
        write_optimizer(inner, to);
    } else if (!parts) oracle_form(t, oracle_text(t, "fn", ""), "", to);
    for (size_t i = 0; i < json_array_size(parts); i++) {
        if (i) strcat(to, "; ");
        write_optimizer(json_array_get(parts, i), to);
    }
}

/* ---- the steps ---- */

static tt_val step(void *env, int n, const tt_val *a)            /* params, state, gradients */
{
    tt_val params = a[0], opt = a[1];
    (void)env, (void)n;
    tt_opt_step(&params, &opt, a[2]);
    return tt_tuple(params, opt);
}

static tt_val step_valued(void *env, int n, const tt_val *a)     /* params, state, gradients, loss */
{
    tt_val params = a[0], opt = a[1];
    (void)env, (void)n;
    tt_opt_step_value(&params, &opt, a[2], a[3]);
    return tt_tuple(params, opt);
}

/* Rosenbrock's function of the elements of w, and a bowl for b around a. */
static tt_val bowl(tt_val p, tt_val a)
{
    const tt_val w = tt_flatten(tt_get(p, "w"), 0), x = tt_slice(w, 0, 0, 3, 1), y = tt_slice(w, 0, 1, 4, 1);
    const tt_val b = tt_sub(tt_get(p, "b"), a), valley = TT_E("10*(y - x^2)^2 + (1 - x)^2", y, x);
    return tt_add(tt_sum(valley), tt_sum(TT_E("b^4 + b^2", b)));
}

static tt_val step_searched(void *env, int n, const tt_val *v)   /* params, state, a */
{
    tt_val params = v[0], opt = v[1];
    (void)env, (void)n;
    const tt_val loss = tt_opt_step_with(&params, &opt, bowl, v[2]);
    return tt_tuple(params, opt, loss);
}

/* Steps with a line search, compiled and not in turn. */
static void searched(oracle_case *c, int steps)
{
    static const char *const names[] = { "b", "w" };
    const tt_val start[] = { oracle_in(c, 0), oracle_in(c, 1) };
    tt_val params = tt_dict_n(0, 2, names, start), opt = tt_optimizer(params, oracle_text(c->params, "text", ""));
    tt_val kept[3][RECORDS + 1];
    const tt_fn plain = tt_bind_env("searched", step_searched, NULL, 0, 3), compiled = tt_jit(plain);
    for (int i = 0; i < steps && tt_ok(); i++) {
        tt_unpack(tt_call(i % 2 ? plain : compiled, params, opt, oracle_in(c, 2)), &params, &opt, &kept[2][i]);
        kept[0][i] = tt_get(params, "b"), kept[1][i] = tt_get(params, "w");
    }
    for (int k = 0; k < 3 && tt_ok(); k++) {
        kept[k][steps] = tt_end;
        oracle_expect(c, k, tt_stack_values_at(0, 0, kept[k]));
    }
}

/* How many parts before this one, of other places in the chain, have the field at `field`: "state/1/trace/w". */
static int same_before(const job *j, int out, const char *path, const char *field, int n)
{
    const json_t *names = json_object_get(j->c->json, "names");
    const char *last = "";
    int count = 0;
    size_t len = 0;
    for (int i = 0; i < out; i++) {
        const char *other = json_string_value(json_array_get(names, (size_t)i)), *at = strrchr(other, '/');
        while (at > other && at[-1] != '/') at--;
        if (strncmp(at, field, (size_t)n + 1) || !strncmp(other, path, (size_t)(field - path))) continue;
        if ((size_t)(at - other) == len && !strncmp(other, last, len)) continue;
        last = other, len = (size_t)(at - other), count++;
    }
    return count;
}

/* "state/0/mu/w" or "state/adam/w_momentum": by field and leaf. */
static bool state_of(const job *j, int i, const char *path, tt_val opt, tt_val *out)
{
    static const struct { const char *theirs, *ours; } fields[] = {
        { "_accumulated_grad", "e_g" }, { "_accumulated_delta_var", "e_x" }, { "_norm", "nu" }, { "_linear", "linear" },
        { "_velocity_hat", "nu_max" }, { "_velocity", "nu" }, { "_average_gradient", "mu" },
        { "_accumulator", "sum_of_squares" }, { "_momentum", "trace" }, { "_momentum", "mu" },
        { "/iteration", "count" }, { "/learning_rate", "rate" }, { "/variable", "u_product" },
    };
    char at[160] = "", leaf[64] = "";
    const char *last = strrchr(path, '/') + 1, *field = last;
    if (*j->c->fn != 'k') {
        for (field = last - 1; field > path && field[-1] != '/'; field--) {}     /* the word before the last */
        const int n = (int)strcspn(field, "/"), before = same_before(j, i, path, field, n);
        if (before) snprintf(at, sizeof at, "%.*s_%d.%s", n, field, before, last);
        else snprintf(at, sizeof at, "%.*s.%s", n, field, last);
        if (!tt_has(opt, at)) snprintf(at, sizeof at, "%s", last);
    } else for (size_t k = 0; k < sizeof fields / sizeof *fields && !(*at && tt_has(opt, at)); k++) {
        if (!strstr(path, fields[k].theirs)) continue;
        snprintf(leaf, sizeof leaf, ".%.*s", (int)strcspn(last, "_"), last);
        snprintf(at, sizeof at, "%s%s", fields[k].ours, *fields[k].theirs == '_' ? leaf : "");
    }
    if (!tt_has(opt, at)) return false;
    *out = tt_get(opt, at);
    return true;
}

static void run(job *j, tt_val params, tt_val opt)
{
    const json_t *record = json_object_get(j->p, "record"), *names = json_object_get(j->c->json, "names");
    const int nrecord = (int)json_array_size(record);
    tt_val kept[LEAVES][RECORDS + 1];
    const tt_fn one = tt_jit(j->valued ? tt_bind_env("step", step_valued, NULL, 0, 4)
                                       : tt_bind_env("step", step, NULL, 0, 3));
    const int64_t steps = tt_dim(j->grads[0], 0);
    for (int64_t t = 0; t < steps && tt_ok(); t++) {
        tt_val g[LEAVES];
        for (int i = 0; i < j->n; i++) g[i] = tt_take(j->grads[i], tt_i(t), 0);
        const tt_val all = tt_dict_n(0, j->n, j->name, g);
        tt_unpack(j->valued ? tt_call(one, params, opt, all, tt_take(j->values, tt_i(t), 0))
                            : tt_call(one, params, opt, all),
                  &params, &opt);
        for (int r = 0; r < nrecord; r++)
            if (json_integer_value(json_array_get(record, (size_t)r)) == t + 1)
                for (int i = 0; i < j->n; i++) kept[i][r] = tt_get(params, j->name[i]);
    }
    for (int i = 0; i < j->n; i++) kept[i][nrecord] = tt_end;
    for (int out = 0; out < j->c->nout && tt_ok(); out++) {
        const char *path = json_string_value(json_array_get(names, (size_t)out));
        tt_val got;
        for (int i = 0; i < j->n; i++)
            if (!strncmp(path, "params/", 7) && !strcmp(path + 7, j->name[i]))
                oracle_expect(j->c, out, tt_stack_values_at(0, 0, kept[i]));
        if (!strncmp(path, "params/", 7)) continue;
        if (state_of(j, out, path, opt, &got)) oracle_expect(j->c, out, got);
        else oracle_fail(j->c, "the state has no %s", path);
    }
}

static tt_val together(oracle_case *c, int from, int n)
{
    tt_val v[LEAVES + 1];
    for (int i = 0; i < n && i < LEAVES; i++) v[i] = oracle_in(c, from + i);
    v[n] = tt_end;
    return tt_tuple_at(0, v);
}

void oracle_optim(oracle_case *c)
{
    const json_t *leaves = json_object_get(c->params, "leaves");
    job j = { .c = c, .p = c->params, .n = (int)json_array_size(leaves) };
    tt_val start[LEAVES];
    char text[ORACLE_FORM] = "";
    if (!strcmp(c->fn, "global_norm")) {
        oracle_expect(c, 0, tt_global_norm(together(c, 0, c->nin)));
        return;
    }
    if (!strcmp(c->fn, "apply_updates")) {
        const int n = c->nin / 2;
        const tt_val y = tt_apply_updates(together(c, 0, n), together(c, n, n));
        for (int i = 0; i < c->nout; i++) oracle_expect(c, i, tt_item(y, i));
        return;
    }
    if (j.n == 0 || j.n > LEAVES || json_array_size(json_object_get(c->params, "record")) > RECORDS) {
        oracle_unknown(c, c->fn);
        return;
    }
    if (!strcmp(c->fn, "searched")) {
        searched(c, (int)json_array_size(json_object_get(c->params, "record")));
        return;
    }
    j.valued = c->nin == 2 * j.n + 1;
    if (j.valued) j.values = oracle_in(c, 2 * j.n);
    for (int i = 0; i < j.n; i++) {
        j.name[i] = json_string_value(json_array_get(leaves, (size_t)i));
        start[i] = oracle_in(c, i);
        j.grads[i] = oracle_in(c, j.n + i);
    }
    if (oracle_has(c->params, "optimizer")) {
        char name[64];
        snprintf(name, sizeof name, "keras.%s", oracle_text(c->params, "optimizer", ""));
        oracle_form(json_object_get(c->params, "args"), name, "", text);
    } else if (oracle_has(c->params, "text")) snprintf(text, sizeof text, "%s", oracle_text(c->params, "text", ""));
    else write_optimizer(json_object_get(c->params, "transform"), text);
    const tt_val params = tt_dict_n(0, j.n, j.name, start);
    run(&j, params, tt_optimizer(params, text));
}

void oracle_schedule(oracle_case *c)
{
    char text[ORACLE_FORM] = "";
    oracle_form(c->params, c->fn, "", text);
    oracle_expect(c, 0, tt_schedule(text, oracle_in(c, 0)));
}
