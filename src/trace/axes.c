/* trace/axes.c - logical axes and the rules that lay them on a mesh: "batch:data, hidden:model" (a:b+c: both).
 *
 * A name without a rule, and '_', leave their dim whole. A mesh axis that an earlier dim took is not taken again, as in
 * Flax. Outside a jit with rules and a mesh, tt_axes does nothing. */
#include "trace.h"

#include <ctype.h>
#include <string.h>

#include "inside.h"

typedef struct { const char *at; size_t n; } span;

static span trimmed(const char *s, size_t n)
{
    while (n && isspace((unsigned char)*s)) s++, n--;
    while (n && isspace((unsigned char)s[n - 1])) n--;
    return (span){ s, n };
}

static bool same(span a, span b) { return a.n == b.n && !memcmp(a.at, b.at, a.n); }

/* The right side of the rule for a name; n == 0: none. */
static span rule_for(const char *rules, span name)
{
    for (const char *p = rules ? rules : ""; *p;) {
        const size_t n = strcspn(p, ",");
        const char *colon = memchr(p, ':', n);
        if (colon && same(trimmed(p, (size_t)(colon - p)), name))
            return trimmed(colon + 1, n - (size_t)(colon - p) - 1);
        p += n + (p[n] == ',');
    }
    return (span){ NULL, 0 };
}

static bool no_axis(base_site site, const mesh *m, const char *rules, span axis)
{
    base_fail(TT_ESPEC, site, "rules name mesh axis \"%.*s\", which the mesh %s has not", (int)axis.n, axis.at,
              mesh_text(trace_temp(), m));
    base_caret(rules, (size_t)(axis.at - rules));
    return base_hint("a rule is logical:mesh, \"batch:data\"; \"batch:_\" leaves that dim whole");
}

/* Axes joined by '+' on the right side of a rule, less those in `used`. */
static bool take(base_site site, const mesh *m, const char *rules, span right, mesh_set *used, mesh_list *out)
{
    for (const char *p = right.at, *end = right.at + right.n; p < end;) {
        const char *plus = memchr(p, '+', (size_t)(end - p));
        const span axis = trimmed(p, (size_t)((plus ? plus : end) - p));
        if (!(axis.n == 1 && *axis.at == '_')) {
            const mesh_list atoms = mesh_axis_list(m, base_intern_n(axis.at, axis.n));
            if (!mesh_list_n(atoms)) return no_axis(site, m, rules, axis);
            if (!(*used & mesh_list_set(atoms)))
                for (int i = 0; i < mesh_list_n(atoms); i++) *out = mesh_list_push(*out, mesh_list_at(atoms, i));
            *used |= mesh_list_set(atoms);
        }
        p = plus ? plus + 1 : end;
    }
    return true;
}

/* Every rule has its colon, and names axes that the mesh has (NULL: any). */
bool axes_rules_ok(base_site site, const mesh *m, const char *rules)
{
    for (const char *p = rules; *p;) {
        const size_t n = strcspn(p, ",");
        const char *colon = memchr(p, ':', n);
        const span name = trimmed(p, colon ? (size_t)(colon - p) : n);
        const span right = colon ? trimmed(colon + 1, n - (size_t)(colon - p) - 1) : (span){ NULL, 0 };
        mesh_set used = 0;
        mesh_list atoms = 0;
        if (!right.n || !name.n) {
            base_fail(TT_ESPEC, site, "a rule without %s", !colon ? "':'" : !name.n ? "a logical axis" : "a mesh axis");
            base_caret(rules, (size_t)(name.at - rules));
            return base_hint("rules are \"batch:data, hidden:model\": logical axis to mesh axis, '+' joins axes, '_' none");
        }
        if (m && !take(site, m, rules, right, &used, &atoms)) return false;
        p += n + (p[n] == ',');
    }
    return true;
}

bool axes_layout(base_site site, const mesh *m, const char *rules, const char *names, int rank, const mesh_layout **out)
{
    mesh_list dim[IR_RANK] = { 0 };
    mesh_set used = 0;
    int d = 0;
    for (const char *p = names; *p; d++) {
        const size_t n = strcspn(p, ",");
        if (d >= rank) {
            base_fail(TT_ESPEC, site, "axes \"%s\" for a value of rank %d", names, rank);
            base_caret(names, (size_t)(p - names) + strspn(p, " "));
            return base_hint("one name per dim, '_' for none");
        }
        const span right = rule_for(rules, trimmed(p, n));
        if (right.n && !take(site, m, rules, right, &used, &dim[d])) return false;
        p += n + (p[n] == ',');
    }
    *out = mesh_layout_dims(m, rank, dim);
    return true;
}

typedef struct { const mesh_layout *to; } constraint;

static bool constrain_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const constraint *c = env;
    const op_layout_attr attr = { { 1, &c->to } };
    return (out[0] = ir_emit(b, &row_constrain, &attr, 1, in, 0, NULL)) != 0;
}

trace_value *trace_axes(base_site site, trace_value *v, const char *names)
{
    trace_frame *f = trace_top();
    constraint c;
    trace_value *y = NULL;
    if (!v->type) {
        base_fail(TT_ETREE, site, "tt_axes takes an array");
        trace_cite(v);
        return NULL;
    }
    if (!f || !f->mesh || !f->rules) return trace_ref(v);
    if (!axes_layout(site, f->mesh, f->rules, names, v->type->rank, &c.to)) return NULL;
    if (trace_do(site, constrain_body, &c, sizeof c, 1, &v, 1, &y)) y->weak = v->weak;
    return y;
}
