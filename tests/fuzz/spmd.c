/* spmd.c - random programs on random meshes with random layouts: partitioned must equal unpartitioned.
 *
 * A draw is a typed program over the rows (loops, branches, calls, maps over named axes, manual regions, derivatives
 * and maps of it), a mesh, layouts of arguments, results and inside, and data with traps. It is compiled, run and
 * compared with the reference evaluator: integers, moves and exact sums must be equal, other floats within what
 * rounding can do. A failure is made small by shortening the list of choices that it came from; crashes too, since
 * draws run in a process of their own.
 *
 * usage: fuzz_spmd [--seed S] [--from K] [--draws N] [--seconds T] [--draw K] [--show] [--failures FOLDER]
 *                  [--ranks R]: the draws by R processes under mpirun, each with its part of the devices
 * [--engine]: on the devices of a library of PJRT too (PJRT_LIBRARY=FILE; see there.h), skipped without one
 * [--case FILE] [--quiet]. Draws K to N; --draw K repeats one draw and shrinks it, --show prints it first; --case runs
 * a file of cases. But for these two what once failed follows the draws: tests/fuzz/cases.txt, or cases_there.txt
 *
 * Longer than 400 lines: draws, shrinking and reports share the choices of one draw. */
#include "there.h"
#include "api/programs/engine_word.h"
#include "job.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    uint64_t seed, from, draws, only; double seconds; const char *failures, *cases;
    bool quiet, single, show, inside, digest; int ranks; const char *engine;
} options;
typedef struct {                                         /* shared with the process that draws */
    uint64_t draw, passed, failed, skipped, empty, unsure; verdict last; tally tally; bool over;
} board;

static board *now;
static options opt = { .seed = 1, .draws = 2500, .seconds = 1e9 };

static void begin(uint64_t draw) { *fuzz_choices = (fuzz_choice_list){ .state = opt.seed * 0x100000001B3u + draw }; }

static verdict judged_trial(base_arena *a, const trial *t, tally *n, const char **what)
{
    return opt.engine ? judge_there(a, t, n, what) : judge_trial(a, t, n, what);
}

/* Runs what the choices say; text: of the trial, if wanted (in a's memory). */
static verdict attempt(base_arena *a, tally *n, const char **what, const char **text)
{
    trial t;
    fuzz_choices->at = 0;
    fuzz_named = 0;
    *what = "";
    if (!some_trial(&t, a)) {                            /* what the fuzzer writes is a program */
        *what = base_failed() ? base_format(a, "no program: %s", base_failed()->what) : "";
        return base_clear_error(), **what ? ERROR : EMPTY;
    }
    if (n) n->named += fuzz_named;
    if (text) *text = trial_text(a, &t);
    if (n) count_prims(t.p.fn, n);
    if (n && t.p.linear) count_prims(t.p.linear, n);      /* custom_linear has no value, but a transpose */
    return judged_trial(a, &t, n, what);
}

typedef struct { base_arena *a; tally *n; const char *what, *text; bool say; verdict v; } job;
static void body(void *arg)
{
    job *j = arg;
    j->v = attempt(j->a, j->n, &j->what, j->say ? &j->text : NULL);
}

/* A compiler of another project takes its time. */
static unsigned patience(unsigned seconds) { return opt.engine ? 10 * seconds : seconds; }

static verdict tried(void)
{
    job j = { .a = base_open() };
    if (opt.engine && !there_open(opt.engine)) return base_close(j.a), ERROR;
    alarm(patience(10));
    if (!base_catch(body, &j)) j.v = EMPTY;
    alarm(0);
    base_close(j.a);
    base_clear_error();
    return j.v;
}

enum { TOLD = 40 };                                      /* exit codes of verdicts, far from those of who gives up */

static verdict tried_apart(void)                         /* in a process of its own */
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (!child) {
        if (!freopen("/dev/null", "w", stderr)) _exit(100);
        _exit(TOLD + (int)tried());
    }
    waitpid(child, &status, 0);
    const int v = WIFEXITED(status) ? WEXITSTATUS(status) - TOLD : -1;     /* sanitizers exit with 1 */
    return v >= FINE && v < CRASHES ? (verdict)v : CRASHES;
}

/* ---- shrinking ---- */

typedef struct { verdict target; bool apart; int left; double until; fuzz_choice_list best; } shrink;

static bool still(shrink *s, const fuzz_choice_list *candidate)
{
    if (s->left-- <= 0 || base_seconds() > s->until) return false;
    *fuzz_choices = *candidate;
    fuzz_choices->replay = true;
    if ((s->apart ? tried_apart() : tried()) != s->target) return false;
    s->best = *candidate;
    if (!s->apart && fuzz_choices->at < s->best.n) s->best.n = fuzz_choices->at;
    return true;
}

static bool without(shrink *s, uint32_t from, uint32_t n)        /* these choices left out, or else all 0 */
{
    fuzz_choice_list *c = malloc(sizeof *c);
    bool zero = true;
    *c = s->best;
    memmove(c->v + from, c->v + from + n, (c->n - from - n) * sizeof *c->v);
    c->n -= n;
    bool ok = still(s, c);
    if (!ok) {
        *c = s->best;
        for (uint32_t i = from; i < from + n; i++) zero &= !c->v[i], c->v[i] = 0;
        ok = !zero && still(s, c) && false;              /* smaller, but at the same place */
    }
    free(c);
    return ok;
}

static bool smaller(shrink *s, uint32_t at)
{
    fuzz_choice_list *c = malloc(sizeof *c);
    bool any = false;
    for (uint32_t v = 0; v < s->best.v[at]; v = v ? 2 * v : 1) {
        *c = s->best;
        c->v[at] = v;
        if (still(s, c)) { any = true; break; }
    }
    free(c);
    return any;
}

static void shrink_all(shrink *s)
{
    for (bool better = true; better && s->left > 0 && base_seconds() < s->until;) {
        const fuzz_choice_list before = s->best;
        for (uint32_t n = 64; n; n /= 2)
            for (uint32_t from = 0; from + n <= s->best.n && s->left > 0;)
                if (!without(s, from, n)) from += n > 8 ? n / 2 : 1;
        for (uint32_t i = 0; i < s->best.n && s->left > 0; i++) smaller(s, i);
        better = before.n != s->best.n || memcmp(before.v, s->best.v, before.n * sizeof *before.v);
    }
}

/* The program that the choices make, as it is drawn. */
static void show(void)
{
    const fuzz_choice_list kept = *fuzz_choices;
    base_arena *a = base_open();
    trial t;
    if (some_trial(&t, a)) puts(trial_text(a, &t));
    base_close(a);
    base_clear_error();
    *fuzz_choices = kept;
}

/* The draw has failed: shrunk, told, and written where failures are collected. */
static void report(uint64_t draw, verdict v, bool apart)
{
    static shrink s;
    s = (shrink){ v, apart, opt.quiet ? 400 : 6000, base_seconds() + patience(apart ? 60 : 30), { 0 } };
    begin(draw);
    if (!apart) tried();
    else {                                               /* the choices come back from a process that does not run */
        base_arena *a = base_open();
        trial t;
        some_trial(&t, a);
        base_close(a);
        base_clear_error();
    }
    s.best = *fuzz_choices;
    s.best.replay = true;
    shrink_all(&s);
    *fuzz_choices = s.best;
    job j = { .a = base_open(), .say = true };
    trial t;
    if (apart) {
        fuzz_choices->at = 0;
        if (some_trial(&t, j.a)) j.text = trial_text(j.a, &t);
    } else base_catch(body, &j);
    if (!j.text) j.text = "";
    const unsigned long long seed = opt.seed, which = draw;
    const char *said = j.what ? j.what : "";
    printf("FAIL draw %llu %s: %s\n%s\nrepeat: build/tests/fuzz_spmd%s --seed %llu --draw %llu\n", which,
           verdict_name[v], said, j.text, opt.engine ? " --engine" : "", seed, which);
    if (opt.failures) {
        char path[512];
        snprintf(path, sizeof path, "%s/s%llu-d%llu.txt", opt.failures, seed, which);
        FILE *f = fopen(path, "w");
        if (f) fprintf(f, "case s%llu-d%llu: %s %s\n%s\n", seed, which, verdict_name[v], said, j.text), fclose(f);
    }
    fflush(stdout);
    base_close(j.a);
    base_clear_error();
}

/* ---- draws ---- */

/* Types, layouts and attributes are interned for ever, and every draw has others: a process makes so many draws, then
 * the next one goes on. It has taken 70 to 120 MB then; sanitizers keep freed memory. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { EACH = 4096, MOST_KB = 4 << 20 };
#else
enum { EACH = 4096, MOST_KB = 400 << 10 };
#endif
enum { EACH_THERE = 50, MOST_KB_THERE = 3 << 20 };       /* programs of a compiler that keeps all that it has seen */

static void draws(double until)
{
    const uint64_t each = opt.engine ? EACH_THERE : EACH;
    const uint64_t end = opt.draws - now->draw < each ? opt.draws : now->draw + each;
    if (opt.engine && !there_open(opt.engine)) { now->failed++, now->over = true; return; }
    for (; now->draw < end && base_seconds() < until; now->draw++) {
        job j = { .a = base_open(), .n = &now->tally };
        begin(now->draw);
        alarm(patience(60));
        if (!base_catch(body, &j)) j.v = EMPTY;
        alarm(0);
        now->last = j.v;
        base_close(j.a);
        base_clear_error();
        if (j.v == FINE) now->passed++;
        else if (j.v == EMPTY) now->empty++;
        else if (j.v == UNSURE) now->unsure++;
        else if (opt.inside) {
            now->failed++;
            printf("FAIL rank %d, draw %llu %s: %s\n", wire_rank(), (unsigned long long)now->draw, verdict_name[j.v],
                   j.what ? j.what : "");
            fflush(stdout);
            if (j.what && strstr(j.what, "rank ")) wire_now()->end(false, 1);
        } else now->failed++, report(now->draw, j.v, false);
    }
    now->over = now->draw >= opt.draws || base_seconds() >= until;
    driver_forget();
}

static void all_draws(void)
{
    const double until = base_seconds() + opt.seconds;
    while (!now->over) {
        int status = 0;
        fflush(stdout);
        const pid_t child = fork();
        if (!child) {
            draws(until);
            fflush(stdout);
            _exit(TOLD);
        }
        struct rusage used = { 0 };
        wait4(child, &status, 0, &used);
        const int most = opt.engine ? MOST_KB_THERE : MOST_KB;
        if (used.ru_maxrss > most) {
            printf("a process of draws has taken %ld KB, more than %d\n", used.ru_maxrss, most);
            now->failed++;
        }
        if (WIFEXITED(status) && WEXITSTATUS(status) == TOLD) continue;
        now->failed++;
        report(now->draw, CRASHES, true);
        now->draw++;
    }
}

/* ---- ranks: the same draws by several processes under mpirun, each with its part of the devices ---- */

extern int64_t run_in_place_least, run_common_bytes, run_shares_least;

static int inside_job(void)
{
    base_arena *a = base_open();
    if (!job_join(a)) return 1;
    run_job_set((run_job_shape){ wire_rank(), wire_ranks(), -1 });
    /* also what is smaller than usual */
    if (opt.seed % 2) run_in_place_least = run_common_bytes = run_shares_least = 1;
    draws(base_seconds() + opt.seconds);
    printf("digest %016llx\n", (unsigned long long)fuzz_digest);
    job_report((int)now->passed, (int)now->failed);
    wire_now()->end(true, 0);
    return now->failed || !now->passed;
}

static int outside_job(void)
{
    char args[100], one[20] = "none";
    snprintf(args, sizeof args, "--seed %llu --from %llu --draws %llu", (unsigned long long)opt.seed,
             (unsigned long long)opt.from, (unsigned long long)opt.draws);
    job_alone(opt.ranks, args, one);
    for (int mpi = 0; mpi < 2; mpi++) {
        if (!job_possible(mpi)) continue;
        const job_result r = job_run(mpi, opt.ranks, args);
        CHECK(!r.status && r.reports == opt.ranks, "%s, %d ranks: status %d, %d reports", job_mpi[mpi], opt.ranks,
              r.status, r.reports);
        CHECK(r.digests == opt.ranks && !strcmp(r.digest, one), "%s, %d ranks: digest %s from %d, %s from one process",
              job_mpi[mpi], opt.ranks, r.digest, r.digests, one);
        check_passed += r.passed, check_failed += r.failed;
    }
    return check_done();
}

/* ---- cases that once failed ---- */

static void one_case(char *text)
{
    char *name = text, *end = strchr(text, '\n');
    if (!end) return;
    *end = 0;
    base_arena *a = base_open();
    const char *what = "";
    trial t;
    const bool read = trial_read(&t, a, end + 1);
    verdict v = read ? judged_trial(a, &t, &now->tally, &what) : ERROR;
    if (v == ERROR && !*what) what = base_failed() ? base_failed()->what : "cannot be read";
    const bool open = !strncmp(end + 1, "data", 4) && memmem(end + 1, strcspn(end + 1, "\n"), " unsure", 7);
    const bool same = v == FINE && base_switch("ref");   /* references agree with themselves, on one device */
    CHECK(v == (open ? UNSURE : FINE) || same, "case%s: %s: %s", name, verdict_name[v], what);
    base_close(a);
    base_clear_error();
}

static void all_cases(const char *path)
{
    if (opt.engine) CHECK(there_open(opt.engine), "%s", opt.engine);
    FILE *f = fopen(path, "r");
    CHECK(f, "%s cannot be opened", path);
    if (!f) return;
    fseek(f, 0, SEEK_END);
    const long n = ftell(f);
    char *text = calloc((size_t)n + 2, 1), *at;
    rewind(f);
    CHECK(fread(text, 1, (size_t)n, f) == (size_t)n, "%s cannot be read", path);
    fclose(f);
    for (at = strncmp(text, "case", 4) ? strstr(text, "\ncase") : text; at;) {
        char *next = strstr(at + 1, "\ncase");
        if (next) *next = 0;
        one_case(at + 4 + (*at == '\n'));
        at = next;
        if (at) *at = '\n';
    }
    free(text);
}

static bool arguments(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *const v = i + 1 < argc ? argv[i + 1] : "0";
        if (!strcmp(argv[i], "--seed")) opt.seed = strtoull(v, NULL, 0), i++;
        else if (!strcmp(argv[i], "--from")) opt.from = strtoull(v, NULL, 0), i++;
        else if (!strcmp(argv[i], "--draws")) opt.draws = strtoull(v, NULL, 0), i++;
        else if (!strcmp(argv[i], "--seconds")) opt.seconds = strtod(v, NULL), opt.draws = UINT64_MAX, i++;
        else if (!strcmp(argv[i], "--draw")) opt.only = strtoull(v, NULL, 0), opt.single = true, i++;
        else if (!strcmp(argv[i], "--failures")) opt.failures = v, i++;
        else if (!strcmp(argv[i], "--case")) opt.cases = v, i++;
        else if (!strcmp(argv[i], "--ranks")) opt.ranks = atoi(v), i++;
        else if (!strcmp(argv[i], "--engine")) fuzz_elsewhere = true, fuzz_devices = 8;
        else if (!strcmp(argv[i], "--inside")) opt.inside = true;
        else if (!strcmp(argv[i], "--digest")) opt.digest = true;
        else if (!strcmp(argv[i], "--quiet")) opt.quiet = true;
        else if (!strcmp(argv[i], "--show")) opt.show = true;
        else return fprintf(stderr, "fuzz_spmd: what is \"%s\"?\n", argv[i]), false;
    }
    return true;
}

static void say_tally(void)
{
    static const char *const kinds[] = { "pass", "sum", "shift" };
    const tally *n = &now->tally;
    printf("equations drawn, by primitive:");
    for (int r = 0; op_prims[r]; r++)
        printf("%s%s %llu", r % 8 ? ", " : "\n  ", op_prims[r]->name, (unsigned long long)n->row[r]);
    printf("\nfactors cut:");
    for (int k = 0; k < 3; k++) printf(" %s %llu", kinds[k], (unsigned long long)n->kind[k]);
    printf("; never cut: whole %llu", (unsigned long long)n->kind[3]);
    printf("; reshards %llu; members one by one %llu; collectives over mapped axes %llu", (unsigned long long)n->moves,
           (unsigned long long)n->alone, (unsigned long long)n->named);
    printf("; draws %llu to %llu of seed %llu", (unsigned long long)opt.from, (unsigned long long)now->draw,
           (unsigned long long)opt.seed);
    if (opt.engine) printf("; forms refused by name %llu", (unsigned long long)n->refused);
    printf(", of them without a program %llu, not decidable %llu\n", (unsigned long long)now->empty,
           (unsigned long long)now->unsure);
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--list") && !check_main_one(argc, argv, __FILE__)) return check_done();
    if (!arguments(argc, argv)) return 2;
    base_set_log_sink(NULL);
    base_switches_env();
    if (opt.ranks && !opt.inside) return outside_job();
    driver_ensemble_least = 0;                           /* however small they are */
    if (fuzz_elsewhere && !(opt.engine = engine_word())) return check_done();
    base_switches(NULL, "no-lapack");                    /* the evaluator's own: eigenvalues come in their order */
    now = mmap(NULL, sizeof *now, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    now->draw = opt.from;
    fuzz_choices = malloc(sizeof *fuzz_choices);
    if (opt.inside) return inside_job();
    if (opt.digest) {
        draws(base_seconds() + opt.seconds);
        return printf("digest %016llx\n", (unsigned long long)fuzz_digest) < 0;
    }
    if (opt.cases) {
        all_cases(opt.cases);
        return check_done();
    }
    if (opt.single) {
        begin(opt.only);
        if (opt.show) show();
        now->last = tried_apart();
        printf("draw %llu: %s\n", (unsigned long long)opt.only, verdict_name[now->last]);
        if (now->last > UNSURE) report(opt.only, now->last, now->last == CRASHES);
        now->failed = now->last > UNSURE;
        now->passed = !now->failed;
    } else all_draws();
    if (!opt.single) say_tally();
    if (!opt.single) CHECK_VOLUME(now->draw - opt.from, opt.engine ? "drawn programs on an engine of PJRT"
                                                                   : "drawn programs, partitioned");
    const char *const cases = opt.engine ? "tests/fuzz/cases_there.txt" : "tests/fuzz/cases.txt";
    if (!opt.single) all_cases(cases);                   /* after the draws: those need a process without workers */
    if (now->unsure) printf("skipped %5llu  draws on which no bound decides\n", (unsigned long long)now->unsure);
    check_passed += (int)now->passed, check_failed += (int)now->failed, check_skipped += (int)now->unsure;
    return check_done();
}
