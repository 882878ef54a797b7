/* cli/explain.c - tutti explain, tutti plan: reports on a program's functions before they run.
 *
 * The program is compiled and run dry: its C code runs, every array is a shape with a layout, loops run once. For each
 * compiled function the exchanges, or the memory per device, are reported; nothing is computed or allocated, so the
 * mesh need not exist: --mesh gives axes of the program's meshes other sizes, --hosts and --link say how many machines
 * there are, and what is between them. */
#include "cli.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <tutti.h>

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

/* Options of the tool, by the words of TUTTI that they become. */
enum { MESH, HOSTS, LINK, OPTIONS };
static const struct { const char *name, *word, *form; } options[OPTIONS] = {
    [MESH] = { "--mesh", "mesh", "\"data:4096, model:16\"" }, [HOSTS] = { "--hosts", "hosts", "64" },
    [LINK] = { "--link", "link", "\"10us, 5GB/s\"" },
};

/* True if one letter more, less or other, or two that changed places, make a of b. */
static int one_edit(const char *a, size_t n, const char *b)
{
    const size_t m = strlen(b);
    size_t head = 0, tail = 0;
    while (head < n && head < m && a[head] == b[head]) head++;
    while (tail < n - head && tail < m - head && a[n - 1 - tail] == b[m - 1 - tail]) tail++;
    const size_t i = n - head - tail, k = m - head - tail;
    return (i <= 1 && k <= 1) || (i == 2 && k == 2 && a[head] == b[head + 1] && a[head + 1] == b[head]);
}

/* True, with a message, if the argument is nearly an option of the tool, as --mehs is. */
static int misspelt(const char *command, const char *arg)
{
    const size_t n = strcspn(arg, "=");
    for (int k = 0; k < OPTIONS && !strncmp(arg, "--", 2); k++) {
        if (!one_edit(arg, n, options[k].name)) continue;
        fprintf(stderr, "tutti %s: unknown option %.*s\n", command, (int)n, arg);
        fprintf(stderr, "  hint: did you mean %s? An argument of the program stands behind --: "
                "tutti %s PROGRAM.c -- %s\n", options[k].name, command, arg);
        return 1;
    }
    return 0;
}

/* Writes the option's value in the switch's form. False: it is not of the form. */
static int option_word(int option, const char *value, char *to, size_t capacity)
{
    double time, rate;
    char unit[8], per[8];
    int end = 0;
    if (option == MESH) return as_word(value, to, capacity);
    if (option == HOSTS) {
        const size_t n = strspn(value, "0123456789");
        return n && n < 8 && !value[n] && *value != '0' && snprintf(to, capacity, "%s", value) > 0;
    }
    if (sscanf(value, " %lf %7[a-z] %*[,+] %lf %7[A-Z/a-z] %n", &time, unit, &rate, per, &end) < 4 || value[end])
        return 0;
    return snprintf(to, capacity, "%g%s+%g%s", time, unit, rate, per) > 0;
}

/* The option that an argument is, with its value: "--mesh=data:4", or the next argument; -1: none. */
static int option_of(int argc, char **argv, int *i, const char **value)
{
    for (int k = 0; k < OPTIONS; k++) {
        const size_t n = strlen(options[k].name);
        if (strncmp(argv[*i], options[k].name, n) || (argv[*i][n] && argv[*i][n] != '=')) continue;
        *value = argv[*i][n] ? argv[*i] + n + 1 : *i + 1 < argc ? argv[++*i] : "";
        return k;
    }
    return -1;
}

/* Adds an option's word. False, with a message: it is given twice, or its value has another form or range. */
static int option_added(const char *command, int option, const char *value, int *given, char *all, size_t capacity)
{
    char word[512];
    const size_t n = strlen(all);
    if ((*given >> option & 1)) {
        fprintf(stderr, "tutti %s: %s \"%s\" is the second one%s\n", command, options[option].name, value,
                option == MESH ? "; write all axes into one" : "");
        return 0;
    }
    if (!*value) {
        fprintf(stderr, "tutti %s: %s has no value; expected %s\n", command, options[option].name,
                options[option].form);
        return 0;
    }
    if (!option_word(option, value, word, sizeof word)) {
        fprintf(stderr, "tutti %s: %s \"%s\" is not of the form %s\n", command, options[option].name, value,
                options[option].form);
        return 0;
    }
    char site[600];
    snprintf(site, sizeof site, "tutti %s %s \"%s\"", command, options[option].name, value);
    *given |= 1 << option;
    snprintf(all + n, capacity - n, ",%s:%s", options[option].word, word);
    return tt_config_at(site, all + n + 1);              /* a value that the word does not take is an error here */
}

bool cli_machine(const char *command, const char *hosts, const char *link)
{
    char all[1024] = "";
    int given = 0;
    return (!hosts || option_added(command, HOSTS, hosts, &given, all, sizeof all)) &&
           (!link || option_added(command, LINK, link, &given, all, sizeof all));
}

/* Runs the program so that it reports by these words; removes options of the tool, and the first --, from its
 * arguments. */
static int looked(const char *command, const char *words, int argc, char **argv)
{
    char all[1024];
    int n = 0, given = 0, theirs = 0;                    /* theirs: behind -- */
    snprintf(all, sizeof all, "%s", words);
    for (int i = 0; i < argc; i++) {
        const char *value = NULL;
        if (!theirs && i > 1 && !strcmp(argv[i], "--")) {
            theirs = 1;
            continue;
        }
        if (!theirs && i > 1 && of_model(command, argv[i])) return 2;
        const int option = theirs ? -1 : option_of(argc, argv, &i, &value);
        if (option < 0 && !theirs && i > 1 && misspelt(command, argv[i])) return 2;
        if (option < 0) argv[n++] = argv[i];             /* an argument of the program */
        else if (!option_added(command, option, value, &given, all, sizeof all)) return 2;
    }
    argv[n] = NULL;
    if (n >= 2 && argv[1][0] != '-') return cli_program(command, argv, all);
    fprintf(stderr, "usage: tutti %s PROGRAM.c [--mesh \"data:4096, model:16\"] [--hosts N] [--link \"10us, 5GB/s\"] "
            "[--] [ARGUMENTS], or MODEL.mlir [--mesh \"data:4\"] [--spec \"data, _\"]\n", command);
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
