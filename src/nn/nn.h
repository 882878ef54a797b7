/* nn/nn.h - declarations shared by the files of this room: frames, parameters, keys. Includes public headers only. */
#ifndef TUTTI_NN_ROOM_H
#define TUTTI_NN_ROOM_H

#include <tutti.h>

enum { NN_PATH = 512, NN_NAMES = 32, NN_COUNTS = 1024, NN_RANK = 12, NN_ALIASES = 8, NN_NAME = 64, NN_LIST = 256 };
typedef enum { NN_INIT, NN_APPLY, NN_TRAIN } nn_mode;
typedef enum { NN_LINEN, NN_NNX, NN_KERAS } nn_keys;     /* the rules for keys, names and defaults */

/* Number of keys taken from each stream of each module, by the hash of both names. */
typedef struct { int n; struct { uint32_t name; int taken; } of[NN_COUNTS]; } nn_counts;

/* Functions through which parameters pass: `in` when they are read, `out` when they are created; then those of `up`. Or
 * one function of a layer around them, with the parameter's path below that layer's module. */
struct tt_frame_s;
typedef tt_val nn_around(struct tt_frame_s *own, const char *path, tt_val v, const void *options);
typedef struct nn_through {
    const struct nn_through *up; tt_fn in, out;
    nn_around *around; struct tt_frame_s *own; const void *options;
} nn_through;

/* Variables of collections, a dict by collection of trees by path: as given, and with the new values of this pass.
 * making: those that are not there are created, and keep the value that they begin with. */
typedef struct { bool is, making; tt_val fresh; char updates[NN_LIST]; } nn_collections;

/* The content of a summary: layers in the order in which they run, variables in the order of creation. */
typedef struct { char path[NN_PATH], cls[NN_NAME]; int rank; int64_t dim[NN_RANK]; tt_dtype dtype; } nn_layer;
typedef struct { char path[NN_PATH]; int rank; int64_t dim[NN_RANK]; tt_dtype dtype; bool frozen; } nn_variable;
typedef struct { int nlayer, nvar; nn_layer *layer; nn_variable *var; } nn_record;

/* Options of a recurrent layer for its cells; zeros: tanh, logistic, biases, default initializers, float32. */
typedef struct {
    tt_activation *act, *gate; bool no_bias; const char *kernel, *recurrent, *bias; tt_dtype dtype, kept;
} nn_cell;

/* Kernels that may be packed, as layers note them: the dims, of which the first `inputs` are inputs; 0: a table. turn:
 * another one for each run, so that no function of an earlier one is taken. */
typedef struct { char path[NN_PATH + NN_NAME]; int rank, inputs; int64_t dim[2 * NN_RANK]; } nn_pack;
typedef struct { int n; unsigned long long turn; nn_pack *of; } nn_packs;

/* One running module. The root holds the variables; frames of submodules are on the C stack of their layer's call. */
typedef struct tt_frame_s {
    struct tt_frame_s *root;
    const char *site;
    tt_val alive;                                        /* while the module runs: tt_nn.alive */
    tt_entry entry;                                      /* likewise: what tt_entry_pause gave */
    char path[NN_PATH];                                  /* "layer.up"; "" at the root */
    struct { const char *cls; int n; } seen[NN_NAMES];   /* unnamed submodules per class, for names such as Dense_0 */
    int nseen, row;                                      /* row: of its layer in the record, + 1; 0: none */
    struct { char name[NN_NAME], of[NN_NAME]; } alias[NN_ALIASES];
    int naliases;
    bool shared;                                         /* an alias: the variables are another layer's */
    const nn_through *through;                           /* tt_with_params; NULL: none */
    /* root only */
    nn_mode mode;
    nn_keys keys;
    nn_record *record;                                   /* NULL: no summary is requested */
    nn_packs *packs;                                     /* NULL: nobody asks */
    tt_val vars, fresh;  /* fresh: the variables with the statistics of a training pass */
    tt_val key;                                          /* for all streams, or a dict of streams; TT_VAL 0: none */
    nn_counts *counts;
    nn_collections collections;
    nn_cell cell;
} nn_frame;

bool   nn_there(const char *site, tt_nn);                /* True if its module runs; else sets the error */
/* Begins a submodule; name NULL: class and number; ".": m itself under the layer's rules. False with the error set. */
bool   nn_enter(nn_frame *child, tt_nn m, const char *site, const char *cls, const char *name);
tt_nn  nn_open(nn_frame *);                              /* the frame for a module, until nn_close, which returns y */
tt_val nn_close(nn_frame *, tt_val y);
void nn_own_name(nn_keys, const char *cls, int n, char to[NN_NAME]);    /* of an unnamed layer: "Dense_0", "dense" */
int  nn_record_layer(nn_record *, const char *path, const char *cls);  /* index of the row + 1; 0: the record is full */
void nn_record_variable(nn_record *, const char *path, tt_val v, bool frozen);
/* Ends a layer whose result is y, and returns y: every layer's last call. */
tt_val nn_leave(nn_frame *, tt_val y);
/* By the root's convention: the class name ("Conv2D" for "Conv" of 2 dims in Keras); a kernel's initializer. */
const char *nn_class(const char *site, tt_nn m, const char *cls, int dims);
const char *nn_kernel_init(const nn_frame *, const char *given);
/* A parameter (or a statistic, frozen): created by tt_init, otherwise read. init NULL: zeros. */
tt_val nn_param(nn_frame *, const char *name, const int64_t *dims, const tt_param_opts *);
tt_val nn_read(nn_frame *, const char *path, tt_val param);     /* the stored parameter, through tt_with_params' `in` */
/* A layer's own parameter, of the layer's .param_dtype; 0: f32. */
tt_val nn_weight(nn_frame *, const char *name, const int64_t *dims, const tt_param_opts *);
tt_val nn_state(nn_frame *, const char *name, tt_val start);     /* an untrained variable */
tt_val nn_now(const nn_frame *);         /* the variables, with the statistics that this pass has changed so far */
tt_val nn_stat(nn_frame *, const char *name, double value, const int64_t *dims);
tt_val nn_seed_after(const char *site, tt_val seed, int draws);  /* advances a Keras seed: plus (0, draws) */
tt_val nn_init(const char *site, tt_module *, tt_val key, tt_val x, const char *keys, nn_record *);
nn_keys nn_keys_of_vars(const char *site, tt_val vars);  /* the convention, by the variables' tag */
void   nn_update(nn_frame *, const char *name, tt_val v);        /* a statistic's new value */
tt_val nn_key(nn_frame *, const char *stream);           /* the stream's next key, by the convention of the root */
uint32_t nn_hash(const char *path, int number);  /* first four bytes of SHA-1 of the names on the path and the number */

/* ---- modules inside transforms (lift.c) ---- */

/* A module as a function of (x, (variables, collections, key)), those below the path, that returns (y, (statistics,
 * collections)). Its bytes are its identity. */
typedef struct {
    tt_module *module; const char *site; char path[NN_PATH];
    nn_mode mode; nn_keys keys; bool has_key; nn_collections collections;
    const nn_through *through;
    nn_packs *packs; unsigned long long turn;
} nn_lifted;
bool   nn_may_lift(const nn_frame *);    /* True if no layer around the frame changes its parameters; else an error */
void   nn_lift(nn_lifted *, const nn_frame *, tt_module *);      /* the module in this frame */
tt_val nn_lifted_run(void *lifted, int n, const tt_val *arg);
/* Initialises a root for one run, and the frame in which the module runs. */
void   nn_lifted_open(const nn_lifted *, nn_frame *root, nn_frame *f, nn_counts *);
tt_val nn_below(const char *site, tt_val tree, const char *path);       /* "": all of it; nothing there: {} */
tt_val nn_with(const char *site, tt_val tree, const char *path, tt_val v);
tt_val nn_collections_below(const nn_frame *);
void   nn_collections_set(nn_frame *, tt_val below);     /* the new values of those below the frame's path */
/* n keys of every stream: split, or n times the same key. what: the call, for its error. */
tt_val nn_keys_of(const char *site, const char *what, tt_val key, int64_t n, bool same);

/* ---- packed weights (packed.c) ---- */

void nn_packable(nn_frame *, const char *name, const int64_t *dims, int inputs);
/* True if the variable is packed: its codes and scales, of [rows, columns]; or with the error set. */
bool nn_packed(nn_frame *, const char *name, int64_t rows, int64_t columns, tt_val part[2]);

/* ---- collections (collection.c) ---- */

bool   nn_is_collected(const nn_frame *, const char *collection, const char *name);
tt_val nn_collected(nn_frame *, const char *collection, const char *name, tt_val start);
void   nn_collect(nn_frame *, const char *collection, const char *name, tt_val v);

/* The error of an initializer for an absent parameter: .bias_init together with .no_bias. */
tt_val nn_nothing(const char *site, const char *layer, const char *init, const char *other);
/* The activation of x; an error, which `what` begins, if it is no array of x's dims. */
tt_val nn_activated(const char *site, const char *what, tt_activation *, tt_val x);
bool   nn_is(tt_val v);                                  /* True if v is given: options leave it zero */
/* An option's number, or if it is not given, the default. */
double nn_number(const void *options, const char *name, double x, double usual);
tt_val nn_in(const char *site, tt_val v, tt_dtype);      /* cast if a dtype is given */
char *nn_thousands(int64_t n, char to[32]);              /* 824458 -> "824,458" */
const char *nn_dims_text(int from, int to, char text[64]);       /* "1, 2" of [1, 3) */

#endif
