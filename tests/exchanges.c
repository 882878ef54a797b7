/* Golden lists: what five fixed programs move, by kind, count and bytes, and two of the reports as text. `exchanges -p`
 * prints the texts as they are now, to be read and pasted into exchanges.inc. Lines of files are written #. */
#include <stdio.h>
#include <string.h>

#define main mlp_main
#include "../examples/mlp.c"
#undef main
#include "check.h"

static tt_val elementwise(tt_val x, tt_val y) { return tt_tanh(tt_add(tt_mul(x, y), tt_f(1))); }
static tt_val whole_weight(tt_val w, tt_val x) { return tt_matmul(x, tt_shard(w, tt_mesh("data:8"), "_, _")); }

static tt_val two(tt_val p, tt_val x)
{
    tt_val a, b;
    tt_unpack(p, &a, &b);
    return tt_matmul(tt_relu(tt_matmul(x, a)), b);
}
static tt_val two_loss(tt_val p, tt_val x, tt_val y) { return tt_mean(tt_square(tt_sub(two(p, x), y))); }
static tt_val descend(tt_val p, tt_val x, tt_val y)
{
    return tt_sub(p, tt_mul(tt_f(0.1), tt_call(tt_grad(two_loss), p, x, y)));
}

enum { ROWS = 8192, WIDTH = 256, INNER = 1024 };

static void counts(const char *what, const tt_report *r, int gathers, int scatters, int sums, int others)
{
    CHECK(r, "%s: %s", what, tt_error());
    if (!r) return;
    const int g = tt_exchanges(r, "all-gather"), s = tt_exchanges(r, "reduce-scatter"), a = tt_exchanges(r,
        "all-reduce");
    CHECK(g == gathers && s == scatters && a == sums && tt_exchanges(r, NULL) == g + s + a + others,
          "%s: %d gathers, %d scatters, %d sums of %d\n%s", what, g, s, a, tt_exchanges(r, NULL), r->text);
}

static int64_t bytes_of(const tt_report *r, const char *kind)    /* of whole values, all rounds */
{
    int64_t n = 0;
    for (int i = 0; r && i < r->n; i++)
        if (!strcmp(r->at[i].kind, kind)) n += r->at[i].bytes * (r->at[i].times > 0 ? r->at[i].times : 1);
    return n;
}

static void small(tt_mesh m)
{
    tt_val x = tt_shard(tt_shape(TT_F32, ROWS, WIDTH), m, "data"), w = tt_shard(tt_shape(TT_F32, WIDTH, INNER), m,
        "data");
    counts("elementwise", tt_explain(tt_jit(elementwise, .mesh = m), x, x), 0, 0, 0, 0);
    const tt_report *r = tt_explain(tt_jit(whole_weight, .mesh = m), w, x);
    counts("gather(w) x", r, 1, 0, 0, 0);
    CHECK(r && r->n && r->at[0].requested, "the gather is the one that was written");
}

/* Each parameter's gradient is summed once; the loss is not asked for. */
static void data_parallel(tt_mesh m)
{
    const int64_t parameters = 2 * (int64_t)WIDTH * INNER * 4;
    tt_val p = tt_tuple(tt_shape(TT_F32, WIDTH, INNER), tt_shape(TT_F32, INNER, WIDTH));
    tt_val x = tt_shard(tt_shape(TT_F32, ROWS, WIDTH), m, "data");
    const tt_report *r = tt_explain(tt_jit(descend, .mesh = m, .in = "_; data; data", .out = "_"), p, x, x);
    counts("data parallel", r, 0, 0, 2, 0);
    CHECK(bytes_of(r, "all-reduce") == parameters, "%lld bytes are summed", (long long)bytes_of(r, "all-reduce"));
}

/* Parameters are sharded: each is gathered for its uses, and its gradient is scattered. */
static const tt_report *fsdp(tt_mesh m)
{
    const int64_t parameters = 2 * (int64_t)WIDTH * INNER * 4;
    tt_val p = tt_tuple(tt_shape(TT_F32, WIDTH, INNER), tt_shape(TT_F32, INNER, WIDTH));
    tt_val x = tt_shape(TT_F32, ROWS, WIDTH);
    const tt_report *r = tt_explain(tt_jit(descend, .mesh = m, .in = "data; data; data", .out = "data"), p, x, x);
    CHECK(r && tt_exchanges(r, "all-reduce") == 0 && tt_exchanges(r, "reduce-scatter") == 2, "%s", r ? r->text
          : tt_error());
    CHECK(bytes_of(r, "reduce-scatter") == parameters, "%lld bytes are scattered", (long long)bytes_of(r,
        "reduce-scatter"));
    for (int i = 0; r && i < r->n; i++)                  /* nothing but parameters is gathered */
        CHECK(strcmp(r->at[i].kind, "all-gather") || r->at[i].bytes == parameters / 2, "%s", r->text);
    return r;
}

/* Eight layers, one after another or in a scan, with momentum: between steps a device holds an eighth of parameters and
 * moments; within, what the backward pass reads, and of parameters at most a layer's, gathered, beside its gradient. */
static bool scanned;
static tt_val layer(tt_val x, tt_val p)
{
    return tt_add(x, tt_matmul(tt_tanh(tt_matmul(x, tt_get(p, "up"))), tt_get(p, "down")));
}
static tt_val turn(tt_val x, tt_val p) { return tt_tuple(layer(x, p), tt_none()); }
static tt_val stack_loss(tt_val p, tt_val x)
{
    if (scanned) x = tt_item(tt_scan(turn, x, p), 0);
    for (int i = 0; !scanned && i < tt_items(p); i++) x = layer(x, tt_item(p, i));
    return tt_mean(tt_square(x));
}
static tt_val momentum(tt_val s, tt_val x)
{
    tt_val g = tt_call(tt_grad(stack_loss), tt_get(s, "p"), x);
    tt_val m = tt_add(tt_mul(tt_f(0.9), tt_get(s, "m")), g);
    return tt_dict("p", tt_sub(tt_get(s, "p"), tt_mul(tt_f(0.001), m)), "m", m);
}

static void fsdp_stack(tt_mesh m, bool in_a_scan)
{
    enum { LAYERS = 8, BATCH = 1024 };
    const int64_t one = 2 * (int64_t)WIDTH * INNER * 4, kept = LAYERS * (int64_t)BATCH / 8 * (WIDTH + 2 * INNER) * 4;
    tt_val p[LAYERS + 1], all;
    scanned = in_a_scan;
    for (int i = 0; i < LAYERS; i++)
        p[i] = tt_dict("up", tt_shape(TT_F32, WIDTH, INNER), "down", tt_shape(TT_F32, INNER, WIDTH));
    p[LAYERS] = tt_end;
    all = tt_dict("up", tt_shape(TT_F32, LAYERS, WIDTH, INNER), "down", tt_shape(TT_F32, LAYERS, INNER, WIDTH));
    if (!scanned) all = tt_tuple_at("exchanges.c", p);
    tt_val s = tt_dict("p", all, "m", all), x = tt_shape(TT_F32, BATCH, WIDTH);
    const char *in = scanned ? "_, data; data" : "data; data", *out = scanned ? "_, data" : "data";
    tt_fn f = tt_jit(momentum, .mesh = m, .in = in, .out = out, .donate = "0");
    const tt_budget *b = tt_plan(f, s, x);
    CHECK(b, "%s", tt_error());
    if (!b) return;
    const int64_t gathered = bytes_of(b->report, "all-gather"), scattered = bytes_of(b->report, "reduce-scatter");
    CHECK(b->arguments == 2 * LAYERS * one / 8 + BATCH / 8 * WIDTH * 4, "%lld bytes of arguments",
          (long long)b->arguments);
    CHECK(b->results == 0 && b->reused == 2 * LAYERS * one / 8, "%lld bytes of results", (long long)b->results);
    CHECK(b->arena <= kept + (scanned ? LAYERS * one / 8 : 0) + 2 * one, "%s", b->text);
    CHECK(gathered <= 2 * LAYERS * one && gathered >= (2 * LAYERS - 2) * one && scattered == LAYERS * one,
          "%lld bytes gathered, %lld scattered\n%s", (long long)gathered, (long long)scattered, b->report->text);
    CHECK(tt_exchanges(b->report, "all-to-all") == 0, "%s", b->report->text);
}

/* Program 3 of the interface: state is born where the rules say, moments too; no parameter is gathered. */
static const tt_report *program_3(tt_mesh m)
{
    static const struct { const char *path, *spec; } state_spec[] = {
        { "layer.up.kernel", "_, _, model" }, { "layer.up.bias", "_, model" },
        { "layer.down.kernel", "_, model, _" }, { "layer.down.bias", "_, _" },
    };
    static const char *const trees[] = { "params", "opt.mu", "opt.nu" };
    const char *rules = "batch:data, hidden:model";
    tt_val x = tt_shard(tt_shape(TT_F32, BATCH, EMBED), m, "data, _");
    tt_val s = tt_eval_shape(tt_jit(create, .mesh = m, .rules = rules), tt_key(0), x);
    tt_fn step = tt_jit(train, .mesh = m, .rules = rules, .donate = "0");
    tt_val after = tt_item(tt_eval_shape(step, s, x, x), 0);
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < sizeof state_spec / sizeof *state_spec; i++) {
            char path[64];
            snprintf(path, sizeof path, "%s.%s", trees[k], state_spec[i].path);
            const char *born = tt_spec(tt_get(s, path)), *stays = tt_spec(tt_get(after, path));
            CHECK(born && !strcmp(born, state_spec[i].spec), "%s is born as %s", path, born ? born : "nothing");
            CHECK(stays && !strcmp(stays, state_spec[i].spec), "%s comes back as %s", path, stays ? stays : "nothing");
        }
    const tt_report *r = tt_explain(step, s, x, x);
    CHECK(r && tt_exchanges(r, "all-gather") == 0, "%s", r ? r->text : tt_error());
    const tt_budget *b = tt_plan(step, s, x, x);
    CHECK(b && b->reused > 0 && b->results < 1024, "the state is updated in place: %s", b ? b->text : tt_error());
    return r;
}

/* A parameter of 1 GiB over 8 devices is made where it is: no device needs more than 1.2 times its part (bench/born.c
 * measures the process). */
static tt_val gigabyte(tt_val key) { return tt_mul(tt_normal(key, TT_F32, 16384, 16384), tt_f(0.01)); }
static void born_sharded(tt_mesh m)
{
    const int64_t part = (int64_t)1 << 27;
    const tt_budget *b = tt_plan(tt_jit(gigabyte, .mesh = m, .out = "data"), tt_key(0));
    CHECK(b && b->results == part && b->peak <= part * 12 / 10, "%s", b ? b->text : tt_error());
    CHECK(b && tt_exchanges(b->report, NULL) == 0, "%s", b ? b->text : tt_error());
}

/* ---- texts ---- */

typedef struct { const char *name, *text; } golden;
static const golden goldens[] = {
#include "exchanges.inc"
};

static const char *plain(const char *s)                  /* "tests/exchanges.c:23:" is "#:" */
{
    static char out[16384];
    size_t n = 0;
    for (const char *p = s; *p && n + 2 < sizeof out;) {
        const size_t word = strcspn(p, " \n");
        const char *c = memchr(p, ':', word);
        if (c && c - p > 2 && c[-2] == '.' && c[-1] == 'c') {
            out[n++] = '#';
            for (p = c + 1; *p >= '0' && *p <= '9';) p++;
        } else {
            out[n++] = *p++;
        }
    }
    out[n] = '\0';
    return out;
}

static void print_c(const char *name, const char *s)
{
    printf("{ \"%s\",\n", name);
    for (const char *line = s; *line;) {
        const size_t n = strcspn(line, "\n");
        printf("  \"");
        for (size_t i = 0; i < n; i++) printf(line[i] == '"' || line[i] == '\\' ? "\\%c" : "%c", line[i]);
        line += n + (line[n] == '\n');
        printf("\\n\"\n");
    }
    printf("},\n");
}

static void text_is(const char *name, const tt_report *r, bool print)
{
    const char *now = r ? plain(r->text) : "", *want = "";
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) if (!strcmp(goldens[i].name, name)) want =
        goldens[i].text;
    if (print) print_c(name, now);
    else CHECK(!strcmp(now, want), "%s says\n%s\ninstead of\n%s", name, now, want);
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "-p")) return check_done();
    const bool print = argc > 1 && !strcmp(argv[1], "-p");
    tt_mesh data = tt_mesh("data:8"), grid = tt_mesh("data:2, model:4");
    if (!print) small(data);
    if (!print) data_parallel(data);
    if (!print) born_sharded(data);
    if (!print) fsdp_stack(data, false), fsdp_stack(data, true);
    text_is("fsdp", fsdp(data), print);
    text_is("program 3", program_3(grid), print);
    CHECK(tt_ok(), "%s", tt_error());
    return print ? 0 : check_done();
}
