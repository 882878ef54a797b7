/* gen/dnn/dnn.h - the plug-in libtutti_dnn.so: contractions and convolutions of some size by oneDNN.
 *
 * engine.c is the engine; dot.c and conv.c translate boxes to oneDNN's problems; api.c is the only file that depends on
 * oneDNN and on the differences between its versions 2 and 3. The plug-in does not link the core: the core's functions
 * come in gen_host. */
#ifndef TUTTI_DNN_H
#define TUTTI_DNN_H

#include "../gen.h"

/* A problem. Tensors a, b -> c in oneDNN's order of dims, strides in elements:
 *   MATMUL       [batch.., m, k] [batch.., k, n] -> [batch.., m, n]
 *   FORWARD      src [n, i, s..], weights [(g,) o, i, k..] -> dst [n, o, s..]
 *   BACK_DATA    diff_dst [n, o, s..], weights [(g,) o, i, k..] -> diff_src [n, i, s..]
 *   BACK_WEIGHTS src [n, i, s..], diff_dst [n, o, s..] -> diff_weights [(g,) o, i, k..]
 * Compared as bytes: unused entries are 0. */
typedef enum { DNN_MATMUL, DNN_FORWARD, DNN_BACK_DATA, DNN_BACK_WEIGHTS } dnn_kind;
enum { DNN_RANK = 6, DNN_SPATIAL = 3, DNN_DIMS = 12 };   /* most dims used; entries that oneDNN may read */
typedef struct { int dtype, rank; int64_t n[DNN_DIMS], step[DNN_DIMS]; } dnn_tensor;
typedef struct {
    dnn_kind kind; int nspatial;
    int64_t pack;                                        /* MATMUL: b in oneDNN's preferred order, reordered first */
    dnn_tensor a, b, c;
    int64_t stride[DNN_DIMS], dilate[DNN_DIMS], low[DNN_DIMS], high[DNN_DIMS];
} dnn_spec;

/* ---- api.c: any thread; primitives are never freed, one per spec ---- */
typedef struct dnn_primitive dnn_primitive;
bool dnn_is_wide(void);                                  /* True if AVX-512 may be used */
bool dnn_start(const char *isa, const char **why);       /* isa: NULL, or the highest instruction set allowed */
dnn_primitive *dnn_find(const dnn_spec *, const char **why);     /* NULL: oneDNN has no fast implementation */
int64_t dnn_scratch(const dnn_primitive *);
/* again: b is the same as in the previous call with this primitive, worker and scratch, so b is not reordered a second
 * time. */
bool dnn_run(dnn_primitive *, int worker, const void *a, const void *b, void *c, void *scratch, bool again);

/* ---- dot.c, conv.c: a box problem as blocks of one or two specs ---- */
enum { DNN_BLOCKS = 2 };
/* Parts 0 .. parts-1 are computed by spec[0], the last one by spec[1] if its size differs. Part i begins at i * step
 * bytes in each tensor; base: bytes to add to the boxes' addresses. */
typedef struct {
    dnn_spec spec[DNN_BLOCKS]; int nspec; int64_t parts;
    int64_t base[3], step[3]; int swap;                  /* swap: a is the second operand */
    int64_t sum;    /* parts are f32 results of so many elements, to be summed; or 0 */
    /* if sum is 0: part i is [i * each, i * each + each) of `dims` of the result's dims, after `before` others */
    int before, dims; int64_t each;
} dnn_problem;
typedef struct { const ir_type *x, *y, *z; const void *attr; } dnn_self;
bool dnn_dot(const dnn_self *, const ir_box *arg, dnn_problem *, const char **why);
/* split: the batch may be split into parts whose results must be summed */
bool dnn_conv(const dnn_self *, const ir_box *arg, bool split, dnn_problem *, const char **why);
size_t dnn_bytes(int dtype);
bool   dnn_holds(const ir_box *);                        /* True if the box has at least one element */
/* Finds the part of box `from` that has range [lo, lo + n) of dim d, as an offset in elements. Returns false if `from`
 * does not hold all of the part. */
bool dnn_part(const ir_box *from, int d, int64_t lo, int64_t n, int64_t *elements);

#endif
