/* cli/commands.c - the table of the tool's commands and options. Help and completion are written from this table. */
#include "cli.h"

#include <stddef.h>

#define PROGRAMS "c cpp cc cxx C mlir"
#define PARAGRAPH(text) { NULL, NULL, text, NULL }
#define OF_MODEL                                                                                                       \
    { "--mesh", "\"data:4, model:2\"", "the devices' names and numbers", NULL },                                       \
    { "--spec", "\"data, _; _\"", "how each argument is on it; one spec: all of them", NULL },                         \
    { "--grad", "0,1", "the first result, and its gradient by these arguments", NULL }
#define OF_LOOK                                                                                                        \
    { "--mesh", "\"data:4096\"", "other sizes of the program's axes: such a machine need not exist", NULL },           \
    { "--hosts", "64", "the devices are on so many machines, in the order of their numbers", NULL },                   \
    { "--link", "\"10us, 5GB/s\"", "what is between machines: time and rate of a message", NULL },                     \
    { "--", NULL, "what follows are arguments of the program, whatever they are", NULL },                              \
    PARAGRAPH("\nOf a MODEL.mlir, which needs no arrays:"), OF_MODEL, END
#define END { NULL, NULL, NULL, NULL }

static const cli_option of_run[] = {
    PARAGRAPH("\nIn several processes, which a launcher of MPI starts; options stand before the program:"),
    { "-n", "R", "R processes, the ranks of a job, on this host", NULL },
    { "--devices", "D", "devices of each rank; without it, as in one process", NULL },
    { "--hosts", "FILE", "ranks on other hosts too: a hostfile of the launcher. The program's folder and\n"
                         "Tutti must be there at the same paths", "*" },
    { "--all", NULL, "stdout of all ranks, each line behind [rank]; without it that of rank 0 alone", NULL },
    PARAGRAPH("Ctrl-C ends the loops of all ranks, a second one the job. The first rank that fails ends the others, "
              "and its\nstatus is that of tutti run. tutti doctor says which launcher is taken, or why there is none."),
    PARAGRAPH("\nOf a MODEL.mlir:"),
    { "--in", "A.npz", "its arguments: the file's arg0, arg1 ..., or arr_0, arr_1 ...", "npz" },
    { "--out", "R.npz", "where results go: an NPZ file; without it they are printed", "npz" },
    PARAGRAPH(""), OF_MODEL, END
};
static const cli_option of_look[] = { PARAGRAPH(""), OF_LOOK };
static const cli_option of_export[] = {
    PARAGRAPH(""),
    { "--jax", "0.12", "as JAX of that version prints it: groups of devices by axes", NULL },
    { "--out", "F.mlir", "where the text goes; without it it is printed", "mlir" },
    PARAGRAPH(""), OF_MODEL, END
};
static const cli_option of_ckpt[] = {
    PARAGRAPH(""),
    { "ls", "PATH", "arrays, types, shapes; of a folder of steps: its steps", "*" },
    { "verify", "PATH", "reads every byte and compares every checksum", "*" },
    { "export", "PATH TO", "as TO: a folder, or a file that ends in .npz or .safetensors", "*" },
    { "--force", NULL, "replaces what is at TO, if it is a checkpoint of the same kind", NULL }, END
};
static const cli_option of_completion[] = {
    PARAGRAPH("\nPrints what a shell completes the words of this tool by; make install puts it in its place."),
    { "bash", NULL, "to try it: . <(tutti completion bash)", NULL },
    { "zsh", NULL, "a file _tutti in a folder of $fpath", NULL },
    { "fish", NULL, "to try it: tutti completion fish | source", NULL }, END
};
static const cli_option of_tokens[] = {
    PARAGRAPH("\nFILE is a tokenizer.json, a tokenizer.model, a vocab.json with its merges.txt, or a folder that has "
              "one."), END
};
static const cli_option none[] = { END };

const cli_command cli_commands[] = {
    { "run", cli_run, "run [-n R] PROGRAM.c [ARGUMENTS]",
      "compile a one-file program against Tutti and run it; or MODEL.mlir --in A.npz: a StableHLO text", of_run,
      PROGRAMS },
    { "show", cli_show, "show MODEL.mlir", "a StableHLO program's arguments, results and operations", none, "mlir" },
    { "explain", cli_explain, "explain PROGRAM.c [--mesh \"a:N\"]",
      "what would move between devices, why, and what would avoid it", of_look, PROGRAMS },
    { "plan", cli_plan, "plan PROGRAM.c [--mesh \"a:N\"]",
      "memory and communication of a device, on meshes of any size", of_look, PROGRAMS },
    { "export", cli_export, "export MODEL.mlir [--jax 0.12]",
      "a StableHLO program, its gradient or its layouts as such a text", of_export, "mlir" },
    { "ckpt", cli_ckpt, "ckpt ls|verify|export PATH",
      "what a checkpoint holds, whether every byte is right, and as another file", of_ckpt, "*" },
    { "tokens", cli_tokens, "tokens FILE [TEXT]", "the ids of a text, or of stdin, by a model's tokenizer", of_tokens,
      "json model" },
    { "doctor", cli_doctor, "doctor",
      "what was found here: processor, engines, threads, data; and why something was not", none, NULL },
    { "completion", cli_completion, "completion bash|zsh|fish", "what a shell completes commands and options by",
      of_completion, NULL },
    { NULL, NULL, NULL, NULL, NULL, NULL }
};
