/* optim/read.c - the text of a chain as parts with numbers: names, arguments, ranges, and the names of what each part
 * keeps in the state. */
#include "optim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const optim_rule *const tables[] = { optim_moments, optim_scales, optim_clips, optim_keras, optim_more,
                                            optim_factors, optim_losses, optim_lines, optim_bfgs,  optim_memories };
enum { TABLES = sizeof tables / sizeof *tables };

static const optim_rule *chain_row_of(const tt_form *f)
{
    for (int t = 0; t < TABLES; t++)
        for (const optim_rule *r = tables[t]; r->name; r++)
            if (tt_form_is(f, r->name)) return r;
    if (optim_is_rule(f)) {
        tt_form_fail(f, f->name, "\"%.*s\" is a complete optimizer; a state's tag has its parts", f->name.n, f->name.p);
        tt_hint("make the state with tt_optimizer(params, \"%.*s(...)\")", f->name.n, f->name.p);
        return NULL;
    }
    char names[2048];
    size_t n = optim_rule_names(names, sizeof names);
    for (int t = 0; t < TABLES; t++)
        for (const optim_rule *r = tables[t]; r->name && n < sizeof names; r++)
            n += (size_t)snprintf(names + n, sizeof names - n, ", %s", r->name);
    tt_form_fail(f, f->name, "no optimizer \"%.*s\", and no part of one", f->name.n, f->name.p);
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
bool optim_is_form(const tt_form *f, const char *key)
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
    static const char *const fading[] = { "b1", "b2", "b3", "decay", "rho", "momentum", "beta_1", "beta_2" };
    static const char *const clips[] = { "max_delta", "threshold", "max_norm", "clipping" };
    static const char *const positive[] = {
        "eps", "eps_root", "epsilon", "weight_decay", "initial_accumulator_value", "initial_scale", "min_scale",
        "eta", "tol",      "atol",    "rtol"
    };
    static const char *const steps[] = { "k", "accumulation_size", "memory_size", "max_backtracking_steps",
                                         "max_linesearch_steps" };
    static const char *const counts[] = { "patience", "cooldown", "min_dim_size_to_factor" };
    const char *expected = isnan(x) ? "a number" : NULL;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (!strcmp(key, steps[i]) && !(x >= 1 && x <= 1e9 && x == trunc(x))) expected = "a whole number, 1 or more";
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (!strcmp(key, counts[i]) && !(x >= 0 && x <= 1e9 && x == trunc(x))) expected = "a whole number, 0 or more";
    if (!strcmp(key, "factor") && !(x > 0 && x < 1)) expected = "a number above 0 and below 1";
    for (size_t i = 0; i < sizeof fading / sizeof *fading; i++)
        if (!strcmp(key, fading[i]) && !(x >= 0 && x <= 1)) expected = "0 to 1";
    if (x == 1 && is_divided(p, key)) expected = "a number below 1: moments are divided by 1 less its powers";
    for (size_t i = 0; i < sizeof positive / sizeof *positive; i++)
        if (!strcmp(key, positive[i]) && !(x >= 0)) expected = "0 or more";
    bool clip = false;                                   /* a clip at infinity clips nothing */
    for (size_t i = 0; i < sizeof clips / sizeof *clips; i++) {
        if (strcmp(key, clips[i]) != 0) continue;
        clip = true;
        if (!(x > 0)) expected = "a number above 0";
    }
    if (isinf(x) && !clip && !expected) expected = "a finite number";
    if (expected && tt_ok()) tt_form_fail(&p->form, p->form.name, "%s = %g; expected %s", key, x, expected);
    return !expected;
}

/* True if the part has all arguments that optax's function of the same name requires. */
static bool chain_complete(const optim_part *p)
{
    static const char *const needs[][2] = {
        { "scale_by_learning_rate", "learning_rate" },
        { "scale", "step_size" },
        { "clip", "max_delta" },
        { "clip_by_norm", "max_norm" },
        { "clip_by_global_norm", "max_norm" },
        { "clip_by_block_rms", "threshold" },
        { "trace", "decay" },
        { "ema", "decay" },
        { "scale_by_schedule", "step_size_fn" },
        { "adaptive_grad_clip", "clipping" },
        { "add_noise", "eta" },
        { "add_noise", "gamma" },
        { "scale_by_rprop", "learning_rate" },
        { "scale_by_backtracking_linesearch", "max_backtracking_steps" },
        { "scale_by_zoom_linesearch", "max_linesearch_steps" },
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
    char key[48], keys[512];
    double usual[OPTIM_KEYS];
    const int n = chain_defaults(p->rule->keys, usual);
    snprintf(keys, sizeof keys, "%s%sonly", p->rule->keys, n ? " " : "");        /* of masked() */
    if (!optim_keys(&p->form, keys, p->keys) || !chain_complete(p)) return false;
    const char *at = p->keys, *written = p->rule->keys;
    for (int i = 0; i < n; i++) {
        const size_t len = strcspn(at, " ");
        snprintf(key, sizeof key, "%.*s", (int)len, at);
        const bool number = written[strcspn(written, " =")] == '=' && !optim_is_form(&p->form, key);
        p->k[i] = number ? tt_form_number(&p->form, key, usual[i]) : 0;
        if (number && !in_range(p, key, p->k[i])) return false;
        at += len + strspn(at + len, " ");
        written += strcspn(written, " ");
        written += strspn(written, " ");
    }
    return tt_ok();
}

/* Gives the part's fields and rate names that no earlier part has. */
static void name_fields(optim_chain *c, optim_part *p)
{
    const char *at = p->rule->fields;
    for (int f = 0; *at; f++, at += strspn(at, " ")) {
        const int len = (int)strcspn(at, " ");
        int taken = 0;
        if (*at == '=') {
            const size_t n = strlen(at + 1);
            for (int i = 0; i < c->n; i++) taken += !strncmp(c->part[i].number, at + 1, n);
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

bool optim_read(const char *site, const char *text, optim_chain *c)
{
    for (const char *at = text; *at;) {
        if (c->n == OPTIM_PARTS)
            return tt_fail_at(site, TT_EARG, "optimizer: more than the limit of %d parts", OPTIM_PARTS), false;
        optim_part *p = &c->part[c->n];
        if (!tt_form_read(site, text, &at, &p->form)) return false;
        const int wraps = optim_wrapper(c, &p->form);
        if (wraps < 0) return false;
        if (!wraps) {
            if (!(p->rule = chain_row_of(&p->form)) || !chain_numbers(p)) return false;
            name_fields(c, p);
            c->n++;
        }
        const tt_span here = { at, 1 };
        if (*at && *at != ';') return tt_form_fail(&p->form, here, "expected ';' between two parts"), false;
        at += *at == ';';
    }
    return true;
}

tt_dtype optim_dtype(const optim_part *p, const char *key)
{
    static const struct {
        const char *name;
        tt_dtype d;
    } t[] = {
        { "bfloat16", TT_BF16 },
        { "float16", TT_F16 },
        { "float32", TT_F32 },
        { "float64", TT_F64 },
    };
    char text[32];
    const char *word = tt_form_word(&p->form, key, NULL, text, sizeof text);
    for (int i = 0; word && i < 4; i++)
        if (!strcmp(word, t[i].name)) return t[i].d;
    if (word) tt_form_fail(&p->form, p->form.name, "%s: \"%s\" is no float type", key, word);
    if (word) tt_hint_choices("the types are", word, -1, "bfloat16, float16, float32, float64");
    return (tt_dtype)0;
}

tt_val optim_unbias(const optim_step *s, double b, tt_val t)
{
    return tt_sub_at(s->site, tt_f(1),
                     tt_pow_at(s->site, tt_full_at(s->site, b, TT_F32, (const int64_t[]){ TT_DIM_END }), t));
}

/* True if the schedule under that key is valid; checked when the optimizer is created, not at the first step. */
bool optim_schedule_ok(const optim_part *p, const char *key)
{
    tt_form schedule;
    if (!optim_is_form(&p->form, key))
        tt_form_fail(&p->form, tt_form_value(&p->form, key), "%s: expected a schedule", key);
    else if (tt_form_of(&p->form, key, &schedule)) optim_schedule(&schedule, tt_i(0));
    return tt_ok();
}

tt_val optim_rate(const optim_step *s, optim_part *p, const char *key)
{
    tt_form schedule;
    if (!optim_is_form(&p->form, key)) return tt_get_at(s->site, *s->state, p->rate);
    if (!tt_form_of(&p->form, key, &schedule)) return tt_f(0);
    const tt_val rate = optim_schedule(&schedule, s->count);
    *s->state = tt_set_at(s->site, *s->state, p->rate, rate);
    return rate;
}
