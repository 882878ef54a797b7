/* tutti/ckpt.h - checkpoints: trees of values in folders that Orbax and Zarr also read, and in single files of other
 * formats.
 *
 *     tt_save("run.ckpt", state);
 *     tt_val s = tt_load("run.ckpt", .mesh = tt_mesh("data:8"), .rules = "batch:data, embed:data");
 *
 * A save is atomic: after a crash the checkpoint is either complete or absent. A load reads only the bytes that its
 * layout needs, and reports all mismatches in one message. Folders and NPZ have checksums, so that damage is an error;
 * safetensors has none. Formats that are read: Orbax items, Zarr v3 and v2 arrays, safetensors, NPZ,
 * Flax's msgpack, Keras's .weights.h5, GGUF (blocks Q4_0 to Q6_K as f32; those of two and three bits are not read);
 * docs/design/checkpoints.md describes the formats. */
#include <tutti.h>
#ifndef TUTTI_CKPT_H
#define TUTTI_CKPT_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- saving ---- */

/* Writes a folder; a path that ends with .npz or .safetensors: one file. An existing path is an error. force = 1
 * atomically replaces a checkpoint, an empty folder, or a file of the same format; any other existing path stays an
 * error. A symbolic link is itself replaced; its target stays as it is (also in tt_write_npz and tt_write_npy). Each
 * file of a checkpoint is written once: by this process, or by writer 0, 1, ... of `writers` processes that share the
 * folder, have the same tree, and wait for each other (patience: seconds, default 300; 0: no waiting).
 *
 * ocdbt = 1: the elements are values of one OCDBT store, as Orbax writes by default: one file for each writer, however
 * many arrays there are.
 *
 * A single file has the arrays with .frozen and logical axes (tt_leaf), which other readers ignore: safetensors in its
 * __metadata__ ("tutti.leaves"), NPZ in the entries' comments. It has no empty nodes, tags and layouts; tt_load with
 * .like takes these from `like`. A file of another library has no such attributes: without .like no leaf is frozen,
 * not even a running mean. Any other file ending (.h5, .hdf5, .keras, .msgpack, .gguf, .npy, .pt, .pth, .pkl;
 * capitals count too) is an error.
 *
 * In a job (tutti/process.h) the processes are the writers, and .writer and .writers are left out: all of them save
 * together, each the files of which it has the elements. A value on no mesh is saved as process 0 has it. Single files
 * (.npz, .safetensors) are written by process 0, which gathers the tree. All processes must see the folder.
 * All processes call tt_save, tt_load and the functions of a manager, in one order; an error of one is an error of
 * all.
 *     tt_save("run.ckpt", params, .force = 1), tt_save("model.safetensors", params); */
typedef struct tt_save_opts {
    TT_OPTION_HEAD
    int force TT_DEFAULT, writer TT_DEFAULT, writers TT_FROM_1; double patience TT_DEFAULT;
    int ocdbt TT_DEFAULT;
} tt_save_opts;
#define tt_save(...)         TT_SAVE_(TT_AT("tt_save(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_SAVE_(at, path, tree, ...) tt_save_at(at, path, tree, TT_OPTS(tt_save_opts, __VA_ARGS__))
TT_API bool tt_save_at(const char *site, const char *path, tt_val tree, const tt_save_opts *);

/* ---- loading ---- */

/* - mesh: leaves with logical axes are laid out over it by the rules; other leaves, and all without rules, as they were
 *   saved if the mesh has their axes, else replicated; a part of an axis ("k.2.2") needs the axis with the size that
 *   it had when saved. Without a mesh: as they were saved. Open dims, priorities and states of a layout ("a?!2
 *   +sum(b)") are not saved.
 * - like: a tree of values or shapes (tt_like, tt_eval_shape, tt_shape) whose structure and types the result must have,
 *   and whose layouts it takes. cast = 1 allows other dtypes; extra = 1 allows leaves in the checkpoint that like does
 *   not have.
 *
 * A folder without a checkpoint of its own, but with exactly one folder that is one, as a manager's step has, is loaded
 * as that checkpoint.
 *
 * In a job each process reads the bytes of its own parts, of a checkpoint that any number of processes has saved.
 *
 * Errors: rules without mesh, mesh or rules together with like, cast or extra without like; in a job also a file that
 * one process does not see.
 *     tt_val s = tt_load("run.ckpt", .like = tt_like(params), .cast = 1); */
typedef struct tt_load_opts {
    TT_OPTION_HEAD
    tt_mesh mesh TT_DEFAULT;
    const char *rules TT_DEFAULT;
    tt_val like TT_DEFAULT;
    int cast TT_DEFAULT, extra TT_DEFAULT;
} tt_load_opts;
#define tt_load(...)         TT_LOAD_(TT_AT("tt_load(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_LOAD_(at, path, ...) tt_load_at(at, path, TT_OPTS(tt_load_opts, __VA_ARGS__))
TT_API tt_val tt_load_at(const char *site, const char *path, const tt_load_opts *);

/* ---- a folder of steps ---- */

/* A folder of steps, of which these stay:
 * - keep: the newest so many (default: all);
 * - keep_best: besides them, the so many best by the metric of .best, "min loss" or "max accuracy" (default 1; 0:
 *   none);
 * - keep_every: every step that this number divides.
 *
 * background = 1: a save returns as soon as the elements are copied; a later failure is reported by the next call, by
 * tt_manager_wait, or when the manager's scope closes. The exit of the process waits for background saves too. Only one
 * thread at a time may use a manager. In a job process 0 decides which steps there are and which of them stay, by its
 * metrics. writer, writers, patience (seconds), ocdbt: as in tt_save.
 *     tt_manager runs = tt_manager_open("run", .keep = 3, .best = "min loss", .background = 1); */
typedef struct { struct tt_manager_s *p; tt_val alive; } tt_manager;  /* belongs to the scope in which it was opened */
typedef struct tt_manager_opts {
    TT_OPTION_HEAD
    int64_t keep TT_FROM_1, keep_best TT_DEFAULT, keep_every TT_FROM_1; const char *best TT_DEFAULT;
    int background TT_DEFAULT, writer TT_DEFAULT, writers TT_FROM_1; double patience TT_DEFAULT; int ocdbt TT_DEFAULT;
} tt_manager_opts;
#define tt_manager_open(...) TT_MANAGER_(TT_AT("tt_manager_open(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_MANAGER_(at, root, ...) tt_manager_open_at(at, root, TT_OPTS(tt_manager_opts, __VA_ARGS__))
TT_API tt_manager tt_manager_open_at(const char *site, const char *root, const tt_manager_opts *);
/* metrics: a dict of scalars. With .best it is required, and has that metric; tt_none() is for a step that has none.
 * Such a step is never the best; it stays while it is among the newest. A metric that is not finite counts as none.
 * (Orbax warns where .metrics is missing.) A step that would be removed at once, as it is older than the `keep`
 * newest and neither among the best nor one of keep_every, is an error, with .force too.
 *     if (step_number % 100 == 0) tt_manager_save(runs, step_number, params, .metrics = tt_dict("loss", l));
 *     tt_manager_wait(runs);
 *     tt_val state = tt_manager_load(runs, tt_manager_newest(runs), .like = tt_like(params)); */
typedef struct tt_manager_save_opts {
    TT_OPTION_HEAD tt_val metrics TT_DEFAULT;
    int force TT_DEFAULT;
} tt_manager_save_opts;
#define tt_manager_save(...) TT_MANAGER_SAVE_(TT_AT("tt_manager_save(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_MANAGER_SAVE_(at, m, step, tree, ...) \
    tt_manager_save_at(at, m, step, tree, TT_OPTS(tt_manager_save_opts, __VA_ARGS__))
TT_API bool tt_manager_save_at(const char *site, tt_manager, int64_t step, tt_val tree, const tt_manager_save_opts *);
#define tt_manager_wait(m)   tt_manager_wait_at(TT_AT("tt_manager_wait(" #m ")"), m)
TT_API bool tt_manager_wait_at(const char *site, tt_manager);
#define tt_manager_load(...) TT_MANAGER_LOAD_(TT_AT("tt_manager_load(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_MANAGER_LOAD_(at, m, step, ...) tt_manager_load_at(at, m, step, TT_OPTS(tt_load_opts, __VA_ARGS__))
TT_API tt_val tt_manager_load_at(const char *site, tt_manager, int64_t step, const tt_load_opts *);
/* steps: the number of finished steps; fills at most n, in rising order. newest, best: a step, -1 if there is none.
 * Without an open manager the results are 0 and -1, with the error set; so they are if the folder, or for best a step's
 * metrics, cannot be read. A step whose metrics cannot be read is not removed.
 *     int64_t steps[16]; const int n16 = tt_manager_steps(runs, 16, steps);
 *     printf("newest %d, best %d\n", (int)tt_manager_newest(runs), (int)tt_manager_best(runs)); */
#define tt_manager_steps(m, n, out) \
    tt_manager_steps_at(TT_AT("tt_manager_steps(" #m ", " #n ", " #out ")"), m, n, out)
#define tt_manager_newest(m) tt_manager_newest_at(TT_AT("tt_manager_newest(" #m ")"), m)
#define tt_manager_best(m)   tt_manager_best_at(TT_AT("tt_manager_best(" #m ")"), m)
TT_API int tt_manager_steps_at(const char *site, tt_manager, int n, int64_t *out);
TT_API int64_t tt_manager_newest_at(const char *site, tt_manager), tt_manager_best_at(const char *site, tt_manager);
/* The path of a finished step, for tt_ckpt_open; "" with the error set: there is no such step
 *     tt_ckpt ck = tt_ckpt_open(tt_manager_path(runs, tt_manager_best(runs))); */
#define tt_manager_path(m, step) tt_manager_path_at(TT_AT("tt_manager_path(" #m ", " #step ")"), m, step)
TT_API const char *tt_manager_path_at(const char *site, tt_manager, int64_t step);

/* ---- the contents of a checkpoint, without reading elements ---- */

/*     tt_ckpt c = tt_ckpt_open("model.safetensors"); */
typedef struct { struct tt_ckpt_s *p; tt_val alive; } tt_ckpt;  /* belongs to the scope in which it was opened */
typedef struct { const char *name; int at; } tt_ckpt_key;        /* name NULL: element number `at` of a sequence */
typedef struct tt_ckpt_item {
    const char *path; int nkey; const tt_ckpt_key *key;  /* "params.w", and its parts */
    const char *what; /* "array", "string", or an empty node: "None", "Dict", "List" */
    tt_dtype dtype; int rank; const int64_t *dim;        /* of an array */
    const char *text;                                    /* of a string */
    const char *mesh, *spec, *axes; /* as saved: "data:2, model:4", "data, _"; logical axes; NULL: none */
    const char *stored; /* "Q8_0": how a GGUF has an array that is read as f32; else NULL */
} tt_ckpt_item;
#define tt_ckpt_open(path)   tt_ckpt_open_at(TT_AT("tt_ckpt_open(" #path ")"), path)
TT_API tt_ckpt tt_ckpt_open_at(const char *site, const char *path);
/* "orbax", "zarr3", "zarr2", "ocdbt", "safetensors", "npz", "flax-msgpack", "keras-h5", "gguf"; "" with the error set
 * if no checkpoint is open
 *     puts(tt_ckpt_format(ckpt)); */
#define tt_ckpt_format(ckpt) tt_ckpt_format_at(TT_AT("tt_ckpt_format(" #ckpt ")"), ckpt)
TT_API const char *tt_ckpt_format_at(const char *site, tt_ckpt);
/* The number of items; no open checkpoint: 0, with the error set.
 *     for (int j = 0; j < tt_ckpt_count(ckpt); j++) puts(tt_ckpt_at(ckpt, j)->path); */
#define tt_ckpt_count(ckpt)  tt_ckpt_count_at(TT_AT("tt_ckpt_count(" #ckpt ")"), ckpt)
TT_API int tt_ckpt_count_at(const char *site, tt_ckpt);
/* If there is no such item, or no open checkpoint: sets the error and returns an item whose texts are "". */
#define tt_ckpt_at(ckpt, i)  tt_ckpt_item_at(TT_AT("tt_ckpt_at(" #ckpt ", " #i ")"), ckpt, i)
TT_API const tt_ckpt_item *tt_ckpt_item_at(const char *site, tt_ckpt, int i);
/* The file's own metadata (safetensors' __metadata__, GGUF's keys) as JSON; "": none, or, with the error set, no open
 * checkpoint, or a long list of GGUF's, which is read by this call, does not read or has been changed.
 *     puts(tt_ckpt_metadata(ckpt)); */
#define tt_ckpt_metadata(ckpt) tt_ckpt_metadata_at(TT_AT("tt_ckpt_metadata(" #ckpt ")"), ckpt)
TT_API const char *tt_ckpt_metadata_at(const char *site, tt_ckpt);
/* The value of one key of the metadata, as JSON; "": it has none, or, with the error set, no open checkpoint, the
 * key is NULL, or a list that is read by this call does not read. Of a GGUF file, whose keys may have the whole
 * vocabulary, that is a small part of the work.
 *     puts(tt_ckpt_metadata_of(ckpt, "general.architecture")); */
#define tt_ckpt_metadata_of(ckpt, key)                                                                                 \
    tt_ckpt_metadata_of_at(TT_AT("tt_ckpt_metadata_of(" #ckpt ", " #key ")"), ckpt, key)
TT_API const char *tt_ckpt_metadata_of_at(const char *site, tt_ckpt, const char *key);
/* Reads one array; mesh and spec lay it out (without them: on no mesh).
 * codes = 1, of a GGUF's Q8_0 or Q4_0: a dict of "codes", i8 or i4 [..., N], and "scales", f16 [..., N / 32]; the
 * array is their product, each scale for 32 codes in a row. Without it such an array is that product, as f32.
 * codes = 2: the codes of Q4_0 as the file has them, u8 [..., N / 2], two a byte, as tt_scaled_matmul takes them; those
 * of Q8_0 as with 1.
 * codes = 3: the blocks of Q8_0 or Q4_0 as the file has them, u8 [..., N / 32, 34 or 18], as tt_scaled_matmul takes
 * them.
 * mapped = 1: the array is the file's memory, without a copy, where it is stored as it is in memory: f32, bf16 or f16
 * of safetensors or GGUF, or the blocks of .codes = 3, of 64 KiB or more, from a multiple of 16 bytes on, without a
 * mesh; else it is read. The file may be removed or another one moved to its place, as saving does, but nobody may
 * write into it or cut it while the array lives: its elements would change, or reading them end the program.
 *     tt_val first = tt_ckpt_read(ckpt, 0, .mesh = mesh, .spec = "data, _");
 *     tt_val there = tt_ckpt_read(ckpt, 0, .mapped = 1); */
typedef struct tt_ckpt_read_opts {
    TT_OPTION_HEAD tt_mesh mesh TT_DEFAULT;
    const char *spec TT_DEFAULT; int codes TT_DEFAULT, mapped TT_DEFAULT;
} tt_ckpt_read_opts;
#define tt_ckpt_read(...)    TT_CKPT_READ_(TT_AT("tt_ckpt_read(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_CKPT_READ_(at, ckpt, i, ...) tt_ckpt_read_at(at, ckpt, i, TT_OPTS(tt_ckpt_read_opts, __VA_ARGS__))
TT_API tt_val tt_ckpt_read_at(const char *site, tt_ckpt, int i, const tt_ckpt_read_opts *);

/* Reads all bytes and compares all checksums that are present. manifest: true if one manifest covers all files. out may
 * be NULL.
 *     tt_ckpt_counts counts; if (tt_ckpt_verify("run.ckpt", &counts)) printf("%d arrays\n", (int)counts.arrays); */
typedef struct { int64_t arrays, bytes; bool manifest; } tt_ckpt_counts;
#define tt_ckpt_verify(path, out) tt_ckpt_verify_at(TT_AT("tt_ckpt_verify(" #path ")"), path, out)
TT_API bool tt_ckpt_verify_at(const char *site, const char *path, tt_ckpt_counts *out);

#ifdef __cplusplus
}
#endif
#endif
