/* cli/explain.c - tutti explain, tutti plan: a program's functions before they run.
 *
 * The program is compiled and run dry: C runs, every array is a shape with a layout, loops run once. What would move
 * and what memory a device would need is reported for each function that is compiled; nothing is computed or allocated,
 * so the mesh need not exist: --mesh gives axes of the program's meshes other sizes. */
#include "cli.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* "data:4096, model:16" as the switch has it: data=4096+model=16. False: it is not of that form. */
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

/* The program's run that reports by these words, --mesh taken out of its arguments. */
static int looked(const char *command, const char *words, int argc, char **argv)
{
    char all[1024], sizes[512];
    int n = 0;
    int given = 0;
    snprintf(all, sizeof all, "%s", words);
    for (int i = 0; i < argc; i++) {
        const char *value = strncmp(argv[i], "--mesh=", 7) ? NULL : argv[i] + 7;
        if (!strcmp(argv[i], "--mesh")) value = i + 1 < argc ? argv[++i] : "";
        if (value && given) {
            fprintf(stderr, "tutti %s: --mesh \"%s\" is the second one; write all axes into one\n", command, value);
            return 2;
        }
        given += value != NULL;
        if (!value) {
            argv[n++] = argv[i];                         /* what is the program's own */
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
    fprintf(stderr, "usage: tutti %s PROGRAM.c [--mesh \"data:4096, model:16\"] [ARGUMENTS], or "
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
