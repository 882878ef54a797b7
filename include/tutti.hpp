/* tutti.hpp - Tutti in C++17 and C++20: operators, lambdas as functions, scopes that close themselves, spans.
 *
 * A value is a tt_val, as in C, and all functions and macros of tutti.h take and return it. This header adds what C
 * cannot have. It is compiled into the program; the library knows nothing of it.
 *
 *     #include <tutti.hpp>
 *     int main()
 *     {
 *         tt_val x = tt_normal(tt_key(1), TT_F32, 8, 4), y = tt_normal(tt_key(2), TT_F32, 8, 2);
 *         auto loss = [=](tt_val w) { return tt_mean(tt_square(tt_matmul(x, w) - y)); };
 *         tt::function step = tt::jit(tt::grad(loss));
 *         tt_val w = tt_zeros(TT_F32, 4, 2);
 *         for (int64_t i : tt::steps(100)) { (void)i; tt_assign(&w, w - 0.1 * step(w)); }
 *         for (float each : tt::read<float>(w)) std::printf("%g\n", each);
 *         return tt_done();
 *     }
 *
 * Errors: with exceptions, each function and operator of this header throws tt::error if the thread has an error
 * afterwards, also one of an earlier call of tutti.h. The error is cleared before it is thrown, so that the program
 * goes on after its catch. Inside of functions that the library calls, errors are poison as in C, and are thrown by
 * the call at top level; so is an exception that leaves a lambda there. Exceptions of its own must not leave a plain
 * function or a module there, which the library calls directly. The library still prints an error where it happens,
 * unless the program says tt_on_error(tt::quiet, nullptr). With TUTTI_NO_EXCEPTIONS, or without exceptions in the
 * compiler, errors are as in C: results are poison.
 *
 * Lambdas: a macro takes the variable of a lambda where it takes a function (tt_jit(loss, .donate = "0")). A lambda
 * itself stands better in the functions of this header (tt::jit([a, b](tt_val x) { ... })), since commas outside of
 * parentheses part the arguments of a macro. What a lambda captures is part of the function: values, numbers and
 * pointers by their bytes, so that the same captures are traced once; anything else (std::vector, std::string) is
 * kept by a tt::function, which is another function each time it is made. A capture by reference is its address.
 *
 * Longer than 400 lines: a program includes one header, and its templates use each other. */
#ifndef TUTTI_HPP
#define TUTTI_HPP

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "tutti.hpp is for C++17 and later"
#endif
#include <tutti.h>

#include <array>
#include <complex>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>
#if defined(__has_include) && __cplusplus >= 202002L
#if __has_include(<span>)
#include <span>
#endif
#endif
#if defined(__cpp_exceptions) && !defined(TUTTI_NO_EXCEPTIONS)
#include <exception>
#define TT_THROWS_ 1
#else
#define TT_THROWS_ 0
#endif

namespace tt {

/* ---- errors ---- */

/* What is thrown: what() is the whole text as it is printed; code, site and hint are its parts. */
class error : public std::runtime_error {
  public:
    error(tt_code code, const std::string &text, const std::string &site, const std::string &hint)
        : std::runtime_error(text), code_(code), site_(site), hint_(hint) {}
    tt_code code() const noexcept { return code_; }
    const std::string &site() const noexcept { return site_; }
    const std::string &hint() const noexcept { return hint_; }
  private:
    tt_code code_;
    std::string site_, hint_;
};

/* A handler that prints nothing: tt_on_error(tt::quiet, nullptr). */
inline void quiet(const tt_error_info *, void *) {}

namespace detail {

/* The text "file:line: what", which lives as long as the program. */
inline const char *site(const char *file, int line, const char *what)
{
#ifdef TT_NO_SITES
    (void)file, (void)line, (void)what;
    return nullptr;
#else
    struct latest { const char *file, *what, *text; int line; };
    static thread_local latest seen[64];
    latest &one = seen[(static_cast<unsigned>(line) * 7u + static_cast<unsigned char>(*what)) % 64];
    if (one.file == file && one.line == line && one.what == what) return one.text;
    static std::mutex mutex;
    static auto &all = *new std::set<std::string>;       /* until the last of the program's threads has ended */
    std::lock_guard<std::mutex> lock(mutex);
    const std::string text = std::string(file) + ":" + std::to_string(line) + ": " + what;
    one = { file, what, all.insert(text).first->c_str(), line };
    return one.text;
#endif
}

#if TT_THROWS_
/* The exception that left a function which the library called, and the error that stood for it meanwhile. */
struct pending_exception {
    std::exception_ptr p;
    std::string text;
    static pending_exception &get()
    {
        static thread_local pending_exception one;
        return one;
    }
};
[[noreturn]] inline void raise()
{
    const tt_error_info *e = tt_error_record();
    const error thrown(e->code, tt_error(), e->site, e->hint);
    const pending_exception mine = std::exchange(pending_exception::get(), pending_exception());
    tt_clear();
    if (mine.p && mine.text == thrown.what()) std::rethrow_exception(mine.p);
    throw thrown;
}
#endif

} /* namespace detail */

/* Throws if this thread has an error, as operators do, unless it is inside of a function that the library has called;
 * else returns its argument: tt::check(tt_matmul(a, b)). */
inline void check()
{
#if TT_THROWS_
    if (!tt_ok() && !tt_is_inside()) detail::raise();
#endif
}
template <class T> T check(T result)
{
    check();
    return result;
}

/* ---- operands ---- */

/* A value or a C++ number, and the line where it becomes an operand. A number is weak: it takes the other's dtype. */
struct operand {
    tt_val v;
    const char *file;
    int line;
    operand(tt_val value, const char *f = __builtin_FILE(), int l = __builtin_LINE()) : v(value), file(f), line(l) {}
    template <class T, typename std::enable_if<std::is_arithmetic<T>::value, int>::type = 0>
    operand(T x, const char *f = __builtin_FILE(), int l = __builtin_LINE()) : v(number(x, f, l)), file(f), line(l) {}
    const char *site(const char *what) const { return detail::site(file, line, what); }
  private:
    template <class T> static tt_val number(T x, const char *f, int l)
    {
        if constexpr (std::is_same<T, bool>::value) return tt_b(x);
        else if constexpr (std::is_floating_point<T>::value) return tt_f(static_cast<double>(x));
        else if constexpr (std::is_signed<T>::value || sizeof(T) < sizeof(int64_t)) return tt_i(x);
        else if (x <= static_cast<T>(std::numeric_limits<int64_t>::max())) return tt_i(static_cast<int64_t>(x));
        else return check(tt_fail_at(detail::site(f, l, "a number"), TT_EARG, "%llu is above 2^63 - 1",
                                     static_cast<unsigned long long>(x)));
    }
};

/* ---- element types ---- */

/* The dtype of a C++ type: tt::dtype<float> is TT_F32. */
template <class T> constexpr tt_dtype dtype_of()
{
    if constexpr (std::is_same<T, bool>::value) return TT_BOOL;
    else if constexpr (std::is_same<T, float>::value) return TT_F32;
    else if constexpr (std::is_same<T, double>::value) return TT_F64;
    else if constexpr (std::is_same<T, std::complex<float>>::value) return TT_C64;
    else if constexpr (std::is_same<T, std::complex<double>>::value) return TT_C128;
    else {
        static_assert(std::is_integral<T>::value, "elements are bool, integers, float, double or their std::complex");
        constexpr int u = std::is_unsigned<T>::value && !std::is_same<T, bool>::value;
        return sizeof(T) == 1 ? (u ? TT_U8 : TT_I8) : sizeof(T) == 2 ? (u ? TT_U16 : TT_I16)
             : sizeof(T) == 4 ? (u ? TT_U32 : TT_I32) : (u ? TT_U64 : TT_I64);
    }
}
template <class T> inline constexpr tt_dtype dtype = dtype_of<typename std::remove_cv<T>::type>();

/* ---- arrays in and out ---- */

/* Dims of an array: {2, 3}; {} is one dim, as long as the elements are many. */
using dims = std::initializer_list<int64_t>;

/* Copies n dense row-major elements: tt::array(pointer, n, {2, 3}). Error: the dims have another number of elements. */
template <class T>
tt_val array(const T *data, size_t n, dims d = {}, const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    const char *at = detail::site(file, line, "tt::array");
    std::vector<int64_t> all(d);
    int64_t count = 1;
    for (int64_t one : d) count *= one;
    if (d.size() == 0) all.push_back(count = static_cast<int64_t>(n));
    if (count != static_cast<int64_t>(n))
        return check(tt_fail_at(at, TT_ESHAPE, "tt::array: %zu elements, where the dims have %lld", n,
                                static_cast<long long>(count)));
    all.push_back(TT_DIM_END);
    return check(tt_array_at(at, dtype<T>, data, all.data()));
}
template <class T, class A>
tt_val array(const std::vector<T, A> &v, dims d = {}, const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    static_assert(!std::is_same<T, bool>::value, "std::vector<bool> has no elements in memory: std::vector<uint8_t>");
    return array(v.data(), v.size(), d, file, line);
}
template <class T>
tt_val array(std::initializer_list<T> v, dims d = {}, const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    return array(v.begin(), v.size(), d, file, line);
}

/* Copies a value's elements to n of C++'s, or into a vector: float from f32 alone, and so on. Errors: another dtype or
 * number of elements; a value that is traced, or a tree. False, or empty, after an error without exceptions. */
template <class T>
bool read(tt_val v, T *to, size_t n, const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    const char *at = detail::site(file, line, "tt::read");
    const tt_dtype have = tt_dtype_of_at(at, v);
    check();
    if (!tt_ok()) return false;
    if (have != dtype<T>) {
        tt_fail_at(at, TT_ETYPE, "tt::read: %s, read as %s", tt_dtype_name(have), tt_dtype_name(dtype<T>));
        tt_hint("tt_cast(v, ...) converts it");
        return check(false);
    }
    return check(tt_read_at(at, v, to, n * sizeof(T)));
}
template <class T>
std::vector<T> read(tt_val v, const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    static_assert(!std::is_same<T, bool>::value, "std::vector<bool> has no elements in memory: tt_cast to TT_U8");
    const int64_t n = tt_count_at(detail::site(file, line, "tt::read"), v);
    check();
    std::vector<T> to(tt_ok() ? static_cast<size_t>(n) : 0);
    if (!read(v, to.data(), to.size(), file, line)) to.clear();
    return to;
}
#ifdef __cpp_lib_span
template <class T, size_t N>
tt_val array(std::span<T, N> v, dims d = {}, const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    return array(v.data(), v.size(), d, file, line);
}
template <class T, size_t N>
bool read(tt_val v, std::span<T, N> to, const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    return read(v, to.data(), to.size(), file, line);
}
#endif

/* ---- functions ---- */

namespace detail {

template <size_t> using one_value = tt_val;
template <class F, size_t... I> constexpr bool takes(std::index_sequence<I...>)
{
    return std::is_invocable_r<tt_val, const F &, one_value<I>...>::value;
}
template <class F, size_t... N> constexpr unsigned arities(std::index_sequence<N...>)
{
    return ((takes<F>(std::make_index_sequence<N>{}) ? 1u << N : 0u) | ...);
}
/* Bit n: F takes n values, up to 8, and returns one. */
template <class F> inline constexpr unsigned arity = arities<F>(std::make_index_sequence<9>{});
constexpr int only(unsigned bits)                        /* the one arity; -1: there are several */
{
    int n = -1;
    for (int i = 0; i < 9; i++)
        if (bits >> i & 1) n = n == -1 ? i : -2;
    return n < 0 ? -1 : n;
}
template <class F> using plain = typename std::decay<F>::type;
/* True if F is an object of C++ that is called with values, and neither a tt_fn nor a pointer to a function. */
template <class F> inline constexpr bool callable =
    std::is_class<plain<F>>::value && !std::is_convertible<F, tt_fn>::value && arity<plain<F>> != 0;

template <class F, size_t... I> tt_val apply(const F &f, const tt_val *x, std::index_sequence<I...>)
{
    (void)x;
    return f(x[I]...);
}
template <class F, size_t N = 0> tt_val applied(const F &f, int n, const tt_val *x)
{
    if constexpr (N < 9) {
        if constexpr ((arity<F> >> N & 1) != 0)
            if (n == static_cast<int>(N)) return apply(f, x, std::make_index_sequence<N>{});
        return applied<F, N + 1>(f, n, x);
    } else
        return tt_fail_at(nullptr, TT_EARG, "a lambda is called with %d values, which it does not take", n);
}
/* Calls f. An exception does not pass through the library: it is kept until the call at top level has returned. */
template <class F> tt_val guarded(const F &f, int n, const tt_val *x)
{
#if TT_THROWS_
    try {
        return applied(f, n, x);
    } catch (const std::exception &e) {
        if (tt_ok()) tt_fail_at(nullptr, TT_EARG, "an exception left a function: %s", e.what());
        pending_exception::get() = { std::current_exception(), tt_error() };
    } catch (...) {
        if (tt_ok()) tt_fail_at(nullptr, TT_EARG, "an exception left a function");
        pending_exception::get() = { std::current_exception(), tt_error() };
    }
    return tt_poison;
#else
    return applied(f, n, x);
#endif
}
template <class F> tt_val called(void *env, int n, const tt_val *x)
{
    return guarded(*static_cast<const F *>(env), n, x);
}

/* Lambdas with captures that are more than bytes, by number. */
struct kept_functions {
    std::mutex mutex;
    std::unordered_map<uint64_t, std::shared_ptr<const void>> all;
    uint64_t latest = 0;
    static kept_functions &get()
    {
        static auto &one = *new kept_functions;          /* functions may be called while the program ends */
        return one;
    }
};
template <class F> tt_val called_by_number(void *env, int n, const tt_val *x)
{
    std::shared_ptr<const void> f;
    {
        kept_functions &k = kept_functions::get();
        std::lock_guard<std::mutex> lock(k.mutex);
        const auto at = k.all.find(*static_cast<const uint64_t *>(env));
        if (at != k.all.end()) f = at->second;
    }
    if (f) return guarded(*static_cast<const F *>(f.get()), n, x);
    tt_fail_at(nullptr, TT_ELIFE, "a lambda is called whose tt::function is gone");
    tt_hint("keep the tt::function as long as what was made of it");
    return tt_poison;
}

/* The function of a lambda whose captures are bytes. */
template <class F> tt_fn bytes_function(const char *name, const F &f)
{
    if constexpr (std::is_empty<F>::value) {
        static const F stateless = f;
        return tt_bind_env(name, called<F>, const_cast<F *>(&stateless), 0, only(arity<F>));
    } else {
        F copy = f;
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
        __builtin_clear_padding(&copy);                  /* so that equal captures have equal bytes */
#endif
#endif
        return tt_bind_env(name, called<F>, &copy, sizeof copy, only(arity<F>));
    }
}

} /* namespace detail */

/* A function of values that is called like one: of a tt_fn, a C function or a lambda. A lambda that captures more than
 * bytes lives as long as the tt::function, its copies, and those that tt::jit and its kin make of it.
 *     tt::function f = [scale](tt_val x) { return scale * x; };
 *     tt_val y = f(x); */
class function {
  public:
    function() : f_(tt_fn{ 0, 0 }) {}
    function(tt_fn f) : f_(f) {}
    template <class F,
              typename std::enable_if<!detail::callable<F> && !std::is_convertible<F, tt_fn>::value, int>::type = 0>
    function(F f) : f_(tt_fn_any(nullptr, f)) {}
    template <class F, typename std::enable_if<detail::callable<F> &&
                                               !std::is_base_of<function, detail::plain<F>>::value, int>::type = 0>
    function(F &&f, const char *name = nullptr)
    {
        using G = detail::plain<F>;
        if constexpr (std::is_trivially_copyable<G>::value) f_ = detail::bytes_function<G>(name, f);
        else {
            auto &k = detail::kept_functions::get();
            std::lock_guard<std::mutex> lock(k.mutex);
            const uint64_t number = ++k.latest;
            k.all[number] = std::make_shared<const G>(std::forward<F>(f));
            keep_ = std::shared_ptr<void>(nullptr, [number](void *) { drop(number); });
            f_ = tt_bind_env(name, detail::called_by_number<G>, const_cast<uint64_t *>(&number), sizeof number,
                             detail::only(detail::arity<G>));
        }
    }
    /* As f, which was made of `of`: keeps what `of` keeps. */
    function(tt_fn f, const function &of) : f_(f), keep_(of.keep_) {}
    operator tt_fn() const { return f_; }
    tt_fn get() const { return f_; }

    /* f(x, 2.0, z): calls it; the line is that of the first argument. */
    template <class... A> tt_val operator()(operand first, A &&...more) const
    {
        const tt_val x[] = { first.v, operand(std::forward<A>(more), first.file, first.line).v... };
        return check(tt_call_n(first.site("a call"), f_, 1 + static_cast<int>(sizeof...(A)), x));
    }
    tt_val operator()() const { return check(tt_call_n(nullptr, f_, 0, nullptr)); }
  private:
    static void drop(uint64_t number)
    {
        std::shared_ptr<const void> last;                /* destroyed without the lock */
        auto &k = detail::kept_functions::get();
        std::lock_guard<std::mutex> lock(k.mutex);
        const auto at = k.all.find(number);
        if (at == k.all.end()) return;
        last = std::move(at->second);
        k.all.erase(at);
    }
    tt_fn f_;
    std::shared_ptr<void> keep_;
};

/* Transforms of a function, as tt_jit, tt_grad, tt_value_and_grad and tt_vmap of tutti.h: wrt are argument numbers, in
 * and out the mapped dims ("0; _"); options of other kinds are written with those macros. */
inline function jit(const function &f, const char *donate = nullptr, const char *file = __builtin_FILE(),
                    int line = __builtin_LINE())
{
    tt_jit_opts o = {};
    o.size = sizeof o, o.donate = donate;
    return { check(tt_jit_at(detail::site(file, line, "tt::jit"), f, &o)), f };
}
inline function grad(const function &f, const char *wrt = nullptr, const char *file = __builtin_FILE(),
                     int line = __builtin_LINE())
{
    tt_grad_opts o = {};
    o.size = sizeof o, o.wrt = wrt;
    return { check(tt_grad_at(detail::site(file, line, "tt::grad"), f, &o)), f };
}
inline function value_and_grad(const function &f, const char *wrt = nullptr, const char *file = __builtin_FILE(),
                               int line = __builtin_LINE())
{
    tt_grad_opts o = {};
    o.size = sizeof o, o.wrt = wrt;
    return { check(tt_value_and_grad_at(detail::site(file, line, "tt::value_and_grad"), f, &o)), f };
}
inline function vmap(const function &f, const char *in = nullptr, const char *out = nullptr,
                     const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    tt_vmap_opts o = {};
    o.size = sizeof o, o.in = in, o.out = out;
    return { check(tt_vmap_at(detail::site(file, line, "tt::vmap"), f, &o)), f };
}

/* The N items of a tuple: auto [loss, gradient] = tt::unpack<2>(step(w)); poison after an error without exceptions. */
template <size_t N>
std::array<tt_val, N> unpack(tt_val tuple, const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    std::array<tt_val, N> items;
    tt_val *slots[N + 1] = {};
    for (size_t i = 0; i < N; i++) items[i] = tt_poison, slots[i] = &items[i];
    tt_unpack_at(detail::site(file, line, "tt::unpack"), tuple, slots);
    return check(items);
}

/* ---- scopes and loops ---- */

/* Owns the values that are made while it is there. Scopes close in the reverse of their order.
 *     { tt::scope s; ... }      what was made inside is freed; tt_assign(&w, v) lets v live on in w's own scope */
class scope {
  public:
    scope() : s_(tt_scope_open()) {}
    ~scope() { tt_scope_close(s_); }
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;
  private:
    tt_scope s_;
};

/* A value that lives as long as this object, whatever scopes close (tt_keep, tt_drop); moves, and is not copied. */
class kept {
  public:
    kept() : v_(tt_poison), has_(false) {}
    explicit kept(operand v) : v_(tt_keep_at(v.site("tt::kept"), v.v)), has_(tt_ok()) { check(); }
    kept(kept &&o) noexcept : v_(o.v_), has_(std::exchange(o.has_, false)) {}
    kept &operator=(kept &&o) noexcept { return std::swap(v_, o.v_), std::swap(has_, o.has_), *this; }
    ~kept() { if (has_) tt_drop(v_); }
    kept(const kept &) = delete;
    operator tt_val() const { return v_; }
    tt_val get() const { return v_; }
  private:
    tt_val v_;
    bool has_;
};

/* for (int64_t i : tt::steps(1000, "train")): a loop with a scope for each iteration, and a bar where it has a name.
 * It ends after an error and by Ctrl-C. A variable of it takes notes: tt_note(loop.get(), "loss %.3f", tt_num(l)). */
class steps {
  public:
    explicit steps(int64_t n, const char *bar = nullptr, const char *file = __builtin_FILE(),
                   int line = __builtin_LINE())
    {
        tt_loop_opts o = {};
        o.size = sizeof o, o.bar = bar;
        tt_steps_at(detail::site(file, line, "tt::steps"), n, &o, &l_);
        check();
    }
    steps(const steps &) = delete;
    struct iterator {
        tt_loop *l;
        bool more;
        int64_t operator*() const { return l->i; }
        iterator &operator++() { return more = tt_next(l) != 0, check(), *this; }
        bool operator!=(const iterator &) const { return more; }
    };
    iterator begin() { return ++iterator{ &l_, false }; }
    iterator end() { return { &l_, false }; }
    tt_loop *get() { return &l_; }
  private:
    tt_loop l_;
};

} /* namespace tt */

/* A lambda in the place of a function in the macros of tutti.h: tt_jit(loss, .donate = "0"). */
template <class F, typename std::enable_if<tt::detail::callable<F>, int>::type = 0>
tt_fn tt_fn_any(const char *name, const F &f)
{
    static_assert(std::is_trivially_copyable<F>::value,
                  "this lambda captures more than bytes: keep it in a tt::function, tt::function f = lambda");
    return tt::detail::bytes_function<F>(name, f);
}

/* ---- operators: elementwise, with NumPy's dtypes and shapes ---- */
/* % is C's remainder; comparisons give arrays of bool. */

#define TT_BINARY_(op, f)                                                                                              \
    inline tt_val operator op(tt::operand a, tt::operand b) { return tt::check(f(a.site("a " #op " b"), a.v, b.v)); }
#define TT_COMPARE_(op, direction)                                                                                     \
    inline tt_val operator op(tt::operand a, tt::operand b)                                                            \
    {                                                                                                                  \
        return tt::check(tt_compare_at(a.site("a " #op " b"), direction, a.v, b.v));                                   \
    }
/* The result is in the innermost scope; tt_assign lets it live in the slot's own. */
#define TT_UPDATE_(op, f)                                                                                              \
    inline tt_val &operator op(tt_val &a, tt::operand b)                                                               \
    {                                                                                                                  \
        return a = tt::check(f(b.site("a " #op " b"), a, b.v));                                                        \
    }
TT_BINARY_(+, tt_add_at) TT_BINARY_(-, tt_sub_at) TT_BINARY_(*, tt_mul_at) TT_BINARY_(/, tt_div_at)
TT_BINARY_(%, tt_rem_at) TT_BINARY_(&, tt_and_at) TT_BINARY_(|, tt_or_at) TT_BINARY_(^, tt_xor_at)
TT_COMPARE_(==, 0) TT_COMPARE_(!=, 1) TT_COMPARE_(<, 2) TT_COMPARE_(<=, 3) TT_COMPARE_(>, 4) TT_COMPARE_(>=, 5)
TT_UPDATE_(+=, tt_add_at) TT_UPDATE_(-=, tt_sub_at) TT_UPDATE_(*=, tt_mul_at) TT_UPDATE_(/=, tt_div_at)
#undef TT_BINARY_
#undef TT_COMPARE_
#undef TT_UPDATE_
inline tt_val operator-(tt::operand a) { return tt::check(tt_neg_at(a.site("-a"), a.v)); }
inline tt_val operator!(tt::operand a) { return tt::check(tt_not_at(a.site("!a"), a.v)); }
inline tt_val operator~(tt::operand a) { return tt::check(tt_not_at(a.site("~a"), a.v)); }

/* std::cout << x: type, layout and elements, as NumPy prints them. */
template <class S> auto operator<<(S &to, tt_val v) -> decltype(to << "")
{
    return to << tt_type_text_at(nullptr, v) << ' ' << tt_value_text_at(nullptr, v);
}

#endif
