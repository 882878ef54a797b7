/* cli/main.c - the tool: tutti COMMAND [arguments]. Status 2: wrong usage. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <tutti.h>

#define MODEL                                                                                                          \
    "\n  --mesh \"data:4, model:2\"   the devices' names and numbers\n"                                                \
    "  --spec \"data, _; _\"        how each argument is on it; one spec: all of them\n"                             \
    "  --grad 0,1                 the first result, and its gradient by these arguments\n"
#define LOOK                                                                                                           \
    "\n  --mesh \"data:4096\"         other sizes of the program's axes: such a machine need not exist\n"             \
    "  --hosts 64                 the devices are on so many machines, in the order of their numbers\n"           \
    "  --link \"10us, 5GB/s\"       what is between machines: time and rate of a message\n"
static const struct { const char *name; int (*run)(int, char **); const char *usage, *what, *more; } commands[] = {
    { "run", cli_run, "run [-n R] PROGRAM.c [ARGUMENTS]",
      "compile a one-file program against Tutti and run it; or MODEL.mlir --in A.npz: a StableHLO text",
      "\nIn several processes, which a launcher of MPI starts; options stand before the program:\n"
      "  -n R                       R processes, the ranks of a job, on this host\n"
      "  --devices D                devices of each rank; without it, as in one process\n"
      "  --hosts FILE               ranks on other hosts too: a hostfile of the launcher. The program's folder and\n"
      "                             Tutti must be there at the same paths\n"
      "  --all                      stdout of all ranks, each line behind [rank]; without it that of rank 0 alone\n"
      "Ctrl-C ends the loops of all ranks, a second one the job. The first rank that fails ends the others, and its\n"
      "status is that of tutti run. tutti doctor says which launcher is taken, or why there is none.\n"
      "\nOf a MODEL.mlir:\n  --in A.npz                 its arguments: the file's arg0, arg1 ..., or arr_0, arr_1 ...\n"
      "  --out R.npz                where results go: an NPZ file; without it they are printed" MODEL },
    { "show", cli_show, "show MODEL.mlir", "a StableHLO program's arguments, results and operations", "" },
    { "explain", cli_explain, "explain PROGRAM.c [--mesh \"a:N\"]",
      "what would move between devices, why, and what would avoid it",
      LOOK
      "  --                         what follows are arguments of the program, whatever they are\n"
      "\nOf a MODEL.mlir, which needs no arrays:" MODEL },
    { "plan", cli_plan, "plan PROGRAM.c [--mesh \"a:N\"]",
      "memory and communication of a device, on meshes of any size",
      LOOK
      "  --                         what follows are arguments of the program, whatever they are\n"
      "\nOf a MODEL.mlir, which needs no arrays:" MODEL },
    { "export", cli_export, "export MODEL.mlir [--jax 0.12]",
      "a StableHLO program, its gradient or its layouts as such a text",
      "\n  --jax 0.12                 as JAX of that version prints it: groups of devices by axes\n"
      "  --out F.mlir               where the text goes; without it it is printed" MODEL },
    { "ckpt", cli_ckpt, "ckpt ls|verify|export PATH",
      "what a checkpoint holds, whether every byte is right, and as another file",
      "\n  ls PATH                    arrays, types, shapes; of a folder of steps: its steps\n"
      "  verify PATH                reads every byte and compares every checksum\n"
      "  export PATH TO             as TO: a folder, or a file that ends in .npz or .safetensors\n"
      "  --force                    replaces what is at TO, if it is a checkpoint of the same kind\n" },
    { "doctor", cli_doctor, "doctor",
      "what was found here: processor, engines, threads, data; and why something was not", "" },
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void help(FILE *to)
{
    fprintf(to, "tutti %s - a multi-device array programming model for C\n\nusage: tutti COMMAND\n\n", TT_VERSION);
    for (int i = 0; i < COMMANDS; i++) fprintf(to, "  %-28s %s\n", commands[i].usage, commands[i].what);
    fprintf(to, "  %-28s %s\n  %-28s %s\n", "--help", "this text", "--version", "the version");
    fprintf(to, "\ntutti COMMAND --help tells more of a command. The variable TUTTI switches things on without "
                "recompiling: "
                "TUTTI=\"plan, ir:train, devices:4, reproducible\".\n");
}

static int is_help(int argc, char **argv)
{
    return argc == 3 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h"));
}

static int more(int i)
{
    printf("usage: tutti %s\n\n%s\n%s", commands[i].usage, commands[i].what, commands[i].more);
    return 0;
}

static int called(int argc, char **argv)
{
    if (argc < 2) {
        help(stderr);
        return 2;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        help(stdout);
        return 0;
    }
    if (!strcmp(argv[1], "--version") && argc > 2) {
        fprintf(stderr, "tutti --version: unknown argument \"%s\"\n", argv[2]);
        return 2;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("tutti %s\n", TT_VERSION);
        return 0;
    }
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(argv[1], commands[i].name)) return is_help(argc, argv) ? more(i)
            : commands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "tutti: no command \"%s\"; there are", argv[1]);
    for (int i = 0; i < COMMANDS; i++) fprintf(stderr, "%s %s", i ? "," : "", commands[i].name);
    fprintf(stderr, " (tutti --help)\n");
    return 2;
}

/* Checks that the output was written, else sets the status: a full disk is detected when the last of it is flushed. */
int main(int argc, char **argv)
{
    const int status = called(argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    fprintf(stderr, "tutti: the output is not written: %s\n", strerror(errno));
    return status ? status : 1;
}
