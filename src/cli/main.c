/* cli/main.c - the tool: tutti COMMAND [arguments]. Status 2: it was called wrongly. */
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <tutti.h>

static const struct { const char *name; int (*run)(int, char **); const char *usage, *what; } commands[] = {
    { "run", cli_run, "run PROGRAM.c [ARGUMENTS]",
      "compile a one-file program against Tutti and run it; or MODEL.mlir --in A.npz: a StableHLO text" },
    { "show", cli_show, "show MODEL.mlir", "a StableHLO program's arguments, results and operations" },
    { "explain", cli_explain, "explain PROGRAM.c|MODEL.mlir",
      "what would move between devices, why, and what would avoid it" },
    { "plan", cli_plan, "plan PROGRAM.c [--mesh \"a:N\"]",
      "memory and communication of a device, on meshes of any size" },
    { "ckpt", cli_ckpt, "ckpt ls|verify|export PATH",
      "what a checkpoint holds, whether every byte is right, and as another file" },
    { "doctor", cli_doctor, "doctor",
      "what was found here: processor, engines, threads, data; and why something was not" },
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void help(FILE *to)
{
    fprintf(to, "tutti %s - a multi-device array programming model for C\n\nusage: tutti COMMAND\n\n", TT_VERSION);
    for (int i = 0; i < COMMANDS; i++) fprintf(to, "  %-28s %s\n", commands[i].usage, commands[i].what);
    fprintf(to, "  %-28s %s\n  %-28s %s\n", "--help", "this text", "--version", "the version");
    fprintf(to, "\nThe variable TUTTI switches things on without recompiling: "
                "TUTTI=\"plan, ir:train, devices:4, reproducible\".\n");
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        help(stderr);
        return 2;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        help(stdout);
        return 0;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("tutti %s\n", TT_VERSION);
        return 0;
    }
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(argv[1], commands[i].name)) return commands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "tutti: no command \"%s\"; there are", argv[1]);
    for (int i = 0; i < COMMANDS; i++) fprintf(stderr, "%s %s", i ? "," : "", commands[i].name);
    fprintf(stderr, " (tutti --help)\n");
    return 2;
}
