/* trace/record/axes.c - logical axes and the rules that map them to mesh axes: "batch:data, hidden:model"; a:b+c maps a
 * to both b and c.
 *
 * As in Flax, rules are applied in order: a rule shards the dim of its name, unless an earlier rule has done so or one
 * of its mesh axes is in use; so a name may have several rules, the later ones being alternatives. A name without a
 * rule, and '_', leave their dim unsharded. Outside a jit with rules and a mesh, tt_logical_constraint has no
 * effect. */
#include "../trace.h"
#include "../../op/ops.h"

#include <ctype.h>
#include <string.h>

#include "../inner.h"

typedef struct { const char *at; size_t n; } span;

static span trimmed(const char *s, size_t n)
{
    while (n && isspace((unsigned char)*s)) s++, n--;
    while (n && isspace((unsigned char)s[n - 1])) n--;
    return (span){ s, n };
}

static bool axes_same(span a, span b) { return a.n == b.n && !memcmp(a.at, b.at, a.n); }

/* Reads the next rule. Returns false if there are no more rules. */
static bool next_rule(const char **p, span *name, span *right)
{
    if (!**p) return false;
    const size_t n = strcspn(*p, ",");
    const char *colon = memchr(*p, ':', n);
    *name = trimmed(*p, colon ? (size_t)(colon - *p) : n);
    *right = colon ? trimmed(colon + 1, n - (size_t)(colon - *p) - 1) : (span){ NULL, 0 };
    *p += n + ((*p)[n] == ',');
    return true;
}

static bool no_axis(base_site site, const mesh *m, const char *rules, span axis)
{
    base_fail(TT_ESPEC, site, "rules name mesh axis \"%.*s\", but the mesh %s has no such axis", (int)axis.n, axis.at,
              mesh_text(trace_temp(), m));
    base_caret(rules, (size_t)(axis.at - rules));
    base_hint_choices(NULL, axis.at, axis.n, mesh_text(trace_temp(), m));
    return base_hint("a rule is logical:mesh, \"batch:data\"; \"batch:_\" leaves that dim unsharded");
}

/* Reads the mesh axes joined by '+' on the right side of a rule; '_' is no axis. */
static bool axes_axes_of(base_site site, const mesh *m, const char *rules, span right, mesh_list *out)
{
    *out = 0;
    for (const char *p = right.at, *end = right.at + right.n; p <= end;) {
        const char *plus = memchr(p, '+', (size_t)(end - p));
        const span axis = trimmed(p, (size_t)((plus ? plus : end) - p));
        const mesh_list atoms = axis.n == 1 && *axis.at == '_' ? 0 : mesh_axis_list(m, base_intern_n(axis.at, axis.n));
        if (!atoms && !(axis.n == 1 && *axis.at == '_')) return no_axis(site, m, rules, axis);
        if (mesh_list_set(*out) & mesh_list_set(atoms)) {
            base_fail(TT_ESPEC, site, "a rule has the mesh axis \"%.*s\" twice", (int)axis.n, axis.at);
            return base_caret(rules, (size_t)(axis.at - rules));
        }
        for (int i = 0; i < mesh_list_n(atoms); i++) *out = mesh_list_push(*out, mesh_list_at(atoms, i));
        p = plus ? plus + 1 : end + 1;
    }
    return true;
}

/* True if every '+' on the right side of a rule has a name before and after it. */
static bool axes_joined(span right)
{
    size_t n = 0;
    for (size_t i = 0; i <= right.n; i++) {
        const bool ends = i == right.n || right.at[i] == '+';
        if (ends && !n) return false;
        n = ends ? 0 : n + !isspace((unsigned char)right.at[i]);
    }
    return true;
}

static bool bad_rule(base_site site, const char *rules, const char *lacks, const char *at)
{
    base_fail(TT_ESPEC, site, "a rule without %s", lacks);
    base_caret(rules, (size_t)(at - rules));
    return base_hint("rules are \"batch:data, hidden:model\": logical axis to mesh axis, '+' joins axes, '_' none");
}

bool trace_rules_ok(base_site site, const mesh *m, const char *rules)
{
    span name, right;
    mesh_list atoms;
    for (const char *p = rules; next_rule(&p, &name, &right);) {
        if (!right.n || !name.n || !axes_joined(right))
            return bad_rule(site, rules, !right.at ? "':'" : !name.n ? "a logical axis" : "a mesh axis", name.at);
        if (m && !axes_axes_of(site, m, rules, right, &atoms)) return false;
    }
    const span all = trimmed(rules, strlen(rules));
    return !all.n || all.at[all.n - 1] != ',' || bad_rule(site, rules, "':'", all.at + all.n);
}

/* True if s is a name: neither empty nor several words. */
static bool one_word(span s)
{
    for (size_t i = 0; i < s.n; i++) if (isspace((unsigned char)s.at[i])) return false;
    return s.n > 0;
}

/* Reads the names of dims, '_' for none. Returns their number; -1 with the error set. */
static int axes_dims_of(base_site site, const char *names, int rank, span *dim)
{
    bool more = *names;
    int n = 0;
    for (const char *p = names; more; n++) {
        const size_t len = strcspn(p, ",");
        const span s = trimmed(p, len);
        const char *wrong = n >= rank ? "\"%s\": more names than the value has dims (%d)" : NULL;
        if (!one_word(s)) wrong = "\"%s\" of %d dims: a comma is between two names";
        for (int d = 0; d < n && !wrong; d++)
            if (axes_same(dim[d], s) && !(s.n == 1 && *s.at == '_')) wrong = "\"%s\": one name for two dims of %d";
        if (wrong) {
            base_fail(TT_ESPEC, site, "axes %s", base_format(trace_temp(), wrong, names, rank));
            base_caret(names, (size_t)(p - names) + strspn(p, " "));
            return base_hint("one name per dim, '_' for none"), -1;
        }
        dim[n] = s;
        more = p[len] == ',';
        p += len + more;
    }
    return n;
}

/* True if the names differ by one letter changed, removed, inserted, or exchanged with the next. */
static bool one_off(span a, span b)
{
    size_t head = 0, tail = 0;
    const size_t most = a.n > b.n ? a.n : b.n, least = a.n < b.n ? a.n : b.n;
    if (most - least > 1 || axes_same(a, b)) return false;
    while (head < least && a.at[head] == b.at[head]) head++;
    while (tail < least - head && a.at[a.n - 1 - tail] == b.at[b.n - 1 - tail]) tail++;
    if (most - head - tail <= 1) return true;
    const char *const x = a.at + head, *const y = b.at + head;
    return a.n == b.n && a.n - head - tail == 2 && x[0] == y[1] && x[1] == y[0];
}

/* The logical axis of a rule of which `name`, which has no rule, is a misspelling: "batch" for "bacth". n is 0 if there
 * is none. */
static span misspelt(const char *rules, span name)
{
    span rule, right;
    for (const char *p = rules; next_rule(&p, &rule, &right);)
        if (name.n > 3 && rule.n > 3 && one_off(name, rule)) return rule;
    return (span){ NULL, 0 };
}

/* True if no name is a misspelling of a rule's name; else sets the error. A table may have rules that are not used, and
 * names without a rule are allowed; so only a name that is nearly a rule's is an error. */
static bool good_names(base_site site, const char *rules, int n, const span *named)
{
    span rule, right;
    trace_thread *const t = trace_this();
    for (int d = 0; d < n; d++) {
        if (!named[d].n || (named[d].n == 1 && *named[d].at == '_')) continue;
        bool has = false;
        for (const char *p = rules; !has && next_rule(&p, &rule, &right);) has = axes_same(rule, named[d]);
        t->named_axes++;
        t->ruled_axes += has;
        const span near = has ? (span){ NULL, 0 } : misspelt(rules, named[d]);
        if (!near.n) continue;
        base_fail(TT_ESPEC, site, "logical axis \"%.*s\" has no rule, \"%.*s\" has one", (int)named[d].n, named[d].at,
                  (int)near.n, near.at);
        base_caret(rules, (size_t)(near.at - rules));
        return base_hint("the names must be the same; if two are meant, \"%.*s:_\" leaves that dim unsharded",
                         (int)named[d].n, named[d].at);
    }
    return true;
}

bool axes_layout(base_site site, const mesh *m, const char *rules, const char *names, int rank, const mesh_layout **out)
{
    mesh_list dim[IR_RANK] = { 0 };
    bool done[IR_RANK] = { 0 };
    span named[IR_RANK], name, right;
    mesh_set used = 0;
    const int n = axes_dims_of(site, names, rank, named);
    if (n < 0 || (rules && !good_names(site, rules, n, named))) return false;
    for (const char *p = rules ? rules : ""; next_rule(&p, &name, &right);) {
        mesh_list atoms;
        int d = 0;
        while (d < n && !axes_same(named[d], name)) d++;
        if (!axes_axes_of(site, m, rules, right, &atoms)) return false;
        if (d == n || done[d] || (mesh_list_set(atoms) & used)) continue;
        dim[d] = atoms;
        done[d] = true;
        used |= mesh_list_set(atoms);
    }
    *out = mesh_layout_dims(m, rank, dim);
    return true;
}

/* True if there is a name per dim; else the error is set. */
static bool axes_fit(base_site site, const char *names, int rank)
{
    span named[IR_RANK];
    return axes_dims_of(site, names, rank, named) >= 0;
}

typedef struct { const mesh_layout *to; } constraint;

static bool constrain_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const constraint *c = env;
    const op_layout_attr attr = { { 1, &c->to } };
    return (out[0] = ir_emit(b, &prim_constrain, &attr, 1, in, 0, NULL)) != 0;
}

trace_value *trace_axes(base_site site, trace_value *v, const char *names)
{
    trace_frame *f = trace_top();
    constraint c;
    trace_value *y = NULL;
    if (!v->type) {
        base_fail(TT_ETREE, site, "tt_logical_constraint takes an array, not the tree %s",
                  trace_tree_text(trace_temp(), v->tree));
        trace_cite(v);
        return NULL;
    }
    if (!f || !f->mesh || !f->rules) {                   /* names that could never be laid out are errors here too */
        return axes_fit(site, names, v->type->rank) ? trace_ref(v) : NULL;
    }
    if (!axes_layout(site, f->mesh, f->rules, names, v->type->rank, &c.to)) return NULL;
    if (trace_do(site, constrain_body, &c, sizeof c, 1, &v, 1, &y)) y->weak = v->weak;
    return y;
}
