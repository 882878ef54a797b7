/* tutti/layout.h - layouts without values: which device holds which part, equality of layouts, and their texts as JAX
 * and its compilers print them.
 *
 *     tt_mesh m = tt_mesh("data:2, model:4");
 *     tt_layout_text(m, 2, "data, _", "sharding");      // NamedSharding(mesh=Mesh('data': 2, 'model': 4), spec=...
 *     tt_layout_text(m, 2, "data, _", "gspmd");         // {devices=[2,1,4]<=[8] last_tile_dim_replicate}
 *     tt_mesh_text(m, "repr 0.10");                     // Mesh(axis_sizes=(2, 4), axis_names=('data', 'model'), ...
 *     tt_same_layout(m, "data, _", tt_mesh("d:2, e:4"), "d, _", 2);             // true
 *
 * A form is words separated by blanks: what to print, and optionally the version of JAX that prints it. The texts
 * changed after 0.4.13 and after 0.4.34; the newest text that is not newer than the version is used; default: 0.4.34.
 * Texts live as long as the program. */
#include <tutti.h>
#ifndef TUTTI_LAYOUT_H
#define TUTTI_LAYOUT_H

#ifdef __cplusplus
extern "C" {
#endif

/* A layout; rank -1: as many dims as the spec has items. Forms:
 *   spec         PartitionSpec('data', None); from 0.10 on P('data', None)
 *   tuple        ('data', None)
 *   sharding     NamedSharding(mesh=..., spec=..., memory_kind=unpinned_host)
 *   positional   PositionalSharding([[{CPU 0, 1, 2, 3}]...: the devices of each part
 *   shardy       #sdy.sharding<@mesh, [{"data"}, {}]>
 *   gspmd        {devices=[2,1,4]<=[8] last_tile_dim_replicate}; "gspmd list" lists all devices
 *   device       SingleDeviceSharding(device=CpuDevice(id=0), ...): the mesh's first device
 * With the word short: without trailing dims that are not sharded, as a spec that the compiler returns. tt_text(v,
 * form) prints a value's layout in the same forms; "sharding" of a value without a layout is "device". "": an error. */
#define tt_layout_text(mesh, rank, spec, form) \
    tt_layout_text_at(TT_AT("tt_layout_text(" #mesh ", " #rank ", " #spec ", " #form ")"), mesh, rank, spec, form)
TT_API const char *tt_layout_text_at(const char *site, tt_mesh mesh, int rank, const char *spec, const char *form);

/* A mesh. Forms: str Mesh('data': 2, 'model': 4); repr; devices, the grid as an array; list [CpuDevice(id=0), ...]; and
 * of the first device alone: device CpuDevice(id=0); name TFRT_CPU_0, from 0.10 on cpu:0. Lists have 2^18 at most. */
#define tt_mesh_text(mesh, form) tt_mesh_text_at(TT_AT("tt_mesh_text(" #mesh ", " #form ")"), mesh, form)
TT_API const char *tt_mesh_text_at(const char *site, tt_mesh mesh, const char *form);

/* True if both layouts give every device the same part of an array of this rank; false with the error set: a spec is
 * wrong. */
#define tt_same_layout(a, spec_a, b, spec_b, rank)                                                                     \
    tt_same_layout_at(TT_AT("tt_same_layout(" #a ", " #spec_a ", " #b ", " #spec_b ")"), a, spec_a, b, spec_b, rank)
TT_API bool tt_same_layout_at(const char *site, tt_mesh a, const char *spec_a, tt_mesh b, const char *spec_b, int rank);

/* The size of every device's part of an array of these dims (up to TT_DIM_END), if all parts are equal; false with the
 * error set: the spec is wrong, or a dim does not divide, as in JAX's shard_shape. part may be NULL.
 *     int64_t sizes[2]; tt_shard_shape(mesh, "data, model", TT_DIMS(8, 16), sizes); */
#define tt_shard_shape(mesh, spec, dims, part)                                                                         \
    tt_shard_shape_at(TT_AT("tt_shard_shape(" #mesh ", " #spec ", " #dims ")"), mesh, spec, dims, part)
TT_API bool tt_shard_shape_at(const char *site, tt_mesh mesh, const char *spec, const int64_t *dims, int64_t *part);

/* The spec of a parameter in fully sharded data parallelism: an array of more than `least` elements is sharded over the
 * axis on its largest dim that the axis divides (of equal dims, the last); other arrays are replicated.
 *     const char *spec = tt_fsdp_spec(mesh, "data", 1 << 18, TT_DIMS(1024, 4096)); */
#define tt_fsdp_spec(mesh, axis, least, dims)                                                                          \
    tt_fsdp_spec_at(TT_AT("tt_fsdp_spec(" #mesh ", " #axis ", " #least ", " #dims ")"), mesh, axis, least, dims)
TT_API const char *tt_fsdp_spec_at(const char *site, tt_mesh mesh, const char *axis, int64_t least,
                                   const int64_t *dims);

#ifdef __cplusplus
}
#endif

#endif
