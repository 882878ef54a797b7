/* ensemble.c - the ensemble twin's own functions: what a member of eight is after two steps, it is on one device
 * by itself, bit for bit in reproducible mode; and two members are not the same. */
#define main ensemble_main
#include "../../examples/guides/ensemble.c"
#undef main
#include "check.h"

static bool same(tt_val a, tt_val b)
{
    const size_t n = tt_bytes(a);
    if (!tt_ok() || n != tt_bytes(b)) return false;
    char *x = malloc(2 * n + 1);
    const bool ok = x && tt_read(a, x, n) && tt_read(b, x + n, n) && !memcmp(x, x + n, n);
    free(x);
    return ok;
}

/* (state, losses of the last step) of members with these keys, each on its device. */
static tt_val trained(const char *devices, tt_val keys, tt_val image, tt_val label)
{
    mesh = tt_mesh(devices);
    tt_val state = tt_call(tt_pmap(create_train_state, .mesh = mesh), keys), grads, loss = tt_none(), accuracy;
    const tt_val batch = tt_replicate(tt_tuple(image, label), mesh);
    for (int i = 0; i < 2; i++) {
        const tt_fn apply = tt_pmap(apply_model, .mesh = mesh, .axis = "ensemble");
        tt_unpack(tt_call(apply, state, tt_item(batch, 0), tt_item(batch, 1)), &grads, &loss, &accuracy);
        state = tt_call(tt_pmap(update_model, .mesh = mesh), state, grads);
    }
    return tt_tuple(state, loss);
}

/* A state made by itself, by a jit and by a pmap over one device. */
static void three_ways(tt_val key)
{
    const tt_val made = create_train_state(key), compiled = tt_call(tt_jit(create_train_state), key);
    tt_val one[64], two[64], three[64];
    mesh = tt_mesh("ensemble:1");
    const tt_val mapped = tt_call(tt_pmap(create_train_state, .mesh = mesh), tt_expand_dims(key, 0));
    const int n = tt_tree_leaves(made, 64, one);
    CHECK(n > 16 && n <= 64 && tt_tree_leaves(compiled, 64, two) == n && tt_tree_leaves(mapped, 64, three) == n,
        "%d leaves", n);
    for (int i = 0; i < n && tt_ok(); i++)
        CHECK(same(one[i], two[i]) && same(one[i], three[i]), "%s differs", tt_leaf_path(made, i));
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    const tt_val image = tt_uniform(tt_key(1), TT_F32, 8, 28, 28, 1), label = tt_arange(TT_I32, 8);
    const tt_val keys = tt_split(tt_key(0), 8);
    tt_val one[64], all[64];
    tt_reproducible(1);
    three_ways(tt_key(7));
    const tt_val eight = trained("ensemble:8", keys, image, label);
    const int n = tt_tree_leaves(eight, 64, all);
    for (int member = 0; member < 8; member += 7) {
        const tt_val alone = trained("ensemble:1", tt_dynamic_slice(keys, 0, tt_i(member), 1), image, label);
        CHECK(tt_tree_leaves(alone, 64, one) == n && n > 16 && n <= 64, "%d leaves", n);
        for (int i = 0; i < n && tt_ok(); i++)
            CHECK(same(tt_dynamic_slice(all[i], 0, tt_i(member), 1), one[i]), "member %d: %s differs", member,
                  tt_leaf_path(eight, i));
        CHECK(!same(tt_dynamic_slice(tt_item(eight, 1), 0, tt_i(7 - member), 1), tt_item(alone, 1)),
            "all members are one");
    }
    CHECK(tt_ok(), "%s", tt_error());
    tt_done();
    return check_done();
}
