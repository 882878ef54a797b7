/* shardmap.c - a matrix product on eight devices, three ways: gather the weights, scatter the sums, pass blocks around
 * a ring. */
#include <tutti.h>

static tt_val gather(tt_val x, tt_val w)            /* w is split over i: bring it whole, then multiply */
{
    return tt_matmul(x, tt_all_gather(w, "i", .dim = 0));
}

static tt_val scatter(tt_val x, tt_val w)           /* the contraction is split over i: sum, keep my columns */
{
    return tt_psum_scatter(tt_matmul(x, w), "i", .dim = 1);
}

static tt_val ring(tt_val x, tt_val w)              /* as gather(), one block of w per hop around the ring */
{
    int64_t n = tt_axis_size("i"), k = tt_dim(w, 0);
    tt_val at = tt_axis_index("i"), acc = tt_zeros(TT_F32, tt_dim(x, 0), tt_dim(w, 1));
    for (int64_t hop = 0; hop < n; hop++) {
        tt_val from = tt_mul(tt_mod(tt_add(at, tt_i(hop)), tt_i(n)), tt_i(k));
        acc = tt_add(acc, tt_matmul(tt_dynamic_slice(x, 1, from, k), w));
        w = tt_pshift(w, "i", -1);
    }
    return acc;
}

int main(void)
{
    tt_mesh mesh = tt_mesh("i:8");
    tt_val  x = tt_normal(tt_key(0), TT_F32, 192, 64), w = tt_normal(tt_key(1), TT_F32, 64, 128);
    tt_fn   g = tt_jit(tt_shard_map(gather,  .mesh = mesh, .in = "i,_; i,_", .out = "i,_"));
    tt_fn   s = tt_jit(tt_shard_map(scatter, .mesh = mesh, .in = "_,i; i,_", .out = "_,i"));
    tt_fn   r = tt_jit(tt_shard_map(ring,    .mesh = mesh, .in = "i,_; i,_", .out = "i,_"));
    tt_show(tt_call(g, x, w));
    tt_show(tt_call(s, x, w));
    tt_show(tt_sub(tt_call(r, x, w), tt_matmul(x, w)));
    return tt_done();
}
