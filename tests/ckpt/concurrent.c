/* concurrent.c - loads while another process saves to the same name, again and again: each load gives one
 * checkpoint, never parts of two, and none is taken for damaged.
 *
 * usage: ckpt_beside [--loads N]. The child saves trees whose elements are all equal to k = 1, 2, ...; the parent loads
 * and compares all of them. Checkpoints of others' forms are put in place as a save does it. */
#include "check.h"
#include "ckpt/ckpt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char dir[64] = "/tmp/tutti-beside-XXXXXX";
enum { LEAVES = 6, SIDE = 256 };

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

static void rested(long us) { nanosleep(&(struct timespec){ us / 1000000, us % 1000000 * 1000 }, NULL); }

static tt_val tree_of(int k)
{
    tt_val v[LEAVES];
    const char *const name[LEAVES] = { "a", "b", "c", "d1", "e", "f" };
    for (int i = 0; i < LEAVES; i++) v[i] = tt_add(tt_zeros(TT_F32, SIDE, SIDE), tt_f((double)k));
    return tt_dict_n(NULL, LEAVES, name, v);
}

/* ---- checkpoints of others, byte by byte ---- */

static void spill(const char *folder, const char *name, const void *p, size_t n)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (f) fwrite(p, 1, n, f), fclose(f);
}

static float *filled(int k)
{
    static float x[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) x[i] = (float)k;
    return x;
}

static void make_zarr(const char *at, int k)             /* a piece that is not there would be zeros */
{
    char text[600];
    const int n = snprintf(text, sizeof text,
                           "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[%d],\"data_type\":\"float32\","
                           "\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[%d]}},"
                           "\"chunk_key_encoding\":{\"name\":\"default\",\"configuration\":{\"separator\":\".\"}},"
                           "\"fill_value\":0,\"codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"
                           "]}", 32 * SIDE, SIDE);
    mkdir(at, 0777);
    spill(at, "zarr.json", text, (size_t)n);
    for (int i = 0; i < 32; i++) {
        char name[16];
        snprintf(name, sizeof name, "c.%d", i);
        spill(at, name, filled(k), SIDE * sizeof(float));
    }
}

static size_t framed(uint8_t *b, uint32_t magic, const uint8_t *body, size_t n)
{
    const size_t all = 4 + 8 + 2 + n + 4;
    for (int i = 0; i < 4; i++) b[i] = (uint8_t)(magic >> (24 - 8 * i));
    for (int i = 0; i < 8; i++) b[4 + i] = (uint8_t)((uint64_t)all >> 8 * i);
    b[12] = b[13] = 0;
    memcpy(b + 14, body, n);
    const uint32_t crc = ckpt_crc32c(0, b, all - 4);
    for (int i = 0; i < 4; i++) b[all - 4 + (size_t)i] = (uint8_t)(crc >> 8 * i);
    return all;
}

/* An OCDBT store of one leaf: keys "a" to "f", each 100 bytes of d/v. */
static void make_ocdbt(const char *at, int k)
{
    uint8_t node[400], out[500], man[400], values[LEAVES * 100];
    char d[300];
    size_t n = 0, m = 0;
    const uint8_t head[] = { 0, 1, 3, 0, 'd', '/', 'v', LEAVES };
    memcpy(node, head, sizeof head), n = sizeof head;
    for (int i = 1; i < LEAVES; i++) node[n++] = 0;
    for (int i = 0; i < LEAVES; i++) node[n++] = 1;
    for (int i = 0; i < LEAVES; i++) node[n++] = (uint8_t)('a' + i);
    for (int i = 0; i < LEAVES; i++) node[n++] = 100;
    for (int i = 0; i < LEAVES; i++) node[n++] = 1;
    for (int i = 0; i < LEAVES; i++) node[n++] = 0;
    for (int i = 0; i < LEAVES; i++) {
        const int from = 100 * i;
        if (from > 127) node[n++] = (uint8_t)((from & 127) | 128), node[n++] = (uint8_t)(from >> 7);
        else node[n++] = (uint8_t)from;
    }
    mkdir(at, 0777);
    snprintf(d, sizeof d, "%s/d", at);
    mkdir(d, 0777);
    memset(values, k & 255, sizeof values);
    spill(d, "v", values, sizeof values);
    const size_t size = framed(out, 0x0CDB20DE, node, n);
    spill(d, "n", out, size);
    memset(man, 0, 16), m = 16;                          /* its name, then: not numbered, limits, no packing */
    const uint8_t tail[] = { 0, 100, 0xff, 0xff, 3, 4, 0, 1, 3, 0, 'd', '/', 'n', 1, 1, 0, 0, 0 };
    memcpy(man + m, tail, sizeof tail), m += sizeof tail;
    if (size > 127) man[m++] = (uint8_t)((size & 127) | 128), man[m++] = (uint8_t)(size >> 7);
    else man[m++] = (uint8_t)size;
    const uint8_t rest[] = { LEAVES, 0, 0, 0 };
    memcpy(man + m, rest, sizeof rest), m += sizeof rest;
    spill(at, "manifest.ocdbt", out, framed(out, 0x0CDB3A2A, man, m));
}

static void make_several(const char *at, int k)          /* safetensors in six files */
{
    char text[800] = "{\"weight_map\":{", file[64], path[400];
    mkdir(at, 0777);
    for (int i = 0; i < LEAVES; i++) {
        snprintf(file, sizeof file, "m-%d.safetensors", i);
        snprintf(path, sizeof path, "%s/%s", at, file);
        const char name[2] = { (char)('p' + i), 0 };
        CHECK(tt_save(path, tt_dict(name, tt_add(tt_zeros(TT_F32, SIDE, SIDE), tt_f((double)k)))), "%s", tt_error());
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s\"%s\":\"%s\"", i ? "," : "", name, file);
    }
    strcat(text, "}}");
    spill(at, "model.safetensors.index.json", text, strlen(text));
}

/* ---- the child ---- */

static const char *const kinds[] = { "over", "over.safetensors", "over.npz", "steps", "zarr", "ocdbt", "several" };
enum { STEPS = 3, ZARR, OCDBT, SEVERAL, KINDS };

static bool saved(int kind, const char *at, int k)
{
    static void (*const make[])(const char *, int) = { [ZARR] = make_zarr, [OCDBT] = make_ocdbt,
                                                        [SEVERAL] = make_several };
    char temp[400];
    ckpt_err e = { 0 };
    if (kind < STEPS) return tt_save(at, tree_of(k), .force = 1);
    if (kind == STEPS) return tt_manager_save(tt_manager_open(at, .keep = 1), k, tree_of(k));
    snprintf(temp, sizeof temp, "%s.new", at);
    make[kind](temp, k);
    return ckpt_move(temp, at, true, &e);
}

static int saver(int kind, const char *at)
{
    for (int k = 2; tt_ok(); k++) {
        const tt_scope scope = tt_scope_open();
        if (!saved(kind, at, k)) return printf("saver: %s\n", tt_error()), 2;
        tt_scope_close(scope);
        if (kind >= ZARR) rested(500);
    }
    return 3;
}

/* ---- the parent ---- */

/* The k of all elements; -1: parts of several. */
static int k_of(tt_val v)
{
    const int n = tt_tree_leaves(v, 0, NULL);
    tt_val leaf[LEAVES];
    int k = -1;
    if (n < 1 || n > LEAVES) return -1;
    tt_tree_leaves(v, n, leaf);
    for (int i = 0; i < n; i++) {
        const tt_val x = tt_cast(leaf[i], TT_F32);
        const int least = (int)tt_num(tt_amin(x)), most = (int)tt_num(tt_amax(x));
        if (least != most || (i && least != k)) return -1;
        k = least;
    }
    return k;
}

static tt_val loaded(int kind, const char *at)
{
    if (kind != STEPS) return tt_load(at);
    const tt_manager m = tt_manager_open(at);
    return tt_manager_load(m, tt_manager_newest(m));
}

static void loads_beside_saves(int kind, int loads)
{
    char at[300], number[16];
    int tried = 0, mixed = 0, refused = 0, removed = 0, seen = 0, last = 0;
    snprintf(at, sizeof at, "%s/%s", dir, kinds[kind]);
    snprintf(number, sizeof number, "%d", kind);
    CHECK(saved(kind, at, 1), "%s", tt_error());
    const pid_t pid = fork();
    if (!pid) {
        execl("/proc/self/exe", "ckpt_beside", "--save", number, at, (char *)NULL);
        _exit(99);
    }
    for (; tried < loads || (seen < 4 && tried < 1000 * loads); tried++) {
        const tt_scope scope = tt_scope_open();
        const tt_val v = loaded(kind, at);
        const int k = tt_ok() ? k_of(v) : 0;
        if (!tt_ok()) {                                  /* a step may go before it is read: then this is said */
            const char *t = tt_error();
            const bool gone =
                kind == STEPS && (strstr(t, "removed") || strstr(t, "is no step") || strstr(t, "No such file"));
            removed += gone;
            refused += !gone;
            if (!gone && refused < 4) printf("%s: %s\n", kinds[kind], tt_error());
            tt_clear();
        } else mixed += k < 0;
        seen += k > 0 && k != last;
        last = k;
        tt_scope_close(scope);
    }
    int status = 0;
    const bool alive = waitpid(pid, &status, WNOHANG) == 0;
    CHECK(alive, "%s: the saver ended by itself: %d", kinds[kind], WEXITSTATUS(status));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    CHECK(!mixed, "%s: of %d loads %d gave parts of several saves", kinds[kind], tried, mixed);
    CHECK(!refused, "%s: of %d loads %d were refused", kinds[kind], tried, refused);
    CHECK(removed < tried, "%s: nothing was loaded", kinds[kind]);
    CHECK(seen > 1, "%s: the saver did not save beside it", kinds[kind]);
    printf("%s: %d loads saw %d saves, %d mixed, %d refused, %d steps gone\n", kinds[kind], tried, seen, mixed, refused,
           removed);
    CHECK_VOLUME(tried, "loads beside saves");
}

/* What is written into a folder that is being read, by whoever does such things. */
static void changed(void)
{
    char at[300], command[700];
    ckpt c = { 0 };
    ckpt_err e = { 0 };
    snprintf(at, sizeof at, "%s/inside", dir);
    CHECK(tt_save(at, tree_of(1)), "%s", tt_error());
    CHECK(ckpt_open(&c, at, &e) && ckpt_fate_of(&c, true) == CKPT_UNCHANGED, "%s", e.text);
    snprintf(command, sizeof command, "cd %s && cp -r inside a && rm inside/_MANIFEST && cp a/_MANIFEST inside", dir);
    CHECK(system(command) == 0 && ckpt_fate_of(&c, true) == CKPT_CHANGED, "a manifest was replaced");
    ckpt_close(&c);
    const tt_ckpt open = tt_ckpt_open(at);
    CHECK(tt_save(at, tree_of(2), .force = 1), "%s", tt_error());
    tt_ckpt_read(open, 0);
    CHECK(!tt_ok() && strstr(tt_error(), "has been replaced, removed or changed since it was opened"), "%s",
          tt_error());
    tt_clear();
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--save N --loads N [FOLDER]")) return check_done();
    char command[128];
    int loads = check_share(40);
    tt_on_error(silent, NULL);
    if (argc > 3 && !strcmp(argv[1], "--save")) return saver(atoi(argv[2]), argv[3]);
    if (argc > 2 && !strcmp(argv[1], "--loads")) loads = atoi(argv[2]);
    if (!check_folder(dir)) return 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int kind = 0; kind < KINDS; kind++) loads_beside_saves(kind, loads);
    changed();
    snprintf(command, sizeof command, "rm -rf %s", dir);
    CHECK(system(command) == 0, "%s stays", dir);
    tt_done();
    return check_done();
}
