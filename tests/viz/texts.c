/* texts.c - curves in the terminal and as SVG, drawings as SVG, times in IPython's words, elements in NumPy's; what
 * a thread keeps of a kind. */
#include "check.h"

#include <math.h>
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
    is(tt_curve(tt_array(TT_F32, y, 4), .width = 4, .height = 2, .title = "loss"),
       "    loss\n"
       "10 \u2524\u28a2\u2800\u2800\u2800\n"
       " 0 \u2524\u2800\u2811\u2822\u2824\n"
       "   \u2514\u252c\u2500\u2500\u2500\n"
       "    0\n");
    is(tt_curve(tt_array(TT_F32, y, 4), .width = 4, .height = 2, .log = 1),
       "10 \u2524\u2822\u2840\u2800\u2800\n"
       " 1 \u2524\u2800\u2808\u2811\u2884\n"
       "   \u2514\u252c\u2500\u2500\u2500\n"
       "    0\n");
    is(tt_curve(tt_array(TT_F32, holes, 4), .width = 4, .height = 2, .log = 1),
       "10 \u2524\u2800\u2800\u2800\u2800\n"
       " 1 \u2524\u28e4\u2800\u2800\u281b\n"
       "   \u2514\u252c\u2500\u2500\u2500\n"
       "    0\n"
       "    2 values left out: not finite, or without a logarithm\n");
    const char *svg = tt_curve(tt_array(TT_F32, y, 4), .form = "svg", .title = "a < b & c");
    CHECK(svg && !strncmp(svg, "<svg ", 5) && strstr(svg, "</svg>"), "%s", svg ? svg : "(none)");
    CHECK(strstr(svg, "a &lt; b &amp; c") && strstr(svg, "M20.50 26.00L"), "%s", svg);
    svg = tt_curve(tt_array(TT_F32, holes, 4), .form = "svg", .log = 1);
    CHECK(count(svg, "<circle ") == 2 && strstr(svg, "2 values left out"), "%s", svg);   /* what has no logarithm */
    tt_curve(tt_zeros(TT_F32, 2, 2));
    refused("curve: f32[2, 2]; expected a vector of numbers");
    tt_curve(tt_zeros(TT_F32, 2), .form = "pdf");
    refused("form \"pdf\"");
    CHECK(tt_curve(tt_zeros(TT_F32, 0)) != NULL && tt_ok(), "an empty row");
    tt_curve(tt_complex(tt_ones(TT_F32, 3), tt_ones(TT_F32, 3)));
    refused("curve: c64[3]; expected real numbers");
}

/* Several series: their legend, their places, smoothing as TensorBoard's, ticks. */
static void series(void)
{
    const float y[] = { 1, 2, NAN, 4 }, x[] = { 10, 1000 }, ends[] = { 3, 5 };
    const tt_val a = tt_array(TT_F32, y, 4), b = tt_tuple(tt_array(TT_F32, x, 2), tt_array(TT_F32, ends, 2));
    is(tt_curve(tt_dict("train", a, "test", b), .width = 12, .height = 3, .xlabel = "step", .ylabel = "loss"),
       "loss\n"
       "5 \u2524baaaaaaaaaaa\n"
       "  \u2502aa\u2800\u2800\u2800\u2800\u2800\u2800\u2800\u2800\u2800\u2800\n"
       "0 \u2524b\u2800\u2800\u2800\u2800\u2800\u2800\u2800\u2800\u2800\u2800\u2800\n"
       "  \u2514\u252c\u2500\u2500\u2500\u2500\u2500\u252c\u2500\u2500\u2500\u2500\u252c\n"
       "   0    500\n"
       "       step\n"
       "   a test\n"
       "   b train\n"
       "   1 value of train left out: not finite\n");
    const char *svg = tt_curve(tt_dict("train", a, "test", b), .form = "svg", .smooth = 0.5, .xlabel = "x & y");
    CHECK(count(svg, "opacity=\"0.3\"") == 2 && strstr(svg, ">train</text>") && strstr(svg, ">x &amp; y</text>"), "%s",
          svg);
    /* 1; (0.5 * 0.5 + 0.5 * 2) / 0.75; NaN; (0.5 * 1.25 + 0.5 * 4) / 0.875 = 3, where the axis ends */
    const char *text = tt_curve(a, .smooth = 0.5, .width = 8, .height = 4);
    CHECK(!strncmp(text, "3 \u2524", 5) && strstr(text, "1 value left out: not finite"), "%s", text);
    text = tt_curve(tt_tuple(b), .log_x = 1, .width = 20, .height = 3);
    CHECK(strstr(text, "\n  10        100   1e+03\n"), "%s", text);
    is(tt_curve(tt_ones(TT_F32, 1), .width = 5, .height = 3),
       "2 \u2524\u2800\u2800\u2800\u2800\u2800\n"
       "1 \u2524\u2800\u2800\u2836\u2800\u2800\n"
       "0 \u2524\u2800\u2800\u2800\u2800\u2800\n"
       "  \u2514\u2500\u2500\u252c\u2500\u2500\n"
       "     0\n");
    text = tt_curve(tt_const(TT_F64, { -1.7e308, 1.7e308 }), .height = 5);
    CHECK(strstr(text, "e+308 \u2524"), "the largest numbers: %s", text);
    tt_curve(a, .smooth = 1);
    refused("curve: .smooth = 1; expected 0 to below 1");
    tt_curve(tt_dict_n(NULL, 0, NULL, NULL));
    refused("curve: 0 series");
    tt_curve(tt_tuple(a, a, a, a, a, a, a, a, a));
    refused("curve: 9 series; expected 1 to 8");
    tt_curve(tt_tuple(tt_tuple(a, tt_ones(TT_F32, 3))));
    refused("curve: 4 xs and 3 ys; expected as many");
    tt_curve(tt_tuple(tt_tuple(a, a)));
    refused("curve: x 2 of 0 is nan; expected a finite number");
}

/* Sizes that no terminal and no picture has, and bounds that exclude each other. */
static void sizes(void)
{
    const tt_val y = tt_ones(TT_F32, 4);
    tt_curve(y, .width = 1000000000);
    refused("curve: .width = 1000000000; expected at most 1000 cells");
    tt_curve(y, .height = 1001);
    refused("curve: .height = 1001; expected at most 1000 cells");
    tt_curve(y, .form = "svg", .height = 100001);
    refused("curve: .height = 100001; expected at most 100000 pixels");
    CHECK(*tt_curve(y, .width = 1000, .height = 1) && tt_ok(), "the widest curve");
    tt_drawing_at(0, y, &(tt_draw_opts){ .size = sizeof(tt_draw_opts), .min_width = 50, .max_width = 3 });
    refused("draw: .min_width = 50; expected at most .max_width = 3");
    tt_drawing_at(0, y, &(tt_draw_opts){ .size = sizeof(tt_draw_opts), .min_width = 81 });
    refused("draw: .min_width = 81; expected at most .max_width = 80");
}

/* No block has the colour of one that it touches, at a side or at a corner; COLORTERM and TERM say which colours. */
static void neighbours(int rows, int cols)
{
    char mesh[40];
    int color[64] = { 0 }, n = 0;
    snprintf(mesh, sizeof mesh, "a:%d, b:%d", rows, cols);
    const tt_val v = tt_shard(tt_shape(TT_F32, rows, cols), tt_mesh(mesh), "a, b");
    const char *text = tt_drawing_at(0, v, &(tt_draw_opts){ .size = sizeof(tt_draw_opts), .form = "svg" });
    for (const char *p = text; n < 64 && (p = strstr(p, "<rect ")); p++)
        color[n++] = (int)strtol(strstr(p, "fill=\"#") + 7, NULL, 16);
    CHECK(n == rows * cols, "%d blocks", n);
    for (int k = 0; k < n; k++)
        for (int j = k + 1; j < n; j++) {
            const int down = j / cols - k / cols, right = abs(j % cols - k % cols);
            CHECK(down > 1 || right > 1 || color[j] != color[k], "%d x %d: %d and %d look the same", rows, cols,
                  k, j);
        }
}

static void palettes(void)
{
    const tt_val v = tt_shard(tt_shape(TT_F32, 8), tt_mesh("a:2"), "a");
    const tt_draw_opts o = { .size = sizeof o, .form = "blocks" };
    unsetenv("COLORTERM");
    setenv("TERM", "xterm", 1);
    const char *text = tt_drawing_at(0, v, &o);
    CHECK(strstr(text, "\033[97;44m") && strstr(text, "\033[30;43m"), "16 colours: %s", text);
    setenv("TERM", "xterm-256color", 1);
    CHECK(strstr(tt_drawing_at(0, v, &o), "\033[38;5;231;48;5;25m"), "256 colours");
    setenv("COLORTERM", "truecolor", 1);
    CHECK(strstr(tt_drawing_at(0, v, &o), "\033[38;2;255;255;255;48;2;0;114;178m"), "24 bits");
}

static void drawings(void)
{
    const tt_val v = tt_shard(tt_shape(TT_F32, 8, 16), tt_mesh("a:2, b:4"), "a, b");
    const tt_draw_opts o = { .size = sizeof o, .form = "svg" };
    const char *svg = tt_drawing_at(0, v, &o);
    CHECK(count(svg, "<rect ") == 8 && count(svg, "</text>") == 8, "%s", svg);
    CHECK(strstr(svg, ">CPU 7</text>") && strstr(svg, "fill=\"#0072b2\""), "%s", svg);
    CHECK(strstr(svg, "width=\"640\" height=\"320\""), "%s", svg);
    static const char *const fill[] = { "#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442" };
    for (int k = 0; k < 7; k++) CHECK(count(svg, fill[k]) == 1, "%s of eight blocks", fill[k]);
    neighbours(4, 8);
    neighbours(5, 9);
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
    CHECK_RUN(series());
    CHECK_RUN(drawings());
    CHECK_RUN(palettes());
    CHECK_RUN(narrow());
    CHECK_RUN(texts());
    CHECK(tt_ok(), "%s", tt_error());
    tt_done();
    return check_done();
}
