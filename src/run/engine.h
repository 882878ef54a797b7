/* run/engine.h - what an engine outside this process's memory provides: devices, buffers on them, programs.
 *
 * The embedded engine (plan.h) is no such engine: its arrays are memory and its programs plans. An engine of this kind
 * is a client of a plug-in library, made by libtutti_pjrt.so (src/pjrt) and used by there.c. It takes programs as
 * StableHLO text for all devices of a mesh. Functions may be called by several threads; launches are made one at a
 * time, so that all devices get them in one order.
 *
 * A function that fails returns NULL, false or -1 and sets *why to a text that lives until the thread's next call. */
#ifndef TUTTI_RUN_ENGINE_H
#define TUTTI_RUN_ENGINE_H

#include <tutti/types.h>

enum { RUN_ENGINE_ABI = 3, RUN_ENGINE_RANK = 8 };

typedef struct run_engine run_engine;
/* What a program is compiled for: device order[i] of the engine, NULL: device i, computes partition i. */
typedef struct { const char *text; size_t bytes; int devices; const uint32_t *order; } run_source;
/* One launch. in: [devices][nin], out: [devices][nout], by partition. keep: arguments whose buffers stay. site: of
 * the launch. */
typedef struct {
    int devices, nin, nout, nkeep; void *const *const *in; void **const *out; const int64_t *keep; const char *site;
} run_call;
/* A transfer of dense row-major elements to a device. read NULL: the memory has been read when the call returns; else
 * read(env) is called once, by any thread, when it has been: the memory lives until then. */
typedef struct {
    int device; tt_dtype dtype; int rank; const int64_t *dim; const void *from; int64_t bytes;
    void (*read)(void *env); void *env;
} run_put;
/* Bytes of a device that are in use, were at most, and are there; -1: the library does not tell. */
typedef struct { int64_t used, peak, limit; } run_device_memory;
/* Bytes of a device that a program needs; reused: results in the place of arguments; peak: -1: not told. */
typedef struct { int64_t arguments, results, reused, temporary, code, peak; } run_needs;
/* kinds of failure; LOST: all later calls fail too; LOST_MEMORY: since a launch found no memory; FORKED: since this
 * process was forked from the one that opened the engine */
enum { RUN_FAILED, RUN_NO_MEMORY, RUN_LOST, RUN_LOST_MEMORY, RUN_FORKED };

struct run_engine {
    size_t size;                                         /* of this struct, to find another version */
    const char *path, *platform, *version;               /* "cpu"; the API's version and the library's own */
    int devices; const char *const *device;              /* [devices]: the kind of each: "NVIDIA H100" */
    void *self;
    void *(*compile)(run_engine *, const run_source *, const char **why);
    void (*forget)(run_engine *, void *program);
    int  (*results)(run_engine *, void *program, const char **why);
    bool (*launch)(run_engine *, void *program, const run_call *, const char **why);
    /* Elements to a device, and back. A put that fails does not call `read`. */
    void *(*put)(run_engine *, const run_put *, const char **why);
    void *(*copy)(run_engine *, void *buffer, int device, const char **why);
    bool (*get)(run_engine *, void *buffer, tt_dtype, int rank, const int64_t *dim, void *to, int64_t bytes,
                const char **why);
    void (*drop)(run_engine *, void *buffer);
    bool (*wait)(run_engine *, void *buffer, const char **why);  /* until the buffer has its elements */
    bool (*settle)(run_engine *, const char **why);      /* until all launches and puts have ended */
    run_device_memory (*memory)(run_engine *, int device);
    bool (*has)(run_engine *, tt_dtype);                 /* True if the library computes with such elements */
    bool (*needs)(run_engine *, void *program, run_needs *, const char **why);   /* False: the library does not tell */
    int  (*failure)(run_engine *);                       /* kind of this thread's last failure */
    /* The program as bytes for the disk, to be freed by `release`; NULL: the library cannot. And back. */
    void *(*save)(run_engine *, void *program, const char **bytes, size_t *n, const char **why);
    void (*release)(run_engine *, void *saved);
    void *(*load)(run_engine *, const char *bytes, size_t n, const run_source *, const char **why);
    /* The library's own profiler: begins; ends, and gives take(env) the trace, an XSpace. */
    bool (*trace)(run_engine *, const char **why);
    bool (*take_trace)(run_engine *, bool (*take)(void *env, const void *bytes, size_t n), void *env, const char **why);
    bool traced;                                         /* the host's: a trace has begun */
};

/* What the plug-in gets from its host. */
typedef struct { size_t size; double patience; } run_engine_host;
/* The entry point of libtutti_pjrt.so: opens the library at `path`. devices: the number of devices of a library that
 * creates virtual ones; 0: the library's own choice. NULL: *why says why. */
typedef run_engine *run_engine_opener(uint32_t abi, const run_engine_host *, const char *path, int devices,
                                      const char **why);

#endif
