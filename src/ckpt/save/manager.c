/* ckpt/save/manager.c - a folder of steps in the format of Orbax's CheckpointManager: <step>/default,
 * <step>/metrics/metrics. Unfinished steps are never visible; old steps are removed after the newer one is durable.
 *
 * A save may run in a thread of its own: the elements are copied first, so that the values may be donated. At most one
 * at a time; its error is reported by the next call. */
#include "../ckpt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct tt_manager_s {
    char root[CKPT_PATH], best[128];                     /* the metric's name */
    bool higher, background, rooted, ocdbt;
    int64_t keep, keep_best, keep_every;
    int writer, writers; double patience;
    int64_t step; const char *site;                      /* the step being saved, and the call */
    ckpt_job *job;
    ckpt_async async;
} manager;

static void no_slash(char *path)
{
    for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--) path[n - 1] = 0;
}

/* ---- steps ---- */

static void step_path(const manager *m, int64_t step, char *to, size_t capacity)
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

static int64_t *steps_of(const manager *m, int *n, ckpt_err *e)  /* rising; the caller frees it; NULL: an error */
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

/* The step's metric; NaN: none. */
static double metric_of(const manager *m, int64_t step)
{
    char dir[CKPT_PATH + 32];
    ckpt_err quiet = { 0 };
    json_t *o = NULL;
    step_path(m, step, dir, CKPT_PATH);
    strcat(dir, "/metrics");
    ckpt_store *s = ckpt_folder(dir, &quiet);
    const json_t *v = s && ckpt_json(s, "metrics", &o, &quiet) ? json_object_get(o, m->best) : NULL;
    const double x = json_is_number(v) ? json_number_value(v) : NAN;
    json_decref(o);
    ckpt_store_close(s);
    return x;
}

static bool better(const manager *m, double x, double than) { return m->higher ? x >= than : x <= than; }

/* ---- retention: all but the newest, the best, and every keep_every-th step are removed ---- */

/* True if step i of n rising ones stays. */
static bool is_kept(const manager *m, int n, const int64_t *step, const double *metric, int i)
{
    int ahead = 0;                                       /* number of better steps; of equal ones the later is better */
    if (m->keep <= 0 || i >= n - m->keep || (m->keep_every > 0 && step[i] % m->keep_every == 0)) return true;
    for (int k = 0; k < n; k++)
        ahead += k != i && !isnan(metric[k]) &&
                 (isnan(metric[i]) || (better(m, metric[k], metric[i]) && (metric[k] != metric[i] || k > i)));
    return *m->best && m->keep_best > 0 && !isnan(metric[i]) && ahead < m->keep_best;
}

static void retire(const manager *m)  /* a folder that cannot be read now is retried after a later save */
{
    int n;
    ckpt_err unseen = { 0 };
    int64_t *step = steps_of(m, &n, &unseen);
    double *metric = calloc((size_t)n + 1, sizeof *metric);
    for (int i = 0; step && metric && *m->best && i < n; i++) metric[i] = metric_of(m, step[i]);
    for (int i = 0; step && metric && i < n; i++) {
        if (is_kept(m, n, step, metric, i)) continue;
        char path[CKPT_PATH], gone[CKPT_PATH + 64];
        ckpt_err quiet = { 0 };
        step_path(m, step[i], path, sizeof path);
        snprintf(gone, sizeof gone, "%s.deleted%s", path, ckpt_suffix);
        ckpt_remove(gone);
        if (rename(path, gone) == 0 && ckpt_dir_sync(m->root, &quiet)) ckpt_remove(gone);
    }
    free(step);
    free(metric);
}

/* Removes what died saves of steps up to this one have left: only one save of a root runs at a time.
 */
static void sweep(const manager *m, int64_t step)
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

/* ---- saving ---- */

/* True unless the step, with this metric, is one that `retire` removes as soon as it is saved. */
static bool would_stay(const manager *m, int64_t step, double x, ckpt_err *e)
{
    int n, at = 0;
    int64_t *all = m->keep > 0 ? steps_of(m, &n, e) : NULL;
    double *metric = all ? calloc((size_t)n + 1, sizeof *metric) : NULL;
    if (m->keep <= 0) return true;
    if (all && !metric) ckpt_fail(e, TT_EMEM, "out of memory");
    for (; metric && at < n && all[at] < step; at++) { }
    if (metric && (at == n || all[at] != step)) {
        memmove(all + at + 1, all + at, (size_t)(n++ - at) * sizeof *all);      /* steps_of has space for one more */
        all[at] = step;
    }
    for (int i = 0; metric && i < n; i++) metric[i] = i == at ? x : *m->best ? metric_of(m, all[i]) : NAN;
    if (metric && !is_kept(m, n, all, metric, at))
        ckpt_fail_hint(e, TT_EARG, "save a newer step, or open the manager with a larger .keep",
                       "%s: step %lld would be removed at once: .keep = %lld keeps %lld to %lld", m->root,
                       (long long)step, (long long)m->keep, (long long)all[n - m->keep], (long long)all[n - 1]);
    free(all);
    free(metric);
    return !e->code;
}

static void job_free(ckpt_job *j)
{
    if (!j) return;
    ckpt_plan_free(&j->plan);
    json_decref(j->metrics);
    free(j);
}

static void manager_work(void *p, ckpt_err *e)
{
    const manager *m = p;
    if (ckpt_write(m->job, e) && !m->writer) retire(m), sweep(m, m->step);
}

/* Waits until the running save is complete; returns its error, once. */
static bool manager_join_save(manager *m, ckpt_err *e)
{
    ckpt_async_end(&m->async, e);
    job_free(m->job);
    m->job = NULL;
    return !e->code;
}

/* A dict of scalars, including `best` unless the dict is absent; NULL: none, or an error. */
static json_t *numbers_of(const char *site, tt_val metrics, const char *best, ckpt_err *e)
{
    const int n = tt_items_at(site, metrics);
    json_t *o = n ? json_object() : NULL;
    if (tt_rank_at(site, metrics) >= 0) ckpt_fail(e, TT_EARG, "metrics are a dict of scalars");
    for (int i = 0; i < n; i++) {
        const tt_val v = tt_item(metrics, i);
        const char *name = tt_name_at(site, metrics, i);
        const double x = name && tt_rank_at(site, v) == 0 ? tt_num_at(NULL, v) : NAN;
        if (!name || tt_rank_at(site, v) != 0) ckpt_fail(e, TT_EARG, "metrics are a dict of scalars");
        else if (isfinite(x)) json_object_set_new(o, name, json_real(x));
    }
    if (!e->code && n && *best && !tt_has_at(site, metrics, best))
        ckpt_fail(e, TT_EARG, "no metric \"%s\", which .best is of", best);
    return o;
}

/* True if the root is durable: it may be a new folder, of this process or of a dead one, so its parent is synced
 * once. */
static bool rooted(manager *m, ckpt_err *e)
{
    char above[CKPT_PATH];
    ckpt_above(m->root, above, sizeof above);
    return m->rooted || (m->rooted = ckpt_dir_sync(above, e));
}

/* In a job, where the save has begun in all processes: writes, or starts to. */
static bool worked_together(const char *site, manager *m, ckpt_err *e)
{
    if (!m->background) manager_work(m, e), manager_join_save(m, e);
    else if (!ckpt_async_begin(&m->async, manager_work, m, e)) ckpt_give_up(m->job, e);
    return ckpt_agree(site, "tt_manager_save", NULL, m->background ? 0 : m->patience, e);
}

static bool begun(const char *site, manager *m, int64_t step, tt_val tree, const tt_manager_save_opts *o, ckpt_err *e)
{
    char path[CKPT_PATH];
    const bool job = ckpt_in_job();
    if (step < 0) ckpt_fail(e, TT_EARG, "step %lld: steps count from 0", (long long)step);
    if (*m->best && !o->metrics.slot && !o->metrics.born)
        ckpt_fail_hint(e, TT_EARG, "give .metrics = tt_dict(name, value); tt_none() for a step that has no metrics",
                       "step %lld without .metrics, where .best is of the metric \"%s\"", (long long)step, m->best);
    if (!e->code) manager_join_save(m, e);
    if (!ckpt_agree(site, "tt_manager_save", NULL, m->patience, e)) return false;
    step_path(m, step, path, sizeof path);
    if (ckpt_dry()) return ckpt_dry_save(path, tree, e);
    ckpt_job *j = m->job = calloc(1, sizeof *j);
    if (!j) return ckpt_fail(e, TT_EMEM, "out of memory");
    j->sub = "default/";
    m->step = step, m->site = site;
    j->force = o->force;
    j->ocdbt = m->ocdbt;
    j->writer = m->writer, j->writers = m->writers, j->patience = m->patience;
    j->metrics = o->metrics.slot || o->metrics.born ? numbers_of(site, o->metrics, m->best, e) : NULL;
    const json_t *x = json_object_get(j->metrics, m->best);
    bool ok = !e->code && ckpt_job_path(j, path, e) && ckpt_plan_of(&j->plan, tree, e);
    if (ok && !(job && m->writer) && (o->force || access(path, F_OK) != 0))      /* in a job process 0 decides */
        ok = would_stay(m, step, x ? json_number_value(x) : NAN, e);
    ok = ok && rooted(m, e);
    if (job) return ckpt_begin(site, "tt_manager_save", j, m->background, e) && worked_together(site, m, e);
    if (!ok) return false;
    if (!m->background) return manager_work(m, e), manager_join_save(m, e);
    return ckpt_plan_copy(&j->plan, e) && ckpt_async_begin(&m->async, manager_work, m, e);
}

static void manager_report(const char *site, const ckpt_err *e)  /* the error of another process is reported already */
{
    if (e->code || tt_ok()) ckpt_report(site, e);
}

/* True if the manager is open; else sets the error. */
static bool is_open(const char *site, const char *what, tt_manager h)
{
    if (!h.p) tt_fail_at(site, TT_ELIFE, "%s: there is no manager", what);
    return h.p && tt_is_live_at(site, what, h.alive);
}

bool tt_manager_save_at(const char *site, tt_manager h, int64_t step, tt_val tree, const tt_manager_save_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_manager_save_opts, site, "manager_save", o)) return false;
    ckpt_err e = { 0 };
    if (!is_open(site, "tt_manager_save", h)) return false;
    tt_items_at(site, tree);                             /* an empty value has its error here, with the line */
    if (!tt_ok() && !ckpt_in_job()) return false;
    if (begun(site, h.p, step, tree, o, &e)) return true;
    if (!h.p->async.begun) job_free(h.p->job), h.p->job = NULL;
    manager_report(site, &e);
    return false;
}

bool tt_manager_wait_at(const char *site, tt_manager h)
{
    TT_ENTRY(site);
    ckpt_err e = { 0 };
    if (!is_open(site, "tt_manager_wait", h)) return false;
    manager_join_save(h.p, &e);
    if (ckpt_agree(site, "tt_manager_wait", NULL, h.p->patience, &e)) return true;
    manager_report(site, &e);
    return false;
}

/* ---- the public calls ---- */

static void freed(void *p)
{
    manager *m = p;
    ckpt_err e = { 0 };
    if (!manager_join_save(m, &e)) ckpt_report(m->site, &e);
    free(m);
}

tt_manager tt_manager_open_at(const char *site, const char *root, const tt_manager_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_manager_opts, site, "manager_open", o)) return (tt_manager){ 0 };
    const tt_manager none = { 0 };
    ckpt_err e = { 0 };
    manager *m = calloc(1, sizeof *m);
    const char *word = o->best ? o->best : "";
    if (!m || !root || !*root || strlen(root) > 3000)
        ckpt_fail(&e, m ? TT_EARG : TT_EMEM, m ? "there is no path" : "out of memory");
    else {
        snprintf(m->root, sizeof m->root, "%s", root);
        no_slash(m->root);
        m->higher = !strncmp(word, "max ", 4);
        snprintf(m->best, sizeof m->best, "%s", word + (m->higher || !strncmp(word, "min ", 4) ? 4 : 0));
        m->background = o->background;
        m->ocdbt = o->ocdbt;
        m->keep = o->keep, m->keep_every = o->keep_every;
        m->keep_best = o->keep_best || tt_given(o, "keep_best") ? o->keep_best : *word ? 1 : 0;
        m->patience = o->patience != 0 || tt_given(o, "patience") ? o->patience : 300;
        const bool which = m->higher || !strncmp(word, "min ", 4);
        if (!(m->patience >= 0)) ckpt_fail(&e, TT_EARG, ".patience = %g; it is seconds, 0 or more", m->patience);
        if (strlen(word) >= sizeof m->best || strchr(m->best, ' ') || (o->best && (!which || !*m->best)))
            ckpt_fail(&e, TT_EARG, ".best = \"%s\"; it is \"max NAME\" or \"min NAME\" of a metric", word);
        else if (!o->best && m->keep_best)
            ckpt_fail(&e, TT_EARG, ".keep_best = %lld has no effect without .best", (long long)m->keep_best);
        else if (m->keep_best < 0)
            ckpt_fail(&e, TT_EARG, ".keep_best = %lld; it is 0 or more", (long long)m->keep_best);
        else if (ckpt_writers(o, o->writer, o->writers, &m->writer, &m->writers, &e) && !ckpt_dry())
            ckpt_dir_make(m->root, &e);
    }
    if (ckpt_agree(site, "tt_manager_open", NULL, 0, &e)) {
        tt_own(m, freed);
        return (tt_manager){ m, tt_alive_at(site) };
    }
    free(m);
    manager_report(site, &e);
    return none;
}

/* The finished steps, rising; in a job those that process 0 sees, known to all. */
static int64_t *steps_known(const char *site, const char *what, const manager *m, int *n, ckpt_err *e)
{
    const bool job = ckpt_in_job(), other = job && m->writer;
    int64_t *step = other ? NULL : steps_of(m, n, e);
    if (!job) return step;
    bool ok = ckpt_agree(site, what, NULL, 0, e) && tt_broadcast_bytes_at(site, what, 0, n, sizeof *n);
    if (ok && other && !(step = calloc((size_t)*n + 1, sizeof *step))) ckpt_fail(e, TT_EMEM, "out of memory");
    ok = ok && ckpt_agree(site, what, NULL, 0, e) &&
         tt_broadcast_bytes_at(site, what, 0, step, (size_t)*n * sizeof *step);
    if (!ok) free(step), step = NULL, *n = 0;
    return step;
}

/* The steps for a public call, which reports why there are none. */
static int64_t *steps_or_report(const char *site, const char *what, tt_manager h, int *n)
{
    ckpt_err e = { 0 };
    *n = 0;
    int64_t *step = is_open(site, what, h) ? steps_known(site, what, h.p, n, &e) : NULL;
    if (e.code) ckpt_report(site, &e);
    return step;
}

int tt_manager_steps_at(const char *site, tt_manager h, int n, int64_t *out)
{
    TT_ENTRY(site);
    int have;
    if (n > 0 && !out) return tt_fail_at(site, TT_EARG, "tt_manager_steps: space for %d steps that is NULL", n), 0;
    int64_t *step = steps_or_report(site, "tt_manager_steps", h, &have);
    for (int i = 0; step && i < have && i < n; i++) out[i] = step[i];
    free(step);
    return have;
}

int64_t tt_manager_newest_at(const char *site, tt_manager h)
{
    TT_ENTRY(site);
    int n;
    int64_t *step = steps_or_report(site, "tt_manager_newest", h, &n);
    const int64_t last = step && n ? step[n - 1] : -1;
    free(step);
    return last;
}

int64_t tt_manager_best_at(const char *site, tt_manager h)
{
    TT_ENTRY(site);
    int n = 0;
    if (!is_open(site, "tt_manager_best", h) || !*h.p->best) return -1;
    int64_t *step = steps_or_report(site, "tt_manager_best", h, &n), best = -1;
    double least = NAN;
    for (int i = 0; step && i < n; i++) {
        const double x = metric_of(h.p, step[i]);
        if (!isnan(x) && (isnan(least) || better(h.p, x, least))) best = step[i], least = x;
    }
    if (step && ckpt_in_job() && !tt_broadcast_bytes_at(site, "tt_manager_best", 0, &best, sizeof best)) best = -1;
    free(step);
    return best;
}

const char *tt_manager_path_at(const char *site, tt_manager h, int64_t step)
{
    TT_ENTRY(site);
    char path[CKPT_PATH];
    ckpt_err e = { 0 };
    int n = 0;
    if (!is_open(site, "tt_manager_path", h)) return "";
    manager_join_save(h.p, &e);
    if (!ckpt_agree(site, "tt_manager_path", NULL, h.p->patience, &e)) return manager_report(site, &e), "";
    int64_t *all = steps_known(site, "tt_manager_path", h.p, &n, &e), last = all && n ? all[n - 1] : -1;
    if (!all) return manager_report(site, &e), "";
    bool there = false;
    for (int i = 0; i < n; i++) there |= all[i] == step;
    free(all);
    step_path(h.p, step, path, sizeof path);
    there |= ckpt_dry_saved(path) != NULL;
    if (!there) {
        ckpt_fail(&e, TT_EARG, "%s: there is no step %lld, or it was never finished", h.p->root, (long long)step);
        ckpt_report(site, &e);
        if (last >= 0) tt_hint("the newest is %lld", (long long)last);
        return "";
    }
    char *s = ckpt_text("%s", path);
    if (!s) return ckpt_report(site, &e), "";
    tt_own(s, free);
    return s;
}

tt_val tt_manager_load_at(const char *site, tt_manager h, int64_t step, const tt_load_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_load_opts, site, "manager_load", o)) return tt_poison;
    if (!is_open(site, "tt_manager_load", h)) return tt_poison;
    const char *path = tt_manager_path_at(site, h, step);
    return *path ? tt_load_at(site, path, o) : tt_poison;
}
