/* pjrt/ask.c - what a program meets on an engine: opens argv[1], then computes what the other arguments say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tutti.h>
#include <unistd.h>

static tt_val next(tt_val x) { return tt_add(x, tt_f(1)); }

static double sum(tt_val v)
{
    float at[16] = { 0 };
    double s = 0;
    tt_read(v, at, sizeof at);
    for (int i = 0; i < 16; i++) s += at[i];
    return s;
}

/* Batches are sent while others are computed with: the sum of each step's result. */
static void batches(void)
{
    static float data[64];
    for (int i = 0; i < 64; i++) data[i] = (float)i;
    const tt_data set = tt_dataset(tt_dict("x", tt_array(TT_F32, data, 64)), .batch = 16, .ahead = 2,
                                   .mesh = tt_mesh("data:8"));
    const tt_fn f = tt_jit(next);
    tt_val y[4];
    for (tt_loop it = tt_batches(set); tt_next(&it);) y[it.i] = tt_keep(tt_call(f, tt_get(it.batch, "x")));
    for (int i = 0; i < 4; i++) printf("batch %d: %g\n", i, sum(y[i]));
}

/* Fills a device's memory with arrays of 256 MiB; after the error, and without them, the device computes again. */
static tt_val wide(tt_val x) { return tt_add(tt_broadcast(x, 1 << 26), tt_f(1)); }
static void say(void);

/* A copy of the process while a launch is under way: what it asks of the engine fails, and it ends. */
static void forks(tt_val x)
{
    int status = 0;
    const tt_val y = tt_call(tt_jit(next), x);
    fflush(stdout);
    const pid_t child = fork();
    if (!child) {
        alarm(10);
        tt_show(y), say();
        tt_call(tt_jit(next), x), say();
        tt_array(TT_F32, (float[]){ 1 }, 1), say();
        const bool here = tt_engine("cpu");
        printf("engine %d, and there %g\n", here, tt_num(tt_sum(tt_ones(TT_F32, 3))));
        exit(tt_done());
    }
    waitpid(child, &status, 0);
    printf("the child has ended with %d\n", status);
}

static void fill(void)
{
    const tt_scope scope = tt_scope_open();
    const tt_val x = tt_zeros(TT_F32, 1);
    int n = 0;
    for (; n < 16384; n++) {
        tt_wait(tt_call(tt_jit(wide), x));
        if (!tt_ok()) break;
    }
    printf("filled by %d arrays\n", n);
    say();
    tt_scope_close(scope);
    printf("again %g\n", tt_num(tt_call(tt_jit(next), tt_zeros(TT_F32, 1))));
}

static void say(void)
{
    if (tt_ok()) return;
    printf("%s\n", tt_error());
    tt_clear();
}

int main(int n, char **arg)
{
    static float data[4096];
    if (n > 1 && !tt_engine(arg[1])) {
        say();
        if (n > 2 && !strcmp(arg[2], "on")) tt_zeros(TT_F32, 4), say();
        return 0;
    }
    const char *const list = tt_devices();
    int devices = 0;
    for (const char *at = list; (at = strchr(at, '\n')); at++) devices++;
    fputs(list, stdout);
    for (int i = 2; i < n; i++) {
        const tt_mesh m = tt_mesh(devices < 8 ? "data:1" : "data:8");   /* a machine may have one GPU */
        const tt_val x = tt_shard(tt_array(TT_F32, data, !strcmp(arg[i], "large") ? 4096 : 16), m, "data");
        say();
        if (!strcmp(arg[i], "batches")) batches();
        if (!strcmp(arg[i], "fill")) fill();
        if (!strcmp(arg[i], "fork")) forks(x);
        if (!strcmp(arg[i], "leave")) fflush(stdout), _exit(0);      /* what is under way is not waited for */
        if (!strcmp(arg[i], "replicas")) tt_show(tt_sum(tt_shard(tt_array(TT_F32, data, 4096), m, "_")));
        if (!strcmp(arg[i], "plan")) puts(tt_plan(tt_jit(next), x)->text);
        if (!strcmp(arg[i], "unread")) tt_call(tt_jit(next), x);
        if (!strcmp(arg[i], "cpu")) printf("engine %d\n", tt_engine("cpu"));
        if (!strcmp(arg[i], "one")) printf("%g\n", tt_num(tt_call(tt_jit(next), tt_array(TT_F32, data, 1))));
        if (!strcmp(arg[i], "launch")) {
            const tt_val y = tt_call(tt_jit(next), x);
            say();
            tt_show(y);
            say();
        }
        if (!strcmp(arg[i], "far"))                      /* longer than a device's indices reach */
            puts(tt_plan(tt_jit(next), tt_shard(tt_shape(TT_F32, INT64_C(1) << 32), m, "data"))->text);
    }
    say();
    tt_done();
    say();
    puts("the end");
    return 0;
}
