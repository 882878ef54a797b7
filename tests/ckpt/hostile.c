/* hostile.c - checkpoints that promise more than they hold, and names without end: an error, in memory and time in
 * proportion to the file; saves and loads of many leaves take time in proportion to their number. */
#include "bytes.h"

#include <ckpt/ckpt.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

/* ---- files that promise more than they hold: memory in proportion, and an end ---- */

/* Two nodes of a hundred children each that are all the same node, six levels high. */
static void endless_ocdbt(void)
{
    static pile b, body, nodes;
    const char *const files[] = { "d/n" }, *path = at("endless");
    char name[300];
    uint64_t place = 0, size = 0;
    mkdir(path, 0777);
    snprintf(name, sizeof name, "%s/d", path);
    mkdir(name, 0777);
    nodes.n = 0;
    for (unsigned height = 0; height < 7; height++) {
        enum { WIDE = 100 };
        const unsigned n = height ? WIDE : 0;
        body.n = 0;
        put8(&body, height);
        table(&body, 1, files);
        leb(&body, n);
        for (unsigned k = 1; k < n; k++) leb(&body, 0);
        for (unsigned k = 0; k < n; k++) leb(&body, 2);
        for (unsigned k = 0; k < n; k++) leb(&body, 2);  /* what of a key is common to all below it */
        for (unsigned k = 0; k < n; k++) put8(&body, 'a' + k / 10), put8(&body, '0' + k % 10);
        for (unsigned k = 0; k < n; k++) leb(&body, 0);
        for (unsigned k = 0; k < n; k++) leb(&body, place);
        for (unsigned k = 0; k < n; k++) leb(&body, size);
        for (unsigned k = 0; k < 3 * n; k++) leb(&body, 1);
        frame(&b, 0x0CDB20DE, &body);
        place = nodes.n, size = b.n;
        put(&nodes, b.p, b.n);
    }
    snprintf(name, sizeof name, "%s/d/n", path), spill(name, &nodes);
    body.n = 0;
    for (int i = 0; i < 16; i++) put8(&body, 0);
    leb(&body, 0), leb(&body, 1024), leb(&body, 100000000), put8(&body, 4), leb(&body, 0);
    table(&body, 1, files);
    leb(&body, 1), leb(&body, 1), put8(&body, 6), leb(&body, 0), leb(&body, place), leb(&body, size);
    leb(&body, 1), leb(&body, 0), leb(&body, 0);
    frame(&b, 0x0CDB3A2A, &body);
    snprintf(name, sizeof name, "%s/manifest.ocdbt", path), spill(name, &b);
    tt_ckpt_open(path);
    CHECK(!tt_ok() && strstr(tt_error(), "a node of the B-tree is there twice"), "%s", tt_ok() ? "was read"
          : tt_error());
    tt_clear();
}

static void many_empty_keys(void)                        /* msgpack: a leaf in two bytes, with no name */
{
    enum { LEAVES = 2000000 };
    uint8_t *p = malloc(5 + 2 * LEAVES);
    FILE *f = fopen(at("keys.msgpack"), "wb");
    if (!p || !f) return;
    p[0] = 0xdf, p[1] = 0, p[2] = LEAVES >> 16 & 255, p[3] = LEAVES >> 8 & 255, p[4] = LEAVES & 255;
    for (int i = 0; i < LEAVES; i++) p[5 + 2 * i] = 0xa0, p[6 + 2 * i] = 1;
    fwrite(p, 1, 5 + 2 * LEAVES, f);
    fclose(f);
    free(p);
    tt_ckpt_open(at("keys.msgpack"));
    CHECK(!tt_ok() && strstr(tt_error(), "too many for a file of its size"), "%s", tt_ok() ? "was read" : tt_error());
    tt_clear();
}

/* ---- names: a path of a million parts, tens of thousands of leaves ---- */

static void hostile_names(void)
{
    enum { PARTS = 1000000 };
    char *text = malloc(3 * PARTS), *p = text;
    const char *file = at("deep.safetensors");
    if (!text) return;
    p += sprintf(p, "{\"a");
    for (int i = 1; i < PARTS; i++) *p++ = '.', *p++ = 'a';
    p += sprintf(p, "\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}");
    const uint64_t n = (uint64_t)(p - text);
    FILE *f = fopen(file, "wb");
    if (f) fwrite(&n, 8, 1, f), fwrite(text, 1, (size_t)n + 1, f), fclose(f);
    free(text);
    tt_load(file);
    CHECK(!tt_ok() && strstr(tt_error(), "parts"), "%s", tt_ok() ? "a path of a million parts" : tt_error());
    tt_clear();
}

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of a save and a load of n leaves. */
static double of_many(const char *path, int n)
{
    const tt_scope scope = tt_scope_open();
    char(*name)[40] = calloc((size_t)n, sizeof *name);
    const char **list = calloc((size_t)n, sizeof *list);
    tt_val *v = calloc((size_t)n, sizeof *v);
    const tt_val one = tt_f(1);
    for (int i = 0; i < n; i++) snprintf(name[i], sizeof name[i], "p%d", i), list[i] = name[i], v[i] = one;
    const tt_val tree = tt_tree(n, list, v);
    const double began = cpu();
    CHECK(tt_save(path, tree, .force = 1) && tt_tree_leaves(tt_load(path), 0, NULL) == n, "%s", tt_error());
    const double took = cpu() - began;
    free(name), free(list), free(v);
    tt_scope_close(scope);
    return took;
}

/* Eight times as many leaves take no more than some eight times as long: with the square it would be 64 times. */
static void many_leaves(void)
{
    static const char *const files[] = { "many.safetensors", "many.npz", "many" };
    for (int k = 0; k < 3; k++) {
        const char *path = at(files[k]);
        const int n = check_share(k < 2 ? 2000 : 300);
        double few = 1e9, many = 1e9;
        for (int turn = 0; turn < 2; turn++) {
            const double a = of_many(path, n), b = of_many(path, 8 * n);
            few = a < few ? a : few, many = b < many ? b : many;
        }
        CHECK(many < 24 * few, "%s: %d leaves took %.3f s, %d took %.3f s", files[k], n, few, 8 * n, many);
    }
}

/* A layout whose parts by one axis are more than 2^63: the number ends there. */
static void endless_spec(void)
{
    enum { PARTS = 33, LENGTH = 6 };                     /* 4^33 > 2^63 */
    char spec[PARTS * LENGTH + 1] = "";
    for (int i = 0; i < PARTS; i++) memcpy(spec + i * LENGTH, "k.1.4+", LENGTH + 1);
    char to[3 * sizeof spec + 4];
    int64_t part[2];
    CHECK(!ckpt_spec_on(spec, "k:4", tt_mesh("k:4"), 2, to, part), "it has parts of axes");
    CHECK(part[0] == INT64_MAX && part[1] == 1, "%lld parts", (long long)part[0]);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(silent, NULL);
    if (!check_folder(dir)) return 1;
    CHECK_RUN(endless_ocdbt());
    CHECK_RUN(endless_spec());
    CHECK_RUN(many_empty_keys());
    CHECK_RUN(hostile_names());
    CHECK_RUN(many_leaves());
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    CHECK(system(command) == 0, "%s stays", dir);
    tt_done();
    return check_done();
}
