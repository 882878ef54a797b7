/* oracle/layers/layer.c - kind `layer`: forward values and gradients of layers with given weights. Compiled, by one
 * vjp. */
#include "layer.h"

#include <stdio.h>
#include <string.h>

enum { ROLES = 160 };
static struct { oracle_case *c; int n; const char *role[ROLES]; const tt_val *arg; layer_fn *f; } now;

const json_t *layer_params(void) { return now.c->params; }
int layer_roles(void) { return now.n; }
const char *layer_role(int i) { return now.role[i]; }

static int place(const char *role)
{
    for (int i = 0; i < now.n; i++) if (!strcmp(now.role[i], role)) return i;
    return -1;
}

bool layer_has(const char *role) { return place(role) >= 0; }
tt_val layer_arg(const char *role)
{
    const int i = place(role);
    return i < 0 ? tt_fail_at(NULL, TT_EARG, "the case has no input \"%s\"", role) : now.arg[i];
}

static bool among(const char *word, const char *words)
{
    const size_t n = strlen(word);
    for (const char *p = words; (p = strstr(p, word)); p += n)
        if ((p == words || p[-1] == ' ') && (p[n] == ' ' || !p[n])) return true;
    return false;
}

tt_val layer_vars(const char *inputs)
{
    tt_val vars = tt_dict_n(0, 0, NULL, NULL);
    for (int i = 0; i < now.n; i++) {
        const char *role = now.role[i];
        if (!among(role, inputs)) vars = tt_set_at(0, vars, role + (strncmp(role, "stats.", 6) ? 0 : 6), now.arg[i]);
    }
    return vars;
}

tt_val layer_applied(tt_module *module, const char *inputs, tt_val x)
{
    return tt_apply(module, layer_vars(inputs), x);
}
tt_val layer_trained(tt_module *module, const char *inputs, tt_val x, tt_val key)
{
    const tt_val out = tt_apply_train(module, layer_vars(inputs), x, key);
    return tt_dict("y", tt_item(out, 0), "new", tt_item(out, 1));
}

tt_val layer_shaped(tt_val v, int n, const int64_t *dims)
{
    int64_t d[9];
    memcpy(d, dims, sizeof *dims * (size_t)n);
    d[n] = TT_DIM_END;
    return tt_reshape_at(0, v, d);
}

const char *layer_pads(const json_t *p, char to[128])
{
    const json_t *v = json_object_get(p, "padding");
    *to = 0;
    if (json_is_string(v))
        for (const char *s = json_string_value(v); *s; s++) snprintf(to + strlen(to), 8, "%c", *s & ~32);
    else for (size_t i = 0; i < json_array_size(v); i++)
        snprintf(to + strlen(to), 40, "%s%d:%d", i ? ", " : "",
                 (int)json_integer_value(json_array_get(json_array_get(v, i), 0)),
                 (int)json_integer_value(json_array_get(json_array_get(v, i), 1)));
    return to;
}

void layer_ints(const json_t *p, const char *key, int64_t to[8], int n)
{
    const json_t *v = json_object_get(p, key);
    for (int i = 0; i < n && json_is_integer(v); i++) to[i] = json_integer_value(v);
    for (size_t i = 0; i < json_array_size(v) && i < 8; i++) to[i] = json_integer_value(json_array_get(v, i));
}

/* ---- the run ---- */

/* Its bytes are part of the function's identity, and of a case only its text is one of its own. */
typedef struct { oracle_case *c; const json_t *json; layer_fn *f; } job;

static const char *name_of(const oracle_case *c, const char *list, int i)
{
    return json_string_value(json_array_get(json_object_get(c->params, list), (size_t)i));
}

/* The outputs that are values, in their order; those named "d." are gradients. */
static int values_of(const oracle_case *c, int out[])
{
    int n = 0;
    for (int i = 0; i < c->nout; i++) if (strncmp(name_of(c, "outs", i), "d.", 2)) out[n++] = i;
    return n;
}

static tt_val forward(void *env, int n, const tt_val *arg)
{
    const job *j = env;
    tt_val out[ROLES];
    int which[ROLES];
    (void)n;
    now.arg = arg;
    const tt_val y = j->f();
    const int k = values_of(j->c, which);
    for (int i = 0; i < k; i++) out[i] = tt_rank(y) < 0 ? tt_get_at(0, y, name_of(j->c, "outs", which[i])) : y;
    out[k] = tt_end;
    return tt_tuple_at(0, out);
}

static void run(oracle_case *c, layer_fn *f)
{
    job j;
    tt_val in[ROLES + 1], ct[ROLES + 1];
    int which[ROLES];
    memset(&j, 0, sizeof j);
    j.c = c, j.json = c->json, j.f = f;
    now.c = c;
    now.n = 0;
    while (now.n < c->nin && strncmp(name_of(c, "args", now.n), "ct.", 3)) {
        now.role[now.n] = name_of(c, "args", now.n);
        in[now.n] = oracle_in(c, now.n);
        now.n++;
    }
    in[now.n] = tt_end;
    const int k = values_of(c, which);
    for (int i = 0; i < k; i++) {
        int64_t dim[14];
        char role[80];
        snprintf(role, sizeof role, "ct.%s", name_of(c, "outs", which[i]));
        int at = now.n;
        while (at < c->nin && strcmp(name_of(c, "args", at), role)) at++;
        oracle_named_dims(c, oracle_out_name(c, which[i]), dim);
        ct[i] = at < c->nin ? oracle_in(c, at) : tt_full_at(0, 0, TT_F32, dim);
    }
    ct[k] = tt_end;
    const tt_fn both = tt_jit(tt_vjp(tt_bind_env("layer", forward, &j, sizeof j, now.n)));
    const tt_val got = tt_call(both, tt_tuple_at(0, in), tt_tuple_at(0, ct));
    for (int i = 0; i < k && tt_ok(); i++) oracle_expect(c, which[i], tt_item(tt_item(got, 0), i));
    for (int i = 0; i < c->nout && tt_ok(); i++) {
        const char *name = name_of(c, "outs", i);
        if (!strncmp(name, "d.", 2)) oracle_expect(c, i, tt_item(tt_item(got, 1), place(name + 2)));
    }
}

void oracle_layer(oracle_case *c)
{
    static const layer_row *const tables[] = { layer_values, layer_modules, layer_parts, layer_keras, layer_keras_act,
                                               layer_keras_shape, layer_keras_rnn, layer_keras_loss };
    tt_set_random_layout(oracle_text(c->params, "threefry", NULL));
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const layer_row *r = tables[t]; r->fn; r++)
            if (!strcmp(r->fn, c->fn)) {
                run(c, r->f);
                tt_set_random_layout(NULL);
                return;
            }
    tt_set_random_layout(NULL);
    oracle_unknown(c, c->fn);
}
