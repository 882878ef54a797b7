/* batches.c - tables and text from files; batches that a thread puts together, that are on a mesh, that are filled
 * up at the end; loops that are left early. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>
#include <unistd.h>

static char path[64];

static const char *file(const char *text)
{
    FILE *f = fopen(path, "w");
    if (f) fputs(text, f), fclose(f);
    return path;
}

static double at(tt_val v, int64_t i) { return tt_num(tt_take(tt_reshape(v, tt_count(v)), tt_i(i), 0)); }

static void wrong(const char *text, const char *words)
{
    tt_read_csv(file(text));
    CHECK(!tt_ok() && strstr(tt_error(), words), "\"%s\": %s", text, tt_error() ? tt_error() : "no error");
    tt_clear();
}

static void none(const char *text, tt_dtype dtype, const char *words)
{
    const tt_val t = tt_read_csv(file(text), .dtype = dtype);
    CHECK(!tt_ok() && strstr(tt_error(), words), "\"%s\": %s", text, tt_ok() ? tt_value_text(t) : tt_error());
    tt_clear();
}

static void tables(void)
{
    tt_val t = tt_read_csv(file("x,\"the y, quoted \"\"y\"\"\"\r\n1,2.5\r\n-3e2,\r\n\n"));
    CHECK(tt_items(t) == 2 && tt_has(t, "x"), "%s", tt_type_text(t));
    CHECK(at(tt_get(t, "x"), 1) == -300 && tt_dim(tt_get(t, "x"), 0) == 2, "column x");
    for (int i = 0; i < 2; i++)
        if (strcmp(tt_name(t, i), "x")) {
            CHECK(!strcmp(tt_name(t, i), "the y, quoted \"y\""), "%s", tt_name(t, i));
            CHECK(at(tt_item(t, i), 0) == 2.5 && isnan(at(tt_item(t, i), 1)), "an empty field is NaN");
        }
    t = tt_read_csv(file("1;2;3\n4;5;6"), .dtype = TT_I32, .separator = ";");
    CHECK(tt_rank(t) == 2 && tt_dtype_of(t) == TT_I32 && at(t, 5) == 6, "%s", tt_type_text(t));
    t = tt_read_csv(file("a,b\n"));
    CHECK(tt_ok() && tt_dim(tt_get(t, "a"), 0) == 0, "names without rows: %s", tt_error());
    t = tt_read_csv(file("\xef\xbb\xbf" "1,2\n3,4\n"));
    CHECK(tt_rank(t) == 2 && at(t, 0) == 1, "behind UTF-8's mark: %s", tt_type_text(t));
    t = tt_read_csv(file("9007199254740993,-9223372036854775808\n1e3,4.0\n"), .dtype = TT_I64);
    int64_t four[4] = { 0 };
    CHECK(tt_read(t, four, sizeof four) && four[0] == 9007199254740993 && four[1] == INT64_MIN && four[2] == 1000 &&
              four[3] == 4, "whole numbers: %s", tt_value_text(t));
    t = tt_read_csv(file("a,b\n18446744073709551615,2\n"), .dtype = TT_U64);
    uint64_t most = 0;
    CHECK(tt_read(tt_get(t, "a"), &most, sizeof most) && most == UINT64_MAX, "%s", tt_error());
    none("1.5,2\n", TT_I32, "\"1.5\" in column 1 is no i32");
    none("1,3000000000\n", TT_I32, "\"3000000000\" in column 2 is no i32");
    none("1\n-1\n", TT_U8, ":2: \"-1\" in column 1 is no u8");
    none("256\n", TT_U8, "is no u8"), none("8\n", TT_I4, "is no i4"), none("2\n", TT_BOOL, "is no bool");
    none("a,b\n1,\n", TT_I32, "\"\" in column 2 is no i32"), none("nan\n", TT_I64, "is no i64");
    none("18446744073709551616\n", TT_U64, "is no u64"), none("1\n", (tt_dtype)0, "0 is no dtype");
    wrong("1,x\n", ":1: a number, \"1\" in column 1, and a word, \"x\" in column 2");
    wrong("name,2019\n5,3\n", "a number, \"2019\"");
    t = tt_read_csv(file("name,2019\n5,3\n"), .header = 1);
    CHECK(tt_ok() && at(tt_get(t, "2019"), 0) == 3, "%s", tt_error());
    t = tt_read_csv(file("1,2\n5,3\n"), .header = 1);
    CHECK(tt_ok() && at(tt_get(t, "1"), 0) == 5 && tt_dim(tt_get(t, "2"), 0) == 1, "%s", tt_error());
    t = tt_read_csv(file("1,2\n5,3\n"), .header = 0);
    CHECK(tt_ok() && tt_rank(t) == 2 && tt_dim(t, 0) == 2, "%s", tt_error());
    tt_read_csv(file("a,b\n5,3\n"), .header = 0);
    CHECK(!tt_ok() && strstr(tt_error(), ":1: \"b\" in column 2 is no number"), "%s", tt_error());
    tt_clear();
    wrong("a,b,a\n1,2,3\n", ":1: \"a\" in column 3 is an earlier column's name too");
    wrong("x,a.b\n1,2\n",
          ":1: \"a.b\" in column 2 is no name of a column, which has one or more characters and no '.'");
    wrong("a,\n1,2\n", ":1: \"\" in column 2 is no name of a column");
    wrong("\"a,b\n1,2\n", "a quote is not closed");
    wrong("a\r1\r2\n", "a carriage return");
    char far[400];
    memset(far, '0', sizeof far);
    memcpy(far + sizeof far - 4, "1\n5\n", 4), far[sizeof far - 1] = 0;
    wrong(far, "a field of more than");
    wrong("a,b\n1,2\n3\n", ":3: 1 fields");
    wrong("a,b\n1,two\n", "\"two\" in column 2");
    wrong("\"a\" b\n", "follows a quoted field");
    wrong("", "no lines");
    tt_read_csv("/nowhere/at/all.csv");
    CHECK(!tt_ok() && strstr(tt_error(), "/nowhere"), "%s", tt_error());
    tt_clear();
    t = tt_read_text(file("To be\n"));
    CHECK(tt_dtype_of(t) == TT_U8 && tt_dim(t, 0) == 6 && at(t, 0) == 'T', "%s", tt_type_text(t));
    t = tt_read_text("tinyshakespeare.txt");             /* no file here: one that comes with the library */
    CHECK(tt_dim(t, 0) == 1115394 && at(t, 0) == 'F', "%s", tt_ok() ? tt_type_text(t) : tt_error());
}

/* ---- batches ---- */

static tt_val examples(int64_t n)
{
    return tt_dict("x", tt_reshape(tt_arange(TT_F32, 3 * n), n, 3), "i", tt_arange(TT_I32, n));
}

/* The first elements of "i" of every batch of two epochs; how many. */
static int seen(tt_data d, int leave_at, double *to)
{
    int n = 0;
    for (int epoch = 0; epoch < 2; epoch++)
        for (tt_loop it = tt_batches(d); tt_next(&it); ) {
            const tt_val i = tt_get(it.batch, "i");
            for (int64_t k = 0; k < tt_dim(i, 0); k++) to[n++] = at(i, k);
            CHECK(at(tt_get(it.batch, "x"), 0) == 3 * at(i, 0), "rows do not belong together");
            if (epoch == 0 && it.i == leave_at) break;
        }
    return n;
}

static void ahead(void)
{
    double a[128], b[128];
    for (int leave = -1; leave < 3; leave += 2)
        for (int n = 1; n < 8; n += 3) {
            const tt_val t = examples(20);
            tt_data plain = tt_dataset(t, .batch = 4, .shuffle = tt_key(3));
            tt_data early = tt_dataset(t, .batch = 4, .shuffle = tt_key(3), .ahead = n);
            const int m = seen(plain, leave, a);
            CHECK(m == seen(early, leave, b) && !memcmp(a, b, (size_t)m * sizeof *a), "%d ahead, left at %d", n, leave);
        }
    tt_data two = tt_dataset(examples(12), .batch = 2, .ahead = 2);  /* loops in each other */
    for (tt_loop i = tt_batches(two); tt_next(&i); )
        for (tt_loop k = tt_batches(two); tt_next(&k); )
            CHECK(at(tt_get(k.batch, "i"), 0) == 2 * (double)k.i && at(tt_get(i.batch, "i"), 0) == 2 * (double)i.i,
                  "%d, %d", (int)i.i, (int)k.i);
}

static void one_order(void)                              /* a loop that another one has ended says so */
{
    tt_data d = tt_dataset(examples(12), .batch = 2, .shuffle = tt_key(3));
    int n = 0;
    for (tt_loop i = tt_batches(d); tt_next(&i); n++)
        for (tt_loop k = tt_batches(d); tt_next(&k); ) { }
    CHECK(n == 1 && !tt_ok() && strstr(tt_error(), "another loop over this data set has begun"), "%d: %s", n,
          tt_ok() ? "no error" : tt_error());
    tt_clear();
    for (tt_loop i = tt_batches(d); tt_next(&i); n++) { }
    CHECK(tt_ok() && n == 7, "%d: %s", n, tt_error());
}

static void remainders(void)
{
    double v[64];
    const tt_val t = examples(7);
    CHECK(seen(tt_dataset(t, .batch = 3), -1, v) == 12, "the last batch is dropped");
    CHECK(seen(tt_dataset(t, .batch = 3, .keep_last = 1), -1, v) == 14, "or kept");
    CHECK(seen(tt_dataset(t, .batch = 3, .wrap = 1), -1, v) == 18 && v[6] == 6 && v[7] == 0 && v[8] == 1,
        "or filled up");
    CHECK(seen(tt_dataset(t, .batch = 9, .wrap = 1), -1, v) == 18 && v[8] == 1, "a batch of more than there is");
}

static void laid_out(void)
{
    const tt_mesh mesh = tt_mesh("data:4, model:2");
    int64_t n = 0;
    tt_data ten = tt_dataset(examples(10), .batch = 8, .keep_last = 1, .mesh = mesh, .ahead = 1);
    for (tt_loop it = tt_batches(ten); tt_next(&it); n++) {
        CHECK(tt_has_layout(tt_get(it.batch, "x"), mesh, "data, _"), "%s", tt_spec(tt_get(it.batch, "x")));
        CHECK(tt_has_layout(tt_get(it.batch, "i"), mesh, "data"), "%s", tt_spec(tt_get(it.batch, "i")));
        CHECK(at(tt_get(it.batch, "i"), 1) == 8 * (double)it.i + 1, "batch %d", (int)it.i);
    }
    CHECK(n == 2, "%d batches: %s", (int)n, tt_error());
    for (tt_loop it = tt_batches(tt_dataset(examples(8), .batch = 8, .mesh = mesh, .spec = "model+data")); tt_next(&it);
    )
        CHECK(tt_has_layout(tt_get(it.batch, "i"), mesh, "model+data"), "%s", tt_spec(tt_get(it.batch, "i")));
}

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(silent, NULL);
    snprintf(path, sizeof path, "/tmp/tutti-batches-%d.csv", (int)getpid());
    CHECK_RUN(tables());
    CHECK_RUN(ahead());
    CHECK_RUN(one_order());
    CHECK_RUN(remainders());
    CHECK_RUN(laid_out());
    CHECK(tt_ok(), "%s", tt_error());
    unlink(path);
    tt_done();
    return check_done();
}
