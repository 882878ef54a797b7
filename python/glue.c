/* glue.c - what the Python package adds to the C interface: functions of Python as functions of values, trees as one
 * text and a list of leaves, results kept beyond their scope. Part of the extension module tutti._tutti. */
#include "glue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- functions of Python ---- */

static void pt_python(int64_t id, int n, const tt_val *args, tt_val *out);       /* in Python: _functions.py */

static tt_val pt_called(void *env, int n, const tt_val *args)
{
    tt_val out = tt_poison;
    pt_python(*(const int64_t *)env, n, args, &out);
    return out;
}

tt_fn pt_bind(const char *site, const char *name, int64_t id)
{
    return tt_bind_env_at(site, name, pt_called, &id, sizeof id, -1);
}

static void pt_python_module(const tt_nn *m, const tt_val *x, tt_val *out);       /* in Python: _modules.py */

tt_val pt_module(tt_nn m, tt_val x)
{
    tt_val out = tt_poison;
    pt_python_module(&m, &x, &out);
    return out;
}

static void pt_python_activation(int gate, const tt_val *x, tt_val *out);
static void pt_python_initializer(const tt_val *key, int dtype, const int64_t *dims, tt_val *out);

static tt_val activation(int gate, tt_val x)
{
    tt_val out = tt_poison;
    pt_python_activation(gate, &x, &out);
    return out;
}

tt_val pt_act(const char *site, tt_val x) { (void)site; return activation(0, x); }
tt_val pt_gate(const char *site, tt_val x) { (void)site; return activation(1, x); }

tt_val pt_make(tt_val key, tt_dtype dtype, const int64_t *dims)
{
    tt_val out = tt_poison;
    pt_python_initializer(&key, (int)dtype, dims, &out);
    return out;
}

static void quiet(const tt_error_info *e, void *env) { (void)e, (void)env; }
void pt_begin(void) { tt_on_error(quiet, NULL); }
void pt_fail(const char *site, int code, const char *what) { tt_fail_at(site, (tt_code)code, "%s", what); }

/* ---- results ---- */

static bool ended;

void pt_end(void) { ended = true; }
void pt_drop(tt_val *v) { if (!ended) tt_drop(*v); }

static bool is_array(const char *site, tt_val v) { return *tt_kind_at(site, v) == 'a'; }

int pt_close(tt_scope s, const char *site, tt_val v)
{
    if (!tt_ok()) {
        tt_scope_close(s);
        return -1;
    }
    if (!is_array(site, v)) return 0;
    tt_keep_at(site, v);
    tt_scope_close(s);
    return 1;
}

/* ---- trees ----
 *
 *   text = "*"                            an array: the next of the leaves
 *        | "#"                            a tree with a tag of its own, as an optimizer's state: the next of the leaves
 *        | "~"                            None: the empty tuple with the tag "none"
 *        | "(" text... ")"                a tuple
 *        | "[" text... "]"                a list: a tuple with the tag "list"
 *        | "{" (name text)... "}"         a dict
 *        | "<" name (name text)... ">"    a record: its tag and its fields
 *   name = length ":" bytes */

static bool put(pt_tree *t, const char *s, size_t n)
{
    if (t->used + (int64_t)n + 1 > t->capacity) {
        const int64_t capacity = 2 * (t->used + (int64_t)n) + 64;
        char *text = realloc(t->text, (size_t)capacity);
        if (!text) return false;
        t->text = text, t->capacity = capacity;
    }
    memcpy(t->text + t->used, s, n);
    t->used += (int64_t)n;
    t->text[t->used] = '\0';
    return true;
}

static bool put_name(pt_tree *t, const char *name)
{
    char length[24];
    const int n = snprintf(length, sizeof length, "%zu:", strlen(name));
    return put(t, length, (size_t)n) && put(t, name, strlen(name));
}

static bool put_leaf(pt_tree *t, const char *site, const char *mark, tt_val v)
{
    if (t->n == t->most) {
        const int64_t most = 2 * t->n + 8;
        tt_val *leaf = realloc(t->leaf, (size_t)most * sizeof *leaf);
        if (!leaf) return false;
        t->leaf = leaf, t->most = most;
    }
    tt_keep_at(site, v);
    t->leaf[t->n++] = v;
    return put(t, mark, 1);
}

static bool walk(pt_tree *t, const char *site, tt_val v)
{
    const char *const kind = tt_kind_at(site, v), *const tag = tt_tag_at(site, v);
    const bool record = *kind == 'r', list = tag && !strcmp(tag, "list"), dict = *kind == 'd';
    if (*kind == 'a') return put_leaf(t, site, "*", v);
    if (tag && !strcmp(tag, "none")) return put(t, "~", 1);
    if (tag && !record && !list) return put_leaf(t, site, "#", v);
    if (!put(t, record ? "<" : list ? "[" : dict ? "{" : "(", 1)) return false;
    if (record && !put_name(t, tag ? tag : "")) return false;
    for (int i = 0, n = tt_items_at(site, v); i < n; i++) {
        const char *const name = record || dict ? tt_name_at(site, v, i) : NULL;
        if (name && !put_name(t, name)) return false;
        if (!walk(t, site, tt_item_at(site, v, i))) return false;
    }
    return put(t, record ? ">" : list ? "]" : dict ? "}" : ")", 1);
}

pt_tree *pt_flatten(const char *site, tt_val v)
{
    pt_tree *t = calloc(1, sizeof *t);
    if (t && walk(t, site, v) && tt_ok()) return t;
    for (int64_t i = 0; t && i < t->n; i++) tt_drop(t->leaf[i]);
    if (tt_ok()) tt_fail_at(site, TT_EMEM, "a tree: out of memory");
    pt_tree_free(t);
    return NULL;
}

void pt_tree_free(pt_tree *t)
{
    if (!t) return;
    free(t->text);
    free(t->leaf);
    free(t);
}

typedef struct { const char *at; const tt_val *leaf; const char *site; } reader;

static tt_val build(reader *r);

/* The name at r->at, copied; NULL: out of memory. */
static char *read_name(reader *r)
{
    char *end;
    const size_t n = (size_t)strtoull(r->at, &end, 10);
    char *name = malloc(n + 1);
    if (name) {
        memcpy(name, end + 1, n);
        name[n] = '\0';
    }
    r->at = end + 1 + n;
    return name;
}

typedef struct { char **name; tt_val *v; int n, most; } children;

static bool add_child(children *c, char *name, tt_val v)
{
    if (c->n == c->most) {
        const int most = 2 * c->n + 8;
        char **names = realloc(c->name, (size_t)most * sizeof *names);
        if (names) c->name = names;
        tt_val *values = realloc(c->v, ((size_t)most + 1) * sizeof *values);
        if (values) c->v = values;
        if (!names || !values) return false;
        c->most = most;
    }
    c->name[c->n] = name;
    c->v[c->n++] = v;
    return true;
}

static tt_val record_of(reader *r, const char *tag, const children *c)
{
    size_t n = 1;
    for (int i = 0; i < c->n; i++) n += strlen(c->name[i]) + 2;
    char *fields = calloc(1, n);
    if (!fields) return tt_fail_at(r->site, TT_EMEM, "a tree: out of memory");
    for (int i = 0; i < c->n; i++) {
        if (i) strcat(fields, ", ");
        strcat(fields, c->name[i]);
    }
    const tt_val v = tt_record_n(r->site, tag, fields, c->n, c->v);
    free(fields);
    return v;
}

static tt_val joined(reader *r, char open, const char *tag, children *c)
{
    if (!add_child(c, NULL, tt_end)) return tt_fail_at(r->site, TT_EMEM, "a tree: out of memory");
    c->n--;
    if (open == '{') return tt_dict_n(r->site, c->n, (const char *const *)c->name, c->v);
    if (open == '<') return record_of(r, tag, c);
    const tt_val v = tt_tuple_at(r->site, c->v);
    return open == '[' ? tt_tagged_at(r->site, "list", v) : v;
}

static tt_val build(reader *r)
{
    const char open = *r->at++;
    if (open == '*' || open == '#') return *r->leaf++;
    if (open == '~') return tt_tagged_at(r->site, "none", tt_none());
    const char close = open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '>';
    char *tag = open == '<' ? read_name(r) : NULL;
    children c = { 0 };
    bool ok = open != '<' || tag;
    while (ok && *r->at != close) {
        char *name = open == '{' || open == '<' ? read_name(r) : NULL;
        ok = add_child(&c, name, build(r)) && (name || open == '(' || open == '[');
    }
    r->at++;
    const tt_val v = ok ? joined(r, open, tag, &c) : tt_fail_at(r->site, TT_EMEM, "a tree: out of memory");
    for (int i = 0; i < c.n; i++) free(c.name[i]);
    free(c.name);
    free(c.v);
    free(tag);
    return v;
}

tt_val pt_build(const char *site, const char *text, const tt_val *leaf)
{
    reader r = { text, leaf, site };
    return build(&r);
}

tt_val pt_again(const char *site, tt_val v)
{
    const tt_val one[] = { v, tt_end };
    return tt_item_at(site, tt_tuple_at(site, one), 0);
}

int pt_dims(const char *site, tt_val v, int64_t *to, int most)
{
    const int rank = tt_rank_at(site, v);
    for (int i = 0; i < rank && i < most; i++) to[i] = tt_dim_at(site, v, i);
    return rank;
}

/* ---- DLPack: the end of a capsule that nobody has taken ---- */

void pt_capsule_drop(void *object)
{
    PyObject *const capsule = object;
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        tt_dlpack *const t = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        t->deleter((struct DLManagedTensorVersioned *)t);
    } else if (PyCapsule_IsValid(capsule, "dltensor")) {
        tt_dlpack_before_1 *const t = PyCapsule_GetPointer(capsule, "dltensor");
        t->deleter((struct DLManagedTensor *)t);
    }
}
