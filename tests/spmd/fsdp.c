/* fsdp.c - memory of fully sharded training, 4 to 12 layers, one after another and in a scan: what the plan says
 * of a device, what of it is parameters brought whole, and what the running process holds.
 *
 * Between steps a device has an eighth of parameters and moments. In a scan at most one layer's parameters are whole at
 * one time; each layer is gathered anew for the backward pass. Elsewhere none is: a product reads all parts where they
 * are. One product of all devices' rows makes the parts of a gradient, in a scan too: none is whole. So it is, too,
 * where the gathers are written by hand in a region and the layers are under tt_remat. */
#include "api/api.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 256, INNER = 1024, BATCH = 1024, DEVICES = 8, MOST = 12 };
static const int64_t one = 2 * (int64_t)WIDTH * INNER * 4;       /* bytes of a layer */
static bool scanned, by_hand;

static tt_val layer(tt_val x, tt_val p)
{
    return tt_add(x, tt_matmul(tt_tanh(tt_matmul(x, tt_get(p, "up"))), tt_get(p, "down")));
}
static tt_val whole(tt_val x, tt_val p)
{
    return layer(x, tt_dict("up", tt_all_gather(tt_get(p, "up"), "data", .dim = 0),
                            "down", tt_all_gather(tt_get(p, "down"), "data", .dim = 0)));
}
static tt_val turn(tt_val x, tt_val p) { return tt_tuple(layer(x, p), tt_none()); }
static tt_val loss(tt_val p, tt_val x)
{
    if (scanned) x = tt_item(tt_scan(turn, x, p), 0);
    for (int i = 0; !scanned && i < tt_items(p); i++)
        x = by_hand ? tt_call(tt_remat(whole), x, tt_item(p, i)) : layer(x, tt_item(p, i));
    return tt_mean(tt_square(x));
}
static tt_val step(tt_val s, tt_val x)                   /* momentum */
{
    tt_val g = tt_call(tt_grad(loss), tt_get(s, "p"), x);
    tt_val m = tt_add(tt_mul(tt_f(0.9), tt_get(s, "m")), g);
    return tt_dict("p", tt_sub(tt_get(s, "p"), tt_mul(tt_f(0.001), m)), "m", m);
}

typedef tt_val made(int64_t n, int64_t a, int64_t b);    /* n 0: one matrix, else a stack */
static tt_val shape(int64_t n, int64_t a, int64_t b) { return n ? tt_shape(TT_F32, n, a, b) : tt_shape(TT_F32, a, b); }
static tt_val numbers(int64_t n, int64_t a, int64_t b)
{
    const tt_mesh m = tt_mesh("data:8");
    const tt_val v = n ? tt_normal(tt_key(1), TT_F32, n, a, b) : tt_normal(tt_key(1), TT_F32, a, b);
    return tt_shard(tt_mul(v, tt_f(0.02)), m, n ? "_, data" : "data");
}

static tt_val state_of(int layers, made *make)
{
    tt_val p[MOST + 1], m[MOST + 1];
    if (scanned)
        return tt_dict("p", tt_dict("up", make(layers, WIDTH, INNER), "down", make(layers, INNER, WIDTH)),
                       "m", tt_dict("up", make(layers, WIDTH, INNER), "down", make(layers, INNER, WIDTH)));
    for (int i = 0; i < layers; i++) {
        p[i] = tt_dict("up", make(0, WIDTH, INNER), "down", make(0, INNER, WIDTH));
        m[i] = tt_dict("up", make(0, WIDTH, INNER), "down", make(0, INNER, WIDTH));
    }
    p[layers] = m[layers] = tt_end;
    return tt_dict("p", tt_tuple_at("spmd_fsdp.c", p), "m", tt_tuple_at("spmd_fsdp.c", m));
}

static tt_fn compiled(void)
{
    if (by_hand)
        return tt_jit(tt_shard_map(step, .mesh = tt_mesh("data:8"), .in = "data; data", .out = "data", .unchecked = 1),
                      .donate = "0");
    return tt_jit(step, .mesh = tt_mesh("data:8"), .in = scanned ? "_, data; data" : "data; data",
                  .out = scanned ? "_, data" : "data", .donate = "0");
}

/* ---- the plan ---- */

typedef struct { tt_fn f; tt_val s, x; base_arena *a; driver_lowered view; bool ok; } looking;
static void look(void *p)
{
    looking *q = p;
    trace_value *x[2] = { trace_get(NULL, q->s), trace_get(NULL, q->x) };
    q->ok = x[0] && x[1] && trace_lower(NULL, trace_fn_get(NULL, q->f), 2, x, "plan", true, q->a, &q->view);
}

static bool is_parameter(const run_value *v)             /* of a layer, perhaps in a stack of one */
{
    const int r = v->rank;
    for (int d = 0; d < r - 2; d++) if (v->dim[d] != 1) return false;
    return r >= 2 && v->dtype == TT_F32 && ((v->dim[r - 2] == WIDTH && v->dim[r - 1] == INNER)
                                            || (v->dim[r - 2] == INNER && v->dim[r - 1] == WIDTH));
}

/* gathered[v]: an exchange makes it whole of parts; summed[v]: it is a whole gradient's part, which one will sum.
 * ngather: of those, and of reads of all parts where they are. */
static void mark(const run_plan *p, const run_list *l, bool *gathered, bool *summed, int *ngather)
{
    for (uint32_t i = 0; i < l->n; i++) {
        const run_step *s = &l->step[i];
        for (uint32_t k = 0; k < s->narg; k++)
            *ngather += p->value[s->arg[k]].merged && is_parameter(&p->value[s->arg[k]]);
        if (s->kind == RUN_EXCHANGE && is_parameter(&p->value[s->exchange.to])) {
            const uint32_t src = s->exchange.from, dst = s->exchange.to;
            const mesh_reduce reduce = s->exchange.route.reduce;
            const mesh_layout *from = p->value[src].layout, *to = p->value[dst].layout;
            const bool cut = to && mesh_used(to);
            if (!cut && from && mesh_used(from) && reduce == MESH_NONE) gathered[dst] = true, ++*ngather;
            if (reduce != MESH_NONE) summed[src] = true;
        }
        RUN_EACH_BLOCK(s, nested) mark(p, nested, gathered, summed, ngather);
    }
}

/* Bytes of the marked values, most at one time: the plan's own account of a plan in which nothing else has bytes. */
static int64_t most_of(base_arena *a, const run_plan *p, const bool *marked)
{
    run_plan only = *p;
    run_memory m;
    run_value *v = BASE_COPY(a, p->value, p->nvalue);
    for (uint32_t i = 0; i < p->nvalue; i++) if (!marked[i]) v[i].bytes = 0;
    only.value = v;
    run_memory_of(a, &only, &m);
    return m.live;
}

static int64_t bytes_of(const spmd_report *r, spmd_kind kind)    /* of whole values, all rounds */
{
    int64_t n = 0;
    for (int i = 0; i < r->n; i++)
        if (r->note[i].kind == kind) n += r->note[i].bytes * (r->note[i].times > 0 ? r->note[i].times : 1);
    return n;
}

static void planned(int layers)
{
    const char *how = scanned ? "scanned" : by_hand ? "by hand" : "one after another";
    const int64_t kept = layers * (int64_t)BATCH / DEVICES * (WIDTH + 2 * INNER) * 4;
    looking q = { .f = compiled(), .s = state_of(layers, shape), .x = tt_shape(TT_F32, BATCH, WIDTH),
        .a = base_open() };
    api_enter(look, &q);
    CHECK(q.ok, "%d layers, %s: %s", layers, how, tt_error());
    if (q.ok) {
        const run_plan *p = q.view.plan;
        bool *gathered = BASE_NEW(q.a, bool, p->nvalue), *summed = BASE_NEW(q.a, bool, p->nvalue);
        int n = 0;
        run_memory m;
        run_memory_of(q.a, p, &m);
        mark(p, &p->body, gathered, summed, &n);
        const int64_t whole = most_of(q.a, p, gathered), sums = most_of(q.a, p, summed);
        const int64_t g = bytes_of(&q.view.report, SPMD_GATHER), s = bytes_of(&q.view.report, SPMD_SCATTER);
        CHECK(m.arguments == 2 * layers * one / DEVICES + BATCH / DEVICES * WIDTH * 4 && !m.results
              && m.reused == 2 * layers * one / DEVICES, "%d layers, %s: %lld bytes of arguments, %lld of results",
              layers, how, (long long)m.arguments, (long long)m.results);
        CHECK(n >= (scanned ? 4 : 4 * layers - 4) && (scanned ? whole && whole <= one : !whole),
              "%d layers, %s: %d gathers, %lld bytes whole at one time, of a layer's %lld", layers, how, n,
              (long long)whole, (long long)one);
        CHECK(!sums, "%d layers, %s: %lld bytes of whole gradients", layers, how,
              (long long)sums);
        CHECK(g <= 2 * layers * one && g >= (2 * layers - 2) * one && s == layers * one,
              "%d layers, %s: %lld bytes gathered, %lld scattered", layers, how, (long long)g, (long long)s);
        CHECK(m.arena <= kept + (scanned ? layers * one / DEVICES : 0) + 2 * one,
              "%d layers, %s: an arena of %lld bytes", layers, how, (long long)m.arena);
        printf("%2d layers, %s: a device has %lld KiB of arguments, an arena of %lld; whole at one time %lld of "
               "parameters, %lld of gradients (a layer: %lld)\n", layers, how, (long long)m.arguments >> 10,
               (long long)m.arena >> 10, (long long)whole >> 10, (long long)sums >> 10, (long long)one >> 10);
    }
    base_close(q.a);
}

/* ---- the process ---- */

static double kib(const char *what)                      /* of /proc/self/status; 0: not known */
{
    char line[256];
    double n = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f)) if (!strncmp(line, what, strlen(what))) n = atof(line + strlen(what) + 1);
    if (f) fclose(f);
    return n;
}

static bool sharded_in_eighths(tt_val s)                 /* every device's part of every leaf */
{
    tt_val leaf[4 * MOST];
    const int n = tt_tree_leaves(s, 4 * MOST, leaf);
    bool ok = n > 0;
    for (int i = 0; i < n; i++)
        for (int64_t d = 0; d < DEVICES; d++) {
            int64_t lo[12], size[12], count = 4;
            ok = ok && tt_addressable_data(leaf[i], d, lo, size, NULL, 0);
            for (int k = 0; ok && k < tt_rank(leaf[i]); k++) count *= size[k];
            ok = ok && count * DEVICES == (int64_t)tt_bytes(leaf[i]);
        }
    return ok;
}

/* What the process grows by during steps is what the plan says of all devices' arenas, and a little for its workers. */
static void running(int layers)
{
    const tt_fn f = compiled();
    tt_val s = state_of(layers, numbers), x = tt_normal(tt_key(2), TT_F32, BATCH, WIDTH);
    x = tt_shard(x, tt_mesh("data:8"), "data");
    const tt_budget *b = tt_plan(f, tt_like(s), tt_like(x));
    const double slack = 24 * 1024, before = kib("VmRSS");
    CHECK(b && sharded_in_eighths(s), "%s", tt_error());
    for (tt_loop it = tt_steps(3); tt_next(&it);) tt_assign(&s, tt_call(f, s, x));
    tt_wait(s);
    const double grown = kib("VmHWM") - before, arena = b ? (double)b->arena * DEVICES / 1024 : 0;
    CHECK(tt_ok() && sharded_in_eighths(s), "%s", tt_error());
    if (!before) CHECK_SKIP("no /proc/self/status");
    else CHECK(grown > arena / 2 && grown < arena + slack, "%d layers, %s: the process grew by %.0f KiB, arenas: %.0f",
               layers, scanned ? "scanned" : "one after another", grown, arena);
    printf("%2d layers, %s: the process grew by %.0f MiB; arenas of 8 devices: %.0f\n", layers,
           scanned ? "scanned" : "one after another", grown / 1024, arena / 1024);
}

static void apart(int layers)                            /* in a process of its own: peaks do not fall */
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (!child) {
        check_passed = check_failed = check_skipped = 0;
        tt_config("no-llvm, no-dnn, workers:2");         /* what plug-ins load, and scratch, is not the program's */
        running(layers);
        fflush(stdout);
        _exit(check_failed ? 1 : 0);
    }
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "%d layers: status %d", layers, status);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    if (check_named("apart"))
        for (int k = 0; k < 2; k++) {
            scanned = k;
            if (CHECK_SANITIZED) CHECK_SKIP("the process's memory is a sanitizer's");
            else apart(4);
        }
    if (check_named("planned"))
        for (int k = 0; k < 3; k++) {
            scanned = k == 1, by_hand = k == 2;
            for (int layers = 4; layers <= MOST; layers += 4) planned(layers);
        }
    CHECK(tt_ok(), "%s", tt_error());
    return check_done();
}
