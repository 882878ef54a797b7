/* oracle/optim.c - kind `optim`: steps of an optimizer over given gradients; parameters at recorded steps, and the last state. */
#include "kinds.h"

#include <stdio.h>
#include <string.h>

enum { LEAVES = 16, RECORDS = 64 };
typedef struct {
    oracle_case *c;
    const json_t *p;
    int n;
    const char *name[LEAVES];
    tt_val grads[LEAVES];
    double max_norm;
} job;

static bool among(const char *word, const char *words)
{
    const size_t n = strlen(word);
    for (const char *p = words; (p = strstr(p, word)); p += n)
        if ((p == words || p[-1] == ' ') && (p[n] == ' ' || !p[n])) return true;
    return false;
}

/* Arguments that this optimizer has here; any other makes the case one to skip. null is an argument's default. */
static bool only(const json_t *args, const char *known)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)args, key, value)
        if (!among(key, known) || json_is_object(value) || json_is_array(value)) return false;
    return true;
}

static double number(const json_t *args, const char *key, double usual)
{
    const double x = oracle_real(args, key, usual);
    return x == 0 && usual != 0 ? TT_ZERO : x;
}

/* What makes the state; max_norm: gradients are clipped to that norm first, 0: not. */
static bool begin(oracle_case *c, tt_val params, tt_val *opt, double *max_norm)
{
    const json_t *t = json_object_get(c->params, "transform"), *k = json_object_get(c->params, "args"),
                 *parts = json_object_get(t, "parts");
    const char *fn = c->fn;
    if (json_array_size(parts) == 2 && only(json_array_get(parts, 0), "fn max_norm") &&
        !strcmp(oracle_text(json_array_get(parts, 0), "fn", ""), "clip_by_global_norm")) {
        *max_norm = oracle_real(json_array_get(parts, 0), "max_norm", 0);
        t = json_array_get(parts, 1);
        fn = oracle_text(t, "fn", "");
    }
    if (!strcmp(fn, "sgd") && only(t, "fn learning_rate momentum nesterov")) {
        *opt = tt_sgd(params, .rate = number(t, "learning_rate", 0.01), .momentum = oracle_real(t, "momentum", 0),
                      .nesterov = oracle_flag(t, "nesterov"));
        return true;
    }
    const bool w = !strcmp(fn, "adamw");
    if ((w || !strcmp(fn, "adam")) && only(t, "fn learning_rate b1 b2 eps eps_root weight_decay nesterov")) {
        const tt_adam_opts o = { .size = sizeof o,
                                 .rate = number(t, "learning_rate", 1e-3),
                                 .b1 = number(t, "b1", 0.9),
                                 .b2 = number(t, "b2", 0.999),
                                 .eps = number(t, "eps", 1e-8),
                                 .eps_root = oracle_real(t, "eps_root", 0),
                                 .decay = w ? number(t, "weight_decay", 1e-4) : 0,
                                 .nesterov = oracle_flag(t, "nesterov") };
        *opt = (w ? tt_adamw_at : tt_adam_at)(0, params, &o);
        return true;
    }
    if (!strcmp(c->fn, "keras_Adam") && only(k, "learning_rate beta_1 beta_2 epsilon")) {
        *opt = tt_adam(params, .rate = number(k, "learning_rate", 1e-3), .b1 = number(k, "beta_1", 0.9),
                       .b2 = number(k, "beta_2", 0.999), .eps = number(k, "epsilon", 1e-7), .keras = 1);
        return true;
    }
    if (!strcmp(c->fn, "keras_SGD") && only(k, "learning_rate")) {
        *opt = tt_sgd(params, .rate = number(k, "learning_rate", 0.01));
        return true;
    }
    return false;
}

static tt_val step(void *env, int n, const tt_val *a)            /* params, state, gradients */
{
    const double max_norm = *(double *)env;
    tt_val params = a[0], opt = a[1];
    (void)n;
    tt_opt_step(&params, &opt, max_norm > 0 ? tt_clip_by_norm(a[2], max_norm) : a[2]);
    return tt_tuple(params, opt);
}

/* "state/0/mu/w" or "state/adam/w_momentum": by field and leaf. */
static bool state_of(const char *path, tt_val opt, const char *leaf, tt_val *out)
{
    static const struct { const char *theirs, *ours; } fields[] = {
        { "/trace/", "trace" }, { "/mu/", "mu" }, { "/nu/", "nu" }, { "_momentum", "mu" }, { "_velocity", "nu" },
    };
    char at[128];
    if (strstr(path, "/count") || strstr(path, "/iteration")) {
        if (!tt_has(opt, "count")) return false;
        *out = tt_get(opt, "count");
        return true;
    }
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!strstr(path, fields[i].theirs)) continue;
        snprintf(at, sizeof at, "%s.%s", fields[i].ours, leaf);
        if (!tt_has(opt, at)) return false;
        *out = tt_get(opt, at);
        return true;
    }
    return false;
}

static void expect_state(job *j, tt_val opt, int out, const char *path)
{
    char leaf[64] = "";
    const char *slash = strrchr(path, '/');
    if (j->c->fn[0] != 'k' && slash) snprintf(leaf, sizeof leaf, "%s", slash + 1);
    else if (slash) snprintf(leaf, sizeof leaf, "%.*s", (int)strcspn(slash + 1, "_"), slash + 1);
    tt_val got = tt_none();
    if (strstr(path, "/learning_rate")) got = tt_get(opt, "rate");
    else if (!state_of(path, opt, leaf, &got))
        return; /* kept by others only: a learning rate's count, Keras's iteration of SGD */
    oracle_expect(j->c, out, got);
}

static void run(job *j, tt_val params, tt_val opt)
{
    const json_t *record = json_object_get(j->p, "record"), *names = json_object_get(j->c->json, "names");
    const int nrecord = (int)json_array_size(record);
    tt_val kept[LEAVES][RECORDS + 1];
    const tt_fn one = tt_jit(tt_bind_env("step", step, &j->max_norm, sizeof j->max_norm, 3));
    const int64_t steps = tt_dim(j->grads[0], 0);
    for (int64_t t = 0; t < steps && tt_ok(); t++) {
        tt_val g[LEAVES];
        for (int i = 0; i < j->n; i++) g[i] = tt_take(j->grads[i], tt_i(t), 0);
        tt_unpack(tt_call(one, params, opt, tt_dict_n(0, j->n, j->name, g)), &params, &opt);
        for (int r = 0; r < nrecord; r++)
            if (json_integer_value(json_array_get(record, (size_t)r)) == t + 1)
                for (int i = 0; i < j->n; i++) kept[i][r] = tt_get(params, j->name[i]);
    }
    for (int i = 0; i < j->n; i++) kept[i][nrecord] = tt_end;
    for (int out = 0; out < j->c->nout && tt_ok(); out++) {
        const char *path = json_string_value(json_array_get(names, (size_t)out));
        if (strncmp(path, "params/", 7)) {
            expect_state(j, opt, out, path);
            continue;
        }
        for (int i = 0; i < j->n; i++)
            if (!strcmp(path + 7, j->name[i])) oracle_expect(j->c, out, tt_stack_values_at(0, 0, kept[i]));
    }
}

void oracle_optim(oracle_case *c)
{
    const json_t *leaves = json_object_get(c->params, "leaves");
    job j = { .c = c, .p = c->params, .n = (int)json_array_size(leaves) };
    tt_val start[LEAVES], opt;
    if (!strcmp(c->fn, "global_norm")) {
        tt_val v[LEAVES + 1];
        for (int i = 0; i < c->nin && i < LEAVES; i++) v[i] = oracle_in(c, i);
        v[c->nin] = tt_end;
        oracle_expect(c, 0, tt_global_norm(tt_tuple_at(0, v)));
        return;
    }
    if (j.n == 0 || j.n > LEAVES || json_array_size(json_object_get(c->params, "record")) > RECORDS) {
        oracle_skip(c, c->fn);
        return;
    }
    for (int i = 0; i < j.n; i++) {
        j.name[i] = json_string_value(json_array_get(leaves, (size_t)i));
        start[i] = oracle_in(c, i);
        j.grads[i] = oracle_in(c, j.n + i);
    }
    const tt_val params = tt_dict_n(0, j.n, j.name, start);
    if (begin(c, params, &opt, &j.max_norm)) run(&j, params, opt);
    else {
        char what[120];
        snprintf(what, sizeof what, "%s (as in %s)", c->fn, c->id);
        oracle_skip(c, what);
    }
}
