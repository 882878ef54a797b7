/* base/option.h - predicates on the text of an option's value (items: base.h). For api/options.c. */
#ifndef TUTTI_BASE_OPTION_H
#define TUTTI_BASE_OPTION_H

#include "base.h"

/* True if the value is a null pointer: NULL, nullptr, their macro expansions, (char *)0, also as a branch of
 * x ? y : NULL. Arguments of calls are ignored. */
bool base_option_null(const base_option *);
/* True if the value contains the name of a variable, field or function; false for constants such as 0, 0L, false. */
bool base_option_named(const base_option *);
/* True if the value is an empty struct: (tt_val){ 0 }, tt_val{}, also as a branch of ?:. */
bool base_option_empty(const base_option *);
int  base_option_items(const base_option *);             /* number of values in braces; 0: none, or designated */

#endif
