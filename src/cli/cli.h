/* cli/cli.h - the tool's commands. Includes public headers only. A command returns the exit status. */
#ifndef TUTTI_CLI_H
#define TUTTI_CLI_H

int cli_doctor(int argc, char **argv);

int cli_run(int argc, char **argv);

/* StableHLO programs; look: argv[0] is explain, plan or export. */
int cli_model_run(int argc, char **argv), cli_show(int argc, char **argv), cli_model_look(int argc, char **argv);
int cli_export(int argc, char **argv);
int cli_is_model(int argc, char **argv);                 /* true if argv[1] ends in .mlir */

int cli_explain(int argc, char **argv), cli_plan(int argc, char **argv);

/* Checkpoints. */
int cli_ckpt(int argc, char **argv);

/* Compiles argv[1] and runs it with the arguments after it. words NULL: unchanged; else with these words added to
 * TUTTI, its output discarded, and the library's reports (TUTTI=report:3) on this tool's stdout. */
int cli_program(const char *command, char **argv, const char *words);

#endif
