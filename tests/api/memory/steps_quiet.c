/* steps_quiet.c - what training steps ask of the system once they are warm: no page, no byte that stays. And two host
 * threads that call two programs at once, for several steps each: the bits of each alone. */
#include <tutti.h>

#include "base/base.h"
#include "check.h"

#include <pthread.h>
#include <sys/resource.h>

enum { STEPS = 50, WARM = 4, TURNS = 6, MEMBERS = 8, LOOKS = 5 };
enum { LISTS = 4096 };                                   /* lists of handles find their size; an array a step is more */

/* ---- a multilayer perceptron over data-parallel devices, and an ensemble of small CNNs ---- */

static tt_val mlp(tt_nn m, tt_val x) { return tt_dense(m, "b", tt_tanh(tt_dense(m, "a", x, 32)), 4); }
static tt_val cnn(tt_nn m, tt_val x)
{
    x = tt_avg_pool(tt_relu(tt_conv(m, "c", x, 4, .window = { 3, 3 })), .window = { 2, 2 }, .stride = { 2, 2 });
    return tt_dense(m, "d", tt_flatten(x, 1), 4);
}
static tt_val mlp_loss(tt_val p, tt_val x, tt_val y) { return tt_mean(tt_xent(tt_apply(mlp, p, x), y)); }
static tt_val cnn_loss(tt_val p, tt_val x, tt_val y) { return tt_mean(tt_xent(tt_apply(cnn, p, x), y)); }

static tt_val step(tt_val (*loss)(tt_val, tt_val, tt_val), tt_val s, tt_val x, tt_val y)
{
    tt_val p = tt_item(s, 0), o = tt_item(s, 1), l, g;
    tt_unpack(tt_call(tt_value_and_grad(loss), p, x, y), &l, &g);
    tt_opt_step(&p, &o, g);
    return tt_tuple(tt_tuple(p, o), l);
}
static tt_val mlp_step(tt_val s, tt_val x, tt_val y) { return step(mlp_loss, s, x, y); }
static tt_val cnn_step(tt_val s, tt_val x, tt_val y) { return step(cnn_loss, s, x, y); }
static tt_val mlp_create(tt_val key)
{
    const tt_val p = tt_init(mlp, key, tt_zeros(TT_F32, 1, 16));
    return tt_tuple(p, tt_adam(p, .rate = 1e-2));
}
static tt_val cnn_create(tt_val key)
{
    const tt_val p = tt_init(cnn, key, tt_zeros(TT_F32, 1, 8, 8, 1));
    return tt_tuple(p, tt_sgd(p, .rate = 0.1, .momentum = 0.9));
}

typedef struct { tt_fn step; tt_val state, x, y; } job;

static job dense(void)
{
    const tt_mesh m = tt_mesh("data:8");
    const tt_val x = tt_normal(tt_key(1), TT_F32, 64, 16), y = tt_randint(tt_key(2), TT_I32, tt_i(0), tt_i(4), 64);
    return (job){ tt_jit(mlp_step, .mesh = m, .donate = "0"), tt_call(tt_jit(mlp_create, .mesh = m), tt_key(0)),
                  tt_shard(x, m, "data"), tt_shard(y, m, "data") };
}
static job ensemble(void)
{
    const tt_mesh m = tt_mesh("member:8");
    const tt_val x = tt_normal(tt_key(3), TT_F32, MEMBERS, 4, 8, 8, 1);
    const tt_val y = tt_randint(tt_key(4), TT_I32, tt_i(0), tt_i(4), MEMBERS, 4);
    return (job){ tt_pmap(cnn_step, .mesh = m, .axis = "member", .donate = "0"),
                  tt_call(tt_pmap(cnn_create, .mesh = m, .axis = "member"), tt_split(tt_key(5), MEMBERS)), x, y };
}

/* A step; the mean of its losses. */
static double once(job *j)
{
    const tt_scope scope = tt_scope_open();
    const tt_val out = tt_call(j->step, j->state, j->x, j->y);
    tt_assign(&j->state, tt_item(out, 0));
    const double loss = tt_num(tt_mean(tt_item(out, 1)));
    tt_scope_close(scope);
    return loss;
}

static long faults(void)
{
    struct rusage now;
    return getrusage(RUSAGE_SELF, &now) ? 0 : now.ru_minflt;
}

/* The system takes pages away, and gives them back at the next touch, when other programs need memory. So of LOOKS
 * times STEPS steps one time must be without new pages, as all are where steps do not ask for pages. */
static void quiet(const char *name, job j)
{
    double first = once(&j), last = first;
    for (int i = 1; i < WARM; i++) once(&j);
    const size_t bytes = base_live_bytes();
    long pages = STEPS;
    for (int look = 0; look < LOOKS && pages >= STEPS / 2; look++) {
        const long before = faults();
        for (int i = 0; i < STEPS; i++) last = once(&j);
        pages = faults() - before;
        CHECK(base_live_bytes() <= bytes + LISTS, "%s: %d steps left %zu bytes", name, STEPS,
              base_live_bytes() - bytes);
        if (CHECK_SANITIZED) break;
    }
    CHECK(tt_ok() && last < first, "%s: the loss went from %g to %g", name, first, last);
    if (!CHECK_SANITIZED) CHECK(pages < STEPS / 2, "%s: %d steps touched %ld new pages", name, STEPS, pages);
}

/* ---- two threads ---- */

typedef struct { job (*make)(void); double loss[TURNS]; int code; } caller;

static void *calls(void *arg)
{
    caller *c = arg;
    job j = c->make();
    for (int i = 0; i < TURNS; i++) c->loss[i] = once(&j);
    c->code = tt_done();
    return NULL;
}

static void together(void)
{
    caller alone[2] = { { .make = dense }, { .make = ensemble } }, both[4] = { alone[0], alone[1], alone[0], alone[1] };
    pthread_t t[4];
    for (int i = 0; i < 2; i++) {                        /* in a thread of its own, as the others */
        pthread_create(&t[i], NULL, calls, &alone[i]);
        pthread_join(t[i], NULL);
    }
    for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, calls, &both[i]);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    for (int i = 0; i < 4; i++) {
        CHECK(!both[i].code && !alone[i % 2].code, "thread %d ended with %d", i, both[i].code);
        for (int k = 0; k < TURNS; k++)
            CHECK(both[i].loss[k] == alone[i % 2].loss[k], "thread %d, step %d: %.17g, alone %.17g", i, k,
                  both[i].loss[k], alone[i % 2].loss[k]);
    }
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    base_switches(NULL, "no-llvm,no-dnn,workers:3");     /* compilers allocate when they please */
    CHECK_RUN(together());
    CHECK_RUN(quiet("mlp", dense()));
    CHECK_RUN(quiet("ensemble", ensemble()));
    CHECK(!tt_done(), "it ends well");
    return check_done();
}
