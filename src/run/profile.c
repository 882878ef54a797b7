/* run/profile.c - TUTTI=time, TUTTI=roofline: time of steps by kernel and the user's line, over all programs of the
 * process, next to the machine's limits.
 *
 * While the switch is on, every step is a phase of its own, so that its time can be measured; that costs a little.
 * Accounts are created when a program is first launched in this mode. They are logged by tt_done, and at exit; other
 * threads may be compiling and launching at that time, so all of this is under one lock. Bytes are those
 * that a step must read and write once; steps whose data stay in a cache may exceed the machine's copy rate. */
#include "there.h"
#include "limits.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct run_spent {
    base_name name; base_site site;
    double seconds, bytes, flops; int64_t times;         /* totals over all times */
    double each_bytes, each_flops;                       /* of one execution; part of the account's key */
    struct run_spent *next;
} run_spent;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static run_spent *first;
static double compiling;
static int64_t compiled;

void run_profile_forked(void)
{
    pthread_mutex_init(&lock, NULL);
    run_timeline_forked();
}

bool run_profiling(void)
{
    static _Atomic uint64_t known;                       /* the count of changes of switches; the low bit: profiling */
    const uint64_t now = base_switch_changes() + 1, was = atomic_load_explicit(&known, memory_order_relaxed);
    if (was >> 1 == now) return was & 1;
    const bool on = base_switch("time") || base_switch("roofline");
    atomic_store_explicit(&known, now << 1 | on, memory_order_relaxed);
    return on;
}

void run_profile_compiled(double seconds)
{
    pthread_mutex_lock(&lock);
    compiling += seconds;
    compiled++;
    pthread_mutex_unlock(&lock);
}

static run_spent *account(base_name name, base_site site, double bytes, double flops)
{
    run_spent *s = first;
    while (s && (s->name != name || s->site != site || s->each_bytes != bytes || s->each_flops != flops)) s = s->next;
    if (s || !(s = base_heap(sizeof *s))) return s;
    *s = (run_spent){ .name = name, .site = site, .each_bytes = bytes, .each_flops = flops, .next = first };
    return first = s;
}

static double profile_bytes_of(const run_program *p, uint32_t v)
{
    const run_value *x = &p->plan->value[v];
    const int64_t bytes = x->slice ? run_bytes(x->dtype, x->rank, x->dim, x->layout, x->halo) : x->bytes;
    /* its dims include the merged instances */
    const int64_t all = x->slice && x->merged ? mesh_set_size(p->plan->mesh, x->merged) : 1;
    return (double)bytes * (double)(run_storage_instances(&p->storage[v]) / all);
}

static double step_bytes(const run_program *p, const run_step *s)
{
    double n = 0;
    if (s->kind == RUN_EXCHANGE) n = profile_bytes_of(p, s->exchange.from) + profile_bytes_of(p, s->exchange.to);
    for (uint32_t i = 0; s->kind == RUN_COMPUTE && i < s->narg; i++) n += profile_bytes_of(p, s->arg[i]);
    return n;
}

base_name run_profile_name(const run_bound *b)
{
    static const char waits[] = "wait for other ranks";
    if (run_waits(b)) return waits;
    return b->kernel && b->kernel->name ? b->kernel->name : b->step->name;
}

static bool profile_list(const run_program *p, const run_bound_list *l)
{
    for (run_bound *b = l->at; b < l->at + l->n; b++) {
        const run_step *s = b->step;
        RUN_EACH_SUB(b, sub) if (!profile_list(p, sub)) return false;
        b->account = account(run_profile_name(b), s->site, run_waits(b) ? 0 : step_bytes(p, s),
                             s->kind == RUN_COMPUTE ? s->compute.flops : 0);
        if (!b->account) return false;
    }
    return true;
}

bool run_profile_program(run_program *p)
{
    pthread_mutex_lock(&lock);
    const bool listed = profile_list(p, &p->body);
    pthread_mutex_unlock(&lock);
    return listed;
}

void run_spend(run_spent *s, double seconds)
{
    pthread_mutex_lock(&lock);
    s->seconds += seconds;
    s->bytes += s->each_bytes;
    s->flops += s->each_flops;
    s->times++;
    pthread_mutex_unlock(&lock);
}

static int longer(const void *x, const void *y)
{
    const double a = (*(run_spent *const *)x)->seconds, b = (*(run_spent *const *)y)->seconds;
    return a < b ? 1 : a > b ? -1 : 0;
}

static double copy_gbs(void)
{
    char *a = base_heap(LIMITS_COPIED), *b = base_heap(LIMITS_COPIED);
    const double r = a && b ? limits_copy_gbs(a, b, LIMITS_COPIED) : 0;
    base_heap_free(a);
    base_heap_free(b);
    return r;
}

/* ---- the table ----
 *
 * A line has the numbers, the step and the user's line. On a terminal it is no wider than that: texts are shortened in
 * the middle, and where less than ROOM columns are left for them, the user's line is on a line of its own. */

enum { NUMBERS = 64, ROOM = 50 };                        /* columns that the numbers take, mostly */

/* The columns of the terminal on stderr; 0: no terminal, hence no limit. */
static int profile_columns(void)
{
    struct winsize w;
    return isatty(STDERR_FILENO) && !ioctl(STDERR_FILENO, TIOCGWINSZ, &w) ? w.ws_col : 0;
}

/* The text, with "..." for its middle if it is longer than `capacity`, cut between characters of UTF-8. */
static const char *shorten(const char *s, int capacity, char to[256])
{
    const int n = (int)strlen(s);
    if (n <= capacity) return s;
    if (capacity > 255) capacity = 255;
    if (capacity < 5) capacity = 5;
    int head = (capacity - 3) / 2, tail = n - (capacity - 3 - head);
    while (head && ((unsigned char)s[head] & 0xc0) == 0x80) head--;
    while (((unsigned char)s[tail] & 0xc0) == 0x80) tail++;
    base_snprintf(to, 256, "%.*s...%s", head, s, s + tail);
    return to;
}

/* Logs one line: time, rates per second, and the rates as a fraction of the nearer of the machine's limits. */
static void profile_line(const run_spent *s, double all, double peak, double copy, int columns)
{
    const double gflops = s->flops / s->seconds * 1e-9, gbs = s->bytes / s->seconds * 1e-9;
    const double of_peak = peak > 0 ? gflops / peak : 0, of_copy = copy > 0 ? gbs / copy : 0;
    const char *const name = s->name ? s->name : "?", *const site = s->site ? s->site : "";
    char rate[32] = "       ", numbers[96], name_of[256], site_of[256];
    if (s->flops > 0) base_snprintf(rate, sizeof rate, "%7.1f", gflops);
    base_snprintf(numbers, sizeof numbers, "%9.3f ms %5.1f %% %6lld x %8.1f us %s %6.2f %3.0f %%", s->seconds * 1e3,
                  100 * s->seconds / all, (long long)s->times, s->seconds * 1e6 / (double)s->times, rate, gbs,
                  100 * (of_peak > of_copy ? of_peak : of_copy));
    const int room = columns - (int)strlen(numbers) - 2, half = room < 48 ? room / 2 : 24;
    if (!columns) base_log("%s  %-24s %s", numbers, name, site);
    else if (columns >= NUMBERS + ROOM)
        base_log("%s  %-*s %s", numbers, half, shorten(name, half, name_of), shorten(site, room - half - 1, site_of));
    else {
        base_log("%s  %s", numbers, shorten(name, room, name_of));
        if (*site) base_log("            %s", shorten(site, columns - 12, site_of));
    }
}

static void print_all(run_spent *const *by, size_t n, double all, double peak, double copy)
{
    enum { LINES = 40 };
    const int workers = run_workers();
    base_log("time of steps: %.3f ms; %lld programs were compiled in %.1f ms", all * 1e3, (long long)compiled,
             compiling * 1e3);
    base_log("the machine now: %.0f GF/s of float32 multiply-adds, copies %.1f GB/s, on %d thread%s", peak,
             copy, workers, workers == 1 ? "" : "s");
    const int columns = profile_columns();
    base_log("        time   share    times        each    GF/s   GB/s limit  %s",
             !columns || columns >= NUMBERS + ROOM ? "step, and the line that it comes from" : "step, and line");
    for (size_t i = 0; i < n && i < LINES; i++) if (by[i]->times) profile_line(by[i], all, peak, copy, columns);
    if (n > LINES) base_log("  and %zu more", n - LINES);
}

const char *run_profile_file(const char *word, char to[RUN_PATH])
{
    const char *const file = base_switch(word), *const who = base_switch("ranks");
    if (!file || !*file) return NULL;
    if (!run_job_real() || strlen(file) >= RUN_PATH - 32) return file;
    if (!who || strcmp(who, "all")) return run_job_now().me ? NULL : file;
    const char *const slash = strrchr(file, '/'), *const dot = strrchr(slash ? slash : file, '.');
    const int n = dot ? (int)(dot - file) : (int)strlen(file);
    base_snprintf(to, RUN_PATH, "%.*s.rank%d%s", n, file, run_job_now().me, file + n);
    return to;
}

static bool profile_unwritten(const run_profile_out *o)
{
    const char *const reason = strerror(errno);
    if (base_failed()) base_log("%s could not be written to %s: %s", o->what, o->file, reason);
    else base_fail(TT_EIO, NULL, "%s could not be written to %s: %s", o->what, o->file, reason);
    return false;
}

bool run_profile_open(run_profile_out *o, const char *what, const char *file)
{
    struct stat s;
    *o = (run_profile_out){ .what = what, .file = file };
    if (stat(file, &s) || S_ISREG(s.st_mode))            /* a device or a pipe is written as it is */
        base_snprintf(o->part, sizeof o->part, "%s.part-%ld", file, (long)getpid());
    o->to = fopen(*o->part ? o->part : file, "w");
    return o->to || profile_unwritten(o);
}

bool run_profile_close(run_profile_out *o)
{
    bool good = !fflush(o->to) && !ferror(o->to);
    const int why = errno;
    if (fclose(o->to)) good = false;
    else errno = why;
    if (!*o->part || (good && !rename(o->part, o->file))) return good || profile_unwritten(o);
    profile_unwritten(o);
    unlink(o->part);
    return false;
}

static void profile_roofline(run_spent *const *by, size_t n, double peak, double copy)
{
    run_rate *r = base_heap(n * sizeof *r);
    size_t some = 0;
    for (size_t i = 0; r && i < n; i++)
        if (by[i]->times) r[some++] = (run_rate){ by[i]->name, by[i]->site, by[i]->seconds, by[i]->bytes,
            by[i]->flops };
    if (r) run_roofline_write(r, some, peak, copy);
    base_heap_free(r);
}

static void print_longest_first(run_spent **by, double all)
{
    const int workers = run_workers();
    const double peak = limits_fma_gflops() * workers, copy = copy_gbs() * workers;
    size_t n = 0;
    for (run_spent *s = first; s; s = s->next) by[n++] = s;
    qsort(by, n, sizeof *by, longer);
    if (base_switch("time")) print_all(by, n, all, peak, copy);
    if (base_switch("roofline")) profile_roofline(by, n, peak, copy);
    for (size_t i = 0; i < n; i++) by[i]->seconds = by[i]->bytes = by[i]->flops = 0, by[i]->times = 0;
    compiling = 0;
    compiled = 0;
    run_timeline_write();
}

/* What engines of PJRT have moved, if anything. */
static void log_transfers(void)
{
    const run_transfers t = run_transfers_now();
    int64_t loaded, fresh, constants, bytes;
    run_there_programs(&loaded, &fresh);
    if (!base_switch("time") || !(t.times[0] + t.times[1] + loaded + fresh)) return;
    base_log("transfers: %lld to devices (%.3f MB), %lld to the host (%.3f MB), %lld between devices (%.3f MB)",
             (long long)t.times[0], (double)t.bytes[0] * 1e-6, (long long)t.times[1], (double)t.bytes[1] * 1e-6,
             (long long)t.times[2], (double)t.bytes[2] * 1e-6);
    base_log("programs for them: %lld compiled, %lld from the disk", (long long)fresh, (long long)loaded);
    run_there_constants(&constants, &bytes);
    if (constants)
        base_log("constants of theirs that are arguments: %lld sent (%.3f MB)", (long long)constants,
                 (double)bytes * 1e-6);
}

void run_profile_log(void)
{
    log_transfers();
    run_traces_end();
    size_t n = 0;
    double all = 0;
    pthread_mutex_lock(&lock);
    for (run_spent *s = first; s; s = s->next) n++, all += s->seconds;
    run_spent **by = all > 0 ? base_heap(n * sizeof *by) : NULL;
    if (by) print_longest_first(by, all);
    pthread_mutex_unlock(&lock);
    base_heap_free(by);
}
