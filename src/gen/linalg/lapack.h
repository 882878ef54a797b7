/* gen/linalg/lapack.h - LAPACK, if it is installed: one matrix of a batch by one of LAPACK's routines (lapack.c,
 * lapack_general.c).
 *
 * Routines have four types, s, d, c, z; their C prototypes differ in the types of pointers alone, which are all void
 * here. Matrices are passed and returned column-major. */
#ifndef TUTTI_GEN_LAPACK_H
#define TUTTI_GEN_LAPACK_H

#include "../gen.h"

typedef enum {
    POTRF,
    TRSM,
    GETRF,
    GEQRF,
    ORGQR,
    SYEVD,
    GESDD,
    GEEV,
    GEES,
    GEHRD,
    SYTRD,
    GEQP3,
    ROUTINES
} lapack_routine;

/* One member of a batch: boxes, the member's indices, memory. type: 0 to 3, s d c z. */
typedef struct {
    const ir_eqn *e;
    const ir_box *x, *y;
    const int64_t *lead;
    char *workspace;
    int type;
    size_t bytes;
    bool complex;
} lapack_bench;
enum { PLAIN = 0, TURNED = 1, BAR = 2, STORE = 4 };      /* TURNED: memory holds columns; BAR: conjugated */

bool lapack_there(void);
void *lapack_code(const lapack_bench *, lapack_routine);
#define LAPACK_CALL(r, type) ((type)(uintptr_t)lapack_code(w, r))
enum { LAPACK_COLUMNS = 102 };
/* Copies between memory and a box. width: numbers from row to row of the memory (TURNED: from column to column). */
void lapack_moved(const lapack_bench *, const ir_box *, int core, void *mem, int64_t width, int how);
/* True if the first n numbers are finite. LAPACK's iterative routines print a message if a number is not. */
bool lapack_finite(const lapack_bench *, int64_t n);
void *lapack_behind(const lapack_bench *, int64_t numbers); /* the memory after so many numbers */
void lapack_integers(const lapack_bench *, const ir_box *, int *, bool store);
int lapack_wide(int64_t n);                              /* n as a leading dimension */

/* Computes one matrix. Returns false if LAPACK refuses the matrix; the primitive's reference then computes it. */
typedef bool lapack_one(const lapack_bench *);
/* The routine for a primitive. *least: the fewest rows and columns that it is used for. NULL: there is none. */
lapack_one *lapack_for(const op_prim *, int64_t *least);
extern const struct lapack_use {
    const op_prim *prim;
    lapack_one *one;
} lapack_general[];                                      /* for general square matrices */

#endif
