/* api/show.c - values as text: type with layout, then elements as NumPy prints them, long arrays abridged.
 *
 * Floats of one array share a format: as many decimals as the element that needs most (at most 8 significant digits),
 * or exponents if the largest is 1000 times the smallest or outside the ordinary range. More than 1000 elements: three
 * at each end of a dim. */
#include "api.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDGE = 3, MOST = 1000, LINE = 75 };
enum { NUMBER = 512 };                                   /* letters of an element, as %f prints 1e308 */

typedef struct {
    base_text t;
    ir_box box;
    const ir_type *type;
    ir_class cls;
    const char *form;                                    /* NULL, or C's format for an element; see api_box_text */
    bool abridged, exponent;
    int wide, decimals;
    size_t line;                                         /* the beginning of this line */
} printing;

static bool hidden(const printing *p, int64_t i, int64_t n)
{
    return p->abridged && n > 2 * EDGE && i >= EDGE && i < n - EDGE;
}

/* Visits the elements that will be printed. */
static void visit(printing *p, int d, int64_t *i, void (*f)(printing *, const int64_t *, void *), void *env)
{
    if (d == p->type->rank) {
        f(p, i, env);
        return;
    }
    for (i[d] = 0; i[d] < p->type->dim[d]; i[d]++) {
        if (hidden(p, i[d], p->type->dim[d])) i[d] = p->type->dim[d] - EDGE;
        visit(p, d + 1, i, f, env);
    }
}

/* ---- the common format of floats ---- */

typedef struct { double least, most; int decimals, digits; bool special, any; } range;

static double value_of(const printing *p, const int64_t *i)
{
    const ir_num x = ir_load(&p->box, i);
    return p->cls == IR_UINT_CLASS   ? (double)x.u
           : p->cls == IR_INT_CLASS  ? (double)x.i
           : p->cls == IR_BOOL_CLASS ? x.b
                                     : x.f;
}

static int significant(tt_dtype t)
{
    return t == TT_F64 || t == TT_C128 ? 17 : t == TT_F32 || t == TT_C64 ? 9 : t == TT_F16 ? 5 : 4;
}

/* The shortest text of x that reads back as the same number of its dtype, at most 8 decimals as in NumPy. */
static void shortest(const printing *p, double x, char *s, size_t capacity)
{
    const int most = significant(p->type->dtype);
    for (int n = 1; n <= most; n++) {
        base_snprintf(s, capacity, "%.*e", n - 1, x);
        const double y = base_strtod(s, NULL);
        const bool same = p->type->dtype == TT_F64 ? y == x : (float)y == (float)x;
        if (same || n == 9) return;
        if (ir_is_narrow(p->type->dtype) && ir_f64_narrow(p->type->dtype, y) == ir_f64_narrow(p->type->dtype,
            x)) return;
        if (p->type->dtype == TT_F16 && ir_f16_f32(ir_f64_f16(y)) == (float)x) return;
        if (p->type->dtype == TT_BF16 && ir_bf16_f32(ir_f64_bf16(y)) == (float)x) return;
    }
}

static void show_measure(printing *p, const int64_t *i, void *env)
{
    range *r = env;
    char s[64];
    const double x = fabs(value_of(p, i));
    if (!isfinite(x)) {
        r->special = true;
        return;
    }
    if (x != 0) {
        if (!r->any || x < r->least) r->least = x;
        if (!r->any || x > r->most) r->most = x;
        r->any = true;
    }
    shortest(p, x, s, sizeof s);
    const int digits = s[1] == '.' ? (int)(strchr(s, 'e') - s) - 2 : 0, exponent = atoi(strchr(s, 'e') + 1);
    if (digits > r->digits) r->digits = digits;
    const int decimals = digits - exponent > 0 ? digits - exponent : 0;
    if (decimals > r->decimals) r->decimals = decimals > 8 ? 8 : decimals;
}

static void put_form(const printing *p, const int64_t *i, char *s, size_t capacity)
{
    const ir_num x = ir_load(&p->box, i);
    const bool whole = strstr(p->form, "ll") != NULL, complex = p->cls == IR_COMPLEX_CLASS;
    if (whole) snprintf(s, capacity, p->form, p->cls == IR_UINT_CLASS ? x.u : p->cls == IR_BOOL_CLASS ? x.b
                                                                                                      : (uint64_t)x.i);
    else base_snprintf(s, capacity, p->form, complex ? x.c.re : value_of(p, i));
    const size_t n = strlen(s);
    char part[128];
    if (!complex || n + 1 >= capacity) return;
    base_snprintf(part, sizeof part, p->form, x.c.im);
    snprintf(s + n, capacity - n, "%s%sj", *part == '-' || *part == '+' ? "" : "+", part);
}

static void put_number(const printing *p, const int64_t *i, char *s, size_t capacity)
{
    const ir_num x = ir_load(&p->box, i);
    if (p->form) put_form(p, i, s, capacity);
    else if (p->cls == IR_BOOL_CLASS) snprintf(s, capacity, "%s", x.b ? "True" : "False");
    else if (p->cls == IR_INT_CLASS) snprintf(s, capacity, "%lld", (long long)x.i);
    else if (p->cls == IR_UINT_CLASS) snprintf(s, capacity, "%llu", (unsigned long long)x.u);
    else if (p->cls == IR_COMPLEX_CLASS) base_snprintf(s, capacity, "%.8g%+.8gj", x.c.re, x.c.im);
    else if (isnan(x.f)) snprintf(s, capacity, "nan");
    else if (isinf(x.f)) base_snprintf(s, capacity, x.f < 0 ? "-inf" : "inf");
    else if (p->exponent) base_snprintf(s, capacity, "%.*e", p->decimals, x.f);
    else {
        const int n = base_snprintf(s, capacity, "%.*f", p->decimals, x.f);
        if (!p->decimals && n > 0 && (size_t)n + 1 < capacity) s[n] = '.', s[n + 1] = '\0';
        for (char *e = s + strlen(s) - 1; p->decimals && e > s && *e == '0'; e--) *e = ' ';
    }
}

static void measure(printing *p, const int64_t *i, void *env)
{
    char s[NUMBER];
    (void)env;
    put_number(p, i, s, sizeof s);
    if ((int)strlen(s) > p->wide) p->wide = (int)strlen(s);
}

static void choose_form(printing *p)
{
    int64_t i[IR_RANK] = { 0 };
    range r = { 0 };
    if (p->cls == IR_FLOAT_CLASS && !p->form) {
        visit(p, 0, i, show_measure, &r);
        p->exponent = r.any && (r.most >= 1e8 || r.least < 1e-4 || r.most / r.least > 1000) &&
                      (r.most >= 1e8 || r.least < 1e-4 || r.most / r.least > 1000);
        p->decimals = p->exponent ? r.digits > 8 ? 8 : r.digits : r.decimals;
    }
    visit(p, 0, i, measure, NULL);
}

/* ---- elements ---- */

static void put_dim(printing *p, int d, int64_t *i)
{
    base_text *t = &p->t;
    if (d == p->type->rank) {
        char s[NUMBER];
        put_number(p, i, s, sizeof s);
        base_appendf(t, "%*s", p->wide, s);
        return;
    }
    const bool last = d == p->type->rank - 1;
    const int64_t n = p->type->dim[d];
    base_appendf(t, "[");
    for (i[d] = 0; i[d] < n; i[d]++) {
        if (i[d] && last && t->n - p->line + (size_t)p->wide + 2 > LINE) {
            base_appendf(t, "\n%*s", d + 1, "");
            p->line = t->n - (size_t)d - 1;
        } else if (i[d] && last) {
            base_appendf(t, " ");
        } else if (i[d]) {
            for (int k = d + 1; k < p->type->rank; k++) base_appendf(t, "\n");
            base_appendf(t, "%*s", d + 1, "");
            p->line = t->n - (size_t)d - 1;
        }
        if (hidden(p, i[d], n)) {
            base_appendf(t, "...");
            if (!last) for (int k = d + 1; k < p->type->rank; k++) base_appendf(t, "\n");
            if (!last) base_appendf(t, "%*s", d + 1, ""), p->line = t->n - (size_t)d - 1;
            else base_appendf(t, " ");
            i[d] = n - EDGE;
        }
        put_dim(p, d + 1, i);
    }
    base_appendf(t, "]");
}

const char *api_box_text(base_arena *a, const ir_box *x, const char *form)
{
    int64_t i[IR_RANK] = { 0 };
    printing p = { .t.arena = a, .box = *x, .type = ir_type_of(x->dtype, x->rank, x->n),
                   .cls = ir_dtype_of(x->dtype)->cls, .form = form };
    memset(p.box.lo, 0, sizeof p.box.lo);
    p.abridged = ir_count(p.type) > MOST;
    choose_form(&p);
    put_dim(&p, 0, i);
    return p.t.s ? p.t.s : "";
}

static const char *elements(base_site site, trace_value *v)      /* NULL with the error set */
{
    void *const host = api_host_elements(site, v, NULL, NULL);
    if (!host) return NULL;
    const ir_box box = ir_box_dense(host, v->type);
    return api_box_text(trace_temp(), &box, NULL);
}

/* ---- tt_show ---- */

/* True if other ranks hold elements that this rank does not. */
static bool is_elsewhere(const trace_value *v) { return v->form == TRACE_CONCRETE && !run_is_complete(v->array); }

/* "rank 0 has [0:16, 0:8]", a line for each rank that has something, at most MANY. */
static const char *ranks_text(const trace_value *v)
{
    enum { MANY = 8 };
    base_text t = { .arena = trace_temp() };
    const int ranks = run_job_now().ranks;
    int shown = 0;
    base_appendf(&t, "%s", "");
    for (int r = 0; r < ranks && shown <= MANY; r++) {
        int64_t lo[IR_RANK], hi[IR_RANK];
        bool any = true;
        api_rank_box(v->type, v->layout, r, lo, hi);
        for (int d = 0; d < v->type->rank; d++) any &= hi[d] > lo[d];
        if (!any) continue;
        if (++shown > MANY) base_appendf(&t, "\n  ...");
        else base_appendf(&t, "\n  rank %d has [", r);
        for (int d = 0; d < v->type->rank && shown <= MANY; d++)
            base_appendf(&t, "%s%lld:%lld%s", d ? ", " : "", (long long)lo[d], (long long)hi[d],
                         d == v->type->rank - 1 ? "]" : "");
    }
    return t.s;
}

static const char *shown(base_site site, trace_value *v)
{
    const char *type = trace_type_text(trace_temp(), v);
    if (v->form == TRACE_ABSTRACT || run_dry()) return type;
    if (v->form == TRACE_TRACED)
        return trace_is_open(site, v) ? base_format(trace_temp(), "%s (traced)", type) : NULL;
    if (is_elsewhere(v)) return base_format(trace_temp(), "%s%s", type, ranks_text(v));
    const char *s = elements(site, v);
    return s ? base_format(trace_temp(), "%s%s%s", type, v->type->rank > 1 || strchr(s, '\n') ? "\n" : " ", s) : NULL;
}

ENTRY1(const char *, "", tt_value_text, tt_val, v)
{
    trace_value *x = trace_array(site, "tt_value_text", v);
    if (x && x->form == TRACE_TRACED && !trace_is_open(site, x)) return "";
    const bool has = x && x->form != TRACE_ABSTRACT && x->form != TRACE_TRACED && !run_dry() && !is_elsewhere(x);
    const char *s = has ? elements(site, x) : NULL;
    return api_late_text(s ? s : x ? trace_type_text(trace_temp(), x) : "");
}

ENTRY1(int, 0, tt_show_entry, tt_val, v)
{
    trace_value *x = trace_get(site, v);
    if (!x) return 0;
    if (x->type) {
        const char *s = shown(site, x);
        if (s) api_line(s);
        return 0;
    }
    int wide = 0;
    const int n = trace_nleaf(x);
    for (int i = 0; i < n; i++) {
        const int len = (int)strlen(trace_leaf_path(trace_temp(), x->tree, i));
        if (len > wide) wide = len;
    }
    for (int i = 0; i < n; i++)
        if (trace_leaf_of(x, i)->form == TRACE_TRACED && !trace_is_open(site, trace_leaf_of(x, i))) return 0;
    if (!n) api_line(trace_tree_text(trace_temp(), x->tree));
    for (int i = 0; i < n; i++) {
        trace_value *l = trace_leaf_of(x, i);
        const bool small =
            l->form != TRACE_TRACED && l->form != TRACE_ABSTRACT && !run_dry() && l->type->rank <= 1 &&
            ir_count(l->type) <= 8 && !is_elsewhere(l);
        const char *s = small ? elements(site, l) : "";
        if (!s) return 0;
        api_line(base_format(trace_temp(), "%-*s  %s%s%s", wide, trace_leaf_path(trace_temp(), x->tree, i),
                             trace_type_text(trace_temp(), l), *s ? " " : "", s));
    }
    return 0;
}
void tt_show_at(const char *site, tt_val v) { tt_show_entry_at(site, v); }

/* ---- texts ---- */

ENTRY1(const char *, "", tt_type_text, tt_val, v)
{
    trace_value *x = trace_get(site, v);
    return x ? api_keep_text(x->type ? trace_type_text(trace_temp(), x) : trace_tree_text(trace_temp(), x->tree))
             : "poison";
}
