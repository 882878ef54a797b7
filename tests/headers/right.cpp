/* right.cpp - the public header under C++: macros, options, records, memory. Compiled by tools/house.sh, not run. */
#include <tutti.h>

static tt_val twice(tt_val x) { return tt_add(x, x); }
static tt_val both(tt_val x, tt_val y) { return tt_add(x, y); }
static const float *pointer() { static const float p[4] = { 0 }; return p; }
TT_RECORD(lin, w, b);

int main()
{
    tt_val a = tt_arange(TT_F32, 8), key = tt_key(0), i = tt_i(0);
    tt_show(tt_relu(a));
    tt_val m = tt_mean(a, .dims = "0");
    tt_fn f = tt_jit(twice, .donate = "0");
    (void)f;
    tt_val z = tt_zeros(TT_F32, 2, 3);
    tt_unpack(z, &a, &m);
    float rows[2][3] = {}, out[3] = {};
    const bool truth[2] = { false, true };
    char bytes[8] = {};
    const int n = 3;
    int64_t lo[1] = { 0 }, size[1] = { 3 };
    tt_array(TT_F32, rows, 2, n), tt_array(TT_F32, pointer(), 4), tt_array(TT_BOOL, truth, 2), tt_array(TT_F32, bytes, 2);
    tt_array(TT_F32, nullptr, 0), tt_array(TT_F32, static_cast<void *>(bytes), 2);
    tt_read(tt_ones(TT_F32, 3), out, sizeof out), tt_read_box(a, lo, size, out), tt_addressable_data(a, 0, lo, size, nullptr, 0);
    tt_bernoulli(key, tt_f(0.5)), tt_randint(key, TT_I32, i, tt_i(9)), tt_uniform_in(key, TT_F32, -1, 1, n);
    tt_truncated_normal(key, TT_F32, -2, 2), tt_categorical(key, a), tt_choice(key, a, 2);
    tt_at(z, "_, 1:3"), tt_at(z, "i, n", i, tt_i(n)), tt_at_add(z, "i", tt_f(1), i), tt_arange(TT_I32, lo[0], n, 2);
    tt_arange(TT_F32, 0, 1.5, 0.25), tt_const(TT_F32, { { 1, 2 }, { 2.5f, -1 } }), tt_const(TT_BOOL, true);
    tt_fori(0, n, both, z), tt_fori(i, tt_i(n), both, z), tt_softmax(z), tt_softmax(z, .dims = "0", .where = a);
    tt_nonzero(z, .count = n, .fill = -1), tt_histogram(z, .range = { 0, 1 }), tt_split_indices(z, 0, 1, n);
    tt_jacfwd(twice, .wrt = "0"), tt_jacrev(tt_jacfwd(twice)), tt_associative_scan(both, z, .dim = 1), tt_map(twice, z);
    tt_custom_linear_solve(both, both, TT_FN(both)), tt_custom_root(both, both);
    tt_switch(i, z, twice, TT_FN(twice), tt_jit(twice));
    return tt_done();
}
