/* tutti/process.h - one program in several processes: joining a job, its processes and devices, values of one process
 * and of all.
 *
 * A job is R processes that a launcher of MPI has started with the same program; each has D devices of a mesh of R * D.
 * Process k has devices k * D to k * D + D - 1. The program runs unchanged:
 *
 *     tutti run -n 4 train.c                               // or: TUTTI=ranks mpirun -n 4 ./train
 *
 * What is laid out over a mesh is one array of all processes, of which each holds the blocks of its own devices. All
 * processes make the same calls on such arrays, in the same order; calls that differ are an error that names the
 * lines of both. A value on no mesh is a process's own: it is computed without a message, and may differ.
 *
 * Elements that another process holds cannot be read (TT_ERANK): tt_process_allgather gives all of it to every process.
 * Computing with it is possible everywhere: tt_num(tt_sum(x)) is the same number in every process.
 *
 * Only process 0 prints what the library prints (tt_show, tt_print, bars); TUTTI=ranks:all lets all print, each line
 * after its process's number. Errors of one process alone are printed by that process; messages name a process by its
 * number, its rank. A process that ends with an error, dies, or does not make a call that the others make, ends the
 * job: the others wait for it at most for the patience (30 s; TUTTI=patience:N).
 *
 * A process that one of the job has forked has the memory that the processes of a host share, so its calls of the
 * library are an error (TT_ERANK), but for tt_done. */
#include <tutti.h>
#ifndef TUTTI_PROCESS_H
#define TUTTI_PROCESS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the job; jax.distributed and jax.process_index ---- */

/* Joins the job in which mpirun or srun has started this process, before the first mesh is made; returns when all
 * processes of the job have joined. `tutti run -n` and TUTTI=ranks join by themselves at the first call of the
 * library. The words of TUTTI that shape programs are those of process 0; a process with other words is an error.
 * - devices: of each process; another number than that of TUTTI=devices:N, of `tutti run --devices` or of an earlier
 *   call is an error. Default: that number, else as many as the first mesh needs.
 * - patience: seconds; the longest wait for another process.
 * A process that no launcher has started is a job of one. False with the error set: no engine for MPI was found (tutti
 * doctor says why), a mesh was made before, or the processes differ in their words or in the library's version.
 *     if (!tt_join(.devices = 4, .patience = 60)) return tt_done();
 *     printf("process %d of %d, devices from %d\n", tt_process_index(),
 *            tt_process_count(), (int)tt_local_device(0));
 *     printf("%d here; device 5 is of process %d\n", (int)tt_local_device_count(), tt_device_process(5)); */
typedef struct tt_join_opts {
    TT_OPTION_HEAD
    int64_t devices TT_FROM_1; double patience TT_ABOVE_0;
} tt_join_opts;
#define tt_join(...)         tt_join_at(TT_AT("tt_join(" #__VA_ARGS__ ")"), TT_OPTS(tt_join_opts, __VA_ARGS__))
TT_API bool tt_join_at(const char *site, const tt_join_opts *);
TT_API int tt_process_index(void), tt_process_count(void);       /* 0 and 1 without a job */
TT_API int64_t tt_local_device_count(void);              /* devices of this process */
TT_API int64_t tt_local_device(int64_t i);               /* number of the i-th device of this process; -1: none */
TT_API int tt_device_process(int64_t device);            /* the process that has a device; -1: no such device */
/* The part of the mesh that this process has, with the same axes, for inspection: arrays on a mesh are those of all
 * processes, even if one process has all devices of the mesh. An empty mesh: this process has no devices of it, or
 * they are no box of it.
 *     puts(tt_mesh_spec(tt_local_mesh(mesh))); */
#define tt_local_mesh(mesh)  tt_local_mesh_at(TT_AT("tt_local_mesh(" #mesh ")"), mesh)
TT_API tt_mesh tt_local_mesh_at(const char *site, tt_mesh m);

/* ---- values of several processes; jax.experimental.multihost_utils. Trees leaf by leaf ---- */

/* True if this process holds all of v
 *     if (tt_is_fully_addressable(x) && !tt_is_fully_replicated(x)) puts("all of it is here, in parts"); */
#define tt_is_fully_addressable(v) tt_is_fully_addressable_at(TT_AT("tt_is_fully_addressable(" #v ")"), v)
/* True if every device holds all of v */
#define tt_is_fully_replicated(v) tt_is_fully_replicated_at(TT_AT("tt_is_fully_replicated(" #v ")"), v)
TT_API bool tt_is_fully_addressable_at(const char *site, tt_val v), tt_is_fully_replicated_at(const char *site,
    tt_val v);
/* All of v, on no mesh, in every process: of an array on a mesh the whole array; of a process's own values those of all
 * processes, stacked along a new dim 0, or with tiled = 1 joined along dim 0.
 *     tt_val whole = tt_process_allgather(x), rows = tt_process_allgather(mine, .tiled = 1); */
typedef struct tt_allgather_opts { TT_OPTION_HEAD int tiled TT_DEFAULT; } tt_allgather_opts;
#define tt_process_allgather(...) \
    TT_ALLGATHER_(TT_AT("tt_process_allgather(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_ALLGATHER_(at, v, ...) tt_process_allgather_at(at, v, TT_OPTS(tt_allgather_opts, __VA_ARGS__))
TT_API tt_val tt_process_allgather_at(const char *site, tt_val v, const tt_allgather_opts *);
/* What process `source` (default 0; the same number in all) gave, in every process; arrays on a mesh stay as they are.
 * The way to decide together: for (;;) if (tt_num(tt_broadcast_one_to_all(tt_b(clock() > end)))) break;
 *     tt_val same = tt_broadcast_one_to_all(mine, .source = 0); */
typedef struct tt_broadcast_opts { TT_OPTION_HEAD int source TT_DEFAULT; } tt_broadcast_opts;
#define tt_broadcast_one_to_all(...) \
    TT_BROADCAST_(TT_AT("tt_broadcast_one_to_all(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_BROADCAST_(at, v, ...) tt_broadcast_one_to_all_at(at, v, TT_OPTS(tt_broadcast_opts, __VA_ARGS__))
TT_API tt_val tt_broadcast_one_to_all_at(const char *site, tt_val v, const tt_broadcast_opts *);
/* Waits until all processes have made this call with the same name. False with the error set: another came with
 * another name.
 *     tt_sync_global_devices("data is there"); */
#define tt_sync_global_devices(name) \
    tt_sync_global_devices_at(TT_AT("tt_sync_global_devices(" #name ")"), name)
TT_API bool tt_sync_global_devices_at(const char *site, const char *name);
/* True if all processes have given the same values of the same types, to the bit; else the error is set in all.
 *     tt_assert_equal(params); */
#define tt_assert_equal(v)   tt_assert_equal_at(TT_AT("tt_assert_equal(" #v ")"), v)
TT_API bool tt_assert_equal_at(const char *site, tt_val v);
/* An array on a mesh of which every process gives its own part: the box around the blocks of its devices. Each dim of
 * the array is as many times larger than v's as there are different parts of it among the processes. global_shape:
 * "64, 784", the dims, where the dims do not follow from v's; a dim of v that already has the global size is kept.
 * Processes whose devices have the same box give the same elements of it, to the bit; others are an error, which is
 * set in all processes, as is a process whose v makes an array of another type, of other dims or with another layout.
 *     tt_val batch = tt_array_from_process_local_data(rows, mesh, "data, _");      // 32 rows here, 128 of four
 * tt_host_local_array_to_global_array is the same without the option, and tt_global_array_to_host_local_array gives
 * this process's part back, on no mesh.
 *     tt_val all = tt_host_local_array_to_global_array(rows, mesh, "data, _");
 *     tt_val mine = tt_global_array_to_host_local_array(all); */
typedef struct tt_local_data_opts { TT_OPTION_HEAD const char *global_shape TT_DEFAULT; } tt_local_data_opts;
#define tt_array_from_process_local_data(...) \
    TT_LOCAL_DATA_(TT_AT("tt_array_from_process_local_data(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_LOCAL_DATA_(at, v, mesh, spec, ...) \
    tt_array_from_process_local_data_at(at, v, mesh, spec, TT_OPTS(tt_local_data_opts, __VA_ARGS__))
TT_API tt_val tt_array_from_process_local_data_at(const char *site, tt_val v, tt_mesh mesh, const char *spec,
    const tt_local_data_opts *);
#define tt_host_local_array_to_global_array(v, mesh, spec) \
    tt_host_local_array_to_global_array_at(TT_AT("tt_host_local_array_to_global_array(" #v ", " #spec ")"), v, mesh, \
        spec)
TT_API tt_val tt_host_local_array_to_global_array_at(const char *site, tt_val v, tt_mesh mesh, const char *spec);
#define tt_global_array_to_host_local_array(v) \
    tt_global_array_to_host_local_array_at(TT_AT("tt_global_array_to_host_local_array(" #v ")"), v)
TT_API tt_val tt_global_array_to_host_local_array_at(const char *site, tt_val v);

/* ---- for functions that save, load or assemble arrays of all processes ---- */

/* The box [lo, lo + n) of an array. process: the process that has the box, or is to have it. here: this process has
 * it. */
enum { TT_PART_RANK = 12 };
typedef struct { int64_t lo[TT_PART_RANK], n[TT_PART_RANK]; int process; bool here; } tt_part;
/* Writes the distinct parts of an array, or of a shape with a layout, to out[], at most `capacity`. A part that several
 * processes have is of number `turn` (from 0) of these, in rising order and from the first again. Without a mesh: one
 * part, of process 0, and here, since each process has a value of its own. Returns the number of parts; -1 with the
 * error set.
 *     tt_part parts[64]; const int64_t n64 = tt_process_parts(x, 0, 64, parts); */
#define tt_process_parts(v, turn, capacity, out) \
    tt_process_parts_at(TT_AT("tt_process_parts(" #v ", " #turn ")"), v, turn, capacity, out)
TT_API int64_t tt_process_parts_at(const char *site, tt_val v, int64_t turn, int64_t capacity, tt_part *out);
/* Brings n boxes of an array to one process each, as dense elements; all processes call it together with the same
 * boxes. to[i] is read where box i goes, and NULL there (no memory) is an error of all processes.
 *     void *to[] = { memory }; tt_process_collect(x, 1, parts, to); */
#define tt_process_collect(v, n, box, to) \
    tt_process_collect_at(TT_AT("tt_process_collect(" #v ", " #n ")"), v, n, box, to)
TT_API bool tt_process_collect_at(const char *site, tt_val v, int64_t n, const tt_part *box, void *const *to);
/* The argument of tt_process_agree. code, text: an error of this process alone; TT_OK: none. same: a text
 * that must be equal in all processes, of which messages show the last 63 bytes; NULL: "". patience: seconds, where the
 * others may take longer than the job's patience to come; 0: the job's. */
typedef struct { tt_code code; const char *text, *same; double patience; } tt_agreement;
/* All processes call it together. True if all are at this line with `what`, none has an error, and `same` is equal in
 * all. Else false in all: where the process brought no error itself, the error is set and names the process that did.
 * May be called while an earlier error is set.
 *     const tt_agreement mine = { .same = "step 3" }; if (!tt_process_agree("my_save", &mine)) return tt_poison; */
#define tt_process_agree(what, mine) tt_process_agree_at(TT_AT("tt_process_agree(" #what ")"), what, mine)
TT_API bool tt_process_agree_at(const char *site, const char *what, const tt_agreement *mine);
/* All processes call these together. gather: the n bytes of process k go to all + k n. broadcast: those of process
 * `from` go to all.
 *     int all[8], own = 1;
 *     tt_gather_bytes("sizes", &own, sizeof own, all), tt_broadcast_bytes("size", 0, &own, sizeof own);
 *     if (tt_process_on_host() == 0) puts("one process of this host"); */
#define tt_gather_bytes(what, mine, n, all) \
    tt_gather_bytes_at(TT_AT("tt_gather_bytes(" #what ", " #n ")"), what, mine, n, all)
#define tt_broadcast_bytes(what, from, at, n) \
    tt_broadcast_bytes_at(TT_AT("tt_broadcast_bytes(" #what ", " #from ")"), what, from, at, n)
TT_API bool tt_gather_bytes_at(const char *site, const char *what, const void *mine, size_t n, void *all),
    tt_broadcast_bytes_at(const char *site, const char *what, int from, void *at, size_t n);
TT_API int tt_process_on_host(void);     /* index of this process among those of its host */

#ifdef __cplusplus
}
#endif
#endif
