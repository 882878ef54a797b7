/* cli/main.c - the tool: tutti COMMAND [arguments]. Status 2: wrong usage. */
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <tutti.h>

static void help(FILE *to)
{
    fprintf(to, "tutti %s - a multi-device array programming model for C\n\nusage: tutti COMMAND\n\n", TT_VERSION);
    for (const cli_command *c = cli_commands; c->name; c++) fprintf(to, "  %-33s %s\n", c->usage, c->what);
    fprintf(to, "  %-33s %s\n  %-33s %s\n", "--help", "this text", "--version", "the version");
    fprintf(to, "\ntutti COMMAND --help tells more of a command.\n\n"
                "The variable TUTTI switches things on without recompiling, as does tt_config: "
                "TUTTI=\"plan, ir:train, devices:4\".\n%s", tt_config_text());
}

static int is_help(int argc, char **argv)
{
    return argc == 3 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h"));
}

/* An option: its name and value, and what it does, whose later lines begin below the first. */
static void print_option(const cli_option *o)
{
    char left[64];
    snprintf(left, sizeof left, "%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
    printf("  %-26s ", left);
    for (const char *p = o->what; *p; p++) {
        putchar(*p);
        if (*p == '\n') printf("%29s", "");
    }
    printf("\n");
}

static int more(const cli_command *c)
{
    printf("usage: tutti %s\n\n%s\n", c->usage, c->what);
    for (const cli_option *o = c->options; o->what; o++) {
        if (o->name) print_option(o);
        else printf("%s\n", o->what);
    }
    return 0;
}

/* The command of this name; NULL, with a message: none. */
static const cli_command *command(const char *name)
{
    for (const cli_command *c = cli_commands; c->name; c++) if (!strcmp(name, c->name)) return c;
    fprintf(stderr, "tutti: no command \"%s\"; there are", name);
    for (const cli_command *c = cli_commands; c->name; c++)
        fprintf(stderr, "%s %s", c == cli_commands ? "" : ",", c->name);
    fprintf(stderr, " (tutti --help)\n");
    return NULL;
}

/* tutti help, or tutti help COMMAND. */
static int helped(int argc, char **argv)
{
    if (argc > 3) return fprintf(stderr, "tutti %s: unknown argument \"%s\"\n", argv[1], argv[3]), 2;
    const cli_command *c = argc > 2 ? command(argv[2]) : NULL;
    if (argc > 2) return c ? more(c) : 2;
    help(stdout);
    return 0;
}

static int called(int argc, char **argv)
{
    if (argc < 2) {
        help(stderr);
        return 2;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) return helped(argc, argv);
    if (!strcmp(argv[1], "--version") && argc > 2) {
        fprintf(stderr, "tutti --version: unknown argument \"%s\"\n", argv[2]);
        return 2;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("tutti %s\n", TT_VERSION);
        return 0;
    }
    const cli_command *c = command(argv[1]);
    if (!c) return 2;
    return is_help(argc, argv) ? more(c) : c->run(argc - 1, argv + 1);
}

/* Checks that the output was written, else sets the status: a full disk is detected when the last of it is flushed. */
int main(int argc, char **argv)
{
    signal(SIGCHLD, SIG_DFL);                            /* who starts the tool may ignore it: no status would come */
    const int status = called(argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    fprintf(stderr, "tutti: the output is not written: %s\n", strerror(errno));
    return status ? status : 1;
}
