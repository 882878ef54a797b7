/* run/there.h - arrays and programs on an engine (engine.h), for the files of src/run. */
#ifndef TUTTI_RUN_THERE_H
#define TUTTI_RUN_THERE_H

#include "engine.h"
#include "inner.h"

/* The buffers of an array: one for each device of its mesh, replicas too, by the device's number. Shared by arrays that
 * differ in their layouts' names only. site: of the call that made it. */
struct run_there {
    _Atomic int64_t count;
    run_engine *engine; int n;
    base_site site; int64_t bytes;                       /* bytes: of all buffers */
    run_there *newer, *older;                            /* list of all, for messages about memory */
    void *buffer[];
};
run_there *run_there_new(run_engine *, int n, int64_t bytes);    /* NULL with the error set */
void run_there_drop(void *);
/* A header with these buffers, which it takes over; NULL with the error set: then they are dropped. */
run_array *run_there_array(const ir_type *, const run_storage *, run_there *);
/* The error of a call of an engine; always false. doing: "a launch". */
bool run_there_failed(run_engine *, const char *doing, const char *why);
/* Counts a transfer between the host and a device, or between devices. */
typedef enum { RUN_TO_DEVICE, RUN_TO_HOST, RUN_BETWEEN } run_way;
void run_transferred(run_way, int64_t bytes);

/* The array on the engine in force; takes the reference. The array itself if that is the embedded one. */
run_array *run_send(run_array *);
/* there_constants.c: the constant on the engine in force, where it is once for all programs; NULL with the error set.
 * data: interned elements. run_constant_gone: a program gives it back. */
run_array *run_constant_there(run_engine *, const ir_type *, const mesh_layout *, const void *data);
void       run_constant_gone(run_array *);
/* there_trace.c: begins the library's own trace, if the program is traced (TUTTI=time:FILE); ends it, into its file. */
void run_trace_there(run_engine *), run_traces_there_end(run_engine *);
void run_traces_end(void);                               /* of all engines (engine.c) */
/* there_needs.c: adds to an error about memory what the devices have, and the program needs (NULL: none). */
void run_cite_needs(run_engine *, void *program);
void *run_program_there(const run_program *);            /* the engine's program */
/* The program from the disk, or compiled and kept there (there_cache.c); NULL with *why set. */
void *run_there_program(run_engine *, const run_source *, const char **why);
bool       run_read_there(run_array *, const ir_box *);  /* box: of the global value, dense, in the host's memory */
run_array *run_move_there(run_array *, base_site, const mesh_layout *);

/* Holds the file's lock while the process is forked, so that the child has no half of a change; releases it. */
void run_there_hold(bool), run_there_constants_hold(bool), run_there_launch_hold(bool);

#endif
