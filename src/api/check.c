/* api/check.c - tt_check: an equation that is an error where its operand is false (op/elem/check.c). */
#include "api.h"

#include <string.h>

enum { SHOWN = 8 };                                      /* most values in a text */
typedef struct { base_name text; base_site site; int64_t n; } check_env;

/* The number of {} in a text; -1 with the error set: a brace is alone. */
static int places(base_site site, const char *text)
{
    int n = 0;
    for (const char *p = text; *p; p++) {
        if (*p != '{' && *p != '}') continue;
        const bool place = *p == '{' && p[1] == '}';
        if (!place && p[1] != *p) {
            base_fail(TT_ETEXT, site, "check: a brace without its partner in the text");
            base_caret(text, (size_t)(p - text));
            base_hint("{} is the place of a value, {{ and }} are braces");
            return -1;
        }
        n += place;
        p++;
    }
    return n;
}

/* True if v can be broadcast to pred's shape: aligned at the last dim, sizes equal or 1. */
static bool fits(base_site site, const trace_value *pred, const trace_value *v, int i)
{
    const ir_type *const t = v->type, *const to = pred->type;
    bool ok = t->rank <= to->rank;
    for (int d = 0; ok && d < t->rank; d++) ok = t->dim[d] == 1 || t->dim[d] == to->dim[d + to->rank - t->rank];
    if (ok) return true;
    base_fail(TT_ESHAPE, site, "check: value %d is %s, which does not broadcast to the predicate, %s", i,
              trace_type_text(trace_temp(), v), trace_type_text(trace_temp(), pred));
    return base_hint("the values are those of the element that fails: leave the predicate per element, without tt_all");
}

static bool check_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const check_env *const c = env;
    const ir_type *const to = ir_typeof(b, in[0]);
    ir_id x[SHOWN + 1] = { in[0] };
    for (int i = 1; i <= c->n; i++) {
        const ir_type *const t = ir_typeof(b, in[i]);
        int64_t at[IR_RANK];
        if (!t) return false;
        for (int d = 0; d < t->rank; d++) at[d] = d + to->rank - t->rank;
        x[i] = ir_same_dims(t, to) ? in[i]
                                   : op_broadcast(b, in[i], ir_type_as(t, t->dtype, to->rank, to->dim), t->rank, at);
    }
    return (out[0] = ir_emit(b, op_find("check"), &c->text, (uint32_t)c->n + 1, x, 0, NULL)) != 0;
}

ENTRY3(bool, false, api_check, tt_val, pred, const char *, text, const tt_val *, v)
{
    trace_value *x[SHOWN + 1] = { trace_array(site, "tt_check", pred) }, *y = NULL;
    if (!x[0]) return false;
    if (x[0]->type->dtype != TT_BOOL) {
        base_fail(TT_ETYPE, site, "check: the predicate is %s; expected bool", trace_type_text(trace_temp(), x[0]));
        trace_cite(x[0]);
        return base_hint("compare: tt_check(tt_gt(x, tt_f(0)), ...)");
    }
    const int want = text ? places(site, text) : 0;
    const int n = want < 0 ? -1 : api_list(site, "tt_check", v);
    if (n < 0) return false;
    if (n != want || n > SHOWN)
        return base_fail(TT_EARG, site, "check: %d values for %d places {} in the text%s", n, want,
                         n > SHOWN ? "; 8 are the most" : "");
    for (int i = 0; i < n; i++)
        if (!(x[i + 1] = trace_array(site, "tt_check", v[i])) || !fits(site, x[0], x[i + 1], i)) return false;
    check_env env;
    memset(&env, 0, sizeof env);                         /* pieces are found by these bytes */
    env.text = base_intern(text ? text : ""), env.site = site, env.n = n;
    if (!trace_do(site, check_body, &env, sizeof env, n + 1, x, 1, &y)) return false;
    trace_unref(y);
    return true;
}

void tt_check_at(const char *site, tt_val pred, const char *text, const tt_val *v)
{
    api_check_at(site, pred, text, v);
}
