/* gen/dnn/api.c - calls oneDNN, versions 2 and 3: primitives created once per problem, run by any worker.
 *
 * In version 2 a memory descriptor is a struct and operations have descriptors; in version 3 a memory descriptor is a
 * handle and primitives are described in one call. `md` and `describe` hide both from the rest of the file. Primitives
 * are created and run with one OpenMP thread: the workers are the core's. Memory objects belong to a worker, because
 * running a primitive sets the objects' addresses; so this file allocates nothing after a worker's first run of a
 * primitive (oneDNN itself still allocates a little). Plain reference implementations are refused: the core's kernels
 * are faster. */
#include "dnn.h"

#include <dnnl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

void omp_set_num_threads(int) __attribute__((weak));
int  omp_get_max_threads(void) __attribute__((weak));

static int one_thread(void)                              /* returns the thread count to restore */
{
    const int before = omp_get_max_threads ? omp_get_max_threads() : 1;
    if (before != 1) omp_set_num_threads(1);
    return before;
}

static void restore(int threads) { if (threads != 1) omp_set_num_threads(threads); }

/* ---- memory descriptors ---- */

#if DNNL_VERSION_MAJOR >= 3
typedef dnnl_memory_desc_t md;
typedef const_dnnl_memory_desc_t md_in;
static md_in in(const md *m) { return *m; }
static bool strided(md *m, const dnn_tensor *t, dnnl_data_type_t type)
{
    return dnnl_memory_desc_create_with_strides(m, t->rank, t->n, type, t->step) == dnnl_success;
}
static bool dnn_api_any(md *m, const dnn_tensor *t, dnnl_data_type_t type)
{
    return dnnl_memory_desc_create_with_tag(m, t->rank, t->n, type, dnnl_format_tag_any) == dnnl_success;
}
static void forget(md *m) { if (*m) dnnl_memory_desc_destroy(*m); }
#else
typedef dnnl_memory_desc_t md;
typedef const dnnl_memory_desc_t *md_in;
static md_in in(const md *m) { return m; }
static bool strided(md *m, const dnn_tensor *t, dnnl_data_type_t type)
{
    return dnnl_memory_desc_init_by_strides(m, t->rank, t->n, type, t->step) == dnnl_success;
}
static bool dnn_api_any(md *m, const dnn_tensor *t, dnnl_data_type_t type)
{
    return dnnl_memory_desc_init_by_tag(m, t->rank, t->n, type, dnnl_format_tag_any) == dnnl_success;
}
static void forget(md *m) { (void)m; }
#endif

/* ---- primitives ---- */

typedef struct { dnnl_stream_t stream; dnnl_memory_t a, b, c, packed, pad; } hand;     /* of one worker */
enum { WORKERS = 256, A = 0, B, C };
struct dnn_primitive {
    dnn_spec spec;
    uint64_t hash;
    dnn_primitive *next;
    const char *why;                                     /* not NULL: refused */
    dnnl_primitive_t run, reorder;                       /* reorder: b before, or c after */
    dnnl_primitive_desc_t desc;
    md plain[3];
    int packed;                                          /* the tensor in oneDNN's own order; -1: none */
    size_t packed_bytes, pad_bytes;
    hand *_Atomic hand[WORKERS];
};

static dnnl_engine_t engine;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static dnn_primitive *table[1024];

static dnnl_data_type_t type_of(int dtype) { return dtype == TT_BF16 ? dnnl_bf16 : dnnl_f32; }

bool dnn_start(const char *isa, const char **why)
{
    const dnnl_version_t *v = dnnl_version();
    if (v->major != DNNL_VERSION_MAJOR) {
        *why = "the oneDNN that is installed has another major version than the one it was built with";
        return false;
    }
    if (isa && (!strcmp(isa, "base") || !strcmp(isa, "sse2"))) dnnl_set_max_cpu_isa(dnnl_cpu_isa_sse41);
    if (isa && !strcmp(isa, "avx2")) dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2);
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) == dnnl_success) return true;
    *why = "oneDNN has no engine for this CPU";
    return false;
}

bool dnn_is_wide(void)
{
    return (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core;
}

#if DNNL_VERSION_MAJOR >= 3
static dnnl_status_t describe(const dnn_spec *s, const md *m, dnnl_primitive_attr_t attr, dnnl_primitive_desc_t *d)
{
    dnnl_primitive_desc_t hint = NULL;
    const dnnl_alg_kind_t way = dnnl_convolution_direct;
    if (s->kind == DNN_MATMUL) return dnnl_matmul_primitive_desc_create(d, engine, m[A], m[B], NULL, m[C], attr);
    const md src = s->kind == DNN_BACK_DATA ? m[C] : m[A], dst = s->kind == DNN_FORWARD ? m[C]
        : s->kind == DNN_BACK_DATA ? m[A] : m[B];
    const md wei = s->kind == DNN_BACK_WEIGHTS ? m[C] : m[B];
    dnnl_status_t st = dnnl_convolution_forward_primitive_desc_create(s->kind == DNN_FORWARD ? d : &hint, engine,
        s->kind == DNN_FORWARD ? dnnl_forward_inference : dnnl_forward_training, way, src, wei, NULL, dst,
        s->stride, s->dilate, s->low, s->high, attr);
    if (st != dnnl_success || s->kind == DNN_FORWARD) return st;
    st = s->kind == DNN_BACK_DATA
             ? dnnl_convolution_backward_data_primitive_desc_create(d, engine, way, src, wei, dst, s->stride,
             s->dilate, s->low,
                                                                    s->high, hint, attr)
             : dnnl_convolution_backward_weights_primitive_desc_create(d, engine, way, src, wei, NULL, dst,
                 s->stride, s->dilate,
                                                                       s->low, s->high, hint, attr);
    dnnl_primitive_desc_destroy(hint);
    return st;
}
#else
static dnnl_status_t describe(const dnn_spec *s, const md *m, dnnl_primitive_attr_t attr, dnnl_primitive_desc_t *d)
{
    dnnl_convolution_desc_t conv, first;
    dnnl_matmul_desc_t mm;
    dnnl_primitive_desc_t hint = NULL;
    const dnnl_alg_kind_t way = dnnl_convolution_direct;
    if (s->kind == DNN_MATMUL) {
        const dnnl_status_t st = dnnl_matmul_desc_init(&mm, &m[A], &m[B], NULL, &m[C]);
        return st == dnnl_success ? dnnl_primitive_desc_create(d, &mm, attr, engine, NULL) : st;
    }
    const md *src = s->kind == DNN_BACK_DATA ? &m[C] : &m[A], *wei = s->kind == DNN_BACK_WEIGHTS ? &m[C] : &m[B];
    const md *dst = s->kind == DNN_FORWARD ? &m[C] : s->kind == DNN_BACK_DATA ? &m[A] : &m[B];
    dnnl_status_t st = dnnl_dilated_convolution_forward_desc_init(&first, s->kind == DNN_FORWARD
        ? dnnl_forward_inference
        : dnnl_forward_training, way, src, wei, NULL, dst, s->stride, s->dilate, s->low, s->high);
    if (st == dnnl_success) st = dnnl_primitive_desc_create(s->kind == DNN_FORWARD ? d : &hint, &first, attr,
                                                            engine, NULL);
    if (st != dnnl_success || s->kind == DNN_FORWARD) return st;
    st = s->kind == DNN_BACK_DATA
             ? dnnl_dilated_convolution_backward_data_desc_init(&conv, way, src, wei, dst, s->stride, s->dilate,
                                                                s->low, s->high)
             : dnnl_dilated_convolution_backward_weights_desc_init(&conv, way, src, wei, NULL, dst, s->stride,
                 s->dilate, s->low,
                                                                   s->high);
    if (st == dnnl_success) st = dnnl_primitive_desc_create(d, &conv, attr, engine, hint);
    dnnl_primitive_desc_destroy(hint);
    return st;
}
#endif

/* oneDNN's own order of the weights, by the query for that tensor. */
static md_in own_order(const dnn_primitive *p)
{
    const dnnl_query_t q = p->packed == C ? dnnl_query_diff_weights_md : dnnl_query_weights_md;
    return dnnl_primitive_desc_query_md(p->desc, q, 0);
}

static const char *make_reorder(dnn_primitive *p)
{
    dnnl_primitive_desc_t d;
    if (p->packed < 0) return NULL;
    const md_in own = own_order(p), plain = in(&p->plain[p->packed]);
    if (dnnl_memory_desc_equal(own, plain)) {
        p->packed = -1;
        return NULL;
    }
    p->packed_bytes = base_round_up((int64_t)dnnl_memory_desc_get_size(own), BASE_CACHE_LINE);
    const dnnl_status_t st = p->packed == C ? dnnl_reorder_primitive_desc_create(&d, own, engine, plain, engine, NULL)
                                            : dnnl_reorder_primitive_desc_create(&d, plain, engine, own, engine, NULL);
    if (st != dnnl_success) return "oneDNN cannot reorder its weights";
    const bool made = dnnl_primitive_create(&p->reorder, d) == dnnl_success;
    dnnl_primitive_desc_destroy(d);
    return made ? NULL : "oneDNN did not make the primitive that reorders weights";
}

static const char *dnn_api_make(dnn_primitive *p)
{
    const dnn_spec *s = &p->spec;
    dnnl_primitive_attr_t attr;
    const char *name = NULL;
    const dnn_tensor *t[3] = { &s->a, &s->b, &s->c };
    md m[3];
    p->packed = s->kind == DNN_MATMUL ? (s->pack ? B : -1) : s->kind == DNN_BACK_WEIGHTS ? C : B;
    for (int i = 0; i < 3; i++) {
        if (!strided(&p->plain[i], t[i], type_of(t[i]->dtype))) return "oneDNN does not know such strides";
        if (i == p->packed ? !dnn_api_any(&m[i], t[i], type_of(t[i]->dtype)) : !strided(&m[i], t[i],
            type_of(t[i]->dtype)))
            return "oneDNN does not know such strides";
    }
    if (dnnl_primitive_attr_create(&attr) != dnnl_success) return "oneDNN is out of memory";
    dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user);
    const dnnl_status_t st = describe(s, m, attr, &p->desc);
    dnnl_primitive_attr_destroy(attr);
    for (int i = 0; i < 3; i++) forget(&m[i]);
    if (st != dnnl_success) return "oneDNN has no primitive for it";
    dnnl_primitive_desc_query(p->desc, dnnl_query_impl_info_str, 0, &name);
    if (!name || strstr(name, "ref")) return "oneDNN has only its reference for it";
    const char *why = make_reorder(p);
    if (why) return why;
    p->pad_bytes = dnnl_memory_desc_get_size(dnnl_primitive_desc_query_md(p->desc, dnnl_query_scratchpad_md, 0));
    return dnnl_primitive_create(&p->run, p->desc) == dnnl_success ? NULL : "oneDNN did not make the primitive";
}

static uint64_t hash_of(const dnn_spec *s)
{
    const unsigned char *p = (const unsigned char *)s;
    uint64_t h = 1469598103934665603u;
    for (size_t i = 0; i < sizeof *s; i++) h = (h ^ p[i]) * 1099511628211u;
    return h;
}

dnn_primitive *dnn_find(const dnn_spec *s, const char **why)
{
    const uint64_t h = hash_of(s);
    pthread_mutex_lock(&lock);
    dnn_primitive **at = &table[h % 1024], *p = *at;
    while (p && (p->hash != h || memcmp(&p->spec, s, sizeof *s))) p = p->next;
    if (!p && (p = calloc(1, sizeof *p))) {
        const int threads = one_thread();
        p->spec = *s;
        p->hash = h;
        p->why = dnn_api_make(p);
        p->next = *at;
        *at = p;
        restore(threads);
    }
    pthread_mutex_unlock(&lock);
    if (!p) *why = "out of memory";
    else if (p->why) *why = p->why;
    return p && !p->why ? p : NULL;
}

int64_t dnn_scratch(const dnn_primitive *p) { return (int64_t)(p->packed_bytes + p->pad_bytes) + 64; }

/* ---- running ---- */

static hand *hand_of(dnn_primitive *p, int worker)
{
    hand *h = atomic_load_explicit(&p->hand[worker], memory_order_relaxed);
    if (h || !(h = calloc(1, sizeof *h))) return h;
    bool good = dnnl_stream_create(&h->stream, engine, dnnl_stream_default_flags) == dnnl_success;
    dnnl_memory_t *at[3] = { &h->a, &h->b, &h->c };
    for (int i = 0; i < 3 && good; i++)
        good = dnnl_memory_create(at[i], in(&p->plain[i]), engine, DNNL_MEMORY_NONE) == dnnl_success;
    if (good && p->packed >= 0) good = dnnl_memory_create(&h->packed, own_order(p), engine,
                                                          DNNL_MEMORY_NONE) == dnnl_success;
    if (good && p->pad_bytes)
        good = dnnl_memory_create(&h->pad, dnnl_primitive_desc_query_md(p->desc, dnnl_query_scratchpad_md, 0), engine,
                                  DNNL_MEMORY_NONE) == dnnl_success;
    if (!good) return NULL;  /* partial objects are kept: this happens once, out of memory */
    atomic_store_explicit(&p->hand[worker], h, memory_order_relaxed);
    return h;
}

static bool do_reorder(dnn_primitive *p, hand *h, dnnl_memory_t from, dnnl_memory_t to)
{
    const dnnl_exec_arg_t arg[2] = { { DNNL_ARG_FROM, from }, { DNNL_ARG_TO, to } };
    return dnnl_primitive_execute(p->reorder, h->stream, 2, arg) == dnnl_success;
}

static bool execute(dnn_primitive *p, hand *h, bool packed)
{
    static const int name[][3] = { [DNN_MATMUL] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST },
                                   [DNN_FORWARD] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST },
                                   [DNN_BACK_DATA] = { DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC },
                                   [DNN_BACK_WEIGHTS] = { DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS } };
    const int *n = name[p->spec.kind];
    const dnnl_exec_arg_t arg[4] = { { n[A], h->a }, { n[B], p->packed == B ? h->packed : h->b },
                                     { n[C], p->packed == C ? h->packed : h->c }, { DNNL_ARG_SCRATCHPAD, h->pad } };
    if (p->packed == B && !packed && !do_reorder(p, h, h->b, h->packed)) return false;
    if (dnnl_primitive_execute(p->run, h->stream, h->pad ? 4 : 3, arg) != dnnl_success) return false;
    return p->packed != C || do_reorder(p, h, h->packed, h->c);
}

bool dnn_run(dnn_primitive *p, int worker, const void *a, const void *b, void *c, void *scratch, bool again)
{
    hand *h = worker < WORKERS ? hand_of(p, worker) : NULL;
    if (!h) return false;
    char *s = base_line_up(scratch);
    dnnl_memory_set_data_handle(h->a, (void *)(uintptr_t)a);
    dnnl_memory_set_data_handle(h->b, (void *)(uintptr_t)b);
    dnnl_memory_set_data_handle(h->c, c);
    if (h->packed) dnnl_memory_set_data_handle(h->packed, s);
    if (h->pad) dnnl_memory_set_data_handle(h->pad, s + p->packed_bytes);
    const int threads = one_thread();
    const bool done = execute(p, h, again) && dnnl_stream_wait(h->stream) == dnnl_success;
    restore(threads);
    return done;
}
