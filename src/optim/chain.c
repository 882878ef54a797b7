/* optim/chain.c - an optimizer is data: a tree tagged with the text of its chain, whose leaves are the rate, the count
 * and the moments. It is made here; step.c runs it.
 *
 * Hyperparameters that never change between steps are in the tag, and so in the structure: a compiled step has them as
 * constants. The rate is a leaf: it may be replaced without a retrace. Frozen leaves (tt_leaf(.frozen = 1)) keep their
 * value and have moments of no elements.
 */
#include "optim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* True if the chain's state has a count of the steps. */
bool optim_counts(const optim_chain *c)
{
    for (int i = 0; i < c->n; i++) {
        const optim_part *p = &c->part[i];
        if ((p->rule->is & COUNTS) || (*p->rate && optim_is_form(&p->form, "learning_rate"))) return true;
        if (optim_is_form(&p->form, "weight_decay")) return true;
    }
    return false;
}

typedef char chain_names[1024];                          /* "mu, nu, rate" */

static void chain_name(chain_names to, const char *name, size_t n)
{
    const size_t at = strlen(to);
    if (n) snprintf(to + at, sizeof(chain_names) - at, "%s%.*s", at ? ", " : "", (int)n, name);
}

/* The names of the state of the chain. */
static void chain_state(const optim_chain *c, chain_names to)
{
    *to = 0;
    for (int i = 0; i < c->n; i++) {
        const optim_part *p = &c->part[i];
        for (int f = 0; f < OPTIM_FIELDS; f++) chain_name(to, p->field[f], strlen(p->field[f]));
        chain_name(to, p->number, strlen(p->number));
        chain_name(to, p->rate, strlen(p->rate));
    }
    if (optim_counts(c)) chain_name(to, "count", 5);
    for (const char *w = optim_wrap_names(c), *end; *w; w = end + strspn(end, " ")) {
        end = w + strcspn(w, " ");
        chain_name(to, w, (size_t)(end - w));
    }
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
bool optim_names_ok(const char *site, const optim_chain *c, tt_val state)
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
    tt_hint_choices("the chain reads", others, -1, own);
    return false;
}

static tt_val empty(const char *site, tt_dtype d)
{
    return tt_full_at(site, 0, d, (const int64_t[]){ 0, TT_DIM_END });
}

/* v < v is false of every number, and of NaN, where v times 0 is NaN. */
tt_val optim_zeros_like(const char *site, tt_val v, tt_dtype d)
{
    if (tt_ok() && tt_dtype_kind(tt_dtype_of_at(site, v)) == 'c') v = tt_real_at(site, v);
    return tt_cast_at(site, tt_compare_at(site, 2, v, v), d);
}

/* The leaf v of a field: x everywhere, with v's layout. */
static tt_val like(const char *site, tt_val v, double x, tt_dtype d)
{
    const tt_val zero = optim_zeros_like(site, v, d);
    return x != 0 ? tt_cast_at(site, tt_add_at(site, zero, tt_f(x)), d) : zero;
}

/* A field's leaf in the place of a parameter; with its logical axes if it has as many dims. */
typedef struct { const char *site; const tt_val *leaf; int i; } field_making;
static tt_val field_leaf(void *env, const char *path, tt_val param)
{
    field_making *const f = env;
    const tt_val v = f->leaf[f->i++];
    const tt_leaf_opts o = { .size = sizeof o, .frozen = tt_leaf_frozen_at(f->site, param),
                             .axes = tt_rank_at(f->site, v) == tt_rank_at(f->site, param)
                                         ? tt_leaf_axes_at(f->site, param) : NULL };
    (void)path;
    return tt_leaf_at(f->site, v, &o);
}

tt_val optim_field(const char *site, tt_val params, const tt_val *leaf)
{
    field_making made = { site, leaf, 0 };
    return tt_tree_map_with_path_at(site, field_leaf, &made, params);
}

/* Field f of part p for all parameters; p NULL: zeros. Leaves that do not learn, or to which the part does not apply,
 * have no elements. */
static tt_val field_of(const char *site, tt_val params, const optim_part *p, int f)
{
    const int n = tt_tree_leaves_at(site, params, 0, NULL);
    const tt_dtype d = p && !f ? optim_dtype(p, "mu_dtype") : (tt_dtype)0;
    const double x = p && p->rule->start ? p->rule->start(p, f) : 0;
    tt_val *leaf = calloc((size_t)n + 1, sizeof *leaf), out = params;
    if (!leaf) return tt_fail_at(site, TT_EMEM, "optimizer: out of memory");
    tt_tree_leaves_at(site, params, n, leaf);
    for (int i = 0; i < n && tt_ok(); i++) {
        const tt_dtype own = d ? d : tt_dtype_of_at(site, leaf[i]);
        const bool on = !tt_leaf_frozen_at(site, leaf[i]) &&
                        (!p || optim_takes(p, "only", tt_leaf_path_at(site, params, i)));
        const tt_val shaped = on && p && p->rule->shaped ? p->rule->shaped(site, p, f, leaf[i]) : (tt_val){ 0, 0 };
        leaf[i] = !on ? empty(site, own) : shaped.slot || shaped.born ? shaped : like(site, leaf[i], x, own);
    }
    if (tt_ok()) out = optim_field(site, params, leaf);
    free(leaf);
    return out;
}
tt_val optim_zeros(const char *site, tt_val params) { return field_of(site, params, NULL, 0); }

/* The first part of a chain that takes only real numbers; NULL: none. */
static const char *real_part(const optim_chain *c)
{
    for (int i = 0; i < c->n; i++) if (!(c->part[i].rule->is & LINEAR)) return c->part[i].rule->name;
    return NULL;
}

/* True if the parameters are floating-point numbers that all parts accept, or frozen; else sets the error: on
 * integers steps would be rounded away. */
static bool learns(const char *site, const optim_chain *c, tt_val params)
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
            tt_fail_at(site, TT_ETYPE, "optimizer: parameter \"%s\" is %s; %s takes real numbers only", path, type,
                       real);
            tt_hint("make the real and the imaginary part two parameters, or take sgd");
            break;
        }
        tt_fail_at(site, TT_ETYPE, "optimizer: parameter \"%s\" is %s, which has no gradient", path, type);
        tt_hint("mark the leaf with tt_leaf(v, .frozen = 1), or leave it out of the parameters");
    }
    return tt_ok();
}

/* Adds what part p keeps to the state. */
static void part_state(const char *site, tt_val params, const optim_part *p, tt_val *state)
{
    const bool schedule = *p->rate && optim_is_form(&p->form, "learning_rate");
    for (int f = 0; f < OPTIM_FIELDS && *p->field[f]; f++)
        *state = tt_set_at(site, *state, p->field[f], field_of(site, params, p, f));
    if (*p->number) {
        const tt_val own = p->rule->shaped ? p->rule->shaped(site, p, -1, params) : (tt_val){ 0, 0 };
        *state = tt_set_at(site, *state, p->number, own.slot || own.born ? own : scalar(site, TT_F32, 1));
    }
    if (*p->rate) *state = tt_set_at(site, *state, p->rate, scalar(site, TT_F32, schedule ? 0 : p->k[0]));
}

/* True if the part's words and schedules are right for these parameters. */
static bool part_ok(const optim_part *p, tt_val params)
{
    static const char *const schedules[] = { "learning_rate", "step_size_fn", "weight_decay" };
    if (!optim_mask_ok(p, "mask", params) || !optim_mask_ok(p, "only", params)) return false;
    if (tt_form_has(&p->form, "step_size_fn") && !optim_schedule_ok(p, "step_size_fn")) return false;
    for (int i = 0; i < 3; i++)
        if (optim_is_form(&p->form, schedules[i]) && !optim_schedule_ok(p, schedules[i])) return false;
    return tt_ok();
}

tt_val tt_optimizer_at(const char *site, tt_val params, const char *text)
{
    TT_ENTRY(site);
    char parts[OPTIM_TEXT];
    if (!text) return tt_fail_at(site, TT_EARG, "optimizer: the text is NULL");
    tt_val state = tt_dict_n(site, 0, NULL, NULL);
    const int leaves = tt_tree_leaves_at(site, params, 0, NULL);
    if (leaves > OPTIM_LEAVES)
        return tt_fail_at(site, TT_EARG, "optimizer: %d parameters; at most %d", leaves, OPTIM_LEAVES);
    optim_chain *c = calloc(1, sizeof *c);
    if (!c) return tt_fail_at(site, TT_EMEM, "optimizer: out of memory");
    if (optim_expand(site, text, parts) && optim_groups_ok(site, text, params) && optim_read(site, parts, c) &&
        learns(site, c, params) &&
        (c->n || (tt_fail_at(site, TT_EARG, "optimizer: \"%s\" names no optimizer", text), false))) {
        for (int i = 0; i < c->n && part_ok(&c->part[i], params); i++) part_state(site, params, &c->part[i], &state);
        if (optim_counts(c)) state = tt_set_at(site, state, "count", scalar(site, TT_I32, 0));
        optim_wrap_state(site, c, params, &state);
    }
    free(c);
    return tt_ok() ? tt_tagged_at(site, parts, state) : tt_fail_at(site, TT_EARG, "no optimizer");
}
