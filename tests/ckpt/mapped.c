/* mapped.c - arrays that are a file's memory: their elements are those that are read, whatever becomes of the file's
 * name and of the checkpoint; what cannot be mapped is read; what the system does not have in memory is read ahead;
 * nothing stays mapped when the last array is gone. */
#include "check.h"
#include <tutti.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64] = "/tmp/tutti-mapped-XXXXXX";

static const char *at(const char *name)
{
    static char path[4][200];
    static int turn;
    char *const p = path[turn++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", dir, name);
    return p;
}

/* The number of mappings of files in a folder. */
static int mapped_in(const char *folder)
{
    char line[600];
    int n = 0;
    FILE *const f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f)) n += strstr(line, folder) != NULL;
    if (f) fclose(f);
    return n;
}

static int mapped(void) { return mapped_in(dir); }

enum { ROWS = 256, COLUMNS = 96, N = ROWS * COLUMNS };

static tt_val of(tt_dtype type, int from)
{
    return tt_cast(tt_reshape(tt_mod(tt_add(tt_arange(TT_I32, N), tt_i(from)), tt_i(251)), ROWS, COLUMNS), type);
}

static bool same(tt_val a, tt_val b)
{
    return tt_dtype_of(a) == tt_dtype_of(b) && tt_num(tt_all(tt_eq(a, b))) == 1 && tt_ok();
}

static tt_val tree(int from)
{
    return tt_dict("f", of(TT_F32, from), "h", of(TT_F16, from + 1), "b", of(TT_BF16, from + 2), "i",
                   of(TT_I32, from + 3), "small", tt_slice(of(TT_F32, from), 0, 0, 4, 1));
}

static bool is_large_float(const char *name) { return strlen(name) == 1 && *name != 'i'; }

static void elements(const char *name)
{
    const tt_val want = tree(0);
    CHECK(tt_save(at(name), want), "%s", tt_error());
    tt_val kept[5];
    const tt_scope reading = tt_scope_open();
    const tt_ckpt k = tt_ckpt_open(at(name));
    CHECK(tt_ckpt_count(k) == 5, "%s", tt_error());
    int expected = 0;
    for (int i = 0; i < 5; i++) {
        const char *const path = tt_ckpt_at(k, i)->path;
        const int before = mapped();
        kept[i] = tt_ckpt_read(k, i, .mapped = 1);
        expected |= is_large_float(path);
        CHECK(mapped() == expected, "%s: %d mappings, then %d", path, before, mapped());
        CHECK(same(kept[i], tt_get(want, path)), "%s of %s: %s", path, name, tt_error());
        CHECK(same(tt_ckpt_read(k, i), kept[i]) && same(tt_ckpt_read(k, i, .mapped = 1), kept[i]), "%s again", path);
        kept[i] = tt_keep(kept[i]);
    }
    /* Another file in its place, and none: the arrays are those of the file that was opened. */
    CHECK(tt_save(at(name), tree(100), .force = 1), "%s", tt_error());
    for (int i = 0; i < 5; i++) CHECK(same(kept[i], tt_get(want, tt_ckpt_at(k, i)->path)), "%d, replaced", i);
    CHECK(unlink(at(name)) == 0, "removed");
    tt_scope_close(reading);
    CHECK(mapped() == 1, "%d mappings after the checkpoint", mapped());
    double sum = 0;
    const tt_scope adding = tt_scope_open();
    for (int i = 0; i < 5; i++) sum += tt_num(tt_sum(tt_cast(kept[i], TT_F32)));
    double all = 0;
    static const char *const names[] = { "f", "h", "b", "i", "small" };
    for (int i = 0; i < 5; i++) all += tt_num(tt_sum(tt_cast(tt_get(want, names[i]), TT_F32)));
    tt_scope_close(adding);
    CHECK(sum == all, "%g, expected %g", sum, all);
    for (int i = 0; i < 5; i++) tt_drop(kept[i]);
    CHECK(mapped() == 0, "%d mappings at last", mapped());
}

static tt_val doubled(tt_val x) { return tt_add(x, x); }

/* A donated array that is the file's memory is left alone. */
static void donated(void)
{
    CHECK(tt_save(at("d.safetensors"), tt_dict("f", of(TT_F32, 0))), "%s", tt_error());
    const tt_ckpt k = tt_ckpt_open(at("d.safetensors"));
    const tt_val v = tt_ckpt_read(k, 0, .mapped = 1), y = tt_call(tt_jit(doubled, .donate = "0"), v);
    CHECK(tt_ok() && same(y, tt_add(of(TT_F32, 0), of(TT_F32, 0))), "%s", tt_error());
    CHECK(same(tt_ckpt_read(k, 0), of(TT_F32, 0)), "the file is as it was");
}

static void on_a_mesh(void)
{
    const tt_ckpt k = tt_ckpt_open(at("d.safetensors"));
    const tt_mesh m = tt_mesh("data:4");
    const int before = mapped();
    const tt_val v = tt_ckpt_read(k, 0, .mapped = 1, .mesh = m, .spec = "data, _");
    CHECK(tt_has_layout(v, m, "data, _") && mapped() == before && same(v, of(TT_F32, 0)), "%s", tt_error());
}

/* The pages of the file that are in memory, of `all`; -1: not known. Drops what may be dropped first. seen: of each
 * page, 1 if it was in memory at one of the looks; these are counted, since a machine that needs memory drops pages
 * again. */
static long pages_there(const char *path, bool drop, long *all, unsigned char *seen)
{
    const long page = sysconf(_SC_PAGESIZE);
    struct stat st;
    long n = -1;
    const int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &st)) return n;
    *all = (long)st.st_size / page;
    if (drop) fsync(fd), posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    unsigned char *const in = malloc((size_t)*all + 1);
    void *const m = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (m != MAP_FAILED && in && !mincore(m, (size_t)(*all * page), in)) {
        n = 0;
        for (long i = 0; i < *all; i++) n += seen ? (seen[i] |= in[i] & 1) : in[i] & 1;
    }
    if (m != MAP_FAILED) munmap(m, (size_t)st.st_size);
    free(in), close(fd);
    return n;
}

static int descriptors(void)
{
    DIR *const d = opendir("/proc/self/fd");
    int n = 0;
    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n;
}

/* A file that is not in memory is, soon after its first array is mapped, though nobody reads the array. A machine that
 * is short of memory drops single pages; what is read at once are 256. */
static void read_ahead(void)
{
    enum { BIG = 8 << 20, FEW = 100 };
    char folder[] = "/tmp/tutti-ahead-XXXXXX", path[60];     /* on a disk, if /tmp is */
    long all = 0, n;
    if (!mkdtemp(folder)) exit(1);
    snprintf(path, sizeof path, "%s/a.safetensors", folder);
    const int before = descriptors();
    const tt_scope own = tt_scope_open();
    CHECK(tt_save(path, tt_dict("f", tt_zeros(TT_F32, BIG))), "%s", tt_error());
    n = pages_there(path, true, &all, NULL);
    if (n >= 0 && n < all / 2) {
        tt_ckpt_read(tt_ckpt_open(path), 0, .mapped = 1);
        CHECK(tt_ok() && mapped_in(folder) == 1, "%s", tt_error());
        unsigned char *const seen = calloc((size_t)all, 1);
        for (int i = 0; i < 6000 && (n = pages_there(path, false, &all, seen)) < all - FEW; i++) usleep(10000);
        CHECK(n >= all - FEW, "%ld of %ld pages are read ahead", n, all);
        free(seen);
    } else CHECK_SKIP("the file stays in memory: %ld of %ld pages", n, all);
    tt_scope_close(own);
    for (int i = 0; i < 600 && mapped_in(folder); i++) usleep(100000);   /* until the thread has ended */
    CHECK(mapped_in(folder) == 0, "%d mappings when all was read ahead", mapped_in(folder));
    CHECK(descriptors() == before, "%d descriptors are open, %d were", descriptors(), before);
    unlink(path), rmdir(folder);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    if (!check_folder(dir)) return 1;
    CHECK_RUN(elements("a.safetensors"));
    CHECK_RUN(donated());
    CHECK_RUN(on_a_mesh());
    CHECK_RUN(read_ahead());
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    CHECK(system(command) == 0, "%s stays", dir);
    tt_done();
    return check_done();
}
