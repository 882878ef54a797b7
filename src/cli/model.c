/* cli/model.c - tutti run, show, explain, plan and export MODEL.mlir: StableHLO programs from the command line.
 *
 *     tutti run model.mlir --in a.npz --mesh "data:4, model:2" --spec "data, _; _" --grad 0 --out r.npz
 *     tutti plan model.mlir --mesh "data:4096, model:16" --spec "data, _; _" --grad 0
 *
 * Inputs are the arrays of the file by their names, arg0, arg1 ... or arr_0, arr_1 ... (numpy.savez(path, x, y)); a
 * single input may have any name. --spec: a spec per argument, or one for all. --grad: gradients of the first result
 * with respect to these arguments; the results come first. Without --out results are printed. Arguments that the text
 * marks as donated are donated. explain and plan need no arrays and no existing mesh, nor does export, which writes the
 * program as StableHLO text, with its gradient and layouts, in the syntax of a version of JAX. Errors name the option
 * that causes them. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tutti.h>
#include <unistd.h>

enum { MOST = 4096 };
typedef struct { const char *path, *in, *mesh, *spec, *grad, *out, *jax, *hosts, *link; } request;

static int model_wrong(const char *command, const char *what)
{
    const char *ends = !strcmp(command, "run")      ? " --in A.npz [--out R.npz]"
                       : !strcmp(command, "export") ? " [--jax 0.12] [--out F.mlir]"
                                                    : "";
    fprintf(stderr, "tutti %s: %s\n", command, what);
    fprintf(stderr, "usage: tutti %s MODEL.mlir%s [--mesh \"data:4\"] [--spec \"data, _; _\"] [--grad 0]\n",
            command, ends);
    return 2;
}

/* False: what was wrong is told in `why`. */
static bool parsed(request *q, int argc, char **argv, char *why, size_t size)
{
    const struct { const char *name; const char **to; } options[] = {
        { "--in", &q->in }, { "--mesh", &q->mesh }, { "--spec", &q->spec }, { "--grad", &q->grad },
            { "--out", &q->out }, { "--jax", &q->jax }, { "--hosts", &q->hosts }, { "--link", &q->link } };
    q->path = argv[1];
    for (int i = 2; i < argc; i += 2) {
        size_t k = 0;
        while (k < sizeof options / sizeof *options && strcmp(argv[i], options[k].name)) k++;
        const bool known = k < sizeof options / sizeof *options;
        if (known && i + 1 < argc && !*options[k].to) *options[k].to = argv[i + 1];
        else
            return snprintf(why, size, !known ? "unknown option %s" : i + 1 >= argc ? "%s has no value"
                            : "%s is given twice", argv[i]), false;
    }
    return true;
}

/* NumPy has no names for bfloat16 and narrower types: files contain their bits as unsigned integers. */
static tt_val from_bits(tt_val x, tt_dtype want)
{
    const tt_dtype have = tt_dtype_of(x);
    const bool two = want == TT_I2, four = want == TT_I4 || want == TT_F4E2M1FN;
    if (have == TT_U8 && (two || four)) return tt_bitcast(tt_cast(x, two ? TT_U2 : TT_U4), want);
    if (have == TT_U8 && (want == TT_U2 || want == TT_U4)) return tt_cast(x, want);
    return (have == TT_U16 && want == TT_BF16) || (have == TT_U8 && want >= TT_F8E3M4) ? tt_bitcast(x, want) : x;
}

/* True if the arrays are exactly arg0, arg1, ... (arr_0, arr_1, ...), which are stored in x. */
static bool numbered(tt_val all, const char *stem, int n, tt_val *x)
{
    char name[32];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s%d", stem, i);
        if (!tt_has(all, name)) return false;
        x[i] = tt_get(all, name);
    }
    return true;
}

static bool ends_in(const char *path, const char *end)
{
    const size_t n = strlen(path), k = strlen(end);
    return n > k && !strcmp(path + n - k, end);
}

/* True, with a message, if a result would overwrite one of its inputs. */
static bool same_file(const char *command, const char *from, const char *to)
{
    struct stat a, b;
    if (!from || !to || stat(from, &a) || stat(to, &b) || a.st_dev != b.st_dev || a.st_ino != b.st_ino) return false;
    fprintf(stderr, "tutti %s: --out %s is the file that is read\n", command, to);
    return true;
}

static bool inputs(const request *q, int n, tt_val args, tt_val *x)
{
    if (!n) return true;
    const tt_val all = tt_read_npz_at("--in", q->in);
    if (!tt_ok()) return false;
    if (tt_items(all) != n) {
        fprintf(stderr, "tutti run: %s has %d array%s, %s takes %d: arg0 to arg%d\n", q->in,
                tt_items(all), tt_items(all) == 1 ? "" : "s", q->path, n, n - 1);
        return false;
    }
    if (n == 1) x[0] = tt_item(all, 0);
    else if (!numbered(all, "arg", n, x) && !numbered(all, "arr_", n, x)) {
        fprintf(stderr, "tutti run: %s: which of its arrays is which argument? Their names are arg0 to arg%d, or arr_0 "
                "to arr_%d\n", q->in, n - 1, n - 1);
        return false;
    }
    for (int i = 0; i < n; i++) x[i] = from_bits(x[i], tt_dtype_of(tt_item(args, i)));
    return tt_ok();
}

static tt_fn function(const request *q, tt_fn f, int n, const tt_val *x)
{
    const char *const given = q->grad ? NULL : tt_import_donated(f);
    if (q->grad) {
        tt_val list[MOST + 1];
        for (int i = 0; i < n; i++) list[i] = x[i];
        list[n] = tt_end;
        const bool several = tt_items(tt_eval_shape_at(q->path, f, list)) > 0;
        f = tt_value_and_grad_at("--grad", f, &(tt_grad_opts){ .size = sizeof(tt_grad_opts), .wrt = q->grad,
            .aux = several });
    }
    tt_jit_opts o = { .size = sizeof o, .in = q->spec, .donate = given };
    if (q->mesh) o.mesh = tt_mesh_at("--mesh", q->mesh, &(tt_mesh_opts){ .size = sizeof(tt_mesh_opts) });
    return tt_jit_at(q->spec ? "--spec" : q->path, f, &o);
}

int cli_model_run(int argc, char **argv)
{
    request q = { 0 };
    static tt_val x[MOST];
    char why[200];
    if (!parsed(&q, argc, argv, why, sizeof why)) return model_wrong("run", why);
    const tt_fn f = tt_import_at(q.path, q.path);
    const tt_val args = tt_import_args_at(q.path, f);
    const int n = tt_ok() ? tt_items(args) : 0;
    if (!tt_ok()) return 1;
    if (n > MOST) return model_wrong("run", "the program takes more arguments than this command passes");
    if (n && !q.in) return model_wrong("run", "the program takes arrays: give --in");
    if (q.jax) return model_wrong("run", "--jax is for export");
    if (q.hosts || q.link) return model_wrong("run", "--hosts and --link are for explain and plan");
    if (q.spec && !q.mesh) return model_wrong("run", "--spec needs --mesh");
    if (q.out && !ends_in(q.out, ".npz")) return model_wrong("run", "results go to an NPZ file: --out R.npz");
    if (same_file("run", q.in, q.out) || same_file("run", q.path, q.out) || !inputs(&q, n, args, x)) return 1;
    const tt_val y = tt_call_n(q.path, function(&q, f, n, x), n, x);
    if (!tt_ok()) return 1;
    if (q.out) tt_write_npz_at("--out", q.out, tt_items(y) ? y : tt_tuple(y));
    if (q.out) return tt_done() ? 1 : 0;
    for (int i = 0; i < tt_items(y); i++) tt_show(tt_item(y, i));
    if (!tt_items(y)) tt_show(y);
    return tt_done();
}

/* ---- explain, plan, export ---- */

/* Writes the text to a file: what is there is replaced when the new one is whole. A device or a pipe is written as it
 * is. */
static bool written_beside(const char *file, const char *text)
{
    char part[CLI_PATH];
    struct stat s;
    const bool beside = stat(file, &s) || S_ISREG(s.st_mode);
    if (snprintf(part, sizeof part, beside ? "%s.part-%ld" : "%s", file, (long)getpid()) >= (int)sizeof part)
        return errno = ENAMETOOLONG, false;
    FILE *const to = fopen(part, "w");
    if (!to) return false;
    bool good = fputs(text, to) >= 0 && fflush(to) == 0 && (!beside || fsync(fileno(to)) == 0);
    const int why = errno;
    if (fclose(to)) good = false;
    else errno = why;
    if (good && beside) good = rename(part, file) == 0;
    if (good || !beside) return good;
    const int first = errno;
    unlink(part);
    return errno = first, false;
}

static int model_written(const request *q, const char *text)
{
    const bool good = q->out ? written_beside(q->out, text) : fputs(text, stdout) >= 0 && fflush(stdout) == 0;
    if (!good) perror(q->out ? q->out : "tutti export");
    return good ? tt_done() : 1;
}

int cli_model_look(int argc, char **argv)
{
    const bool plan = !strcmp(argv[0], "plan"), export = !strcmp(argv[0], "export");
    request q = { 0 };
    static tt_val x[MOST + 1];
    char why[200];
    if (!parsed(&q, argc, argv, why, sizeof why)) return model_wrong(argv[0], why);
    if (export && cli_is_source(q.path))
        return model_wrong("export", "a C or C++ source is no StableHLO program; in C: tt_export");
    if (q.in || (q.out && !export))
        return model_wrong(argv[0], "arrays (--in, --out) are for run: the program has the shapes");
    if (q.jax && !export) return model_wrong(argv[0], "--jax is for export");
    if (same_file(argv[0], q.path, q.out)) return 1;
    if (q.spec && !q.mesh) return model_wrong(argv[0], "--spec needs --mesh");
    if (!cli_machine(argv[0], q.hosts, q.link)) return 2;
    const tt_fn f = tt_import_at(q.path, q.path);
    const tt_val args = tt_import_args_at(q.path, f);
    const int n = tt_ok() ? tt_items(args) : 0;
    if (!tt_ok()) return 1;
    if (n > MOST) return model_wrong(argv[0], "the program takes more arguments than this command passes");
    for (int i = 0; i < n; i++) x[i] = tt_item(args, i);
    x[n] = tt_end;
    const tt_fn g = function(&q, f, n, x);
    const char *const text = export ? tt_export_for_at(q.jax ? "--jax" : q.path, q.jax, g, x) : NULL;
    if (export) return text && tt_ok() ? model_written(&q, text) : 1;
    const tt_report *r = plan ? NULL : tt_explain_at(0, g, x);
    const tt_budget *b = plan ? tt_plan_at(0, g, x) : NULL;
    if (!tt_ok()) return 1;
    fputs(plan ? b->text : r->text, stdout);
    return tt_done();
}

int cli_export(int argc, char **argv)
{
    return argc < 2 ? model_wrong("export", "a program is expected: tutti export MODEL.mlir")
        : cli_model_look(argc, argv);
}

/* ---- show ---- */

/* 1.23 GB, 512 B */
static const char *sized(double v, const char *unit)
{
    static const char *const by[] = { "", "k", "M", "G", "T", "P" };
    static char text[2][48], at;
    int k = 0;
    for (; v >= 1000 && k < 5; k++) v /= 1000;
    at = !at;
    snprintf(text[(int)at], sizeof *text, k ? "%.3g %s%s" : "%.0f %s%s", v, by[k], unit);
    return text[(int)at];
}

static void model_line_of(const char *what, int i, tt_val v)
{
    printf("  %s %-3d %-30s %10s\n", what, i, tt_type_text(v), sized((double)tt_bytes(v), "B"));
}

/* "0, 1, 2, 5" printed as "0-2, 5" */
static void ranges(const char *s)
{
    for (bool first = true; *s; first = false) {
        char *end;
        const long from = strtol(s, &end, 10);
        long to = from;
        for (s = end; *s == ',' && strtol(s + 1, &end, 10) == to + 1; s = end) to++;
        s += *s == ',';
        printf(to > from ? "%s%ld-%ld" : "%s%ld", first ? "" : ", ", from, to);
    }
}

int cli_show(int argc, char **argv)
{
    static tt_val list[MOST + 1];
    if (argc != 2) {
        fprintf(stderr, "usage: tutti show MODEL.mlir\n");
        return 2;
    }
    struct stat at;
    const bool folder = !stat(argv[1], &at) && S_ISDIR(at.st_mode), source = cli_is_source(argv[1]);
    if (folder || source) {
        fprintf(stderr, "tutti show: %s is a %s; show takes a StableHLO program, MODEL.mlir\n", argv[1],
                folder ? "directory" : "C or C++ source");
        fprintf(stderr, folder ? "  hint: tutti ckpt ls %s lists a checkpoint\n"
                               : "  hint: tutti run %s runs it; explain and plan show what it does\n", argv[1]);
        return 2;
    }
    if (!*argv[1]) {
        fprintf(stderr, "tutti show: the path is empty\n");
        return 2;
    }
    const tt_fn f = tt_import_at(argv[1], argv[1]);
    const tt_val args = tt_import_args_at(argv[1], f);
    const int n = tt_ok() ? tt_items(args) : 0;
    if (!tt_ok() || n > MOST) return 1;
    for (int i = 0; i < n; i++) list[i] = tt_item(args, i);
    list[n] = tt_end;
    const tt_val y = tt_eval_shape_at(0, f, list);
    const tt_program_work *const w = tt_import_work(f);
    if (!tt_ok()) return 1;
    printf("%s\n", argv[1]);
    for (int i = 0; i < n; i++) model_line_of("argument", i, list[i]);
    for (int i = 0; i < tt_items(y); i++) model_line_of("result  ", i, tt_item(y, i));
    if (!tt_items(y)) model_line_of("result  ", 0, y);
    double numbers = 0, bytes = 0;
    for (int i = 0; i < n; i++) numbers += (double)tt_count(list[i]), bytes += (double)tt_bytes(list[i]);
    printf("  arguments: %.0f numbers, %s\n", numbers, sized(bytes, "B"));
    if (*tt_import_donated(f)) printf("  may be given away: arguments "), ranges(tt_import_donated(f)), printf("\n");
    printf("  %.0f floating operations%s%s%s%s\n", w->flops, w->flops >= 1e6 ? " (" : "",
           w->flops >= 1e6 ? sized(w->flops, "flop") : "", w->flops >= 1e6 ? ")" : "",
           w->unknown ? ", with one iteration of each loop that is not counted" : "");
    for (int i = 0; i < w->loops; i++) {
        if (w->loop[i].iterations < 0) printf("  loop of unknown length at %s\n", w->loop[i].site);
        else printf("  loop of %lld iterations at %s\n", (long long)w->loop[i].iterations, w->loop[i].site);
    }
    printf("  %lld operations of %d kinds\n", (long long)w->operations, w->kinds);
    for (int k = 0; k < w->kinds; k++) printf("    %6lld  %s\n", (long long)w->kind[k].n, w->kind[k].name);
    return tt_done();
}
