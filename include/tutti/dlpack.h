/* tutti/dlpack.h - DLPack: arrays to and from NumPy, PyTorch, JAX and others in one process, without a copy.
 *
 *     struct DLManagedTensorVersioned *t = tt_to_dlpack(v);        // to another library, which calls t->deleter(t)
 *     tt_val w = tt_from_dlpack(theirs);                           // deleted with the last value that uses it
 *
 * The structs are those of the published ABI, version 1.1 (https://dmlc.github.io/dlpack/latest/c_api.html); with
 * <dlpack/dlpack.h> they have its names, without it tt_dlpack is the same layout: ((tt_dlpack *)t)->tensor.shape. */
#include <tutti.h>
#ifndef TUTTI_DLPACK_H
#define TUTTI_DLPACK_H

#ifdef __cplusplus
extern "C" {
#endif

struct DLManagedTensorVersioned;
struct DLManagedTensor;                                  /* of DLPack before 1.0, without version and flags */

/* strides are in elements; NULL: dense, row-major. device_type 1: this machine's memory. code: 0 int, 1 uint, 2 float,
 * 4 bfloat, 5 complex, 6 bool, 7 to 14 the floats of 8 bits in the order of TT_F8E3M4, E4M3, E4M3B11FNUZ, E4M3FN,
 * E4M3FNUZ, E5M2, E5M2FNUZ, E8M0FNU. */
typedef struct {
    void *data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} tt_dlpack_tensor;
typedef struct tt_dlpack {
    uint32_t major, minor;
    void *manager;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;                                      /* 1: read only; 2: a copy, the receiver's alone */
    tt_dlpack_tensor tensor;
} tt_dlpack;
typedef struct tt_dlpack_before_1 {
    tt_dlpack_tensor tensor;
    void *manager;
    void (*deleter)(struct DLManagedTensor *self);
} tt_dlpack_before_1;

/* The array's own memory, which lives until the deleter is called, whatever becomes of the value and its scope; any
 * thread may call it. Values are immutable, and flags say so: the memory must not be written. NULL with the error
 * set: a tree; a traced value; an array that is not in one piece in this process's memory, because it is sharded; the
 * types of less than 8 bits, which DLPack packs. tt_to_dlpack_before_1 has no flags to say that the memory is read
 * only: the receiver must not write.
 *     struct DLManagedTensorVersioned *mine = tt_to_dlpack(x);
 *     struct DLManagedTensor *older = tt_to_dlpack_before_1(x); */
#define tt_to_dlpack(v)      tt_to_dlpack_at(TT_AT("tt_to_dlpack(" #v ")"), v)
TT_API struct DLManagedTensorVersioned *tt_to_dlpack_at(const char *site, tt_val v);
#define tt_to_dlpack_before_1(v) tt_to_dlpack_before_1_at(TT_AT("tt_to_dlpack_before_1(" #v ")"), v)
TT_API struct DLManagedTensor *tt_to_dlpack_before_1_at(const char *site, tt_val v);

/* copy 0: the value reads the tensor's memory, which nobody may write to while it lives; it is an error if it does not
 * begin at a multiple of 16 bytes or is not dense and row-major. copy 1: the elements are copied, whatever their
 * strides, and the deleter is called at once; so it is on an engine of PJRT, whose devices have memory of their own.
 *
 * With success the tensor belongs to the value, and its deleter is called when the last value that needs it is gone, on
 * the thread where that happens. After an error the tensor is still the caller's. Errors: another device than this
 * machine's memory, another major version, several lanes, a type that Tutti lacks, a bool that is neither 0 nor 1.
 *     tt_val shared = tt_from_dlpack(theirs), copied = tt_from_dlpack(theirs, .copy = 1);
 *     tt_val from_older = tt_from_dlpack_before_1(older_tensor); */
typedef struct tt_dlpack_opts { TT_OPTION_HEAD int copy TT_DEFAULT; } tt_dlpack_opts;
#define tt_from_dlpack(...)  TT_FROM_DLPACK_(TT_AT("tt_from_dlpack(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_FROM_DLPACK_(at, t, ...) tt_from_dlpack_at(at, t, TT_OPTS(tt_dlpack_opts, __VA_ARGS__))
TT_API tt_val tt_from_dlpack_at(const char *site, struct DLManagedTensorVersioned *t, const tt_dlpack_opts *);
#define tt_from_dlpack_before_1(...) \
    TT_FROM_DLPACK_0_(TT_AT("tt_from_dlpack_before_1(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_FROM_DLPACK_0_(at, t, ...) tt_from_dlpack_before_1_at(at, t, TT_OPTS(tt_dlpack_opts, __VA_ARGS__))
TT_API tt_val tt_from_dlpack_before_1_at(const char *site, struct DLManagedTensor *t, const tt_dlpack_opts *);

#ifdef __cplusplus
}
#endif
#endif
