/* api/process.c - a process of a job, a rank: how a rank joins and leaves the job, which words of TUTTI are equal on
 * all ranks, and which rank prints.
 *
 * Leaving: all ranks exchange the code and the text of their first error, and end together. After an error a rank
 * waits only GRACE seconds for the other ranks, which may be waiting in another call; then the rank ends the complete
 * job with the error's code. After a failure of messages a watch ends the job soon, whatever the program does, so that
 * no rank is left behind.
 *
 * Who prints an error:
 * - An error of one rank alone is printed by that rank.
 * - An error that follows from the text of the program is the same on all ranks. Rank 0 prints it immediately; another
 *   rank prints its error only when it leaves, and only if the error differs. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "api.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/thread.h"
#include "../gen/gen.h"
#include "../wire/wire.h"

#define GRACE 1.0                                        /* seconds */
enum { TEXT = 1024 };
static _Atomic bool joined, left, watched;
static _Atomic int first_code;                           /* of this rank's errors that were not cleared */
static _Atomic uint64_t first_text;                      /* a hash of its text */

/* ---- output ---- */

static bool everybody_prints(void)
{
    const char *const word = base_switch("ranks");
    return word && !strcmp(word, "all");
}

bool api_process_prints(void) { return !atomic_load(&joined) || wire_rank() == 0 || everybody_prints(); }

const char *api_process_prefix(char to[16], bool always)
{
    to[0] = '\0';
    if (atomic_load(&joined) && (always || everybody_prints())) snprintf(to, 16, "[%d] ", wire_rank());
    return to;
}

/* ---- errors ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *later;                                      /* the first error that is not printed yet */

/* True if an error of this code follows from the program's text and shapes, so that all ranks have it. */
static bool is_of_all(int code)
{
    return code != TT_EMEM && code != TT_EIO && code != TT_EDATA && code != TT_ERANK && code != TT_EENGINE &&
           code != TT_EBUG;
}

bool api_process_defers(int code, const char *text)
{
    if (!atomic_load(&joined) || atomic_load(&left) || wire_rank() == 0 || !is_of_all(code)) return false;
    pthread_mutex_lock(&lock);
    if (!later) later = strdup(text);
    pthread_mutex_unlock(&lock);
    return later != NULL;
}

static void take_later(bool print)
{
    pthread_mutex_lock(&lock);
    if (later && print) fprintf(stderr, "rank %d: %s\n", wire_rank(), later);
    free(later);
    later = NULL;
    pthread_mutex_unlock(&lock);
}

void api_process_error_cleared(void)
{
    take_later(false);
    if (atomic_load(&joined)) wire_forget_stop();
    atomic_store(&first_code, 0);
}

static void end_job(int code)
{
    atomic_store(&left, true);
    take_later(true);
    fflush(NULL);
    usleep(200000);                                      /* a launcher may drop what has not come to it by the end */
    wire_end(false, code);
    api_exit_now(code);                                  /* the engine had ended before */
}

static void *watch(void *unused)
{
    (void)unused;
    usleep((useconds_t)(1.5 * GRACE * 1e6));
    if (!atomic_load(&left)) end_job(atomic_load(&first_code) ? atomic_load(&first_code) : TT_ERANK);
    return NULL;
}

void api_process_error_met(int code, const char *text)
{
    int none = 0;
    if (!atomic_load(&joined)) return;
    if (atomic_compare_exchange_strong(&first_code, &none, code))
        atomic_store(&first_text, base_hash(3, text, strlen(text)));
    if (!wire_failed() || atomic_exchange(&watched, true)) return;
    pthread_t thread;
    if (!base_thread_start(&thread, watch, NULL)) pthread_detach(thread);
}

/* ---- Ctrl-C ---- */

/* A loop in which no turn goes by is this rank's own: it ends at once. */
bool api_process_ends_loops(bool pressed, uint32_t *seen)
{
    if (!atomic_load(&joined)) return pressed;
    if (pressed) wire_request_stop();
    const uint32_t turns = wire_turns() + 1;
    const bool own = pressed && *seen == turns;
    *seen = pressed ? turns : 0;
    return wire_stops() || own;
}

/* ---- leaving ---- */

typedef struct { int code; uint64_t text; } goodbye;

/* True if all ranks have come to their ends; sets *first to what rank 0 says. */
static bool all_leave(const goodbye *mine, goodbye *first)
{
    goodbye *const all = base_heap((size_t)wire_ranks() * sizeof *all);
    const double patience = wire_patience();
    if (!all) return false;
    if (mine->code && patience > GRACE) wire_set_patience(GRACE);
    const bool came = wire_gather(NULL, mine, sizeof *mine, all, "the end of the program");
    wire_set_patience(patience);
    *first = all[0];
    base_heap_free(all);
    return came;
}

void api_process_leave(int code)
{
    if (!atomic_load(&joined) || atomic_exchange(&left, true)) return;
    const bool erred = base_failed() != NULL;
    const goodbye mine = { code, atomic_load(&first_code) ? atomic_load(&first_text) : 0 };
    goodbye first = { 0, 0 };
    if (wire_failed()) usleep((useconds_t)(GRACE * 1e6));            /* the others find the failure by themselves */
    if (wire_failed() || !all_leave(&mine, &first)) {
        const base_error *const e = base_failed();
        if (e && !erred) fprintf(stderr, "rank %d: error: %s\n", wire_rank(), e->what);
        end_job(code ? code : e ? (int)e->code : TT_ERANK);
    }
    take_later(first.text != mine.text);
    fflush(NULL);
    wire_end(true, 0);
}

/* ---- a forked process ---- */

static _Atomic bool forked;

/* In the child: it is no rank, and what it wrote would be in the rank's memory, which the ranks of a host share. */
static void in_child(void)
{
    atomic_store(&forked, true);
    atomic_store(&left, true);
}

bool api_process_forked(void) { return atomic_load_explicit(&forked, memory_order_relaxed); }

void api_process_refuse(void *unused)
{
    (void)unused;
    base_fail(TT_ERANK, "a forked process", "this process was forked by rank %d of a job, whose memory it shares: it "
              "cannot call the library", wire_rank());
    base_hint("fork before tt_join, or start a program anew: exec, posix_spawn, Python's \"spawn\"");
}

/* ---- joining ---- */

/* Words that all ranks must share: they shape programs, results or waits. The others may differ. */
static const char *const shared[] = {
    "devices", "reproducible", "mesh", "dry", "even", "strict", "ref", "ref-after", "bounds", "nan", "inf",
    "precision", "isa", "no-common", "no-amx", "no-bf16", "no-chain", "no-epilogue", "no-prologue", "no-ensemble",
    "no-dnn", "no-llvm", "no-winograd", "no-lapack", "threefry", "x64", "patience", "hosts", "link"
};
enum { SHARED = sizeof shared / sizeof *shared };

typedef struct {
    char version[32], words[TEXT], processor[128];
    cpu_set_t cores;
    int host;
} card;

static void write_card(card *c)
{
    size_t n = 0;
    memset(c, 0, sizeof *c);
    snprintf(c->version, sizeof c->version, "%s", TT_VERSION);
    for (int i = 0; i < SHARED; i++) {
        const char *const value = base_switch(shared[i]);
        if (value && n < sizeof c->words)
            n += (size_t)snprintf(c->words + n, sizeof c->words - n, "%s%s%s%s", n ? ", " : "", shared[i],
                                  *value ? ":" : "", value);
    }
    snprintf(c->processor, sizeof c->processor, "%s", gen_isa_report(trace_temp()));
    sched_getaffinity(0, sizeof c->cores, &c->cores);
    c->host = wire_now()->host;
}

/* True if no rank has words other than those of rank 0; adds those of rank 0. */
static bool words_agree(base_site site, const card *all, int n)
{
    for (int r = 0; r < n; r++) {
        if (strcmp(all[r].version, all[0].version))
            return base_fail(TT_ERANK, site, "rank %d has version %s of the library, rank 0 version %s", r,
                             all[r].version, all[0].version);
        if (!*all[r].words || !strcmp(all[r].words, all[0].words)) continue;
        base_fail(TT_ERANK, site, "rank %d has the words TUTTI=\"%s\", rank 0 has \"%s\"", r, all[r].words,
                  all[0].words);
        return base_hint("words that shape programs are the same on all ranks; those of rank 0 alone suffice");
    }
    return base_switches(site, all[0].words);
}

/* Gives all ranks the instruction set of the least of them, so that the bits are the same. */
static bool processors_agree(base_site site, const card *all, int n)
{
    static const char *const name[] = { "base", "avx2", "avx512" };      /* gen_isa */
    int least = 2, units = 0, bf16 = 0;
    for (int r = 0; r < n; r++) {
        const int isa = !strncmp(all[r].processor, "avx512", 6) ? 2 : !strncmp(all[r].processor, "avx2", 4) ? 1 : 0;
        if (isa < least) least = isa;
        units += strstr(all[r].processor, "matrix unit") != NULL;
        bf16 += strstr(all[r].processor, "bf16") != NULL;
    }
    char words[64] = "";
    if (least < (int)gen_isa_now()) snprintf(words, sizeof words, "isa:%s ", name[least]);
    if (units && units < n) strcat(words, "no-amx");
    if (bf16 && bf16 < n && least == 2)
        base_log("tutti: the ranks' processors differ in bf16 instructions: their bits may differ");
    return !*words || base_switches(site, words);
}

/* Divides the cores that this process may use by the ranks of this host that may use the same ones. */
static bool share_cores(base_site site, const card *all, int n, int me)
{
    int sharing = 0;
    for (int r = 0; r < n; r++) sharing += all[r].host == all[me].host && CPU_EQUAL(&all[r].cores, &all[me].cores);
    const int workers = CPU_COUNT(&all[me].cores) / sharing;
    return base_switch("workers") || run_workers_set(site, workers > 1 ? workers : 1);
}

static void stuck(const char *doing, double seconds)
{
    fprintf(stderr, "error: %s for %g s\n  hint: a rank of the job has ended or stands still; TUTTI=patience:N "
            "waits N seconds\n", doing, seconds);
    api_exit_now(TT_ERANK);
}

static double patience_of(const tt_join_opts *o)
{
    const char *const word = base_switch("patience");
    return o->patience > 0 ? o->patience : word ? atof(word) : WIRE_PATIENCE;
}

static bool job_opened(base_site site, const tt_join_opts *o)
{
    static wire_host host = { sizeof host, 0, stuck };
    host.deadline = patience_of(o);
    wire_set_patience(host.deadline);
    return wire_open(site, trace_temp(), &host);
}

static bool cards_agree(base_site site)
{
    const int n = wire_ranks(), me = wire_rank();
    card *const all = base_heap((size_t)n * sizeof *all), *const mine = base_new(trace_temp(), sizeof *mine);
    if (!all) return false;
    write_card(mine);
    const bool agree = wire_gather(site, mine, sizeof *mine, all, "tt_join") && words_agree(site, all, n) &&
                       processors_agree(site, all, n) && share_cores(site, all, n, me);
    base_heap_free(all);
    return agree;
}

/* True if no launcher of MPI has started this process, so that it is a job of one. False with the error set: Slurm has
 * started several in this way, which do not know of each other. */
static bool joins_alone(base_site site)
{
    const char *const tasks = getenv("SLURM_NTASKS"), *const task = getenv("SLURM_PROCID");
    if (!tasks || !task || atoi(tasks) < 2) return true;
    base_fail(TT_ERANK, site, "srun has started %s processes that do not know of each other", tasks);
    return base_hint("srun --mpi=pmix starts them as a job of MPI");
}

static bool devices_differ(base_site site, int64_t requested, int64_t have)
{
    base_fail(TT_EARG, site, "tt_join: .devices = %lld, where each process has %lld", (long long)requested,
              (long long)have);
    return base_hint("--devices, TUTTI=devices:N or an earlier tt_join gave another number; leave .devices out");
}

/* True if .devices is the number of devices of each process now; else sets the error: another number was given. */
static bool devices_set(base_site site, const tt_join_opts *o)
{
    const char *const word = base_switch("devices");
    run_job_shape s = run_job_now();
    const int64_t have = word ? atol(word) : s.ranks > 1 ? s.devices : 0;
    if (!o->devices || o->devices == have) return true;
    if (have) return devices_differ(site, o->devices, have);
    if (s.ranks == 1) return base_switches(site, base_format(trace_temp(), "devices:%lld", (long long)o->devices));
    s.devices = o->devices;
    run_job_set(s);
    return true;
}

static bool process_join(base_site site, const tt_join_opts *o)
{
    if (atomic_load(&joined)) return devices_set(site, o);
    if (!wire_in_job()) return joins_alone(site) && devices_set(site, o);
    if (trace_mesh_largest()) {
        base_fail(TT_ERANK, site, "tt_join: a mesh was made before");
        return base_hint("join first: then a mesh has the devices of all ranks");
    }
    if (!job_opened(site, o)) return false;
    atomic_store(&joined, true);
    if (wire_ranks() > 1) pthread_atfork(NULL, NULL, in_child);
    if (!cards_agree(site)) return false;
    if (!wire_shares_all() && !base_switch("no-share"))
        base_log("tutti: the ranks of a host cannot map each other's memory (/proc), so all messages go through MPI");
    wire_set_patience(patience_of(o));
    const char *const between = base_switch("link");
    double latency = 0, per_byte = 0;
    if (between && base_link_read(between, &latency, &per_byte)) wire_set_link(latency, per_byte);
    const char *const devices = base_switch("devices");
    run_job_set((run_job_shape){ wire_rank(), wire_ranks(), devices ? atol(devices) : 0 });
    return devices_set(site, o);
}

ENTRY1(bool, false, tt_join, const tt_join_opts *, o)
{
    return API_OPTIONS(site, "tt_join", tt_join_opts, o) && process_join(site, o);
}

bool api_process_begin(void)
{
    static const tt_join_opts none = { .size = sizeof none };
    const char *const word = base_switch("ranks");
    return !word || (*word && strcmp(word, "all")) || process_join("TUTTI=ranks in the environment", &none);
}

/* ---- the places of ranks ---- */

ENTRY0(int, 0, api_process_index) { return run_job_real() ? run_job_now().me : 0; }
int tt_process_index(void) { return api_process_index_at(NULL); }
ENTRY0(int, 1, api_process_count) { return run_job_real() ? run_job_now().ranks : 1; }
int tt_process_count(void) { return api_process_count_at(NULL); }
ENTRY0(int64_t, 0, api_device_count) { return trace_device_count(); }
int64_t tt_device_count(void) { return api_device_count_at(NULL); }
ENTRY0(int64_t, 0, api_local_device_count) { return run_job_real() ? run_job_devices() : trace_device_count(); }
int64_t tt_local_device_count(void) { return api_local_device_count_at(NULL); }

int64_t tt_local_device(int64_t i)
{
    const int64_t n = tt_local_device_count();
    return i < 0 || i >= n ? -1 : tt_process_index() * n + i;
}

int tt_device_process(int64_t device)
{
    const int64_t n = tt_local_device_count();
    return device < 0 || device >= n * tt_process_count() ? -1 : (int)(device / n);
}
