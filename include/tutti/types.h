/* tutti/types.h - types that every room uses: data types and error codes. */
#ifndef TUTTI_TYPES_H
#define TUTTI_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Element types. The values never change: they are stored in files and part of the ABI. */
typedef enum {
    TT_BOOL = 1, TT_I8 = 2, TT_I16 = 3, TT_I32 = 4, TT_I64 = 5, TT_U8 = 6, TT_U16 = 7, TT_U32 = 8, TT_U64 = 9,
    TT_F16 = 10, TT_BF16 = 11, TT_F32 = 12, TT_F64 = 13, TT_C64 = 14, TT_C128 = 15,
    /* Narrow: stored in one byte each, computed in int8, uint8 or float, rounded after every operation. */
    TT_I2 = 16, TT_I4 = 17, TT_U2 = 18, TT_U4 = 19, TT_F4E2M1FN = 20, TT_F6E2M3FN = 21, TT_F6E3M2FN = 22,
    TT_F8E3M4 = 23, TT_F8E4M3 = 24, TT_F8E4M3FN = 25, TT_F8E4M3FNUZ = 26, TT_F8E4M3B11FNUZ = 27, TT_F8E5M2 = 28,
    TT_F8E5M2FNUZ = 29, TT_F8E8M0FNU = 30
} tt_dtype;

/* Error codes, one per kind of mistake. The exit status of tt_done() is the code of the first error. */
typedef enum {
    TT_OK, TT_ESHAPE, TT_ETYPE, TT_ETREE, TT_ESPEC, TT_EMESH, TT_ETRACE, TT_EGRAD, TT_ELIFE, TT_EARG, TT_ETEXT,
    TT_EPLAN, TT_EMEM, TT_EIO, TT_EDATA, TT_ERANK, TT_EENGINE, TT_EBUG,
    TT_EINTR = 130                                       /* Ctrl-C in a loop */
} tt_code;

#endif
