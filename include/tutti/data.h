/* tutti/data.h - data sets, batches, IDX, NPY, NPZ and CSV files, text. Images stay bytes until they are batched. */
#include <tutti.h>
#ifndef TUTTI_DATA_H
#define TUTTI_DATA_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct { struct tt_data_s *p; } tt_data;         /* belongs to the scope it was made in */
/* MNIST: "image" f32 [B, 28, 28, 1] in [0, 1], "label" i32 [B]. part "train" (default) or "test". From TUTTI_DATA, the
 * user's cache, a download (TUTTI_DATA_URL), or the real subset shipped with Tutti, said aloud. limit: at most that
 * many examples (0: all). shuffle: a key; a new order each epoch. The last incomplete batch is dropped (keep_last = 1
 * keeps it, wrap = 1 fills it up with the first rows of the epoch). ahead: so many batches are put together by a thread
 * before they are asked for. mesh: batches are born laid out, by spec (default: dim 0 over the mesh's first axis; it
 * need not divide). */
typedef struct tt_data_opts {
    TT_OPTION_HEAD
    int64_t batch TT_FROM_1; tt_val shuffle TT_DEFAULT; const char *part TT_DEFAULT; int64_t limit TT_DEFAULT;
    int keep_last TT_DEFAULT, wrap TT_DEFAULT, ahead TT_DEFAULT; tt_mesh mesh TT_DEFAULT; const char *spec TT_DEFAULT;
} tt_data_opts;
#define tt_mnist(...)        TT_MNIST_(TT_AT("tt_mnist(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_MNIST_(at, name, ...) tt_mnist_at(at, name, TT_OPTS(tt_data_opts, __VA_ARGS__))
TT_API tt_data tt_mnist_at(const char *site, const char *name, const tt_data_opts *);
/* A data set of arrays of one's own: a tree whose leaves have a row per example on dim 0. Batches are trees like it, in
 * file order without .shuffle, as tf.data's from_tensor_slices and batch give them. The rows are copied. */
#define tt_dataset(...)      TT_DATASET_(TT_AT("tt_dataset(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_DATASET_(at, tree, ...) tt_dataset_at(at, tree, TT_OPTS(tt_data_opts, __VA_ARGS__))
TT_API tt_data tt_dataset_at(const char *site, tt_val tree, const tt_data_opts *);
/* All of it: the tree of tt_dataset; of MNIST "image" u8 [N, 28, 28] and "label" u8 [N]. */
#define tt_data_arrays(data) tt_data_arrays_at(TT_AT("tt_data_arrays(" #data ")"), data)
TT_API tt_val tt_data_arrays_at(const char *site, tt_data);
/* How many examples; whence: "the shipped subset of 5,000", "TUTTI_DATA", ... Of no data set 0 and "", with the error
 * set. */
#define tt_data_count(data)  tt_data_count_at(TT_AT("tt_data_count(" #data ")"), data)
#define tt_data_from(data)   tt_data_from_at(TT_AT("tt_data_from(" #data ")"), data)
TT_API int64_t tt_data_count_at(const char *site, tt_data);
TT_API const char *tt_data_from_at(const char *site, tt_data);
TT_API const char *tt_data_doctor(void);   /* for tutti doctor: which MNIST would be used, and why not others */
#define tt_batches(...)      TT_BATCHES_(TT_AT("tt_batches(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_BATCHES_(at, data, ...) tt_batches_of(at, data, TT_OPTS(tt_loop_opts, __VA_ARGS__))
TT_API void tt_batches_at(const char *site, tt_data, const tt_loop_opts *, tt_loop *out);
static inline tt_loop tt_batches_of(const char *site, tt_data d, const tt_loop_opts *o)
{
    tt_loop l;
    tt_batches_at(site, d, o, &l);
    return l;
}
/* For loops of one's own: fill(env, i) gives batch i: tt_loop_of(n, fill, env). */
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

#define tt_read_idx(path)    tt_read_idx_at(TT_AT("tt_read_idx(" #path ")"), path)   /* also .gz; u8 arrays */
/* A table of numbers, a row per line: a dict of columns when the first line names them, else a matrix; gzip too.
 * dtype: TT_F32 by default; every number must be one of an integer dtype. An empty field is NaN. separator: one
 * character, "," by default. header: whether the first line names the columns; by default it does where it is of words,
 * and a first line of words and numbers is an error. */
typedef struct tt_csv_opts {
    TT_OPTION_HEAD
    tt_dtype dtype TT_DEFAULT; const char *separator TT_DEFAULT; int header TT_DEFAULT;
} tt_csv_opts;
#define tt_read_csv(...)     TT_CSV_(TT_AT("tt_read_csv(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_CSV_(at, path, ...) tt_read_csv_at(at, path, TT_OPTS(tt_csv_opts, __VA_ARGS__))
TT_API tt_val tt_read_csv_at(const char *site, const char *path, const tt_csv_opts *);
#define tt_read_text(path)   tt_read_text_at(TT_AT("tt_read_text(" #path ")"), path)     /* its bytes, u8 [N] */
TT_API tt_val tt_read_text_at(const char *site, const char *path);
#define tt_read_npy(path)    tt_read_npy_at(TT_AT("tt_read_npy(" #path ")"), path)
#define tt_read_npz(path)    tt_read_npz_at(TT_AT("tt_read_npz(" #path ")"), path)               /* a dict */
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
