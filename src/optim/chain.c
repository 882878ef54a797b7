/* optim/chain.c - an optimizer is data: a tree tagged with the text of its chain, whose leaves are the rate, the count
 * and the moments. As in optax, gradients pass through the parts in order and come out as updates, which are added.
 *
 * Hyperparameters that never change between steps are in the tag, and so in the structure: a compiled step has them as
 * constants. The rate is a leaf: it may be replaced without a retrace. Frozen leaves (tt_leaf(.frozen = 1)) keep their
 * value and have moments of no elements.
 *
 * Longer than 400 lines: reading, state and step share the table of parts and its private structs. */
#include "optim.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* every > 0: gradients are accumulated first: their mean, or their sum */
typedef struct { int n, every; bool sum; optim_part part[OPTIM_PARTS]; } chain;

static tt_val scalar(const char *site, tt_dtype d, double x)
{
    return tt_full_at(site, x, d, (const int64_t[]){ TT_DIM_END });
}

/* Evaluates a formula over v, whose values are named in the order of first occurrence in the text: "a, g". A name
 * before a parenthesis is a function. */
tt_val optim_formula(const char *site, const char *formula, const tt_val *v)
{
    enum { NAMES = 16 };
    struct { const char *at; size_t n; } known[NAMES];
    char names[160];
    size_t nknown = 0, end = 0, n;
    for (const char *p = formula; *p; p += n ? n : 1) {
        size_t k = 0;
        for (n = 0; p[n] == '_' || (p[n] >= 'a' && p[n] <= 'z') || (p[n] >= '0' && p[n] <= '9');) n++;
        if (!n || (*p >= '0' && *p <= '9') || p[n] == '(') continue;
        while (k < nknown && (known[k].n != n || memcmp(known[k].at, p, n))) k++;
        if (k < nknown || nknown == NAMES || end + n + 3 > sizeof names) continue;
        known[nknown].at = p, known[nknown++].n = n;
        if (end) names[end++] = ',', names[end++] = ' ';
        memcpy(names + end, p, n);
        end += n;
    }
    names[end] = '\0';
    return tt_formula_at(site, formula, names, v);
}

/* ---- reading a chain ---- */

static const optim_rule *chain_row_of(const tt_form *f)
{
    static const optim_rule *const tables[] = { optim_moments, optim_scales, optim_clips, optim_keras };
    for (int t = 0; t < 4; t++)
        for (const optim_rule *r = tables[t]; r->name; r++) if (tt_form_is(f, r->name)) return r;
    if (optim_is_rule(f)) {
        tt_form_fail(f, f->name, "\"%.*s\" is a complete optimizer; a state's tag has its parts", f->name.n, f->name.p);
        tt_hint("make the state with tt_optimizer(params, \"%.*s(...)\")", f->name.n, f->name.p);
        return NULL;
    }
    char names[1024];
    size_t n = optim_rule_names(names, sizeof names);
    for (int t = 0; t < 4; t++)
        for (const optim_rule *r = tables[t]; r->name && n < sizeof names; r++)
            n += (size_t)snprintf(names + n, sizeof names - n, ", %s", r->name);
    tt_form_fail(f, f->name, "no part of optimizers \"%.*s\"", f->name.n, f->name.p);
    tt_hint_choices("there are", f->name.p, f->name.n, names);
    return NULL;
}

/* The defaults of "b1=0.9 nesterov?=0 mask"; 0 for a word. Returns the number of keys. */
static int chain_defaults(const char *keys, double usual[OPTIM_KEYS])
{
    int n = 0;
    for (const char *p = keys; *p && n < OPTIM_KEYS; p += strspn(p, " ")) {
        const size_t len = strcspn(p, " =");
        usual[n++] = p[len] == '=' ? tt_strtod(p + len + 1, NULL) : 0;
        p += strcspn(p, " ");
    }
    return n;
}

/* True if the value is itself a form: a schedule. */
static bool is_form(const tt_form *f, const char *key)
{
    const tt_span v = tt_form_value(f, key);
    return v.n && memchr(v.p, '(', (size_t)v.n);
}

/* True if the part divides a moment by 1 - x^t, where x is this number of it. */
static bool is_divided(const optim_part *p, const char *key)
{
    static const struct { const char *part, *keys; } each[] = {
        { "scale_by_adam", "b1 b2" }, { "scale_by_amsgrad", "b1 b2" }, { "scale_by_radam", "b1 b2" },
        { "scale_by_adamax", "b1" }, { "ema", "decay" }, { "keras_adam", "beta_1" }, { "keras_amsgrad", "beta_1" },
        { "keras_adamax", "beta_1" }, { "keras_lamb", "beta_1 beta_2" },
    };
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        if (!strcmp(p->rule->name, each[i].part)) return strstr(each[i].keys, key) != NULL;
    return false;
}

/* True if the number is in the range for its name. Decay rates of moments must be between 0 and 1. */
static bool in_range(const optim_part *p, const char *key, double x)
{
    static const char *const fading[] = { "b1", "b2", "decay", "rho", "momentum", "beta_1", "beta_2" };
    static const char *const clips[] = { "max_delta", "threshold", "max_norm" };
    static const char *const positive[] = { "eps", "eps_root", "epsilon", "weight_decay", "initial_accumulator_value",
                                             "initial_scale" };
    const char *expected = isnan(x) ? "a number" : NULL;
    for (size_t i = 0; i < sizeof fading / sizeof *fading; i++)
        if (!strcmp(key, fading[i]) && !(x >= 0 && x <= 1)) expected = "between 0 and 1";
    if (x == 1 && is_divided(p, key)) expected = "below 1: moments are divided by 1 less its powers";
    for (size_t i = 0; i < sizeof positive / sizeof *positive; i++)
        if (!strcmp(key, positive[i]) && !(x >= 0)) expected = "0 or more";
    bool clip = false;                                   /* a clip at infinity clips nothing */
    for (size_t i = 0; i < sizeof clips / sizeof *clips; i++) {
        if (strcmp(key, clips[i]) != 0) continue;
        clip = true;
        if (!(x > 0)) expected = "above 0";
    }
    if (isinf(x) && !clip && !expected) expected = "a finite number";
    if (expected && tt_ok()) tt_form_fail(&p->form, p->form.name, "%s = %g; it is %s", key, x, expected);
    return !expected;
}

/* True if the part has all arguments that optax's function of the same name requires. */
static bool chain_complete(const optim_part *p)
{
    static const char *const needs[][2] = {
        { "scale_by_learning_rate", "learning_rate" }, { "scale", "step_size" }, { "clip", "max_delta" },
        { "clip_by_norm", "max_norm" }, { "clip_by_global_norm", "max_norm" }, { "clip_by_block_rms", "threshold" },
        { "trace", "decay" }, { "ema", "decay" }, { "scale_by_schedule", "step_size_fn" },
    };
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        if (strcmp(p->rule->name, needs[i][0]) || tt_form_has(&p->form, needs[i][1])) continue;
        tt_form_fail(&p->form, p->form.name, "%s: %s is missing", needs[i][0], needs[i][1]);
        return false;
    }
    return true;
}

static bool chain_numbers(optim_part *p)
{
    char key[48];
    double usual[OPTIM_KEYS];
    const int n = chain_defaults(p->rule->keys, usual);
    if (!optim_keys(&p->form, p->rule->keys, p->keys) || !chain_complete(p)) return false;
    const char *at = p->keys, *written = p->rule->keys;
    for (int i = 0; i < n; i++) {
        const size_t len = strcspn(at, " ");
        snprintf(key, sizeof key, "%.*s", (int)len, at);
        const bool number = written[strcspn(written, " =")] == '=' && !is_form(&p->form, key);
        p->k[i] = number ? tt_form_number(&p->form, key, usual[i]) : 0;
        if (number && !in_range(p, key, p->k[i])) return false;
        at += len + strspn(at + len, " ");
        written += strcspn(written, " ");
        written += strspn(written, " ");
    }
    return tt_ok();
}

/* Gives the part's fields and rate names that no earlier part has. */
static void name_fields(chain *c, optim_part *p)
{
    const char *at = p->rule->fields;
    for (int f = 0; *at; f++, at += strspn(at, " ")) {
        const int len = (int)strcspn(at, " ");
        int taken = 0;
        if (*at == '=') {
            for (int i = 0; i < c->n; i++) taken += *c->part[i].number != 0;
            snprintf(p->number, sizeof p->number, taken ? "%s_%d" : "%s", at + 1, taken);
            break;
        }
        for (int i = 0; i < c->n; i++)
            for (int g = 0; g < OPTIM_FIELDS; g++)
                taken += !strncmp(c->part[i].field[g], at, (size_t)len) &&
                         (!c->part[i].field[g][len] || c->part[i].field[g][len] == '_');
        snprintf(p->field[f], sizeof p->field[f], taken ? "%.*s_%d" : "%.*s", len, at, taken);
        at += len;
    }
    int rates = 0;
    for (int i = 0; i < c->n; i++) rates += *c->part[i].rate != 0;
    if (strstr(p->rule->keys, "learning_rate")) snprintf(p->rate, sizeof p->rate, rates ? "rate_%d" : "rate", rates);
}

static bool read_chain(const char *site, const char *text, chain *c)
{
    memset(c, 0, sizeof *c);
    for (const char *at = text; *at;) {
        if (c->n == OPTIM_PARTS)
            return tt_fail_at(site, TT_EARG, "optimizer: more than %d parts", OPTIM_PARTS), false;
        optim_part *p = &c->part[c->n];
        if (!tt_form_read(site, text, &at, &p->form)) return false;
        if (tt_form_is(&p->form, "multi_steps")) {
            if (!optim_keys(&p->form, "every use_grad_mean?", p->keys)) return false;
            const double every = tt_form_number(&p->form, "every", 1);
            c->sum = tt_form_number(&p->form, "use_grad_mean", 1) == 0;
            if (!(every >= 1 && every <= INT_MAX && every == trunc(every)))
                return tt_form_fail(&p->form, p->form.name, "every is a whole number of steps, 1 or more"), false;
            if (c->every || c->n) {
                tt_form_fail(&p->form, p->form.name, "multi_steps is of the whole chain: it stands once, before it");
                return false;
            }
            c->every = (int)every;
        } else {
            if (!(p->rule = chain_row_of(&p->form)) || !chain_numbers(p)) return false;
            name_fields(c, p);
            c->n++;
        }
        const tt_span here = { at, 1 };
        if (*at && *at != ';') return tt_form_fail(&p->form, here, "';' was expected between parts"), false;
        at += *at == ';';
    }
    return true;
}

static tt_dtype dtype_of(const optim_part *p, const char *key)
{
    static const struct { const char *name; tt_dtype d; } t[] = {
        { "bfloat16", TT_BF16 }, { "float16", TT_F16 }, { "float32", TT_F32 }, { "float64", TT_F64 },
    };
    char text[32];
    const char *word = tt_form_word(&p->form, key, NULL, text, sizeof text);
    for (int i = 0; word && i < 4; i++) if (!strcmp(word, t[i].name)) return t[i].d;
    if (word) tt_form_fail(&p->form, p->form.name, "%s: \"%s\" is no float type", key, word);
    if (word) tt_hint_choices("the types are", word, -1, "bfloat16, float16, float32, float64");
    return (tt_dtype)0;
}

tt_val optim_unbias(const optim_step *s, double b, tt_val t)
{
    return tt_sub_at(s->site, tt_f(1), tt_pow_at(s->site, scalar(s->site, TT_F32, b), t));
}

/* True if the schedule under that key is valid; checked when the optimizer is created, not at the first step. */
static bool schedule_ok(const optim_part *p, const char *key)
{
    tt_form schedule;
    if (!is_form(&p->form, key)) tt_form_fail(&p->form, tt_form_value(&p->form, key), "%s is a schedule", key);
    else if (tt_form_of(&p->form, key, &schedule)) optim_schedule(&schedule, tt_i(0));
    return tt_ok();
}

tt_val optim_rate(const optim_step *s, optim_part *p, const char *key)
{
    tt_form schedule;
    if (!is_form(&p->form, key)) return tt_get_at(s->site, *s->state, p->rate);
    if (!tt_form_of(&p->form, key, &schedule)) return tt_f(0);
    const tt_val rate = optim_schedule(&schedule, s->count);
    *s->state = tt_set_at(s->site, *s->state, p->rate, rate);
    return rate;
}

/* ---- the state ---- */

/* True if the chain's state has a count of the steps. */
static bool chain_counts(const chain *c)
{
    for (int i = 0; i < c->n; i++)
        if ((c->part[i].rule->is & COUNTS) || (*c->part[i].rate && is_form(&c->part[i].form, "learning_rate")))
            return true;
    return false;
}

typedef char chain_names[1024];                          /* "mu, nu, rate" */

static void chain_name(chain_names to, const char *name, size_t n)
{
    const size_t at = strlen(to);
    if (n) snprintf(to + at, sizeof(chain_names) - at, "%s%.*s", at ? ", " : "", (int)n, name);
}

/* The names of the state of the chain. */
static void chain_state(const chain *c, chain_names to)
{
    static const char *const gathers[] = { "mini_step", "gradient_step", "acc_grads" };
    *to = 0;
    for (int i = 0; i < c->n; i++) {
        const optim_part *p = &c->part[i];
        for (int f = 0; f < OPTIM_FIELDS; f++) chain_name(to, p->field[f], strlen(p->field[f]));
        chain_name(to, p->number, strlen(p->number));
        chain_name(to, p->rate, strlen(p->rate));
    }
    if (chain_counts(c)) chain_name(to, "count", 5);
    for (int i = 0; i < 3 && c->every > 0; i++) chain_name(to, gathers[i], strlen(gathers[i]));
}

static bool chain_lists(const char *names, const char *name, size_t n)
{
    for (const char *p = names; *p; p += strspn(p, ", ")) {
        const size_t m = strcspn(p, ",");
        if (m == n && !memcmp(p, name, n)) return true;
        p += m;
    }
    return false;
}

/* True if the chain has all names of the state; else sets the error, which lists those that no part would read. */
static bool names_ok(const char *site, const chain *c, tt_val state)
{
    chain_names own, others = "";
    const int n = tt_tree_leaves_at(site, state, 0, NULL);
    chain_state(c, own);
    for (int i = 0; i < n && tt_ok(); i++) {
        const char *path = tt_leaf_path_at(site, state, i);
        const size_t m = strcspn(path, ".");
        if (!chain_lists(own, path, m) && !chain_lists(others, path, m)) chain_name(others, path, m);
    }
    if (!*others || !tt_ok()) return tt_ok();
    tt_fail_at(site, TT_ETREE, "opt_step: the optimizer's state has \"%s\", which no part of its chain reads", others);
    tt_hint_choices("its names are", others, -1, own);
    return false;
}

/* A tree like params with x in every trainable leaf. */
static tt_val like(const char *site, tt_val params, double x, tt_dtype d)
{
    const int n = tt_tree_leaves_at(site, params, 0, NULL);
    tt_val *leaf = calloc((size_t)n + 1, sizeof *leaf), out = params;
    if (!leaf) return tt_fail_at(site, TT_EMEM, "optimizer: out of memory");
    tt_tree_leaves_at(site, params, n, leaf);
    for (int i = 0; i < n && tt_ok(); i++) {
        const tt_dtype own = d ? d : tt_dtype_of_at(site, leaf[i]);
        const bool frozen = tt_leaf_frozen_at(site, leaf[i]);
        leaf[i] = frozen ? tt_full_at(site, 0, own, (const int64_t[]){ 0, TT_DIM_END })
                         : tt_cast_at(site, tt_mul_at(site, tt_stop_gradient_at(site, leaf[i]), tt_i(0)), own);
        if (x != 0 && !frozen) leaf[i] = tt_cast_at(site, tt_add_at(site, leaf[i], tt_f(x)), own);
    }
    if (tt_ok()) out = tt_tree_unflatten_at(site, params, n, leaf);
    free(leaf);
    return out;
}

/* The first part of a chain that takes only real numbers; NULL: none. */
static const char *real_part(const chain *c)
{
    for (int i = 0; i < c->n; i++) if (!(c->part[i].rule->is & LINEAR)) return c->part[i].rule->name;
    return NULL;
}

/* True if the parameters are floating-point numbers that all parts accept, or frozen; else sets the error: on
 * integers steps would be rounded away. */
static bool learns(const char *site, const chain *c, tt_val params)
{
    const char *const real = real_part(c);
    const int n = tt_tree_leaves_at(site, params, 0, NULL);
    for (int i = 0; i < n && tt_ok(); i++) {
        const char *path = tt_leaf_path_at(site, params, i);
        const tt_val v = tt_get_at(site, params, path);
        const char kind = tt_dtype_kind(tt_dtype_of_at(site, v));
        if (tt_leaf_frozen_at(site, v) || kind == 'f' || (kind == 'c' && !real)) continue;
        const char *type = tt_type_text_at(site, v);
        if (kind == 'c') {
            tt_fail_at(site, TT_ETYPE, "optimizer: parameter \"%s\" is %s; %s is of real numbers", path, type, real);
            tt_hint("make its real and its imaginary part parameters, or take sgd");
            break;
        }
        tt_fail_at(site, TT_ETYPE, "optimizer: parameter \"%s\" is %s, which does not learn", path, type);
        tt_hint("make it tt_leaf(v, .frozen = 1), or leave it out of the parameters");
    }
    return tt_ok();
}

static bool set_fields(const char *site, tt_val params, const optim_part *p, tt_val *state)
{
    for (int f = 0; f < OPTIM_FIELDS && *p->field[f]; f++) {
        const tt_dtype d = f ? (tt_dtype)0 : dtype_of(p, "mu_dtype");
        const double x = p->rule->start ? p->rule->start(p, f) : 0;
        *state = tt_set_at(site, *state, p->field[f], like(site, params, x, d));
    }
    return tt_ok();
}

tt_val tt_optimizer_at(const char *site, tt_val params, const char *text)
{
    TT_ENTRY(site);
    char parts[OPTIM_TEXT];
    if (!text) return tt_fail_at(site, TT_EARG, "optimizer: its text is NULL");
    tt_val state = tt_dict_n(site, 0, NULL, NULL);
    if (tt_tree_leaves_at(site, params, 0, NULL) > OPTIM_LEAVES)
        return tt_fail_at(site, TT_EARG, "optimizer: more than %d parameters", OPTIM_LEAVES);
    chain *c = calloc(1, sizeof *c);
    if (!c) return tt_fail_at(site, TT_EMEM, "optimizer: out of memory");
    if (optim_expand(site, text, parts) && read_chain(site, parts, c) && learns(site, c, params) &&
        (c->n || (tt_fail_at(site, TT_EARG, "optimizer: \"%s\" has no parts", text), false))) {
        for (int i = 0; i < c->n; i++) {
            const optim_part *p = &c->part[i];
            const bool schedule = *p->rate && is_form(&p->form, "learning_rate");
            const bool steps = tt_form_has(&p->form, "step_size_fn");
            if (!optim_mask_ok(p, "mask", params) || (schedule && !schedule_ok(p, "learning_rate"))) break;
            if (steps && !schedule_ok(p, "step_size_fn")) break;
            set_fields(site, params, p, &state);
            if (*p->number) state = tt_set_at(site, state, p->number, scalar(site, TT_F32, 1));
            if (*p->rate) state = tt_set_at(site, state, p->rate, scalar(site, TT_F32, schedule ? 0 : p->k[0]));
        }
        if (chain_counts(c)) state = tt_set_at(site, state, "count", scalar(site, TT_I32, 0));
        if (c->every > 0) {
            state = tt_set_at(site, state, "mini_step", scalar(site, TT_I32, 0));
            state = tt_set_at(site, state, "gradient_step", scalar(site, TT_I32, 0));
            state = tt_set_at(site, state, "acc_grads", like(site, params, 0, (tt_dtype)0));
        }
    }
    free(c);
    return tt_ok() ? tt_tagged_at(site, parts, state) : tt_fail_at(site, TT_EARG, "no optimizer");
}

/* ---- a step ---- */

/* The leaves of a tree that must match the parameters leaf by leaf. */
static bool leaves_of(const char *site, const char *call, const char *what, tt_val params, tt_val tree, tt_val *to)
{
    char both[96];
    const int n = tt_tree_leaves_at(site, params, 0, NULL);
    snprintf(both, sizeof both, "%s: parameters and %s", call, what);
    if (tt_match_at(site, both, params, tree)) return tt_tree_leaves_at(site, tree, n, to) == n;
    tt_hint("make the optimizer from these parameters, and differentiate with respect to them");
    return false;
}

static bool run_part(optim_step *s, optim_part *p, tt_val params, tt_val *buffer, const bool *frozen)
{
    for (int f = 0; f < OPTIM_FIELDS && *p->field[f]; f++) {
        p->f[f] = buffer + (size_t)f * (size_t)s->n;
        char what[64];
        snprintf(what, sizeof what, "the optimizer's %s", p->field[f]);
        const tt_val moments = tt_get_at(s->site, *s->state, p->field[f]);
        if (!leaves_of(s->site, "opt_step", what, params, moments, p->f[f])) return false;
    }
    if (p->rule->begin) p->rule->begin(s, p);
    for (int i = 0; i < s->n && p->rule->leaf && tt_ok(); i++)
        if (!frozen[i] && optim_takes(p, "mask", tt_leaf_path_at(s->site, params, i))) p->rule->leaf(s, p, i);
    for (int f = 0; f < OPTIM_FIELDS && *p->field[f] && tt_ok(); f++)
        *s->state = tt_set_at(s->site, *s->state, p->field[f], tt_tree_unflatten_at(s->site, params, s->n, p->f[f]));
    return tt_ok();
}

/* Runs all parts in order: s->u becomes the updates of s->p. buffer: for the leaves of a part's fields. */
static bool run_chain(optim_step *s, chain *c, tt_val params, tt_val *buffer, const bool *frozen)
{
    const bool counts = chain_counts(c);
    s->count = counts ? tt_get_at(s->site, *s->state, "count") : tt_i(0);
    s->t = tt_cast_at(s->site, tt_add_at(s->site, s->count, tt_i(1)), TT_F32);
    for (int i = 0; i < c->n; i++) if (!run_part(s, &c->part[i], params, buffer, frozen)) return false;
    if (counts) *s->state = tt_set_at(s->site, *s->state, "count", tt_add_at(s->site, s->count, tt_i(1)));
    return tt_ok();
}

static tt_val chain_added(const char *site, tt_val p, tt_val u)  /* p + u in p's type, added in the wider one */
{
    return tt_cast_at(site, tt_add_at(site, p, u), tt_dtype_of_at(site, p));
}

/* Accumulates `every` gradients into their mean or sum for one step; in between, parameters and the chain's state
 * stay. */
static bool chain_gather(optim_step *s, chain *c, tt_val params, tt_val *buffer, const bool *frozen)
{
    const char *site = s->site;
    const tt_val old = *s->state, done = tt_get_at(site, old, "gradient_step");
    const tt_val mini = tt_get_at(site, old, "mini_step");
    const tt_val last = tt_compare_at(site, 0, mini, tt_i(c->every - 1));
    const tt_val part = tt_div_at(site, tt_f(1), tt_cast_at(site, tt_add_at(site, mini, tt_i(1)), TT_F32));
    tt_val *acc = buffer + OPTIM_FIELDS * (size_t)s->n;
    const tt_val gathered = tt_get_at(site, old, "acc_grads");
    if (!leaves_of(site, "opt_step", "the optimizer's acc_grads", params, gathered, acc)) return false;
    for (int i = 0; i < s->n; i++)
        if (!frozen[i])
            s->u[i] = acc[i] = c->sum ? F("a + g", acc[i], s->u[i]) : F("a + (g - a)*part", acc[i], s->u[i], part);
    if (!run_chain(s, c, params, buffer, frozen)) return false;
    for (int i = 0; i < s->n; i++) {
        if (frozen[i]) continue;
        s->u[i] = tt_where_at(site, last, s->u[i], tt_f(0));
        acc[i] = tt_where_at(site, last, tt_f(0), acc[i]);
    }
    for (int i = 0; i < tt_tree_leaves_at(site, old, 0, NULL) && tt_ok(); i++) {
        const char *path = tt_leaf_path_at(site, old, i);
        const tt_val was = tt_get_at(site, old, path), now = tt_get_at(site, *s->state, path);
        if (tt_count_at(site, was)) *s->state = tt_set_at(site, *s->state, path, tt_where_at(site, last, now, was));
    }
    const tt_val next = tt_where_at(site, last, tt_i(0), tt_add_at(site, mini, tt_i(1)));
    *s->state = tt_set_at(site, *s->state, "mini_step", next);
    *s->state = tt_set_at(site, *s->state, "gradient_step", tt_add_at(site, done, tt_cast_at(site, last, TT_I32)));
    *s->state = tt_set_at(site, *s->state, "acc_grads", tt_tree_unflatten_at(site, params, s->n, acc));
    return tt_ok();
}

typedef struct { chain c; bool frozen[OPTIM_LEAVES]; tt_val leaf[]; } work;

static void chain_step(const char *site, tt_val *params, tt_val *opt, tt_val grads, int n, work *w)
{
    tt_val state = *opt;
    optim_step s = { .site = site, .n = n, .p = w->leaf, .u = w->leaf + n, .state = &state };
    tt_val *buffer = w->leaf + 2 * (size_t)n;
    tt_tree_leaves_at(site, *params, n, s.p);
    if (!leaves_of(site, "opt_step", "gradients", *params, grads, s.u)) return;
    if (!read_chain(site, tt_tag_at(site, *opt), &w->c) || !names_ok(site, &w->c, state)) return;
    for (int i = 0; i < w->c.n; i++) {
        const char *const rate = w->c.part[i].rate;
        if (!*rate || tt_rank_at(site, tt_get_at(site, state, rate)) == 0 || !tt_ok()) continue;
        tt_fail_at(site, TT_ESHAPE, "opt_step: the optimizer's \"%s\" is %s; it is one number", rate,
                   tt_type_text_at(site, tt_get_at(site, state, rate)));
        return;
    }
    for (int i = 0; i < n; i++) w->frozen[i] = tt_leaf_frozen_at(site, s.p[i]);
    if (!(w->c.every > 0 ? chain_gather : run_chain)(&s, &w->c, *params, buffer, w->frozen)) return;
    for (int i = 0; i < n; i++) if (!w->frozen[i]) s.p[i] = chain_added(site, s.p[i], s.u[i]);
    tt_assign_at(site, opt, state);
    tt_assign_at(site, params, tt_tree_unflatten_at(site, *params, n, s.p));
}

void tt_opt_step_at(const char *site, tt_val *params, tt_val *opt, tt_val grads)
{
    TT_ENTRY(site);
    if (!tt_ok()) return;
    if (!params || !opt) {
        tt_fail_at(site, TT_EARG, "opt_step: %s that are NULL", params ? "optimizer slots" : "parameter slots");
        return;
    }
    const int n = tt_tree_leaves_at(site, *params, 0, NULL);
    if (!tt_tag_at(site, *opt) || !strchr(tt_tag_at(site, *opt), '(')) {
        tt_fail_at(site, TT_ETREE, "opt_step: the second value is no optimizer state");
        tt_hint("make one with tt_sgd(params) or tt_adam(params)");
        return;
    }
    work *w = n <= OPTIM_LEAVES ? calloc(1, sizeof *w + (size_t)n * (3 + OPTIM_FIELDS) * sizeof(tt_val)) : NULL;
    if (w) chain_step(site, params, opt, grads, n, w);
    else tt_fail_at(site, TT_EMEM, "opt_step: no memory for %d parameters", n);
    free(w);
}

tt_val tt_apply_updates_at(const char *site, tt_val params, tt_val updates)
{
    TT_ENTRY(site);
    const int n = tt_tree_leaves_at(site, params, 0, NULL);
    tt_val *leaf = calloc(2 * (size_t)n + 1, sizeof *leaf), out = { 0 };
    if (!leaf) return tt_fail_at(site, TT_EMEM, "apply_updates: out of memory");
    tt_tree_leaves_at(site, params, n, leaf);
    if (tt_match_at(site, "apply_updates: parameters and updates", params, updates)) {
        tt_tree_leaves_at(site, updates, n, leaf + n);
        for (int i = 0; i < n; i++) if (!tt_leaf_frozen_at(site, leaf[i]))
            leaf[i] = chain_added(site, leaf[i], leaf[n + i]);
        out = tt_tree_unflatten_at(site, params, n, leaf);
    }
    free(leaf);
    return tt_ok() ? out : tt_fail_at(site, TT_ETREE, "no parameters");
}
