/* api/at.h - a slice as text, "_, 1:3, i": its items as they are read (at_text.c), for a value (at.c). */
#ifndef TUTTI_API_AT_H
#define TUTTI_API_AT_H

#include "api.h"

enum { AT_ITEMS = 2 * IR_RANK };
typedef enum { AT_RANGE, AT_ELEMENT, AT_VALUE, AT_NEW } at_kind;
/* RANGE: n elements of a dim, from `first` by `step`; ELEMENT: the one at `first`; VALUE: index number `value`. */
typedef struct {
    at_kind kind;
    int dim, value;
    int64_t first, n, step;
} at_item;
typedef struct {
    int n, nvalue;
    at_item item[AT_ITEMS]; /* every dim of the value has an item */
    const char *mode;       /* NULL: not given */
} at_slice;

/* Reads the text for a value of type x. names: the texts of the call's arguments, of which the first `skip` are no
 * indices. False with the error set. */
bool at_read(base_site, const char *what, const ir_type *x, const char *text, const char *names, int skip,
             const tt_val *index, at_slice *);

#endif
