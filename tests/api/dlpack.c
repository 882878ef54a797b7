/* dlpack.c - arrays to and from other libraries without a copy: whose memory it is, who frees it and when, and what is
 * refused. */
#include "check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

static int deleted;
static void count_deleted(struct DLManagedTensorVersioned *t)
{
    tt_dlpack *const x = (void *)t;
    deleted++;
    free(x->manager);
    free(x);
}
static void count_before(struct DLManagedTensor *t)
{
    tt_dlpack_before_1 *const x = (void *)t;
    deleted++;
    free(x->manager);
    free(x);
}

static bool says(const char *part)
{
    const bool good = !tt_ok() && strstr(tt_error(), part);
    if (!good) printf("expected \"%s\", got: %s\n", part, tt_ok() ? "no error" : tt_error());
    tt_clear();
    return good;
}

/* A tensor of 6 floats 1 to 6, `past` bytes behind a multiple of 64. */
static tt_dlpack *theirs(size_t past, int ndim, int64_t *shape, int64_t *strides)
{
    tt_dlpack *const t = calloc(1, sizeof *t);
    char *const all = aligned_alloc(64, 128);
    for (int i = 0; i < 6; i++) memcpy(all + past + 4 * i, &(float){ (float)(i + 1) }, 4);
    *t = (tt_dlpack){ .major = 1, .manager = all, .deleter = count_deleted,
                      .tensor = { .data = all, .device_type = 1, .ndim = ndim, .code = 2, .bits = 32, .lanes = 1,
                                  .shape = shape, .strides = strides, .byte_offset = past } };
    return t;
}
#define HANDLE(t) ((struct DLManagedTensorVersioned *)(void *)(t))

static void to_others(void)
{
    const float data[] = { 1, 2, 3, 4, 5, 6 };
    const tt_scope s = tt_scope_open();
    const tt_val v = tt_array(TT_F32, data, 2, 3), bits = tt_cast(v, TT_BF16);
    struct DLManagedTensorVersioned *const t = tt_to_dlpack(v), *const b = tt_to_dlpack(bits);
    struct DLManagedTensor *const old = tt_to_dlpack_before_1(v);
    const tt_dlpack *const x = (void *)t;
    CHECK(x && b && old, "%s", tt_error());
    CHECK(x->major == 1 && x->flags == 1, "%u, %llu", x->major, (unsigned long long)x->flags);
    const tt_dlpack_tensor d = x->tensor;
    CHECK(d.ndim == 2 && d.shape[0] == 2 && d.shape[1] == 3 && d.strides[0] == 3 && d.strides[1] == 1, "its shape");
    CHECK(d.code == 2 && d.bits == 32 && d.lanes == 1 && d.device_type == 1 && !d.byte_offset, "its type");
    CHECK(((tt_dlpack *)(void *)b)->tensor.code == 4 && ((tt_dlpack *)(void *)b)->tensor.bits == 16, "bfloat16");
    CHECK(((tt_dlpack_before_1 *)(void *)old)->tensor.data == d.data, "the same memory");
    tt_scope_close(s);                                   /* the value is gone, its memory is not */
    CHECK(!memcmp(d.data, data, sizeof data), "elements after the scope");
    const tt_val back = tt_from_dlpack(t);               /* our own again, without a copy */
    float read[6];
    CHECK(tt_read(back, read, sizeof read) && !memcmp(read, data, sizeof data), "%s", tt_error());
    ((tt_dlpack *)(void *)b)->deleter(b);
    ((tt_dlpack_before_1 *)(void *)old)->deleter(old);
    tt_drop(tt_keep(back));
    const tt_val one = tt_f(2), none = tt_zeros(TT_F32, 0, 3);
    struct DLManagedTensorVersioned *const n = tt_to_dlpack(one), *const z = tt_to_dlpack(none);
    CHECK(n && *(float *)((tt_dlpack *)(void *)n)->tensor.data == 2, "a number");
    CHECK(z && !((tt_dlpack *)(void *)z)->tensor.data && ((tt_dlpack *)(void *)z)->tensor.shape[1] == 3, "nothing");
    ((tt_dlpack *)(void *)n)->deleter(n);
    ((tt_dlpack *)(void *)z)->deleter(z);
}

static tt_val traced(tt_val x) { return tt_to_dlpack(x) ? x : tt_neg(x); }
static void not_to_others(void)
{
    const tt_mesh m = tt_mesh("i:2");
    const tt_val x = tt_ones(TT_F32, 4);
    CHECK(!tt_to_dlpack(tt_tuple(x, x)) && says("tt_to_dlpack"), "a tree");
    CHECK(!tt_to_dlpack(tt_shard(x, m, "i")) && says("since it is sharded"), "a sharded array");
    CHECK(!tt_to_dlpack(tt_cast(x, TT_I4)) && says("DLPack has no elements of type i4"), "a narrow type");
    tt_call(tt_jit(traced), x);
    CHECK(says("traced"), "a traced value");
    struct DLManagedTensorVersioned *const t = tt_to_dlpack(tt_shard(x, m, "_"));
    CHECK(t, "%s", tt_error());
    if (t) ((tt_dlpack *)(void *)t)->deleter(t);
}

static tt_val twice(tt_val x) { return tt_add(x, x); }
static void from_others(void)
{
    int64_t shape[] = { 2, 3 }, dense[] = { 3, 1 }, swapped[] = { 1, 2 }, column[] = { 6, 1 }, odd[] = { 1, 99 };
    float read[6];
    deleted = 0;
    tt_scope s = tt_scope_open();
    tt_dlpack *t = theirs(0, 2, shape, NULL);
    const float *const at = t->tensor.data;
    const tt_val v = tt_from_dlpack(HANDLE(t)), w = tt_mul(v, tt_i(10)), r = tt_reshape(v, 6);
    CHECK(tt_ok() && tt_num(tt_sum(v)) == 21 && tt_num(tt_sum(w)) == 210, "%s", tt_error());
    const tt_val d = tt_call(tt_jit(twice, .donate = "0"), tt_reshape(r, 3, 2));
    CHECK(tt_num(tt_sum(d)) == 42 && tt_ok(), "%s", tt_error());
    CHECK(at[0] == 1 && at[5] == 6, "somebody else's memory was written to");
    struct DLManagedTensorVersioned *const again = tt_to_dlpack(v);
    CHECK(again && ((tt_dlpack *)(void *)again)->tensor.data == at, "lent further without a copy");
    tt_scope_close(s);
    CHECK(!deleted, "deleted while it is lent");
    ((tt_dlpack *)(void *)again)->deleter(again);
    CHECK(deleted == 1, "%d times deleted", deleted);

    s = tt_scope_open();
    tt_call(tt_jit(twice, .donate = "0"), tt_from_dlpack(HANDLE(theirs(0, 2, shape, dense))));
    tt_from_dlpack(HANDLE(theirs(0, 2, column, odd)));   /* the stride of a dim of size 1 says nothing */
    CHECK(tt_ok(), "%s", tt_error());
    tt_scope_close(s);
    CHECK(deleted == 3, "%d times deleted", deleted);

    /* Copies, which free at once; else errors, after which the tensor is still its owner's. */
    t = theirs(4, 2, shape, swapped);
    CHECK(tt_from_dlpack(HANDLE(t)).slot == tt_poison.slot && says("not dense and in row-major order"), "strides");
    CHECK(deleted == 3, "deleted after an error");
    const tt_val c = tt_from_dlpack(HANDLE(t), .copy = 1);
    CHECK(deleted == 4 && tt_read(c, read, sizeof read) && read[1] == 3 && read[3] == 2, "%s", tt_error());
    t = theirs(4, 2, shape, NULL);
    tt_from_dlpack(HANDLE(t));
    CHECK(says("begins 4 bytes past a multiple of 16") && deleted == 4, "alignment");
    CHECK(tt_num(tt_sum(tt_from_dlpack(HANDLE(t), .copy = 1))) == 21 && deleted == 5, "%s", tt_error());
}

static void refused(void)
{
    int64_t shape[] = { 6 }, wrong[] = { -1 };
    tt_dlpack *const t = theirs(0, 1, shape, NULL), good = *t;
    deleted = 0;
    tt_from_dlpack(NULL);
    CHECK(says("the tensor is NULL"), "NULL");
    t->major = 2;
    tt_from_dlpack(HANDLE(t));
    CHECK(says("DLPack 2.0"), "a version");
    *t = good, t->tensor.device_type = 2;
    tt_from_dlpack(HANDLE(t));
    CHECK(says("on device 0 of type 2"), "a device");
    *t = good, t->tensor.lanes = 4;
    tt_from_dlpack(HANDLE(t));
    CHECK(says("4 lanes"), "lanes");
    *t = good, t->tensor.bits = 24;
    tt_from_dlpack(HANDLE(t));
    CHECK(says("code 2 with 24 bits"), "a type");
    *t = good, t->tensor.shape = wrong;
    tt_from_dlpack(HANDLE(t));
    CHECK(says("dim 0 is -1"), "a dim");
    int64_t ended[] = { 2, TT_DIM_END };                 /* which ends a list of dims elsewhere */
    *t = good, t->tensor.shape = ended, t->tensor.ndim = 2;
    tt_from_dlpack(HANDLE(t), .copy = 1);
    CHECK(says("dim 1 is -9223372036854775808"), "a dim that ends");
    *t = good, t->tensor.ndim = 1000;
    tt_from_dlpack(HANDLE(t));
    CHECK(says("1000 dims"), "dims");
    *t = good, t->tensor.data = NULL;
    tt_from_dlpack(HANDLE(t));
    CHECK(says("is NULL"), "no data");
    *t = good, t->tensor.code = 6, t->tensor.bits = 8, ((uint8_t *)t->tensor.data)[2] = 7;
    tt_from_dlpack(HANDLE(t));
    CHECK(says("element 2 of the bools is the byte 7"), "a bool");
    tt_from_dlpack(HANDLE(t), .copy = 1);
    CHECK(says("element 2 of the bools is the byte 7"), "a bool that is copied");
    CHECK(!deleted, "deleted after an error");
    count_deleted(HANDLE(t));
}

static void before_1(void)
{
    int64_t shape[] = { 2, 2 };
    tt_dlpack_before_1 *const t = calloc(1, sizeof *t);
    int16_t *const all = aligned_alloc(64, 64);
    for (int16_t i = 0; i < 4; i++) all[i] = i;
    *t = (tt_dlpack_before_1){ .manager = all, .deleter = count_before,
                               .tensor = { .data = all, .device_type = 1, .ndim = 2, .code = 0, .bits = 16, .lanes = 1,
                                           .shape = shape } };
    deleted = 0;
    const tt_scope s = tt_scope_open();
    const tt_val v = tt_from_dlpack_before_1((struct DLManagedTensor *)(void *)t);
    CHECK(tt_dtype_of(v) == TT_I16 && tt_num(tt_sum(v)) == 6, "%s", tt_error());
    tt_scope_close(s);
    CHECK(deleted == 1, "%d times deleted", deleted);
}

/* A tensor outlives the thread that made its value, and is deleted on another one. */
static void *lend(void *to)
{
    *(struct DLManagedTensorVersioned **)to = tt_to_dlpack(tt_full(3, TT_F64, 1000));
    return NULL;
}
static void threads(void)
{
    struct DLManagedTensorVersioned *t = NULL;
    pthread_t other;
    pthread_create(&other, NULL, lend, &t);
    pthread_join(other, NULL);
    CHECK(t && ((double *)((tt_dlpack *)(void *)t)->tensor.data)[999] == 3, "another thread's");
    if (t) ((tt_dlpack *)(void *)t)->deleter(t);
}

static void quiet(const tt_error_info *e, void *env) { (void)e; (void)env; }

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(quiet, NULL);
    tt_config("devices:2");
    CHECK_RUN(to_others());
    CHECK_RUN(not_to_others());
    CHECK_RUN(from_others());
    CHECK_RUN(refused());
    CHECK_RUN(before_1());
    CHECK_RUN(threads());
    return check_done();
}
