/* ckpt/save/retention.c - the steps in a manager's folder: which are finished, which is better, which stay. Old steps
 * are removed after the newer one is durable. */
#include "manager.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void manager_step_path(const manager *m, int64_t step, char *to, size_t capacity)
{
    snprintf(to, capacity, "%.3600s/%lld", m->root, (long long)step);
}

/* True if this is the folder of a step, not of a leaf whose name is a number. */
static bool step_like(const char *path)
{
    static const char *const marks[] = { "_CHECKPOINT_METADATA", "commit_success.txt", "_METADATA",
                                         "default/_METADATA" };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) if (ckpt_is_file(path, marks[i])) return true;
    return false;
}

/* True if the step is finished: the name is a plain number (7; 07 is another folder), and a step written by Tutti has
 * its marker; other libraries' steps need none. */
static bool finished(const manager *m, const char *name, int64_t *step)
{
    char path[CKPT_PATH], again[32];
    if (*name < '0' || *name > '9') return false;
    *step = strtoll(name, NULL, 10);
    snprintf(again, sizeof again, "%lld", (long long)*step);
    if (strcmp(again, name) != 0) return false;
    snprintf(path, sizeof path, "%.3600s/%.200s", m->root, name);
    return step_like(path) && (!ckpt_is_file(path, "_MANIFEST") || ckpt_is_file(path, "commit_success.txt"));
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t *manager_steps(const manager *m, int *n, ckpt_err *e)  /* rising; the caller frees it; NULL: an error */
{
    char **name = NULL;
    const bool there = access(m->root, F_OK) == 0;       /* a removed folder has no steps */
    const int many = there ? ckpt_names(m->root, &name, e) : 0;
    int64_t *step = many < 0 ? NULL : calloc((size_t)many + 1, sizeof *step);
    *n = 0;
    if (many >= 0 && !step) ckpt_fail(e, TT_EMEM, "%s: out of memory for its steps", m->root);
    for (int i = 0; step && i < many; i++) *n += finished(m, name[i], &step[*n]);
    ckpt_names_free(many, name);
    if (step) qsort(step, (size_t)*n, sizeof *step, by_number);
    return step;
}

bool manager_metric(const manager *m, int64_t step, double *x, ckpt_err *e)
{
    static const char key[] = "metrics/metrics";
    char dir[CKPT_PATH];
    json_t *o = NULL;
    *x = NAN;
    manager_step_path(m, step, dir, sizeof dir);
    ckpt_store *s = ckpt_folder(dir, e);
    const int64_t bytes = s ? s->size(s, key, e) : -2;   /* -1: there is no such file */
    const bool ok = bytes == -1 || (bytes >= 0 && ckpt_json(s, key, &o, e));
    const json_t *v = json_object_get(o, m->best);
    if (json_is_number(v)) *x = json_number_value(v);
    json_decref(o);
    ckpt_store_close(s);
    return ok;
}

bool manager_better(const manager *m, double x, double than) { return m->higher ? x >= than : x <= than; }

/* ---- retention: all but the newest, the best, and every keep_every-th step are removed ---- */

typedef struct { double x; bool unknown; } measured;     /* x: NaN: no metric. unknown: it cannot be read */

/* The metrics of n steps, without .best none; the caller frees them. NULL: out of memory. */
static measured *metrics_of(const manager *m, int n, const int64_t *step)
{
    measured *metric = calloc((size_t)n + 1, sizeof *metric);
    for (int i = 0; metric && i < n; i++) {
        ckpt_err unseen = { 0 };
        metric[i].x = NAN;
        if (*m->best) metric[i].unknown = !manager_metric(m, step[i], &metric[i].x, &unseen);
    }
    return metric;
}

/* True if step i of n rising ones stays. One that may be the best for all that is known does. */
static bool is_kept(const manager *m, int n, const int64_t *step, const measured *metric, int i)
{
    const double x = metric[i].x;
    int ahead = 0;                                       /* number of better steps; of equal ones the later is better */
    if (m->keep <= 0 || i >= n - m->keep || (m->keep_every > 0 && step[i] % m->keep_every == 0)) return true;
    if (metric[i].unknown) return true;
    for (int k = 0; k < n; k++)
        ahead += k != i && !isnan(metric[k].x) &&
                 (isnan(x) || (manager_better(m, metric[k].x, x) && (metric[k].x != x || k > i)));
    return *m->best && m->keep_best > 0 && !isnan(x) && ahead < m->keep_best;
}

void manager_retire(const manager *m)  /* a folder that cannot be read now is retried after a later save */
{
    int n;
    ckpt_err unseen = { 0 };
    int64_t *step = manager_steps(m, &n, &unseen);
    measured *metric = step ? metrics_of(m, n, step) : NULL;
    for (int i = 0; metric && i < n; i++) {
        if (is_kept(m, n, step, metric, i)) continue;
        char path[CKPT_PATH], gone[CKPT_PATH + 64];
        ckpt_err quiet = { 0 };
        manager_step_path(m, step[i], path, sizeof path);
        snprintf(gone, sizeof gone, "%s.deleted%s", path, ckpt_suffix);
        ckpt_remove(gone);
        if (rename(path, gone) == 0 && ckpt_dir_sync(m->root, &quiet)) ckpt_remove(gone);
    }
    free(step);
    free(metric);
}

/* Removes what died saves of steps up to this one have left: only one save of a root runs at a time. */
void manager_sweep(const manager *m, int64_t step)
{
    char **name, path[CKPT_PATH];
    ckpt_err unseen = { 0 };
    const int n = ckpt_names(m->root, &name, &unseen);
    for (int i = 0; i < n; i++) {
        char *end;
        const long long of = strtoll(name[i], &end, 10);
        const size_t len = strlen(end), tail = strlen(ckpt_suffix);
        if (end == name[i] || of > step || len < tail || strcmp(end + len - tail, ckpt_suffix) != 0) continue;
        snprintf(path, sizeof path, "%.3600s/%.300s", m->root, name[i]);
        ckpt_remove(path);
    }
    ckpt_names_free(n, name);
}

/* True unless the step, with this metric, is one that manager_retire removes as soon as it is saved. */
bool manager_would_stay(const manager *m, int64_t step, double x, ckpt_err *e)
{
    int n, at = 0;
    int64_t *all = m->keep > 0 ? manager_steps(m, &n, e) : NULL;
    if (m->keep <= 0) return true;
    for (; all && at < n && all[at] < step; at++) { }
    if (all && (at == n || all[at] != step)) {
        memmove(all + at + 1, all + at, (size_t)(n++ - at) * sizeof *all); /* manager_steps has space for one more */
        all[at] = step;
    }
    measured *metric = all ? metrics_of(m, n, all) : NULL;
    if (all && !metric) ckpt_fail(e, TT_EMEM, "out of memory");
    if (metric) metric[at] = (measured){ x, false };
    if (metric && !is_kept(m, n, all, metric, at))
        ckpt_fail_hint(e, TT_EARG, "save a newer step, or open the manager with a larger .keep",
                       "%s: step %lld would be removed at once: .keep = %lld keeps %lld to %lld", m->root,
                       (long long)step, (long long)m->keep, (long long)all[n - m->keep], (long long)all[n - 1]);
    free(all);
    free(metric);
    return !e->code;
}
