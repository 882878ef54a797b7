/* optim/step.c - a step of an optimizer. As in optax, gradients pass through the parts of the chain in order and come
 * out as updates, which are added to the parameters. */
#include "optim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The leaves of a tree that must match the parameters leaf by leaf. */
bool optim_leaves(const char *site, const char *what, tt_val params, tt_val tree, tt_val *to)
{
    char both[96];
    const int n = tt_tree_leaves_at(site, params, 0, NULL);
    snprintf(both, sizeof both, "opt_step: parameters and %s", what);
    if (tt_match_at(site, both, params, tree)) return tt_tree_leaves_at(site, tree, n, to) == n;
    tt_hint("the optimizer is made from these parameters, and gradients are taken with respect to them");
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
        tt_fail_at(site, TT_ETREE, "opt_step: %s has %d leaves; expected %d, one per parameter", what,
                   tt_tree_leaves_at(site, field, 0, NULL), s->n);
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
        tt_fail_at(site, TT_ESHAPE, "opt_step: %s of \"%s\" is %s; expected %s", what,
                   tt_leaf_path_at(site, s->params, i), tt_type_text_at(site, to[i]), tt_type_text_at(site, want));
        tt_hint("tt_sgd(params), tt_adam(params) ... make the state from these parameters");
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
    const bool counts = optim_counts(c);
    s->count = counts ? tt_get_at(s->site, *s->state, "count") : tt_i(0);
    s->t = tt_cast_at(s->site, tt_add_at(s->site, s->count, tt_i(1)), TT_F32);
    for (int i = 0; i < c->n; i++) if (!run_part(s, &c->part[i], buffer, frozen)) return false;
    if (counts) *s->state = tt_set_at(s->site, *s->state, "count", tt_add_at(s->site, s->count, tt_i(1)));
    return tt_ok();
}

static tt_val step_added(const char *site, tt_val p, tt_val u)  /* p + u in p's type, added in the wider one */
{
    return tt_cast_at(site, tt_add_at(site, p, u), tt_dtype_of_at(site, p));
}

typedef struct { optim_chain c; bool frozen[OPTIM_LEAVES], on[OPTIM_LEAVES]; tt_val leaf[]; } work;

/* True if the state's rates are numbers, and the loss is there for parts that need it; else sets the error. */
static bool step_ready(const optim_step *s, const optim_chain *c)
{
    for (int i = 0; i < c->n && tt_ok(); i++) {
        const char *const rate = c->part[i].rate, *const name = c->part[i].rule->name;
        const int is = c->part[i].rule->is;
        if (*rate && tt_rank_at(s->site, tt_get_at(s->site, *s->state, rate)) != 0 && tt_ok())
            tt_fail_at(s->site, TT_ESHAPE, "opt_step: the optimizer's \"%s\" is %s; expected one number", rate,
                       tt_type_text_at(s->site, tt_get_at(s->site, *s->state, rate)));
        if (!((is & LOSS) && !s->value) && !((is & SEARCH) && !s->loss)) continue;
        tt_fail_at(s->site, TT_EARG, "opt_step: %s needs the loss", name);
        tt_hint(is & SEARCH ? "tt_opt_step_with(&params, &opt, loss, arguments...) evaluates the loss"
                            : "tt_opt_step_value(&params, &opt, grads, value) passes the loss on");
    }
    return tt_ok();
}

static void step_run(optim_step s, tt_val *params, tt_val *opt, tt_val grads, work *w)
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
    if (!optim_read(site, tt_tag_at(site, *opt), &w->c) || !optim_names_ok(site, &w->c, state)) return;
    if (!step_ready(&s, &w->c)) return;
    for (int i = 0; i < n; i++) w->frozen[i] = tt_leaf_frozen_at(site, s.p[i]);
    if (!optim_wrapped(&s, &w->c, buffer, w->frozen)) return;
    for (int i = 0; i < n; i++) if (!w->frozen[i]) s.p[i] = step_added(site, s.p[i], s.u[i]);
    if (!optim_wrap_after(&s, &w->c, w->frozen, buffer)) return;
    tt_assign_at(site, opt, state);
    tt_assign_at(site, params, tt_tree_unflatten_at(site, *params, n, s.p));
}

void optim_step_of(optim_step s, tt_val *params, tt_val *opt, tt_val grads)
{
    const char *site = s.site;
    if (!tt_ok()) return;
    if (!params || !opt) {
        tt_fail_at(site, TT_EARG, "opt_step: the pointer to the %s is NULL", params ? "state" : "parameters");
        return;
    }
    s.n = tt_tree_leaves_at(site, *params, 0, NULL);
    if (!tt_tag_at(site, *opt) || !strchr(tt_tag_at(site, *opt), '(')) {
        tt_fail_at(site, TT_ETREE, "opt_step: the second argument is not the state of an optimizer");
        tt_hint("tt_sgd(params), tt_adam(params) and tt_optimizer(params, text) make a state");
        return;
    }
    work *w = s.n <= OPTIM_LEAVES ? calloc(1, sizeof *w + (size_t)s.n * (4 + OPTIM_FIELDS) * sizeof(tt_val)) : NULL;
    if (w) step_run(s, params, opt, grads, w);
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

tt_val tt_opt_step_with_at(const char *site, tt_val *params, tt_val *opt, tt_fn loss, const tt_val *args)
{
    TT_ENTRY(site);
    enum { MOST = 7 };
    const tt_grad_opts usual = { .size = sizeof usual };
    tt_val v[MOST + 2];
    int n = 0;
    if (!tt_ok()) return tt_poison;
    if (!params || !opt)
        return tt_fail_at(site, TT_EARG, "opt_step_with: the pointer to the %s is NULL",
                          params ? "state" : "parameters");
    for (; args && (args[n].slot != UINT32_MAX || args[n].born != UINT32_MAX); n++) {
        if (n == MOST)
            return tt_fail_at(site, TT_EARG, "opt_step_with: more than the limit of %d arguments of the loss", MOST);
        v[n + 1] = args[n];
    }
    v[0] = *params;
    const tt_val both = tt_call_n(site, tt_value_and_grad_at(site, loss, &usual), n + 1, v);
    const tt_val value = tt_item_at(site, both, 0), grads = tt_item_at(site, both, 1);
    v[n + 1] = tt_end;
    const optim_step s = {
        .site = site, .value = &value, .loss = &loss, .nargs = n, .args = n ? tt_tuple_at(site, v + 1) : value
    };
    optim_step_of(s, params, opt, grads);
    return tt_ok() ? value : tt_poison;
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
            leaf[i] = step_added(site, leaf[i], leaf[n + i]);
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
        return tt_fail_at(site, TT_EARG, "incremental_update: a step of %g; expected 0 to 1", step);
    const tt_val near = tt_mul_at(site, source, tt_f(step)), far = tt_mul_at(site, target, tt_f(1 - step));
    return tt_add_at(site, near, far);
}
