/* ckpt/ckpt.h - declarations shared by the files of this room: errors as text, files, codecs, chunked arrays, opened
 * checkpoints. Longer than 400 lines: each file of the room includes most of it.
 *
 * Functions here set a ckpt_err and return false; only the public calls report to the library (tt_fail_at), so that
 * everything below them may run on a thread of its own. Includes public headers only. */
#ifndef TUTTI_CKPT_ROOM_H
#define TUTTI_CKPT_ROOM_H

#include <jansson.h>
#include <tutti.h>

enum { CKPT_RANK = 12, CKPT_PATH = 4096, CKPT_CHAINS = 8, CKPT_CODECS = 6, CKPT_DEPTH = 64 };

/* The first error wins. code TT_OK: none. hint: NULL, or a text that lives as long as the program. */
typedef struct { tt_code code; const char *hint; char text[900]; } ckpt_err;
bool ckpt_fail(ckpt_err *, tt_code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
bool ckpt_fail_hint(ckpt_err *, tt_code, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
bool ckpt_there(ckpt_err *, const char *path);           /* fails: something is at the path, and .force is not given */
tt_val ckpt_report(const char *site, const ckpt_err *);  /* tt_fail_at; poison */

typedef struct { uint8_t *p; size_t n; } ckpt_bytes;     /* owned by the caller */
void ckpt_free(ckpt_bytes *);
bool ckpt_alloc(ckpt_err *, ckpt_bytes *, size_t n);     /* n bytes, not cleared */
char *ckpt_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));     /* malloc'ed; NULL: no memory */

/* ---- dtypes (dtype.c) ---- */

size_t      ckpt_unit(tt_dtype);
const char *ckpt_zarr3_name(tt_dtype);
tt_dtype    ckpt_of_zarr3(const char *name);             /* 0: unknown */
tt_dtype    ckpt_of_numpy(const char *name, bool *big);  /* "<f4", "|b1", "bfloat16"; 0: unknown */
const char *ckpt_safetensors_name(tt_dtype);             /* NULL: no name */
tt_dtype    ckpt_of_safetensors(const char *name);
/* True if all bytes are 0 or 1, if the dtype is bool */
bool        ckpt_bools(ckpt_err *, const char *where, tt_dtype, const uint8_t *, size_t n);
void        ckpt_swap(tt_dtype, uint8_t *, size_t n);    /* swaps the byte order; complex: of each half */
/* Bytes of a dense box; -1: more than 2^62 */
int64_t     ckpt_box_bytes(tt_dtype, int rank, const int64_t *n);

/* ---- codecs of bytes (codecs.c, crc32c.c) ---- */

/* crc 0 begins; for later parts pass the previous result */
uint32_t ckpt_crc32c(uint32_t crc, const void *, size_t n);
uint32_t ckpt_crc32c_join(uint32_t a, uint32_t b, uint64_t n);   /* of a's bytes followed by b's, which are n */
typedef enum { CKPT_GZIP = 1, CKPT_ZLIB, CKPT_ZSTD, CKPT_CRC32C } ckpt_codec;
/* in -> out (allocated). size: the exact size of out; -1: at most `most`. */
bool ckpt_checksum_is(ckpt_err *, const char *where, const uint8_t stored[4], uint32_t real);
/* True if the last 4 bytes are the checksum of the others */
bool ckpt_checked(ckpt_err *, const char *where, ckpt_bytes);
bool ckpt_decode(ckpt_err *, const char *where, ckpt_codec, ckpt_bytes in, int64_t size, size_t most, ckpt_bytes *out);
bool ckpt_zstd(ckpt_err *, int level, const uint8_t *, size_t n, ckpt_bytes *out);       /* compresses */
const char *ckpt_zstd_missing(void);                     /* NULL: libzstd is present; else the reason why not */

/* ---- files (file.c, folder.c) ---- */

/* Named byte strings: files under a folder, one file, or keys of an OCDBT store. size: -1 no such key, -2 an error. fd:
 * the folder or the file, kept open from the first read to the last, whatever its name points to meanwhile. */
struct iovec;
typedef struct ckpt_store {
    char *root;
    int fd;
    int64_t (*size)(const struct ckpt_store *, const char *key, ckpt_err *);
    bool (*read)(const struct ckpt_store *, const char *key, int64_t at, int64_t n, void *to, ckpt_err *);
    /* Reads bytes from `at` into n buffers; of a key with inline bytes, too. All three may be called by several threads
     * at once. */
    bool (*scatter)(const struct ckpt_store *, const char *key, int64_t at, const struct iovec *, int n, ckpt_err *);
    /* The key will be read: the system may prefetch it. NULL: no prefetching */
    void (*ahead)(const struct ckpt_store *, const char *key);
    void (*close)(struct ckpt_store *);
    void *own;
} ckpt_store;
ckpt_store *ckpt_folder(const char *root, ckpt_err *);
/* The whole file, mapped for reading, its size, and a descriptor to close, -1: none; NULL: it cannot be. Of stores of
 * files, not of OCDBT's. */
void *ckpt_file_map(const ckpt_store *, const char *key, int64_t *n, int *descriptor);
/* sub "": a second handle of the same folder */
ckpt_store *ckpt_folder_in(const ckpt_store *, const char *sub, ckpt_err *);
/* A single file: its key is its base name, to which *key (within `path`) points. */
ckpt_store *ckpt_single(const char *path, const char **key, ckpt_err *);
bool ckpt_has(const ckpt_store *, const char *name), ckpt_has_dir(const ckpt_store *, const char *name);
ckpt_store *ckpt_ocdbt(const ckpt_store *dir, ckpt_err *);       /* ocdbt.c */
/* The i-th key, and the size of its value; NULL: there are fewer */
const char *ckpt_ocdbt_key(const ckpt_store *, int i, int64_t *n);
/* The index of an OCDBT store (ocdbt_index.c): its values, in files below the store's folder, or inline (file NULL).
 * Sorts the values; two with one key are an error. node: the B-tree's only node, which goes to node_file. */
typedef struct { const char *key, *file, *bytes; int64_t at, n; } ckpt_stored;
bool ckpt_ocdbt_index(int n, ckpt_stored *, const char *node_file, ckpt_bytes *node, ckpt_bytes *manifest, ckpt_err *);
/* Sequential reading of bytes (frame.c): a read past the end sets bad. */
typedef struct { const uint8_t *p; size_t n, at; bool bad; } ckpt_cursor;
const uint8_t *ckpt_take(ckpt_cursor *, size_t n);
uint64_t ckpt_number(ckpt_cursor *);                     /* LEB128, at most 64 bits */
uint8_t ckpt_byte(ckpt_cursor *);
size_t ckpt_counted(ckpt_cursor *);                      /* a count of items of at least one byte each */
uint64_t *ckpt_column(ckpt_cursor *, size_t n);          /* n numbers; the caller frees them */
bool ckpt_frame(const char *root, const char *file, ckpt_bytes raw, uint32_t magic, size_t most, ckpt_bytes *body,
                ckpt_err *);                             /* the body of a manifest or node */
void ckpt_store_close(ckpt_store *);
bool ckpt_read_key(const ckpt_store *, const char *key, size_t most, ckpt_bytes *out, ckpt_err *);
bool ckpt_json(const ckpt_store *, const char *key, json_t **out, ckpt_err *);   /* duplicate keys are errors */
bool ckpt_key_good(const char *key);                     /* relative, no "..", no empty part */
bool ckpt_is_file(const char *dir, const char *name), ckpt_is_dir(const char *dir, const char *name);
/* Sorted names, without those that begin with a dot; -1: no such folder, or an error. Freed by ckpt_names_free */
int  ckpt_names(const char *dir, char ***out, ckpt_err *);
int  ckpt_names_in(const ckpt_store *, char ***out, ckpt_err *);
void ckpt_names_free(int n, char **);

/* ---- chunked arrays (zarr.c reads their documents, pull.c their elements) ---- */

typedef struct {                                         /* the codecs of a chunk */
    bool transposed; uint8_t perm[CKPT_RANK];            /* stored dim i is the chunk's dim perm[i] */
    bool shard, big;                                     /* contains smaller chunks; big-endian bytes */
    int64_t inner[CKPT_RANK];                            /* SHARD: shape of the inner chunks (of the stored dims) */
    int sub, index; bool index_first;                    /* SHARD: chains of the inner chunks and of the index */
    int ncodec; ckpt_codec codec[CKPT_CODECS];           /* in the order of encoding */
} ckpt_chain;
typedef struct {
    tt_dtype dtype; int rank; int64_t dim[CKPT_RANK], chunk[CKPT_RANK];
    bool prefixed; char sep;                             /* keys "c.0.1" or "0.1" */
    uint8_t fill[16]; bool strict;                       /* strict: a missing chunk is an error */
    int nchain; ckpt_chain *chain;                       /* the first is the array's; of Zarr arrays only */
} ckpt_array;
bool ckpt_zarr3(ckpt_err *, const char *where, const json_t *, ckpt_array *);
bool ckpt_zarr2(ckpt_err *, const char *where, const json_t *, ckpt_array *);
/* Reads the box [lo, lo + n) into dense memory. prefix: of the keys, "params.w/", or "". */
/* A chunk by its grid index. inside: several chunks are read at once, so it must start no threads. */
typedef bool ckpt_chunk_fn(void *env, const int64_t *at, bool inside, ckpt_err *);
bool ckpt_each_chunk(int rank, const int64_t *first, const int64_t *last, int64_t bytes, bool inside, ckpt_chunk_fn *,
                     void *env, ckpt_err *);                 /* chunks.c */
bool ckpt_can_read_direct(const ckpt_store *, size_t unit, int rank, const int64_t *n, const int64_t *step);
bool ckpt_read_direct(const ckpt_store *, const char *key, int64_t from, size_t unit, int rank, const int64_t *n,
                      char *to, const int64_t *step, bool checked, bool inside, const char *where, ckpt_err *);
bool ckpt_pull(const ckpt_store *, const char *prefix, const ckpt_array *, const int64_t *lo, const int64_t *n,
               void *to, ckpt_err *);
void ckpt_pull_ahead(const ckpt_store *, const char *prefix, const ckpt_array *);        /* all of it will be pulled */
/* Copies elements between two buffers with strides in bytes (copy.c). */
void ckpt_copy(size_t unit, int rank, const int64_t *n, char *to, const int64_t *to_step, const char *from,
               const int64_t *from_step);

/* ---- opened checkpoints (record.c; each format fills one) ---- */

/* How GGUF stores elements, n of them in so many bytes; unpack NULL: as they are (gguf_blocks.c). */
typedef struct {
    const char *name;
    tt_dtype dtype;
    int n, bytes;
    void (*unpack)(const uint8_t *, float *);
} ckpt_block;
const ckpt_block *ckpt_block_of(uint32_t type);          /* NULL: there is no such number */
const ckpt_block *ckpt_bytes_block(void);                /* of elements that are bytes */
typedef enum { CKPT_WHOLE, CKPT_CODES, CKPT_SCALES, CKPT_BYTES, CKPT_BLOCKS } ckpt_part; /* what is read of blocks */
typedef enum { CKPT_ARRAY, CKPT_STRING, CKPT_EMPTY } ckpt_what;
typedef struct {
    tt_ckpt_item item;                                   /* the public item; points into the fields below */
    ckpt_what what;
    tt_ckpt_key *key; char *path, *name, *folder, *text, *spec, *mesh, *axes;
    bool frozen;
    ckpt_array array;
    bool big; int64_t at;                                /* of dense formats: big-endian, offset */
    /* of GGUF; scales: where those of all blocks go too, while the codes of all are read, or NULL */
    const ckpt_block *block; ckpt_part part; uint8_t *scales;
    tt_val value;                                        /* of formats that are read completely when opened */
} ckpt_leaf;
typedef struct { const ckpt_store *s; char *key; struct stat *st; } ckpt_marked;
typedef struct { char *key, *file; int64_t at; } ckpt_later;      /* metadata that stands in a file, at a place */
typedef struct ckpt_format ckpt_format;
typedef struct ckpt_mapping ckpt_mapping;                /* a file as memory (mapping.c) */
typedef struct tt_ckpt_s {
    const ckpt_format *format;
    char *path;
    ckpt_store *outer;                                   /* the folder at path; NULL: a file */
    bool absent, complete;  /* absent: nothing is at path; complete: a missing file is an error */
    int nmark; ckpt_marked *mark;
    int nleaf, cap; ckpt_leaf *leaf;
    int64_t most;  /* maximum number of leaves for the file's bytes; 0: unlimited */
    int nsorted, *sorted;                                /* arrays sorted by path */
    int nstore; ckpt_store **store;
    json_t *tree, *metadata; /* Tutti's own description of the tree; safetensors' __metadata__ */
    /* A value of the metadata that is null there until it is asked for; NULL: an error. Metadata without such: NULL. */
    int nlater; ckpt_later *later;
    json_t *(*late)(const struct tt_ckpt_s *, const ckpt_later *, ckpt_err *);
    tt_val held;                                         /* kept, if `holds` */
    bool holds;
    ckpt_bytes bytes;                                    /* of formats that are read completely when opened */
    ckpt_mapping *mapped;
    bool (*read)(const struct tt_ckpt_s *, const ckpt_leaf *, const int64_t *lo, const int64_t *n, void *to,
                 ckpt_err *);
    void (*ahead)(const struct tt_ckpt_s *, const ckpt_leaf *);          /* the leaf will be read; NULL: no effect */
} ckpt;
void ckpt_close(ckpt *);
/* A holder of a file of the checkpoint, and its bytes; NULL: it cannot be mapped, and is read instead. */
ckpt_mapping *ckpt_mapping_hold(ckpt *, const char *file, uint8_t **at, int64_t *n);
void ckpt_mapping_drop(ckpt_mapping *), ckpt_mappings_close(ckpt *);
/* True if the array can be the file's memory: then *v is it, or poison with the error set. False: it is to be read. */
bool ckpt_mapped_value(const char *site, ckpt *, const ckpt_leaf *, tt_val *v);
/* Dense elements at l->at of the file l->text; blocks at the same place. */
bool ckpt_read_dense(const ckpt *, const ckpt_leaf *, const int64_t *lo, const int64_t *n, void *to, ckpt_err *);
bool ckpt_read_blocks(const ckpt *, const ckpt_leaf *, const int64_t *lo, const int64_t *n, void *to, ckpt_err *);
ckpt_leaf *ckpt_leaf_add(ckpt *, ckpt_err *);            /* cleared; NULL: no memory, or too many */
void ckpt_most(ckpt *, int64_t bytes);                   /* for a file of this size: keeps memory in proportion */
/* Sets the leaf's path: nkey keys; a key with name NULL is a number. Builds item.path and name (joined with dots). */
bool ckpt_leaf_path(ckpt_leaf *, int nkey, const tt_ckpt_key *, ckpt_err *);
void ckpt_leaf_array(ckpt_leaf *, tt_dtype, int rank, const int64_t *dim);
bool ckpt_store_add(ckpt *, ckpt_store *, ckpt_err *);   /* takes ownership */
bool   ckpt_index(ckpt *, ckpt_err *);                   /* sorts the arrays so that ckpt_find works */
int    ckpt_find(const ckpt *, const char *path);        /* index of the array with that path; -1 */

/* ---- formats (one struct each, in the format's file; formats.c lists them) ---- */

struct ckpt_format {
    const char *name;                                    /* what tt_ckpt_format returns: "orbax", "zarr3" */
    const char *title;                                   /* in messages: "NPZ" */
    const char *ending;                                  /* of the names of its files: ".npz"; NULL: none */
    bool dotted;                                         /* its arrays' names are paths, joined with dots */
    bool (*fills)(const ckpt_store *dir, ckpt_err *);    /* True if the folder has this format; NULL: none has */
    bool (*begins)(const uint8_t *head, int64_t n);      /* True if files of the format begin so; n <= 10 */
    /* Fills the record. A folder: c->outer. A file: c->store[0], where `key` is its name. */
    bool (*open)(ckpt *c, const char *key, ckpt_err *);
    /* Writes the tree to a file of this ending; an error in e, or already reported. NULL: cannot be written */
    bool (*save)(const char *site, const char *path, tt_val tree, ckpt_err *);
};
extern const ckpt_format ckpt_orbax, ckpt_orbax_step, ckpt_orbax_incomplete, ckpt_bare_ocdbt, ckpt_bare_zarr2,
    ckpt_bare_zarr3, ckpt_safetensors, ckpt_npz, ckpt_keras_h5, ckpt_flax_msgpack, ckpt_gguf;
/* NULL: no format's */
const ckpt_format *ckpt_format_of_name(const char *path);        /* by the ending */
/* The ending of the path, if it is that of files of another format ("m.h5", "m.NPZ"); NULL: of none */
const char *ckpt_foreign_ending(const char *path);
const ckpt_format *ckpt_format_of_bytes(const uint8_t *head, int64_t n);
const ckpt_format *ckpt_format_of_folder(const ckpt_store *, ckpt_err *);
bool ckpt_looks_orbax(const ckpt_store *dir);            /* True if a file of an Orbax item or step is in the folder */

bool ckpt_open(ckpt *, const char *path, ckpt_err *);    /* opens the checkpoint at path */
bool ckpt_is_open(const char *site, const char *what, tt_ckpt);    /* True if it is open; else sets the error */

/* The state of a checkpoint after it was read (unchanged.c). */
typedef enum { CKPT_UNCHANGED, CKPT_REPLACED, CKPT_GONE, CKPT_CHANGED } ckpt_fate;
bool ckpt_mark(ckpt *, const ckpt_store *, const char *key, ckpt_err *);         /* the file must be the same later */
bool ckpt_mark_all(ckpt *, const ckpt_store *, ckpt_err *);      /* documents that identify a folder's content */
void ckpt_marks_free(ckpt *);
ckpt_fate ckpt_fate_of(const ckpt *, bool read);         /* read: everything requested has been read */
/* Called after a load, successful or not. True if the checkpoint was replaced meanwhile, so that the load must be
 * repeated; else e is final.
 */
bool ckpt_retry(const ckpt *, int *attempt, ckpt_err *e);

/* ---- values (read.c) ---- */

tt_val ckpt_value(const char *site, const ckpt *, const ckpt_leaf *, tt_mesh, const char *spec, ckpt_err *);

tt_val ckpt_tree(const char *site, const ckpt *, ckpt_err *);    /* the full checkpoint as abstract values (tree.c) */

/* ---- the processes of a job (agree.c) ---- */

bool ckpt_in_job(void);                                  /* True if there are other processes */
/* True if no process of the job has an error, in e or in the library, and `same` is equal in
 * all; without a job: if e has none. False: the error of another process is the library's, not in e. */
bool ckpt_agree(const char *site, const char *what, const char *same, double patience, const ckpt_err *e);

/* ---- saving: the list of arrays to write (plan.c) ---- */

typedef struct {
    tt_val v; uint8_t *copy;  /* the value, or a copy of its elements at the time of the call */
    /* in a job: the writer of each cell, and copies of this writer's cells, dense; NULL: read from the value */
    int *owner; uint8_t **held;
    int nkey; tt_ckpt_key *key; char *path, *name, *folder;
    const char *empty;                                   /* "None", "Dict": a node without leaves; NULL: an array */
    tt_dtype dtype; int rank; int64_t dim[CKPT_RANK];
    int64_t chunk[CKPT_RANK], inner[CKPT_RANK], grid[CKPT_RANK], cells;  /* one file per grid cell; chunks in a file */
    const char *mesh, *axes; char *spec; bool frozen;    /* mesh NULL: no layout */
    bool quoted, even;  /* even: full axes that divide every dim, so JAX can have the layout too */
} ckpt_out;
typedef struct { json_t *tree; int n, cap; ckpt_out *out; int64_t bytes; } ckpt_plan;
bool ckpt_plan_of(ckpt_plan *, tt_val tree, ckpt_err *);
void ckpt_plan_free(ckpt_plan *);
bool ckpt_plan_copy(ckpt_plan *, ckpt_err *);            /* copies all elements: the values may be donated */
/* A checksum of names, shapes and chunks, which are equal in all writers of a save: of all leaves; of one more, after
 * those before it. */
uint32_t ckpt_plan_mark(const ckpt_plan *), ckpt_out_mark(uint32_t before, const ckpt_out *);

/* The folder of a leaf with this name; the quoted folder of a name that cannot be a folder (name.c). The caller frees
 * them. */
char *ckpt_name_folder(const char *), *ckpt_name_quoted(const char *);

/* ---- layouts (spec.c) ---- */

/* Writes spec without open dims, priorities, states, and axes that the mesh does not have; to: 3 bytes for each of
 * spec's, and 4. sizes: the text of the mesh where the spec was in use, since a part of an axis, "k.2.2", belongs to
 * its size. part: the parts of each dim. True if no part of an axis occurs. */
bool ckpt_spec_on(const char *spec, const char *sizes, tt_mesh, int rank, char *to, int64_t *part);

/* ---- documents of a save (meta.c); new references ---- */

json_t *ckpt_leaf_doc(const ckpt_out *), *ckpt_group_doc(const ckpt_plan *);
json_t *ckpt_metadata_doc(const ckpt_plan *, bool ocdbt);
json_t *ckpt_sharding_doc(const ckpt_plan *);            /* NULL: no leaf has a layout */
json_t *ckpt_step_doc(bool step, bool metrics, int64_t began);
void ckpt_base64url(const char *, char *to);             /* with padding; capacity needed: 4/3 + 5 */

/* ---- durable files (disk.c): every failure is final and reported ---- */

typedef struct { int fd; uint32_t crc; int64_t n; char path[CKPT_PATH]; } ckpt_file;
bool ckpt_file_new(ckpt_file *, const char *dir, const char *name, ckpt_err *);  /* must not exist */
bool ckpt_file_write(ckpt_file *, const void *, size_t n, ckpt_err *);
/* likewise; crc is the checksum of the first `known` bytes */
bool ckpt_file_write_known(ckpt_file *, const void *, size_t n, size_t known, uint32_t crc, ckpt_err *);
bool ckpt_file_close(ckpt_file *, bool ok, ckpt_err *);  /* syncs; not ok: only closes */
/* Concurrent syncing of files (sync.c). wait: until all files handed in are durable; reports the first failure. end:
 * waits too. */
typedef struct ckpt_sync ckpt_sync;
ckpt_sync *ckpt_sync_begin(ckpt_err *);
void ckpt_sync_add(ckpt_sync *, int fd, bool folder, const char *path);  /* closes it */
/* For who has no descriptor left. closed: the number of files that saves of this process have synced and closed so far;
 * closes: waits until it is no longer *seen, which it sets anew; false: it stays, since no file waits to be synced. */
uint64_t ckpt_sync_closed(void);
bool ckpt_sync_closes(uint64_t *seen);
bool ckpt_sync_wait(ckpt_sync *, ckpt_err *);
void ckpt_sync_end(ckpt_sync *);
bool ckpt_file_hand(ckpt_file *, ckpt_sync *, bool ok);  /* not ok: only closes */
bool ckpt_dir_hand(const char *path, ckpt_sync *, ckpt_err *);
bool ckpt_file_text(const char *dir, const char *name, const char *text, size_t n, uint32_t *crc, ckpt_err *);
bool ckpt_dir_make(const char *path, ckpt_err *);        /* an existing folder is accepted */
bool ckpt_dir_sync(const char *path, ckpt_err *);
void ckpt_remove(const char *path);                      /* and everything below it; what cannot be removed stays */
/* Renames the temporary to the final name. force: atomically replaces an existing target. Syncs the parent folder. */
bool ckpt_move(const char *from, const char *to, bool force, ckpt_err *);
/* True if a save with .force may replace the target. NULL: the save is a folder (replace.c) */
bool ckpt_may_replace(const char *path, const ckpt_format *, ckpt_err *);
void ckpt_above(const char *path, char *to, size_t capacity);    /* the parent folder */

/* ---- a save (commit.c, shard.c, writers.c) ---- */

typedef struct {
    /* the final path; the path during the save; the item in it */
    char path[CKPT_PATH], temp[CKPT_PATH], item[CKPT_PATH];
    const char *sub;                                     /* "" or "default/" */
    bool force; int writer, writers; double patience;
    ckpt_sync *sync;
    json_t *metrics, *files;                             /* files: this process's entries of the manifest */
    char nonce[33];
    bool began_temp;                                     /* the temporary folder belongs to this save */
    bool joined;                                         /* in a job: all writers know the nonce */
    /* An OCDBT store: this writer's file of values, their keys, places and sizes, the documents that are values. */
    bool ocdbt; ckpt_file data; char data_name[80]; json_t *values, *docs;
    int64_t began;
    ckpt_plan plan;
} ckpt_job;
/* the complete save, until it is durable; on failure only a temporary remains */
bool ckpt_write(ckpt_job *, ckpt_err *);
/* Sets the temporary names; the first writer's beginning of a save: the checks, the nonce, the temporary folder. */
bool ckpt_job_names(ckpt_job *, ckpt_err *), ckpt_job_start(ckpt_job *, ckpt_err *);
bool ckpt_cell(ckpt_job *, const ckpt_out *, int64_t cell, ckpt_err *);
bool ckpt_row(ckpt_job *, const char *file, int64_t n, uint32_t crc, ckpt_err *);
/* Saves into an OCDBT store (store.c): the first opens this writer's file of values, if it is not open, and the last
 * closes it; keep: a document that is a value; write: the index, when all values are known. */
bool ckpt_values_open(ckpt_job *, ckpt_err *), ckpt_values_close(ckpt_job *, ckpt_err *);
bool ckpt_values_keep(ckpt_job *, const char *key, json_t *doc, ckpt_err *), ckpt_values_write(ckpt_job *, ckpt_err *);
bool ckpt_values_note(ckpt_job *, const char *key, int64_t at, int64_t n, ckpt_err *);
bool ckpt_random_name(char hex[33], ckpt_err *);
/* Several writers: the first waits for the others before writing (join), and collects their entries after it (gather);
 * the others send their notes and wait. */
bool ckpt_join(ckpt_job *, ckpt_err *), ckpt_gather(ckpt_job *, ckpt_err *);
bool ckpt_follow(ckpt_job *, ckpt_err *);
void ckpt_report_failure(ckpt_job *, const ckpt_err *);
void ckpt_give_up(ckpt_job *, const ckpt_err *);         /* a save that has begun and failed: tells the other writers */
bool ckpt_desk_make(const ckpt_job *, ckpt_err *);       /* the folder of the writers' notes */
bool ckpt_desk_seen(const ckpt_job *, ckpt_err *);       /* True if this writer sees it, at once or in 10 s */

/* ---- saves of the processes of a job (ranks.c) ---- */

/* The writers of a save: in a job its processes. False: an option says something else. */
bool ckpt_writers(const void *opts, int writer, int writers, int *me, int *all, ckpt_err *);
/* Begins a save of the processes of a job, whose plan is made: moves what no process has alone, copies what the values
 * may lose (background), and makes the temporary folder known. False as in ckpt_agree; e may have an error before. */
bool ckpt_begin(const char *site, const char *what, ckpt_job *, bool background, ckpt_err *e);
/* True if the plans of all processes have the same leaves; else e names the first that differs, in all of them. All
 * processes call it together. */
bool ckpt_same_leaves(const char *site, const char *what, const ckpt_plan *, ckpt_err *e);
/* The tree on process 0, without layouts; elsewhere tt_none(). Poison with the error set. */
tt_val ckpt_gathered(const char *site, tt_val tree);
extern const char ckpt_suffix[];                         /* name of unfinished saves: ".orbax-checkpoint-tmp" */

bool ckpt_job_path(ckpt_job *, const char *path, ckpt_err *);    /* also sets the time of the save's beginning */

/* A save in the background (async.c). end: waits for it, and returns its error; no effect if none was begun. The object
 * must not move between begin and end. */
typedef struct ckpt_async {
    void (*work)(void *env, ckpt_err *); void *env;
    bool begun, going;                                   /* going: written by its thread, as is e; under a lock */
    ckpt_err e;
    struct ckpt_async *next;
} ckpt_async;
bool ckpt_async_begin(ckpt_async *, void (*work)(void *env, ckpt_err *), void *env, ckpt_err *);
bool ckpt_async_end(ckpt_async *, ckpt_err *);

bool ckpt_dry(void);                                     /* dry.c */
bool ckpt_dry_save(const char *path, tt_val tree, ckpt_err *);
const ckpt *ckpt_dry_saved(const char *path);

/* ---- manifests (manifest.c) ---- */

/* check: true without a manifest (checkpoints of other libraries). deep: checks elements too, else only documents. */
bool ckpt_is_element(const char *file);  /* True if the file contains elements, by its name in a manifest */
bool ckpt_manifest_check(const ckpt_store *, bool deep, ckpt_err *);

#endif
