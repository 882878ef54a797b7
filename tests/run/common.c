/* tests/run/common.c - results of programs, and arrays moved to another layout, that the ranks of a host hold in one
 * copy: their values, how long they live, and that their memory is used again. */
#include "job.h"
#include "run/run.h"
#include "tutti.h"

enum { WIDE = 40000, KEPT = 20, TURNS = 120 };
extern int64_t run_common_blocks(void);
extern char *run_common_take(int64_t bytes, int ranks);
extern void run_common_release(void *);
static tt_mesh m;

static tt_val sum(tt_val x) { return tt_psum(x, "data"); }
static tt_val scaled_sum(tt_val x, tt_val t) { return tt_psum(tt_mul(x, t), "data"); }
static tt_val gathered(tt_val x) { return tt_all_gather(x, "data", .dim = 0); }
static tt_val twice(tt_val x) { return tt_mul(x, tt_f(2)); }

/* The sum is read by steps of every rank, and by another exchange. */
static tt_val inside_only(tt_val x, tt_val t)
{
    const tt_val s = tt_psum(tt_mul(x, t), "data");
    return tt_psum(tt_mul(tt_add(s, tt_f(1)), x), "data");
}

static tt_val again(tt_val i, tt_val x)
{
    (void)i;
    return tt_add(tt_mul(tt_psum(x, "data"), tt_f(0.25)), tt_f(1));
}

static tt_val repeated(tt_val x) { return tt_fori(0, 7, again, x); }

static tt_fn mapped(tt_f1 *f, const char *out)
{
    return tt_jit(tt_shard_map(f, .mesh = m, .in = "data, _", .out = out, .unchecked = 1));
}

static tt_fn mapped_by(tt_f2 *f)
{
    return tt_jit(tt_shard_map(f, .mesh = m, .in = "data, _; _", .out = "_, _", .unchecked = 1));
}

/* Checks that all elements of the rows are x. */
static void are_all(tt_val v, int rows, double x, const char *what)
{
    static float host[8 * WIDE];
    int bad = 0;
    tt_read(v, host, (size_t)rows * WIDE * sizeof *host);
    for (int i = 0; i < rows * WIDE; i++) bad += host[i] != (float)x;
    CHECK(tt_ok() && !bad, "%s: %d elements of %d are not %g: %s", what, bad, rows * WIDE, x, tt_error());
    tt_clear();
}

static void is_all(tt_val v, double x, const char *what) { are_all(v, 1, x, what); }

/* Arrays that are kept hold their blocks: what later launches write does not change them. Ranks drop them in different
 * orders and at different times. */
static void kept(void)
{
    const int n = 2 * wire_ranks(), turns = check_share(TURNS);
    const tt_val x = tt_shard(tt_ones(TT_F32, n, WIDE), m, "data, _");
    const tt_fn f = mapped_by(scaled_sum);
    tt_val y[KEPT] = { 0 };
    unsigned own = (unsigned)wire_rank() * 7919 + 1;
    for (int i = 0; i < turns; i++) {
        const int k = i % KEPT;
        tt_assign(&y[k], tt_call(f, x, tt_f(i % 50)));
        own = own * 1664525 + 1013904223;
        if (!(own >> 29)) usleep(own >> 16 & 1023);
    }
    for (int k = 0; k < KEPT; k++) {
        const int turn = k + (turns - 1 - k) / KEPT * KEPT;
        is_all(y[k], (double)n * (turn % 50), "an array that was kept");
    }
}

/* Launches whose results are dropped at once need a few blocks. */
static void few_blocks(void)
{
    const int n = 2 * wire_ranks();
    const tt_val x = tt_shard(tt_ones(TT_F32, n, WIDE), m, "data, _");
    const tt_fn f = mapped(sum, "_, _"), g = mapped_by(inside_only);
    for (int i = 0; i < check_share(TURNS); i++) {
        const tt_scope scope = tt_scope_open();
        is_all(tt_call(f, x), n, "a sum");
        is_all(tt_call(g, x, tt_f(i % 9)), (double)n * (n * (i % 9) + 1), "a sum of a sum");
        tt_scope_close(scope);
    }
}

static void uses(void)
{
    const int n = 2 * wire_ranks();
    const tt_val x = tt_shard(tt_ones(TT_F32, n, WIDE), m, "data, _");
    const tt_val y = tt_call(mapped(sum, "_, _"), x);
    double want = 1;
    is_all(tt_call(tt_jit(twice, .donate = "0"), tt_add(y, tt_f(0))), 2 * n, "twice the sum");
    is_all(tt_call(tt_jit(twice), y), 2 * n, "an argument");
    for (int i = 0; i < 7; i++) want = want * n * 0.25 + 1;
    is_all(tt_call(mapped(repeated, "_, _"), x), want, "a loop of sums");
    are_all(tt_call(mapped(gathered, "_, _"), x), n, 1, "gathered");
    /* the result is given away: its memory is not another result's */
    tt_val z = tt_call(mapped(sum, "_, _"), x);
    const tt_val copy = z;
    tt_assign(&z, tt_call(tt_jit(twice, .donate = "0"), z));
    is_all(z, 2 * n, "of an array that was given away");
    (void)copy;
}

static tt_val over_model(tt_val x) { return tt_psum(x, "model"); }
static tt_val over_model_twice(tt_val x) { return tt_psum(tt_add(tt_psum(x, "model"), tt_f(1)), "model"); }
static tt_val over_both(tt_val x) { return tt_psum(tt_psum(x, "model"), "data"); }

static void is_row(tt_val v, int64_t row, double x, const char *what)
{
    const tt_val one = tt_slice(v, 0, row, row + 1, 1);
    is_all(one, x, what);
}

/* Sums over an axis that leads to half of the ranks: two groups, whose first ranks own the copies. What a rank has in
 * another's memory is sent from there. */
static void groups(void)
{
    const tt_mesh g = tt_mesh("data:2, model:4");
    const tt_val rows = tt_mul(tt_reshape(tt_add(tt_arange(TT_F32, 2), tt_f(1)), 2, 1), tt_ones(TT_F32, 2, 4 * WIDE)),
                 x = tt_shard(rows, g, "data, model");
    static const struct { const char *name; tt_f1 *f; const char *out; double first, second; } cases[] = {
        { "a sum of a group", over_model, "data, _", 4, 8 },
        { "a sum of a sum of a group", over_model_twice, "data, _", 20, 36 },
        { "a sum of groups", over_both, "_, _", 12, 12 },
    };
    for (int k = 0; k < 3; k++) {
        const int64_t before = run_common_blocks();
        const tt_fn f = tt_jit(tt_shard_map(cases[k].f, .mesh = g, .in = "data, model", .out = cases[k].out,
                                            .unchecked = 1));
        tt_val kept[4];
        for (int i = 0; i < 4; i++) kept[i] = tt_call(f, x);
        const int64_t more = run_common_blocks() - before;
        if (k == 0) CHECK(wire_rank() % 2 ? !more : more >= 4, "%s: %lld blocks more", cases[k].name, (long long)more);
        for (int i = 0; i < 4; i++) {
            const tt_val all = tt_shard(kept[i], g, "_, _");
            is_row(all, 0, cases[k].first, cases[k].name);
            if (k < 2) is_row(all, 1, cases[k].second, cases[k].name);
        }
    }
}

/* Checks that the elements are 0, 1, 2, ... in the order of memory. */
static void are_numbers(tt_val v, int64_t n, const char *what)
{
    static float host[8 * WIDE];
    int64_t bad = 0;
    tt_read(v, host, (size_t)n * sizeof *host);
    for (int64_t i = 0; i < n; i++) bad += host[i] != (float)i;
    CHECK(tt_ok() && !bad, "%s: %lld elements of %lld: %s", what, (long long)bad, (long long)n, tt_error());
    tt_clear();
}

static tt_val numbers(int64_t rows, int64_t width)
{
    return tt_reshape(tt_arange(TT_F32, rows * width), rows, width);
}

/* Moves outside of programs, to all ranks: uneven parts, parts that are no rows, no mesh, and sizes of which there is
 * no common copy. The first rank owns the copies; what is dropped is used again. */
static void moves(void)
{
    static const struct { int rows, width; const char *from, *to; bool common; } cases[] = {
        { 8, WIDE, "data, _", "_, _", true }, { 7, WIDE / 2 + 3, "data, _", "_, _", true },
        { 6, WIDE + 5, "_, data", "_, _", true }, { 8, WIDE, "_, data", NULL, true },
        { 13, 700, "data, _", NULL, true }, { 8, 100, "data, _", "_, _", false },
        { 8, WIDE, "data, _", "_, data", false }, { 5, WIDE, "_, data", "data, _", false },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int rows = cases[k].rows, width = cases[k].width, turns = 6;
        const tt_val x = tt_shard(numbers(rows, width), m, cases[k].from);
        char what[80];
        snprintf(what, sizeof what, "%d x %d from \"%s\" to \"%s\"", rows, width, cases[k].from,
                 cases[k].to ? cases[k].to : "no mesh");
        tt_val y[4];
        run_trim();
        const int64_t before = run_common_blocks();
        for (int i = 0; i < 4; i++)
            y[i] = cases[k].to ? tt_shard(x, m, cases[k].to) : tt_process_allgather(x);
        const int64_t more = run_common_blocks() - before;
        CHECK(more == (cases[k].common && !wire_rank() ? 4 : 0), "%s: %lld blocks more", what, (long long)more);
        for (int i = 0; i < 4; i++)
            are_numbers(cases[k].common || !cases[k].to ? y[i] : tt_process_allgather(y[i]), rows * width, what);
        const int64_t kept = run_common_blocks();
        for (int i = 0; i < turns * 4; i++) {
            const tt_scope scope = tt_scope_open();
            are_numbers(tt_process_allgather(x), rows * width, what);
            tt_scope_close(scope);
        }
        CHECK(run_common_blocks() - kept <= 3, "%s: %lld blocks, then %lld", what, (long long)kept,
              (long long)run_common_blocks());
    }
}

/* A copy that was moved is an argument, is given away, is moved back to parts, and outlives what it was made of. */
static void moved_on(void)
{
    tt_val x = tt_shard(numbers(8, WIDE), m, "data, _");
    const tt_val y = tt_shard(x, m, "_, _"), parts = tt_shard(y, m, "_, data");
    tt_assign(&x, tt_f(0));
    are_numbers(tt_mul(tt_call(tt_jit(twice), y), tt_f(0.5)), 8 * WIDE, "an argument that was moved");
    are_numbers(tt_process_allgather(parts), 8 * WIDE, "moved back");
    tt_val z = tt_process_allgather(parts);
    tt_assign(&z, tt_call(tt_jit(twice, .donate = "0"), z));
    are_numbers(tt_mul(z, tt_f(0.5)), 8 * WIDE, "moved, and given away");
    are_numbers(y, 8 * WIDE, "kept");
}

/* Moves from parts of all ranks to parts that half of the ranks hold alike, on a mesh of four ranks of two devices. */
static void group_moves(void)
{
    const tt_mesh g = tt_mesh("data:2, model:4");
    static const int64_t owned[] = { 3, 1, 1, 0 };
    run_trim();
    const int64_t before = run_common_blocks();
    const tt_val x = tt_shard(numbers(8, WIDE), g, "data, model"), y = tt_shard(x, g, "data, _"),
                 z = tt_shard(y, g, "_, _"), w = tt_shard(x, g, "_, model");
    const int64_t more = run_common_blocks() - before;
    CHECK(more == owned[wire_rank()], "moves of groups: rank %d has %lld blocks", wire_rank(), (long long)more);
    are_numbers(z, 8 * WIDE, "two moves");
    are_numbers(tt_process_allgather(y), 8 * WIDE, "rows of a group");
    are_numbers(tt_process_allgather(w), 8 * WIDE, "columns of a group");
    /* another mesh of the same devices */
    const tt_val v = tt_shard(x, m, "_, _"), u = tt_shard(x, m, "data, _");
    are_numbers(v, 8 * WIDE, "on another mesh");
    are_numbers(tt_process_allgather(u), 8 * WIDE, "rows on another mesh");
}

/* Blocks begin at a cache line, as arrays do, so that no vector of a kernel lies in two. */
static void aligned(void)
{
    char *const at = run_common_take(1000, 1);
    CHECK(at && (uintptr_t)at % BASE_CACHE_LINE == 0, "a block is at %p", (void *)at);
    run_common_release(at);
}

static int inside(void)
{
    base_arena *a = base_open();
    char axis[32];
    if (!job_join(a)) return 1;
    aligned();
    run_job_set((run_job_shape){ wire_rank(), wire_ranks(), 2 });
    snprintf(axis, sizeof axis, "data:%d", 2 * wire_ranks());
    m = tt_mesh(axis);
    if (wire_ranks() == 4) groups(), group_moves();
    moves();
    moved_on();
    uses();
    kept();
    const int64_t before = run_common_blocks();
    few_blocks();
    const int64_t after = run_common_blocks();
    const bool owner = !wire_rank();
    CHECK(owner ? before >= KEPT && after - before <= 8 : after == before, "%lld blocks, then %lld", (long long)before,
          (long long)after);
    job_report(check_passed, check_failed);
    wire_now()->end(true, 0);
    base_close(a);
    return check_failed != 0;
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--inside")) return check_done();
    if (argc > 1 && !strcmp(argv[1], "--inside")) return inside();
    for (int mpi = 0; mpi < 2; mpi++)
        for (int n = 2; n <= 4 && job_possible(mpi); n *= 2) {
            const job_result r = job_run(mpi, n, "");
            job_good("", &r, mpi, n);
        }
    return check_done();
}
