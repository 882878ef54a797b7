/* nn/collection.c - variables of any collection (Flax's self.variable, self.sow, apply(mutable=...)).
 *
 * Collections are a tree beside the parameters, a dict by collection of trees by path: {cache: {attention: {cached_key:
 * ...}}}. So a program donates and returns it whole, and optimizers do not see it. The collection batch_stats is where
 * norms keep theirs: among the parameters, frozen.
 */
#include "nn.h"

#include <stdio.h>
#include <string.h>

static bool is_collection_word(const char *s) { return s && *s && !strpbrk(s, ". ,") && strlen(s) < NN_NAME; }
static bool of_statistics(const char *collection) { return !strcmp(collection, "batch_stats"); }

static const char *collected_at(const nn_frame *f, const char *collection, const char *name, char *to, size_t size)
{
    snprintf(to, size, "%.63s%s%s.%.63s", collection, *f->path ? "." : "", f->path, name);
    return to;
}

/* True if the list, "cache, sums" or "*", has the collection. */
static bool is_listed(const char *list, const char *collection)
{
    if (!strcmp(list, "*")) return true;
    for (const char *p = list; *(p += strspn(p, ", "));) {
        const size_t n = strcspn(p, ", ");
        if (n == strlen(collection) && !strncmp(p, collection, n)) return true;
        p += n;
    }
    return false;
}

bool nn_is_collected(const nn_frame *f, const char *collection, const char *name)
{
    char path[NN_PATH + 2 * NN_NAME];
    const nn_collections *c = &f->root->collections;
    return c->is && tt_ok() && tt_has_at(f->site, c->fresh, collected_at(f, collection, name, path, sizeof path));
}

tt_val nn_collected(nn_frame *f, const char *collection, const char *name, tt_val start)
{
    char path[NN_PATH + 2 * NN_NAME];
    nn_collections *c = &f->root->collections;
    collected_at(f, collection, name, path, sizeof path);
    if (nn_is_collected(f, collection, name)) return tt_get_at(f->site, c->fresh, path);
    if (f->root->mode == NN_INIT) return start;
    if (c->is && is_listed(c->updates, collection)) {
        c->fresh = tt_set_at(f->site, c->fresh, path, start);
        return start;
    }
    if (c->making) return start;                         /* of a collection that is not asked for */
    tt_fail_at(f->site, TT_ETREE, "the collections have no \"%s\"", path);
    tt_hint("tt_init_collections() of the same module makes collections for tt_apply_with(.collections)");
    return tt_poison;
}

void nn_collect(nn_frame *f, const char *collection, const char *name, tt_val v)
{
    char path[NN_PATH + 2 * NN_NAME];
    nn_collections *c = &f->root->collections;
    if (f->root->mode == NN_INIT || c->making) return;   /* variables keep what they begin with */
    if (c->is && is_listed(c->updates, collection)) {
        c->fresh = tt_set_at(f->site, c->fresh, collected_at(f, collection, name, path, sizeof path), v);
        return;
    }
    tt_fail_at(f->site, TT_EARG, "variable_set: \"%s\" of collection \"%s\", which this pass does not update", name,
               collection);
    tt_hint("tt_apply_with(module, vars, x, .collections = c, .updates = \"%s\")", collection);
}

/* True if module, collection and name are such; else sets the error. */
static bool is_variable(const char *site, const char *what, tt_nn m, const char *collection, const char *name)
{
    if (!nn_there(site, m)) return false;
    m.p->site = site;
    const char *bad = !is_collection_word(collection) ? collection : name;
    if (!is_collection_word(bad)) {
        const char *const which = bad == name && is_collection_word(collection) ? "name" : "collection";
        tt_fail_at(site, TT_EARG, "%s: the %s is %s%s%s; expected a word of less than %d characters", what, which,
                   bad ? "\"" : "", bad ? bad : "NULL", bad ? "\"" : "", NN_NAME);
        return false;
    }
    if (strcmp(collection, "params")) return true;
    tt_fail_at(site, TT_EARG, "%s: \"%s\" of collection \"params\", which holds parameters only", what, name);
    tt_hint("tt_param(m, \"%s\", dims) makes a parameter", name);
    return false;
}

tt_val tt_variable_of_at(const char *site, tt_nn m, const char *collection, const char *name, tt_val start)
{
    TT_ENTRY(site);
    if (!is_variable(site, "variable_of", m, collection, name)) return tt_poison;
    return of_statistics(collection) ? nn_state(m.p, name, start) : nn_collected(m.p, collection, name, start);
}

void tt_variable_set_at(const char *site, tt_nn m, const char *collection, const char *name, tt_val v)
{
    TT_ENTRY(site);
    if (!is_variable(site, "variable_set", m, collection, name)) return;
    if (!of_statistics(collection)) nn_collect(m.p, collection, name, v);
    else if (m.p->root->mode == NN_TRAIN) nn_update(m.p, name, v);
    else if (m.p->root->mode == NN_APPLY && !m.p->root->collections.making) {
        tt_fail_at(site, TT_EARG, "variable_set: \"%s\" of collection \"batch_stats\" outside of training", name);
        tt_hint("if (tt_training(m)) tt_variable_set(...): statistics change in tt_apply_train");
    }
}

bool tt_has_variable_at(const char *site, tt_nn m, const char *collection, const char *name)
{
    TT_ENTRY(site);
    char path[NN_PATH + NN_NAME + 2];
    if (!is_variable(site, "has_variable", m, collection, name)) return false;
    if (!of_statistics(collection)) return nn_is_collected(m.p, collection, name);
    snprintf(path, sizeof path, "%s%s%s", m.p->path, *m.p->path ? "." : "", name);
    return tt_ok() && tt_has_at(site, m.p->root->vars, path);
}

/* A tuple of what was sown under the name in this pass, with v at its end. */
bool tt_sow_at(const char *site, tt_nn m, const char *collection, const char *name, tt_val v)
{
    TT_ENTRY(site);
    enum { MOST = 1024 };
    char path[NN_PATH + 2 * NN_NAME];
    if (!is_variable(site, "sow", m, collection, name)) return false;
    nn_collections *c = &m.p->root->collections;
    if (!c->is || c->making || m.p->root->mode == NN_INIT || !is_listed(c->updates, collection)) return false;
    tt_val sown[MOST + 1];
    int n = 0;
    collected_at(m.p, collection, name, path, sizeof path);
    if (tt_ok() && tt_has_at(site, c->fresh, path)) {
        const tt_val before = tt_get_at(site, c->fresh, path);
        n = tt_items_at(site, before);
        if (n >= MOST) return tt_fail_at(site, TT_EARG, "sow: more than %d values of \"%s\"", MOST, path), false;
        for (int i = 0; i < n; i++) sown[i] = tt_item_at(site, before, i);
    }
    sown[n++] = v;
    sown[n] = tt_end;
    c->fresh = tt_set_at(site, c->fresh, path, tt_tuple_at(site, sown));
    return tt_ok();
}

/* ---- running a module with collections ---- */

static const char *const no_module = "a module that is NULL";

/* True if the list has collections, each once; else sets the error. */
static bool lists_each_once(const char *site, const char *what, const char *list)
{
    const char *p = list;
    size_t n;
    for (; *(p += strspn(p, ", ")); p += n) {
        n = strcspn(p, ", ");
        for (const char *q = p + n; *(q += strspn(q, ", ")); q += strcspn(q, ", "))
            if (strcspn(q, ", ") == n && !strncmp(p, q, n))
                return tt_fail_at(site, TT_EARG, "%s: \"%.*s\" is listed twice", what, (int)n, p), false;
    }
    if (p != list && list[strspn(list, ", ")]) return true;
    tt_fail_at(site, TT_EARG, "%s = \"%s\" has no collection", what, list);
    return tt_hint("\"cache\", or \"cache, sums\"; \"*\" is all"), false;
}

/* Copies a list of collections; false with the error set: it is too long, or not one of collections. */
static bool is_list(const char *site, const char *what, const char *list, char to[NN_LIST])
{
    if (list && strlen(list) >= NN_LIST)
        return tt_fail_at(site, TT_EARG, "%s: a list of more than %d characters", what, NN_LIST - 1), false;
    if (list && !lists_each_once(site, what, list)) return false;
    snprintf(to, NN_LIST, "%s", list ? list : "");
    return tt_ok();
}

/* Sets the error for a listed collection that the result does not have. */
static void all_there(const char *site, const char *what, const char *list, tt_val c)
{
    for (const char *p = list; tt_ok() && strcmp(list, "*") && *(p += strspn(p, ", "));) {
        char one[NN_NAME];
        const size_t n = strcspn(p, ", ");
        snprintf(one, sizeof one, "%.*s", (int)n, p);
        p += n;
        if (tt_has_at(site, c, one)) continue;
        tt_fail_at(site, TT_ETREE, "%s: the module has no variable of collection \"%s\"", what, one);
        for (int i = 0; i < tt_items_at(site, c); i++) tt_hint("the module has \"%s\"", tt_name_at(site, c, i));
    }
}

tt_val tt_init_collections_at(const char *site, tt_module *module, tt_val vars, tt_val x,
                              const tt_init_collections_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_init_collections_opts, site, "init_collections", o)) return tt_poison;
    if (!module) return tt_fail_at(site, TT_EARG, no_module);
    nn_counts counts = { 0 };
    nn_frame f = { .site = site, .mode = NN_APPLY, .keys = nn_keys_of_vars(site, vars), .vars = vars, .key = o->key,
                   .counts = &counts };
    f.root = &f;
    f.collections.is = f.collections.making = true;
    f.collections.fresh = tt_dict_n(site, 0, NULL, NULL);
    if (!is_list(site, "init_collections: .only", o->only ? o->only : "*", f.collections.updates)) return tt_poison;
    nn_close(&f, module(nn_open(&f), x));
    if (o->only) all_there(site, "init_collections: .only", o->only, f.collections.fresh);
    return tt_ok() ? f.collections.fresh : tt_poison;
}

tt_val tt_apply_with_at(const char *site, tt_module *module, tt_val vars, tt_val x, const tt_apply_with_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_apply_with_opts, site, "apply_with", o)) return tt_poison;
    if (!module) return tt_fail_at(site, TT_EARG, no_module);
    nn_counts counts = { 0 };
    nn_frame f = { .site = site, .mode = o->train ? NN_TRAIN : NN_APPLY, .keys = nn_keys_of_vars(site, vars),
                   .vars = vars, .fresh = vars, .key = o->key, .counts = &counts };
    f.root = &f;
    f.collections.is = true;
    f.collections.fresh = nn_is(o->collections) ? o->collections : tt_dict_n(site, 0, NULL, NULL);
    if (tt_ok() && strcmp(tt_kind_at(site, f.collections.fresh), "dict")) {
        tt_fail_at(site, TT_ETREE, "apply_with: .collections is %s; expected a dict",
                   tt_type_text_at(site, f.collections.fresh));
        tt_hint("tt_init_collections() returns the dict, with an item per collection");
        return tt_poison;
    }
    if (!is_list(site, "apply_with: .updates", o->updates, f.collections.updates)) return tt_poison;
    const tt_val y = nn_close(&f, module(nn_open(&f), x));
    if (o->updates) all_there(site, "apply_with: .updates", o->updates, f.collections.fresh);
    return tt_tuple_at(site, (const tt_val[]){ y, f.collections.fresh, o->train ? f.fresh : tt_end, tt_end });
}
