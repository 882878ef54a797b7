/* oracle/compare.c - expected against given: exact, in ulp, or by relative and absolute error; the first difference is
 * told. */
#include "arrays.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void oracle_fail(oracle_case *c, const char *fmt, ...)
{
    char text[600];
    va_list ap;
    if (c->failed++) return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    printf("%s %s/%s: %s\n", c->known ? "known" : "FAIL", oracle_suite_name(c->suite), c->id, text);
}

static double half(uint16_t h, int mantissa)             /* f16: 10 bits; bf16: 7 */
{
    const int bits = 15 - mantissa, bias = (1 << (bits - 1)) - 1, e = h >> mantissa & ((1 << bits) - 1),
              m = h & ((1 << mantissa) - 1);
    const double s = h >> 15 ? -1 : 1;
    if (e == (1 << bits) - 1) return m ? NAN : s * INFINITY;
    return s * (e ? ldexp(1 + ldexp(m, -mantissa), e - bias) : ldexp(m, 1 - bias - mantissa));
}

static double as_real(tt_dtype d, const uint8_t *p)
{
    float f;
    double x;
    uint16_t h;
    switch (d) {
    case TT_F32: memcpy(&f, p, 4); return f;
    case TT_F64: memcpy(&x, p, 8); return x;
    case TT_F16: memcpy(&h, p, 2); return half(h, 10);
    case TT_BF16: memcpy(&h, p, 2); return half(h, 7);
    default: return 0;
    }
}

static bool is_real(tt_dtype d) { return d == TT_F16 || d == TT_BF16 || d == TT_F32 || d == TT_F64; }

static size_t unit_of(tt_dtype d)
{
    static const uint8_t size[] = { 0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16 };
    return size[d];
}

/* Distance in units in the last place, over the ordered integers of the format. */
static double ulps(tt_dtype d, const uint8_t *a, const uint8_t *b)
{
    const size_t n = unit_of(d);
    int64_t v[2] = { 0, 0 };
    memcpy(&v[0], a, n);
    memcpy(&v[1], b, n);
    for (int i = 0; i < 2; i++) {
        const uint64_t sign = (uint64_t)1 << (8 * n - 1), m = (uint64_t)v[i] & (sign - 1);
        v[i] = (uint64_t)v[i] & sign ? -(int64_t)m : (int64_t)m;
    }
    return (double)fabsl((long double)v[0] - (long double)v[1]);     /* 63 bits are more than a double's */
}

static bool denormal(tt_dtype d, const uint8_t *p)
{
    const double x = fabs(as_real(d, p));
    return (d == TT_F32 || d == TT_BF16) && x > 0 && x < 0x1p-126;
}

typedef struct { bool exact; double ulp, rtol, atol; } tolerance;

static tolerance tolerance_of(const oracle_case *c, int i)
{
    const json_t *t = json_object_get(c->json, "tol");
    if (json_is_array(t)) t = json_array_get(t, (size_t)(i < 0 ? 0 : i));
    return (tolerance){ .exact = oracle_flag(t, "exact") || !t,
                        .ulp = oracle_real(t, "ulp", -1),
                        .rtol = oracle_real(t, "rtol", 0),
                        .atol = oracle_real(t, "atol", 0) };
}

static bool close_enough(tolerance t, tt_dtype d, const uint8_t *got, const uint8_t *want)
{
    const size_t n = unit_of(d);
    if (!memcmp(got, want, n)) return true;
    if (d == TT_C64 || d == TT_C128) {
        const tt_dtype part = d == TT_C64 ? TT_F32 : TT_F64;
        return close_enough(t, part, got, want) && close_enough(t, part, got + n / 2, want + n / 2);
    }
    if (!is_real(d)) return false;
    const double g = as_real(d, got), w = as_real(d, want);
    if (isnan(g) && isnan(w)) return true;
    if (t.exact || isnan(g) || isnan(w)) return false;
    if (g == w) return true;                             /* signed zeros differ only under exact */
    if (t.ulp >= 0) return ulps(d, got, want) <= t.ulp;
    if (isinf(g) || isinf(w)) return false;
    return fabs(g - w) <= t.atol + t.rtol * fabs(w);
}

static const char *number_text(tt_dtype d, const uint8_t *p, char *to, size_t size)
{
    int64_t v = 0;
    if (is_real(d)) snprintf(to, size, "%.9g", as_real(d, p));
    else {
        memcpy(&v, p, unit_of(d) < 8 ? unit_of(d) : 8);
        snprintf(to, size, "%lld (0x%llx)", (long long)v, (unsigned long long)v);
    }
    return to;
}

typedef struct {
    oracle_case *c; const char *what;
    tolerance tol;
    tt_dtype dtype; int64_t n;
    const uint8_t *got, *want, *ref64;
    bool flush;                                          /* what is denormal is not compared */
    int64_t slack;                                       /* counts may be off by so much */
} comparison;

/* True if element i was made of a denormal: only inputs that have an element for it, or one for all, show that. */
static bool from_denormal(const comparison *k, int64_t i)
{
    for (int a = 0; a < k->c->nin; a++) {
        const char *name = json_string_value(json_array_get(json_object_get(k->c->json, "in"), (size_t)a));
        const array *x = name ? array_of(k->c->suite, name) : NULL;
        const int64_t n = x ? (int64_t)(x->bytes / unit_of(x->dtype)) : 0;
        if ((n == k->n || n == 1) && denormal(x->dtype, x->data + (size_t)(n == 1 ? 0 : i) * unit_of(x->dtype)))
            return true;
    }
    return false;
}

static bool close_counts(tt_dtype d, const uint8_t *got, const uint8_t *want, int64_t slack)
{
    int32_t g, w;
    if (d != TT_I32) return false;
    memcpy(&g, got, 4);
    memcpy(&w, want, 4);
    return llabs((int64_t)g - w) <= slack;
}

static void compare(const comparison *k)
{
    const size_t n = unit_of(k->dtype);
    int64_t bad = 0, first = -1;
    double worst = 0;
    for (int64_t i = 0; i < k->n; i++) {
        const uint8_t *g = k->got + (size_t)i * n, *w = k->want + (size_t)i * n;
        if (close_enough(k->tol, k->dtype, g, w)) continue;
        if (k->ref64 && close_enough(k->tol, k->dtype, g, k->ref64 + (size_t)i * n)) continue;
        if (k->slack && close_counts(k->dtype, g, w, k->slack)) continue;
        if (k->flush && !k->ref64 && (denormal(k->dtype, g) || denormal(k->dtype, w) || from_denormal(k, i))) continue;
        if (!bad++) first = i;
        if (is_real(k->dtype)) worst = fmax(worst, ulps(k->dtype, g, w));
    }
    if (!bad) return;
    char a[64], b[64];
    oracle_fail(k->c,
                "%s: %lld of %lld elements differ; the first is [%lld]: got %s, expected %s; largest error %.3g ulp",
                k->what, (long long)bad, (long long)k->n, (long long)first,
                number_text(k->dtype, k->got + (size_t)first * n, a, sizeof a),
                number_text(k->dtype, k->want + (size_t)first * n, b, sizeof b), worst);
}

static uint8_t *elements(oracle_case *c, const char *what, tt_val v)
{
    const size_t n = tt_bytes(v);
    uint8_t *p = malloc(n ? n : 1);
    if (p && tt_ok() && tt_read(v, (void *)p, n)) return p;
    oracle_fail(c, "%s: %s", what, tt_ok() ? "no memory" : tt_error());
    free(p);
    return NULL;
}

static void dims_text(char *to, size_t size, int rank, const int64_t *dim)
{
    size_t n = (size_t)snprintf(to, size, "[");
    for (int i = 0; i < rank && n < size; i++)
        n += (size_t)snprintf(to + n, size - n, "%s%lld", i ? ", " : "", (long long)dim[i]);
    if (n < size) snprintf(to + n, size - n, "]");
}

static bool same_form(oracle_case *c, const char *what, tt_val got, tt_dtype dtype, const int64_t *dim, int rank)
{
    bool same = tt_ok() && tt_dtype_of(got) == dtype && tt_rank(got) == rank;
    for (int i = 0; same && i < rank; i++) same = tt_dim(got, i) == dim[i];
    if (same) return true;
    char want[200];
    dims_text(want, sizeof want, rank, dim);
    oracle_fail(c, "%s: %s, expected data type %d %s", what, tt_ok() ? tt_type_text(got) : tt_error(), (int)dtype,
                want);
    return false;
}

/* A `sampled` answer: elements 0..15, then 0, step, 2 step, ..., then the last 16; and the hash of all of them. */
static void expect_sampled(oracle_case *c, int i, const json_t *s, tt_val got, const array *want)
{
    int64_t dim[14], step = oracle_int(s, "step", 1), n = 0;
    const int rank = oracle_dims(s, "shape", dim);
    const size_t unit = unit_of(want->dtype);
    if (!same_form(c, oracle_out_name(c, i), got, want->dtype, dim, rank)) return;
    const int64_t all = tt_count(got);
    uint8_t *p = elements(c, "output", got), *q = malloc(want->bytes + 64);
    const char *hash = oracle_text(s, "sha256", NULL);
    char hex[65];
    for (int64_t k = 0; p && q && k < 16 + 16 + (all + step - 1) / step; k++) {
        const int64_t strided = (all + step - 1) / step;
        const int64_t at = k < 16 ? k : k < 16 + strided ? (k - 16) * step : all - 16 + (k - 16 - strided);
        if (at < 0 || at >= all || (size_t)(n + 1) * unit > want->bytes) continue;
        memcpy(q + (size_t)n++ * unit, p + (size_t)at * unit, unit);
    }
    if (p && q) {
        compare(&(comparison){ .c = c, .what = oracle_out_name(c, i), .tol = tolerance_of(c, i), .dtype = want->dtype,
                               .n = n, .got = q, .want = want->data });
        if ((size_t)n * unit != want->bytes)
            oracle_fail(c, "sampled %lld elements, the file has %zu", (long long)n, want->bytes / unit);
        if (hash) oracle_sha256(p, (size_t)all * unit, hex);
        if (hash && strcmp(hash, hex))
            oracle_fail(c, "%s: the hash of the whole answer differs", oracle_out_name(c, i));
    }
    free(p);
    free(q);
}

void oracle_expect(oracle_case *c, int i, tt_val got)
{
    const char *name = oracle_out_name(c, i);
    const array *want = name ? array_of(c->suite, name) : NULL;
    const json_t *sampled = name ? json_object_get(json_object_get(c->json, "sampled"), name) : NULL;
    if (c->refused) return;                              /* its error is judged when it has run */
    if (!want) {
        oracle_fail(c, "the file has no output %d", i);
        return;
    }
    c->compared++;
    if (sampled) {
        expect_sampled(c, i, sampled, got, want);
        return;
    }
    if (!same_form(c, name, got, want->dtype, want->dim, want->rank)) return;
    const char *r = oracle_text(c->json, "ref64", NULL);
    const array *ref = r && i == 0 ? array_of(c->suite, r) : NULL;
    uint8_t *p = elements(c, name, got);
    if (!p) return;
    const bool flush = !strcmp(c->kind, "math") || !strcmp(c->kind, "loss");
    const bool usable = ref && ref->dtype == want->dtype && ref->bytes == want->bytes;
    compare(&(comparison){ c, name, tolerance_of(c, i), want->dtype, tt_count(got), p, want->data,
                           usable ? ref->data : NULL, flush, 0 });
    free(p);
}

void oracle_expect_counts(oracle_case *c, int i, tt_val got, int64_t slack)
{
    const char *name = oracle_out_name(c, i);
    const array *want = array_of(c->suite, name);
    c->compared++;
    if (!want) {
        oracle_fail(c, "the file has no output %d", i);
        return;
    }
    uint8_t *p = same_form(c, name, got, want->dtype, want->dim, want->rank) ? elements(c, name, got) : NULL;
    if (p) compare(&(comparison){ .c = c, .what = name, .tol = { .exact = true }, .dtype = want->dtype,
                                  .n = tt_count(got), .got = p, .want = want->data, .slack = slack });
    free(p);
}

static void expect_value(oracle_case *c, const char *what, tt_val got, tt_val want, tolerance tol)
{
    int64_t dim[14];
    c->compared++;
    if (c->refused && !tt_ok()) return;
    const int rank = tt_rank(want);
    for (int i = 0; i < rank; i++) dim[i] = tt_dim(want, i);
    if (!same_form(c, what, got, tt_dtype_of(want), dim, rank)) return;
    uint8_t *p = elements(c, what, got), *q = elements(c, what, want);
    if (p && q)
        compare(&(comparison){ .c = c, .what = what, .tol = tol, .dtype = tt_dtype_of(want), .n = tt_count(want),
                               .got = p, .want = q });
    free(p);
    free(q);
}

void oracle_expect_array(oracle_case *c, const char *what, tt_val got, tt_val want)
{
    expect_value(c, what, got, want, tolerance_of(c, 0));
}

void oracle_expect_near(oracle_case *c, const char *what, tt_val got, tt_val want, double rtol, double atol)
{
    expect_value(c, what, got, want, (tolerance){ .ulp = -1, .rtol = rtol, .atol = atol });
}

/* A number as it is printed may be off by the tolerance, and by half a unit of its last digit. */
static bool like_number(tolerance t, const char **got, const char **want)
{
    char *end[2];
    const double g = strtod(*got, &end[0]), w = strtod(*want, &end[1]);
    const char *dot = memchr(*want, '.', (size_t)(end[1] - *want));
    const double unit = dot ? pow(10, -(double)(end[1] - dot - 1)) : 1;
    const bool same = fabs(g - w) <= t.atol + t.rtol * fabs(w) + 0.5 * unit && end[0] - *got == end[1] - *want;
    *got = end[0];
    *want = end[1];
    return same;
}

void oracle_expect_log(oracle_case *c, const char *got)
{
    const char *want = oracle_text(c->json, "text", ""), *g = got, *w = want;
    const tolerance t = tolerance_of(c, -1);
    while (*g && *w) {
        const bool number = isdigit((unsigned char)*g) && isdigit((unsigned char)*w);
        const char *at = g, *here = w;
        if (number ? like_number(t, &g, &w) : *g++ == *w++) continue;
        oracle_fail(c, "the log differs at byte %zu: got \"%.40s\", expected \"%.40s\"", (size_t)(at - got), at, here);
        return;
    }
    if (*g || *w) oracle_fail(c, "the log ends %s", *g ? "later" : "early");
}

void oracle_expect_text(oracle_case *c, const char *got)
{
    const char *want = oracle_text(c->json, "text", "");
    if ((c->refused && !tt_ok()) || (got && !strcmp(got, want))) return;
    size_t at = 0;
    int line = 1;
    while (got && got[at] && got[at] == want[at]) line += got[at++] == '\n';
    oracle_fail(c, "the text differs in line %d, at byte %zu: got \"%.40s\", expected \"%.40s\"", line, at,
                got ? got + at : "(none)", want + at);
}
