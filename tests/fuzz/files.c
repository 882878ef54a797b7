/* files.c - inputs that somebody else wrote: files of each format and the texts that calls take, mutated from the
 * small ones in tests/corpus/files. Whatever comes of one: no crash, no end of memory, an answer in time. Sanitizers
 * watch; memory may be 64 times the input beyond a floor, and a second of processor time is too long.
 *
 * usage: fuzz_files [--seed N] [--each N] [--only FORMAT] [--from DIR]. Replays the corpus, then N mutations a format.
 * With -DTUTTI_LIBFUZZER it is libFuzzer's target of the format in the variable TUTTI_FUZZ (make check-fuzz).
 *
 * An input of several files begins with the length of each but the last, three bytes, and its bytes. */
#include "check.h"

static char dir[64] = "/tmp/tutti-fuzz-XXXXXX";

#include "mutate.h"
#include "texts.h"

#include <dirent.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1 << 16, PARTS = 4, FLOOR = 24 << 20, TIMES = 64, SHORT = 8 << 10, LONG = 16, WORDS = 256 };

typedef struct format {
    const char *name, *file[PARTS];                      /* file[1] not NULL: a folder; NULL, "": a text */
    void (*mend[PARTS])(uint8_t *, size_t);
    void (*text)(char *);
    tt_val (*read)(const char *);
} format;

static size_t said;                                      /* characters of messages about one input */
static char last[200];                                   /* the beginning of the last one */
static void heard(const tt_error_info *e, void *env)
{
    (void)env;
    snprintf(last, sizeof last, "%s", e->message);
    said += strlen(e->message) + strlen(e->site) + strlen(e->hint);
}

static void must(bool holds, const char *what, const char *text)
{
#ifdef TUTTI_LIBFUZZER
    if (!holds) fprintf(stderr, "%s: \"%s\"\n", what, text), abort();
#else
    CHECK(holds, "%s: \"%.200s\"", what, text);
#endif
}

/* ---- files ---- */

static tt_val as_csv(const char *path)
{
    return tt_read_csv_at(0, path, &(tt_csv_opts){ .size = sizeof(tt_csv_opts) });
}
static tt_val as_idx(const char *path) { return tt_read_idx_at(0, path); }
static tt_val as_metrics(const char *path)               /* of a manager's only step */
{
    char root[100];
    snprintf(root, sizeof root, "%.*s", (int)(strstr(path, "/0/") - path), path);
    const tt_manager m = tt_manager_open_at(0, root, TEXT_OPTS(tt_manager_opts, .best = "min loss"));
    if (tt_ok()) tt_manager_best(m);
    return tt_none();
}
static tt_val as_tokenizer(const char *path)             /* and a text there and back */
{
    static const char text[] = "a Ab\t\n  \xc3\xa9\xe2\x96\x81\xf0\x9f\x98\x80 1 2345 \xe4\xbd\xa0\xff don't "
                               "<s> aaaaaaaaaa";
    const tt_tokenizer t = tt_tokenizer_open_at(0, path, NULL);
    if (tt_ok()) tt_tokenizer_decode_at(0, t, tt_tokenizer_encode_at(0, t, text, NULL), NULL);
    return tt_none();
}
static tt_val as_npy(const char *path) { return tt_read_npy_at(0, path); }
static tt_val as_model(const char *path)
{
    const tt_model m = tt_model_load_at(0, path, TEXT_OPTS(tt_model_opts, .dtype = 0));
    return tt_ok() ? tt_model_params_at(0, m) : tt_none();
}
static tt_val as_digits(const char *path)                /* and a batch of them */
{
    char root[100];
    snprintf(root, sizeof root, "%.*s", (int)(strrchr(path, '/') - path), path);
    setenv("TUTTI_DATA", root, 1);
    const tt_data d = tt_mnist_at(0, strrchr(path, '/') + 1, TEXT_OPTS(tt_data_opts, .batch = 1, .keep_last = 1));
    tt_loop batches = tt_batches_of(0, d, TEXT_OPTS(tt_loop_opts, .start = 0));
    if (tt_ok() && tt_next(&batches)) tt_get_at(0, batches.batch, "image");
    unsetenv("TUTTI_DATA");
    return tt_none();
}
static tt_val as_written(const char *path)               /* metrics that go on: steps from 2 on go, one comes */
{
    const tt_metric_writer w = tt_metric_writer_open_at(0, path, TEXT_OPTS(tt_metric_writer_opts, .purge_step = 2));
    if (tt_ok()) tt_write_scalars_at(0, w, 3, tt_dict("loss", tt_f(1)));
    return tt_none();
}

static const format formats[] = {
    { .name = "safetensors", .file = { "x.safetensors" }, .mend = { mend_safetensors } },
    { .name = "gguf", .file = { "x.gguf" } },
    { .name = "npz", .file = { "x.npz" }, .mend = { mend_zip } },
    { .name = "msgpack", .file = { "x.msgpack" } },
    { .name = "hdf5", .file = { "x.h5" } },
    { .name = "ocdbt", .file = { "manifest.ocdbt", "d/nodes", "d/values" }, .mend = { mend_frames, mend_frames } },
    { .name = "zarr", .file = { "zarr.json", "c.0" }, .mend = { NULL, mend_piece } },
    { .name = "zarr2", .file = { ".zarray", "0.0" }, .mend = { NULL, mend_piece } },
    { .name = "orbax", .file = { "_METADATA", "zarr.json", "w/zarr.json", "w/c.0" },
      .mend = { NULL, NULL, NULL, mend_piece } },
    { .name = "manifest", .file = { "_MANIFEST", "commit_success.txt", "_METADATA" } },
    { .name = "index", .file = { "model.safetensors.index.json", "x.safetensors" },
      .mend = { NULL, mend_safetensors } },
    { .name = "npy", .file = { "x.npy" }, .read = as_npy },
    { .name = "idx", .file = { "x.idx" }, .read = as_idx },
    { .name = "gz", .file = { "x.gz" }, .mend = { mend_gzip }, .read = as_idx },
    { .name = "metrics", .file = { "0/metrics/metrics" }, .read = as_metrics },
    { .name = "csv", .file = { "x.csv" }, .read = as_csv },
    { .name = "model", .file = { "config.json", "model.safetensors", "generation_config.json" },
      .mend = { NULL, mend_safetensors }, .read = as_model },
    { .name = "digits", .file = { "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz" }, .read = as_digits },
    { .name = "lines", .file = { "x.jsonl" }, .read = as_written },
    { .name = "columns", .file = { "x.csv" }, .read = as_written },
    { .name = "tokenizer", .file = { "tokenizer.json" }, .read = as_tokenizer },
    { .name = "sentencepiece", .file = { "tokenizer.model" }, .read = as_tokenizer },
    { .name = "merges", .file = { "vocab.json", "merges.txt" }, .read = as_tokenizer },
    { .name = "mesh", .text = as_mesh },
    { .name = "spec", .text = as_spec },
    { .name = "layout", .text = as_layout },
    { .name = "rules", .text = as_rules },
    { .name = "names", .text = as_names },
    { .name = "over", .text = as_over },
    { .name = "dot", .text = as_dot },
    { .name = "pad", .text = as_pad },
    { .name = "einsum", .text = as_einsum },
    { .name = "vmap", .text = as_vmap },
    { .name = "jit", .text = as_jit },
    { .name = "manual", .text = as_manual },
    { .name = "groups", .text = as_groups },
    { .name = "pairs", .text = as_pairs },
    { .name = "schedule", .text = as_schedule },
    { .name = "chain", .text = as_chain },
    { .name = "init", .text = as_init },
    { .name = "formula", .text = as_formula },
    { .name = "form", .text = as_form },
    { .name = "number", .text = as_number },
    { .name = "path", .text = as_path },
    { .name = "leaf", .text = as_leaf },
    { .name = "layer", .text = as_layer },
    { .name = "given", .text = as_given },
    { .name = "switches", .text = as_switches },
    { .name = "picture", .text = as_picture },
    { .name = "steps", .text = as_steps },
    { .name = "ir", .text = as_ir },
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* The i-th part of an input: where it begins, how long it is. */
static size_t part(const format *f, const uint8_t *p, size_t n, int i, size_t *len)
{
    size_t from = 0;
    for (int k = 0;; k++) {
        const bool last = k + 1 == PARTS || !f->file[k + 1];
        const size_t head = last || n - from < 3 ? 0 : 3, want = head ? (size_t)mutate_get(p + from, 3) : n - from;
        from += head;
        *len = want > n - from ? n - from : want;
        if (k == i || last) return from;
        from += *len;
    }
}

static void spill(const char *at, const char *name, const uint8_t *p, size_t n)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", at, name);
    FILE *f = fopen(path, "wb");
    if (f && n) fwrite(p, 1, n, f);
    if (f) fclose(f);
}

/* All that it holds, but for arrays that are larger than the input can be. */
static bool read_all(const char *path, size_t most)
{
    ckpt c = { 0 };
    ckpt_err e = { 0 };
    bool ok = ckpt_open(&c, path, &e);
    for (int i = 0; ok && i < c.nleaf; i++) {
        const ckpt_leaf *l = &c.leaf[i];
        const int64_t zero[CKPT_RANK] = { 0 }, n = ckpt_box_bytes(l->array.dtype, l->array.rank, l->array.dim);
        ckpt_bytes b = { 0 };
        if (l->what != CKPT_ARRAY || n < 0 || (uint64_t)n > most || !ckpt_alloc(&e, &b, (size_t)n)) continue;
        c.read(&c, l, zero, l->array.dim, b.p, &e);
        ckpt_free(&b);
    }
    if (ok && c.outer) ckpt_manifest_check(c.outer, true, &e);
    ckpt_err tree = { 0 };
    if (ok) ckpt_tree(NULL, &c, &tree);
    ckpt_close(&c);
    return !e.code && !tree.code;
}

static bool execute(const format *f, const uint8_t *p, size_t n)     /* True if it was read */
{
    bool ok = true;
    char at[100], path[300];
    said = 0;
    const tt_scope scope = tt_scope_open();
    snprintf(at, sizeof at, "%s/%s", dir, f->name);
    if (f->text) {
        char *s = malloc(n + 1);
        if (s) memcpy(s, p, n), s[n] = 0, f->text(s);
        free(s);
    } else {
        for (int i = 0; i < PARTS && f->file[i]; i++) {
            size_t len;
            const size_t from = part(f, p, n, i, &len);
            spill(at, f->file[i], p + from, len);
        }
        snprintf(path, sizeof path, "%s%s%s", at, f->file[1] ? "" : "/", f->file[1] ? "" : f->file[0]);
        if (f->read) f->read(path);
        else ok = read_all(path, 64 * n + (1 << 16));
    }
    ok = ok && tt_ok();
    tt_clear();
    tt_scope_close(scope);
    must(said <= SHORT + LONG * n, "a long message", f->name);
    return ok;
}

static void folders(const format *f)
{
    static const char *const all[] = { "", "/d", "/w", "/0", "/0/metrics" };
    char at[200];
    for (size_t i = 0; i < sizeof all / sizeof *all && (i < 3 || !strcmp(f->name, "metrics")); i++)
        snprintf(at, sizeof at, "%s/%s%s", dir, f->name, all[i]), mkdir(at, 0777);
    if (!strcmp(f->name, "metrics")) snprintf(at, sizeof at, "%s/metrics/0", dir), spill(at, "_METADATA", NULL, 0);
}

static void removed(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    if (system(command) != 0) fprintf(stderr, "%s stays\n", dir);
}

static size_t mutated(const format *f, uint8_t *p, size_t n, size_t cap)
{
    const int i = (int)draw(PARTS);
    size_t len, capacity;
    const size_t from = part(f, p, n, f->file[i] ? i : 0, &len);
    static uint8_t rest[MOST];
    const size_t tail = n - from - len;
    if (tail > sizeof rest || n > cap) return n;
    memcpy(rest, p + from + len, tail);
    capacity = cap - from - tail;
    size_t now = len;
    for (int k = 1 + (int)draw(3); k > 0; k--) mutate_once(p + from, &now, capacity < MOST ? capacity : MOST);
    if (f->mend[f->file[i] ? i : 0] && draw(4)) f->mend[f->file[i] ? i : 0](p + from, now);
    const bool last = (f->file[i] ? i : 0) + 1 == PARTS || !f->file[(f->file[i] ? i : 0) + 1];
    if (!last && from >= 3) mutate_put(p + from - 3, now, 3);
    memcpy(p + from + now, rest, tail);
    return from + now + tail;
}

#ifdef TUTTI_LIBFUZZER
/* What is allocated at once while one input is read, as the allocator counts it. */
#include <sanitizer/allocator_interface.h>

static const format *target;
static size_t live, top;
static __thread bool counting;

static void came(const volatile void *p, size_t n) { if (counting && (live += n, (void)p, live > top)) top = live; }
static void went(const volatile void *p)
{
    const size_t n = counting && p ? __sanitizer_get_allocated_size(p) : 0;
    live -= n < live ? n : live;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *p, size_t n, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *p, size_t n, size_t most);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("TUTTI_FUZZ");
    (void)argc, (void)argv;
    for (int i = 0; i < FORMATS; i++) if (name && !strcmp(formats[i].name, name)) target = &formats[i];
    if (!target || !check_folder(dir)) return fprintf(stderr, "TUTTI_FUZZ names no format\n"), exit(2), 0;
    atexit(removed);
    tt_on_error(heard, NULL);
    folders(target);
    texts_begin();
    __sanitizer_install_malloc_and_free_hooks(came, went);
    return 0;
}

/* A table of the process that grows does so once: a second time shows what the input itself takes. */
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    for (int turn = 0; turn < 2; turn++) {
        live = top = 0, counting = true;
        execute(target, p, n);
        counting = false;
        if (top <= FLOOR + TIMES * n) return 0;
    }
    fprintf(stderr, "%zu bytes of memory for an input of %zu\n", top, n), abort();
}

const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "quarantine_size_mb=16:malloc_context_size=8"; }

size_t LLVMFuzzerCustomMutator(uint8_t *p, size_t n, size_t most, unsigned seed)
{
    mutate_state = seed * 2654435761u + 1;
    if (target->text && n <= WORDS && most > WORDS) most = WORDS;
    return draw(3) ? mutated(target, p, n, most) : LLVMFuzzerMutate(p, n, most);
}

#else
static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static size_t read_file(const char *path, uint8_t *p)
{
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(p, 1, MOST / 2, f) : 0;
    if (f) fclose(f);
    return n;
}

static void timed(const format *f, const uint8_t *p, size_t n, const char *what, double *longest)
{
    const double began = cpu();
    const bool ok = execute(f, p, n);
    const double took = cpu() - began;
    if (took > *longest) *longest = took;
    const bool whole = strcmp(what, "a mutation") != 0 && strncmp(what, "bad", 3) != 0;
    CHECK(ok || !whole, "%s/%s: was refused: %s", f->name, what, last);
    CHECK(took < 2, "%s: %s took %.1f s for %zu bytes", f->name, what, took, n);
}

static void fuzz(const format *f, const char *from, int each)
{
    static uint8_t seeds[64][MOST / 2], p[MOST];
    size_t size[64];
    char path[600];
    int n = 0;
    double longest = 0;
    snprintf(path, sizeof path, "%s/%s", from, f->name);
    DIR *d = opendir(path);
    for (struct dirent *x; d && n < 64 && (x = readdir(d));) {
        if (x->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s/%s", from, f->name, x->d_name);
        size[n] = read_file(path, seeds[n]);
        timed(f, seeds[n], size[n], x->d_name, &longest);
        n++;
    }
    if (d) closedir(d);
    CHECK(n > 0, "%s/%s: no corpus", from, f->name);
    for (int i = 0; n && i < each; i++) {
        const int k = (int)draw((uint64_t)n);
        size_t len = size[k];
        memcpy(p, seeds[k], len);
        for (int turn = 1 + (int)draw(3); turn > 0; turn--) len = mutated(f, p, len, MOST);
        timed(f, p, len, "a mutation", &longest);
    }
    printf("%s: %d inputs, %d mutations, the longest %.3f s\n", f->name, n, each, longest);
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--seed N --each N --only NAME --from FOLDER")) return check_done();
    const char *only = NULL, *from = "tests/corpus/files";
    int each = 300;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--seed")) mutate_state = 2 * (uint64_t)atoll(argv[i + 1]) + 1;
        if (!strcmp(argv[i], "--each")) each = atoi(argv[i + 1]);
        if (!strcmp(argv[i], "--only")) only = argv[i + 1];
        if (!strcmp(argv[i], "--from")) from = argv[i + 1];
    }
    if (!check_folder(dir)) return 1;
    tt_on_error(heard, NULL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    texts_begin();
    for (int i = 0; i < FORMATS; i++) {
        if (only && strcmp(only, formats[i].name)) continue;
        folders(&formats[i]);
        fuzz(&formats[i], from, each);
    }
    removed();
    CHECK(access(dir, F_OK) != 0, "%s stays", dir);
    tt_done();
    return check_done();
}
#endif
