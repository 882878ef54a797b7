/* tutti/memory.h - what the macros check in C: the element type and the size of arrays that tt_array, tt_read and
 * similar calls get, so that doubles are not taken for TT_F32; that dims are integers; that tt_full's number, if it is
 * an integer of 64 bits, is not rounded.
 *
 * Memory fits a value's dtype if its C type has the same size and kind: float is TT_F32 (and the parts of TT_C64),
 * int32_t TT_I32, bool TT_BOOL. The 16-bit floats accept uint16_t too; the narrow types and TT_BOOL accept any integer
 * of one byte. void * and char * are bytes of any type. Pointers to other types are not checked. */
#include <tutti.h>
#ifndef TUTTI_MEMORY_H
#define TUTTI_MEMORY_H

#ifdef __cplusplus
extern "C" {
#endif

/* type: the C name of the element type, NULL: unknown. capacity: an array's bytes, 0: a pointer. */
TT_API tt_val tt_array_seen(const char *site, tt_dtype dtype, const void *data, const char *type, size_t capacity,
    const int64_t *dims);
TT_API bool tt_read_seen(const char *site, tt_val v, void *to, const char *type, size_t capacity, size_t bytes);
TT_API bool tt_read_box_seen(const char *site, tt_val v, const int64_t *lo, const int64_t *n, void *to,
    const char *type, size_t capacity);
TT_API bool tt_addressable_data_seen(const char *site, tt_val v, int64_t device, int64_t *lo, int64_t *n, void *to,
    const char *type, size_t capacity, size_t bytes);
/* tt_full of an integer of 64 bits, which a double would round above 2^53 */
TT_API tt_val tt_full_i_at(const char *site, int64_t x, tt_dtype dtype, const int64_t *dims),
    tt_full_u_at(const char *site, uint64_t x, tt_dtype dtype, const int64_t *dims);


/* M(a), M(b), ... for at most 32 arguments */
#define TT_EACH(M, ...) \
    TT_EACH_OF_(__VA_ARGS__, TT_E32_, TT_E31_, TT_E30_, TT_E29_, TT_E28_, TT_E27_, TT_E26_, TT_E25_, TT_E24_, TT_E23_, \
        TT_E22_, TT_E21_, TT_E20_, TT_E19_, TT_E18_, TT_E17_, TT_E16_, TT_E15_, TT_E14_, TT_E13_, TT_E12_, TT_E11_, \
        TT_E10_, TT_E9_, TT_E8_, TT_E7_, TT_E6_, TT_E5_, TT_E4_, TT_E3_, TT_E2_, TT_E1_, 0) \
    (M, __VA_ARGS__)
#define TT_EACH_OF_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, \
                    each, ...) each
#define TT_E1_(M, x)         M(x)
#define TT_E2_(M, x, ...)    M(x), TT_E1_(M, __VA_ARGS__)
#define TT_E3_(M, x, ...)    M(x), TT_E2_(M, __VA_ARGS__)
#define TT_E4_(M, x, ...)    M(x), TT_E3_(M, __VA_ARGS__)
#define TT_E5_(M, x, ...)    M(x), TT_E4_(M, __VA_ARGS__)
#define TT_E6_(M, x, ...)    M(x), TT_E5_(M, __VA_ARGS__)
#define TT_E7_(M, x, ...)    M(x), TT_E6_(M, __VA_ARGS__)
#define TT_E8_(M, x, ...)    M(x), TT_E7_(M, __VA_ARGS__)
#define TT_E9_(M, x, ...)    M(x), TT_E8_(M, __VA_ARGS__)
#define TT_E10_(M, x, ...)   M(x), TT_E9_(M, __VA_ARGS__)
#define TT_E11_(M, x, ...)   M(x), TT_E10_(M, __VA_ARGS__)
#define TT_E12_(M, x, ...)   M(x), TT_E11_(M, __VA_ARGS__)
#define TT_E13_(M, x, ...)   M(x), TT_E12_(M, __VA_ARGS__)
#define TT_E14_(M, x, ...)   M(x), TT_E13_(M, __VA_ARGS__)
#define TT_E15_(M, x, ...)   M(x), TT_E14_(M, __VA_ARGS__)
#define TT_E16_(M, x, ...)   M(x), TT_E15_(M, __VA_ARGS__)
#define TT_E17_(M, x, ...)   M(x), TT_E16_(M, __VA_ARGS__)
#define TT_E18_(M, x, ...)   M(x), TT_E17_(M, __VA_ARGS__)
#define TT_E19_(M, x, ...)   M(x), TT_E18_(M, __VA_ARGS__)
#define TT_E20_(M, x, ...)   M(x), TT_E19_(M, __VA_ARGS__)
#define TT_E21_(M, x, ...)   M(x), TT_E20_(M, __VA_ARGS__)
#define TT_E22_(M, x, ...)   M(x), TT_E21_(M, __VA_ARGS__)
#define TT_E23_(M, x, ...)   M(x), TT_E22_(M, __VA_ARGS__)
#define TT_E24_(M, x, ...)   M(x), TT_E23_(M, __VA_ARGS__)
#define TT_E25_(M, x, ...)   M(x), TT_E24_(M, __VA_ARGS__)
#define TT_E26_(M, x, ...)   M(x), TT_E25_(M, __VA_ARGS__)
#define TT_E27_(M, x, ...)   M(x), TT_E26_(M, __VA_ARGS__)
#define TT_E28_(M, x, ...)   M(x), TT_E27_(M, __VA_ARGS__)
#define TT_E29_(M, x, ...)   M(x), TT_E28_(M, __VA_ARGS__)
#define TT_E30_(M, x, ...)   M(x), TT_E29_(M, __VA_ARGS__)
#define TT_E31_(M, x, ...)   M(x), TT_E30_(M, __VA_ARGS__)
#define TT_E32_(M, x, ...)   M(x), TT_E31_(M, __VA_ARGS__)

#ifdef __cplusplus
}
#include <type_traits>
template <class T> struct tt_c_type { static const char *name() { return nullptr; } };
#define TT_C_NAMED_(T) template <> struct tt_c_type<T> { static const char *name() { return #T; } };
TT_C_NAMED_(bool) TT_C_NAMED_(signed char) TT_C_NAMED_(unsigned char) TT_C_NAMED_(short) TT_C_NAMED_(unsigned short)
TT_C_NAMED_(int) TT_C_NAMED_(unsigned) TT_C_NAMED_(long) TT_C_NAMED_(unsigned long) TT_C_NAMED_(long long)
TT_C_NAMED_(unsigned long long) TT_C_NAMED_(float) TT_C_NAMED_(double) TT_C_NAMED_(long double)
#undef TT_C_NAMED_
/* The elements argument of a call: an array, a pointer, or NULL. */
struct tt_c_memory {
    const void *p;
    const char *type;
    size_t capacity;
    template <class D> tt_c_memory(D &&d, typename std::enable_if<std::is_pointer<typename std::decay<D>::type>::value,
                                                                  int>::type = 0)
        : p(d), type(named<D>::name()),
          capacity(std::is_array<typename std::remove_reference<D>::type>::value ? sizeof(d) : 0) {}
    tt_c_memory(decltype(nullptr)) : p(nullptr), type(nullptr), capacity(0) {}
    void *to() const { return const_cast<void *>(p); }
  private:
    template <class D> using named = tt_c_type<typename std::remove_cv<typename std::remove_all_extents<
        typename std::remove_pointer<typename std::decay<D>::type>::type>::type>::type>;
};
static inline tt_val tt_array_of(const char *at, tt_dtype dtype, const tt_c_memory &m, const int64_t *dims)
{
    return tt_array_seen(at, dtype, m.p, m.type, m.capacity, dims);
}
static inline bool tt_read_of(const char *at, tt_val v, const tt_c_memory &m, size_t bytes)
{
    return tt_read_seen(at, v, m.to(), m.type, m.capacity, bytes);
}
static inline bool tt_read_box_of(const char *at, tt_val v, const int64_t *lo, const int64_t *n, const tt_c_memory &m)
{
    return tt_read_box_seen(at, v, lo, n, m.to(), m.type, m.capacity);
}
static inline bool tt_addressable_data_of(const char *at, tt_val v, int64_t device, int64_t *lo, int64_t *n,
    const tt_c_memory &m,
                                          size_t bytes)
{
    return tt_addressable_data_seen(at, v, device, lo, n, m.to(), m.type, m.capacity, bytes);
}
#define TT_DIMS(...)         TT_LIST(int64_t, __VA_ARGS__, TT_DIM_END)    /* refuses floating-point numbers */
template <class T> static inline int64_t tt_integer_of(T x)
{
    static_assert(!std::is_floating_point<T>::value, "an integer is expected, not a floating-point number");
    return static_cast<int64_t>(x);
}
#define TT_INTEGER(x)        tt_integer_of(x)
template <class T> static inline tt_val tt_full_of(const char *at, T x, tt_dtype dtype, const int64_t *dims)
{
    if constexpr (!std::is_integral<T>::value || sizeof(T) < sizeof(int64_t))
        return tt_full_at(at, static_cast<double>(x), dtype, dims);
    else if constexpr (std::is_signed<T>::value) return tt_full_i_at(at, x, dtype, dims);
    else return tt_full_u_at(at, x, dtype, dims);
}
#define TT_FULL_OF_(x)       tt_full_of
#else
#define TT_C_(T)             T *: #T, const T *: #T, T(*)[]: #T, const T(*)[]: #T
#if defined(__FLT16_MAX__)
__extension__ typedef _Float16 tt_c_half;
#define TT_C_HALF_           tt_c_half *: "_Float16", const tt_c_half *: "_Float16",
#else
#define TT_C_HALF_
#endif
#define TT_C_TYPE(p)                                                                                                   \
    _Generic((p), TT_C_(_Bool), TT_C_(signed char), TT_C_(unsigned char), TT_C_(short), TT_C_(unsigned short),         \
             TT_C_(int), TT_C_(unsigned), TT_C_(long), TT_C_(unsigned long), TT_C_(long long),                         \
             TT_C_(unsigned long long), TT_C_(float), TT_C_(double), TT_C_(long double), TT_C_(float _Complex),        \
             TT_C_(double _Complex), TT_C_HALF_ default: (const char *)0)
#if defined(__GNUC__)
#define TT_C_BYTES(p) \
    (__builtin_types_compatible_p(__typeof__(p), __typeof__(1 ? (p) : (p))) ? (size_t)0 : sizeof(__typeof__(p)))
#else
#define TT_C_BYTES(p)        ((size_t)0)
#endif
#define tt_array_of(at, dtype, data, dims) tt_array_seen(at, dtype, data, TT_C_TYPE(data), TT_C_BYTES(data), dims)
#define tt_read_of(at, v, to, bytes) tt_read_seen(at, v, to, TT_C_TYPE(to), TT_C_BYTES(to), bytes)
#define tt_read_box_of(at, v, lo, n, to) tt_read_box_seen(at, v, lo, n, to, TT_C_TYPE(to), TT_C_BYTES(to))
#define tt_addressable_data_of(at, v, device, lo, n, to, bytes) \
    tt_addressable_data_seen(at, v, device, lo, n, to, TT_C_TYPE(to), TT_C_BYTES(to), bytes)

#define TT_FULL_OF_(x)                                                                                                 \
    _Generic((x), long: tt_full_i_at, long long: tt_full_i_at, unsigned long: tt_full_u_at,                            \
             unsigned long long: tt_full_u_at, default: tt_full_at)
/* A list of dims with TT_DIM_END behind it; a floating-point number in it does not compile. No dims: TT_DIM_END alone.
 *     tt_val small = tt_image_resize(images, TT_DIMS(8, 14, 14, 1)); */
struct tt_a_dim_is_an_integer { int no; };
#define TT_DIM_(x)                                                                                                     \
    (x) + _Generic((x), float: (struct tt_a_dim_is_an_integer){ 0 }, double: (struct tt_a_dim_is_an_integer){ 0 },     \
                   long double: (struct tt_a_dim_is_an_integer){ 0 }, default: 0)
#define TT_DIMS(...)         ((int64_t const[]){ TT_EACH(TT_DIM_, __VA_ARGS__), TT_DIM_END })
/* An integer of C; a floating-point number, which C would truncate, does not compile: tt_i(0.5), tt_repeat(x, 2.5, 0).
 *     int64_t three = TT_INTEGER(3); */
struct tt_expected_an_integer { int no; };
#define TT_INTEGER(x)                                                                                                  \
    ((x) + _Generic((x), float: (struct tt_expected_an_integer){ 0 }, double: (struct tt_expected_an_integer){ 0 },    \
                    long double: (struct tt_expected_an_integer){ 0 }, default: 0))
#endif

#endif
