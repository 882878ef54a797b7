/* flips.c - a bit of a checkpoint that is turned, each one of every kind that tt_save writes: a load is an error,
 * or gives exactly what was saved. How many bits do not matter is counted. safetensors has no checksums: there it must
 * end, and what is another tree is counted too.
 *
 * usage: ckpt_flips [--stride N] [--seed N]: each N-th bit (3), from one of the first N on. */
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tutti.h>
#include <unistd.h>

static char dir[64] = "/tmp/tutti-flips-XXXXXX";

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

/* ---- what is saved, and whether another is the same ---- */

static tt_val saved(void)
{
    const float w[] = { 1.5f, -2, 3e-9f, 4 };
    const int16_t n[] = { 7, -8, 9 };
    const tt_val layer = tt_dict("w", tt_leaf(tt_array(TT_F32, w, 2, 2), .axes = "embed, _"),
                                 "b", tt_leaf(tt_array(TT_I16, n, 3), .frozen = 1));
    return tt_dict("layer", layer, "pair", tt_tuple(tt_f(0.25), tt_cast(tt_arange(TT_F32, 5), TT_BF16)),
                   "yes", tt_b(1));
}
static tt_val flat(void)                                 /* of files that keep names and arrays only */
{
    const float w[] = { 1.5f, -2, 3e-9f, 4 };
    const int16_t n[] = { 7, -8, 9 };
    return tt_dict("w", tt_array(TT_F32, w, 2, 2), "b", tt_array(TT_I16, n, 3), "half",
                   tt_cast(tt_arange(TT_F32, 5), TT_BF16));
}

static bool alike(tt_val a, tt_val b)
{
    tt_val x[16], y[16];
    char p[2][64];
    const int n = tt_tree_leaves(a, 16, x);
    if (!tt_ok() || tt_tree_leaves(b, 16, y) != n || strcmp(tt_type_text(a), tt_type_text(b))) return false;
    for (int i = 0; i < n; i++) {
        const char *one = tt_leaf_axes(x[i]), *two = tt_leaf_axes(y[i]);
        const size_t bytes = tt_bytes(x[i]);
        if (strcmp(tt_leaf_path(a, i), tt_leaf_path(b, i)) || strcmp(tt_type_text(x[i]), tt_type_text(y[i])) ||
            strcmp(one ? one : "", two ? two : "") || tt_leaf_frozen(x[i]) != tt_leaf_frozen(y[i]) || bytes > 64 ||
            !tt_read_at("", x[i], p[0], bytes) || !tt_read_at("", y[i], p[1], bytes) || memcmp(p[0], p[1], bytes))
            return false;
    }
    return tt_ok();
}

/* ---- the bits ---- */

typedef struct {
    const char *name; tt_val (*tree)(void); tt_val (*load)(const char *); bool unchecked; long same, told, other;
} kind;

static tt_val loaded(const char *path) { return tt_load(path); }
static tt_val of_step(const char *path)
{
    const tt_manager m = tt_manager_open(path);
    return tt_manager_load(m, 5);
}

static int stride = 3;
static long turn;

static void flips(kind *k, const char *root, const char *file)
{
    struct stat st;
    const int fd = open(file, O_RDWR);
    CHECK(fd >= 0 && fstat(fd, &st) == 0, "%s", file);
    for (long i = 0; fd >= 0 && i < 8 * st.st_size; i++) {
        unsigned char was, now;
        if (turn++ % stride || !check_turn((size_t)(turn / stride)) || pread(fd, &was, 1, i / 8) != 1) continue;
        now = (unsigned char)(was ^ 1u << i % 8);
        if (pwrite(fd, &now, 1, i / 8) != 1) abort();
        const tt_scope scope = tt_scope_open();
        const tt_val v = k->load(root);
        const bool told = !tt_ok();
        tt_clear();
        const bool same = !told && alike(k->tree(), v);
        if (pwrite(fd, &was, 1, i / 8) != 1) abort();
        k->told += told, k->same += same, k->other += !told && !same;
        CHECK(told || same || k->unchecked, "%s: bit %ld of byte %ld of %s turned, and another tree is loaded",
              k->name, i % 8, i / 8, file + strlen(dir));
        tt_clear();
        tt_scope_close(scope);
    }
    if (fd >= 0) close(fd);
}

static void walked(kind *k, const char *root, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) return;
    if (!S_ISDIR(st.st_mode)) {
        flips(k, root, path);
        return;
    }
    DIR *d = opendir(path);
    for (const struct dirent *e; d && (e = readdir(d));) {
        char below[400];
        snprintf(below, sizeof below, "%s/%s", path, e->d_name);
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) walked(k, root, below);
    }
    if (d) closedir(d);
}

static void all(kind *k)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", dir, k->name);
    if (k->load == of_step) {
        const tt_manager m = tt_manager_open(path, .best = "min loss");
        CHECK(tt_manager_save(m, 5, k->tree(), .metrics = tt_dict("loss", tt_f(2))) && tt_manager_wait(m), "%s",
              tt_error());
    } else CHECK(tt_save(path, k->tree()), "%s", tt_error());
    CHECK(alike(k->tree(), k->load(path)), "%s: %s", k->name, tt_ok() ? "is another" : tt_error());
    walked(k, path, path);
    CHECK(alike(k->tree(), k->load(path)), "%s: %s", k->name, tt_ok() ? "was changed" : tt_error());
    printf("%s: %ld bits turned: %ld told, %ld without a difference, %ld not seen\n", k->name,
           k->told + k->same + k->other, k->told, k->same, k->other);
    CHECK_VOLUME(k->told + k->same + k->other, "bits of checkpoints turned");
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--stride N --seed N")) return check_done();
    kind of[] = { { .name = "folder", .tree = saved, .load = loaded },
                  { .name = "steps", .tree = saved, .load = of_step },
                  { .name = "x.npz", .tree = flat, .load = loaded },
                  { .name = "x.safetensors", .tree = flat, .load = loaded, .unchecked = true } };
    char command[100];
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--stride")) stride = atoi(argv[i + 1]);
        if (!strcmp(argv[i], "--seed")) turn = atoi(argv[i + 1]);
    }
    if (!check_folder(dir)) return 1;
    tt_on_error(silent, NULL);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) all(&of[i]);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    CHECK(system(command) == 0, "%s stays", dir);
    return check_done();
}
