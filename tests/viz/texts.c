/* texts.c - curves in the terminal and as SVG, drawings as SVG, times in IPython's words, elements in NumPy's; what
 * a thread keeps of a kind. */
#include "check.h"

#include <string.h>
#include <tutti.h>

static void quiet(const tt_error_info *e, void *env) { (void)e; (void)env; }
static void is(const char *got, const char *want)
{
    CHECK(got && !strcmp(got, want), "got\n%s\nexpected\n%s", got ? got : "(none)", want);
}
static void refused(const char *text)
{
    CHECK(!tt_ok() && strstr(tt_error(), text), "%s", tt_ok() ? "was accepted" : tt_error());
    tt_clear();
}
static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *p = text; p && (p = strstr(p, word)); p += strlen(word)) n++;
    return n;
}

static void curves(void)
{
    const float y[] = { 8, 4, 2, 1 }, holes[] = { 1, 0, -1, 3 };
    is(tt_curve(tt_array(TT_F32, y, 4), .width = 2, .height = 2, .title = "loss"),
       "            loss\n         8 \u2524\u2801\u2800\n         1 \u2524\u2808\u2884\n"
       "           \u2514\u2500\u2500\n            03\n");
    is(tt_curve(tt_array(TT_F32, y, 4), .width = 2, .height = 1, .log = 1),
       "         8 \u2524\u2811\u2884\n           \u2514\u2500\u2500\n            03\n");
    const char *svg = tt_curve(tt_array(TT_F32, y, 4), .form = "svg", .title = "a < b & c");
    CHECK(svg && !strncmp(svg, "<svg ", 5) && strstr(svg, "</svg>"), "%s", svg ? svg : "(none)");
    CHECK(strstr(svg, "a &lt; b &amp; c") && strstr(svg, "M60.00 24.00L"), "%s", svg);
    svg = tt_curve(tt_array(TT_F32, holes, 4), .form = "svg", .log = 1);
    CHECK(count(svg, "M") >= 2, "%s", svg);              /* what has no logarithm breaks the line */
    tt_curve(tt_zeros(TT_F32, 2, 2));
    refused("no row of numbers");
    tt_curve(tt_zeros(TT_F32, 2), .form = "pdf");
    refused("form \"pdf\"");
    CHECK(tt_curve(tt_zeros(TT_F32, 0)) != NULL && tt_ok(), "an empty row");
    tt_curve(tt_complex(tt_ones(TT_F32, 3), tt_ones(TT_F32, 3)));
    refused("curve: c64[3] is complex");
}

/* Sizes that no terminal and no picture has, and bounds that exclude each other. */
static void sizes(void)
{
    const tt_val y = tt_ones(TT_F32, 4);
    tt_curve(y, .width = 1000000000);
    refused("curve: .width = 1000000000 is more than 1000 cells");
    tt_curve(y, .height = 1001);
    refused("curve: .height = 1001 is more than 1000 cells");
    tt_curve(y, .form = "svg", .height = 100001);
    refused("curve: .height = 100001 is more than 100000 pixels");
    CHECK(*tt_curve(y, .width = 1000, .height = 1) && tt_ok(), "the widest curve");
    tt_drawing_at(0, y, &(tt_draw_opts){ .size = sizeof(tt_draw_opts), .min_width = 50, .max_width = 3 });
    refused("draw: .min_width = 50 is more than .max_width = 3");
    tt_drawing_at(0, y, &(tt_draw_opts){ .size = sizeof(tt_draw_opts), .min_width = 81 });
    refused("draw: .min_width = 81 is more than .max_width = 80");
}

static void drawings(void)
{
    const tt_val v = tt_shard(tt_shape(TT_F32, 8, 16), tt_mesh("a:2, b:4"), "a, b");
    const tt_draw_opts o = { .size = sizeof o, .form = "svg" };
    const char *svg = tt_drawing_at(0, v, &o);
    CHECK(count(svg, "<rect ") == 8 && count(svg, "</text>") == 8, "%s", svg);
    CHECK(strstr(svg, ">CPU 7</text>") && strstr(svg, "fill=\"#393b79\""), "%s", svg);
    CHECK(strstr(svg, "width=\"640\" height=\"320\""), "%s", svg);
}

/* Cells too narrow for their labels, as rich draws them: a row has a line all the same, and under a cell that is lower
 * than its row there is no colour. */
static void narrow(void)
{
    const tt_val v = tt_shard(tt_shape(TT_F32, 700), tt_mesh("a:7"), "a");
    const tt_draw_opts plain = { .size = sizeof plain, .form = "plain", .max_width = 20 };
    is(tt_drawing_at(0, v, &plain),
       "\u250c\u2500\u2500\u252c\u2500\u2500\u252c\u2500\u2500\u252c\u2500\u252c\u2500"
       "\u2500\u252c\u2500\u252c\u2500\u2500\u2510\n"
       "\u2502  \u2502  \u2502  \u2502 \u2502  \u2502 \u2502  \u2502\n"
       "\u2514\u2500\u2500\u2534\u2500\u2500\u2534\u2500\u2500\u2534\u2500\u2534\u2500"
       "\u2500\u2534\u2500\u2534\u2500\u2500\u2518\n");
    const tt_draw_opts color = { .size = sizeof color, .form = "color", .max_width = 33 };
    const char *text = tt_drawing_at(0, v, &color);
    CHECK(text && strstr(text, "m  \033[0m    \033["), "below a lower cell: %s", text);
}

static tt_val twice(tt_val x) { return tt_add(x, x); }

static void texts(void)
{
    const char *t = tt_timeit(tt_jit(twice), tt_ones(TT_F32, 4));
    CHECK(t && strstr(t, " per loop (mean \u00b1 std. dev. of 7 runs, "), "%s", t ? t : "(none)");
    CHECK(t && strstr(t, "loops each)"), "%s", t ? t : "(none)");
    const int32_t order[] = { 3, 0, 1, 2 };
    const float loss = 1.4580092f;
    is(tt_value_text(tt_array(TT_I32, order, 4)), "[3 0 1 2]");
    is(tt_value_text(tt_array(TT_F32, &loss)), "1.4580092");
    is(tt_value_text(tt_shape(TT_F32, 2, 3)), "f32[2, 3]");
}

static void kept(void)
{
    const int first = 1, second = 2;
    const char *text = tt_keep_latest("a text", "of its own kind", 16);
    const int *number = tt_keep_latest("a number", &first, sizeof first);
    CHECK(number && *number == 1, "bytes are copied");
    number = tt_keep_latest("a number", &second, sizeof second);
    CHECK(number && *number == 2, "and the next of the kind");
    is(text, "of its own kind");
    CHECK(!tt_keep_latest(NULL, "x", 2), "no kind");
    refused("tt_keep_latest: the kind is NULL");
    CHECK(!tt_keep_latest("a text", NULL, 2), "no data");
    refused("tt_keep_latest: data is NULL");
    is(text, "of its own kind");
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    setenv("TUTTI", "timeit:5", 1);                      /* milliseconds: only the line's form is looked at */
    tt_on_error(quiet, NULL);
    CHECK_RUN(kept());
    CHECK_RUN(curves());
    CHECK_RUN(sizes());
    CHECK_RUN(drawings());
    CHECK_RUN(narrow());
    CHECK_RUN(texts());
    CHECK(tt_ok(), "%s", tt_error());
    tt_done();
    return check_done();
}
