/* oracle/init.c - kind `init`: initializers of jax.nn.initializers, by form. */
#include "kinds.h"

void oracle_init(oracle_case *c)
{
    const json_t *p = c->params;
    char text[ORACLE_FORM] = "";
    int64_t dim[14];
    oracle_dims(p, "shape", dim);
    oracle_form(p, c->fn, "key shape dtype layout", text);
    tt_set_random_layout(oracle_text(p, "layout", NULL));
    const tt_val got = tt_init_named_at(0, text, oracle_key(c), oracle_dtype(oracle_text(p, "dtype", "float32")), dim);
    if (c->nout) oracle_expect(c, 0, got);
    tt_set_random_layout(NULL);
}
