/* shardmap.c - the guide to shard_map, first part: layouts, a matrix product that is laid out and one by blocks, the
 * collectives in small, and keys that differ from device to device.
 *
 * shardmap [SEED [ROWS INPUTS OUTPUTS]]: by default 0 192 64 128. Eight devices.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tutti.h>

static void shape(const char *what, tt_val v)            /* "Output shape (192, 128)" */
{
    printf("%s shape (%d,", what, (int)tt_dim(v, 0));
    if (tt_rank(v) > 1) printf(" %d", (int)tt_dim(v, 1));
    printf(")\n");
}

/* ---- a product by blocks ---- */

static tt_val matmul(tt_val x, tt_val w, tt_val b)       /* what one device does with its blocks */
{
    shape("Local x", x);
    shape("Local w", w);
    shape("Local b", b);
    return tt_add(tt_matmul(x, w), b);
}

static tt_val dense(tt_val x, tt_val w, tt_val b) { return tt_add(tt_matmul(x, w), b); }
static tt_val plain(tt_val x, tt_val w) { return tt_matmul(x, w); }

/* ---- reductions, gathers, scatters ---- */

static tt_val parallel_normalize(tt_val x)               /* over the devices along j, element by element */
{
    const tt_val off = tt_sub(x, tt_pmean(x, "j")), std = tt_sqrt(tt_pmean(tt_square(off), "j"));
    return tt_div(off, std);
}

static tt_val matmul_with_weight_gather(tt_val x, tt_val w)
{
    shape("Original w", w);
    const tt_val all = tt_all_gather(w, "i");
    shape("Gathered w", all);
    return tt_matmul(x, all);
}

static void output(tt_val v)                             /* "Output [22 20 12 17]" */
{
    int32_t o[4] = { 0 };
    tt_read(tt_process_allgather(v), o, sizeof o);       /* in several processes each has only its own part of v */
    printf("Output [%d %d %d %d]\n", o[0], o[1], o[2], o[3]);
}

static tt_val scatter(tt_val x) { return tt_psum_scatter(x, "i", .dim = 1, .stack = 1); }
static tt_val permute(tt_val x) { return tt_pshift(x, "i", 1); }

/* ---- places and keys ---- */

static tt_val place(void)                                /* [1, 2]: where this device is along i and j */
{
    return tt_expand_dims(tt_stack_values(0, tt_axis_index("i"), tt_axis_index("j")), 0);
}

static tt_val fold_rng_over_axis(tt_val rng) { return tt_fold_in_axis(rng, "i"); }

int main(int argc, char **argv)
{
    const int64_t seed = argc > 1 ? atoll(argv[1]) : 0, rows = argc > 4 ? atoll(argv[2]) : 192;
    const int64_t in = argc > 4 ? atoll(argv[3]) : 64, out = argc > 4 ? atoll(argv[4]) : 128;
    uint32_t key[8][2];
    int32_t at[8][2];
    printf("8 devices\n");
    tt_set_random_layout("original");                    /* as jax did when the guide was written */

    tt_val a = tt_shard(tt_arange(TT_I32, 8), tt_mesh("i:8"), "i");
    tt_draw(a);
    tt_draw(tt_tanh(a));

    tt_mesh mesh = tt_mesh("i:4, j:2"), four = tt_mesh("i:4");
    tt_val x = tt_normal(tt_key(seed), TT_F32, rows, in), w = tt_normal(tt_key(seed + 1), TT_F32, in, out);
    tt_val b = tt_normal(tt_key(seed + 2), TT_F32, out);
    tt_val xs = tt_shard(x, mesh, "i, _"), ws = tt_shard(w, mesh, "_, j"), bs = tt_shard(b, mesh, "j");
    tt_val y = tt_call(tt_jit(dense), xs, ws, bs);       /* laid out by its operands */
    shape("Output", y);
    tt_draw(y);
    y = tt_call(tt_shard_map(matmul, .mesh = mesh, .in = "i, _; _, j; j", .out = "i, j"), xs, ws, bs);
    shape("Output", y);
    tt_draw(y);

    tt_val z = tt_call(tt_shard_map(parallel_normalize, .mesh = mesh, .in = "i, j", .out = "i, j"), x);
    printf("Mean %.6e\nStd %.1f\n", tt_num(tt_mean(z)), tt_num(tt_std(z)));
    y = tt_call(tt_shard_map(matmul_with_weight_gather, .mesh = mesh, .in = "i, _; i, _", .out = "i, _"), x, w);
    if (tt_num(tt_all(tt_eq(y, tt_call(tt_jit(plain), x, w)))) != 1)     /* bit for bit */
        tt_fail_at("shardmap.c", TT_EDATA, "the gathered product is not the product");
    tt_val m = tt_array(TT_I32, ((int32_t[]){ 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 1, 2 }), 4, 4);
    output(tt_call(tt_shard_map(scatter, .mesh = four, .in = "i, _", .out = "i"), m));
    output(tt_call(tt_shard_map(permute, .mesh = four, .in = "i", .out = "i"), tt_arange(TT_I32, 4)));

    tt_val places = tt_call(tt_jit(tt_shard_map(place, .mesh = mesh, .out = "i+j")));
    tt_read(tt_process_allgather(places), at, sizeof at);
    for (int d = 0; d < 8; d++) printf("Device %d: i-axis=%d, j-axis=%d\n", d, at[d][0], at[d][1]);
    tt_fn fold = tt_jit(tt_shard_map(fold_rng_over_axis, .mesh = mesh, .in = "_", .out = "i+j", .unchecked = 1));
    tt_read(tt_process_allgather(tt_call(fold, tt_key(seed))), key, sizeof key);
    for (int d = 0; d < 8; d++) {
        const int wide = snprintf(NULL, 0, "%u", key[d][0] > key[d][1] ? key[d][0] : key[d][1]);
        printf("Device %d: RNG=[%*u %*u]\n", d, wide, key[d][0], wide, key[d][1]);
    }
    return tt_done();
}
