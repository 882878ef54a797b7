/* api/memory.c - compares the memory that a C program passes with the value's dtype and size. The macros pass the name
 * of the C type (tutti/memory.h). */
#include "api.h"

#include <ctype.h>
#include <string.h>

typedef struct { const char *name; ir_class cls; size_t bytes; } c_type;
static const c_type types[] = {
    { "bool", IR_BOOL_CLASS, sizeof(bool) }, { "_Bool", IR_BOOL_CLASS, sizeof(bool) },
    { "signed char", IR_INT_CLASS, 1 }, { "short", IR_INT_CLASS, sizeof(short) },
    { "int", IR_INT_CLASS, sizeof(int) }, { "long", IR_INT_CLASS, sizeof(long) },
    { "long long", IR_INT_CLASS, sizeof(long long) },
    { "unsigned char", IR_UINT_CLASS, 1 }, { "unsigned short", IR_UINT_CLASS, sizeof(unsigned short) },
    { "unsigned", IR_UINT_CLASS, sizeof(unsigned) }, { "unsigned long", IR_UINT_CLASS, sizeof(unsigned long) },
    { "unsigned long long", IR_UINT_CLASS, sizeof(unsigned long long) },
    { "_Float16", IR_FLOAT_CLASS, 2 }, { "float", IR_FLOAT_CLASS, sizeof(float) },
    { "double", IR_FLOAT_CLASS, sizeof(double) }, { "long double", IR_FLOAT_CLASS, sizeof(long double) },
    { "float _Complex", IR_COMPLEX_CLASS, 2 * sizeof(float) },
    { "double _Complex", IR_COMPLEX_CLASS, 2 * sizeof(double) },
};

static bool memory_holds(const c_type *c, tt_dtype dtype)
{
    const ir_dtype *const d = ir_dtype_of(dtype);
    const bool integer = c->cls == IR_INT_CLASS || c->cls == IR_UINT_CLASS;
    /* the real parts' type */
    if (d->cls == IR_COMPLEX_CLASS && c->cls == IR_FLOAT_CLASS) return 2 * c->bytes == d->bytes;
    if (c->bytes != d->bytes) return false;
    if (d->bytes == 1 && (d->cls == IR_BOOL_CLASS || ir_is_narrow(dtype))) return integer || c->cls == d->cls;
    /* the bits of a 16-bit float */
    if (d->bytes == 2 && d->cls == IR_FLOAT_CLASS && c->cls == IR_UINT_CLASS) return true;
    return c->cls == d->cls && !(dtype == TT_BF16 && c->cls == IR_FLOAT_CLASS);
}

bool api_memory_type(base_site site, const char *call, const char *type, tt_dtype dtype, const char *value)
{
    const c_type *c = types, *const end = types + sizeof types / sizeof *types;
    while (type && c < end && strcmp(c->name, type)) c++;
    if (!type || c == end || memory_holds(c, dtype)) return true;
    base_fail(TT_ETYPE, site, "%s: C's type is %s, the value is %s", call, type, value);
    tt_dtype fits = TT_BOOL;
    while (ir_dtype_of(fits) && !(ir_dtype_of(fits)->cls == c->cls && memory_holds(c, fits))) fits++;
    if (!ir_dtype_of(fits)) return base_hint("no dtype is C's %s; bytes of any type are given as void *", type);
    char word[16] = "";
    for (size_t i = 0; ir_dtype_of(fits)->name[i] && i + 1 < sizeof word; i++)
        word[i] = (char)toupper((unsigned char)ir_dtype_of(fits)->name[i]);
    return base_hint("C's %s is TT_%s (tt_cast converts values); bytes of any type are given as void *", type, word);
}

bool api_check_capacity(base_site site, const char *call, size_t capacity, size_t bytes, const char *value)
{
    if (!capacity || bytes <= capacity) return true;
    return base_fail(TT_EARG, site, "%s: C's array has %zu bytes, %s needs %zu", call, capacity, value, bytes);
}
