/* In a program whose locale writes "2,5" and whose processor rounds upwards: files, options, formulas and texts read
 * and write "2.5", and sums are the same to the bit. */
#include <tutti.h>
#include <tutti/ckpt.h>
#include <tutti/data.h>
#include <tutti/form.h>
#include <tutti/metrics.h>
#include <tutti/numpy.h>
#include <tutti/optim.h>
#include <tutti/program.h>
#include <tutti/viz.h>

#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <unistd.h>

#include "check.h"

static char room[64] = "/tmp/tutti-locale-XXXXXX";

static bool comma(void)                                  /* sets a locale with a decimal comma; false: there is none */
{
    char text[32], command[300];
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        snprintf(command, sizeof command, "localedef -c -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", room);
        setenv("LOCPATH", room, 1);
        if (system(command) || !setlocale(LC_ALL, "de_DE.UTF-8")) return false;
    }
    snprintf(text, sizeof text, "%.1f", 2.5);
    return !strcmp(text, "2,5");
}

static tt_val loss(tt_val w, tt_val x) { return tt_mean(tt_square(TT_E("x*w - 0.25 + 1.5e-1", x, w))); }
static tt_val scaled(tt_val x) { return tt_mul(x, tt_f(0.3)); }

static const char *file(const char *name, const char *text)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", room, name);
    FILE *f = text ? fopen(path, "w") : NULL;
    if (f) fputs(text, f), fclose(f);
    return path;
}

#define PUT(...) (n += n < size ? (size_t)tt_snprintf(to + n, size - n, __VA_ARGS__) : 0)

/* Appends what a file of metrics has of thirds, without the time. */
static void put_scalars(char *to, size_t size, size_t n)
{
    char line[512];
    file("m.jsonl", "");
    const tt_scope scope = tt_scope_open();
    const tt_metric_writer w = tt_metric_writer_open(file("m.jsonl", NULL));
    for (int i = 1; i < 9; i++) tt_write_scalars(w, i, tt_dict("third", tt_div(tt_f(i), tt_f(3)), "tenth",
                                                       tt_div(tt_full(i, TT_F64), tt_full(10, TT_F64))));
    tt_scope_close(scope);
    FILE *f = fopen(file("m.jsonl", NULL), "r");
    while (f && fgets(line, sizeof line, f)) PUT("%s", strstr(line, "\"t") ? strstr(line, "\"t") : "none");
    if (f) fclose(f);
}

/* All that goes through texts, as one text: the same in every locale. */
static void texts(char *to, size_t size)
{
    const tt_val x = tt_add(tt_arange(TT_F32, 4), tt_f(0.1));
    size_t n = 0;
    *to = 0;
    PUT("%s\n%s\n", tt_value_text(x), tt_value_text(tt_complex(x, x)));
    PUT("%s\n", tt_ir_text(NULL, tt_grad(loss), (tt_val[]){ tt_f(0.5), x, tt_end }));
    const char *hlo = tt_export(scaled, x);
    PUT("%s\n", hlo);
    const tt_fn again = tt_import(hlo);
    PUT("%s\n", tt_value_text(tt_call(again, x)));
    const tt_val table = tt_read_csv(file("a.csv", "a,b\n1.5,2\n-0.25,1e-3\n"));
    PUT("%s %s\n", tt_value_text(tt_get(table, "a")), tt_value_text(tt_get(table, "b")));
    PUT("%s\n", tt_value_text(TT_E("2.5*x - 0.125", x)));
    tt_val p = tt_dict("w", x);
    tt_val o = tt_optimizer(p, "adamw(learning_rate=warmup_cosine_decay(0.001, 0.1, 2, 10), weight_decay=0.05)");
    for (int i = 0; i < 3; i++) tt_opt_step(&p, &o, tt_dict("w", x));
    PUT("%s\n", tt_value_text(tt_get(p, "w")));
    tt_val q = tt_dict("w", x), s = tt_sgd(q, .rate = 0.125, .momentum = 0.9);
    tt_opt_step(&q, &s, tt_dict("w", x));
    PUT("%s\n", tt_value_text(tt_get(q, "w")));
    tt_save(file("run", NULL), q, .force = 1);
    PUT("%s\n", tt_value_text(tt_get(tt_load(file("run", NULL)), "w")));
    PUT("%s\n", tt_curve(x, .form = "svg"));
    PUT("%s\n", tt_value_text(tt_normal(tt_key(1), TT_F32, 3)));
    PUT("%s\n", tt_curve(tt_div(x, tt_f(3))));
    PUT("%s\n", tt_value_text(tt_linspace(TT_F64, 0.1, 0.7, 7)));
    const double ends[] = { 0.7, 0.9, 1.1, 1.3 };
    for (int i = 0; i < 4; i++) PUT("%a ", tt_num(tt_sum(tt_linspace(TT_F64, 0.1, ends[i], 7))));
    put_scalars(to, size, n);
    CHECK(tt_ok(), "%s", tt_error());
    tt_clear();
}

static void same_texts(const char *usual, const char *where)
{
    enum { SIZE = 1 << 16 };
    char *now = malloc(SIZE);
    texts(now, SIZE);
    size_t at = 0;
    while (usual[at] && usual[at] == now[at]) at++;
    CHECK(usual[at] == now[at], "%s: \"%.40s\" instead of \"%.40s\"", where, now + at, usual + at);
    free(now);
}

static tt_val sums(tt_val x) { return tt_sum(tt_mul(tt_exp(x), tt_f(0.1)), .dims = "1"); }

static void rounding(const char *usual)
{
    enum { N = 301 };
    float before[N], after[N];
    const tt_val x = tt_normal(tt_key(3), TT_F32, N, 77), y = tt_matmul(x, tt_transpose(x, 1, 0));
    tt_read(tt_call(tt_jit(sums), x), before, sizeof before);
    double first = tt_num(tt_sum(y));
    const int modes[] = { FE_UPWARD, FE_TOWARDZERO };
    for (int i = 0; i < 2; i++) {
        fesetround(modes[i]);
        tt_read(tt_call(tt_jit(sums), x), after, sizeof after);
        CHECK(!memcmp(before, after, sizeof before), "a compiled sum in rounding mode %d", i);
        CHECK(tt_num(tt_sum(tt_matmul(x, tt_transpose(x, 1, 0)))) == first, "a product in rounding mode %d", i);
        CHECK(fegetround() == modes[i], "the program's mode is gone");
        same_texts(usual, "rounding");
        fesetround(FE_TONEAREST);
    }
#ifdef __x86_64__
    const unsigned mode = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(mode | 0x8040);               /* tiny numbers are zero */
    const double tiny = tt_num(tt_mul(tt_full(1e-30, TT_F32), tt_full(1e-10, TT_F32)));
    __builtin_ia32_ldmxcsr(mode);
    CHECK(tiny > 0.9e-40 && tiny < 1.1e-40, "%g: a tiny number was flushed", tiny);
#endif
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    enum { SIZE = 1 << 16 };
    char *usual = malloc(SIZE);
    check_folder(room);
    texts(usual, SIZE);
    CHECK(strstr(usual, "[ 1.5  -0.25]") && strstr(usual, "0.25"), "%s", usual);
    rounding(usual);
    if (comma()) {
        same_texts(usual, "de_DE");
        char text[32];
        snprintf(text, sizeof text, "%.1f", 2.5);
        CHECK(!strcmp(text, "2,5"), "the program's locale is gone");
    } else CHECK_SKIP("no locale with a decimal comma (localedef)");
    free(usual);
    tt_done();
    return check_done();
}
