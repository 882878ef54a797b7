/* guides.c - the twins of the five guides (examples/guides) print what the guides print.
 *
 * tests/guides/NAME.txt is what a twin prints: text is compared exactly, numbers as numbers within the run's
 * tolerance. In it {t} stands for a time as IPython says it, {n} for any number, {D} and {L} for sizes of the run.
 * With TUTTI_ORACLE, numbers are also compared with goldens of other seeds and sizes, so that nothing is printed by
 * heart. The places that docs/guides.md names are looked for in the twins.
 */
#include "check.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tutti.h>

static char build[1024], out[1 << 20];

/* Runs a twin; its standard output is in out. False: it failed. */
static bool run(const char *name, const char *args)
{
    char command[1400];
    snprintf(command, sizeof command, "%s/examples/guides/%s %s 2>/dev/null </dev/null", build, name, args);
    FILE *f = popen(command, "r");
    const size_t n = f ? fread(out, 1, sizeof out - 1, f) : 0;
    out[n] = 0;
    while (!strncmp(out, "tutti: ", 7) && strchr(out, '\n'))        /* where the digits come from */
        memmove(out, strchr(out, '\n') + 1, strlen(strchr(out, '\n')));
    const int status = f ? pclose(f) : -1;
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s %s: status %d", name, args, status);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- expected text ---- */

typedef struct { const char *depth, *layers; double rtol, atol; const double *value; } how;

/* "57.6 ms ± 569 μs per loop (mean ± std. dev. of 7 runs, 10 loops each)" */
static bool is_time(const char **g)
{
    double a, b;
    char u[16], v[16];
    long loops;
    int n = 0;
    const char *form = "%lf %15s \u00b1 %lf %15s per loop (mean \u00b1 std. dev. of 7 runs, %ld loop%n";
    const int got = sscanf(*g, form, &a, u, &b, v, &loops, &n);
    const char *end = got == 5 && n ? strstr(*g + n, " each)") : NULL;
    if (!end || a <= 0 || b < 0) return false;
    *g = end + 6;
    return true;
}

static bool number(const how *h, const char **g, const char **w)
{
    char *end[2];
    const double x = strtod(*g, &end[0]), y = strtod(*w, &end[1]);
    const bool whole = !memchr(*w, '.', (size_t)(end[1] - *w)) && !memchr(*w, 'e', (size_t)(end[1] - *w));
    const bool same = whole ? x == y : fabs(x - y) <= h->atol + h->rtol * fabs(y);
    *g = end[0];
    *w = end[1];
    return same;
}

static bool hole(how *h, const char **g, const char **w)         /* {t}, {n}, {v}, {D}, {L} */
{
    const char kind = (*w)[1];
    const char *size = kind == 'D' ? h->depth : kind == 'L' ? h->layers : NULL;
    char *end = NULL;
    bool ok = false;
    *w += 3;
    if (kind == 't') return is_time(g);
    if (kind == 'n') ok = isfinite(strtod(*g, &end)) && end > *g;
    if (kind == 'v') {
        const double want = *h->value++;
        ok = fabs(strtod(*g, &end) - want) <= h->atol + h->rtol * fabs(want) && end > *g;
    }
    if (size && !strncmp(*g, size, strlen(size))) ok = true, end = (char *)*g + strlen(size);
    if (end) *g = end;
    return ok;
}

static void compare(const char *name, const char *want, how *h)
{
    const char *g = out, *w = want;
    int line = 1;
    while (*g && *w) {
        line += *w == '\n';
        const char *at = g, *here = w;
        if (*w == '{' && w[1] && w[2] == '}') {
            if (hole(h, &g, &w)) continue;
        } else if (isdigit((unsigned char)*w) && isdigit((unsigned char)*g)) {
            if (number(h, &g, &w)) continue;
        } else if (*g++ == *w++) continue;
        CHECK(false, "%s, line %d: got \"%.60s\", expected \"%.60s\"", name, line, at, here);
        return;
    }
    CHECK(!*g && !*w, "%s: the output ends %s", name, *g ? "later" : "early");
}

static char *file_of(const char *name)
{
    char path[1400];
    static char text[1 << 20];
    snprintf(path, sizeof path, "tests/guides/%s.txt", name);
    FILE *f = fopen(path, "r");
    const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = 0;
    if (f) fclose(f);
    CHECK(n > 0, "%s: cannot be read", path);
    return text;
}

static void shows(const char *name, const char *args, how *h)
{
    if (run(name, args)) compare(name, file_of(name), h);
}

/* Of the guides' own seeds and sizes and of others; what JAX computes (tests/guides/reference.py). */
static const double nnx_losses[2][10] = {
    { 1.4580092, 0.775386, 0.5240316, 0.3888292, 0.284555, 1.4929407, 0.820176, 0.5583742, 0.4107854, 0.2984159 },
    { 1.5536935, 1.4565592, 1.3677033, 1.2865539, 1.2127153, 1.6834736, 1.5746491, 1.4746847, 1.3829858, 1.2989256 },
};
static const double linen_means[2][2] = { { -0.00507256, -1.8130732 }, { -0.03369556, -0.079305366 } };

static char folder[64] = "/tmp/tutti-guides-XXXXXX";

static void nnx(const char *seed, const char *depth, how *h)      /* with a folder of its own to save into */
{
    char args[160];
    snprintf(args, sizeof args, "%s %s %s/nnx", seed, depth, folder);
    shows("nnx_spmd", args, h);
}

/* ---- goldens of other seeds and sizes ---- */

static tt_val goldens(const char *suite)
{
    char path[1400];
    const char *dir = getenv("TUTTI_ORACLE");
    if (!dir || !*dir) return tt_none();
    snprintf(path, sizeof path, "%s/%s/arrays.npz", dir, suite);
    return tt_read_npz(path);
}

/* Lines that are one number and nothing else: how many, at most n of them in to. */
static int bare(double *to, int n)
{
    int k = 0;
    for (const char *p = out; *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : p + strlen(p)) {
        char *end;
        const double x = strtod(p, &end);
        if (end > p && *end == '\n' && k < n) to[k++] = x;
    }
    return k;
}

static void nnx_golden(void)
{
    static const char *const layout[] = { "original", "partitionable" };
    const tt_val file = goldens("seeds_nnx");
    double loss[16];
    char args[160];
    snprintf(args, sizeof args, "0 64 %s/nnx", folder);
    if (!tt_items(file) || !run("nnx_spmd", args)) return;
    const int n = bare(loss, 16);
    CHECK(n == 10, "nnx_spmd: %d losses", n);
    for (int l = 0; l < 2 && n == 10; l++) {
        char name[80];
        float want[64];
        snprintf(name, sizeof name, "train/small/%s/plain/one.o0", layout[l]);
        const tt_val v = tt_get_at(0, file, name);
        CHECK(tt_ok() && tt_count(v) <= 64 && tt_read(v, want, tt_bytes(v)), "%s", tt_ok() ? name : tt_error());
        for (int i = 0; i < 5 && tt_ok(); i++)
            CHECK(fabs(loss[5 * l + i] - (double)want[i]) <= 1e-4 * (double)want[i],
                  "nnx_spmd 0 64, %s, step %d: %.8g, not %.8g", layout[l], i, loss[5 * l + i], (double)want[i]);
    }
}

static double mean_of(tt_val v) { return tt_num(tt_mean(tt_cast(v, TT_F64))); }

static void linen_golden(void)                           /* the mean of the output before a step and after it */
{
    double before = 0, after = 0;
    const tt_val file = goldens("seeds_linen");
    const char *line = strstr(out, "before and after: ");
    if (!tt_items(file)) return;
    CHECK(line && sscanf(line, "before and after: %lf %lf", &before, &after) == 2, "linen_spmd: no means");
    const double want[] = { mean_of(tt_get_at(0, file, "forward/guide/scan/original/one.o0")),
                            mean_of(tt_get_at(0, file, "train/guide/scan/original/one.o0")) };
    CHECK(fabs(before - want[0]) <= 1e-4 * fabs(want[0]) + 1e-6, "linen_spmd: %.8g before, not %.8g", before, want[0]);
    CHECK(fabs(after - want[1]) <= 1e-3 * fabs(want[1]) + 1e-5, "linen_spmd: %.8g after, not %.8g", after, want[1]);
}

static bool has_data(void) { return getenv("TUTTI_DATA") && *getenv("TUTTI_DATA"); }

/* The guide's ensemble on a part of the digits, as Flax logs it. */
static void ensemble_golden(void)
{
    if (run("ensemble", "0 1664 2 512"))
        compare("ensemble 0 1664 2 512", file_of("ensemble_golden"), &(how){ .rtol = 0.02, .atol = 0.02 });
}

/* ---- the table of features ---- */

/* "| S0-24 out | feature | linen_spmd: `code` | test |": no cell is empty, and the code is in that twin. */
static bool row(char *line, char id[8])
{
    char *cell[6];
    int n = 0;
    for (char *p = line; *p == '|' && n < 6;) {          /* a bar within `...` is none */
        bool code = false;
        *p++ = 0;
        cell[n++] = p;
        for (; *p && (*p != '|' || code); p++) code ^= *p == '`';
    }
    if (n < 4 || sscanf(cell[0], " %7[S0-9-]", id) != 1) return false;
    for (int i = 0; i < 4; i++) CHECK(strspn(cell[i], " ") < strlen(cell[i]), "%s: an empty cell", id);
    char name[40], path[80];
    char *code = strchr(cell[2], '`'), *end = strrchr(cell[2], '`');
    if (!strncmp(cell[2], " none", 5)) return true;      /* and why */
    CHECK(code && end > code && sscanf(cell[2], " %39[a-z_]:", name) == 1, "%s: no place in a twin", id);
    if (!code || end == code) return true;
    *end = 0;
    snprintf(path, sizeof path, "examples/guides/%s.c", name);
    FILE *f = fopen(path, "r");
    const size_t size = f ? fread(out, 1, sizeof out - 1, f) : 0;
    if (f) fclose(f);
    out[size] = 0;
    CHECK(strstr(out, code + 1), "%s: %s has no %s", id, path, code + 1);
    return true;
}

/* "| C16, C20-C22 | what | test |": marks these checks. */
static void checks(const char *line, bool *seen)
{
    int from, to, n;
    for (const char *p = line + 2; sscanf(p, "C%d%n", &from, &n) == 1; p += strspn(p, ", ")) {
        p += n;
        to = from;
        if (sscanf(p, "-C%d%n", &to, &n) == 1) p += n;
        for (; from <= to && from >= 1 && to < 100; from++) seen[from] = true;
    }
}

static void table(void)
{
    static const int features[] = { 57, 36, 14, 27, 55 };
    static bool seen[5][100];
    bool any[5] = { true, true, true, true, true }, checked[100] = { false };
    char line[2048], id[8];
    FILE *f = fopen("docs/guides.md", "r");
    CHECK(f, "docs/guides.md cannot be read");
    while (f && fgets(line, sizeof line, f)) {
        int guide, number;
        if (!strncmp(line, "| C", 3)) checks(line, checked);
        if (strncmp(line, "| S", 3) || !row(line, id)) continue;
        if (sscanf(id, "S%d-%d", &guide, &number) != 2 || guide < 0 || guide > 4 || number < 1 || number > 99) continue;
        any[guide] = seen[guide][number] = true;
    }
    if (f) fclose(f);
    for (int i = 1; i <= 70; i++) CHECK(checked[i], "docs/guides.md has no C%02d", i);
    for (int g = 0; g < 5; g++)
        for (int i = 1; any[g] && i <= features[g]; i++) CHECK(seen[g][i], "docs/guides.md has no S%d-%02d", g, i);
}

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "")) return check_done();
    const char *slash = strrchr(argv[0], '/'), *up = slash;
    (void)argc;
    while (up && up > argv[0] && up[-1] != '/') up--;
    snprintf(build, sizeof build, "%.*s.", up ? (int)(up - argv[0]) : 0, argv[0]);
    tt_on_error(silent, NULL);
    setenv("TUTTI", "timeit:5", 1);                      /* milliseconds: only the line's form is looked at */
    if (!has_data()) setenv("TUTTI_DATA_URL", "http://127.0.0.1:9", 1);      /* no download: what is shipped will do */
    CHECK(check_folder(folder), "no folder in /tmp");
    table();
    nnx("0", "1024", &(how){ .depth = "1024", .rtol = 2e-6, .atol = 3e-7, .value = nnx_losses[0] });
    nnx_golden();
    nnx("3", "96", &(how){ .depth = "96", .rtol = 5e-6, .value = nnx_losses[1] });
    shows("linen_spmd", "",
          &(how){ .depth = "1024", .layers = "4", .rtol = 2e-5, .atol = 1e-6, .value = linen_means[0] });
    linen_golden();
    shows("linen_spmd", "5 48 3",
          &(how){ .depth = "48", .layers = "3", .rtol = 1e-5, .atol = 1e-6, .value = linen_means[1] });
    if (has_data()) ensemble_golden();
    else shows("ensemble", "0 256 1 256", &(how){ .rtol = 0 });
    shows("keras_dp", "0 1280 2", &(how){ .rtol = 0 });
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(system(command) == 0, "%s stays", folder);
    CHECK(tt_ok(), "%s", tt_error());
    tt_done();
    return check_done();
}
