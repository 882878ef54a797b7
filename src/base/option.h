/* base/option.h - what the value of an option spells, seen as text (base.h has the items). For api/options.c. */
#ifndef TUTTI_BASE_OPTION_H
#define TUTTI_BASE_OPTION_H

#include "base.h"

/* True if the value spells a null pointer: NULL and nullptr as the preprocessor leaves them, (char *)0, also as one of
 * the ways of x ? y : NULL. What stands within a call's brackets is the call's. */
bool base_option_null(const base_option *);
/* True if the value has a name in it, of a variable, a field or a function: it is no number such as 0, 0L, false. */
bool base_option_named(const base_option *);
/* True if the value spells an empty struct: (tt_val){ 0 }, tt_val{}, also as one of the ways of ?:. */
bool base_option_empty(const base_option *);
int  base_option_items(const base_option *);             /* how many values stand in its braces; 0: it has none */

#endif
