/* gen/isa/isa.h - sources compiled once per instruction set (NAME_isa.c), chosen at run time.
 *
 * In such a source ISA names the variant (base, avx2, avx512) and GEN_ISA(f) is the name f_avx2 and so on; everything
 * else is static. Outside, GEN_ISA_DECLARE(const gen_tile_ops, gen_tiles) declares the variants, and
 * GEN_ISA_PICK(gen_tiles) is the address of the one for this machine. Only x86-64 has more than base. */
#ifndef TUTTI_GEN_ISA_H
#define TUTTI_GEN_ISA_H

typedef enum { GEN_BASE, GEN_AVX2, GEN_AVX512 } gen_isa;
gen_isa gen_isa_best(void);                              /* what the CPU and the operating system can do */
gen_isa gen_isa_now(void);                               /* that, or less by TUTTI=isa:avx2 */

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
