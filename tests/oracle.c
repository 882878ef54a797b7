/* oracle.c - the golden runner: build/tests/oracle [--mode user|reproducible|mixed] [--one-in N] [--turn K]
 * [--only TEXT] [--without TEXT] [--lists FOLDER] [DIR [SUITE...]].
 *
 * DIR holds suites: folders with cases.json and arrays.npz. Without DIR: TUTTI_ORACLE; without that the project's own,
 * tests/goldens. Runs every case, prints each failure, and closes with the sums. A kind or function that the runner
 * does not know fails, and so does a refusal by another error than the golden's (tests/oracle/refusals.txt). Cases in
 * tests/oracle/known.txt are known to miss: they are counted by themselves, and told where they pass.
 *
 * Mode: "user" is what users get, Tutti as it starts; "reproducible" is tt_reproducible, in which bits depend on
 * neither mesh nor kernels; "mixed", the usual one, runs one case in three as users do (which one is its name's hash)
 * and the others reproducibly.
 */
#include "oracle/suite.h"

#include "base/base.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const oracle_kind oracle_kinds[] = {
    { "checkpoint", oracle_checkpoint }, { "tokenizer", oracle_tokenizer }, { "model", oracle_model },
    { "random", oracle_random }, { "init", oracle_init }, { "linen_init", oracle_linen_init },
    { "math", oracle_math }, { "numpy", oracle_numpy }, { "scipy", oracle_scipy }, { "stats", oracle_stats },
    { "losses", oracle_losses }, { "loss", oracle_loss }, { "layer", oracle_layer }, { "dp_chunks", oracle_dp_chunks },
    { "data_parallel", oracle_data_parallel }, { "resnet18", oracle_resnet18 }, { "optim", oracle_optim },
    { "schedule", oracle_schedule }, { "nnx_init", oracle_nnx_init }, { "nnx_rngs", oracle_nnx_rngs },
        { "visual", oracle_visual },
    { "collective", oracle_collective }, { "collective_vjp", oracle_collective_vjp },
    { "collective_scalar", oracle_collective_scalar }, { "collective_nested", oracle_collective_nested },
    { "verdict", oracle_verdict }, { "program", oracle_program }, { "convolve", oracle_convolve },
        { "regression", oracle_regression },
    { "perms", oracle_perms }, { "nnx_crc", oracle_nnx_crc }, { "nnx_forward", oracle_nnx_forward },
    { "nnx_train", oracle_nnx_train }, { "nnx_tied", oracle_nnx_tied }, { "linen_crc", oracle_linen_crc },
    { "linen_forward", oracle_linen_forward }, { "linen_train", oracle_linen_train },
        { "keras_init", oracle_keras_init },
    { "keras_variables", oracle_keras_variables }, { "keras_forward", oracle_keras_forward },
        { "keras_bn", oracle_keras_bn },
    { "keras_dropout", oracle_keras_dropout }, { "keras_adam", oracle_keras_adam }, { "keras_loss", oracle_keras_loss },
    { "keras_train", oracle_keras_train }, { "keras_batching", oracle_keras_batching },
    { "ensemble_init", oracle_ensemble_init }, { "ensemble_crc", oracle_ensemble_crc },
    { "ensemble_steps", oracle_ensemble_steps }, { "ensemble_epoch", oracle_ensemble_epoch },
        { "text", oracle_text_kind },
    { "spec", oracle_spec_kind }, { "indices_map", oracle_indices_map }, { "equivalent", oracle_equivalent },
    { "constraint", oracle_constraint }, { "concat_ones", oracle_concat_ones }, { "propagate", oracle_propagate },
    { "init_dp", oracle_init_dp }, { "dp_train", oracle_dp_train }, { "dp_grads", oracle_dp_grads },
        { "dp_stages", oracle_dp_stages },
    { "dp_dropout_mask", oracle_dp_dropout_mask }, { "fsdp_specs", oracle_fsdp_specs },
        { "accumulate", oracle_accumulate },
    { "fold_axis", oracle_fold_axis }, { "shard_params", oracle_shard_params }, { "gather_grad", oracle_gather_grad },
    { "gather_matmul", oracle_gather_matmul }, { "shardmap", oracle_shardmap }, { "donation", oracle_donation },
    { "trace_count", oracle_trace_count }, { NULL, NULL },
};

/* ---- why something is not compared, by name ---- */

static struct { char name[400]; int n; } reasons[400];
static int nreasons;

static void because(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void because(const char *fmt, ...)
{
    char name[400];
    va_list ap;
    int i = 0;
    va_start(ap, fmt);
    vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    while (i < nreasons && strcmp(reasons[i].name, name)) i++;
    if (i == 400) return;
    if (i == nreasons) memcpy(reasons[nreasons++].name, name, sizeof name);
    reasons[i].n++;
}

void oracle_skip(oracle_case *c, const char *what)
{
    c->skipped = 1;
    because("%s: %s", oracle_suite_name(c->suite), what);
}

void oracle_unknown(oracle_case *c, const char *what)
{
    oracle_fail(c, "the runner does not know \"%s\" of kind %s", what, c->kind);
}

void oracle_not_compared(oracle_case *c, const char *what, const char *why)
{
    c->compared++;
    because("not compared: %s: %s (%s)", oracle_suite_name(c->suite), what, why);
}

/* ---- running ---- */

static int passed, failed, skipped, nknown;
static enum { MIXED, USER, REPRODUCIBLE } mode;

/* Where two versions of JAX differ in a verdict, the newer decides: "accept/0.4.34/x" is judged as
 * "accept/0.10.2/x". */
static json_t *decides(const oracle_suite *s, json_t *j)
{
    const char *id = oracle_text(j, "id", "");
    char newer[256];
    if (strcmp(oracle_text(j, "kind", ""), "verdict") || strncmp(id, "accept/0.4.34/", 14)) return j;
    snprintf(newer, sizeof newer, "accept/0.10.2/%s", id + 14);
    for (size_t i = 0; i < json_array_size(s->cases); i++)
        if (!strcmp(oracle_text(json_array_get(s->cases, i), "id", ""), newer)) return json_array_get(s->cases, i);
    return j;
}

/* Cases and their texts stay to the end: functions that are bound to one's address are known by it, and so is what was
 * traced of them. */
typedef struct kept { oracle_case c; json_t *cases; struct kept *before; } kept;
static kept *all;

static oracle_case *keep(oracle_case c, json_t *cases)
{
    kept *k = calloc(1, sizeof *k);
    if (!k) abort();
    *k = (kept){ c, cases, all };
    all = k;
    return &k->c;
}

static void free_all(void)
{
    for (kept *k = all, *before; k; k = before) {
        before = k->before;
        json_decref(k->cases);
        free(k);
    }
}

/* FNV-1a of "suite/id": which cases run as users do does not depend on their order. */
static bool as_users_do(const char *suite, const char *id)
{
    const char *const part[] = { suite, "/", id };
    uint32_t h = 2166136261u;
    for (int i = 0; i < 3; i++) for (const char *p = part[i]; *p; p++) h = (h ^ (uint8_t)*p) * 16777619u;
    return mode == USER || (mode == MIXED && (h >> 8) % 3 == 0);
}

static void judge(oracle_case *c, const char *error)
{
    const char *const refuses = !error && !tt_ok() ? oracle_engine_refuses(tt_error()) : NULL;
    if (refuses) oracle_skip(c, refuses);
    else if (!error && !tt_ok()) oracle_fail(c, "%s", tt_error());
    else if (!error && c->compared < c->nout) oracle_fail(c, "%d of %d outputs were compared", c->compared, c->nout);
    else if (error && tt_ok()) oracle_fail(c, "was accepted; expected a refusal: %s", error);
    else if (error) oracle_refused(c, error);
}

static void run_case(oracle_suite *s, json_t *j)
{
    const char *id = oracle_text(j, "id", "?");
    const json_t *verdict = decides(s, j);
    const bool user = as_users_do(s->name, id);
    oracle_known *const known = oracle_known_row(s->name, id, user ? "user" : "reproducible");
    oracle_case *const c = keep((oracle_case){ .suite = s,
                                               .json = j,
                                               .id = id,
                                               .kind = oracle_text(j, "kind", "?"),
                                               .fn = oracle_text(j, "fn", "?"),
                                               .params = json_object_get(j, "params"),
                                               .nin = (int)json_array_size(json_object_get(j, "in")),
                                               .nout = (int)json_array_size(json_object_get(j, "out")),
                                               .refused = oracle_has(verdict, "error"),
                                               .user = user,
                                               .known = known != NULL },
                                json_incref(s->cases));
    const oracle_kind *k = oracle_kinds;
    const tt_scope scope = tt_scope_open();
    while (k->kind && strcmp(k->kind, c->kind)) k++;
    tt_reproducible(!user);
    if (oracle_has(c->params, "processes")) oracle_distributed(c);
    else if (!k->kind) oracle_unknown(c, c->fn);
    else k->run(c);
    if (!c->skipped) judge(c, c->refused ? oracle_text(verdict, "error", "") : NULL);
    tt_clear();
    tt_scope_close(scope);
    if (known && c->failed)
        because("known to miss: %s/%s (%s; %s)", s->name, id, known->reason, known->distance);
    else if (known && !c->skipped) printf("note: %s/%s is known to miss, and passes\n", s->name, id);
    *(c->skipped ? &skipped : !c->failed ? &passed : known ? &nknown : &failed) += 1;
}

static int one_in = 1, in_turn;
static const char *only, *without;

static void run_cases(oracle_suite *s)
{
    for (size_t i = 0; i < json_array_size(s->cases); i++) {
        json_t *j = json_array_get(s->cases, i);
        const char *id = oracle_text(j, "id", "");
        if (i % (size_t)one_in != (size_t)(in_turn % one_in) || (only && !strstr(id, only))) continue;
        if (without && strstr(id, without)) because("%s/%s is left to make check-long", s->name, id), skipped++;
        else run_case(s, j);
    }
}

static bool run_suite(const char *dir, const char *name)        /* false: there is none */
{
    oracle_suite s = { .n = 0 };
    char path[2400];
    json_error_t error;
    snprintf(s.name, sizeof s.name, "%s", name);
    snprintf(s.dir, sizeof s.dir, "%s/%s", dir, name);
    snprintf(path, sizeof path, "%s/cases.json", s.dir);
    if (!data_exists(path)) return false;
    const int before[4] = { passed, failed, skipped, nknown };
    const double begin = base_seconds();
    const char *why = oracle_left_out(name);
    json_t *cases = s.cases = oracle_cases_of(path, &error);
    if (why) {
        for (size_t i = 0; i < json_array_size(cases); i++) because("the suite %s is left out: %s", name, why);
        skipped += (int)json_array_size(cases);
    } else if (!cases || !oracle_suite_load(&s)) {
        printf("FAIL %s: cases or arrays do not read: %s\n", name, cases ? tt_error() : error.text);
        tt_clear();
        failed++;
    } else run_cases(&s);
    oracle_suite_free(&s);
    printf("%-16s %5d passed %5d failed %5d known %5d skipped %8.1f s\n", name, passed - before[0], failed - before[1],
           nknown - before[3], skipped - before[2], base_seconds() - begin);
    fflush(stdout);
    return true;
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

static void run_all(const char *dir)
{
    struct dirent **names;
    const int n = scandir(dir, &names, NULL, by_name);
    int suites = 0;
    for (int i = 0; i < n; i++) {
        if (names[i]->d_name[0] != '.') suites += run_suite(dir, names[i]->d_name);
        free(names[i]);
    }
    if (n >= 0) free(names);
    if (!suites) printf("FAIL: no suite in %s\n", dir), failed++;
}

static int list_suites(const char *dir)                  /* --list: the names that SUITE takes */
{
    struct dirent **names;
    const int n = scandir(dir, &names, NULL, by_name);
    for (int i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s/cases.json", dir, names[i]->d_name);
        if (names[i]->d_name[0] != '.' && !access(path, R_OK)) puts(names[i]->d_name);
        free(names[i]);
    }
    if (n >= 0) free(names);
    return n < 0;
}

static bool is_mode(const char *word)
{
    static const char *const words[] = { "mixed", "user", "reproducible" };
    for (int i = 0; i < 3; i++) if (!strcmp(words[i], word)) return mode = i, true;
    return false;
}

int main(int argc, char **argv)
{
    const char *dir = getenv("TUTTI_ORACLE"), *lists = ORACLE_LISTS;
    int at = 1;
    if (argc == 2 && !strcmp(argv[1], "--list")) return list_suites(dir ? dir : ORACLE_LISTS "/../goldens");
    for (; at < argc && !strncmp(argv[at], "--", 2); at += 2) {
        const char *value = at + 1 < argc ? argv[at + 1] : "";
        if (!strcmp(argv[at], "--one-in") && atoi(value) > 0) one_in = atoi(value);
        else if (!strcmp(argv[at], "--turn") && atoi(value) >= 0) in_turn = atoi(value);
        else if (!strcmp(argv[at], "--only") && *value) only = value;
        else if (!strcmp(argv[at], "--without") && *value) without = value;
        else if (!strcmp(argv[at], "--lists") && *value) lists = value;
        else if (strcmp(argv[at], "--mode") || !is_mode(value))
            return fprintf(stderr, "usage: oracle [--mode user|reproducible|mixed] [--one-in N] [--turn K] "
                                   "[--only TEXT] [--without TEXT] [--lists FOLDER] [DIR [SUITE...]]\n"
                                   "       oracle --list\n"), 2;
    }
    if (at < argc) dir = argv[at++];
    const bool named = at < argc;
    if (!dir || !*dir) dir = ORACLE_LISTS "/../goldens";
    tt_on_error(silent, NULL);
    if (tt_process_count() == 1) tt_config("devices:8"); /* as many as the goldens were made with */
    if (!oracle_lists_read(lists)) {
        printf("FAIL %s: %s\n", lists, tt_ok() ? "a list does not read" : tt_error());
        failed++;
    }
    tt_clear();
    for (; at < argc; at++)
        if (!run_suite(dir, argv[at])) printf("FAIL %s: no such suite in %s\n", argv[at], dir), failed++;
    if (!named) run_all(dir);
    for (int i = 0; i < nreasons; i++) printf("skipped %5d  %s\n", reasons[i].n, reasons[i].name);
    if (one_in > 1) printf("volume %d goldens, a part of them\n", passed);
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped + nknown);
    free_all();
    oracle_lists_free();
    return failed != 0;
}
