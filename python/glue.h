/* glue.h - the functions of glue.c. build_ffi.py reads the declarations between the two lines of dashes. */
#ifndef TUTTI_PYTHON_GLUE_H
#define TUTTI_PYTHON_GLUE_H

#include <tutti.h>

/* ---- */
typedef struct pt_tree { char *text; int64_t used, capacity; tt_val *leaf; int64_t n, most; } pt_tree;
/* From here on errors are not printed: Python raises them. */
void pt_begin(void);
/* Drops a value that a handle of Python kept; nothing after pt_end. */
void pt_drop(tt_val *v);
void pt_end(void);
/* Fails as a call of the library does. */
void pt_fail(const char *site, int code, const char *what);
/* The function of Python with this number (pt_python) as a function of values. */
tt_fn pt_bind(const char *site, const char *name, int64_t id);
/* The module that calls the one of Python which this thread gave last (pt_python_module). */
tt_val pt_module(tt_nn m, tt_val x);
/* Options that are functions, .act, .gate and .make: those that call the function of Python which this thread gave last
 * for the option (pt_python_activation, pt_python_initializer). */
tt_val pt_act(const char *site, tt_val x);
tt_val pt_gate(const char *site, tt_val x);
tt_val pt_make(tt_val key, tt_dtype dtype, const int64_t *dims);
/* The end of a call that returned v: -1, it failed; 1, v is an array, which is kept; the scope is closed. 0: v is a
 * tree, and the scope is still open. */
int pt_close(tt_scope s, const char *site, tt_val v);
/* A value as a text and its leaves, each of which is kept; NULL with the error set. */
pt_tree *pt_flatten(const char *site, tt_val v);
void pt_tree_free(pt_tree *t);
/* The value of such a text and leaves, in the current scope. */
tt_val pt_build(const char *site, const char *text, const tt_val *leaf);
/* Another handle of the same value, in the current scope. */
tt_val pt_again(const char *site, tt_val v);
/* Writes the dims of an array to `to`; returns its rank. */
int pt_dims(const char *site, tt_val v, int64_t *to, int most);
/* The destructor of a capsule of DLPack. */
void pt_capsule_drop(void *capsule);
/* ---- */

#endif
