/* cli/cli.h - the tool's commands. Public headers only. A command gives the exit status. */
#ifndef TUTTI_CLI_H
#define TUTTI_CLI_H

int cli_doctor(int argc, char **argv);

int cli_run(int argc, char **argv);

#endif
