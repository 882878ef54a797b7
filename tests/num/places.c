/* places.c - the functions of tutti/index.h, literals and ranges: slices as text against NumPy's answers, what a text
 * may not say, updates in place, and the same under jit, grad, vmap and on a mesh. */
#include "api/api_check.h"

static tt_val cube(void) { return tt_reshape(tt_arange(TT_F32, 24), 2, 3, 4); }
static tt_val ints2(int a, int b) { return tt_array(TT_I32, ((int[]){ a, b }), 2); }

static void read(void)
{
    const tt_val x = cube(), i = tt_i(1), rows = ints2(1, 0);
    IS_TYPED(tt_at(x, "_, 1:3, ::2"), "f32[2, 2, 2]", 4, 6, 8, 10, 16, 18, 20, 22);
    IS_TYPED(tt_at(x, "-1, ..., 0"), "f32[3]", 12, 16, 20);
    IS_TYPED(tt_at(x, "0, ::-1, newaxis, 3:0:-2"), "f32[3, 1, 2]", 11, 9, 7, 5, 3, 1);
    IS_TYPED(tt_at(x, "i, i, i", i), "f32[]", 17);
    IS_TYPED(tt_at(x, "rows, 0, 0", rows), "f32[2]", 12, 0);
    IS_TYPED(tt_at(x, "rows, _, rows", rows), "f32[2, 3]", 13, 17, 21, 0, 4, 8);
    IS_TYPED(tt_at(x, "0, rows, :2", rows), "f32[2, 2]", 4, 5, 0, 1);
    int n = 2;
    IS_TYPED(tt_at(x, "0, n, n:", tt_i(n)), "f32[2]", 10, 11);
    IS_TYPED(tt_at(x, ""), "f32[2, 3, 4]", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
             22, 23);
    CHECK(!strcmp(tt_type_text(tt_at(x, "1:1")), "f32[0, 3, 4]") && tt_ok(), "none");
    CHECK(!strcmp(tt_type_text(tt_at(x, "7:, ..., 2:-9:-1")), "f32[0, 3, 3]") && tt_ok(), "cut");
    const tt_val far = ints2(5, -2);
    IS_TYPED(tt_at(tt_cast(x, TT_I32), "far, 0, 0", far), NULL, -2147483648.0, 0);
    IS(tt_at(x, "far, 0, 0; clip", far), 12, 0);
    IS(tt_at(x, "ints2(5, -3), 0, 0; wrap", ints2(5, -3)), 12, 12);
    IS(tt_at(tt_f(3), "newaxis"), 3);
}

static void unread(void)
{
    const tt_val x = cube(), i = ints2(0, 1);
    tt_on_error(quiet, NULL);
    tt_at(x, "0, 0, 0, 0");
    CHECK(failed("at: more items than f32[2, 3, 4] has dims\n  0, 0, 0, 0\n           ^"), "items");
    tt_at(x, "0, ..., ...");
    CHECK(failed("\"...\" twice"), "dots");
    tt_at(x, "0, j", i);
    CHECK(failed("no argument \"j\""), "name");
    tt_at(x, "0", i);
    CHECK(failed("does not read the argument \"i\""), "unread");
    tt_at(x, "3");
    CHECK(failed("element 3 of dim 0, which has 2"), "range");
    tt_at(x, "::0");
    CHECK(failed("a step of 0"), "step");
    tt_at(x, "1:2:3:4");
    CHECK(failed("more than from:to:step"), "colons");
    tt_at(x, "0,, 1");
    CHECK(failed("an item is missing"), "missing");
    tt_at(x, "i:2", i);
    CHECK(failed("bounds of a slice are numbers of C"), "bound");
    tt_at(x, "tt_f(1)", tt_f(1));
    CHECK(failed("indices are integers"), "float");
    tt_at(x, "tt_ones(TT_BOOL, 2)", tt_ones(TT_BOOL, 2));
    CHECK(failed("indices are integers"), "bool");
    tt_at(x, "i; clap", i);
    CHECK(failed("no mode \"clap\""), "mode");
    tt_at_set(x, "0, 0", tt_ones(TT_F32, 5));
    CHECK(failed("broadcast"), "update");
    tt_at_set(tt_cast(x, TT_I32), "0, 0", tt_ones(TT_F32));
    CHECK(failed("would be cut"), "lossy");
    tt_at_put_at(NULL, "put", x, "0", tt_f(1), "", (tt_val[]){ tt_end });
    CHECK(failed("no way to combine \"put\""), "way");
    tt_gather(x, "0, 1", i);
    CHECK(failed("2 dims in \"0, 1\", 1 array of indices"), "gather");
    tt_gather(x, "5", i);
    CHECK(failed("gather: the argument dims names dim 5 of a value of rank"), "a dim that is not there");
    tt_dynamic_box(x, tt_tuple(tt_i(0), tt_i(0)), 1, 1);
    CHECK(failed("the start of a box"), "start");
    tt_on_error(NULL, NULL);
}

static void written(void)
{
    const tt_val x = tt_zeros(TT_I32, 3, 3), i = ints2(0, 2), j = ints2(1, 1);
    IS_TYPED(tt_at_set(x, "1", tt_i(5)), "i32[3, 3]", 0, 0, 0, 5, 5, 5, 0, 0, 0);
    IS(tt_at_add(x, "::2, ::-2", tt_reshape(tt_arange(TT_I32, 4), 2, 2)), 1, 0, 0, 0, 0, 0, 3, 0, 2);
    IS(tt_at_add(x, "i, j", tt_i(1), i, j), 0, 1, 0, 0, 0, 0, 0, 1, 0);
    IS(tt_at_add(x, "j, j", tt_i(1), j), 0, 0, 0, 0, 2, 0, 0, 0, 0);
    IS(tt_at_max(tt_at_set(x, "_, i", ints2(3, -4), i), "0, ::2", ints2(-1, 7)), 3, 0, 7, 3, 0, -4, 3, 0, -4);
    IS(tt_at_mul(tt_add(x, tt_i(2)), "1:, 0", ints2(5, 6)), 2, 2, 2, 10, 2, 2, 12, 2, 2);
}

/* ---- literals, ranges, indices, limits ---- */

#define SIDE 2
static void constants(void)
{
    IS_TYPED(tt_const(TT_F32, { { 1, -.5 }, { 2e-1f, 1.0 / 4 } }), "f32[2, 2]", 1, -0.5, 0.2, 0.25);
    IS_TYPED(tt_const(TT_I32, 7), "i32[]", 7);
    IS_TYPED(tt_const(TT_I32, { 3 - 5, -2 * -3, 4 - 1 - 1, 2 * (1 - 3), 1e2, -0 }), "i32[6]", -2, 6, 2, -4, 100, 0);
    IS_TYPED(tt_const(TT_I8,
                      {
                          { { SIDE, -(SIDE + 1) * 2 } },
                      }),
             "i8[1, 1, 2]", 2, -6);
    IS_TYPED(tt_const(TT_BOOL, { true, false, 1 }), "bool[3]", 1, 0, 1);
    IS_TYPED(tt_const(TT_BF16, { NAN, INFINITY, -INFINITY }), "bf16[3]", NAN, INFINITY, -INFINITY);
    CHECK(!strcmp(tt_type_text(tt_const(TT_F32, {})), "f32[0]"), "%s", tt_type_text(tt_const(TT_F32, {})));
    int64_t wide[2];
    CHECK(tt_read(tt_const(TT_I64, { 9223372036854775807, -0x7fffffffffffffffL }), wide, sizeof wide) &&
              wide[0] == INT64_MAX && wide[1] == -INT64_MAX,
          "64 bits");
    tt_on_error(quiet, NULL);
    tt_const(TT_I8, { 1, 300 });
    CHECK(failed("300 is no i8\n  { 1, 300 }\n       ^"), "range");
    tt_const(TT_U64, { 18446744073709551615u + 1 });
    CHECK(failed("an integer of more than 64 bits"), "wide");
    tt_const(TT_I64, { -9223372036854775807 - 2 });
    CHECK(failed("is no i64"), "wide and negative");
    tt_const(TT_I32, { 0.5 });
    CHECK(failed("0.5 is no i32"), "fraction");
    tt_const(TT_F32, { 1 / 2 });
    CHECK(failed("a quotient of integers"), "quotient");
    tt_const(TT_F32, { { 1, 2 }, { 3 } });
    CHECK(failed("a row of 1, where the first has 2"), "ragged");
    tt_const(TT_F32, { { 1 }, 3 });
    CHECK(failed("a number beside a list"), "mixed");
    tt_const(TT_F32, 1, 2);
    CHECK(failed("several values"), "several");
    tt_const(TT_F32, { x });
    CHECK(failed("\"x\" is no number"), "variable");
    tt_const(TT_F32, { 010 });
    CHECK(failed("octal"), "octal");
    tt_const(TT_F32, { 1 );
        CHECK(failed("expected , or }"), "brace");
        tt_arange(TT_I32, 0, 3, 0.5);
        CHECK(failed("0.5 is no number of type i32"), "step");
        tt_arange(TT_F32, 0, 3, 0);
        CHECK(failed("from 0 to 3 by steps of 0"), "no step");
        tt_arange(TT_I8, 120, 130);
        CHECK(failed("129 is no number of type i8"), "end");
        tt_on_error(NULL, NULL);
        IS_TYPED(tt_arange(TT_I32, 5, -1, -2), "i32[3]", 5, 3, 1);
        IS_TYPED(tt_arange(TT_F32, 0, 1, 0.25), "f32[4]", 0, 0.25, 0.5, 0.75);
        IS_TYPED(tt_arange(TT_F32, 2.5), "f32[3]", 0, 1, 2);
        CHECK(!strcmp(tt_type_text(tt_arange(TT_F32, 3, 1)), "f32[0]") && tt_ok(), "none");
        tt_val a, b, c;
        CHECK(tt_unpack(tt_const(TT_I32, { { 1, 2 }, { 3, 4 } }), &a, &b), "%s", tt_error());
        IS_TYPED(a, "i32[2]", 1, 2);
        IS_TYPED(b, "i32[2]", 3, 4);
        tt_on_error(quiet, NULL);
        CHECK(!tt_unpack(tt_ones(TT_F32, 2), &a, &b, &c) && failed("3 variables for f32[2]"), "rows");
        tt_finfo(TT_I32);
        CHECK(failed("i32 is no float type"), "finfo");
        tt_iinfo(TT_F32);
        CHECK(failed("f32 is no integer type"), "iinfo");
        tt_on_error(NULL, NULL);
        CHECK(tt_finfo(TT_BF16).eps == 0x1p-7 && tt_finfo(TT_F8E4M3FN).most == 448 && tt_iinfo(TT_I8).least == -128,
              "limits");
        IS(tt_item(tt_nonzero(tt_const(TT_F32, { 0, 3, 0, 4 })), 0), 1, 3);
        IS_TYPED(tt_argwhere(tt_const(TT_BOOL, { { 1, 0 }, { 0, 1 } }), .count = 3, .fill = 9), "i32[3, 2]", 0, 0, 1, 1,
                 9, 9);
}

/* ---- under transforms ---- */

static tt_val picked(tt_val x, tt_val i)
{
        const tt_val y = tt_at(x, "i, ::-1", i), z = tt_at_mul(x, "1:, 0", tt_f(3));
        return tt_sum(tt_add(tt_square(y), tt_square(tt_at_add(z, "i", y, i))));
}
static tt_val flags(tt_val x) {
        return tt_item(tt_nonzero(tt_gt(x, tt_f(0)), .count = 4, .fill = -1), 0); }
static tt_val uncounted(tt_val x) {
        return tt_item(tt_nonzero(x), 0); }

static void transformed(void)
{
        const tt_val x = tt_normal(tt_key(1), TT_F32, 4, 6, 6), i = tt_array(TT_I32, ((int[]){ 0, 5, 2, 2 }), 4);
        const tt_val each = tt_call(tt_vmap(tt_grad(picked)), x, i);
        for (int k = 0; k < 4; k++) {
            const tt_val own = tt_call(tt_jit(tt_grad(picked)), tt_at(x, "k", tt_i(k)), tt_at(i, "k", tt_i(k)));
            CHECK(tt_num(tt_allclose(own, tt_at(each, "k", tt_i(k)), .rtol = 1e-5, .atol = 1e-5)) == 1, "row %d: %s", k,
                  tt_error());
        }
        IS_TYPED(tt_call(tt_jit(flags), tt_const(TT_F32, { -1, 2, 3, -4, 5 })), "i32[4]", 1, 2, 4, -1);
        tt_on_error(quiet, NULL);
        tt_call(tt_jit(uncounted), x);
        CHECK(failed("nonzero: the number of results depends on values, which are known only when the traced function "
                     "runs"), "count");
        tt_on_error(NULL, NULL);
}

static void same(tt_val a, tt_val b, const char *spec, int line)
{
        CHECK(tt_num(tt_allclose(a, b, .rtol = 1e-5, .atol = 1e-5)) == 1, "line %d, %s: %s", line, spec, tt_error());
        tt_clear();
}

#define SAME(a, b, spec) same(a, b, spec, __LINE__)
static void on_a_mesh(void)
{
        const tt_mesh m = tt_mesh("data:2, model:2");
        const tt_val x = tt_normal(tt_key(2), TT_F32, 6, 6), i = tt_i(4),
                     rows = tt_array(TT_I32, ((int[]){ 5, 0, 3 }), 3);
        const tt_val ids = tt_array(TT_I32, ((int[]){ 1, 0, 1, 2, -1, 0 }), 6);
        static const char *const spec[] = { "data, model", "model, _", "_, data+model" };
        for (int k = 0; k < 3; k++) {
            const tt_val y = tt_shard(x, m, spec[k]);
            SAME(tt_at(y, "::-2, 1:5"), tt_at(x, "::-2, 1:5"), spec[k]);
            SAME(tt_at(y, "rows, i", rows, i), tt_at(x, "rows, i", rows, i), spec[k]);
            SAME(tt_at(y, "rows, rows", rows), tt_at(x, "rows, rows", rows), spec[k]);
            SAME(tt_at_add(y, "rows, 1:3", tt_f(2), rows), tt_at_add(x, "rows, 1:3", tt_f(2), rows), spec[k]);
            SAME(tt_at_set(y, "1::2, -1", tt_f(2)), tt_at_set(x, "1::2, -1", tt_f(2)), spec[k]);
            SAME(tt_call(tt_grad(picked), y, i), tt_call(tt_grad(picked), x, i), spec[k]);
            SAME(tt_argwhere(tt_gt(y, tt_f(0)), .count = 40), tt_argwhere(tt_gt(x, tt_f(0)), .count = 40), spec[k]);
            SAME(tt_item(tt_histogram(y), 0), tt_item(tt_histogram(x), 0), spec[k]);
            SAME(tt_unique(tt_floor(y), .count = 5), tt_unique(tt_floor(x), .count = 5), spec[k]);
            SAME(tt_pad_with(y, "3:2, 1:7", .mode = "reflect"), tt_pad_with(x, "3:2, 1:7", .mode = "reflect"), spec[k]);
            SAME(tt_norm(y, .ord = "1"), tt_norm(x, .ord = "1"), spec[k]);
            SAME(tt_abs(tt_rfft2(y)), tt_abs(tt_rfft2(x)), spec[k]);
            SAME(tt_segment_max(y, ids, 3), tt_segment_max(x, ids, 3), spec[k]);
            SAME(tt_softmax(y, .dims = "0", .where = tt_gt(x, tt_f(-1))),
                 tt_softmax(x, .dims = "0", .where = tt_gt(x, tt_f(-1))), spec[k]);
            SAME(tt_item(tt_gradient(y), 1), tt_item(tt_gradient(x), 1), spec[k]);
            SAME(tt_rot90(y, 1), tt_rot90(x, 1), spec[k]);
        }
}

int main(int argc, char **argv)
{
        check_main(argc, argv);
        CHECK_RUN(read());
        CHECK_RUN(unread());
        CHECK_RUN(written());
        CHECK_RUN(constants());
        CHECK_RUN(transformed());
        CHECK_RUN(on_a_mesh());
        return check_done();
}
