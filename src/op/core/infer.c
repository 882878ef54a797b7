/* op/core/infer.c - result types of an equation, from the primitive's texts or by its .type.
 *
 *   .types "F, F -> F"          per operand and result a class: F float, I integer, N integer or float, B bool,
 *                               L bool or integer, X float or complex, Z number or complex,
 *                               T any; a digit may follow (N1, N2). The same word means the
 *                               same dtype; a lower-case word is the name of one dtype ("u32").
 *   .rule  "i k, k j -> i j"    per operand and result its dims. Equal labels have equal sizes; one "..." per tensor
 *                               stands for any dims, the same ones in every tensor.
 *
 * The caller has counted operands and regions; it adds states (vary, partial) and quotes the operands of an equation
 * that fails. */
#include "../build.h"
#include "../../base/thread.h"

#include <ctype.h>
#include <string.h>

#define LL(x) ((long long)(x))

/* ---- .types ---- */

typedef struct {
    char text[8];
} word;

static const char *next_word(const char *s, word *w) /* NULL at the end of the text or at "->" */
{
    size_t n = 0;
    while (*s == ' ' || *s == ',') s++;
    while (isalnum((unsigned char)s[n]) && n < sizeof w->text - 1) w->text[n] = s[n], n++;
    w->text[n] = 0;
    return n ? s + n : NULL;
}

static bool in_class(char c, tt_dtype t)
{
    const ir_class k = ir_dtype_of(t)->cls;
    const bool integer = k == IR_INT_CLASS || k == IR_UINT_CLASS, real = k == IR_FLOAT_CLASS;
    switch (c) {
    case 'F': return real;
    case 'I': return integer;
    case 'N': return integer || real;
    case 'X': return real || k == IR_COMPLEX_CLASS;
    case 'Z': return integer || real || k == IR_COMPLEX_CLASS;
    case 'B': return k == IR_BOOL_CLASS;
    case 'L': return integer || k == IR_BOOL_CLASS;
    default: return c == 'T';
    }
}

static const char *class_name(char c)
{
    return c == 'F'   ? "a float"
           : c == 'I' ? "an integer"
           : c == 'N' ? "a real number"
           : c == 'X' ? "a float"
           : c == 'Z' ? "a number"
           : c == 'B' ? "bool"
           : c == 'L' ? "bool or an integer"
                      : "any type";
}

typedef struct {
    int n;
    struct {
        word w;
        tt_dtype dtype;
    } at[8];
} bound;

static tt_dtype bound_to(const bound *b, const word *w)
{
    for (int i = 0; i < b->n; i++)
        if (!strcmp(b->at[i].w.text, w->text)) return b->at[i].dtype;
    return 0;
}

/* What operand i is instead of `expected`; of operands that were all converted to its type, none is named. */
static bool other_dtype(const ir_eqn *e, const ir_type *const *x, uint32_t i, const char *expected)
{
    const char *const op = e->op->name, *const is = ir_dtype_of(x[i]->dtype)->name;
    bool all = e->nin > 1;
    for (uint32_t k = 0; k < e->nin; k++) all &= x[k]->dtype == x[i]->dtype;
    if (all) return base_fail(TT_ETYPE, e->site, "%s: each operand must be %s, not %s", op, expected, is);
    return base_fail(TT_ETYPE, e->site, "%s: operand %u must be %s, not %s", op, i, expected, is);
}

static bool infer_dtypes(const ir_eqn *e, const ir_type *const *x, tt_dtype *out)
{
    const char *const op = e->op->name, *s = e->op->types, *end = strstr(s, "->"), *t;
    bound b = { 0 };
    word w;
    for (uint32_t i = 0; i < e->nin; i++) {
        const tt_dtype d = x[i]->dtype;
        if (!(t = next_word(s, &w)) || t > end)
            return base_bug(e->site, "%s: its types \"%s\" say nothing of operand %u", op, e->op->types, i);
        s = t;
        const bool exact = islower((unsigned char)w.text[0]);
        if (exact ? ir_dtype_named(w.text) != d : !in_class(w.text[0], d))
            return other_dtype(e, x, i, exact ? w.text : class_name(w.text[0]));
        const tt_dtype before = exact ? d : bound_to(&b, &w);
        if (before && before != d)
            return base_fail(TT_ETYPE, e->site, "%s: operands of types %s and %s; expected one type", op,
                             ir_dtype_of(before)->name, ir_dtype_of(d)->name),
                   base_hint("tt_cast one operand");
        if (!before && b.n < (int)(sizeof b.at / sizeof *b.at)) b.at[b.n].w = w, b.at[b.n++].dtype = d;
    }
    s = end + 2;
    for (int j = 0; j < e->op->nout; j++) {
        if (!(s = next_word(s, &w)))
            return base_bug(e->site, "%s: its types \"%s\" say nothing of result %d", op, e->op->types, j);
        out[j] = w.text[0] == 'B'                    ? TT_BOOL
                 : islower((unsigned char)w.text[0]) ? ir_dtype_named(w.text)
                                                     : bound_to(&b, &w);
        if (!out[j]) return base_bug(e->site, "%s: its types \"%s\" do not bind %s", op, e->op->types, w.text);
    }
    return true;
}

/* ---- .rule ---- */

/* Labels of one tensor: letters are 0..51, dims of "..." are 64, 65, ... Advances *s past the tensor. */
static int read_labels(const char **s, int ellipsis, int *label)
{
    int n = 0;
    for (; **s && **s != ',' && strncmp(*s, "->", 2);) {
        if (!strncmp(*s, "...", 3)) {
            for (int k = 0; k < ellipsis && n < IR_RANK; k++) label[n++] = 64 + k;
            *s += 3;
        } else {
            if (isalpha((unsigned char)**s) && n < IR_RANK) label[n++] = **s >= 'a' ? **s - 'a' : 26 + **s - 'A';
            ++*s;
        }
    }
    return n;
}

bool op_labels(const ir_eqn *e, int ntensor, const int *rank, int (*label)[IR_RANK], int *nlabel)
{
    const char *s = e->op->rule;
    int ellipsis = -1;
    for (int t = 0; t < ntensor; t++) {
        const char *from = s;
        const int named = read_labels(&s, 0, label[t]);
        const bool any = memchr(from, '.', (size_t)(s - from)) != NULL;
        if (any && rank[t] >= 0) {
            const int rest = rank[t] - named;
            if (ellipsis >= 0 && rest != ellipsis)
                return base_fail(TT_ESHAPE, e->site, "%s: operands of ranks %d and %d; expected one rank", e->op->name,
                                 rank[0], rank[t]);
            if (rest < 0)
                return base_fail(TT_ESHAPE, e->site, "%s: operand %d must have rank %d or more, not %d", e->op->name, t,
                                 named, rank[t]);
            ellipsis = rest;
        }
        s = from;
        nlabel[t] = read_labels(&s, ellipsis, label[t]);
        if (rank[t] >= 0 && nlabel[t] != rank[t])
            return base_fail(TT_ESHAPE, e->site, "%s: operand %d must have rank %d, not %d", e->op->name, t, nlabel[t],
                             rank[t]);
        s += strncmp(s, "->", 2) ? *s == ',' : 2;
    }
    return true;
}

static bool size_error(const ir_eqn *e, const ir_type *const *x, int label, int dim, int a, int b, int64_t na,
                       int64_t nb)
{
    const char *const op = e->op->name;
    if (label < 64)
        return base_fail(TT_ESHAPE, e->site, "%s: %c is %lld in operand %d and %lld in operand %d", op,
                         label < 26 ? 'a' + label : 'A' + label - 26, LL(na), a, LL(nb), b);
    base_arena *t = base_open();
    base_fail(TT_ESHAPE, e->site, "%s: operands of shapes %s and %s differ in dim %d: %lld and %lld", op,
              ir_type_text(t, x[a]), ir_type_text(t, x[b]), dim, LL(na), LL(nb));
    base_close(t);
    return base_hint("tt_broadcast one operand");
}

static bool read_texts(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    enum { MAX = 8 };
    const int nin = (int)e->nin, nout = e->op->nout, n = nin + nout;
    int rank[MAX], nlabel[MAX], label[MAX][IR_RANK], from[64 + IR_RANK];
    int64_t size[64 + IR_RANK];
    tt_dtype dtype[MAX];
    if (nin + nout > MAX || nout < 0) return base_bug(e->site, "%s: too many operands for a rule text", e->op->name);
    if (!infer_dtypes(e, x, dtype)) return false;
    for (int t = 0; t < n; t++) rank[t] = t < nin ? x[t]->rank : -1;
    if (!op_labels(e, n, rank, label, nlabel)) return false;
    memset(from, -1, sizeof from);
    for (int t = 0; t < nin; t++)
        for (int d = 0; d < nlabel[t]; d++) {
            const int k = label[t][d];
            if (from[k] < 0) from[k] = t, size[k] = x[t]->dim[d];
            else if (size[k] != x[t]->dim[d]) return size_error(e, x, k, d, from[k], t, size[k], x[t]->dim[d]);
        }
    for (int j = 0; j < nout; j++) {
        int64_t dim[IR_RANK];
        for (int d = 0; d < nlabel[nin + j]; d++) {
            const int k = label[nin + j][d];
            if (from[k] < 0)
                return base_bug(e->site, "%s: rule \"%s\" has a result dim of no size", e->op->name, e->op->rule);
            dim[d] = size[k];
        }
        y[j] = ir_type_of(dtype[j], nlabel[nin + j], dim);
    }
    return true;
}

/* Infers types from the texts, with a cache of the last answers: a program infers the same equations for every layer
 * and in every pass. An entry is valid for ever, since the answer depends only on the primitive and on the operands'
 * types, which are interned. */
static bool infer_by_text(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    enum { KEPT = 256, OPERANDS = 3 };
    typedef struct { const op_prim *op; const ir_type *x[OPERANDS]; } cache_key;
    typedef struct { cache_key key; const ir_type *y; } answer;
    static _Thread_local answer *kept;
    cache_key q = { .op = e->op };
    if (e->nin > OPERANDS || e->op->nout != 1) return read_texts(e, x, y);
    if (!kept && !base_thread_memory(&kept, KEPT * sizeof *kept)) return read_texts(e, x, y);
    uintptr_t h = (uintptr_t)e->op >> 4;
    for (uint32_t i = 0; i < e->nin; i++) q.x[i] = x[i], h = h * 31 + ((uintptr_t)x[i] >> 4);
    h = (h ^ (h >> 8)) % KEPT;
    if (!memcmp(&kept[h].key, &q, sizeof q)) return *y = kept[h].y, true;
    if (!read_texts(e, x, y)) return false;
    kept[h] = (answer){ q, *y };
    return true;
}

/* True if every dtype in the attributes exists, so that no .type cell needs to check. */
static bool dtypes_named(const ir_eqn *e)
{
    for (const ir_field *f = e->op->field; e->attr && f && f->name; f++)
        if (f->kind == IR_DTYPE && !ir_dtype_of(*(const tt_dtype *)((const char *)e->attr + f->at)))
            return base_fail(TT_ETYPE, e->site, "%s: attribute %s names no type", e->op->name, f->name);
    return true;
}

bool op_infer(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    return dtypes_named(e) && (e->op->type ? e->op->type(e, x, y) : infer_by_text(e, x, y));
}
