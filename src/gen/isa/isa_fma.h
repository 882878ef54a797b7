/* gen/isa/isa_fma.h - a b + c per lane of v_f32 to v_u64, the vectors of a *_isa.c file: FMA_f32 and so on. */
#ifndef TUTTI_GEN_ISA_FMA_H
#define TUTTI_GEN_ISA_FMA_H

/* One rounding where the machine has fma, two where it lacks fma. */
/* clang-format off */
#if defined ISA_avx512
#define FMA_f32(a, b, c) (v_f32)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c))
#define FMA_f64(a, b, c) (v_f64)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c))
#elif defined ISA_avx2
#define FMA_f32(a, b, c) (v_f32)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c))
#define FMA_f64(a, b, c) (v_f64)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c))
#elif defined __aarch64__
#define FMA_f32(a, b, c) (v_f32)vfmaq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b))
#define FMA_f64(a, b, c) (v_f64)vfmaq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b))
#else
#define FMA_f32(a, b, c) ((a) * (b) + (c))
#define FMA_f64(a, b, c) ((a) * (b) + (c))
#endif
#define FMA_u32(a, b, c) ((a) * (b) + (c))
#define FMA_u64(a, b, c) ((a) * (b) + (c))
/* clang-format on */

#endif
