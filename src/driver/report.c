/* driver/report.c - the data movements between devices as text: one entry per exchange, the costliest first.
 *
 *     explain train on data:2, model:4
 *     2 exchanges: 2 all-reduce
 *     each device receives 260.0 KiB, in 31.0 us by the model
 *
 *       1  all-reduce over data
 *          at       mlp.c:32: tt_call(tt_value_and_grad(loss), st.params, x, y)
 *          why      sum of dot_general
 *          from     "_, model +sum(data)", of 256.0 KiB
 *          to       "_, model"
 *          costs    64.0 KiB received by a device, 7.5 us, 4 times
 *          because  data comes from argument 1: mlp.c:40: tt_shard(x, mesh, "data, _")
 *          fix      ...
 *
 * Slices move nothing: they are counted, not listed. Lines are broken at 80 columns. */
#include "inner.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 80, INDENT = 14 };

const char *driver_time_text(base_arena *a, double s)
{
    if (s < 1e-3) return base_format(a, "%.1f us", s * 1e6);
    return s < 1 ? base_format(a, "%.1f ms", s * 1e3) : base_format(a, "%.2f s", s);
}

const char *driver_between_text(base_arena *a, double bytes, double seconds)
{
    if (bytes <= 0) return "";
    return base_format(a, ", %s of them in %s from other hosts", base_bytes_text(a, bytes),
                       driver_time_text(a, seconds));
}

/* A line truncated to `capacity` columns; NULL: "an unknown line". */
const char *driver_truncate(base_arena *a, const char *s, int capacity)
{
    if (!s) return "an unknown line";
    return (int)strlen(s) <= capacity ? s : base_format(a, "%.*s...", capacity - 3, s);
}

/* Appends a labelled text, broken at blanks; a word that is too long is truncated. */
static void report_append(base_text *t, const char *what, const char *s)
{
    enum { TEXT_WIDTH = WIDE - INDENT };
    if (!s) s = driver_truncate(t->arena, s, TEXT_WIDTH);
    for (; *s; what = "") {
        size_t n = strlen(s), end = n;
        if (n > TEXT_WIDTH)
            for (end = TEXT_WIDTH; end && s[end] != ' ';) end--;
        base_appendf(t, "     %-8s %s\n", what, end ? base_format(t->arena, "%.*s", (int)end, s)
                     : driver_truncate(t->arena, s, TEXT_WIDTH));
        s += end ? end : n;
        s += strspn(s, " ");
    }
}

static const char *spec_text(base_arena *a, const mesh_layout *l)
{
    const char *s = mesh_print(a, l);
    if (*s && !strpbrk(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) return "replicated";
    return *s ? base_format(a, "\"%s\"", s) : "a scalar";
}

static void put_origin(base_text *t, const char *what, const char *verb, const spmd_origin *o, const char *axes)
{
    if (!o->cause && !o->site) return;
    const char *how = o->cause ? o->cause : "a line";
    report_append(t, what, o->site ? base_format(t->arena, "%s %s %s: %s", axes, verb, how, o->site)
                         : base_format(t->arena, "%s %s %s", axes, verb, how));
}

static bool report_alike(const spmd_note *a, const spmd_note *b)
{
    return a->kind == b->kind && a->site == b->site && a->over == b->over && a->from == b->from && a->to == b->to &&
           a->bytes == b->bytes && a->times == b->times && a->requested == b->requested;
}

static void put_note(base_text *t, int number, int same, const spmd_note *n)
{
    base_arena *a = t->arena;
    const char *axes = mesh_set_text(a, n->from->mesh, n->over);
    const char *times = n->times == 1  ? ""
                        : n->times > 1 ? base_format(a, ", %lld times", (long long)n->times)
                                       : ", in a loop of unknown length";
    base_appendf(t, "\n%3d  %s over %s%s%s%s\n", number, spmd_kind_name[n->kind], axes,
        n->requested ? ", as written" : "",
                 n->left ? ", before the loop" : "",
                 same > 1 ? base_format(a, ", %d alike", same) : "");
    report_append(t, "at", driver_truncate(a, n->site, WIDE - INDENT));
    report_append(t, "why", n->why);
    report_append(t, "from", base_format(a, "%s, of %s", spec_text(a, n->from),
        base_bytes_text(a, (double)n->bytes)));
    if (n->to != n->from) report_append(t, "to", spec_text(a, n->to));
    report_append(t, "costs", base_format(a, "%s received by a device, %s%s%s", base_bytes_text(a, (double)n->moved),
                                          driver_time_text(a, n->seconds),
                                          driver_between_text(a, (double)n->between, n->between_seconds), times));
    put_origin(t, "because", "comes from", &n->from_origin, axes);
    put_origin(t, "because", "is required by", &n->to_origin, axes);
    if (n->fix) report_append(t, "fix", n->fix);
}

driver_sum driver_sum_of(const spmd_report *r)
{
    driver_sum s = { 0 };
    for (int i = 0; i < r->n; i++) {
        const spmd_note *n = &r->note[i];
        const int64_t times = n->times > 0 ? n->times : 1;
        s.count[n->kind]++;
        if (n->kind == SPMD_SLICE) continue;
        s.moving++;
        s.received += (double)n->moved * (double)times;
        s.seconds += n->seconds * (double)times;
        s.between += (double)n->between * (double)times;
        s.between_seconds += n->between_seconds * (double)times;
        s.open |= n->times <= 0;
    }
    return s;
}

/* Exchanges that follow each other and are alike; cost: seconds of all of them in one call. */
typedef struct { int first, n; double cost; } report_group;

static int by_cost(const void *x, const void *y)
{
    const report_group *a = x, *b = y;
    if (a->cost != b->cost) return a->cost > b->cost ? -1 : 1;
    return a->first - b->first;                          /* in program order */
}

static void put_notes(base_text *t, const spmd_report *r)
{
    report_group *g = base_new(t->arena, (size_t)r->n * sizeof *g);
    int groups = 0;
    for (int i = 0, n = 1; i < r->n; i += n) {
        const spmd_note *const note = &r->note[i];
        for (n = 1; i + n < r->n && report_alike(note, note + n); n++) ;
        const double times = note->times > 0 ? (double)note->times : 1;
        if (note->kind != SPMD_SLICE) g[groups++] = (report_group){ i, n, note->seconds * times * n };
    }
    qsort(g, (size_t)groups, sizeof *g, by_cost);
    for (int k = 0; k < groups; k++) put_note(t, k + 1, g[k].n, &r->note[g[k].first]);
}

const char *driver_explain_text(base_arena *a, const driver_lowered *v)
{
    base_text t = { .arena = a };
    const spmd_report *r = &v->report;
    const driver_sum s = driver_sum_of(r);
    base_appendf(&t, "explain %s on %s\n", v->fn->name, v->fn->mesh ? mesh_text(a, v->fn->mesh) : "one device");
    base_appendf(&t, "%d exchange%s", s.moving, s.moving == 1 ? "" : "s");
    for (int k = SPMD_SLICE + 1, first = 1; k <= SPMD_MIXED; k++)
        if (s.count[k]) base_appendf(&t, "%s%d %s", first ? ": " : ", ", s.count[k], spmd_kind_name[k]), first = 0;
    if (s.moving)
        base_appendf(&t, "\neach device receives %s%s, in %s by the model%s", s.open ? "at least " : "",
                     base_bytes_text(a, s.received), driver_time_text(a, s.seconds),
                     driver_between_text(a, s.between, s.between_seconds));
    if (s.count[SPMD_SLICE])
        base_appendf(&t, "; %d slice%s move%s nothing", s.count[SPMD_SLICE], s.count[SPMD_SLICE] == 1 ? "" : "s",
                     s.count[SPMD_SLICE] == 1 ? "s" : "");
    base_appendf(&t, "\n");
    if (r->n) put_notes(&t, r);
    return t.s;
}

/* ---- the functions that a word of TUTTI names ---- */

static const char *const naming[] = { "ir", "hlo", "plan" };
enum { NAMING = sizeof naming / sizeof *naming };
static _Atomic unsigned met;                             /* bit i: a function had the name of word i */
static char seen[256];                                   /* names of functions so far, for the hint; under the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void driver_name_met(const char *name, bool eager)
{
    bool given = false;
    for (int i = 0; i < NAMING; i++) {
        const char *const of = base_switch(naming[i]);
        if (of && *of) given = true;
        if (of && !strcmp(of, name)) atomic_fetch_or(&met, 1u << i);
    }
    if (!given || eager) return;
    pthread_mutex_lock(&lock);
    const size_t n = strlen(seen), capacity = sizeof seen - n, more = strlen(name) + (n ? 2 : 0);
    const char *const was = strstr(seen, name);
    if (!was && more < capacity) memcpy(seen + n, n ? ", " : "", n ? 2 : 0), strcpy(seen + n + (n ? 2 : 0), name);
    pthread_mutex_unlock(&lock);
}

bool driver_names_met(void)
{
    for (int i = 0; i < NAMING; i++) {
        const char *const of = base_switch(naming[i]);
        if (!of || !*of || atomic_load(&met) >> i & 1) continue;
        base_fail(TT_EARG, NULL, "TUTTI=%s:%s: no function of that name was compiled", naming[i], of);
        pthread_mutex_lock(&lock);
        if (*seen) base_hint_choices("those of this program are", of, strlen(of), seen);
        pthread_mutex_unlock(&lock);
        return false;
    }
    return true;
}
