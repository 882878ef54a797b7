/* bench/calls.c - what little work costs: calling a compiled function (W6), collectives of eight devices (W8), 10^8
 * random numbers (W11), and eager calls outside any compiled function (W13).
 *
 * usage: calls [ROUNDS].
 */
#include "calls.h"

enum { MANY = 100, D = 8, NORMALS = 100000000 };

/* ---- what is called ---- */

static tt_val more(tt_val x) { return tt_add(x, tt_f(1)); }
static tt_val more_of_all(tt_val xs) { return tt_tree_map(more, xs); }
static tt_val total(tt_val x) { return tt_psum(x, "i"); }
static tt_val draw(tt_val key) { return tt_normal(key, TT_F32, NORMALS); }
static tt_val w;                                         /* [8, 8] of ones: what f closes over */
static tt_val f(tt_val x) { return tt_sum(tt_square(tt_tanh(tt_matmul(x, w)))); }

static tt_val twice(tt_val x) { return tt_add(x, x); }

static tt_val ones(tt_mesh mesh, int64_t n) { return tt_shard(tt_ones(TT_F32, n), mesh, "i"); }

int main(int argc, char **argv)
{
    const int rounds = calls_rounds(argc, argv, 5);
    const tt_mesh mesh = tt_mesh("i:8");
    const tt_val x = tt_ones(TT_F32, D), xs = ones(mesh, D), rows = tt_ones(TT_F32, 32, D);
    tt_val many[MANY + 1], spread[MANY + 1];
    for (int i = 0; i < MANY; i++) many[i] = x, spread[i] = xs;
    many[MANY] = spread[MANY] = tt_end;
    w = tt_ones(TT_F32, D, D);
    const tt_fn sum = tt_shard_map(total, .mesh = mesh, .in = "i", .out = "_");
    call_job jobs[] = {
        { .work = "W6 x + 1", .devices = 1, .x = x, .fn = tt_jit(more) },
        { .work = "W6 x + 1", .devices = 8, .x = xs, .fn = tt_jit(more, .mesh = mesh) },
        { .work = "W6 100 arguments", .devices = 1, .x = tt_tuple_at(TT_AT("many"), many), .fn = tt_jit(more_of_all) },
        { .work = "W6 100 arguments", .devices = 8, .x = tt_tuple_at(TT_AT("spread"), spread),
            .fn = tt_jit(more_of_all, .mesh = mesh) },
        { .work = "W8 psum 4 B", .devices = 8, .x = ones(mesh, 8), .fn = tt_jit(sum) },
        { .work = "W8 psum 1 MB", .devices = 8, .x = ones(mesh, (int64_t)8 << 18), .fn = tt_jit(sum) },
        { .work = "W8 psum 64 MB", .devices = 8, .x = ones(mesh, (int64_t)8 << 24), .fn = tt_jit(sum) },
        { .work = "W11 normals", .devices = 1, .x = tt_key(0), .fn = tt_jit(draw) },
        { .work = "W13 x + x", .devices = 1, .x = x, .eager = twice },
        { .work = "W13 f", .devices = 1, .x = x, .eager = f },
        { .work = "W13 grad of f", .devices = 1, .x = x, .fn = tt_grad(f) },
        { .work = "W13 vmap of grad of f", .devices = 1, .x = rows, .fn = tt_vmap(tt_grad(f)) },
    };
    calls_run(jobs, (int)(sizeof jobs / sizeof *jobs), rounds);
    return tt_done();
}
