/* cli/explain.c - tutti explain, tutti plan: reports on a program's functions before they run.
 *
 * The program is compiled and run dry: its C code runs, every array is a shape with a layout, loops run once. For each
 * compiled function the exchanges, or the memory per device, are reported; nothing is computed or allocated, so the
 * mesh need not exist: --mesh gives axes of the program's meshes other sizes. */
#include "cli.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Writes "data:4096, model:16" in the switch's form: data=4096+model=16. False: a syntax error. */
static int as_word(const char *text, char *to, size_t capacity)
{
    size_t n = 0;
    for (const char *p = text; *p;) {
        size_t name = 0, digits = 0;
        p += strspn(p, " \t");
        while (isalnum((unsigned char)p[name]) || p[name] == '_') name++;
        const char *size = p + name + (p[name] == ':');
        while (isdigit((unsigned char)size[digits])) digits++;
        const char *end = size + digits + strspn(size + digits, " \t");
        if (!name || p[name] != ':' || !digits || (*end && *end != ',') || n + name + digits + 3 > capacity) return 0;
        n += (size_t)snprintf(to + n, capacity - n, "%s%.*s=%.*s", n ? "+" : "", (int)name, p, (int)digits, size);
        p = end + (*end == ',');
    }
    return n > 0;
}

/* True, with a message, if the argument is an option of a StableHLO program, which a C program does not have. */
static int of_model(const char *command, const char *arg)
{
    static const char *const options[] = { "--spec", "--grad", "--in", "--out", "--jax" };
    const size_t n = strcspn(arg, "=");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (strlen(options[i]) != n || strncmp(arg, options[i], n)) continue;
        fprintf(stderr, "tutti %s: %s is for a MODEL.mlir; an argument of the program stands behind --: "
                "tutti %s PROGRAM.c -- %s\n", command, options[i], command, arg);
        return 1;
    }
    return 0;
}

/* Runs the program so that it reports by these words; removes --mesh, and the first --, from its arguments. */
static int looked(const char *command, const char *words, int argc, char **argv)
{
    char all[1024], sizes[512];
    int n = 0, given = 0, theirs = 0;                    /* theirs: behind -- */
    snprintf(all, sizeof all, "%s", words);
    for (int i = 0; i < argc; i++) {
        const char *value = theirs || strncmp(argv[i], "--mesh=", 7) ? NULL : argv[i] + 7;
        if (!theirs && i > 1 && !strcmp(argv[i], "--")) {
            theirs = 1;
            continue;
        }
        if (!theirs && i > 1 && of_model(command, argv[i])) return 2;
        if (!theirs && !strcmp(argv[i], "--mesh")) value = i + 1 < argc ? argv[++i] : "";
        if (value && given) {
            fprintf(stderr, "tutti %s: --mesh \"%s\" is the second one; write all axes into one\n", command, value);
            return 2;
        }
        given += value != NULL;
        if (!value) {
            argv[n++] = argv[i];                         /* an argument of the program */
            continue;
        }
        if (!as_word(value, sizes, sizeof sizes)) {
            fprintf(stderr, "tutti %s: --mesh \"%s\" is not of the form \"data:4096, model:16\"\n", command, value);
            return 2;
        }
        snprintf(all, sizeof all, "%s,mesh:%s", words, sizes);
    }
    argv[n] = NULL;
    if (n >= 2 && argv[1][0] != '-') return cli_program(command, argv, all);
    fprintf(stderr, "usage: tutti %s PROGRAM.c [--mesh \"data:4096, model:16\"] [--] [ARGUMENTS], or "
            "MODEL.mlir [--mesh \"data:4\"] [--spec \"data, _\"]\n", command);
    return 2;
}

int cli_explain(int argc, char **argv)
{
    if (cli_is_model(argc, argv)) return cli_model_look(argc, argv);
    return looked("explain", "dry,report:3,explain", argc, argv);
}

int cli_plan(int argc, char **argv)
{
    if (cli_is_model(argc, argv)) return cli_model_look(argc, argv);
    return looked("plan", "dry,report:3,memory", argc, argv);
}
