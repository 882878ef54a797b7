/* data/data.h - declarations shared by the files of this room: files as bytes, headers of IDX and NPY, the zip
 * container. Includes public headers only. */
#ifndef TUTTI_DATA_ROOM_H
#define TUTTI_DATA_ROOM_H

#include <tutti.h>

typedef struct { uint8_t *p; size_t n; } data_bytes;     /* owned by the caller; data_free() */
/* A complete file, unpacked if it is gzip. False with the error set, which has the path and the system's message. */
const char *data_read(const char *path, data_bytes *out);  /* the same without setting an error: NULL, or the reason */
bool data_slurp(const char *site, const char *path, data_bytes *out);
void data_free(data_bytes *);
bool data_exists(const char *path);
/* The path of a file that comes with Tutti; false: it is not found. */
enum { DATA_PATH = 4096 };
bool data_shipped(const char *file, char path[DATA_PATH]);
/* A file that is written under a temporary name in the same folder, synced, renamed, and its folder synced: path has
 * the old or the new content, never a part, and after a success the new content is durable. done, not ok: nothing has
 * changed. */
typedef struct { int fd; const char *path; char part[DATA_PATH]; } data_file;
/* The temporary name under which this thread writes to the path; each thread has its own. False: it is too long. */
bool data_part_of(const char *path, char part[DATA_PATH]);
bool data_begin(const char *site, const char *path, data_file *);
bool data_append(const char *site, data_file *, const void *p, size_t n);
bool data_done(const char *site, data_file *, bool ok);
bool data_write(const char *site, const char *path, const void *p, size_t n);    /* in one call */

/* dims end with TT_DIM_END. bits: of a type that has no name in NumPy. turned: not 0: the bytes of each so many are in
 * the other order */
typedef struct { tt_dtype dtype; int64_t dim[14]; size_t at, bytes, turned; bool fortran, bits; } data_array;
bool data_idx(const char *site, const char *path, data_bytes, data_array *out);
bool data_npy(const char *site, const char *path, data_bytes, data_array *out);
const char *data_note(tt_dtype);                         /* Tutti's note for a type without a name in NPY; else "" */
void data_noted(const char *note, data_array *);         /* resolves bits to the type in such a note */
void data_turn(uint8_t *p, size_t bytes, size_t unit);   /* reverses the bytes of each unit */
tt_val data_value(const char *site, const data_bytes *, const data_array *);
/* The value as an NPY file's bytes: header and elements. */
bool data_to_npy(const char *site, tt_val v, data_bytes *out);

/* note: the entry's comment. Bytes point into the zip, or are owned (own). */
typedef struct { char *name, *note; data_bytes bytes; bool own; } data_entry;
bool data_unzip(const char *site, const char *path, data_bytes zip, int *n, data_entry **out);
void data_entries_free(int n, data_entry *);
/* Writes entries in sequence, uncompressed, into a file that was begun. most: sizes from here on need zip64; 0: 2^32 -
 * 1 */
typedef struct { data_file file; uint64_t at, n, most; data_bytes dir; size_t cap; } data_zip;
bool data_zip_add(data_zip *, const char *site, const char *name, const char *note, data_bytes);
bool data_zip_end(data_zip *, const char *site, bool ok);

/* The rows of a batch that are assembled: runs of rows, one behind the other; `at`: of the first in a buffer. */
typedef struct { int64_t lo, n, at; } data_run;
typedef struct { int64_t n; int nrun; data_run *run; } data_rows;

/* Images and labels as bytes, and the options of batching. Belongs to the scope in which it was created. */
typedef struct tt_data_s {
    data_bytes images, labels;
    const uint8_t *image, *label;                        /* [count, 28, 28], [count] */
    int64_t count, batch;
    bool keep_last, wrap, shuffled;
    int ahead; struct data_ahead *thread;                /* number of batches assembled in advance */
    const char *site;                                    /* the call that created it */
    tt_mesh mesh; char spec[128];                        /* layout of batches; p NULL: no mesh */
    /* in a job, with a mesh: the rows of this process, of whole batches and of the last one */
    bool shared; data_rows rows[2];
    bool there;                                          /* the arrays of this epoch are on an engine's devices */
    tt_val key;                                          /* kept; split once per epoch */
    int32_t *order; int64_t epoch;                       /* order: [count], of the epoch-th loop, the current one */
    tt_val tree;    /* of tt_dataset: kept; its leaves' elements, rows of unit[] bytes */
    int nleaf;
    uint8_t **leaf; size_t *unit;
    char from[4200];
} data_set;
/* One batch as elements: part[i] of leaf i, or the images and the labels; of `rows`, if shared. It is filled without a
 * call of the library, so that any thread may do so. false: no memory. */
enum { DATA_PARTS = 64 };
typedef struct {
    int64_t n; const data_rows *rows; void *part[DATA_PARTS];
    bool is_there; tt_val there;                         /* the batch as a value on the engine's devices, kept */
} data_batch;
int64_t data_batches(const data_set *);                  /* number of batches per epoch */
bool data_fill(const data_set *, int64_t i, data_batch *);
void data_batch_free(data_batch *);
/* Begins to send the batch to the engine's devices; if that fails it stays here, and who takes it meets the error. */
void data_batch_send(const data_set *, data_batch *);
/* A thread assembles batches 0, 1, ... of an epoch, at most `ahead` before they are taken (ahead.c), and begins to send
 * them if arrays are on an engine's devices. */
bool data_ahead_start(data_set *, int64_t n);
int64_t data_ahead_next(const data_set *);               /* the index of the next batch; -1: none */
bool data_ahead_take(data_set *, data_batch *);          /* the next one; false: no memory */
void data_ahead_stop(data_set *);
data_set *data_set_new(const char *site, const tt_data_opts *);
bool data_fits_spec(const data_set *, tt_val like);      /* True if batches like this one can have the spec */

/* ---- the processes of a job (ranks.c) ---- */

bool data_in_job(void);                                  /* True if there are other processes */
/* True if no process of the job has an error and `same` is equal in all; all processes call it together. */
bool data_agree(const char *site, const char *what, const char *same, double patience);
/* Finds the rows of this process: like is the shape of a whole batch's array. False with the error set */
bool data_share(data_set *, tt_val like);
bool data_same_order(const char *site, const data_set *);        /* True if all processes have one order of rows */
/* The array of a batch, from the rows in `part`, each device's part by itself. unit: bytes of a row */
tt_val data_shared_array(const data_set *, const data_batch *, const void *part, size_t unit, tt_dtype,
                         const int64_t *dim);

/* Downloads to `to` by the curl program: at most 5 s to connect, checksum, rename. False: the reason in *why, no error
 * set. */
bool data_fetch(const char *url, const char *to, uint32_t crc, const char **why);
uint32_t data_crc(const uint8_t *, size_t n);

#endif
