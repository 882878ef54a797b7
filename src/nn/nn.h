/* nn/nn.h - what the files of this room share: frames, parameters, keys. Public headers only. */
#ifndef TUTTI_NN_ROOM_H
#define TUTTI_NN_ROOM_H

#include <tutti.h>

enum { NN_PATH = 512, NN_NAMES = 32, NN_MODULES = 512 };
typedef enum { NN_INIT, NN_APPLY, NN_TRAIN } nn_mode;

/* Numbers that the modules of a scan's body took when it was run first: Linen runs it twice with one set of counters. */
typedef struct { int n; struct { uint32_t path; int taken; } module[NN_MODULES]; } nn_counts;

/* One module being run. The root holds the variables; frames of submodules live on the C stack of their layer's call. */
typedef struct tt_frame_s {
    struct tt_frame_s *root, *parent;
    const char *site;
    char path[NN_PATH];                                  /* "layer.up"; "" at the root */
    int params;                                          /* numbers taken from this module's "params" stream so far */
    struct { const char *cls; int n; } seen[NN_NAMES];   /* unnamed submodules per class, for names such as Dense_0 */
    int nseen;
    /* root only */
    nn_mode mode;
    bool nnx;                                            /* keys by one counter, not by path */
    int count;                                           /* nnx's counter */
    tt_val vars, fresh, key, rng;                        /* fresh: statistics of a training pass; rng: for dropout */
    bool has_rng;
    nn_counts *counts;                                   /* NULL: modules begin at 1 */
} nn_frame;

/* Begins a submodule; name NULL: class and number. False with the error set. */
bool   nn_enter(nn_frame *child, tt_nn parent, const char *site, const char *cls, const char *name);
void   nn_go_on(nn_frame *);                             /* a frame that begins goes on from its module's counts */
/* A parameter (or a statistic, frozen): created at init, read else. */
tt_val nn_param(nn_frame *, const char *name, const char *init, tt_dtype, const int64_t *dims, const char *axes);
tt_val nn_stat(nn_frame *, const char *name, double value, const int64_t *dims);
void   nn_update(nn_frame *, const char *name, tt_val v);        /* a statistic's new value */
tt_val nn_stream_key(nn_frame *, const char *stream);    /* Linen's key: fold_in(root, hash of path and number) */
uint32_t nn_hash(const char *path, int number); /* first four bytes of SHA-1 of the names on the path and the number */

#endif
