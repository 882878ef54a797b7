/* store.c - saves into OCDBT stores: layouts, trees and writers; one file for each writer; steps; damage to every file.
 * The real Orbax: tests/ckpt_orbax.sh. Cuts of power, failing calls: cuts.c, faults.c. Several processes: ranks.c. */
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <tutti.h>
#include <unistd.h>

static char dir[64] = "/tmp/tutti-store-XXXXXX";

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

static const char *at(const char *name)
{
    static char path[2][200];
    static int turn;
    snprintf(path[turn ^= 1], sizeof path[0], "%s/%s", dir, name);
    return path[turn];
}

static bool same(tt_val a, tt_val b)
{
    const size_t n = tt_ok() ? tt_bytes(a) : 0;
    char *const x = malloc(n + 1), *const y = malloc(n + 1);
    const bool is = tt_ok() && tt_bytes(b) == n && tt_dtype_of(a) == tt_dtype_of(b) && tt_read(a, (void *)x, n) &&
                    tt_read(b, (void *)y, n) && !memcmp(x, y, n);
    free(x), free(y);
    return is;
}

static int lines(const char *command)                    /* what a shell command prints, as a number */
{
    char text[400];
    int n = -1;
    snprintf(text, sizeof text, "cd %s; %s", dir, command);
    FILE *f = popen(text, "r");
    if (f && fscanf(f, "%d", &n) != 1) n = -1;
    if (f) pclose(f);
    return n;
}

static tt_val tree(void)
{
    const tt_mesh m = tt_mesh("data:2, model:4");
    const tt_val w = tt_reshape(tt_arange(TT_F32, 400 * 301), 400, 301);
    return tt_dict("w", tt_shard(w, m, "data, model"), "layers",
                   tt_tuple(tt_shard(tt_cast(tt_arange(TT_I32, 1001), TT_BF16), m, "model"), tt_none(),
                            tt_dict("a/b", tt_arange(TT_I8, 7), "scalar", tt_f(2.5))),
                   "large", tt_reshape(tt_arange(TT_F32, 1501 * 1000), 1501, 1000),
                   "none", tt_zeros(TT_F32, 0, 3), "_w", tt_full(1, TT_BOOL, 3));
}

static void round_trip(void)
{
    const tt_val t = tree(), a = tt_leaf(tt_arange(TT_F32, 8), .axes = "emb");
    const tt_mesh other = tt_mesh("data:3");
    tt_ckpt_counts sum = { 0 };
    CHECK(tt_save(at("a"), t, .ocdbt = 1), "%s", tt_error());
    const tt_val back = tt_load(at("a"));
    CHECK(!strcmp(tt_type_text(back), tt_type_text(t)), "%s, not %s", tt_type_text(back), tt_type_text(t));
    for (int i = 0; i < tt_tree_leaves(t, 0, NULL); i++) {
        tt_val x[16], y[16];
        tt_tree_leaves(t, 16, x), tt_tree_leaves(back, 16, y);
        CHECK(same(x[i], y[i]), "%s: %s", tt_leaf_path(t, i), tt_error());
    }
    CHECK(tt_has_layout(tt_get(back, "w"), tt_mesh("data:2, model:4"), "data, model"), "%s", tt_error());
    const tt_val moved = tt_load(at("a"), .like = tt_dict("w", tt_shard(tt_like(tt_get(t, "w")), other, "_, data")),
                                 .extra = 1);
    CHECK(same(tt_get(moved, "w"), tt_get(t, "w")), "%s", tt_error());
    CHECK(tt_ckpt_verify(at("a"), &sum) && sum.manifest && sum.arrays == 7, "%d arrays: %s", (int)sum.arrays,
          tt_error());
    CHECK(lines("find a -type f | grep -c ocdbt.process_") == 1 && lines("find a -type f | wc -l") == 8, "the files");
    CHECK(tt_save(at("axes"), tt_dict("o", a), .ocdbt = 1), "%s", tt_error());
    CHECK(!strcmp(tt_leaf_axes(tt_get(tt_load(at("axes")), "o")), "emb"), "logical axes: %s", tt_error());
    CHECK(tt_save(at("empty"), tt_dict("n", tt_tuple(tt_end)), .ocdbt = 1), "%s", tt_error());
    CHECK(tt_items(tt_load(at("empty"))) == 1 && tt_ok(), "%s", tt_error());
    CHECK(tt_save(at("a"), tt_f(3)) == false && tt_error()[0], "what is there stays");
    tt_clear();
    CHECK(tt_save(at("a"), tt_f(3), .ocdbt = 1, .force = 1) && tt_num(tt_load(at("a"))) == 3, "%s", tt_error());
    CHECK(!tt_save(at("x.npz"), t, .ocdbt = 1) && strstr(tt_error(), ".ocdbt has no effect"), "%s", tt_error());
    tt_clear();
}

typedef struct { int writer; bool ok; } share;

static void *shared(void *env)
{
    share *s = env;
    const tt_scope scope = tt_scope_open();
    s->ok = tt_save(at("three"), tree(), .ocdbt = 1, .writer = s->writer, .writers = 3, .patience = 60);
    if (!s->ok) printf("writer %d: %s\n", s->writer, tt_error());
    tt_clear();
    tt_scope_close(scope);
    return NULL;
}

static void several(void)
{
    share s[] = { { 0, false }, { 1, false }, { 2, false } };
    pthread_t t[3];
    for (int i = 0; i < 3; i++) CHECK(!pthread_create(&t[i], NULL, shared, &s[i]), "a thread");
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    CHECK(s[0].ok && s[1].ok && s[2].ok, "three writers");
    CHECK(same(tt_get(tt_load(at("three")), "w"), tt_get(tree(), "w")), "%s", tt_error());
    CHECK(tt_ckpt_verify(at("three"), NULL), "%s", tt_error());
    CHECK(lines("find three -type f | grep -c ocdbt.process_") == 3, "a file for each writer");
    tt_clear();
}

static void steps(void)
{
    const tt_manager m = tt_manager_open(at("steps"), .keep = 2, .background = 1, .ocdbt = 1);
    for (int k = 1; k < 5; k++) CHECK(tt_manager_save(m, k, tt_dict("n", tt_f(k))), "%s", tt_error());
    CHECK(tt_manager_wait(m) && tt_manager_steps(m, 0, NULL) == 2, "%s", tt_error());
    CHECK(tt_num(tt_get(tt_manager_load(m, 4), "n")) == 4, "%s", tt_error());
    CHECK(tt_ckpt_verify(tt_manager_path(m, 3), NULL), "%s", tt_error());
    CHECK(lines("ls steps/4/default | grep -c manifest.ocdbt") == 1, "the index of a step");
    tt_clear();
}

/* A bit of each file is turned, in several places: never another value. */
static void damaged(void)
{
    char command[300], file[200];
    int n = 0;
    CHECK(tt_save(at("b"), tt_dict("w", tt_arange(TT_F32, 3000), "n", tt_f(1)), .ocdbt = 1), "%s", tt_error());
    snprintf(command, sizeof command, "find %s/b -type f", dir);
    FILE *f = popen(command, "r");
    while (f && fscanf(f, "%199s", file) == 1) {
        const int fd = open(file, O_RDWR);
        const off_t size = lseek(fd, 0, SEEK_END);
        for (off_t k = 0; k < size; k += size / 23 + 1, n++) {
            unsigned char c = 0;
            CHECK(pread(fd, &c, 1, k) == 1, "%s", file);
            c ^= 4;
            CHECK(pwrite(fd, &c, 1, k) == 1, "%s", file);
            /* of the marker all but the checksum is for people */
            CHECK(!tt_ckpt_verify(at("b"), NULL) || strstr(file, "commit_success"), "%s, byte %d", file, (int)k);
            tt_clear();
            c ^= 4;
            CHECK(pwrite(fd, &c, 1, k) == 1, "%s", file);
        }
        close(fd);
    }
    if (f) pclose(f);
    CHECK(n > 100 && tt_ckpt_verify(at("b"), NULL), "%d bits: %s", n, tt_error());
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    char command[100];
    if (!check_folder(dir)) return 1;
    tt_on_error(silent, NULL);
    CHECK_RUN(round_trip());
    CHECK_RUN(several());
    CHECK_RUN(steps());
    CHECK_RUN(damaged());
    snprintf(command, sizeof command, "rm -rf %s", dir);
    CHECK(system(command) == 0, "%s stays", dir);
    tt_done();
    return check_done();
}
