/* ckpt/save/manager.c - a folder of steps in the format of Orbax's CheckpointManager: <step>/default,
 * <step>/metrics/metrics. Unfinished steps are never visible; which steps stay: retention.c.
 *
 * A save may run in a thread of its own: the elements are copied first, so that the values may be donated. At most one
 * at a time; its error is reported by the next call. */
#include "manager.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void no_slash(char *path)
{
    for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--) path[n - 1] = 0;
}

/* ---- saving ---- */

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
    if (ckpt_write(m->job, e) && !m->writer) manager_retire(m), manager_sweep(m, m->step);
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
    if (tt_rank_at(site, metrics) >= 0)
        ckpt_fail(e, TT_EARG, ".metrics is %s; expected a dict of scalars", tt_type_text_at(site, metrics));
    for (int i = 0; i < n; i++) {
        const tt_val v = tt_item(metrics, i);
        const char *name = tt_name_at(site, metrics, i);
        const double x = name && tt_rank_at(site, v) == 0 ? tt_num_at(NULL, v) : NAN;
        if (!name || tt_rank_at(site, v) != 0)
            ckpt_fail(e, TT_EARG, ".metrics is %s; expected a dict of scalars", tt_type_text_at(site, metrics));
        else if (isfinite(x)) json_object_set_new(o, name, json_real(x));
    }
    if (!e->code && n && *best && !tt_has_at(site, metrics, best))
        ckpt_fail(e, TT_EARG, ".metrics has no \"%s\", the metric of .best", best);
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
    if (step < 0) ckpt_fail(e, TT_EARG, "step %lld; expected 0 or more", (long long)step);
    if (*m->best && !o->metrics.slot && !o->metrics.born)
        ckpt_fail_hint(e, TT_EARG, "give .metrics = tt_dict(name, value); tt_none() for a step that has no metrics",
                       "step %lld without .metrics, but .best needs the metric \"%s\"", (long long)step, m->best);
    if (!e->code) manager_join_save(m, e);
    if (!ckpt_agree(site, "tt_manager_save", NULL, m->patience, e)) return false;
    manager_step_path(m, step, path, sizeof path);
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
        ok = manager_would_stay(m, step, x ? json_number_value(x) : NAN, e);
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
    if (!h.p) tt_fail_at(site, TT_ELIFE, "%s: the tt_manager is empty", what);
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
    char same[400];
    manager *m = calloc(1, sizeof *m);
    const char *word = o->best ? o->best : "";
    if (!m || !root || !*root || strlen(root) > 3000)
        ckpt_fail(&e, m ? TT_EARG : TT_EMEM, !m ? "out of memory" : !root ? "the path is NULL" : !*root
                  ? "the path is empty" : "the path is longer than 3000 bytes");
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
        if (!(m->patience >= 0)) ckpt_fail(&e, TT_EARG, ".patience = %g; expected seconds, 0 or more", m->patience);
        if (strlen(word) >= sizeof m->best || strchr(m->best, ' ') || (o->best && (!which || !*m->best)))
            ckpt_fail(&e, TT_EARG, ".best = \"%s\"; expected \"max NAME\" or \"min NAME\" of a metric", word);
        else if (!o->best && m->keep_best)
            ckpt_fail(&e, TT_EARG, ".keep_best = %lld has no effect without .best", (long long)m->keep_best);
        else if (m->keep_best < 0)
            ckpt_fail(&e, TT_EARG, ".keep_best = %lld; expected 0 or more", (long long)m->keep_best);
        else if (ckpt_writers(o, o->writer, o->writers, &m->writer, &m->writers, &e) && !ckpt_dry())
            ckpt_dir_make(m->root, &e);
    }
    snprintf(same, sizeof same,
             ".keep = %lld, .keep_every = %lld, .keep_best = %lld, .best = \"%.200s\", .background = %d, .ocdbt = %d",
             (long long)o->keep, (long long)o->keep_every, (long long)(m ? m->keep_best : 0),
             o->best ? o->best : "", !!o->background, !!o->ocdbt);
    if (ckpt_agree(site, "tt_manager_open", same, 0, &e)) {
        tt_own(m, freed);                                /* without memory, m is freed */
        return tt_ok() ? (tt_manager){ m, tt_alive_at(site) } : none;
    }
    free(m);
    manager_report(site, &e);
    return none;
}

/* The finished steps, rising; in a job those that process 0 sees, known to all. */
static int64_t *steps_known(const char *site, const char *what, const manager *m, int *n, ckpt_err *e)
{
    const bool job = ckpt_in_job(), other = job && m->writer;
    int64_t *step = other ? NULL : manager_steps(m, n, e);
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
    if (n > 0 && !out) return tt_fail_at(site, TT_EARG, "tt_manager_steps: the list of %d steps to fill is NULL", n), 0;
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
    double least = NAN, x = NAN;
    ckpt_err e = { 0 };
    const bool job = ckpt_in_job(), other = job && h.p->writer;
    for (int i = 0; step && !other && i < n; i++) {
        if (!manager_metric(h.p, step[i], &x, &e)) break;
        if (!isnan(x) && (isnan(least) || manager_better(h.p, x, least))) best = step[i], least = x;
    }
    if (step && !ckpt_agree(site, "tt_manager_best", NULL, 0, &e)) manager_report(site, &e), best = -1;
    else if (step && job && !tt_broadcast_bytes_at(site, "tt_manager_best", 0, &best, sizeof best)) best = -1;
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
    manager_step_path(h.p, step, path, sizeof path);
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
    return tt_ok() ? s : "";
}

tt_val tt_manager_load_at(const char *site, tt_manager h, int64_t step, const tt_load_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_load_opts, site, "manager_load", o)) return tt_poison;
    if (!is_open(site, "tt_manager_load", h)) return tt_poison;
    const char *path = tt_manager_path_at(site, h, step);
    return *path ? tt_load_at(site, path, o) : tt_poison;
}
