/* num/num.h - declarations shared by the files of this room. */
#ifndef TUTTI_NUM_NUM_H
#define TUTTI_NUM_NUM_H

#include <tutti.h>

/* True if v is an array of integers or bools, in whose own type differences would wrap. */
static inline bool num_is_integer(const char *site, tt_val v)
{
    const char kind = tt_rank_at(site, v) < 0 ? 'f' : tt_dtype_kind(tt_dtype_of_at(site, v));
    return kind == 'b' || kind == 'i' || kind == 'u';
}
/* The float type of an integer type: f64 for 64 bits with TUTTI=x64, else f32. */
static inline tt_dtype num_float_of(tt_dtype d)
{
    return (d == TT_I64 || d == TT_U64) && tt_config_value("x64") ? TT_F64 : TT_F32;
}
/* Integers and bools as floats, other values unchanged; a C number stays a C number, which takes the other operand's
 * type. With TUTTI=x64 a C integer has 64 bits, so a scalar of fewer bits is an array. */
static inline tt_val num_real(const char *site, tt_val v)
{
    if (!num_is_integer(site, v)) return v;
    const tt_dtype d = tt_dtype_of_at(site, v);
    const bool array = tt_rank_at(site, v) > 0 || (tt_config_value("x64") && num_float_of(d) == TT_F32);
    return array ? tt_cast_at(site, v, num_float_of(d)) : tt_mul_at(site, v, tt_f(1));
}
/* Makes both values floats of their common type: a bool next to float16 becomes float16, not float32. Two integers
 * become floats one by one where their common type, such as i32 of i8 and u32, does not hold all numbers of both. */
static inline void num_reals(const char *site, tt_val *x, tt_val *y)
{
    const bool first_integer = num_is_integer(site, *x), second_integer = num_is_integer(site, *y);
    const bool wraps = first_integer && second_integer && !tt_config_value("x64");
    if ((first_integer || second_integer) && !wraps && tt_rank_at(site, *x) >= 0 && tt_rank_at(site, *y) >= 0) {
        const tt_val first = *x;
        *x = tt_where_at(site, tt_b(true), first, *y);
        *y = tt_where_at(site, tt_b(true), *y, first);
    }
    *x = num_real(site, *x), *y = num_real(site, *y);
}
/* True if v is not an array of complex numbers; else sets the error, which names the call. */
static inline bool num_real_only(const char *site, const char *what, tt_val v)
{
    if (!tt_ok() || tt_rank_at(site, v) < 0 || tt_dtype_kind(tt_dtype_of_at(site, v)) != 'c') return tt_ok();
    tt_fail_at(site, TT_ETYPE, "%s: of %s; expected real numbers", what, tt_type_text_at(site, v));
    tt_hint("tt_real, tt_imag and tt_abs make real numbers of complex ones");
    return false;
}
/* Ids of less than 32 bits as i32: the number of classes may exceed what the ids' type can count. */
static inline tt_val num_ids(const char *site, tt_val v)
{
    const tt_dtype d = tt_rank_at(site, v) < 0 ? TT_I32 : tt_dtype_of_at(site, v);
    const bool wide = d == TT_I32 || d == TT_I64 || d == TT_U32 || d == TT_U64;
    return wide || !num_is_integer(site, v) ? v : tt_cast_at(site, v, TT_I32);
}
/* True if v is an array of complex numbers. */
static inline bool num_complex(const char *site, tt_val v)
{
    return tt_rank_at(site, v) >= 0 && tt_dtype_kind(tt_dtype_of_at(site, v)) == 'c';
}
/* f of n values, with a custom tangent: a function of (values), result and (tangents). f and tangent get the address of
 * site as their environment. */
static inline tt_val num_ruled(const char *site, const char *name, tt_env_f *f, tt_env_f *tangent, int n,
                               const tt_val *x)
{
    const tt_fn y = tt_bind_env_at(NULL, name, f, &site, sizeof site, n),
                dy = tt_bind_env_at(NULL, name, tangent, &site, sizeof site, 3);
    return tt_call_n(site, tt_custom_tangent_at(site, y, dy), n, x);
}
/* True if an option that is a value was given. */
static inline bool num_given(tt_val v) { return v.slot || v.born; }
/* v where the bools `where` are true, else `fill`; v itself where none are given. Bools that do not broadcast to v are
 * an error. */
tt_val num_masked(const char *site, const char *what, tt_val where, tt_val v, double fill);
/* True unless .where or .initial is given to a function that has no meaning for it; else sets the error. */
bool num_plain(const char *site, const char *what, const tt_reduce_opts *o, bool where);
/* Reads the dims of v that a text such as "1, 0" lists, in the text's order. Returns their number; -1 with the error
 * set. NULL: all dims. */
int num_dims(const char *site, const char *what, tt_val v, const char *text, int *dim);
enum { NUM_DIMS_TEXT = 64 };
/* The dims as text: "0, 2". */
const char *num_dims_text(int n, const int *dim, char to[NUM_DIMS_TEXT]);
/* v, of rank 0 or more, as an array of at least that many dims: new dims of size 1 are added in front. */
tt_val num_at_least(const char *site, tt_val v, int rank);
/* Inverse functions of a complex array (num/arcs.c). */
enum { NUM_ASIN, NUM_ACOS, NUM_ATAN, NUM_ASINH, NUM_ACOSH, NUM_ATANH, NUM_ARCS };
tt_val num_arc(const char *site, int which, tt_val z);

#endif
