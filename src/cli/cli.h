/* cli/cli.h - the tool's commands. Includes public headers only. A command returns the exit status. */
#ifndef TUTTI_CLI_H
#define TUTTI_CLI_H

#include <stdbool.h>

enum { CLI_PATH = 4096 };

/* An option of a command, or a word that the command takes (ls); name NULL: a paragraph between options. */
typedef struct {
    const char *name, *value, *what;                     /* value NULL: it takes none */
    const char *files;                                   /* its value is a file: "npz", "*" any; NULL: none */
} cli_option;
typedef struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *usage, *what;
    const cli_option *options;                           /* up to one without `what` */
    const char *ends;                                    /* of files that it takes, "c cpp"; "*" any; NULL: none */
} cli_command;
extern const cli_command cli_commands[];                 /* up to one without a name */

int cli_doctor(int argc, char **argv);
int cli_completion(int argc, char **argv);

int cli_run(int argc, char **argv);

/* Several processes: `tutti run` with options before the program, argv[1] being the first; and what a launcher of MPI
 * starts for each rank, `tutti run --rank`. */
int cli_job(int argc, char **argv), cli_rank(void);
bool cli_job_doctor(void); /* prints which launchers and plug-ins are here; false: one could not be asked */

/* StableHLO programs; look: argv[0] is explain, plan or export. */
int cli_model_run(int argc, char **argv), cli_show(int argc, char **argv), cli_model_look(int argc, char **argv);
int cli_export(int argc, char **argv);
int cli_is_model(int argc, char **argv);                 /* True if argv[1] ends in .mlir */

int cli_explain(int argc, char **argv), cli_plan(int argc, char **argv);
/* Sets the machines that reports are for, each NULL or the value of its option. False, with a message: another form. */
bool cli_machine(const char *command, const char *hosts, const char *link);

/* Checkpoints. */
int cli_ckpt(int argc, char **argv);

/* Ids of a text. */
int cli_tokens(int argc, char **argv);

/* Where headers and library are. */
typedef struct { char include[CLI_PATH], library[CLI_PATH]; } cli_paths;
bool cli_find_paths(const char *command, cli_paths *);   /* false: it is said why */
/* True if the compiler can take the file for a C or C++ source; else prints what the file is. */
bool cli_is_program(const char *command, const char *source);
/* True if the file's name is that of a C or C++ source. */
bool cli_is_source(const char *path);
/* Compiles source into the file program; the exit status, 0 if it is there. */
int cli_compile(const char *command, const char *source, const char *program, const cli_paths *);
/* Runs a program to its end; report: its output is discarded, and file descriptor 3 is this tool's stdout. 0 with the
 * status that waitpid gives, or the number of an error. */
int cli_spawn(char *const *argv, char *const *env, bool report, int *status);

/* Compiles argv[1] and runs it with the arguments after it. words NULL: unchanged; else with these words added to
 * TUTTI, its output discarded, and the library's reports (TUTTI=report:3) on this tool's stdout. */
int cli_program(const char *command, char **argv, const char *words);

#endif
