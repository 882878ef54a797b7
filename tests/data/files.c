/* files.c - IDX, NPY, NPZ: what is written reads back; damaged files are refused with what is wrong, and never
 * crash.
 *
 * Longer than 400 lines: all formats share the helpers that write a file and say what is refused. */
#include "check.h"

#include "data/data.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/tutti-data-XXXXXX";
static char path[128];

static const char *file(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static const char *put(const char *name, const void *p, size_t n)
{
    FILE *f = fopen(file(name), "wb");
    if (f) fwrite(p, 1, n, f), fclose(f);
    return path;
}

static void refused(const char *what, tt_val v, const char *text)
{
    (void)v;
    CHECK(!tt_ok() && strstr(tt_error(), text), "%s: expected \"%s\", got \"%s\"", what, text, tt_ok() ? "no error"
          : tt_error());
    tt_clear();
}

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

static void idx_files(void)
{
    const uint8_t good[] = { 0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6 };
    uint8_t b[6] = { 0 };
    const tt_val v = tt_read_idx(put("good", good, sizeof good));
    CHECK(tt_read(v, b, 6) && b[5] == 6 && tt_dim(v, 1) == 3, "%s", tt_type_text(v));
    const uint8_t floats[] = { 0, 0, 0x0d, 1, 0, 0, 0, 1, 0x3f, 0x80, 0, 0 };
    CHECK(tt_num(tt_sum(tt_read_idx(put("floats", floats, sizeof floats)))) == 1, "big-endian floats");
    refused("a missing file", tt_read_idx(file("none")), "No such file");
    refused("a folder", tt_read_idx(dir), "is a folder");
    refused("empty", tt_read_idx(put("empty", good, 0)), "no IDX file");
    refused("wrong magic", tt_read_idx(put("magic", "abcdefgh", 8)), "two zero bytes");
    refused("promises more", tt_read_idx(put("more", good, sizeof good - 1)), "promises 6 elements, the file holds 5");
    refused("cut header", tt_read_idx(put("head", good, 9)), "within its header");
    const uint8_t huge[] = { 0, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255 };
    refused("huge dims", tt_read_idx(put("huge", huge, sizeof huge)), "IDX");
}

static void csv_texts(void)
{
    const char *const zeros = put("zeros.csv", "1,2\n3,4\n\0\0\0", 11);
    refused("zeros at the end", tt_read_csv(zeros), ":3: a byte 0 in a field");
    refused("hexadecimal", tt_read_csv(put("hex.csv", "1,2\n0x10,4\n", 11)), "\"0x10\" in column 1 is no number");
    refused("a payload", tt_read_csv(put("nan.csv", "1,2\nnan(3),4\n", 13)), "\"nan(3)\" in column 1 is no number");
    refused("semicolons", tt_read_csv(put("semi.csv", "1;2\n3;4\n", 8)), ".separator = \";\"");
    refused("tabs", tt_read_csv(put("tab.csv", "1\t2\n3\t4\n", 8)), ".separator = \"\\t\"");
    CHECK(tt_num(tt_sum(tt_read_csv(put("good.csv", "1,-inf\r\n3,4e0\n\n", 15), .header = 0))) < 0, "%s", tt_error());
}

static void packed_files(void)                           /* gzip: one member, several, cut, damaged, with more behind */
{
    static const uint8_t member[] = { /* "1,2\n" */
        31, 139, 8, 0, 0, 0, 0, 0, 2, 255, 51, 212,
        49, 226, 2, 0, 51, 66, 33, 85, 4, 0, 0, 0
    };
    enum { N = sizeof member };
    uint8_t b[3 * N] = { 0 };
    memcpy(b, member, N), memcpy(b + N, member, N);
    CHECK(tt_dim(tt_read_csv(put("one.gz", b, N)), 0) == 1, "%s", tt_error());
    CHECK(tt_dim(tt_read_csv(put("two.gz", b, 2 * N)), 0) == 2, "%s", tt_error());
    CHECK(tt_dim(tt_read_csv(put("padded.gz", b, 3 * N)), 0) == 2, "%s", tt_error());
    for (size_t n = 2; n < N; n++)
        refused("cut", tt_read_csv(put("cut.gz", b, n)), "the file ends before its compressed data do");
    b[2 * N + 3] = 7;
    refused("a byte behind", tt_read_csv(put("behind.gz", b, 2 * N + 4)), "bytes behind the compressed data");
    b[12] ^= 1;
    refused("damaged", tt_read_csv(put("bad.gz", b, N)), "damaged");
}

static void npy_files(void)
{
    const tt_val v = tt_reshape(tt_arange(TT_F32, 6), 2, 3);
    tt_val back;
    CHECK(tt_write_npy(file("a.npy"), v), "%s", tt_error());
    back = tt_read_npy(file("a.npy"));
    CHECK(tt_num(tt_all(tt_eq(v, back))) == 1 && tt_dim(back, 0) == 2, "npy comes back");
    const tt_val scalar = tt_cast(tt_f(2.5), TT_F64);
    CHECK(tt_write_npy(file("s.npy"), scalar) && tt_num(tt_read_npy(file("s.npy"))) == 2.5, "a scalar comes back");
    data_bytes b;
    CHECK(data_slurp(0, file("a.npy"), &b), "slurp");
    for (size_t n = 0; n < b.n; n++) {                   /* cut at every byte: refused, never a crash */
        put("cut.npy", b.p, n);
        tt_read_npy(file("cut.npy"));
        CHECK(!tt_ok(), "a file cut at byte %zu was read", n);
        tt_clear();
    }
    data_free(&b);
    CHECK(data_slurp(0, file("a.npy"), &b), "slurp");
    uint8_t longer[256] = { 0 };
    if (b.n < sizeof longer) memcpy(longer, b.p, b.n);
    put("long.npy", longer, b.n + 1);
    refused("a byte behind the elements", tt_read_npy(file("long.npy")), "the file holds 1 bytes more");
    data_free(&b);
    refused("no tree in npy", tt_write_npy(file("t.npy"), tt_tuple(v, v)) ? v : v, "NPY has no form for");
}

/* An NPY file of six f32, 0 to 5, with this header. */
static const char *headed(int major, int minor, const char *dict)
{
    static uint8_t b[1024] = "\x93NUMPY";
    const size_t n = strlen(dict), head = major == 1 ? 10 : 12;
    float six[6];
    for (int i = 0; i < 6; i++) six[i] = (float)i;
    b[6] = (uint8_t)major, b[7] = (uint8_t)minor, b[8] = (uint8_t)n, b[9] = (uint8_t)(n >> 8), b[10] = b[11] = 0;
    memcpy(b + head, dict, n), memcpy(b + head + n, six, sizeof six);
    return put("head.npy", b, head + n + sizeof six);
}

/* Elements in the other order of bytes, as NumPy reads them; of NPZ too, and where two arrays are the same bytes. */
static void npy_turned(void)
{
    static const struct { const char *descr; int unit; tt_dtype dtype; } of[] = {
        { ">i2", 2, TT_I16 }, { ">u2", 2, TT_U16 }, { ">f2", 2, TT_F16 }, { ">i4", 4, TT_I32 }, { ">u4", 4, TT_U32 },
        { ">f4", 4, TT_F32 }, { ">c8", 4, TT_C64 }, { ">i8", 8, TT_I64 }, { ">u8", 8, TT_U64 }, { ">f8", 8, TT_F64 },
        { ">c16", 8, TT_C128 }, { ">i1", 1, TT_I8 }, { ">b1", 1, TT_BOOL },
    };
    for (size_t k = 0; k < sizeof of / sizeof *of; k++)
        for (int fortran = 0; fortran < 2; fortran++) {
            char dict[120];
            uint8_t b[512] = "\x93NUMPY\1", plain[96], got[96] = { 0 };
            const bool pairs = of[k].dtype == TT_C64 || of[k].dtype == TT_C128;
            const int unit = of[k].unit, element = pairs ? 2 * unit : unit, n = 6 * element;
            const int head = snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': %s, 'shape': (2, 3), }\n",
                                      of[k].descr, fortran ? "True" : "False");
            for (int i = 0; i < n; i++) plain[i] = (uint8_t)(of[k].dtype == TT_BOOL ? i & 1 : 3 + 5 * i % 60);
            b[8] = (uint8_t)head;
            memcpy(b + 10, dict, (size_t)head);
            for (int i = 0; i < n; i++) b[10 + head + i / unit * unit + unit - 1 - i % unit] = plain[i];
            const tt_val v = tt_read_npy(put("turned.npy", b, (size_t)(10 + head + n)));
            const tt_val w = fortran ? tt_transpose(v, 1, 0) : v;    /* its elements in the file's order */
            CHECK(tt_ok() && tt_dtype_of(v) == of[k].dtype && tt_dim(v, 0) == 2, "%s: %s", of[k].descr, tt_error());
            CHECK(tt_read_at(NULL, w, got, (size_t)n) && !memcmp(got, plain, (size_t)n), "%s: other bytes: %s",
                  of[k].descr, tt_error());
            tt_clear();
        }
}

static void npy_headers(void)                            /* what NumPy reads, and nothing else */
{
    static const struct { int major; const char *dict; bool turned; } good[] = {
        { 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", false },
        { 2, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", false },
        { 3, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }   \n", true },
        { 1, "{'shape': (2L, 3L), 'fortran_order': False, 'descr': '=f4'}", false },
        { 1, "{ \"descr\" : \"|f4\" , \"fortran_order\":True,\"shape\":( 2,3, )}", true },
    };
    static const char *const bad[] = {
        "{'descr': '<f4', 'fortran_order': true, 'shape': (2, 3), }",
        "{'descr': '<f4', 'fortran_order': 1, 'shape': (2, 3), }",
        "{'descr': '<f4', 'fortran_order': Truer, 'shape': (2, 3), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'shape': (3, 2), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,, 3), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2.0, 3), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2, -3), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 0), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'more': 1, }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), } {",
        "{'descr': '<f4', 'fortran_order': False, }",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,), }",
        "{'x': \"'descr': '<f4'\", 'fortran_order': False, 'shape': (6,), }",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        float x[6] = { 0 };
        const tt_val v = tt_read_npy(headed(good[i].major, 0, good[i].dict));
        CHECK(tt_read(v, x, sizeof x) && x[1] == (good[i].turned ? 2 : 1) && tt_dim(v, 0) == 2, "%s: %s",
              good[i].dict, tt_error());
        tt_clear();
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(bad[i], tt_read_npy(headed(1, 0, bad[i])), "the header does not read");
    refused("another version", tt_read_npy(headed(9, 0, good[0].dict)), "version 9.0; known are 1.0, 2.0 and 3.0");
    refused("no version", tt_read_npy(headed(0, 0, good[0].dict)), "version 0.0");
    refused("a later version", tt_read_npy(headed(1, 1, good[0].dict)), "version 1.1");
    refused("no order", tt_read_npy(headed(1, 0, "{'descr': 'xf4', 'fortran_order': False, 'shape': (6,), }")),
            "elements of type 'xf4'");
}

/* A data set in TUTTI_DATA: IDX files of bytes with these dims. */
static void digits_put(const char *name, const uint32_t *image, int images, const uint32_t *label, int labels)
{
    const uint32_t *const dims[] = { image, label };
    const int rank[] = { images, labels };
    char at[100];
    snprintf(at, sizeof at, "%s/%s", dir, name), mkdir(at, 0777);
    for (int k = 0; k < 2; k++) {
        static uint8_t b[1 << 14];
        size_t n = 4, count = 1;
        memset(b, 0, sizeof b);
        b[2] = 8, b[3] = (uint8_t)rank[k];
        for (int i = 0; i < rank[k]; i++) {
            const uint32_t d = dims[k][i];
            b[n++] = (uint8_t)(d >> 24), b[n++] = (uint8_t)(d >> 16), b[n++] = (uint8_t)(d >> 8), b[n++] = (uint8_t)d;
            count *= d;
        }
        snprintf(at, sizeof at, "%s/train-%s-ubyte.gz", name, k ? "labels-idx1" : "images-idx3");
        put(at, b, n + count);
    }
}

static void digits(void)
{
    const uint32_t image[] = { 4, 28, 28, 3 }, label[] = { 4, 10 };
    setenv("TUTTI_DATA", dir, 1);
    digits_put("right", image, 3, label, 1);
    CHECK(tt_data_count(tt_mnist("right", .batch = 2)) == 4, "%s", tt_error());
    digits_put("colours", image, 4, label, 1);
    tt_mnist("colours", .batch = 2);
    refused("images of three colours", tt_none(), "expected bytes [N, 28, 28]");
    digits_put("rows", image, 3, label, 2);
    tt_mnist("rows", .batch = 2);
    refused("labels as rows of ten", tt_none(), "labels u8 of 2; expected bytes [N, 28, 28] and [N]");
    unsetenv("TUTTI_DATA");
}

/* ---- two threads write to one path ---- */

enum { WRITES = 20, WRITTEN = 40000 };
static void *writes(void *failed)
{
    for (int i = 0; i < WRITES; i++) {
        const tt_scope scope = tt_scope_open();
        *(int *)failed += !tt_write_npy(path, tt_full((double)i, TT_F32, WRITTEN));
        tt_clear();
        tt_scope_close(scope);
    }
    return NULL;
}

static void one_path(void)                               /* each write succeeds, and each read sees one of them */
{
    int failed[2] = { 0 }, mixed = 0;
    pthread_t t[2];
    CHECK(tt_write_npy(file("shared.npy"), tt_zeros(TT_F32, WRITTEN)), "%s", tt_error());
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, writes, &failed[i]);
    for (int i = 0; i < 2 * WRITES; i++) {
        const tt_val v = tt_read_npy(path);
        mixed += !tt_ok() || tt_num(tt_amin(v)) != tt_num(tt_amax(v));
        tt_clear();
    }
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    CHECK(!failed[0] && !failed[1], "%d and %d of %d writes failed", failed[0], failed[1], WRITES);
    CHECK(!mixed, "%d of %d reads", mixed, 2 * WRITES);
    struct dirent *f;
    DIR *const d = opendir(dir);
    while (d && (f = readdir(d))) CHECK(!strstr(f->d_name, ".part-"), "%s stays", f->d_name);
    if (d) closedir(d);
}

/* A file of another write to the path, by a thread of a host. */
static void written_by(const char *host, long pid, long thread, char name[300])
{
    snprintf(name, 300, "%s.part-%s-%ld-%ld", file("hosts.npy"), host, pid, thread);
    FILE *const f = fopen(name, "wb");
    CHECK(f && !fclose(f), "%s", name);
}

/* What writes of this host have left is removed; what those of other hosts write to the same folder is not. */
static void other_hosts(void)
{
    enum { GONE = 4194303 };                             /* no process has that number */
    char own[DATA_PATH], other[300], left[300], host[20] = "";
    CHECK(data_part_of(file("hosts.npy"), own), "%s", path);
    const char *const at = strstr(own, ".part-") + 6;
    CHECK(strcspn(at, "-") == 16, "%s", own);
    snprintf(host, sizeof host, "%.16s", at);
    written_by(host, GONE, GONE, left);
    host[15] = host[15] == '0' ? '1' : '0';
    written_by(host, GONE, GONE, other);
    CHECK(tt_write_npy(file("hosts.npy"), tt_ones(TT_F32, 2)), "%s", tt_error());
    CHECK(access(left, F_OK) != 0, "%s is left", left);
    CHECK(access(other, F_OK) == 0, "%s of another host is gone", other);
    unlink(other);
}

static void npz_files(void)
{
    const tt_val tree = tt_dict("w", tt_arange(TT_I32, 5), "b", tt_tuple(tt_f(1), tt_ones(TT_BOOL, 2)));
    CHECK(tt_write_npz(file("t.npz"), tree), "%s", tt_error());
    const tt_val back = tt_read_npz(file("t.npz"));
    CHECK(tt_ok() && tt_num(tt_sum(tt_get(back, "w"))) == 10 && tt_has(back, "b.1"), "npz comes back");
    data_bytes b;
    CHECK(data_slurp(0, file("t.npz"), &b), "slurp");
    for (size_t n = 0; n < b.n; n += 3) {
        put("cut.npz", b.p, n);
        tt_read_npz(file("cut.npz"));
        CHECK(!tt_ok(), "a zip cut at byte %zu was read", n);
        tt_clear();
    }
    for (size_t n = 0; n < b.n; n += 5) {                /* spoiled at a byte: refused or read, never a crash */
        b.p[n] ^= 0x55;
        put("spoiled.npz", b.p, b.n);
        tt_read_npz(file("spoiled.npz"));
        tt_clear();
        b.p[n] ^= 0x55;
    }
    data_free(&b);
    if (geteuid() != 0) {
        chmod(dir, 0500);
        refused("a read-only folder", tt_write_npz(file("x.npz"), tree) ? tree : tree, "Permission denied");
        chmod(dir, 0700);
    } else refused("no such folder", tt_write_npz("/tmp/tutti-no-such-folder/x.npz", tree) ? tree : tree,
                   "No such file");
}

/* Types that NumPy has not, and a zip of more or larger entries than 16 and 32 bits count. */
static void npz_types(void)
{
    static const tt_dtype types[] = { TT_BF16, TT_F8E4M3FN, TT_F8E5M2, TT_F8E8M0FNU, TT_F4E2M1FN, TT_I4, TT_U2 };
    const tt_val x = tt_ones(TT_F32, 2);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const tt_val v = tt_cast(x, types[i]);
        CHECK(tt_save(file("n.npz"), tt_dict("v", v), .force = 1), "%s", tt_error());
        const tt_val got = tt_get(tt_load(path), "v");
        CHECK(tt_dtype_of(got) == types[i], "type %d: %s", types[i], tt_type_text(got));
        const tt_val back = tt_load(path, .like = tt_dict("v", v));
        CHECK(tt_ok() && tt_num(tt_all(tt_eq(tt_cast(tt_get(back, "v"), TT_F32), tt_cast(v, TT_F32)))) == 1, "%s",
              tt_ok() ? "other numbers" : tt_error());
    }
    CHECK(tt_write_npy(file("b.npy"), tt_cast(x, TT_BF16)) && tt_dtype_of(tt_read_npy(path)) == TT_BF16, "bf16 in NPY");
    const uint8_t one = 7;
    tt_val *v = calloc(70000, sizeof *v);
    const char **name = calloc(70000, sizeof *name);
    char(*text)[8] = calloc(70000, sizeof *text);
    for (int i = 0; i < 70000; i++) {
        v[i] = i ? v[0] : tt_array(TT_U8, &one);
        snprintf(text[i], sizeof text[i], "%d", i);
        name[i] = text[i];
    }
    const tt_val many = tt_tree(70000, name, v);
    CHECK(tt_write_npz(file("many.npz"), many), "%s", tt_error());
    const tt_val back = tt_read_npz(path);
    CHECK(tt_tree_leaves(back, 0, NULL) == 70000 && tt_num(tt_get(back, "69999")) == 7, "70,000 arrays: %s",
        tt_error());
    free(v), free(name), free(text);
}

static void put_le(uint8_t *p, uint64_t x, int n) { while (n--) *p++ = (uint8_t)x, x >>= 8; }

/* zip64 where sizes need it (here: from 100 bytes on), and directories that are. */
static void zips(void)
{
    data_zip z = { .most = 100 };
    uint8_t bytes[300];
    data_bytes b;
    data_entry *e = NULL;
    int n = 0;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * i);
    CHECK(data_begin(0, file("wide.zip"), &z.file) && data_zip_add(&z, 0, "a", "", (data_bytes){ bytes, 40 }) &&
          data_zip_add(&z, 0, "b", "note", (data_bytes){ bytes, 300 }) &&
          data_zip_add(&z, 0, "c", "", (data_bytes){ bytes, 50 }) && data_zip_end(&z, 0, true), "%s", tt_error());
    CHECK(data_slurp(0, path, &b) && data_unzip(0, path, b, &n, &e) && n == 3 && e[1].bytes.n == 300 &&
          !memcmp(e[1].bytes.p, bytes, 300) && !strcmp(e[1].note, "note") && e[2].bytes.n == 50, "%s", tt_error());
    data_entries_free(n, e);
    data_free(&b);
    CHECK(system("command -v python3 >/dev/null") != 0 || system(
          (snprintf((char *)bytes, sizeof bytes, "python3 -c 'import zipfile as z; f = z.ZipFile(\"%s\"); "
                    "assert f.testzip() is None and len(f.read(\"b\")) == 300'", path), (char *)bytes)) == 0,
          "Python reads zip64");
    CHECK(tt_write_npz(file("two.npz"), tt_dict("a", tt_arange(TT_I32, 5), "b", tt_arange(TT_I32, 5))) &&
          data_slurp(0, path, &b), "%s", tt_error());
    const size_t dir = b.n - 22 - 2 * (46 + 5);
    put_le(b.p + dir + 51 + 42, 0, 4);                   /* both rows lead to the first entry */
    refused("an entry twice", tt_read_npz(put("twice.npz", b.p, b.n)), "two names");
    memcpy(b.p + dir + 51 + 46, b.p + dir + 46, 5);
    refused("an entry twice", tt_read_npz(put("twice.npz", b.p, b.n)), "overlap");
    data_free(&b);
}

/* Rows of one's own arrays: in order or shuffled, the rest dropped or kept; wrong ones are refused. */
static void rows(void)
{
    int32_t got[10], sum = 0;
    const tt_val tree = tt_dict("a", tt_reshape(tt_arange(TT_I32, 14), 7, 2), "b", tt_arange(TT_I32, 7));
    int batches = 0, last = 0;
    for (tt_loop it = tt_batches(tt_dataset(tree, .batch = 3)); tt_next(&it); batches++) {
        CHECK(tt_read(tt_get(it.batch, "a"), got, 6 * sizeof *got), "%s", tt_error());
        CHECK(got[0] == 6 * (int)it.i && got[5] == 6 * (int)it.i + 5, "batch %d begins with %d", (int)it.i, got[0]);
    }
    CHECK(batches == 2, "%d batches", batches);
    for (tt_loop it = tt_batches(tt_dataset(tree, .batch = 3, .keep_last = 1, .shuffle = tt_key(1))); tt_next(&it);) {
        last = (int)tt_dim(tt_get(it.batch, "b"), 0);
        CHECK(tt_read(tt_get(it.batch, "b"), got, (size_t)last * sizeof *got), "%s", tt_error());
        for (int i = 0; i < last; i++) sum += got[i];
    }
    CHECK(last == 1 && sum == 21, "the last batch has %d rows, the sum is %d", last, sum);
    tt_dataset(tt_tuple(tt_zeros(TT_F32, 3), tt_zeros(TT_F32, 4)));
    CHECK(!tt_ok() && strstr(tt_error(), "expected 3 rows"), "%s", tt_ok() ? "accepted" : tt_error());
    tt_clear();
    tt_dataset(tt_arange(TT_I32, 7), .batch = 8);
    CHECK(!tt_ok() && strstr(tt_error(), ".batch = 8 of 7 rows"), "%s", tt_ok() ? "accepted" : tt_error());
    tt_clear();
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    if (!mkdtemp(dir)) return 1;
    tt_on_error(silent, NULL);
    CHECK_RUN(idx_files());
    CHECK_RUN(csv_texts());
    CHECK_RUN(packed_files());
    CHECK_RUN(npy_files());
    CHECK_RUN(npy_headers());
    CHECK_RUN(npy_turned());
    CHECK_RUN(npy_turned());
    CHECK_RUN(digits());
    CHECK_RUN(one_path());
    CHECK_RUN(other_hosts());
    CHECK_RUN(npz_files());
    CHECK_RUN(npz_types());
    CHECK_RUN(zips());
    CHECK_RUN(rows());
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", dir);
    if (system(command) != 0) printf("left behind: %s\n", dir);
    tt_done();
    return check_done();
}
