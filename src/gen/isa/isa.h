/* gen/isa/isa.h - sources that are compiled once per instruction set (NAME_isa.c), and chosen at run time.
 *
 * In such a source ISA names the variant (base, avx2, avx512) and GEN_ISA(f) is the name f_avx2 and so on; everything
 * else is static. In other sources GEN_ISA_DECLARE(const gen_tile_ops, gen_tile_loops) declares the variants, and
 * GEN_ISA_PICK(gen_tile_loops) is the address of this machine's variant. Only x86-64 has variants other than base. */
#ifndef TUTTI_GEN_ISA_H
#define TUTTI_GEN_ISA_H

typedef enum { GEN_BASE, GEN_AVX2, GEN_AVX512 } gen_isa;
gen_isa gen_isa_best(void);                              /* the best one of the CPU and the operating system */
gen_isa gen_isa_now(void);                               /* gen_isa_best(), or a lesser one by TUTTI=isa:avx2 */

#define GEN_ISA_JOIN2_(f, isa) f##_##isa
#define GEN_ISA_JOIN_(f, isa) GEN_ISA_JOIN2_(f, isa)
#define GEN_ISA(f) GEN_ISA_JOIN_(f, ISA)
#if defined __x86_64__
#define GEN_ISA_DECLARE(T, f) extern T f##_base, f##_avx2, f##_avx512
#define GEN_ISA_AT(f, isa) ((isa) == GEN_AVX512 ? &f##_avx512 : (isa) == GEN_AVX2 ? &f##_avx2 : &f##_base)
#else
#define GEN_ISA_DECLARE(T, f) extern T f##_base
#define GEN_ISA_AT(f, isa) ((void)(isa), &f##_base)
#endif
#define GEN_ISA_PICK(f) GEN_ISA_AT(f, gen_isa_now())

#endif
