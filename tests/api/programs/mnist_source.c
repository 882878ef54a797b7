/* mnist_source.c - prints where MNIST came from: the subject of tests/download.sh. With --check (as `make check` calls
 * it) it checks the shipped subset: sizes, labels, ten classes in equal numbers, batches, orders. */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <tutti.h>

static void check_subset(void)
{
    setenv("TUTTI_DATA", "examples/none", 1);
    setenv("TUTTI_DATA_URL", "http://127.0.0.1:1", 1);
    setenv("XDG_CACHE_HOME", "build/no-cache", 1);
    const tt_data d = tt_mnist("mnist", .batch = 100), shuffled = tt_mnist("mnist", .batch = 100, .shuffle = tt_key(3));
    CHECK(tt_data_count(d) == 5000, "%lld training digits", (long long)tt_data_count(d));
    int seen[10] = { 0 }, batches = 0;
    int32_t label[100], first[100] = { 0 }, again[100] = { 0 };
    for (tt_loop it = tt_batches(d); tt_next(&it);) {
        tt_read(tt_get(it.batch, "label"), label, sizeof label);
        for (int i = 0; i < 100; i++) seen[label[i] % 10]++;
        if (!batches++) {
            const tt_val image = tt_get(it.batch, "image");
            CHECK(tt_rank(image) == 4 && tt_dim(image, 1) == 28 && tt_dim(image, 3) == 1, "%s", tt_type_text(image));
            CHECK(tt_num(tt_amax(image)) == 1 && tt_num(tt_amin(image)) == 0, "from %g to %g", tt_num(tt_amin(image)),
                tt_num(tt_amax(image)));
        }
    }
    CHECK(batches == 50, "%d batches", batches);
    for (int c = 0; c < 10; c++) CHECK(seen[c] == 500, "%d of digit %d", seen[c], c);
    for (int epoch = 0; epoch < 2; epoch++)
        for (tt_loop it = tt_batches(shuffled); tt_next(&it);) {
            tt_read(tt_get(it.batch, "label"), epoch ? again : first, sizeof first);
            break;
        }
    CHECK(memcmp(first, again, sizeof first), "two epochs have the same order");
    const tt_data last = tt_mnist("mnist", .batch = 300, .part = "test", .keep_last = 1);
    int64_t n = 0;
    for (tt_loop it = tt_batches(last); tt_next(&it);) n += tt_dim(tt_get(it.batch, "label"), 0);
    CHECK(n == 1000, "%lld test digits with the last batch kept", (long long)n);
    CHECK(tt_ok(), "%s", tt_error());
    tt_mnist("fashion", .batch = 100);
    CHECK(!tt_ok() && strstr(tt_error(), "no data set \"fashion\": examples/none/fashion lacks"), "%s", tt_error());
    tt_clear();
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--source [TEXT...]")) return check_done();
    if (argc > 1 && !strcmp(argv[1], "--source")) {
        const tt_data d = tt_mnist("mnist");
        printf("%lld from %s\n", (long long)tt_data_count(d), tt_data_from(d));
        return tt_done();
    }
    check_subset();
    tt_done();
    return check_done();
}
