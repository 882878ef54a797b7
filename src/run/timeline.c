/* run/timeline.c - TUTTI=time:FILE: who computed what and when, in the trace format that Chrome and Perfetto open.
 *
 * Lanes: the iterations of the program's loops (tt_steps); each worker's shares of steps; each device's instances of
 * steps, from the first worker that begins one to the last that ends it. What several devices hold once is in the lanes
 * of all of them. Times are microseconds since the last multiple of 2^20 s since 1970 (12 days), the same for all
 * processes, so that the files of a job's ranks become one by joining their lists of events; a rank's process numbers
 * are its own. Readers take times as doubles: a slice ends a nanosecond early, so that the next one does not begin in
 * it.
 *
 * Events are kept until the file is written, up to a limit: of a program that runs for long, the file has the
 * beginning. */
#include "timeline.h"

#include "inner.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 1 << 19 };                                 /* events: 40 MB of memory, some 150 of text */
enum { LANES = 64 };                                     /* devices that have a lane */
enum { PROGRAM = 1, WORKERS, DEVICES, KINDS };           /* numbers of the processes in the file, of rank 0 */
/* mesh, vary, instance: of a share of a step; turn: the execution of the step, from 1 on. Of an iteration of a loop:
 * instance is its number, turn 0. */
typedef struct {
    base_name name; base_site site; const mesh *mesh; mesh_set vary; int64_t instance; double start, end;
    uint32_t turn; int kind, worker;
} event;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static event *at;
static size_t n, cap, lost;

void run_timeline_forked(void) { pthread_mutex_init(&lock, NULL); }

bool run_timeline_on(void)
{
    char name[RUN_PATH];
    return run_profile_file("time", name) != NULL;
}

static void timeline_add(event e)
{
    pthread_mutex_lock(&lock);
    if (n == cap && cap < MOST) {
        const size_t more = cap ? 2 * cap : 4096;
        event *grown = base_heap(more * sizeof *grown);
        if (grown) {
            if (n) memcpy(grown, at, n * sizeof *at);
            base_heap_free(at);
            at = grown;
            cap = more;
        }
    }
    if (n < cap) at[n++] = e;
    else lost++;
    pthread_mutex_unlock(&lock);
}

void run_timeline_share(const run_program *p, const run_bound *b, uint32_t turn, int worker, int64_t instance,
                        double start)
{
    const run_step *s = b->step;
    const mesh_set vary = s->kind == RUN_EXCHANGE ? p->storage[s->exchange.to].vary : s->vary;
    timeline_add((event){ run_profile_name(b), s->site, p->plan->mesh, vary,
                          run_instance(b->ranks, instance), start, base_seconds(), turn, WORKERS, worker });
}

void run_timeline_wait(const run_program *p, const run_bound *b, uint32_t turn, double start)
{
    timeline_add((event){ run_profile_name(b), b->step->site, p->plan->mesh, 0, 0, start, base_seconds(), turn,
                          WORKERS, 0 });
}

void run_timeline_iteration(base_name name, base_site site, int64_t i, double start)
{
    if (run_timeline_on())
        timeline_add((event){ name, site, .instance = i, .start = start, .end = base_seconds(), .kind = PROGRAM });
}

/* ---- the file ---- */

/* offset: from the clock to the file's times, in nanoseconds */
typedef struct { FILE *f; int rank; bool first; int64_t offset; } out;

/* Writes a JSON string: escapes; bytes of UTF-8 are copied unchanged. */
static void timeline_text(FILE *f, const char *s)
{
    putc('"', f);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') putc('\\', f);
        if ((unsigned char)*s < ' ') base_fprintf(f, "\\u%04x", (unsigned)(unsigned char)*s);
        else putc(*s, f);
    }
    putc('"', f);
}

static int process_of(const out *o, int kind) { return o->rank * KINDS + kind; }

static void put_slice(out *o, int kind, int64_t lane, double start, double end, const event *e)
{
    const int64_t from = (int64_t)(start * 1e9) + o->offset, took = (int64_t)(end * 1e9) + o->offset - from;
    const int64_t dur = took > 1 ? took - 1 : took;
    base_fprintf(o->f, "%s{\"ph\": \"X\", \"pid\": %d, \"tid\": %lld, \"ts\": %lld.%03d, \"dur\": %lld.%03d, "
                 "\"name\": ", o->first ? "" : ",\n", process_of(o, kind), (long long)lane + 1,
                 (long long)(from / 1000), (int)(from % 1000), (long long)(dur / 1000), (int)(dur % 1000));
    o->first = false;
    if (kind == PROGRAM) {
        char name[200];
        base_snprintf(name, sizeof name, "%.150s %lld", e->name ? e->name : "step", (long long)e->instance);
        timeline_text(o->f, name);
    } else timeline_text(o->f, e->name ? e->name : "?");
    base_fprintf(o->f, ", \"args\": {\"line\": ");
    timeline_text(o->f, e->site ? e->site : "");
    base_fprintf(o->f, "}}");
}

/* The name of a process (lane < 0) or of one of its lanes. Processes are shown in the order of their numbers. */
static void put_name(out *o, int kind, int64_t lane, const char *name, int64_t number)
{
    char text[64], who[24] = "";
    if (lane < 0 && run_job_real()) base_snprintf(who, sizeof who, "rank %d: ", o->rank);
    base_snprintf(text, sizeof text, number < 0 ? "%s%s" : "%s%s %lld", who, name, (long long)number);
    base_fprintf(o->f, "%s{\"ph\": \"M\", \"pid\": %d, \"tid\": %lld, \"name\": \"%s\", \"args\": {\"name\": ",
                 o->first ? "" : ",\n", process_of(o, kind), (long long)lane + 1,
                 lane < 0 ? "process_name" : "thread_name");
    o->first = false;
    timeline_text(o->f, text);
    base_fprintf(o->f, "}},\n{\"ph\": \"M\", \"pid\": %d, \"tid\": %lld, \"name\": \"%s_sort_index\", \"args\": "
                 "{\"sort_index\": %lld}}", process_of(o, kind), (long long)lane + 1, lane < 0 ? "process" : "thread",
                 lane < 0 ? process_of(o, kind) : (long long)lane);
}

static void put_names(out *o, int workers, int64_t first, int64_t devices, bool steps)
{
    if (steps) put_name(o, PROGRAM, -1, "program", -1), put_name(o, PROGRAM, 0, "steps", -1);
    put_name(o, WORKERS, -1, "workers", -1);
    for (int k = 0; k < workers; k++) put_name(o, WORKERS, k, "worker", k);
    put_name(o, DEVICES, -1, "devices", -1);
    for (int64_t k = first; k < first + devices; k++) put_name(o, DEVICES, k, "device", k);
}

static int by_turn(const void *x, const void *y)
{
    const event *a = x, *b = y;
    if (a->turn != b->turn) return a->turn < b->turn ? -1 : 1;
    return (a->instance > b->instance) - (a->instance < b->instance);
}

/* The devices of this process, of a mesh with so many: from *first on; returns the number of those that have lanes. */
static int64_t own_devices(int64_t all, int64_t *first)
{
    const run_job_shape job = run_job_now();
    const bool some = run_job_real() && job.devices > 0;
    *first = some ? job.me * job.devices : 0;
    const int64_t left = all - *first, n = some && job.devices < left ? job.devices : left;
    return n < LANES ? n : LANES;
}

/* One slice for each device that holds the instance. */
static void put_devices(out *o, const event *e, double start, double end)
{
    uint32_t coord[MESH_ATOMS];
    int64_t first;
    const int64_t own = own_devices(e->mesh ? mesh_size(e->mesh) : 1, &first);
    for (int64_t d = first; d < first + own; d++) {
        if (e->mesh) mesh_coord(e->mesh, d, coord);
        if (!e->mesh || mesh_instance(e->mesh, e->vary, coord) == e->instance)
            put_slice(o, DEVICES, d, start, end, e);
    }
}

static void put_events(out *o)
{
    int workers = run_workers();
    int64_t devices = 1, size, first;
    bool steps = false;
    for (const event *e = at; e < at + n; e++) {
        steps |= e->kind == PROGRAM;
        workers = e->worker >= workers ? e->worker + 1 : workers;
        size = e->mesh ? mesh_size(e->mesh) : 1;
        devices = size > devices ? size : devices;
    }
    devices = own_devices(devices, &first);
    put_names(o, workers, first, devices, steps);
    for (const event *e = at; e < at + n; e++) put_slice(o, e->kind, e->worker, e->start, e->end, e);
    qsort(at, n, sizeof *at, by_turn);
    for (const event *e = at, *next; e < at + n; e = next) {
        double start = e->start, end = e->end;
        for (next = e + 1; next < at + n && !by_turn(e, next); next++) {
            start = next->start < start ? next->start : start;
            end = next->end > end ? next->end : end;
        }
        if (e->kind == WORKERS) put_devices(o, e, start, end);
    }
}

void run_timeline_write(void)
{
    char to[RUN_PATH];
    const char *const file = run_profile_file("time", to);
    if (!n || !file) return;
    run_profile_out whole;
    if (!run_profile_open(&whole, "the timeline", file)) return;
    FILE *const f = whole.to;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const int64_t offset = (now.tv_sec & ((1 << 20) - 1)) * 1000000000 + now.tv_nsec - (int64_t)(base_seconds() * 1e9);
    out o = { f, run_job_real() ? run_job_now().me : 0, true, offset };
    base_fprintf(f, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
    pthread_mutex_lock(&lock);
    put_events(&o);
    base_fprintf(f, "\n]}\n");
    const bool good = run_profile_close(&whole);
    if (good && lost) base_log("timeline: %s has the first %zu events; %zu later ones are not in it", file, n, lost);
    else if (good) base_log("timeline: %zu events in %s", n, file);
    base_heap_free(at);
    at = NULL;
    n = cap = lost = 0;
    pthread_mutex_unlock(&lock);
}
