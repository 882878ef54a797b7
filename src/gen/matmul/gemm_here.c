/* gen/matmul/gemm_here.c - which loops, pairs and matrix unit this machine has for products, and which accumulator a
 * product's types need. */
#include "gemm.h"
#include "../isa/isa.h"

#include <stdatomic.h>

GEN_ISA_DECLARE(const gemm_isa, gemm_kernels);
GEN_ISA_DECLARE(const gemm_isa, gemm_bf16);
GEN_ISA_DECLARE(const gemm_matrix_unit, gemm_amx);
const gemm_isa *gemm_here(void) { return GEN_ISA_PICK(gemm_kernels); }

const gemm_isa *gemm_bf16_here(void)
{
#if defined __x86_64__
    const gemm_isa *isa = GEN_ISA_PICK(gemm_bf16);
    return isa->rows && __builtin_cpu_supports("avx512bf16") && !base_switch("no-bf16") ? isa : NULL;
#else
    return NULL;
#endif
}

const gemm_matrix_unit *gemm_matrix_unit_here(void)
{
    const gemm_matrix_unit *u = GEN_ISA_PICK(gemm_amx);
    return u->here() && !base_switch("no-amx") ? u : NULL;
}

static _Atomic bool used;
bool gen_matrix_unit_used(void) { return atomic_exchange(&used, false); }

void gemm_matrix_unit_use(void)
{
    if (!atomic_load_explicit(&used, memory_order_relaxed)) atomic_store_explicit(&used, true, memory_order_relaxed);
}

size_t gemm_bytes(gemm_type t) { return t == GEMM_F32 || t == GEMM_U32 ? 4 : 8; }

gemm_type gemm_type_of(tt_dtype x, tt_dtype y)
{
    const ir_dtype *dx = ir_dtype_of(x), *dy = ir_dtype_of(y);
    const bool wide = dx->bytes == 8 || dy->bytes == 8;
    if (dx->cls == IR_FLOAT_CLASS) return wide ? GEMM_F64 : GEMM_F32;
    return wide ? GEMM_U64 : GEMM_U32;
}

const char *gemm_refuses(tt_dtype x, tt_dtype y)
{
    const ir_class cx = ir_dtype_of(x)->cls, cy = ir_dtype_of(y)->cls;
    const bool integers = cx == IR_INT_CLASS || cx == IR_UINT_CLASS, to = cy == IR_INT_CLASS || cy == IR_UINT_CLASS;
    if (cx == IR_FLOAT_CLASS && cy == IR_FLOAT_CLASS) return NULL;
    return integers && to ? NULL : "only floats and integers are contracted";
}
