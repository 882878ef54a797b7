/* f8.c - folders whose matrices are of f8: the logits are those of a folder with the same numbers as f32, saved they
 * are as they were, their infinities and NaNs arrive. */
#include "check.h"
#include "model/folder.h"

#include <math.h>
#include <tutti.h>

typedef struct { const char *name; int exponent, fraction, bias; bool finite; } f8;
static const f8 types[] = { { "F8_E4M3", 4, 3, 7, true }, { "F8_E5M2", 5, 2, 15, false } };

/* By the definition of OCP's formats (Micikevicius and others, 2022). */
static float value_of(const f8 *t, uint8_t code)
{
    const int e = code >> t->fraction & ((1 << t->exponent) - 1), f = code & ((1 << t->fraction) - 1);
    const float sign = code & 128 ? -1 : 1;
    if (t->finite && (code & 127) == 127) return sign * NAN;
    if (!t->finite && e == 31) return f ? sign * NAN : sign * INFINITY;
    return sign * (e ? ldexpf((float)(1 << t->fraction | f), e - t->bias - t->fraction)
                     : ldexpf((float)f, 1 - t->bias - t->fraction));
}

static uint8_t draw(const f8 *t, uint32_t *seed)         /* of middle size: weights of a model that computes */
{
    const uint32_t x = *seed = *seed * 1664525 + 1013904223;
    const int e = t->bias - 7 + (int)(x >> 24) % 4;
    return (uint8_t)((x >> 8 & 128) | (uint32_t)(e > 0 ? e : 0) << t->fraction | (x >> 16 & ((1u << t->fraction) - 1)));
}

/* Folders `dir` with matrices of the type and `wide` with the same numbers in f32; a first element of `special`. */
static void made(const json_t *config, json_t *tensors, const f8 *t, const char *dir, const char *wide, int special)
{
    const char *name;
    json_t *dims;
    for (int as = 0; as < 2; as++) {
        json_t *const header = json_object();
        uint32_t seed = 1;
        int64_t at = 0;
        json_object_foreach(tensors, name, dims) {
            const bool matrix = json_array_size(dims) > 1;
            const int64_t n = folder_count(dims) * (matrix && !as ? 1 : 4);
            const char *const dtype = matrix && !as ? t->name : "F32";
            json_object_set_new(header, name, json_pack("{s:s, s:O, s:[I, I]}", "dtype", dtype, "shape", dims,
                                                        "data_offsets", (json_int_t)at, (json_int_t)(at + n)));
            at += n;
        }
        char *const text = json_dumps(header, JSON_COMPACT);
        const uint64_t length = strlen(text);
        FILE *const f = folder_file(as ? wide : dir, "model.safetensors");
        fwrite(&length, 8, 1, f), fwrite(text, 1, length, f);
        json_object_foreach(tensors, name, dims) {
            for (int64_t i = 0; i < folder_count(dims); i++) {
                const bool matrix = json_array_size(dims) > 1;
                const uint8_t code = special >= 0 && !i ? (uint8_t)special : draw(t, &seed);
                const float x = matrix ? value_of(t, code) : folder_weight(name, 0, (uint64_t)i, 1, false);
                if (matrix && !as) fputc(code, f);
                else fwrite(&x, 4, 1, f);
            }
        }
        fclose(f), free(text), json_decref(header);
        folder_json(as ? wide : dir, "config.json", config);
    }
}

static void of_type(const char *id, const f8 *t)
{
    static const int32_t some[] = { 5, 17, 99, 3, 250, 42, 7, 7, 128, 64, 31, 200 };
    json_t *const cases = json_load_file("tests/goldens/models/cases.json", 0, NULL), *c, *p = NULL;
    char dir[64] = "/tmp/tutti-f8-XXXXXX", wide[64] = "/tmp/tutti-f8-XXXXXX", saved[100];
    size_t i;
    json_array_foreach(cases, i, c)
        if (!strcmp(json_string_value(json_object_get(c, "id")), id)) p = json_object_get(c, "params");
    if (!p || !check_folder(dir) || !check_folder(wide)) exit(1);
    made(json_object_get(p, "config"), json_object_get(p, "tensors"), t, dir, wide, -1);
    const tt_model m = tt_model_load(dir), w = tt_model_load(wide);
    CHECK(tt_ok(), "%s: %s", t->name, tt_error());
    const tt_val ids = tt_reshape(tt_array(TT_I32, some, 12), 1, 12);
    const tt_val a = tt_model_logits(m, tt_model_params(m), ids), b = tt_model_logits(w, tt_model_params(w), ids);
    const double far = tt_num(tt_amax(tt_abs(tt_sub(a, b)))), size = tt_num(tt_amax(tt_abs(b)));
    CHECK(tt_ok() && size > 1e-3 && far <= 1e-6 * size, "%s of %s: %g apart of %g %s", id, t->name, far, size,
          tt_ok() ? "" : tt_error());
    const tt_val x = tt_item(tt_generate(m, tt_reshape(ids, -1), 20), 0);
    const tt_val y = tt_item(tt_generate(w, tt_reshape(ids, -1), 20), 0);
    CHECK(tt_num(tt_amax(tt_abs(tt_sub(x, y)))) == 0, "%s of %s: another text", id, t->name);
    snprintf(saved, sizeof saved, "%s-saved", dir);
    CHECK(tt_model_save(m, tt_model_params(m), saved) && folder_same(dir, saved, "model.safetensors", 0, -1),
          "%s of %s: saved as it was %s", id,
          t->name, tt_ok() ? "" : tt_error());
    folder_remove(saved);
    made(json_object_get(p, "config"), json_object_get(p, "tensors"), t, dir, wide, t->finite ? 0x7f : 0x7c);
    const tt_model s = tt_model_load(dir);
    const char *const name = "model.layers.0.mlp.up_proj.weight";
    if (tt_has(tt_model_params(s), name)) {
        const double first = tt_num(tt_at(tt_cast(tt_get(tt_model_params(s), name), TT_F32), "0, 0"));
        CHECK(t->finite ? isnan(first) : isinf(first), "%s: %g arrives", t->name, first);
    }
    folder_remove(dir), folder_remove(wide), json_decref(cases);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    for (int t = 0; t < 2; t++) {
        CHECK_RUN(of_type("llama/f32", &types[t]));
        CHECK_RUN(of_type("qwen3/f32", &types[t]));
        CHECK_RUN(of_type("gpt2/f32", &types[t]));
    }
    return check_done();
}
