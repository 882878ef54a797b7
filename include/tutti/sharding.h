/* tutti/sharding.h - meshes, and the layouts of values over them. */
#include <tutti.h>
#ifndef TUTTI_SHARDING_H
#define TUTTI_SHARDING_H

#ifdef __cplusplus
extern "C" {
#endif

/* A mesh is text: axis names and sizes, major axis first. The compiler lays values out over its axes.
 * - explicit: in "data:2 explicit, model:4" the axis data is explicit: every value's layout over that axis is known
 *   while a function is traced (tt_spec returns it there), follows from the operands' layouts, and is never chosen by
 *   the compiler. Where the layout does not follow, as for a product whose contracted dim is sharded in both operands,
 *   tt_shard around the product gives it: tt_shard(tt_matmul(x, w), mesh, "data, _"); any other use is an error.
 * - order: the device ids, in row-major order of the mesh (default: 0, 1, 2, ...).
 *
 *     tt_mesh grid = tt_mesh("data:2, model:4"), hands = tt_mesh("data:2 explicit, model:4");
 *     printf("%d devices, %d along data\n", (int)tt_mesh_size(mesh, NULL), (int)tt_mesh_size(mesh, "data"));
 *     printf("%s; device %d comes first\n", tt_mesh_spec(mesh), (int)tt_device_id(mesh, 0)); */
typedef struct tt_mesh_opts {
    TT_OPTION_HEAD
    const int64_t *order TT_DEFAULT;
} tt_mesh_opts;
#define tt_mesh(...)         TT_MESH_(TT_AT("tt_mesh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_MESH_(at, text, ...) tt_mesh_at(at, text, TT_OPTS(tt_mesh_opts, __VA_ARGS__))
TT_API tt_mesh tt_mesh_at(const char *site, const char *text, const tt_mesh_opts *);     /* "data:2, model:4" */
TT_API int64_t tt_mesh_size(tt_mesh m, const char *axis);        /* axis NULL: number of devices; 0: no such axis */
TT_API const char *tt_mesh_spec(tt_mesh m);              /* "data:2, model:4", in tt_mesh's syntax */
TT_API int64_t tt_device_id(tt_mesh m, int64_t place);   /* the device at a row-major position of the mesh */
/* The number of devices: TUTTI=devices:N, else of the largest mesh so far, else the number of cores. A mesh that
 * computes has up to 2^18 devices.
 *     printf("%d devices\n", (int)tt_device_count()); */
TT_API int64_t tt_device_count(void);
/* Lays out a value (or each leaf of a tree): the spec gives, dim by dim, the mesh axes that shard it. Uneven dims are
 * allowed; with TUTTI=even they are errors, and in a traced function such a dim loses the axes that do not divide it,
 * as in JAX.
 *     tt_val rows = tt_shard(x, mesh, "data, _"), both = tt_shard(w, mesh, "data+model, _");
 *     x = tt_logical_constraint(x, "batch, hidden"); */
#define tt_shard(v, mesh, spec) tt_shard_at(TT_AT("tt_shard(" #v ", " #mesh ", " #spec ")"), v, mesh, spec)
TT_API tt_val tt_shard_at(const char *site, tt_val v, tt_mesh mesh, const char *spec);
#define tt_logical_constraint(v, names) \
    tt_logical_constraint_at(TT_AT("tt_logical_constraint(" #v ", " #names ")"), v, names)
/* Gives a value logical axes; the jit's rules lay it out */
TT_API tt_val tt_logical_constraint_at(const char *site, tt_val v, const char *names);
/*     printf("%s on %s\n", tt_spec(x), tt_mesh_spec(tt_mesh_of(x))); */
#define tt_spec(v)           tt_spec_at(TT_AT("tt_spec(" #v ")"), v)
TT_API const char *tt_spec_at(const char *site, tt_val v); /* "data, _"; "": no layout. Lives as long as the program */
#define tt_mesh_of(v)        tt_mesh_of_at(TT_AT("tt_mesh_of(" #v ")"), v)
TT_API tt_mesh tt_mesh_of_at(const char *site, tt_val v);
/* True if v has this layout; equivalent layouts are equal
 *     if (tt_has_layout(x, mesh, "data, _")) puts("sharded by rows"); */
#define tt_has_layout(v, mesh, spec) \
    tt_has_layout_at(TT_AT("tt_has_layout(" #v ", " #mesh ", " #spec ")"), v, mesh, spec)
TT_API bool tt_has_layout_at(const char *site, tt_val v, tt_mesh mesh, const char *spec);
/* Copies one device's block (device: row-major number in the mesh), and returns its position in lo and n, which may be
 * NULL. False: out of range.
 *     int64_t lo[2], size[2]; float block_data[8];
 *     tt_addressable_data(x, 0, lo, size, block_data, sizeof block_data); */
#define tt_addressable_data(v, device, lo, n, to, bytes) \
    tt_addressable_data_of(TT_AT("tt_addressable_data(" #v ", " #device ")"), v, device, lo, n, to, bytes)
TT_API bool(tt_addressable_data)(tt_val v, int64_t device, int64_t *lo, int64_t *n, void *to, size_t bytes);
/* An array from blocks: fill(env, lo, n, to) writes the dense row-major box [lo, lo + n) of the global array, once for
 * each distinct block of the layout. If fill returns false, the call fails: with the error that fill set (tt_fail_at),
 * else with an error that names the block. Without a mesh there is one block.
 *     tt_val big = tt_array_from_callback(TT_F32, TT_DIMS(1024, 64), mesh, "data, _", read_block, &env); */
typedef bool tt_fill(void *env, const int64_t *lo, const int64_t *n, void *to);
#define tt_array_from_callback(dtype, dims, mesh, spec, fill, env) \
    tt_array_from_callback_at(TT_AT("tt_array_from_callback(" #dtype ", " #dims ", " #fill ")"), dtype, dims, mesh, \
        spec, fill, env)
TT_API tt_val tt_array_from_callback_at(const char *site, tt_dtype dtype, const int64_t *dims, tt_mesh mesh,
    const char *spec,
    tt_fill *fill, void *env);
/* From older JAX guides: replicate adds a leading dim of size n, with one copy per device of the mesh's axis;
 * unreplicate takes that dim's first element.
 *     tt_val copies = tt_replicate(params, mesh), one = tt_unreplicate(copies); */
#define tt_replicate(v, mesh) tt_replicate_at(TT_AT("tt_replicate(" #v ", " #mesh ")"), v, mesh)
#define tt_unreplicate(v)    tt_unreplicate_at(TT_AT("tt_unreplicate(" #v ")"), v)
TT_API tt_val tt_replicate_at(const char *site, tt_val v, tt_mesh mesh), tt_unreplicate_at(const char *site, tt_val v);

/* The mesh and the rules in use on this thread: the defaults of each tt_jit, tt_pmap and tt_shard_map that is created
 * inside and is given no mesh.
 *     for (TT_WITH(mesh, .rules = "batch:data, hidden:model")) train = tt_jit(step);
 * An inner TT_WITH replaces the outer one. tt_current_mesh(): the mesh in use. tt_set_mesh and tt_restore_mesh are the
 * two ends of the loop. The loop's body must not be left by break or return; a traced function that returns with
 * another mesh in use than it was called with is an error, since it is traced once.
 *     tt_mesh_context was = tt_set_mesh(mesh); puts(tt_mesh_spec(tt_current_mesh())); tt_restore_mesh(was); */
typedef struct tt_set_mesh_opts { TT_OPTION_HEAD const char *rules TT_DEFAULT; } tt_set_mesh_opts;
typedef struct { tt_mesh mesh; const char *rules; } tt_mesh_context;
#define TT_WITH(...) \
    tt_mesh_context tt_was_ = tt_set_mesh(__VA_ARGS__), *tt_in_ = &tt_was_; tt_in_; \
    tt_in_ = (tt_restore_mesh(tt_was_), (tt_mesh_context *)0)
#define tt_set_mesh(...)     TT_SET_MESH_(TT_AT("tt_set_mesh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_SET_MESH_(at, m, ...) tt_set_mesh_at(at, m, TT_OPTS(tt_set_mesh_opts, __VA_ARGS__))
/* Returns the context that was in use before */
TT_API tt_mesh_context tt_set_mesh_at(const char *site, tt_mesh m, const tt_set_mesh_opts *);
TT_API void tt_restore_mesh(tt_mesh_context was);
TT_API tt_mesh tt_current_mesh(void);

#ifdef __cplusplus
}
#endif
#endif
