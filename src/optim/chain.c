/* optim/chain.c - an optimizer is data: a tree tagged with the text of its chain, whose leaves are the rate, the count
 * and the moments. As in optax, gradients pass through the parts in order and come out as updates, which are added.
 *
 * Hyperparameters that never change between steps are in the tag, and so in the structure: a compiled step has them as
 * constants. The rate is a leaf: it may be replaced without a retrace. Frozen leaves (tt_leaf(.frozen = 1)) keep their
 * value and have moments of no elements.
 */
#include "optim.h"

#include <limits.h>
#include <math.h>
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

/* ---- the state ---- */

/* True if the chain's state has a count of the steps. */
static bool chain_counts(const optim_chain *c)
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
    if (chain_counts(c)) chain_name(to, "count", 5);
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
static bool names_ok(const char *site, const optim_chain *c, tt_val state)
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

static tt_val empty(const char *site, tt_dtype d)
{
    return tt_full_at(site, 0, d, (const int64_t[]){ 0, TT_DIM_END });
}

/* The leaf v of a field: x everywhere, with v's layout. */
static tt_val like(const char *site, tt_val v, double x, tt_dtype d)
{
    const tt_val zero = tt_cast_at(site, tt_mul_at(site, tt_stop_gradient_at(site, v), tt_i(0)), d);
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
            tt_fail_at(site, TT_ETYPE, "optimizer: parameter \"%s\" is %s; %s is of real numbers", path, type, real);
            tt_hint("make its real and its imaginary part parameters, or take sgd");
            break;
        }
        tt_fail_at(site, TT_ETYPE, "optimizer: parameter \"%s\" is %s, which does not learn", path, type);
        tt_hint("make it tt_leaf(v, .frozen = 1), or leave it out of the parameters");
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
    if (!text) return tt_fail_at(site, TT_EARG, "optimizer: its text is NULL");
    tt_val state = tt_dict_n(site, 0, NULL, NULL);
    if (tt_tree_leaves_at(site, params, 0, NULL) > OPTIM_LEAVES)
        return tt_fail_at(site, TT_EARG, "optimizer: more than %d parameters", OPTIM_LEAVES);
    optim_chain *c = calloc(1, sizeof *c);
    if (!c) return tt_fail_at(site, TT_EMEM, "optimizer: out of memory");
    if (optim_expand(site, text, parts) && optim_groups_ok(site, text, params) && optim_read(site, parts, c) &&
        learns(site, c, params) &&
        (c->n || (tt_fail_at(site, TT_EARG, "optimizer: \"%s\" has no parts", text), false))) {
        for (int i = 0; i < c->n && part_ok(&c->part[i], params); i++) part_state(site, params, &c->part[i], &state);
        if (chain_counts(c)) state = tt_set_at(site, state, "count", scalar(site, TT_I32, 0));
        optim_wrap_state(site, c, params, &state);
    }
    free(c);
    return tt_ok() ? tt_tagged_at(site, parts, state) : tt_fail_at(site, TT_EARG, "no optimizer");
}

/* ---- a step ---- */

/* The leaves of a tree that must match the parameters leaf by leaf. */
bool optim_leaves(const char *site, const char *what, tt_val params, tt_val tree, tt_val *to)
{
    char both[96];
    const int n = tt_tree_leaves_at(site, params, 0, NULL);
    snprintf(both, sizeof both, "opt_step: parameters and %s", what);
    if (tt_match_at(site, both, params, tree)) return tt_tree_leaves_at(site, tree, n, to) == n;
    tt_hint("make the optimizer from these parameters, and differentiate with respect to them");
    return false;
}

/* The leaves of a field, each of which must have the form that the part gives it for the parameter. */
static bool field_leaves(const optim_step *s, const optim_part *p, int f, tt_val *to)
{
    char what[64];
    const char *site = s->site;
    const tt_val field = tt_get_at(site, *s->state, p->field[f]);
    snprintf(what, sizeof what, "the optimizer's %s", p->field[f]);
    const bool plain = !p->rule->shaped && !tt_form_has(&p->form, "only");
    if (plain) return optim_leaves(site, what, s->params, field, to);
    if (tt_tree_leaves_at(site, field, 0, NULL) != s->n) {
        tt_fail_at(site, TT_ETREE, "opt_step: %s has not a leaf for each parameter", what);
        return false;
    }
    tt_tree_leaves_at(site, field, s->n, to);
    for (int i = 0; i < s->n && tt_ok(); i++) {
        if (!s->on[i]) continue;
        const tt_val own = p->rule->shaped ? p->rule->shaped(site, p, f, s->p[i]) : (tt_val){ 0, 0 };
        const tt_val want = own.slot || own.born ? own : s->p[i];
        bool same = tt_rank_at(site, want) == tt_rank_at(site, to[i]);
        for (int k = 0; same && k < tt_rank_at(site, want); k++)
            same = tt_dim_at(site, want, k) == tt_dim_at(site, to[i], k);
        if (same) continue;
        tt_fail_at(site, TT_ESHAPE, "opt_step: %s of \"%s\" is %s, expected %s", what,
                   tt_leaf_path_at(site, s->params, i), tt_type_text_at(site, to[i]), tt_type_text_at(site, want));
        tt_hint("make the optimizer from these parameters");
    }
    return tt_ok();
}

static bool run_part(optim_step *s, optim_part *p, tt_val *buffer, const bool *frozen)
{
    for (int i = 0; i < s->n; i++) {
        const char *path = tt_leaf_path_at(s->site, s->params, i);
        s->on[i] = !frozen[i] && optim_takes(p, "only", path);
    }
    for (int f = 0; f < OPTIM_FIELDS && *p->field[f]; f++) {
        p->f[f] = buffer + (size_t)f * (size_t)s->n;
        if (!field_leaves(s, p, f, p->f[f])) return false;
    }
    for (int i = 0; i < s->n; i++)
        s->on[i] = s->on[i] && optim_takes(p, "mask", tt_leaf_path_at(s->site, s->params, i));
    if (p->rule->begin) p->rule->begin(s, p);
    for (int i = 0; i < s->n && p->rule->leaf && tt_ok(); i++) if (s->on[i]) p->rule->leaf(s, p, i);
    for (int f = 0; f < OPTIM_FIELDS && *p->field[f] && tt_ok(); f++)
        *s->state = tt_set_at(s->site, *s->state, p->field[f], optim_field(s->site, s->params, p->f[f]));
    return tt_ok();
}

bool optim_run(optim_step *s, optim_chain *c, tt_val *buffer, const bool *frozen)
{
    const bool counts = chain_counts(c);
    s->count = counts ? tt_get_at(s->site, *s->state, "count") : tt_i(0);
    s->t = tt_cast_at(s->site, tt_add_at(s->site, s->count, tt_i(1)), TT_F32);
    for (int i = 0; i < c->n; i++) if (!run_part(s, &c->part[i], buffer, frozen)) return false;
    if (counts) *s->state = tt_set_at(s->site, *s->state, "count", tt_add_at(s->site, s->count, tt_i(1)));
    return tt_ok();
}

static tt_val chain_added(const char *site, tt_val p, tt_val u)  /* p + u in p's type, added in the wider one */
{
    return tt_cast_at(site, tt_add_at(site, p, u), tt_dtype_of_at(site, p));
}

typedef struct { optim_chain c; bool frozen[OPTIM_LEAVES], on[OPTIM_LEAVES]; tt_val leaf[]; } work;

/* True if the state's rates are numbers, and the loss is there for parts that need it; else sets the error. */
static bool chain_ready(const optim_step *s, const optim_chain *c)
{
    for (int i = 0; i < c->n && tt_ok(); i++) {
        const char *const rate = c->part[i].rate, *const name = c->part[i].rule->name;
        const int is = c->part[i].rule->is;
        if (*rate && tt_rank_at(s->site, tt_get_at(s->site, *s->state, rate)) != 0 && tt_ok())
            tt_fail_at(s->site, TT_ESHAPE, "opt_step: the optimizer's \"%s\" is %s; it is one number", rate,
                       tt_type_text_at(s->site, tt_get_at(s->site, *s->state, rate)));
        if (!((is & LOSS) && !s->value) && !((is & SEARCH) && !s->loss)) continue;
        tt_fail_at(s->site, TT_EARG, "opt_step: %s needs the loss", name);
        tt_hint(is & SEARCH ? "tt_opt_step_with(&params, &opt, loss, arguments...) evaluates it"
                            : "tt_opt_step_value(&params, &opt, grads, value) passes it on");
    }
    return tt_ok();
}

static void chain_step(optim_step s, tt_val *params, tt_val *opt, tt_val grads, work *w)
{
    const char *site = s.site;
    const int n = s.n;
    tt_val state = *opt;
    s.p = w->leaf, s.u = w->leaf + n, s.state = &state, s.params = *params, s.on = w->on;
    tt_val *const start = w->leaf + 2 * (size_t)n, *buffer = start + n;
    tt_tree_leaves_at(site, *params, n, s.p);
    if (!optim_leaves(site, "gradients", *params, grads, s.u)) return;
    for (int i = 0; i < n; i++) start[i] = s.u[i];
    s.grads = start;
    if (!optim_read(site, tt_tag_at(site, *opt), &w->c) || !names_ok(site, &w->c, state)) return;
    if (!chain_ready(&s, &w->c)) return;
    for (int i = 0; i < n; i++) w->frozen[i] = tt_leaf_frozen_at(site, s.p[i]);
    if (!optim_wrapped(&s, &w->c, buffer, w->frozen)) return;
    for (int i = 0; i < n; i++) if (!w->frozen[i]) s.p[i] = chain_added(site, s.p[i], s.u[i]);
    if (!optim_wrap_after(&s, &w->c, w->frozen, buffer)) return;
    tt_assign_at(site, opt, state);
    tt_assign_at(site, params, tt_tree_unflatten_at(site, *params, n, s.p));
}

void optim_step_of(optim_step s, tt_val *params, tt_val *opt, tt_val grads)
{
    const char *site = s.site;
    if (!tt_ok()) return;
    if (!params || !opt) {
        tt_fail_at(site, TT_EARG, "opt_step: %s that are NULL", params ? "optimizer slots" : "parameter slots");
        return;
    }
    s.n = tt_tree_leaves_at(site, *params, 0, NULL);
    if (!tt_tag_at(site, *opt) || !strchr(tt_tag_at(site, *opt), '(')) {
        tt_fail_at(site, TT_ETREE, "opt_step: the second value is no optimizer state");
        tt_hint("make one with tt_sgd(params) or tt_adam(params)");
        return;
    }
    work *w = s.n <= OPTIM_LEAVES ? calloc(1, sizeof *w + (size_t)s.n * (4 + OPTIM_FIELDS) * sizeof(tt_val)) : NULL;
    if (w) chain_step(s, params, opt, grads, w);
    else tt_fail_at(site, TT_EMEM, "opt_step: no memory for %d parameters", s.n);
    free(w);
}

void tt_opt_step_at(const char *site, tt_val *params, tt_val *opt, tt_val grads)
{
    TT_ENTRY(site);
    optim_step_of((optim_step){ .site = site }, params, opt, grads);
}

void tt_opt_step_value_at(const char *site, tt_val *params, tt_val *opt, tt_val grads, tt_val value)
{
    TT_ENTRY(site);
    if (tt_ok() && tt_rank_at(site, value) != 0) {
        tt_fail_at(site, TT_ESHAPE, "opt_step_value: the loss is %s; expected one number",
                   tt_rank_at(site, value) < 0 ? "a tree" : tt_type_text_at(site, value));
        return;
    }
    optim_step_of((optim_step){ .site = site, .value = &value }, params, opt, grads);
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

tt_val tt_incremental_update_at(const char *site, tt_val source, tt_val target, double step)
{
    TT_ENTRY(site);
    if (!tt_match_at(site, "incremental_update: source and target", source, target)) return tt_poison;
    if (!(step >= 0 && step <= 1))
        return tt_fail_at(site, TT_EARG, "incremental_update: a step of %g; it is between 0 and 1", step);
    const tt_val near = tt_mul_at(site, source, tt_f(step)), far = tt_mul_at(site, target, tt_f(1 - step));
    return tt_add_at(site, near, far);
}
