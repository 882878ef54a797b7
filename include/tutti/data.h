/* tutti/data.h - data sets, batches, IDX, NPY, NPZ and CSV files, text. Images are u8 until a batch is assembled. */
#include <tutti.h>
#ifndef TUTTI_DATA_H
#define TUTTI_DATA_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct { struct tt_data_s *p; tt_val alive; } tt_data;  /* belongs to the scope in which it was created */
/* MNIST: "image" f32 [B, 28, 28, 1] in [0, 1], "label" i32 [B]. Searched in this order: TUTTI_DATA, the user's cache, a
 * download (TUTTI_DATA_URL), the real subset shipped with Tutti, whose use is reported. A name other than "mnist" is
 * a folder with such files; it is searched in TUTTI_DATA only.
 * - part: "train" (default) or "test". limit: at most that many examples (0: all).
 * - shuffle: a key; each loop, an epoch, has a new order. A loop that goes on after another one has begun is an error.
 * - The last incomplete batch is dropped; keep_last = 1 keeps it, wrap = 1 fills it with the first rows of the epoch.
 * - ahead: the number of batches that a thread assembles in advance and, on an engine of PJRT, sends to its devices.
 * - mesh: batches are created with the layout spec (default: dim 0 over the mesh's first axis; it need not divide).
 *
 * In a job (tutti/process.h) all processes create a data set with a mesh together, and loop over it together. Each
 * assembles only the rows of its own parts; the order of rows is that of one process, and a process with another order,
 * other sizes, files or arrays is an error in all processes; of arrays of more than 64 MiB some rows are compared. For
 * tt_mnist, one process per host downloads, with and without a mesh.
 *     tt_data digits = tt_mnist("mnist", .batch = 128, .shuffle = tt_key(0), .mesh = mesh); */
typedef struct tt_data_opts {
    TT_OPTION_HEAD
    int64_t batch TT_FROM_1; tt_val shuffle TT_DEFAULT; const char *part TT_DEFAULT; int64_t limit TT_DEFAULT;
    int keep_last TT_DEFAULT, wrap TT_DEFAULT, ahead TT_DEFAULT; tt_mesh mesh TT_DEFAULT; const char *spec TT_DEFAULT;
} tt_data_opts;
#define tt_mnist(...)        TT_MNIST_(TT_AT("tt_mnist(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_MNIST_(at, name, ...) tt_mnist_at(at, name, TT_OPTS(tt_data_opts, __VA_ARGS__))
TT_API tt_data tt_mnist_at(const char *site, const char *name, const tt_data_opts *);
/* A data set from the caller's arrays: a tree whose leaves have one row per example on dim 0. Batches are trees of the
 * same structure, in file order without .shuffle, as from tf.data's from_tensor_slices and batch. The rows are
 * copied.
 *     tt_data data = tt_dataset(tt_dict("x", x, "y", y), .batch = 32, .keep_last = 1); */
#define tt_dataset(...)      TT_DATASET_(TT_AT("tt_dataset(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_DATASET_(at, tree, ...) tt_dataset_at(at, tree, TT_OPTS(tt_data_opts, __VA_ARGS__))
TT_API tt_data tt_dataset_at(const char *site, tt_val tree, const tt_data_opts *);
/* The full data set: the tree of tt_dataset; of MNIST "image" u8 [N, 28, 28] and "label" u8 [N].
 *     tt_val images = tt_get(tt_data_arrays(digits), "image"); */
#define tt_data_arrays(data) tt_data_arrays_at(TT_AT("tt_data_arrays(" #data ")"), data)
TT_API tt_val tt_data_arrays_at(const char *site, tt_data);
/* The number of examples; the source: "the shipped subset of 5,000", "TUTTI_DATA", ... Without a data set: 0 and "",
 * with the error set.
 *     printf("%d examples of %s\n", (int)tt_data_count(digits), tt_data_from(digits)); */
#define tt_data_count(data)  tt_data_count_at(TT_AT("tt_data_count(" #data ")"), data)
#define tt_data_from(data)   tt_data_from_at(TT_AT("tt_data_from(" #data ")"), data)
TT_API int64_t tt_data_count_at(const char *site, tt_data);
TT_API const char *tt_data_from_at(const char *site, tt_data);
/* for tutti doctor: which MNIST would be used, and why not the other sources
 *     puts(tt_data_doctor());
 *     for (tt_loop it = tt_batches(digits); tt_next(&it); ) tt_assign(&s, tt_call(train, s, it.batch)); */
TT_API const char *tt_data_doctor(void);
#define tt_batches(...)      TT_BATCHES_(TT_AT("tt_batches(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_BATCHES_(at, data, ...) tt_batches_of(at, data, TT_OPTS(tt_loop_opts, __VA_ARGS__))
TT_API void tt_batches_at(const char *site, tt_data, const tt_loop_opts *, tt_loop *out);
static inline tt_loop tt_batches_of(const char *site, tt_data d, const tt_loop_opts *o)
{
    tt_loop l;
    tt_batches_at(site, d, o, &l);
    return l;
}
/* A loop over the caller's batches: fill(env, i) returns batch i: tt_loop_of(n, fill, env).
 *     for (tt_loop it = tt_loop_of(100, make_batch, &env); tt_next(&it); ) tt_assign(&s, it.batch); */
#define tt_loop_of(n, fill, ...) TT_LOOP_OF_(TT_AT("tt_loop_of(" #n ", " #fill ")"), n, fill, __VA_ARGS__, )
#define TT_LOOP_OF_(at, n, fill, env, ...) tt_loop_of_of(at, n, fill, env, TT_OPTS(tt_loop_opts, __VA_ARGS__))
TT_API void tt_loop_of_at(const char *site, int64_t n, tt_val (*fill)(void *env, int64_t i), void *env,
    const tt_loop_opts *, tt_loop *out);
static inline tt_loop tt_loop_of_of(const char *site, int64_t n, tt_val (*fill)(void *env, int64_t i), void *env,
                                    const tt_loop_opts *o)
{
    tt_loop l;
    tt_loop_of_at(site, n, fill, env, o, &l);
    return l;
}

/*     tt_val raw = tt_read_idx("train-images-idx3-ubyte.gz"); */
#define tt_read_idx(path)    tt_read_idx_at(TT_AT("tt_read_idx(" #path ")"), path)   /* also .gz; u8 arrays */
/* A table of numbers, a row per line: a dict of columns if the first line names them, else a matrix; gzip too. dtype:
 * TT_F32 by default; with an integer dtype every number must be an integer of that dtype. An empty field is NaN.
 * separator: one character, "," by default. header: 1 if the first line names the columns; by default it does if all
 * its fields are words; a first line that mixes words and numbers is an error.
 *     tt_val table = tt_read_csv("points.csv"), column = tt_get(table, "x"); */
typedef struct tt_csv_opts {
    TT_OPTION_HEAD
    tt_dtype dtype TT_DEFAULT; const char *separator TT_DEFAULT; int header TT_DEFAULT;
} tt_csv_opts;
#define tt_read_csv(...)     TT_CSV_(TT_AT("tt_read_csv(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_CSV_(at, path, ...) tt_read_csv_at(at, path, TT_OPTS(tt_csv_opts, __VA_ARGS__))
TT_API tt_val tt_read_csv_at(const char *site, const char *path, const tt_csv_opts *);
/* The bytes of a file, u8 [N], unpacked if it is gzip. A name without a folder that is not a file of the working
 * directory is searched in TUTTI_DATA's folder text, then among the texts that come with Tutti: "tinyshakespeare.txt".
 *     tt_val bytes = tt_read_text("tinyshakespeare.txt");
 *     tt_val rows = tt_read_npy("rows.npy"), all = tt_read_npz("all.npz"); */
#define tt_read_text(path)   tt_read_text_at(TT_AT("tt_read_text(" #path ")"), path)
TT_API tt_val tt_read_text_at(const char *site, const char *path);
#define tt_read_npy(path)    tt_read_npy_at(TT_AT("tt_read_npy(" #path ")"), path)
#define tt_read_npz(path)    tt_read_npz_at(TT_AT("tt_read_npz(" #path ")"), path)               /* a dict */
/* These write what this process has: in a job each process writes its own file, at a path of its own.
 *     tt_write_npy("rows.npy", x), tt_write_npz("all.npz", tt_dict("x", x, "y", y)); */
#define tt_write_npy(path, v) tt_write_npy_at(TT_AT("tt_write_npy(" #path ", " #v ")"), path, v)
#define tt_write_npz(path, tree) tt_write_npz_at(TT_AT("tt_write_npz(" #path ", " #tree ")"), path, tree)
TT_API tt_val tt_read_idx_at(const char *site, const char *path), tt_read_npy_at(const char *site, const char *path),
    tt_read_npz_at(const char *site, const char *path);
TT_API bool tt_write_npy_at(const char *site, const char *path, tt_val v),
    tt_write_npz_at(const char *site, const char *path, tt_val tree);

#ifdef __cplusplus
}
#endif
#endif
