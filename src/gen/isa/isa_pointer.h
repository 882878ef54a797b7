/* gen/isa/isa_pointer.h - KEEP_POINTER(p), in a loop of a *_isa.c file: the compiler computes no sums with p before the
 * loop. Rows are then addressed by one pointer and their distance, where it would keep a register for each row, and
 * moves these to and from vector registers when they are more than there are. */
#ifndef TUTTI_GEN_ISA_POINTER_H
#define TUTTI_GEN_ISA_POINTER_H

#define KEEP_POINTER(p) __asm__("" : "+r"(p))

#endif
