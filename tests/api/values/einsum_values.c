/* einsum_values.c - tt_einsum against its definition: a loop over all values of all names, in double. Texts are drawn:
 * one to four operands, names that occur several times in one operand, dims of size 1 that are stretched, "...",
 * results in any order or left to NumPy's rule, letters or words; eagerly, compiled, mapped, over a mesh, and
 * differentiated (a sum is linear in each operand). usage: einsum_values [seed [draws]] */
#include "check.h"

#include <math.h>
#include <tutti.h>

enum { MOST = 4, DIMS = 4, NAMES = 6, ROOM = 4096 };
static uint64_t state = 88172645463325252u;
static int below(int n)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (int)((state * 2685821657736338717u >> 33) % (uint64_t)n);
}

/* Names 0 .. NAMES - 1 are letters, those behind them the dims of "...", from the last. */
typedef struct {
    int nin, rank[MOST], name[MOST][2 * DIMS], dots[MOST], at[MOST], nout, out[NAMES + DIMS], outdots;
    int64_t dim[MOST][2 * DIMS], size[NAMES + DIMS];
    bool words, implicit;
    char text[512];
} draw;

static void put(draw *d, const char *s) { strncat(d->text, s, sizeof d->text - strlen(d->text) - 1); }
static void put_name(draw *d, int i)
{
    static const char *const letter[] = { "i", "B", "k", "a", "z", "m" };
    static const char *const word[] = { "row", "Batch", "k", "a_1", "zz", "m" };
    put(d, d->words ? word[i] : letter[i]);
    if (d->words) put(d, " ");
}

static void draw_operand(draw *d, int k)
{
    const int n = below(DIMS), dots = below(5) ? 0 : 1 + below(2);
    d->dots[k] = dots || !below(6), d->at[k] = below(n + 1), d->rank[k] = 0;
    for (int i = 0; i <= n; i++) {
        for (int j = 0; d->dots[k] && i == d->at[k] && j < dots; j++) d->name[k][d->rank[k]++] = NAMES + dots - 1 - j;
        if (d->dots[k] && i == d->at[k]) put(d, d->words ? "... " : "...");
        if (i == n) break;
        const int name = below(NAMES);
        d->name[k][d->rank[k]++] = name;
        put_name(d, name);
    }
    bool thin[NAMES + DIMS];                             /* all or none of an operand's dims of a name */
    for (int i = 0; i < NAMES + DIMS; i++) thin[i] = !below(8);
    for (int i = 0; i < d->rank[k]; i++) d->dim[k][i] = thin[d->name[k][i]] ? 1 : d->size[d->name[k][i]];
}

static int uses(const draw *d, int name)
{
    int n = 0;
    for (int k = 0; k < d->nin; k++) for (int i = 0; i < d->rank[k]; i++) n += d->name[k][i] == name;
    return n;
}

static void draw_text(draw *d)
{
    static const int sorted[2][NAMES] = { { 1, 3, 0, 2, 5, 4 }, { 1, 3, 2, 5, 0, 4 } };  /* Batch a_1 k m row zz */
    bool any = false;
    memset(d, 0, sizeof *d);
    d->nin = 1 + below(MOST), d->words = below(2), d->implicit = !below(3);
    for (int i = 0; i < NAMES + DIMS; i++) d->size[i] = 1 + below(4);
    for (int k = 0; k < d->nin; k++) {
        if (k) put(d, below(2) ? "," : ", ");
        draw_operand(d, k);
    }
    for (int i = 0; i < NAMES + DIMS; i++) {             /* the size that somebody says */
        int64_t most = 1;
        for (int k = 0; k < d->nin; k++)
            for (int j = 0; j < d->rank[k]; j++) if (d->name[k][j] == i && d->dim[k][j] > most) most = d->dim[k][j];
        d->size[i] = most;
        if (i >= NAMES) any |= uses(d, i) > 0;
    }
    for (int i = DIMS; i-- > 0;) if (uses(d, NAMES + i)) d->out[d->nout++] = NAMES + i;
    for (int i = 0; i < NAMES && d->implicit; i++)
        if (uses(d, sorted[d->words][i]) == 1) d->out[d->nout++] = sorted[d->words][i];
    if (d->implicit) return;
    put(d, " -> ");
    int order[NAMES];
    for (int i = 0; i < NAMES; i++) order[i] = i;
    for (int i = NAMES - 1; i > 0; i--) {
        const int j = below(i + 1), last = order[i];
        order[i] = order[j], order[j] = last;
    }
    const int behind = below(2);                         /* "..." before or behind the names */
    if (any && !behind) put(d, "... ");
    if (behind) d->nout = 0;
    for (int i = 0; i < NAMES; i++) {
        if (!uses(d, order[i]) || below(2)) continue;
        d->out[d->nout++] = order[i];
        put_name(d, order[i]);
    }
    if (any && behind) put(d, "...");
    for (int i = DIMS; behind && i-- > 0;) if (uses(d, NAMES + i)) d->out[d->nout++] = NAMES + i;
}

static double x[MOST][ROOM];
static float f32[ROOM];

static int64_t offset(const draw *d, int k, const int64_t *i)
{
    int64_t at = 0;
    for (int j = 0; j < d->rank[k]; j++) at = at * d->dim[k][j] + (d->dim[k][j] == 1 ? 0 : i[d->name[k][j]]);
    return at;
}

/* By definition; how many elements. */
static int64_t define(const draw *d, double *y)
{
    int64_t i[NAMES + DIMS] = { 0 }, n = 1;
    for (int j = 0; j < d->nout; j++) n *= d->size[d->out[j]];
    memset(y, 0, (size_t)n * sizeof *y);
    for (int c = 0; c >= 0;) {
        double product = 1;
        int64_t to = 0;
        for (int k = 0; k < d->nin; k++) product *= x[k][offset(d, k, i)];
        for (int j = 0; j < d->nout; j++) to = to * d->size[d->out[j]] + i[d->out[j]];
        y[to] += product;
        for (c = NAMES + DIMS - 1; c >= 0; i[c--] = 0) if (uses(d, c) && ++i[c] < d->size[c]) break;
    }
    return n;
}

static tt_val operand_of(const draw *d, int k, int64_t n)
{
    int64_t dim[2 * DIMS + 1];
    for (int i = 0; i < d->rank[k]; i++) dim[i] = d->dim[k][i];
    dim[d->rank[k]] = TT_DIM_END;
    for (int64_t i = 0; i < n; i++) f32[i] = (float)x[k][i];
    return tt_array_at("einsum_values", TT_F32, f32, dim);
}

static tt_val einsum(void *env, int n, const tt_val *v)
{
    tt_val all[MOST + 1];
    memcpy(all, v, (size_t)n * sizeof *v);
    all[n] = tt_end;
    return tt_einsum_at("einsum_values", env, all);
}

static tt_val total(void *env, int n, const tt_val *v) { return tt_sum(tt_sin(einsum(env, n, v))); }

static void same(const draw *d, const char *how, tt_val y, const double *want, int64_t n)
{
    CHECK(tt_ok(), "%s, %s: %s", d->text, how, tt_error());
    int64_t dim[NAMES + DIMS];
    bool shape = tt_rank(y) == d->nout;
    for (int j = 0; j < d->nout; j++) dim[j] = d->size[d->out[j]], shape = shape && tt_dim(y, j) == dim[j];
    CHECK(shape, "%s, %s: has the shape %s", d->text, how, tt_type_text(y));
    if (!shape || !tt_read(y, f32, (size_t)n * sizeof *f32)) return;
    int64_t bad = 0;
    for (int64_t i = 0; i < n; i++) bad += !(fabs(f32[i] - want[i]) <= 1e-5 * (1 + fabs(want[i])) * (1 << d->nin));
    CHECK(!bad, "%s, %s: %lld of %lld elements differ", d->text, how, (long long)bad, (long long)n);
}

/* d/dt sum(sin(e(x0 + t s))) is sum(cos(e(x0)) e(s)). */
static void differentiate(const draw *d, tt_val *v, const double *y, int64_t n)
{
    static double s[ROOM], along[ROOM], keep[ROOM];
    const int64_t count = tt_count(v[0]);
    const tt_fn f = tt_bind_env("total", total, (void *)(uintptr_t)d->text, 0, d->nin);
    const tt_val g = tt_call_n("einsum_values", tt_grad(f), d->nin, v);
    double have = 0, want = 0, all = 1e-3;
    memcpy(keep, x[0], sizeof keep);
    for (int64_t i = 0; i < count; i++) x[0][i] = s[i] = below(2001) / 1000.0 - 1;
    define(d, along);
    memcpy(x[0], keep, sizeof keep);
    const bool there = tt_read(g, f32, (size_t)count * sizeof *f32);
    CHECK(there, "%s, gradient: %s", d->text, tt_error());
    for (int64_t i = 0; i < count; i++) have += f32[i] * s[i], all += fabs(f32[i] * s[i]);
    for (int64_t i = 0; i < n; i++) want += cos(y[i]) * along[i], all += fabs(along[i]);
    CHECK(fabs(have - want) <= 1e-4 * all, "%s, gradient: %.7g, expected %.7g", d->text, have, want);
}

/* True if the text reads as it was drawn: words without a blank between them only where each operand has one dim. */
static bool is_plain(const draw *d)
{
    bool single = !strstr(d->text, "...");
    for (const char *s = d->text + 1; *d->text && *s; s++)
        if (*s == ' ' && !strchr(" ,->.", s[-1]) && s[1] && !strchr(" ,->.", s[1])) return true;
    for (int k = 0; k < d->nin; k++) single &= d->rank[k] == 1;
    return single || !d->words;
}

static void one(const draw *d)
{
    static double y[ROOM], z[2 * ROOM];
    tt_val v[MOST];
    int64_t results = 1, work = 1;
    for (int i = 0; i < NAMES + DIMS; i++) if (uses(d, i)) work *= d->size[i];
    for (int j = 0; j < d->nout; j++) results *= d->size[d->out[j]];
    if (work > 200000 || results > ROOM / 2 || !is_plain(d)) return;
    for (int k = 0; k < d->nin; k++) {
        int64_t n = 1;
        for (int i = 0; i < d->rank[k]; i++) n *= d->dim[k][i];
        for (int64_t i = 0; i < n; i++) x[k][i] = (float)(below(2001) / 1000.0 - 1);
        v[k] = operand_of(d, k, n);
    }
    const int64_t n = define(d, y);
    const tt_fn f = tt_bind_env("einsum", einsum, (void *)(uintptr_t)d->text, 0, d->nin);
    const char *const site = "einsum_values";
    same(d, "eager", tt_call_n(site, f, d->nin, v), y, n);
    same(d, "compiled", tt_call_n(site, tt_jit(f), d->nin, v), y, n);
    differentiate(d, v, y, n);
    tt_val two[MOST];                                    /* the second of two rows is doubled in operand 0 alone */
    for (int k = 0; k < d->nin; k++) two[k] = tt_stack_values(0, v[k], k ? v[k] : tt_mul(v[k], tt_f(2)));
    const tt_val rows = tt_call_n(site, tt_jit(tt_vmap(f)), d->nin, two);
    for (int64_t i = 0; i < n; i++) z[i] = 2 * y[i];
    same(d, "mapped", tt_squeeze(tt_dynamic_slice(rows, 0, tt_i(1), 1), 0), z, n);
    const tt_mesh m = tt_mesh("data:2");
    char spec[96] = "";
    bool ranks = true;
    for (int k = 0; k < d->nin; k++) {
        ranks &= d->rank[k] > 0;
        for (int i = 0; i < d->rank[k]; i++) strcat(strcat(spec, i ? ", " : k ? "; " : ""), i || k ? "_" : "data");
    }
    if (ranks) same(d, "over a mesh", tt_call_n(site, tt_jit(f, .mesh = m, .in = spec), d->nin, v), y, n);
}

static void refused(const char *what, const char *part, tt_val y)
{
    (void)y;
    CHECK(!tt_ok() && strstr(tt_error(), part), "%s: \"%s\" is not in \"%s\"", what, part, tt_error());
    tt_clear();
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "[SEED [DRAWS]]")) return check_done();
    state += argc > 1 ? (uint64_t)atoi(argv[1]) * 7919 : 0;
    const int draws = argc > 2 ? atoi(argv[2]) : 200;
    draw *all = calloc((size_t)draws + 1, sizeof *all);  /* for as long as the functions that have them */
    for (int i = 0; i < draws && all; i++) {
        draw_text(&all[i]);
        one(&all[i]);
    }
    CHECK(all, "no memory for %d draws", draws);
    const tt_val c = tt_reshape(tt_arange(TT_F32, 9), 3, 3), row = tt_arange(TT_F32, 3), four = tt_ones(TT_F32, 4);
    CHECK(tt_num(tt_einsum("i i ->", c)) == 12, "a trace is not the sum of a diagonal");
    CHECK(tt_num(tt_einsum("ii", c)) == 12, "a trace without an arrow");
    CHECK(tt_num(tt_einsum("ij,ij->", c, c)) == 204, "a product of matrices");
    CHECK(tt_num(tt_einsum("batch, batch ->", row, row)) == 5, "words of operands with one dim");
    CHECK(tt_dtype_of(tt_einsum("i,i->", tt_ones(TT_BOOL, 3), tt_ones(TT_BOOL, 3))) == TT_BOOL, "truths stay truths");
    const tt_val many = tt_einsum("ij,jk,kl,lm,mn->in", c, c, c, c, c);
    CHECK(tt_ok() && tt_count(many) == 9, "five operands: %s", tt_error());
    refused("other sizes", "\"i\" is 3 in operand 0 and 4 in operand 1", tt_einsum("i,i->i", row, four));
    refused("no diagonal", "a diagonal \"i\"", tt_einsum("i i -> i", tt_ones(TT_F32, 3, 4)));
    refused("twice in the result", "\"i\" is twice in the result", tt_einsum("i -> i i", row));
    refused("an unknown name", "\"k\" is in the result and in no operand", tt_einsum("ij->k", c));
    refused("too few names", "operand 0 is f32[3, 3]", tt_einsum("i->i", c));
    refused("dims that nobody names", "has no \"...\"", tt_einsum("...i->i", c));
    refused("too few operands", "names 2 operands, 1 are given", tt_einsum("i,i->i", row));
    refused("no text", "cannot read", tt_einsum("i->-", row));
    const bool failed = check_done() || tt_done();
    free(all);
    return failed;
}
