/* oracle/model.c - kind "model": a folder of a family's small model is loaded; its logits, and ids in greedy
 * succession, are those of `transformers`. */
#include "kinds.h"
#include "../model/folder.h"

void oracle_model(oracle_case *c)
{
    const char *const dtype = oracle_text(c->params, "dtype", "f32");
    char dir[64] = "/tmp/tutti-model-XXXXXX";
    json_t *const config = json_object_get(c->params, "config"), *const tensors = json_object_get(c->params, "tensors");
    const int parts = strcmp(dtype, "bf16") ? 1 : 3;     /* of several files in one of the types */
    const int salt = (int)oracle_int(c->params, "salt", 0);
    if (!mkdtemp(dir) || !folder_write(dir, config, tensors, dtype, salt, parts)) {
        oracle_fail(c, "the folder %s cannot be written", dir);
        return;
    }
    const tt_model m = tt_model_load(dir);
    const tt_val ids = oracle_in(c, 0);
    const int64_t n = tt_ok() ? tt_dim(ids, 0) : 1;
    const tt_val logits = tt_squeeze(tt_model_logits(m, tt_model_params(m), tt_reshape(ids, 1, -1)), 0);
    oracle_expect(c, 0, tt_slice(logits, 0, n - 2, n, 1));
    const int64_t more = oracle_int(c->params, "new", 1);
    if (tt_ok()) oracle_expect(c, 1, tt_item(tt_generate(m, ids, more, .go_on = 1), 0));
    folder_remove(dir);
}
