/* cli/job.h - a job that `tutti run -n` starts: the tool, the launcher of MPI, and a watcher beside each rank.
 *
 * The launcher starts `tutti run --rank` once for each rank: the watcher. A watcher connects to the tool, which sends
 * the program's path, arguments and files; the watcher starts the program as its child, passes signals on, and reports
 * how the program ended. So the tool alone decides when a job ends and with which status, whichever launcher there is,
 * and the launcher's own output need not be shown. A watcher whose connection ends kills its program; a program whose
 * watcher ends is killed by the kernel.
 *
 * On one host the connection is a socket in the job's folder, and programs write to the tool's own stdout and stderr.
 * If ranks may be on other hosts, the connection is TCP, and the output of programs travels through the connection. */
#ifndef TUTTI_CLI_JOB_H
#define TUTTI_CLI_JOB_H

#include "cli.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { JOB_TOKEN = 32, JOB_DATA = 4096, JOB_FILES = 3 };
#define JOB_VARIABLE "TUTTI_JOB"                         /* TOKEN@ADDRESS, in the environment of the launcher */

/* ---- messages between the tool and a watcher ---- */

enum {
    JOB_HELLO = 'H',                                     /* to the tool: job_hello */
    JOB_OUTPUT = 'o', JOB_ERRORS = 'e',                  /* to the tool: bytes for stdout, for stderr */
    JOB_INPUT_READY = 'w',                               /* to the tool: rank 0 can take JOB_DATA bytes of stdin */
    JOB_ENDED = 'S',                                     /* to the tool: job_ended; the last */
    JOB_START = 'P',                                     /* to a watcher: texts that end in 0: how, TUTTI, argv */
    JOB_SIGNAL = 'G',                                    /* to a watcher: an int, for the program */
    JOB_INPUT = 'i',                                     /* to a watcher: bytes of stdin; none: its end */
    JOB_LEAVE = 'B'                                      /* to a watcher that has sent JOB_ENDED */
};
/* Letters of the first text of JOB_START. FILES: stdin, stdout and stderr come with the message. */
enum { JOB_HOW_FILES = 'f', JOB_HOW_INPUT = 'i', JOB_HOW_ALL = 'a' };

typedef struct { char token[JOB_TOKEN]; int32_t rank; } job_hello;
/* end_requested: the tool or the launcher requested that the watcher end the program. */
typedef struct { int32_t status, end_requested; } job_ended;
typedef struct { int kind; size_t bytes; char *data; } job_message;

/* Sends all of a message; file: NULL, or JOB_FILES descriptors that go with it. False: the other side is gone. */
bool job_send(int to, int kind, const void *data, size_t bytes, const int *file);
/* Waits for a message; its data ends in a 0 and is the caller's to free. file: NULL, or memory for the descriptors that
 * come with the message; -1: it has none. False: the other side is gone, or does not speak this protocol. */
bool job_receive(int from, job_message *, int *file);
bool job_write(int to, const void *data, size_t bytes);  /* writes all bytes; false if one cannot be written */

/* Opens a socket that watchers can reach, in the folder dir or, if far, from other hosts. address: what job_connect
 * takes. -1 with errno set. */
int job_listen(const char *dir, bool far, char *address, size_t capacity);
int job_connect(const char *address);                    /* -1 with errno set */
void job_watch_far(int socket);                          /* a TCP connection ends when the other host is cut off */

/* ---- the job's folder ---- */

typedef struct { char dir[CLI_PATH]; const char *token; int pipe; pid_t keeper; } job_folder;
/* Makes a folder under `under`, and the keeper: a process that, however this one ends, ends the launcher and removes
 * the folder. */
bool job_folder_open(job_folder *, const char *under, const char *token);
void job_folder_holds(const job_folder *, pid_t launcher);       /* 0: it has ended */
void job_folder_close(job_folder *);                     /* returns when it is gone */
/* Ends what a launcher has left: its ssh, when the connection to the other host is broken. */
void job_end_left(const char *token);

/* ---- launchers ---- */

typedef struct { char path[CLI_PATH], version[64], title[16], plugin[CLI_PATH]; bool openmpi; } job_launcher;
/* Finds the first launcher on PATH whose MPI library has a plug-in beside the library. False: why says why. */
bool job_find_launcher(const char *library, job_launcher *, char *why, size_t capacity);

/* ---- serving ---- */

/* status: as waitpid gives it; lost: the watcher was ended, and the program with it; silent: its host does not answer;
 * order: 1 for the first that ended. */
typedef struct { int socket; bool end_requested, ended, input_ready, lost, silent; int status, order; } job_peer;
typedef struct {
    int ranks, devices;
    bool all, far;
    const char *hosts;
    char **argv;                                         /* of the program */
    job_launcher launcher;
    job_folder folder;
    char token[JOB_TOKEN + 1], address[CLI_PATH];
    int listener, signals, output_from;
    pid_t pid;                                           /* of the launcher; 0: it has ended */
    int launcher_status;
    job_peer *peer;                                      /* [ranks] */
    int connected, gone;                                 /* how many ranks have connected, have ended */
    int stage, interrupts, ended_by;                     /* ended_by: the signal that ended the tool, or 0 */
    bool missed;                                         /* ranks have not connected within the patience */
    double due;                                          /* when the next stage of ending begins; 0: it is not known */
    char output[4096];                                   /* what the launcher has written */
    size_t noutput;
} job;
/* Serves the watchers until the launcher and all ranks have ended. */
void job_serve(job *);
#endif
