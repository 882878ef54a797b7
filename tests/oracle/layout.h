/* oracle/layout.h - what the suites on layouts share: meshes and specs of a case, texts of layouts.
 *
 * Kind `text`: the fn is looked up in the table of text.c, {fn, function, form}; a suite with texts of its own adds rows.
 * The library's forms are those of tutti/layout.h. */
#ifndef TUTTI_TESTS_ORACLE_LAYOUT_H
#define TUTTI_TESTS_ORACLE_LAYOUT_H

#include "kinds.h"

tt_mesh     oracle_mesh(const oracle_case *, const char *key);   /* params[key], else the case's; params.order: devices */
const char *oracle_spec(const json_t *object, const char *key);  /* in Tutti's notation; absent: "" */
const char *oracle_form_of(const oracle_case *, const char *form);       /* with the JAX of `made`: "spec 0.4.13" */
bool        oracle_same_parts(tt_val, tt_mesh, const char *spec);       /* does every device hold what the spec says? */

#endif
