/* tutti.cpp - include/tutti.hpp: operators, lambdas, scopes, memory, errors. Built and run by tests/cpp.sh, under each
 * compiler and standard, with exceptions and without. */
#include <cstdio>
#include <cstring>
#include <sstream>
#include <tutti.hpp>

static int passed, failed, traced;

static void verify(bool good, const char *what)
{
    (good ? passed : failed)++;
    if (!good) std::printf("FAIL: %s: %s\n", what, tt_ok() ? "no error" : tt_error());
    tt_clear();
}
static bool says(const std::string &text, const char *part) { return std::strstr(text.c_str(), part) != nullptr; }
/* The error that a call leaves, whether thrown or set. */
template <class F> static std::string error_of(F f, tt_code *code = nullptr)
{
    std::string text;
#if TT_THROWS_
    try {
        f();
    } catch (const tt::error &e) {
        text = e.what();
        if (code) *code = e.code();
    }
    if (!tt_ok()) text = "not thrown: " + std::string(tt_error());
#else
    f();
    text = tt_error();
    if (code) *code = tt_error_record()->code;
#endif
    tt_clear();
    return text;
}
static bool is(tt_val v, const std::vector<float> &want) { return tt::read<float>(tt_cast(v, TT_F32)) == want; }
static tt_val plain(tt_val x) { return x * x; }
static tt_val half(tt_val x) { return x / 2; }

static void operators()
{
    const tt_val x = tt::array({ 1.f, 2.f, 4.f }), y = tt::array({ 4.f, 2.f, 1.f });
    verify(is(x + y, { 5, 4, 5 }) && is(x - y, { -3, 0, 3 }) && is(x * y, { 4, 4, 4 }), "+ - *");
    verify(is(x / y, { .25f, 1, 4 }) && is(-x, { -1, -2, -4 }), "/ and negation");
    verify(is(2 * x + 1, { 3, 5, 9 }) && is(1 - x, { 0, -1, -3 }) && is(x / 2.0, { .5f, 1, 2 }), "numbers");
    verify(tt_dtype_of(x * 2.5) == TT_F32 && tt_dtype_of(x + 1) == TT_F32, "numbers are weak");
    verify(is(x < y, { 1, 0, 0 }) && is(x >= y, { 0, 1, 1 }) && is(x == y, { 0, 1, 0 }) && is(x != y, { 1, 0, 1 }),
           "comparisons");
    verify(is((x < 3) & (x > 1), { 0, 1, 0 }) && is((x < 2) | (x > 3), { 1, 0, 1 }) && is(!(x < 3), { 0, 0, 1 }),
           "bits");
    const tt_val i = tt::array({ 7, -7, 9 });
    verify(is(i % 4, { 3, -3, 1 }) && is((i & 1) ^ 3, { 2, 2, 2 }) && tt_dtype_of(~i) == TT_I32, "integers");
    tt_val z = x;
    z += 1, z *= y, z -= x, z /= 2;
    verify(is(z, { 3.5f, 2, .5f }), "updates");
    std::ostringstream out;
    out << x;
    verify(out.str() == "f32[3] [1. 2. 4.]", "<<");
    const std::string text = error_of([&] { return x + tt::array({ 1.f, 2.f }); });
    verify(says(text, "tutti.cpp:") && says(text, "a + b") && says(text, "do not broadcast"), "an error and its line");
    verify(says(error_of([&] { return x + UINT64_MAX; }), "is above 2^63 - 1"), "a number that fits no type");
}

/* True if no lambda was traced since the last question. */
static bool unchanged()
{
    static int before;
    return std::exchange(before, traced) == traced;
}

static void lambdas()
{
    const tt_val x = tt::array({ 1.f, 2.f, 3.f });
    const double scale = 3;
    auto scaled = [=](tt_val v) {
        traced++;
        return scale * v;
    };
    verify(is(tt_call(tt_jit(scaled), x), { 3, 6, 9 }), "a lambda in a macro");
    tt::function f = tt::jit(scaled);
    verify(is(f(x), { 3, 6, 9 }) && !unchanged() && is(f(x), { 3, 6, 9 }) && unchanged(),
           "the same captures are traced once");
    auto times = [](double by) {
        return tt::jit([by](tt_val v) {
            traced++;
            return v * by;
        });
    };
    verify(is(times(2)(x), { 2, 4, 6 }) && !unchanged() && is(times(2)(x), { 2, 4, 6 }) && unchanged(),
           "equal captures are equal functions");
    verify(is(times(5)(x), { 5, 10, 15 }) && !unchanged(), "others are others");
    verify(is(tt::grad([](tt_val v) { return tt_sum(v * v); })(x), { 2, 4, 6 }), "grad");
    const auto [loss, g] =
        tt::unpack<2>(tt::value_and_grad([&](tt_val v, tt_val w) { return tt_sum(v * w); }, "1")(x, 2 * x));
    verify(tt_num(loss) == 28 && is(g, { 1, 2, 3 }), "value_and_grad");
    verify(is(tt::vmap([](tt_val a, tt_val b) { return a + b; }, "0; _")(x, 1), { 2, 3, 4 }), "vmap");
    verify(is(tt::function(plain)(x), { 1, 4, 9 }) &&
               is(tt_call(tt_grad([](tt_val v) { return tt_sum(plain(v)); }), x), { 2, 4, 6 }),
           "a C function");
    verify(is(tt::function([] { return tt_ones(TT_F32, 2); })(), { 1, 1 }), "of no values");
    auto any = [](auto first, auto... more) -> tt_val { return (first + ... + more); };
    verify(is(tt::function(any)(x), { 1, 2, 3 }) && is(tt::function(any)(x, x, 1), { 3, 5, 7 }),
           "of any number of values");
    auto body = [](tt_val c, tt_val v) { return tt_tuple(c + v, c); };
    const tt_val swept = tt_scan(body, tt_f(0), x);
    verify(tt_num(tt_item(swept, 0)) == 6 && is(tt_item(swept, 1), { 0, 1, 3 }), "scan");
    auto twice = [](tt_val v) { return v * 2; };
    verify(is(tt_cond(tt_b(true), twice, half, x), { 2, 4, 6 }), "cond of a lambda and a function");
    std::vector<double> weights = { 1, 2, 4 };
    tt::function sum;
    {
        tt::function inner = [weights](tt_val v) {
            tt_val s = tt_f(0);
            for (double w : weights) s = s + w * v;
            return s;
        };
        sum = tt::jit(inner);
    }
    verify(is(sum(x), { 7, 14, 21 }), "captures that are more than bytes");
    tt_fn gone;
    {
        tt::function inner = [weights](tt_val v) { return v * weights[0]; };
        gone = inner;
    }
    verify(says(error_of([&] { return tt::check(tt_call(gone, x)); }), "whose tt::function is gone"),
           "a function that is gone");
    verify(says(error_of([&] { return f(x, x); }), "takes 1 value, not 2"), "a value too many");
}

static void memory()
{
    const double d[] = { 1, 2, 3, 4, 5, 6 };
    const tt_val m = tt::array(d, 6, { 2, 3 });
    verify(tt_dtype_of(m) == TT_F64 && tt_rank(m) == 2 && tt::read<double>(m) == std::vector<double>(d, d + 6),
           "pointers");
    verify(says(error_of([&] {
                    return tt::array(d, 6, { 2, 2 });
                }),
                "6 elements, where the dims have 4"),
           "dims that do not fit");
    verify(says(error_of([&] { return tt::read<float>(m).empty() ? tt_f(0) : m; }), "f64, read as f32"),
           "another dtype");
    double less[4];
    verify(says(error_of([&] { return tt::read(m, less, 4) ? m : tt_f(0); }), "bytes"), "another size");
    verify(tt::read<std::complex<float>>(tt::array({ std::complex<float>(1, 2) }))[0] == std::complex<float>(1, 2),
           "complex numbers");
    verify(tt::dtype<bool> == TT_BOOL && tt::dtype<int8_t> == TT_I8 && tt::dtype<uint16_t> == TT_U16 &&
               tt::dtype<long> == TT_I64 && tt::dtype<const uint64_t> == TT_U64 &&
               tt::dtype<std::complex<double>> == TT_C128,
           "dtypes");
    verify(tt_count(tt::array(std::vector<float>{})) == 0 && tt_ok(), "nothing");
#ifdef __cpp_lib_span
    const std::array<int, 4> four = { 1, 2, 3, 4 };
    std::array<int, 4> back = {};
    const tt_val s = tt::array(std::span(four), { 2, 2 });
    verify(tt_rank(s) == 2 && tt::read(s, std::span(back)) && back == four, "spans");
#endif
}

static void scopes()
{
    const tt_val w = tt_ones(TT_F32, 2);
    tt_val out = tt_zeros(TT_F32, 2), lost = w;
    {
        tt::scope s;
        tt_assign(&out, w + 1);
        lost = w + 2;
    }
    verify(is(out, { 2, 2 }), "a value that is assigned outwards");
    verify(says(error_of([&] { return lost + 1; }), "scope"), "a value whose scope is closed");
    tt::kept long_lived;
    {
        tt::scope s;
        long_lived = tt::kept(w * 3);
    }
    verify(is(long_lived, { 3, 3 }), "a value that is kept");
    int64_t last = -1, n = 0;
    tt_val sum = tt_f(0);
    for (int64_t i : tt::steps(5)) {
        last = i, n++;
        tt_assign(&sum, sum + i);
    }
    verify(last == 4 && n == 5 && tt_num(sum) == 10, "steps");
}

static void errors()
{
    tt_code code = TT_OK;
    const tt_val x = tt_ones(TT_F32, 2);
    error_of([&] { return x + tt_ones(TT_F32, 3); }, &code);
    verify(code == TT_ESHAPE, "the code of an error");
    verify(
        says(error_of([&] { return tt::jit([](tt_val v) { return v + tt_ones(TT_F32, 5); })(x); }), "do not broadcast"),
        "an error inside of a function");
#if TT_THROWS_
    auto thrower = [](tt_val v) -> tt_val {
        if (tt_rank(v) == 1) throw std::out_of_range("of the program");
        return v;
    };
    bool caught = false;
    try {
        tt::jit(tt::grad([=](tt_val v) { return tt_sum(thrower(v)); }))(x);
    } catch (const std::out_of_range &e) {
        caught = says(e.what(), "of the program");
    }
    verify(caught && tt_ok() && !tt_is_inside(), "an exception through the library");
    tt_call(tt_jit(thrower), x); /* in C's manner, and what follows is of something else */
    tt_clear();
    verify(says(error_of([&] { return x + tt_ones(TT_F32, 3); }), "do not broadcast"),
           "an exception that C has cleared");
    verify(is(tt::jit(thrower)(tt_ones(TT_F32, 1, 1)), { 1 }), "which does not always leave");
#endif
}

int main()
{
    tt_on_error(tt::quiet, nullptr);
    operators();
    lambdas();
    memory();
    scopes();
    errors();
    std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
