/* engine.c - arrays and functions on the devices of a PJRT library: values, transfers, donation, eager calls, moves
 * between engines, what is refused, threads, a fork. PJRT_LIBRARY=FILE: the library; without it only what needs none is
 * tested. */
#include "engine_word.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <tutti.h>
#include <unistd.h>

static const char *word;                                 /* "pjrt:FILE" */

static void fails(const char *what, const char *expected)
{
    CHECK(!tt_ok() && strstr(tt_error(), expected), "%s: %s", what, tt_ok() ? "no error" : tt_error());
    tt_clear();
}

static void names(void)
{
    CHECK(!tt_engine("gpu"), "a name that is none");
    fails("a name that is none", "no engine is called \"gpu\"");
    CHECK(!tt_engine("pjrt:"), "no library");
    fails("no library", "no engine is called");
    CHECK(!tt_engine(NULL), "NULL");
    fails("NULL", "NULL");
    CHECK(!tt_engine("pjrt:/nowhere/plugin.so"), "no file");
    fails("no file", "there is no file /nowhere/plugin.so");
    tt_neg(tt_f(1));
    fails("a call on no engine", "did not open");
    tt_zeros(TT_F32, 4);
    fails("a value on no engine", "did not open");
    CHECK(tt_engine("pjrt:/nowhere/plugin.so, else cpu"), "else cpu");
    CHECK(tt_num(tt_sum(tt_ones(TT_F32, 4))) == 4, "the embedded engine goes on: %s", tt_error());
    CHECK(!tt_config("no-amx, report:77"), "a switch of no descriptor");
    fails("a switch of no descriptor", "there is no open file descriptor 77");
    CHECK(!tt_config("no-amx, pjrt:/nowhere/plugin.so, report:2"), "a switch of no file");
    CHECK(!tt_config_value("no-amx") && !tt_config_value("report"), "the words beside it were taken");
    CHECK(!strstr(tt_error(), "environment"), "a switch that the program sets: %s", tt_error());
    fails("a switch of no file", "there is no file /nowhere/plugin.so");
    CHECK(tt_config("no-share"), "another switch: %s", tt_error());
    tt_neg(tt_f(1));
    fails("a call after that switch", "did not open");
    CHECK(tt_engine("cpu") && tt_num(tt_sum(tt_ones(TT_F32, 4))) == 4, "back to the embedded engine: %s", tt_error());
}

/* A word of the text is refused: the engine that another one names is not in force. */
static void words_of_no_effect(void)
{
    char words[4300];
    snprintf(words, sizeof words, "%s, report:77", word);
    CHECK(!tt_config(words), "a descriptor that is not open");
    fails("a descriptor that is not open", "no open file descriptor 77");
    CHECK(!strncmp(tt_devices(), "embedded:", 9) && !tt_config_value("pjrt"), "an engine: %s", tt_devices());
}

static tt_val own_sum(tt_val x) { return tt_psum(tt_add(tt_sum(x), tt_axis_index("data")), "data"); }

/* Compilers for one device know no manual region, so a text has none over axes of size 1. */
static void text_of_one(void)
{
    for (int n = 1; n <= 2; n++) {
        const tt_mesh m = tt_mesh(n == 1 ? "data:1" : "data:2");
        const tt_fn f = tt_jit(tt_shard_map(own_sum, .mesh = m, .in = "data", .out = ""));
        const bool region = strstr(tt_export(f, tt_ones(TT_F32, 8)), "manual_computation") != NULL;
        CHECK(region == (n == 2) && tt_ok(), "%d devices: %s", n, tt_error());
    }
}

static tt_val factors(tt_val a) { return tt_lu(a); }

/* An export calls LAPACK, and computes the permutation by a loop, on the function's mesh. */
static void text_of_lu(void)
{
    const tt_val a = tt_shard(tt_ones(TT_F32, 4, 3, 3), tt_mesh("data:4"), "data");
    const char *const text = tt_export(tt_jit(factors), a);
    CHECK(tt_ok() && strstr(text, "lapack_sgetrf_ffi") && strstr(text, "stablehlo.while"), "%s", tt_error());
}

/* ---- on the devices ---- */

static tt_val product(tt_val w, tt_val x) { return tt_matmul(tt_tanh(x), w); }
static tt_val loss(tt_val w, tt_val x) { return tt_mean(tt_square(tt_matmul(x, w))); }
static tt_val step(tt_val w, tt_val x) { return tt_sub(w, tt_mul(tt_f(0.1), tt_call(tt_grad(loss), w, x))); }

static double apart(tt_val x, tt_val y) { return tt_num(tt_amax(tt_abs(tt_sub(x, y)))); }

static void values(void)
{
    float here[16 * 16], there[16 * 16], noise[64], noise_there[64];
    for (int turn = 0; turn < 2; turn++) {
        CHECK(tt_engine(turn ? word : "cpu"), "%s", tt_error());
        const tt_mesh m = tt_mesh("data:4, model:2");
        const tt_val k = tt_key(3), w = tt_shard(tt_normal(k, TT_F32, 8, 16), m, "_, model"),
                     x = tt_shard(tt_normal(tt_key(4), TT_F32, 16, 8), m, "data, _");
        const tt_val y = tt_call(tt_jit(product), w, x);
        CHECK(!strcmp(tt_spec(y), "data, model"), "layout %s", tt_spec(y));
        tt_read(y, turn ? there : here, sizeof here);
        tt_read(tt_uniform(k, TT_F32, 64), turn ? noise_there : noise, sizeof noise);
        CHECK(tt_ok(), "%s", tt_error());
    }
    for (int i = 0; i < 256; i++) CHECK(fabsf(here[i] - there[i]) < 1e-5F, "%d: %g, %g", i, here[i], there[i]);
    CHECK(!memcmp(noise, noise_there, sizeof noise), "random bits differ");
}

/* Elements of four bits come back as the integers that they are, in all ways to read them. */
static void of_four_bits(void)
{
    const int8_t of[4] = { -8, 7, -1, 0 };
    int8_t own[4] = { 0 }, twice[4] = { 0 }, back[4] = { 0 };
    const tt_val x = tt_array(TT_I4, of, 4), here = tt_add(x, tt_neg(tt_ones(TT_I4, 4)));
    CHECK(tt_read(x, own, 4) && !memcmp(own, of, 4), "%d %d %d %d", own[0], own[1], own[2], own[3]);
    CHECK(tt_read(here, twice, 4) && twice[0] == 7 && twice[1] == 6 && twice[2] == -2 && twice[3] == -1,
          "%d %d %d %d", twice[0], twice[1], twice[2], twice[3]);
    CHECK(tt_read(tt_cast(x, TT_I8), back, 4) && !memcmp(back, of, 4), "%d %d %d %d", back[0], back[1], back[2],
          back[3]);
    tt_clear();
}

/* As in JAX a maximum with NaN is NaN, which is not the default of XLA for processors. */
static void not_a_number(void)
{
    float data[2] = { NAN, 1 }, out[1] = { 0 };
    tt_read(tt_amax(tt_array(TT_F32, data, 2)), out, sizeof out);
    CHECK(isnan(out[0]) && tt_ok(), "%g", out[0]);
    tt_read(tt_max(tt_array(TT_F32, data, 1), tt_ones(TT_F32, 1)), out, sizeof out);
    CHECK(isnan(out[0]) && tt_ok(), "%g", out[0]);
}

static void transfers(void)
{
    const tt_mesh m = tt_mesh("data:8");
    tt_val w = tt_shard(tt_full(0.5, TT_F32, 8, 8), m, ""), x = tt_shard(tt_ones(TT_F32, 64, 8), m, "data, _");
    const tt_fn f = tt_jit(step, .donate = "0");
    w = tt_call(f, w, x);
    tt_wait(w);
    const tt_transfers before = tt_transfers_now();
    for (int i = 0; i < 10; i++) w = tt_call(f, w, x);
    tt_wait(w);
    const tt_transfers loop = tt_transfers_now();
    CHECK(loop.to_host == before.to_host && loop.to_device == before.to_device && loop.between == before.between,
          "ten steps have made %lld transfers",
          (long long)(loop.to_host + loop.to_device - before.to_host - before.to_device));
    const tt_val y = tt_shard(tt_shard(x, m, "_, data"), m, "");
    tt_wait(y);
    const tt_transfers moved = tt_transfers_now();
    CHECK(moved.to_host == loop.to_host && moved.to_device == loop.to_device && !strcmp(tt_spec(y), "_, _"),
          "a move between layouts has made %lld transfers to the host", (long long)(moved.to_host - loop.to_host));
    float row[8];
    const int64_t lo[2] = { 0, 0 }, n[2] = { 1, 8 };
    tt_read_box(x, lo, n, row);
    const tt_transfers read = tt_transfers_now();
    CHECK(read.to_host == loop.to_host + 1 && read.to_host_bytes == loop.to_host_bytes + 8 * 8 * 4,
          "a row is %lld transfers of %lld bytes", (long long)(read.to_host - loop.to_host),
          (long long)(read.to_host_bytes - loop.to_host_bytes));
    CHECK(tt_ok(), "%s", tt_error());
}

static void donation(void)
{
    const tt_val w = tt_full(1, TT_F32, 8, 8), x = tt_ones(TT_F32, 4, 8);
    const tt_fn f = tt_jit(step, .donate = "0");
    const tt_val kept = tt_add(w, tt_f(0)), next = tt_call(f, w, x);
    CHECK(apart(next, kept) > 0, "%s", tt_error());
    tt_num(tt_sum(w));
    fails("a donated value", "donated");
    const tt_val twice = tt_call(tt_jit(step), kept, x);
    CHECK(apart(twice, next) == 0 && apart(kept, tt_ones(TT_F32, 8, 8)) == 0, "%s", tt_error());
}

static void engines(void)
{
    const tt_mesh m = tt_mesh("data:8");
    const tt_val there = tt_shard(tt_arange(TT_F32, 16), m, "data");
    CHECK(tt_engine("cpu"), "%s", tt_error());
    tt_neg(there);
    fails("an array of another engine", "argument 0 is on an engine of PJRT, the program on the embedded engine");
    const tt_val here = tt_shard(there, m, "data");
    CHECK(tt_num(tt_sum(here)) == 120 && tt_num(tt_sum(tt_shard(here, m, ""))) == 120, "%s", tt_error());
    CHECK(tt_engine(word), "%s", tt_error());
    tt_neg(here);
    fails("an array of the embedded engine", "is on the embedded engine");
    const tt_val back = tt_shard(here, m, "");
    CHECK(tt_num(tt_sum(back)) == 120 && tt_num(tt_sum(tt_shard(back, m, "data"))) == 120, "%s", tt_error());
    CHECK(tt_num(tt_sum(tt_mul(there, tt_f(2)))) == 240, "%s", tt_error());
}

static tt_val doubled(tt_val x) { return tt_mul(x, tt_f(2)); }
static tt_val summed(tt_val x)
{
    return tt_sum(tt_shard(x, tt_mesh("data:2, model:4"), "model, data"), .dims = "0");
}

/* Parts that differ in size: arrays in both forms; borders of functions and constraints in the planned one alone. */
static void uneven(void)
{
    const tt_mesh m = tt_mesh("data:2, model:4");
    const tt_val x = tt_reshape(tt_arange(TT_F32, 42), 6, 7);
    float here[42], there[42];
    const char *const form = getenv("TUTTI");
    tt_read(tt_shard(x, m, "model, data"), there, sizeof there);
    for (int i = 0; i < 42; i++) CHECK(there[i] == (float)i, "%d: %g, %s", i, there[i], tt_error());
    const tt_val y = tt_call(tt_jit(doubled, .mesh = m, .in = "_, _", .out = "data, model"), x);
    if (form && strstr(form, "form:global")) {
        CHECK(strstr(tt_error(), "where TUTTI does not say form:global"), "its hint: %s", tt_error());
        fails("a result in uneven parts", "dim 1 has 7 elements, which do not divide into 4 parts");
        return;
    }
    CHECK(!strcmp(tt_spec(y), "data, model"), "%s: %s", tt_spec(y), tt_error());
    tt_read(y, there, sizeof there);
    for (int i = 0; i < 42; i++) CHECK(there[i] == 2 * (float)i, "%d: %g, %s", i, there[i], tt_error());
    tt_read(tt_shard(y, m, "model, data"), there, sizeof there);
    for (int i = 0; i < 42; i++) CHECK(there[i] == 2 * (float)i, "moved: %d: %g, %s", i, there[i], tt_error());
    const int64_t lo[2] = { 1, 2 }, n[2] = { 3, 4 };
    tt_read_box(y, lo, n, there);
    for (int i = 0; i < 12; i++)
        CHECK(there[i] == (float)(2 * ((1 + i / 4) * 7 + 2 + i % 4)), "box: %d: %g, %s", i, there[i], tt_error());
    tt_read(tt_call(tt_jit(summed, .mesh = m, .out = "model"), y), there, 7 * sizeof *there);
    for (int i = 0; i < 7; i++) CHECK(there[i] == (float)(12 * i + 210), "sum %d: %g, %s", i, there[i], tt_error());
    CHECK(tt_engine("cpu"), "%s", tt_error());
    tt_read(tt_shard(y, m, "_, data"), here, sizeof here);
    for (int i = 0; i < 42; i++) CHECK(here[i] == 2 * (float)i, "%d: %g, %s", i, here[i], tt_error());
    CHECK(tt_engine(word) && tt_ok(), "%s", tt_error());
}

static void refused(void)
{
    tt_mesh("data:9");
    fails("too many devices", "9 devices, where there are 8");
    CHECK(apart(tt_inv(tt_eye(TT_F32, 3)), tt_eye(TT_F32, 3)) == 0, "LU: %s", tt_error());
    CHECK(tt_num(tt_sum(tt_real(tt_eigvals(tt_eye(TT_F32, 3))))) == 3, "eigenvalues: %s", tt_error());
    tt_reproducible(1);
    tt_add(tt_arange(TT_F32, 3), tt_arange(TT_F32, 3));
    fails("reproducible mode", "reproducible mode");
    tt_reproducible(0);
    CHECK(tt_ok() && tt_device_count() == 8, "%lld devices", (long long)tt_device_count());
    CHECK(strstr(tt_devices(), "cpu:7 "), "%s", tt_devices());
}

static void checkpoints(void)
{
    char here[] = "/tmp/tutti-engineXXXXXX", path[64];
    CHECK(check_folder(here), "no folder");
    const tt_mesh m = tt_mesh("data:8");
    const tt_val v = tt_dict("a", tt_shard(tt_arange(TT_F32, 64), m, "data"), "b",
                             tt_shard(tt_ones(TT_BF16, 3, 5), m, ""));
    snprintf(path, sizeof path, "%s/state", here);
    CHECK(tt_save(path, v), "%s", tt_error());
    const tt_val w = tt_load(path);
    CHECK(apart(tt_get(w, "a"), tt_arange(TT_F32, 64)) == 0, "%s", tt_error());
    tt_clear();
}

/* A library that does not open leaves no engine in force, also where another one was: the words of a later call do not
 * bring that one back. */
static void another_library(void)
{
    CHECK(tt_config(word), "%s", tt_error());
    CHECK(!tt_config("no-amx, pjrt:/nowhere/plugin.so"), "a library that is not there");
    fails("a library that is not there", "there is no file /nowhere/plugin.so");
    CHECK(!tt_config_value("no-amx") && !tt_config_value("pjrt"), "words of a text that was refused");
    CHECK(tt_config("no-share"), "%s", tt_error());
    tt_neg(tt_f(1));
    fails("a call on no engine", "did not open");
    CHECK(tt_engine(word), "%s", tt_error());
}

/* ---- several threads, and a copy of the process ---- */

enum { THREADS = 4, TURNS = 25 };
static _Atomic int wrong;
static tt_mesh wide;
static tt_fn doubles, updates;

/* Launches over all devices, over one and by donation; arrays are dropped while their launches are under way. */
static void *turns(void *arg)
{
    const int me = (int)(intptr_t)arg;
    tt_val w = tt_shard(tt_full(me, TT_F32, 16, 16), wide, "data");
    for (int i = 0; i < TURNS; i++) {
        const tt_scope scope = tt_scope_open();
        const tt_val x = tt_shard(tt_full(me + i, TT_F32, 64), wide, i % 2 ? "data" : "");
        const tt_val y = tt_call(doubles, tt_call(doubles, x)), z = tt_call(doubles, tt_full(i, TT_F32, 8));
        tt_assign(&w, tt_call(updates, w));
        const double sum = tt_num(tt_sum(y)), one = i % 3 ? 16. * i : tt_num(tt_sum(z));
        if (sum != 256. * (me + i) || one != 16. * i || !tt_ok())
            printf("  thread %d, turn %d: %g, %g, %s\n", me, i, sum, one, tt_error()), wrong++;
        tt_clear();
        tt_scope_close(scope);
    }
    if (tt_num(tt_sum(w)) != 256. * (me + TURNS))
        printf("  thread %d: %g, %s\n", me, tt_num(tt_sum(w)), tt_error()), wrong++;
    return NULL;
}

static tt_val next(tt_val x) { return tt_add(x, tt_f(1)); }

static void threads(void)
{
    pthread_t thread[THREADS];
    wide = tt_mesh("data:8");
    doubles = tt_jit(doubled), updates = tt_jit(next, .donate = "0");
    for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, turns, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    CHECK(!wrong && tt_ok(), "%d of %d turns, %s", wrong, THREADS * TURNS, tt_error());
}

/* What a forked process asks of the devices is an error; it ends, and this process goes on. */
static void forked(void)
{
    int status = -1;
    const tt_val x = tt_shard(tt_ones(TT_F32, 64), tt_mesh("data:8"), "data");
    tt_call(tt_jit(doubled), x);
    fflush(stdout);
    const pid_t child = fork();
    if (!child) {
        alarm(60);
        const bool read = isnan(tt_num(tt_sum(x))) || !tt_ok(), said = strstr(tt_error(), "this process was forked");
        tt_clear();
        const bool here = tt_engine("cpu") && tt_num(tt_sum(tt_ones(TT_F32, 3))) == 3;
        exit(read && said && here ? tt_done() : 77);
    }
    waitpid(child, &status, 0);
    CHECK(!status, "the child has ended with status %d", status);
    CHECK(tt_num(tt_sum(tt_call(tt_jit(doubled), x))) == 128, "the parent goes on: %s", tt_error());
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(names());
    CHECK_RUN(text_of_one());
    CHECK_RUN(text_of_lu());
    if (!(word = engine_word())) return check_done();
    CHECK_RUN(words_of_no_effect());
    CHECK_RUN(values());
    CHECK_RUN(of_four_bits());
    CHECK_RUN(not_a_number());
    CHECK_RUN(transfers());
    CHECK_RUN(donation());
    CHECK_RUN(engines());
    CHECK_RUN(uneven());
    CHECK_RUN(refused());
    CHECK_RUN(another_library());
    CHECK_RUN(checkpoints());
    CHECK_RUN(threads());
    CHECK_RUN(forked());
    CHECK(tt_done() == 0, "%s", tt_error());
    return check_done();
}
