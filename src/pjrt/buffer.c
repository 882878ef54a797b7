/* pjrt/buffer.c - buffers on devices: from dense memory of the host, and back; copies between devices. */
#include "inner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* PJRT's number of a type; 0: it has none. */
static int type_of(tt_dtype t)
{
    static const unsigned char number[] = {
        [TT_BOOL] = 1, [TT_I8] = 2, [TT_I16] = 3, [TT_I32] = 4, [TT_I64] = 5, [TT_U8] = 6, [TT_U16] = 7, [TT_U32] = 8,
        [TT_U64] = 9, [TT_F16] = 10, [TT_F32] = 11, [TT_F64] = 12, [TT_BF16] = 13, [TT_C64] = 14, [TT_C128] = 15,
        [TT_F8E5M2] = 16, [TT_F8E4M3FN] = 17, [TT_F8E4M3B11FNUZ] = 18, [TT_F8E5M2FNUZ] = 19, [TT_F8E4M3FNUZ] = 20,
        [TT_I4] = 21, [TT_U4] = 22, [TT_I2] = 24, [TT_U2] = 25, [TT_F8E4M3] = 26, [TT_F8E3M4] = 27,
        [TT_F8E8M0FNU] = 28, [TT_F4E2M1FN] = 29,
    };
    return (size_t)t < sizeof number ? number[t] : 0;
}

/* OpenXLA's compiler for processors ends the process at programs with elements of two bits, sorts them wrongly and does
 * not sum them over devices. */
bool pjrt_do_has(run_engine *engine, tt_dtype t)
{
    const bool two_bits = t == TT_I2 || t == TT_U2;
    return type_of(t) && !(two_bits && !strcmp(engine->platform, "cpu"));
}

/* A transfer whose memory has not been read yet. */
typedef struct { pjrt_engine *engine; int64_t bytes; void (*read)(void *env); void *env; } putting;

static void put_ended(putting *p)
{
    pjrt_engine *const e = p->engine;
    pthread_mutex_lock(&e->lock);
    e->puts--, e->putting -= p->bytes;
    pthread_cond_broadcast(&e->changed);
    pthread_mutex_unlock(&e->lock);
    free(p);
}

/* The memory has been read. A failure is the buffer's too, where it is met. */
static void put_read(pjrt_error *error, void *env)
{
    putting *const p = env;
    const char *why;
    pjrt_good(p->engine->api, error, &why);
    p->read(p->env);
    put_ended(p);
}

/* Waits until the transfers under way have read enough, and counts one more; NULL: no memory. */
static putting *put_begun(pjrt_engine *e, const run_put *q)
{
    putting *const p = malloc(sizeof *p);
    if (!p) return NULL;
    *p = (putting){ e, q->bytes, q->read, q->env };
    pthread_mutex_lock(&e->lock);
    while (e->puts && e->putting + q->bytes > PJRT_PUTTING && !e->lost) pthread_cond_wait(&e->changed, &e->lock);
    e->puts++, e->putting += q->bytes;
    pthread_mutex_unlock(&e->lock);
    return p;
}

void *pjrt_do_put(run_engine *engine, const run_put *q, const char **why)
{
    pjrt_engine *const e = engine->self;
    const int type = type_of(q->dtype);
    if (!pjrt_usable(e, why)) return NULL;
    if (!type) return pjrt_failed_as(RUN_FAILED), *why = "PJRT has no such type of elements", NULL;
    putting *const p = q->read ? put_begun(e, q) : NULL;
    if (q->read && !p) return pjrt_failed_as(RUN_NO_MEMORY), *why = "out of memory", NULL;
    PJRT_CALL(pjrt_from_host, h, .client = e->client, .data = q->from, .type = type, .dim = q->dim,
              .rank = (size_t)q->rank, .semantics = p ? PJRT_COPIED_LATER : PJRT_COPIED_IN_CALL,
              .device = e->device[q->device]);
    if (!pjrt_good(e->api, e->api->Client_BufferFromHostBuffer(&h.a), why)) {
        if (p) put_ended(p);
        return NULL;
    }
    if (p && !h.a.done) put_read(NULL, p);
    else if (p && pjrt_when(e, h.a.done, put_read, p, why)) return h.a.buffer;
    else if (p) {                                        /* the memory is read until the buffer has its elements */
        const char *other;
        pjrt_do_wait(engine, h.a.buffer, &other);
        put_ended(p);
        return pjrt_do_drop(engine, h.a.buffer), NULL;
    } else if (!pjrt_await(e, h.a.done, why)) return pjrt_do_drop(engine, h.a.buffer), NULL;
    return h.a.buffer;
}

void *pjrt_do_copy(run_engine *engine, void *buffer, int device, const char **why)
{
    pjrt_engine *const e = engine->self;
    PJRT_CALL(pjrt_copy, c, .buffer = buffer, .to = e->device[device]);
    return pjrt_usable(e, why) && pjrt_good(e->api, e->api->Buffer_CopyToDevice(&c.a), why) ? c.a.copy : NULL;
}

/* True if the buffer has this type and these dims. */
static bool is_of(pjrt_engine *e, pjrt_buffer *buffer, tt_dtype dtype, int rank, const int64_t *dim, const char **why)
{
    PJRT_CALL(pjrt_type, t, .buffer = buffer);
    PJRT_CALL(pjrt_dims, d, .buffer = buffer);
    if (!pjrt_good(e->api, e->api->Buffer_ElementType(&t.a), why)) return false;
    if (!pjrt_good(e->api, e->api->Buffer_Dimensions(&d.a), why)) return false;
    bool same = t.a.type == type_of(dtype) && d.a.rank == (size_t)rank;
    for (int i = 0; i < rank && same; i++) same = d.a.dim[i] == dim[i];
    if (!same) *why = "the library's buffer has another type than its program states", pjrt_failed_as(RUN_FAILED);
    return same;
}

bool pjrt_do_get(run_engine *engine, void *buffer, tt_dtype dtype, int rank, const int64_t *dim, void *to,
                 int64_t bytes, const char **why)
{
    pjrt_engine *const e = engine->self;
    int64_t minor[RUN_ENGINE_RANK];
    pjrt_layout row_major = { .head = { sizeof row_major, NULL },
                              .tiled = { .head = { sizeof row_major.tiled, NULL }, .minor = minor,
                                         .rank = (size_t)rank } };
    for (int i = 0; i < rank; i++) minor[i] = rank - 1 - i;
    if (!pjrt_do_wait(engine, buffer, why) || !is_of(e, buffer, dtype, rank, dim, why)) return false;
    PJRT_CALL(pjrt_to_host, h, .buffer = buffer, .layout = &row_major, .to = to, .n = (size_t)bytes);
    return pjrt_good(e->api, e->api->Buffer_ToHostBuffer(&h.a), why) && pjrt_await(e, h.a.event, why);
}

void pjrt_do_drop(run_engine *engine, void *buffer)
{
    pjrt_engine *const e = engine->self;
    const char *why;
    PJRT_CALL(pjrt_of_buffer, b, .buffer = buffer);
    if (buffer && !e->forked) pjrt_good(e->api, e->api->Buffer_Destroy(&b.a), &why);
}

bool pjrt_do_wait(run_engine *engine, void *buffer, const char **why)
{
    pjrt_engine *const e = engine->self;
    PJRT_CALL(pjrt_ready_event, r, .buffer = buffer);
    return pjrt_here(e, why) && pjrt_good(e->api, e->api->Buffer_ReadyEvent(&r.a), why) &&
           pjrt_await(e, r.a.event, why);
}

run_device_memory pjrt_do_memory(run_engine *engine, int device)
{
    pjrt_engine *const e = engine->self;
    const char *why;
    PJRT_CALL(pjrt_memory, m, .device = e->device[device]);
    if (e->forked || !pjrt_good(e->api, e->api->Device_MemoryStats(&m.a), &why))
        return (run_device_memory){ -1, -1, -1 };
    return (run_device_memory){ m.a.in_use, m.a.peak.is_set ? m.a.peak.bytes : -1,
                                m.a.limit.is_set ? m.a.limit.bytes : -1 };
}
