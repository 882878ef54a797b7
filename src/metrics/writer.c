/* metrics/writer.c - the writer: which files it has, and the calls that write to all of them.
 *
 * A call first finds all that is wrong with its arguments, then writes, so that files do not differ. In a job all
 * processes check the arguments, compute what is computed of them and agree; only those that write read the values. */
#include "metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { JSONL = METRICS_JSONL, CSV = METRICS_CSV, EVENTS = METRICS_EVENTS };
typedef struct tt_metric_writer_s {
    const char *site;                                    /* of the call that opened it */
    bool silent;                                         /* another process writes, or none (TUTTI=dry) */
    bool alone;                                          /* each process of a job writes its own files */
    int formats;
    metrics_file jsonl, csv, events;
    metrics_columns columns;
    bool titled;                                         /* the file of CSV has its first line */
} writer;

static double wall_time(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the processes of a job ---- */

/* True if no process of the job has an error, an earlier one included, and `same` is equal in all. */
static bool job_agrees(const char *site, const char *what, const char *same)
{
    const tt_error_info *const e = tt_error_record();
    const tt_agreement mine = { .code = e->code, .text = e->message, .same = same };
    return tt_process_agree_at(site, what, &mine);
}

static bool in_job(void) { return tt_process_count() > 1 && !tt_config_value("dry"); }

bool metrics_agree(const char *site, const char *what, tt_metric_writer w, int64_t step, const metrics_list *l)
{
    char *same = NULL;
    size_t bytes = 0;
    if (!in_job() || (w.p && w.p->alone)) return tt_ok();
    FILE *const t = tt_open_memstream(&same, &bytes);
    if (t) fprintf(t, "step %lld", (long long)step);
    for (int i = 0; t && l && i < l->n; i++) fprintf(t, "%s%s", i ? ", " : " of ", l->at[i].name);
    if (!t || fclose(t)) tt_fail_at(site, TT_EMEM, "%s: out of memory", what);
    const bool agree = job_agrees(site, what, same);
    free(same);
    return agree;
}

/* ---- opening and closing ---- */

static void writer_close(writer *w)
{
    if (w->formats & JSONL) metrics_file_close(&w->jsonl);
    if (w->formats & CSV) metrics_file_close(&w->csv);
    if (w->formats & EVENTS) metrics_file_close(&w->events);
    metrics_columns_free(&w->columns);
    free(w);
}

static bool writer_sync(const char *site, writer *w)
{
    return metrics_file_sync(site, &w->jsonl) && metrics_file_sync(site, &w->csv) &&
           metrics_file_sync(site, &w->events);
}

static void writer_freed(void *p)
{
    writer *w = p;
    writer_sync(w->site, w);
    writer_close(w);
}

static bool ends_with(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    return n > m && !strcmp(path + n - m, ending);
}

/* The formats that the words name; 0 with the error set. */
static int formats_of(const char *site, const char *words)
{
    static const char *const name[] = { "jsonl", "csv", "events" };
    int formats = 0;
    for (const char *at = words;; at++) {
        at += strspn(at, " ");
        const size_t whole = strcspn(at, ",");
        size_t n = whole;
        while (n && at[n - 1] == ' ') n--;
        int k = 0;
        while (k < 3 && (strlen(name[k]) != n || strncmp(name[k], at, n))) k++;
        if (k == 3 || formats & 1 << k) {
            tt_fail_at(site, TT_EARG, "metric_writer_open: .formats = \"%s\": %s \"%.*s\"%s", words,
                       k == 3 ? "no format" : "", (int)n, at, k == 3 ? "" : " is given twice");
            if (k == 3) tt_hint_choices("the formats are", at, (int)n, "jsonl, csv, events");
            return 0;
        }
        formats |= 1 << k;
        if (!at[whole]) return formats;
        at += whole;
    }
}

/* What is to be opened: the formats, and whether the path is one file. False with the error set. */
static bool what_to_open(const char *site, const char *path, const tt_metric_writer_opts *o, int *formats, bool *one)
{
    const int file = !path ? 0 : ends_with(path, ".jsonl") ? JSONL : ends_with(path, ".csv") ? CSV : 0;
    *one = file != 0;
    if (!path || !*path || strlen(path) > METRICS_PATH - 200)
        tt_fail_at(site, TT_EARG, !path ? "metric_writer_open: the path is NULL"
                                       : *path ? "metric_writer_open: the path is too long"
                                               : "metric_writer_open: the path is empty");
    else if (ends_with(path, ".json") || ends_with(path, ".tsv")) {
        tt_fail_at(site, TT_EARG, "metric_writer_open: \"%s\": no format has this ending", path);
        tt_hint("files are x.jsonl or x.csv; a path with another ending is a folder");
    } else if (file && o->formats)
        tt_fail_at(site, TT_EARG, "metric_writer_open: .formats = \"%s\", but the path is the file %s", o->formats,
                   path);
    else *formats = file ? file : formats_of(site, o->formats ? o->formats : "jsonl, events");
    if (tt_ok() && o->columns && !(*formats & CSV)) {
        tt_fail_at(site, TT_EARG, "metric_writer_open: .columns = \"%s\" without the format csv", o->columns);
        tt_hint("JSON lines and event files take any names at any time");
    } else if (tt_ok() && o->purge_step < 0)
        tt_fail_at(site, TT_EARG, "metric_writer_open: .purge_step = %lld; expected 0 or more",
                   (long long)o->purge_step);
    return tt_ok();
}

/* Makes the folder and returns the path of a file: path itself, folder/name, or that of this process's own. */
static bool place_of(const char *site, const char *path, bool one, bool all, const char *name,
                     char to[METRICS_PATH])
{
    char folder[METRICS_PATH], own[32] = "";
    const size_t n = strlen(path), cut = !one ? n : strlen(path) - strlen(strrchr(path, '.'));
    if (all) snprintf(own, sizeof own, one ? ".rank%d" : "/rank%d", tt_process_index());
    if (one) snprintf(to, METRICS_PATH, "%.*s%s%s", (int)cut, path, own, path + cut);
    else snprintf(to, METRICS_PATH, "%.*s%s/%s", (int)cut, path, own, name);
    snprintf(folder, sizeof folder, "%s", to);
    char *slash = strrchr(folder, '/');
    if (!slash || slash == folder) return true;
    while (slash > folder + 1 && slash[-1] == '/') slash--;
    *slash = 0;
    return metrics_folder_make(site, folder);
}

/* Opens the file of CSV, whose columns are those of its first line, which .columns must not contradict. */
static bool open_csv(const char *site, writer *w, const char *path, const tt_metric_writer_opts *o)
{
    metrics_columns there = { 0 };
    if (!metrics_file_open(site, &w->csv, path, METRICS_CSV_TITLE)) return false;
    w->titled = w->csv.head != NULL;
    if (!w->titled) return true;
    bool good = metrics_columns_read(site, path, w->csv.head, &there);
    if (good && o->columns && !metrics_columns_equal(&there, &w->columns)) {
        tt_fail_at(site, TT_EARG, "metric_writer_open: .columns = \"%s\", but %s begins with %s", o->columns, path,
                   w->csv.head);
        good = false;
    }
    metrics_columns_free(&w->columns);
    w->columns = there;
    return good;
}

/* Takes the records of the step *purge and of later ones away: from all files, or with an error from none. */
static bool purged(const char *site, writer *w, const int64_t *purge)
{
    metrics_bytes jsonl = { 0 }, csv = { 0 };
    bool good = true;
    if (purge && w->formats & JSONL)
        good = metrics_file_before(site, &w->jsonl, false, METRICS_JSON_HEAD, *purge, &jsonl);
    if (good && purge && w->formats & CSV) good = metrics_file_before(site, &w->csv, true, "", *purge, &csv);
    good = good && (!jsonl.p || metrics_file_replace(site, &w->jsonl, &jsonl));
    good = good && (!csv.p || metrics_file_replace(site, &w->csv, &csv));
    free(jsonl.p), free(csv.p);
    return good;
}

static bool writer_open(const char *site, writer *w, const char *path, bool one, const tt_metric_writer_opts *o)
{
    char at[METRICS_PATH];
    const int64_t *purge = o->purge_step || tt_given(o, "purge_step") ? &o->purge_step : NULL;
    const bool all = o->all_processes;
    if (o->columns && !metrics_columns_of(site, o->columns, &w->columns)) return false;
    if (w->formats & JSONL)
        if (!place_of(site, path, one, all, "metrics.jsonl", at) ||
            !metrics_file_open(site, &w->jsonl, at, METRICS_JSON_HEAD))
            return false;
    if (w->formats & CSV)
        if (!place_of(site, path, one, all, "metrics.csv", at) || !open_csv(site, w, at, o)) return false;
    if (!purged(site, w, purge)) return false;
    if (!(w->formats & EVENTS)) return true;
    if (!place_of(site, path, one, all, "", at)) return false;
    at[strlen(at) - 1] = 0;                              /* the folder without its slash */
    return metrics_events_open(site, &w->events, at, wall_time(), purge);
}

/* True if all processes of the job open the same kind of writer; else sets the error. */
static bool opened_alike(const char *site, const writer *w, const tt_metric_writer_opts *o)
{
    char same[400] = ".all_processes = 1", purge[40] = "";
    if (o->purge_step || tt_given(o, "purge_step"))
        snprintf(purge, sizeof purge, ", .purge_step = %lld", (long long)o->purge_step);
    if (!w->alone)
        snprintf(same, sizeof same, ".all_processes = 0,%s%s%s%s%.200s%s", w->formats & JSONL ? " jsonl" : "",
                 w->formats & CSV ? " csv" : "", w->formats & EVENTS ? " events" : "",
                 o->columns ? " of columns " : "", o->columns ? o->columns : "", purge);
    return job_agrees(site, "metric_writer_open", same);
}

tt_metric_writer tt_metric_writer_open_at(const char *site, const char *path, const tt_metric_writer_opts *o)
{
    TT_ENTRY(site);
    const tt_metric_writer none = { 0 };
    bool one;
    int formats = 0;
    if (!TT_CHECKED(tt_metric_writer_opts, site, "metric_writer_open", o)) return none;
    if (!what_to_open(site, path, o, &formats, &one)) return none;
    writer *w = calloc(1, sizeof *w);
    if (!w) return tt_fail_at(site, TT_EMEM, "metric_writer_open: out of memory"), none;
    w->jsonl.fd = w->csv.fd = w->events.fd = -1;
    w->site = site;
    w->formats = formats;
    w->alone = o->all_processes;
    w->silent = tt_config_value("dry") || (tt_process_index() && !w->alone);
    if (!w->silent) writer_open(site, w, path, one, o);
    if (in_job()) opened_alike(site, w, o);
    if (!tt_ok()) return writer_close(w), none;
    tt_own(w, writer_freed);                             /* without memory, w is closed */
    return tt_ok() ? (tt_metric_writer){ w, tt_alive_at(site) } : none;
}

/* ---- what the calls that write need ---- */

bool metrics_may_write(const char *site, const char *what, tt_metric_writer w, int64_t step, int formats)
{
    if (!w.p) tt_fail_at(site, TT_ELIFE, "%s: the tt_metric_writer is empty", what);
    else if (step < 0) tt_fail_at(site, TT_EARG, "%s: step %lld; expected 0 or more", what, (long long)step);
    if (!w.p || step < 0 || !tt_is_live_at(site, what, w.alive) || !tt_ok()) return false;
    if (w.p->formats & formats) return true;
    tt_fail_at(site, TT_EARG, "%s: none of the writer's formats takes such values", what);
    tt_hint(formats & JSONL ? "open the writer with .formats = \"jsonl\" or \"events\""
            : "open the writer with .formats = \"events\"");
    return false;
}

bool metrics_is_silent(tt_metric_writer w) { return w.p->silent; }

metrics_file *metrics_events_of(tt_metric_writer w) { return w.p->formats & EVENTS ? &w.p->events : NULL; }
metrics_file *metrics_jsonl_of(tt_metric_writer w) { return w.p->formats & JSONL ? &w.p->jsonl : NULL; }

metrics_event metrics_event_now(int64_t step) { return (metrics_event){ .step = step, .wall = wall_time() }; }

bool tt_metric_writer_flush_at(const char *site, tt_metric_writer w)
{
    TT_ENTRY(site);
    if (metrics_may_write(site, "metric_writer_flush", w, 0, JSONL | CSV | EVENTS)) writer_sync(site, w.p);
    return metrics_agree(site, "metric_writer_flush", w, 0, NULL);
}

/* ---- scalars ---- */

static bool are_scalars(const char *site, const metrics_list *l)
{
    for (int i = 0; i < l->n; i++) {
        const bool array = tt_rank_at(site, l->at[i].v) != 0;
        if (!array && tt_dtype_kind(tt_dtype_of_at(site, l->at[i].v)) != 'c') continue;
        if (tt_ok())
            tt_fail_at(site, array ? TT_ESHAPE : TT_ETYPE, "write_scalars: \"%s\" is %s; expected a real scalar",
                       l->at[i].name, tt_type_text_at(site, l->at[i].v));
        tt_hint(array ? "tt_write_histograms and tt_write_images take arrays"
                : "take tt_real() or tt_abs() of the value");
        return false;
    }
    return true;
}

bool metrics_append_text(const char *site, metrics_file *f, FILE *t, char **text, size_t *bytes)
{
    const bool made = t && !fclose(t);
    if (!made) tt_fail_at(site, TT_EMEM, "%s: out of memory", f->path);
    const bool good = made && metrics_file_append(site, f, *text, *bytes);
    free(*text);
    return good;
}

static bool scalars_to_jsonl(const char *site, writer *w, int64_t step, double wall, const metrics_list *l,
                             const metrics_number *x)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *t = tt_open_memstream(&text, &bytes);
    if (t) metrics_put_json_head(t, step, wall);
    for (int i = 0; t && i < l->n; i++) metrics_put_json_number(t, l->at[i].name, &x[i]);
    if (t) fputs("}\n", t);
    return metrics_append_text(site, &w->jsonl, t, &text, &bytes);
}

static bool scalars_to_csv(const char *site, writer *w, int64_t step, double wall, const metrics_list *l,
                           const metrics_number *x)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *t = tt_open_memstream(&text, &bytes);
    if (t && !w->titled) metrics_put_csv_title(t, &w->columns);
    if (t && !metrics_put_csv(t, &w->columns, step, wall, l, x)) {
        fclose(t), free(text);
        return tt_fail_at(site, TT_EMEM, "write_scalars: out of memory"), false;
    }
    return w->titled = metrics_append_text(site, &w->csv, t, &text, &bytes) || w->titled;
}

static bool scalars_write(const char *site, writer *w, int64_t step, const metrics_list *l, const metrics_number *x)
{
    metrics_event e = metrics_event_now(step);
    const double wall = e.wall;
    const int named = w->formats & CSV && !w->columns.n && !w->titled ? l->n : 0;        /* by the first call */
    for (int i = 0; i < named; i++)
        if (!metrics_columns_add(site, &w->columns, l->at[i].name, strlen(l->at[i].name))) return false;
    if (w->formats & CSV && !metrics_columns_have(site, w->csv.path, &w->columns, l)) return false;
    if (w->formats & JSONL && !scalars_to_jsonl(site, w, step, wall, l, x)) return false;
    if (w->formats & CSV && !scalars_to_csv(site, w, step, wall, l, x)) return false;
    if (!(w->formats & EVENTS)) return true;
    for (int i = 0; i < l->n; i++) metrics_event_scalar(&e, l->at[i].name, x[i].value);
    return metrics_event_write(site, &w->events, &e);
}

bool tt_write_scalars_at(const char *site, tt_metric_writer w, int64_t step, tt_val tree)
{
    TT_ENTRY(site);
    metrics_list l = { 0 };
    metrics_number *x = NULL;
    bool good = metrics_may_write(site, "write_scalars", w, step, JSONL | CSV | EVENTS) &&
                metrics_list_of(site, "write_scalars", tree, &l) &&
                are_scalars(site, &l);
    if (good && !w.p->silent) {
        x = calloc((size_t)l.n, sizeof *x);
        if (!x) tt_fail_at(site, TT_EMEM, "write_scalars: out of memory");
        good = x != NULL;
        for (int i = 0; good && i < l.n; i++) good = metrics_number_of(site, &l.at[i], &x[i]);
    }
    good = metrics_agree(site, "write_scalars", w, step, &l) && good;
    good = good && (w.p->silent || scalars_write(site, w.p, step, &l, x));
    free(x);
    metrics_list_free(&l);
    return good;
}

/* ---- texts ---- */

static bool text_to_jsonl(const char *site, writer *w, const metrics_event *e, const char *name, const char *what)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *t = tt_open_memstream(&text, &bytes);
    if (t) metrics_put_json_head(t, e->step, e->wall), fputs(", ", t), metrics_put_json(t, name), fputs(": ", t);
    if (t) metrics_put_json(t, what), fputs("}\n", t);
    return metrics_append_text(site, &w->jsonl, t, &text, &bytes);
}

static bool may_write_text(const char *site, const char *name, const char *text)
{
    const char *const bad = name && !metrics_is_utf8(name) ? "name" : text && !metrics_is_utf8(text) ? "text" : NULL;
    if (bad) tt_fail_at(site, TT_ETEXT, "write_text: the %s is no UTF-8", bad);
    else if (!name || !*name || !text)
        tt_fail_at(site, TT_EARG, "write_text: there is no %s", text ? "name" : "text");
    else if (!strcmp(name, "step") || !strcmp(name, "wall_time"))
        tt_fail_at(site, TT_EARG, "write_text: \"%s\" is the name of a field of every line", name);
    return tt_ok();
}

bool tt_write_text_at(const char *site, tt_metric_writer w, int64_t step, const char *name, const char *text)
{
    TT_ENTRY(site);
    metrics_event e = metrics_event_now(step);
    const bool good = metrics_may_write(site, "write_text", w, step, JSONL | EVENTS) &&
                      may_write_text(site, name, text);
    if (!metrics_agree(site, "write_text", w, step, NULL) || !good) return false;
    if (w.p->silent) return true;
    if (w.p->formats & JSONL && !text_to_jsonl(site, w.p, &e, name, text)) return false;
    if (!(w.p->formats & EVENTS)) return true;
    metrics_event_text(&e, name, text);
    return metrics_event_write(site, &w.p->events, &e);
}
