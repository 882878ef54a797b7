/* oracle/layout.h - what the suites on layouts share: meshes and specs of a case, texts of layouts.
 *
 * Kind `text`: the fn is looked up in the table of text.c, {fn, function, form}; a suite with texts of its own adds
 * rows. The library's forms are those of tutti/layout.h. */
#ifndef TUTTI_TESTS_ORACLE_LAYOUT_H
#define TUTTI_TESTS_ORACLE_LAYOUT_H

#include "kinds.h"

tt_mesh oracle_mesh(const oracle_case *, const char *key); /* params[key], else the case's; params.order: devices */
const char *oracle_spec(const json_t *object, const char *key);  /* in Tutti's notation; absent: "" */
const char *oracle_form_of(const oracle_case *, const char *form);       /* with the JAX of `made`: "spec 0.4.13" */
bool        oracle_same_parts(tt_val, tt_mesh, const char *spec);       /* every device holds what the spec says */
bool        oracle_logical_spec(oracle_case *);  /* kind `spec`, logical_to_mesh; false: another function */
/* Kind `text` of what Flax prints (text_flax.c). */
typedef void oracle_text_fn(oracle_case *, const char *form);
oracle_text_fn oracle_text_annotation, oracle_text_layout, oracle_text_named, oracle_text_eager, oracle_text_rules,
    oracle_text_tree, oracle_text_difference, oracle_text_leaf, oracle_text_output, oracle_text_box,
    oracle_text_box_axis;

#endif
