/* What a function will do before it runs: exchanges, memory, strict mode, dry runs. The goldens of five fixed programs
 * are in tests/exchanges.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

#include "check.h"

static void quiet(const tt_error_info *e, void *env) { (void)e; (void)env; }
static tt_val scaled(tt_val x) { return tt_mul(tt_exp(x), tt_f(2)); }
static tt_val product(tt_val w, tt_val x) { return tt_matmul(x, w); }
static tt_val loss(tt_val w, tt_val x) { return tt_mean(tt_square(tt_matmul(x, w))); }
static tt_val sorted(tt_val x) { return tt_sort(x, 0); }
static tt_val step(tt_val w, tt_val x) { return tt_sub(w, tt_mul(tt_f(0.1), tt_call(tt_grad(loss), w, x))); }
static tt_val create(tt_val key) { return tt_normal(key, TT_F32, 64, 32); }

static void counts(tt_mesh m)
{
    tt_val w = tt_shape(TT_F32, 64, 32), x = tt_shard(tt_shape(TT_F32, 128, 64), m, "data");
    const tt_report *r = tt_explain(tt_jit(scaled, .mesh = m), x);
    CHECK(r && tt_exchanges(r, NULL) == 0 && r->moved == 0, "elementwise: %s", r ? r->text : tt_error());
    r = tt_explain(tt_jit(product, .mesh = m), w, x);
    CHECK(r && tt_exchanges(r, NULL) == 0, "rows: %s", r ? r->text : tt_error());
    r = tt_explain(tt_jit(step, .mesh = m, .out = "_"), w, x);
    CHECK(r && tt_exchanges(r, NULL) == 1, "one gradient sum: %s", r ? r->text : tt_error());
    if (!r || r->n < 1) return;
    const tt_exchange *e = &r->at[0];
    CHECK(!strcmp(e->axes, "data") && e->bytes == 64 * 32 * 4, "%s, %lld bytes", e->axes, (long long)e->bytes);
    CHECK(e->site && strstr(e->site, "tests/api/layouts/explain.c"), "%s", e->site);
    CHECK(strstr(r->text, "explain step on data:2, model:4") && strstr(r->text, "over data"), "%s", r->text);
    CHECK(tt_exchanges(NULL, NULL) == 0, "of nothing");
}

/* A weight that a recurrence reads in every step is gathered once, before it. */
static tt_val weight;
static tt_val turn(tt_val h, tt_val x) { return tt_tuple(tt_tanh(tt_add(tt_matmul(h, weight), x)), tt_none()); }
static tt_val recurrence(tt_val w, tt_val h, tt_val xs)
{
    weight = w;
    return tt_item(tt_scan(turn, h, xs), 0);
}
static void leaves_a_loop(tt_mesh m)
{
    tt_val w = tt_shard(tt_shape(TT_F32, 64, 64), m, "data"), h = tt_shard(tt_shape(TT_F32, 512, 64), m, "data");
    tt_val xs = tt_shard(tt_shape(TT_F32, 20, 512, 64), m, "_, data");
    const tt_report *r = tt_explain(tt_jit(recurrence, .mesh = m, .out = "data"), w, h, xs);
    CHECK(r && r->n == 1 && !strcmp(r->at[0].kind, "all-gather") && r->at[0].times == 1, "%s",
          r ? r->text : tt_error());
    CHECK(r && strstr(r->text, "all-gather over data, before the loop"), "%s", r ? r->text : tt_error());
}

/* The report begins with what takes most of the time; the list stays in program order. */
static tt_val small_then_large(tt_val x, tt_val y) { return tt_tuple(tt_sort(x, 0), tt_sort(y, 0)); }
static void costliest_first(tt_mesh m)
{
    tt_val x = tt_shard(tt_shape(TT_F32, 64), m, "data"), y = tt_shard(tt_shape(TT_F32, 1 << 20), m, "data");
    const tt_report *r = tt_explain(tt_jit(small_then_large, .mesh = m, .out = "_"), x, y);
    CHECK(r && r->n >= 2 && r->at[0].bytes < r->at[r->n - 1].bytes, "%s", r ? r->text : tt_error());
    const char *large = r ? strstr(r->text, "of 4.0 MiB") : NULL, *small = r ? strstr(r->text, "of 256 B") : NULL;
    CHECK(large && small && large < small, "%s", r ? r->text : tt_error());
}

static void wide_as_a_page(tt_mesh m)                    /* whatever names there are, no line is longer than 80 */
{
    tt_val w = tt_shape(TT_F32, 64, 32), x = tt_shard(tt_shape(TT_F32, 128, 64), m, "data");
    const tt_report *r = tt_explain(tt_jit(step, .mesh = m, .out = "_"), w, x);
    const tt_budget *b = tt_plan(tt_jit(step, .mesh = m, .out = "_"), w, x);
    for (int k = 0; k < 2 && r && b; k++)
        for (const char *p = k ? b->text : r->text; *p;) {
            const size_t n = strcspn(p, "\n");
            CHECK(n <= 80, "%zu columns: %.*s", n, (int)n, p);
            p += n + (p[n] == '\n');
        }
}

static void memory(void)
{
    static const char *const meshes[] = { "data:2, model:4", "data:4096, model:16" };
    int64_t rows[2] = { 2, 4096 };
    for (int k = 0; k < 2; k++) {
        tt_mesh m = tt_mesh(meshes[k]);
        tt_val w = tt_shape(TT_F32, 64, 32), x = tt_shard(tt_shape(TT_F32, 4096 * 64, 64), m, "data");
        const tt_budget *b = tt_plan(tt_jit(step, .mesh = m, .out = "_", .donate = "0"), w, x);
        CHECK(b, "%s", tt_error());
        if (!b) continue;
        const int64_t shard = 4096 * 64 / rows[k] * 64 * 4, parameter = 64 * 32 * 4;
        CHECK(b->devices == tt_mesh_size(m, NULL), "%lld devices", (long long)b->devices);
        CHECK(b->arguments == shard + parameter, "arguments: %lld", (long long)b->arguments);
        CHECK(b->results == 0 && b->reused == parameter, "%lld, reused %lld", (long long)b->results,
              (long long)b->reused);
        CHECK(b->peak == b->arguments + b->results + b->constants + b->arena, "peak %lld", (long long)b->peak);
        int64_t live = 0;
        for (int i = 0; i < b->nline; i++) {
            live += b->line[i].bytes;
            CHECK(!i || b->line[i].bytes <= b->line[i - 1].bytes, "line %d is larger than the one before", i);
        }
        CHECK(live > 0 && live <= b->arena, "%lld live of %lld", (long long)live, (long long)b->arena);
        CHECK(tt_exchanges(b->report, NULL) == 1, "%s", b->text);
        CHECK(strstr(b->text, k ? "65536 devices" : "8 devices"), "%s", b->text);
    }
}

static void shapes_have_layouts(tt_mesh m)
{
    tt_val s = tt_eval_shape(tt_jit(create, .mesh = m, .out = "data, model"), tt_key(0));
    const char *spec = tt_spec(s);
    CHECK(spec && !strcmp(spec, "data, model"), "%s", spec ? spec : tt_error());
    tt_val y = tt_eval_shape(tt_jit(scaled, .mesh = m), s);
    spec = tt_spec(y);
    CHECK(spec && !strcmp(spec, "data, model"), "%s", spec ? spec : "none");
}

/* A gather that nobody asked for is an error; one that was written is not; nor is one that is small enough. */
static void strict(tt_mesh m)
{
    tt_val x = tt_shard(tt_shape(TT_F32, 4096), m, "model");
    tt_on_error(quiet, NULL);
    const tt_report *r = tt_explain(tt_jit(sorted, .mesh = m, .strict = 1), x);
    CHECK(!*r->text, "a sort of a dim that is cut: %s", r->text);
    const char *e = tt_error();
    CHECK(strstr(e, "gathered over model") && strstr(e, "tt_sort(x, 0)"), "%s", e);
    tt_clear();
    CHECK(tt_explain(tt_jit(sorted, .mesh = m, .strict = 12288), x), "%s", tt_error());
    CHECK(tt_explain(tt_jit(scaled, .mesh = m, .out = "_", .strict = 1), x), "%s", tt_error());
    CHECK(tt_config("strict:12288"), "%s", tt_error());
    CHECK(tt_explain(tt_jit(sorted, .mesh = m), x), "%s", tt_error());
    CHECK(tt_config("strict:12287") && !*tt_explain(tt_jit(sorted, .mesh = m), x)->text, "the switch");
    tt_clear();
    CHECK(*tt_explain(tt_jit(sorted, .mesh = m, .strict = 0), x)->text, ".strict = 0 under the switch: %s", tt_error());
    CHECK(*tt_explain(tt_jit(sorted, .mesh = m, .strict = 12288), x)->text, "%s", tt_error());
    CHECK(tt_config("strict") && *tt_explain(tt_jit(sorted, .mesh = m, .strict = 0), x)->text, "%s", tt_error());
    tt_clear();
    CHECK(!tt_config("strict:many"), "strict takes a number");
    tt_clear();
    CHECK(tt_config("strict:9000000000000000"), "%s", tt_error());
    tt_on_error(NULL, NULL);
}

static tt_val asks(tt_val x)
{
    tt_explain(scaled, x);
    return x;
}
static void asked_inside_a_trace(void)
{
    tt_on_error(quiet, NULL);
    tt_call(tt_jit(asks), tt_ones(TT_F32, 3));
    const char *e = tt_error();
    CHECK(e && strstr(e, "requested while another function is traced"), "%s", e ? e : "no error");
    tt_clear();
    tt_on_error(NULL, NULL);
}

/* A dry run computes nothing, on a mesh that does not fit any machine. */
static void dry(void)
{
    CHECK(tt_config("dry"), "%s", tt_error());
    tt_mesh m = tt_mesh("data:4096, model:16");
    tt_val w = tt_call(tt_jit(create, .mesh = m, .out = "_, model"), tt_key(0));
    tt_val x = tt_shard(tt_normal(tt_key(1), TT_F32, 1 << 20, 1 << 16), m, "data");
    CHECK(tt_dim(x, 1) == 1 << 16, "256 GiB of nothing");
    int turns = 0;
    for (tt_loop it = tt_steps(1000); tt_next(&it); turns++) tt_assign(&w, tt_call(tt_jit(scaled, .mesh = m), w));
    CHECK(turns == 1, "%d turns", turns);
    CHECK(tt_num(tt_sum(w)) == 0, "zeros are read");
    CHECK(tt_ok(), "%s", tt_error());
}

/* Rules in their order, as Flax's logical_to_mesh_axes; results computed by hand from its source. */
static const char *axes;
static tt_val laid(tt_val x) { return tt_logical_constraint(x, axes); }
static void rules(tt_mesh m)
{
    static const struct { const char *axes, *rules, *spec; } cases[] = {
        { "batch, hidden", "batch:data, hidden:model", "data, model" },
        { "batch, hidden", "hidden:data, batch:data", "_, data" },                      /* the earlier rule has it */
        { "batch, hidden", "batch:data, hidden:data, hidden:model", "data, model" },    /* the next rule of that name */
        { "batch, hidden", "batch:data+model, hidden:model", "data+model, _" },
        { "batch, hidden", "hidden:model, batch:data+model, batch:data", "data, model" },
        { "batch, hidden", "batch:_, batch:data, hidden:data", "_, data" },             /* none is an answer too */
        { "_, batch", "batch:data", "_, data" },
        { "batch", "batch:model", "model, _" },
        { "batch, other", "hidden:model", "_, _" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        axes = cases[i].axes;
        tt_val y = tt_eval_shape(tt_jit(laid, .mesh = m, .rules = cases[i].rules), tt_shape(TT_F32, 8, 8));
        CHECK(tt_spec(y) && !strcmp(tt_spec(y), cases[i].spec), "%s by %s: %s", cases[i].axes, cases[i].rules,
              tt_spec(y) ? tt_spec(y) : tt_error());
    }
}

static tt_val over_rows(tt_val x) { return tt_sum(x, .dims = "0"); }
static tt_val over_columns(tt_val x) { return tt_sum(x, .dims = "1"); }

/* Two devices to a host: data leads to other hosts, model does not; of a sum over both, what comes from the devices of
 * other hosts. A slower link takes longer. */
static void hosts(void)
{
    tt_config("hosts:4, link:10us, 10GB/s");
    const tt_mesh m = tt_mesh("data:4, model:2");
    const tt_val x = tt_shard(tt_shape(TT_F32, 1024, 1024), m, "data, model");
    const tt_report *rows = tt_explain(over_rows, x), *columns = tt_explain(over_columns, x);
    CHECK(rows->moved > 0 && rows->between == rows->moved, "over data: %.0f of %.0f", rows->between, rows->moved);
    CHECK(columns->moved > 0 && columns->between == 0, "over model: %.0f of %.0f", columns->between, columns->moved);
    CHECK(strstr(rows->text, "from other hosts") && !strstr(columns->text, "from other hosts"), "%s%s", rows->text,
          columns->text);
    const tt_report *both = tt_explain(over_rows, tt_shard(tt_shape(TT_F32, 1024, 64), m, "data+model, _"));
    CHECK(both->between > both->moved * 0.8 && both->between < both->moved, "over both: %.0f of %.0f", both->between,
          both->moved);
    const double fast = rows->between_seconds;
    tt_config("link:10ms, 1GB/s");
    const tt_report *slow = tt_explain(over_rows, x);
    CHECK(slow->between_seconds > 100 * fast && strstr(tt_plan(over_rows, x)->text, "of them from other hosts"),
          "%g s, and %g s over a slower link", fast, slow->between_seconds);
    CHECK(!*tt_plan(over_rows, tt_shard(tt_shape(TT_F32, 8, 8), tt_mesh("i:2"), "i"))->text && !tt_ok() &&
          strstr(tt_error(), "hosts:4 for the 2 devices of the mesh i:2") && strstr(tt_error(), "explain.c:"), "%s",
          tt_error());
    tt_clear();
    int64_t order[8] = { 0, 2, 4, 6, 1, 3, 5, 7 };       /* devices of a host lie along data */
    const tt_val y = tt_shard(tt_shape(TT_F32, 1024, 1024), tt_mesh("data:2, model:4", .order = order), "data, model");
    CHECK(tt_explain(over_rows, y)->between == 0 && tt_explain(over_columns, y)->between > 0, "another order: %s",
          tt_error());
}

static tt_val products(tt_val x, tt_val w) { return tt_tanh(tt_matmul(x, w)); }

/* More devices along an axis than rows: said with their number, the axis and the line; else nothing is said. */
static void idle(void)
{
    const tt_val x = tt_shape(TT_F32, 8, 4), w = tt_shape(TT_F32, 4, 6);
    const tt_mesh m = tt_mesh("i:64"), two = tt_mesh("i:16, j:4");
    const char *const one = tt_plan(tt_jit(products, .mesh = m, .in = "i; _", .out = "i"), x, w)->text;
    CHECK(strstr(one, "devices without work\n  56 of 64 in ") && strstr(one, "steps: i divides 8 elements among 64\n")
          && strstr(one, "explain.c:"), "%s: %s", one, tt_error());
    const char *const both = tt_plan(tt_jit(products, .mesh = two, .in = "i; _", .out = "i"), x, w)->text;
    CHECK(strstr(both, "32 of 64 in ") && strstr(both, "i divides 8 elements among 16"), "%s", both);
    const tt_mesh eight = tt_mesh("i:8");
    const char *const none = tt_plan(tt_jit(products, .mesh = eight, .in = "i; _", .out = "i"), x, w)->text;
    CHECK(*none && !strstr(none, "without work"), "%s", none);
    CHECK(!strstr(tt_plan(products, tt_ones(TT_F32, 8, 4), tt_ones(TT_F32, 4, 6))->text, "without work"), "no mesh");
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_mesh m = tt_mesh("data:2, model:4");
    CHECK_RUN(counts(m));
    CHECK_RUN(leaves_a_loop(m));
    CHECK_RUN(costliest_first(m));
    CHECK_RUN(wide_as_a_page(m));
    CHECK_RUN(memory());
    CHECK_RUN(shapes_have_layouts(m));
    CHECK_RUN(strict(m));
    CHECK_RUN(rules(m));
    CHECK_RUN(asked_inside_a_trace());
    CHECK_RUN(hosts());
    CHECK_RUN(idle());
    CHECK(tt_ok(), "%s", tt_error());
    CHECK_RUN(dry());
    return check_done();
}
