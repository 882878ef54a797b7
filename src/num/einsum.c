/* num/einsum.c - NumPy's Einstein sums: "b i k, b k j -> b i j" or "bik,bkj->bij", any number of operands.
 *
 * A name that occurs twice in one operand takes the operand's diagonal; a dim of size 1 is stretched to the size of its
 * name. Names that occur in one operand only and not in the result are summed first. Then pairs are contracted: always
 * the pair whose result is smallest compared with the operands that it replaces. A contraction gives [batch, left,
 * right]; a transpose brings the last result into the requested order. "..." stands for unnamed dims, numbered from the
 * last. */
#include <tutti.h>

#include <stdio.h>
#include <string.h>

enum { RANK = 12, WORD = 16, MOST = 32, NAMES = 64 };    /* limits: dims; letters of a word; operands; distinct names */
typedef struct { int n, dots; char word[RANK][WORD]; } term;     /* dots: "..." is before this word; -1: none */
typedef struct { tt_val v; int n, name[RANK]; } operand;
typedef struct {
    const char *site, *text;
    bool words, given;                                   /* words: blanks separate names; given: a result is written */
    int nin, nname, ndots;                               /* ndots: number of dims of "..." */
    term in[MOST], out;
    operand part[MOST + 1];                              /* the last: the result's names */
    char name[NAMES][WORD];
    int64_t size[NAMES];
    int from[NAMES];                                     /* the operand that determines the name's size */
    tt_val bad;                                          /* poison after an error */
} sums;

/* ---- the text ---- */

static bool einsum_ends(const char *s) { return !*s || *s == ',' || (s[0] == '-' && s[1] == '>'); }

/* Reads words, or single letters, up to a comma or an arrow. Returns NULL on a syntax error. */
static const char *read_term(const char *s, bool words, term *t)
{
    t->n = 0, t->dots = -1;
    for (;;) {
        while (*s == ' ') s++;
        if (einsum_ends(s)) return s;
        if (!strncmp(s, "...", 3)) {
            if (t->dots >= 0) return NULL;
            t->dots = t->n, s += 3;
            continue;
        }
        const size_t n = words ? strcspn(s, " ,-.") : 1;
        if (n == 0 || n >= WORD || t->n == RANK || *s == '.' || *s == '-') return NULL;
        memcpy(t->word[t->n], s, n);
        t->word[t->n++][n] = 0;
        s += n;
    }
}

static bool read_all(sums *e)
{
    const char *s = e->text;
    for (e->nin = 0; e->nin < MOST;) {
        if (!(s = read_term(s, e->words, &e->in[e->nin++]))) return false;
        if (*s != ',') break;
        s++;
    }
    e->given = *s == '-';
    if (e->given) s = read_term(s + 2, e->words, &e->out);
    return s && !*s;
}

/* True if names are words: if a blank separates two names; or, as in "batch, batch -> batch", if every operand has one
 * dim and there is no "...". Otherwise letters are names. */
static bool has_words(const char *text, const tt_val *v, int n)
{
    static const char none[] = " ,->.";
    bool single = true;
    for (const char *s = text; *s; s++) {
        if (*s != ' ' || s == text || strchr(none, s[-1])) continue;
        const char next = s[strspn(s, " ")];
        if (next && !strchr(none, next)) return true;
    }
    for (int i = 0; i < n; i++) single &= tt_rank_at(NULL, v[i]) == 1;
    return single && !strstr(text, "...");
}

/* ---- names ---- */

static int einsum_find(const sums *e, const char *w)
{
    for (int i = 0; i < e->nname; i++) if (!strcmp(e->name[i], w)) return i;
    return -1;
}

static int einsum_enter(sums *e, const char *w)
{
    int i = einsum_find(e, w);
    if (i >= 0 || e->nname == NAMES) return i;
    snprintf(e->name[e->nname], WORD, "%s", w);
    return e->nname++;
}

/* The names of t's dims; dims of "...", counted from the last one, get names that no text can contain. */
static bool name_dims(sums *e, const term *t, int rank, int *n, int *name)
{
    const int dots = rank - t->n;
    *n = 0;
    for (int i = 0; i <= t->n; i++) {
        for (int k = 0; i == t->dots && k < dots; k++) {
            char w[WORD];
            snprintf(w, sizeof w, ".%d", dots - 1 - k);
            if ((name[(*n)++] = einsum_enter(e, w)) < 0) return false;
        }
        if (i < t->n && (name[(*n)++] = einsum_enter(e, t->word[i])) < 0) return false;
    }
    return true;
}

/* ---- operands ---- */

/* Takes the diagonal of dims i < j: the two dims are moved behind the others and merged, and every (size + 1)-th
 * element is kept. */
static void take_diagonal(const char *site, operand *p, int i, int j)
{
    int64_t perm[RANK + 1], dim[RANK + 1];
    int n = 0, name[RANK];
    const int64_t size = tt_dim_at(site, p->v, i);
    for (int d = 0; d < p->n; d++) if (d != i && d != j) name[n] = p->name[d], dim[n] = tt_dim_at(site, p->v, d),
        perm[n++] = d;
    name[n] = p->name[i], perm[n] = i, perm[n + 1] = j, perm[n + 2] = TT_DIM_END;
    dim[n] = size * size, dim[n + 1] = TT_DIM_END;
    const tt_val flat = tt_reshape_at(site, tt_transpose_at(site, p->v, perm), dim);
    p->v = tt_slice_at(site, flat, n, 0, size * size, size + 1);
    p->n = n + 1;
    memcpy(p->name, name, (size_t)p->n * sizeof *name);
}

static void take_diagonals(const char *site, operand *p)
{
    for (int i = 0; i < p->n; i++)
        for (int j = i + 1; j < p->n; j++)
            if (p->name[i] == p->name[j]) take_diagonal(site, p, i, j), i = -1, j = p->n;
}

static int einsum_index_of(const operand *p, int name)
{
    for (int i = 0; i < p->n; i++) if (p->name[i] == name) return i;
    return -1;
}

static void forget(operand *p, int i)
{
    memmove(&p->name[i], &p->name[i + 1], (size_t)(p->n - 1 - i) * sizeof *p->name);
    p->n--;
}

/* Removes dims of size 1 whose name has another size: they are broadcast. */
static void drop_stretched(const sums *e, operand *p)
{
    int64_t dim[RANK + 1];
    int n = 0;
    bool any = false;
    for (int i = 0; i < p->n; i++) {
        const bool gone = tt_dim_at(e->site, p->v, i) == 1 && e->size[p->name[i]] != 1;
        any |= gone;
        if (!gone) dim[n++] = tt_dim_at(e->site, p->v, i);
    }
    dim[n] = TT_DIM_END;
    for (int i = p->n - 1; i >= 0; i--) if (tt_dim_at(e->site, p->v, i) == 1 && e->size[p->name[i]] != 1) forget(p, i);
    if (any) p->v = tt_reshape_at(e->site, p->v, dim);
}

/* True if a name is in the result, or in an operand other than a and b. */
static bool is_kept(const sums *e, int name, int a, int b)
{
    for (int i = 0; i < e->nin; i++) if (i != a && i != b && einsum_index_of(&e->part[i], name) >= 0) return true;
    return einsum_index_of(&e->part[MOST], name) >= 0;
}

static void sum_out(sums *e, int k)
{
    operand *p = &e->part[k];
    char over[RANK * 4] = "";
    for (int i = p->n - 1; i >= 0; i--) {
        if (is_kept(e, p->name[i], k, k)) continue;
        snprintf(over + strlen(over), sizeof over - strlen(over), "%s%d", *over ? ", " : "", i);
        forget(p, i);
    }
    if (*over) p->v = tt_sum_at(e->site, p->v, &(tt_reduce_opts){ .size = sizeof(tt_reduce_opts), .dims = over });
}

/* ---- pairs ---- */

/* The names of the product of a and b: first those that both have and that are still needed, then a's own, then b's. */
static int left_of(const sums *e, int a, int b, int *name)
{
    const operand *p = &e->part[a], *q = &e->part[b];
    int n = 0;
    for (int i = 0; i < p->n; i++)
        if (einsum_index_of(q, p->name[i]) >= 0 && is_kept(e, p->name[i], a, b)) name[n++] = p->name[i];
    for (int i = 0; i < p->n; i++) if (einsum_index_of(q, p->name[i]) < 0) name[n++] = p->name[i];
    for (int i = 0; i < q->n; i++) if (einsum_index_of(p, q->name[i]) < 0) name[n++] = q->name[i];
    return n;
}

static double einsum_count(const sums *e, int n, const int *name)
{
    double all = 1;
    for (int i = 0; i < n; i++) all *= (double)e->size[name[i]];
    return all;
}

static void einsum_pair(char *text, size_t size, int a, int b)
{
    const size_t n = strlen(text);
    snprintf(text + n, size - n, "%s%d:%d", n ? ", " : "", a, b);
}

/* Contracts operands a < b into one, stored at a. */
static bool contract(sums *e, int a, int b)
{
    operand *p = &e->part[a], *q = &e->part[b];
    char batch[256] = "", sum[256] = "";
    int name[2 * RANK];
    const int n = left_of(e, a, b, name);
    if (n > RANK) {
        e->bad = tt_fail_at(e->site, TT_ESHAPE, "einsum: \"%s\" makes a product of %d dims; at most %d are allowed",
                            e->text, n, RANK);
        return false;
    }
    for (int i = 0; i < p->n; i++) {
        const int j = einsum_index_of(q, p->name[i]);
        if (j >= 0 && is_kept(e, p->name[i], a, b)) einsum_pair(batch, sizeof batch, i, j);
        else if (j >= 0) einsum_pair(sum, sizeof sum, i, j);
    }
    p->v = tt_dot_at(e->site, p->v, q->v, &(tt_dot_opts){ .size = sizeof(tt_dot_opts), .batch = batch, .sum = sum });
    p->n = n;
    memcpy(p->name, name, (size_t)n * sizeof *name);
    memmove(q, q + 1, (size_t)(e->nin - 1 - b) * sizeof *q);
    e->nin--;
    return true;
}

/* The pair whose product is smallest compared with its operands; of equal ones, that with the fewest
 * multiplications. */
static void einsum_choose(const sums *e, int *a, int *b)
{
    double best = 0, work = 0;
    *a = 0, *b = 1;
    for (int i = 0; i < e->nin && e->nin > 2; i++)
        for (int j = i + 1; j < e->nin; j++) {
            const operand *p = &e->part[i], *q = &e->part[j];
            int name[2 * RANK];
            double all = einsum_count(e, p->n, p->name);
            const double grows = einsum_count(e, left_of(e, i, j, name), name) - all - einsum_count(e, q->n, q->name);
            for (int d = 0; d < q->n; d++) if (einsum_index_of(p, q->name[d]) < 0) all *= (double)e->size[q->name[d]];
            if ((i || j > 1) && (grows > best || (grows == best && all >= work))) continue;
            best = grows, work = all, *a = i, *b = j;
        }
}

/* ---- checks ---- */

static bool unread(sums *e)
{
    e->bad = tt_fail_at(e->site, TT_ETEXT, "einsum: cannot read \"%s\"", e->text);
    tt_hint("operands and a result, as \"b i k, b k j -> b i j\" or \"bik,bkj->bij\"; \"...\" stands for dims without "
            "names");
    return false;
}

/* The name of a dim for messages. */
static const char *einsum_name_text(const sums *e, int name) { return e->name[name][0] == '.' ? "..." : e->name[name]; }

/* Sets or checks the sizes of names by one operand's dims. */
static bool set_sizes(sums *e, int k)
{
    const operand *p = &e->part[k];
    for (int i = 0; i < p->n; i++) {
        const int name = p->name[i];
        const int64_t n = tt_dim_at(e->site, p->v, i);
        for (int j = 0; j < i; j++) {
            if (p->name[j] != name || tt_dim_at(e->site, p->v, j) == n) continue;
            e->bad = tt_fail_at(e->site, TT_ESHAPE, "einsum: a diagonal \"%s\" of operand %d has sizes %lld and %lld",
                                einsum_name_text(e, name), k, (long long)tt_dim_at(e->site, p->v, j), (long long)n);
            tt_hint("the text is \"%s\"; operand %d is %s", e->text, k, tt_type_text_at(e->site, p->v));
            return false;
        }
        if (e->from[name] < 0 || e->size[name] == 1) e->size[name] = n, e->from[name] = k;
        if (n == 1 || e->size[name] == n) continue;
        e->bad = tt_fail_at(e->site, TT_ESHAPE, "einsum: \"%s\" is %lld in operand %d and %lld in operand %d",
                            einsum_name_text(e, name), (long long)e->size[name], e->from[name], (long long)n, k);
        tt_hint("the text is \"%s\"; operand %d is %s, operand %d is %s", e->text, e->from[name],
                tt_type_text_at(e->site, e->part[e->from[name]].v), k, tt_type_text_at(e->site, p->v));
        return false;
    }
    return true;
}

static bool take_operands(sums *e, const tt_val *v)
{
    for (int k = 0; k < e->nin; k++) {
        operand *p = &e->part[k];
        const term *t = &e->in[k];
        const int rank = tt_rank_at(e->site, v[k]);
        p->v = v[k];
        if (rank < 0 || rank > RANK || rank < t->n || (rank > t->n && t->dots < 0)) {
            e->bad = tt_fail_at(e->site, TT_ESHAPE, "einsum: operand %d is %s, \"%s\" names %d dims of it", k,
                                tt_type_text_at(e->site, v[k]), e->text, t->n);
            if (rank > t->n) tt_hint("\"...\" stands for dims without names");
            return false;
        }
        if (t->dots >= 0 && rank - t->n > e->ndots) e->ndots = rank - t->n;
        if (!name_dims(e, t, rank, &p->n, p->name)) return unread(e);
        if (!set_sizes(e, k)) return false;
    }
    return true;
}

/* Reads the names after the arrow; without an arrow, NumPy's rule: "..." and the names that occur once, sorted. */
static bool set_result(sums *e)
{
    operand *to = &e->part[MOST];
    if (!e->given) {
        e->out.dots = 0;
        for (int i = 0; i < e->nname; i++) {
            int times = 0, at = e->out.n;
            for (int k = 0; k < e->nin; k++)
                for (int d = 0; d < e->in[k].n; d++) times += !strcmp(e->in[k].word[d], e->name[i]);
            if (times != 1) continue;
            if (e->out.n == RANK) return unread(e);
            for (; at > 0 && strcmp(e->out.word[at - 1], e->name[i]) > 0; at--)
                memcpy(e->out.word[at], e->out.word[at - 1], WORD);
            memcpy(e->out.word[at], e->name[i], WORD);
            e->out.n++;
        }
    }
    const int known = e->nname;
    if (e->ndots && e->out.dots < 0) {
        e->bad = tt_fail_at(e->site, TT_ETEXT, "einsum: the result of \"%s\" has no \"...\", which stands for %d dims",
                            e->text, e->ndots);
        return false;
    }
    if (e->out.n + e->ndots > RANK) return unread(e);
    if (!name_dims(e, &e->out, e->out.n + (e->out.dots >= 0 ? e->ndots : 0), &to->n, to->name)) return unread(e);
    for (int i = 0; i < to->n; i++) {
        bool twice = false;
        for (int j = 0; j < i; j++) twice |= to->name[j] == to->name[i];
        if (!twice && to->name[i] < known) continue;
        e->bad = tt_fail_at(e->site, TT_ETEXT, "einsum: \"%s\" is %s", einsum_name_text(e, to->name[i]),
                   twice ? "twice in the result" : "in the result and in no operand");
        tt_hint("the text is \"%s\"", e->text);
        return false;
    }
    return true;
}

/* The last operand with its dims in the result's order. */
static tt_val in_order(const sums *e)
{
    const operand *p = &e->part[0], *to = &e->part[MOST];
    int64_t perm[RANK + 1];
    bool same = true;
    for (int i = 0; i < to->n; i++) perm[i] = einsum_index_of(p, to->name[i]), same &= perm[i] == i;
    perm[to->n] = TT_DIM_END;
    return same ? p->v : tt_transpose_at(e->site, p->v, perm);
}

tt_val tt_einsum_at(const char *site, const char *text, const tt_val *v)
{
    TT_ENTRY(site);
    if (!tt_ok()) return tt_poison;
    sums e = { .site = site, .text = text };
    int given = 0;
    if (!text || !v) return tt_fail_at(site, TT_ETEXT, "einsum: %s is NULL", text ? "the list of values" : "its text");
    bool truth = true;
    while (v[given].slot != UINT32_MAX) truth &= tt_dtype_of_at(site, v[given++]) == TT_BOOL;
    if (!tt_ok()) return v[0];
    for (int i = 0; i < NAMES; i++) e.from[i] = -1;
    e.words = has_words(text, v, given);
    if (!read_all(&e)) return unread(&e), e.bad;
    if (given != e.nin)
        return tt_fail_at(site, TT_EARG, "einsum: \"%s\" names %d operands, %d are given", text, e.nin, given);
    if (!take_operands(&e, v) || !set_result(&e)) return e.bad;
    for (int k = 0; k < e.nin; k++) {
        if (truth) e.part[k].v = tt_cast_at(site, e.part[k].v, TT_I32);
        take_diagonals(site, &e.part[k]);
        drop_stretched(&e, &e.part[k]);
    }
    for (int k = 0; k < e.nin; k++) sum_out(&e, k);
    while (e.nin > 1) {
        int a, b;
        einsum_choose(&e, &a, &b);
        if (!contract(&e, a, b)) return e.bad;
    }
    const tt_val y = in_order(&e);
    return truth ? tt_compare_at(site, 1, y, tt_i(0)) : y;
}
