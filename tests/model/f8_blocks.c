/* f8_blocks.c - folders as FineGrainedFP8Config of `transformers` has them: projections of f8 with a scale for each
 * block. The logits are those of a folder with the products in f32, and where TUTTI_TRANSFORMERS names a Python that
 * has it (and accelerate) those by `transformers`, of folders of plain f8 too; saved they are as they were; what is
 * refused. */
#include "model/peers.h"

static char dir[64], wide[64];

static float value_of(uint8_t code, int exponent, int fraction, int bias)
{
    const int e = code >> fraction & ((1 << exponent) - 1), f = code & ((1 << fraction) - 1);
    const float x = e ? ldexpf((float)(1 << fraction | f), e - bias - fraction) : ldexpf((float)f, 1 - bias - fraction);
    return code & 128 ? -x : x;
}
static uint32_t drawn(uint32_t *seed) { return (*seed = *seed * 1664525 + 1013904223) >> 8; }

static int64_t dim_of(const json_t *dims, size_t d) { return json_integer_value(json_array_get(dims, d)); }

typedef struct { json_t *header; uint8_t *bytes; int64_t n; } content;
static void put(content *c, const char *name, const char *dtype, json_t *dims, const void *data, int64_t n)
{
    json_object_set_new(c->header, name, json_pack("{s:s, s:o, s:[I, I]}", "dtype", dtype, "shape", dims,
                                                   "data_offsets", (json_int_t)c->n, (json_int_t)(c->n + n)));
    c->bytes = realloc(c->bytes, (size_t)(c->n + n));
    memcpy(c->bytes + c->n, data, (size_t)n);
    c->n += n;
}
static void write_content(content *c, const char *to, const json_t *config)
{
    char *const text = json_dumps(c->header, JSON_COMPACT);
    const uint64_t length = strlen(text);
    FILE *const f = folder_file(to, "model.safetensors");
    fwrite(&length, 8, 1, f), fwrite(text, 1, length, f), fwrite(c->bytes, 1, (size_t)c->n, f);
    fclose(f), free(text), free(c->bytes), json_decref(c->header);
    folder_json(to, "config.json", config);
}

/* What a folder may lack, or have besides. uneven: blocks that do not divide the dims, which `transformers` refuses. */
typedef struct { bool plain, uneven, e5m2, no_scale, more_scale, odd_scale, e8m0; } form;

/* Projections of f8 (in `wide` of f32), all else of f32. plain: without scales. */
static void made(const char *id, const form *is)
{
    json_t *const cases = json_load_file("tests/goldens/models/cases.json", 0, NULL);
    json_t *config, *tensors, *dims;
    content f8 = { json_pack("{s:{s:s}}", "__metadata__", "format", "pt"), NULL, 0 }, f32 = { json_object(), NULL, 0 };
    const char *name;
    uint32_t seed = 1;
    const int64_t rows = is->uneven ? 24 : 16, columns_of = is->uneven ? 40 : 32;
    folder_case(cases, id, &config, &tensors);
    strcpy(dir, "/tmp/tutti-blocks-XXXXXX"), strcpy(wide, "/tmp/tutti-blocks-XXXXXX");
    if (!check_folder(dir) || !check_folder(wide)) exit(1);
    json_object_set_new(config, "dtype", json_string("float32"));
    json_object_foreach(tensors, name, dims) {
        const int64_t n = folder_count(dims), columns = json_array_size(dims) > 1 ? dim_of(dims, 1) : n;
        const int64_t wide_blocks = (columns + columns_of - 1) / columns_of, blocks = (n / columns + rows - 1) / rows;
        const bool scaled = folder_ends(name, "_proj.weight") && !strstr(name, "v_proj");
        float *const x = malloc((size_t)n * 4), *const scale = malloc((size_t)(blocks * wide_blocks) * 4);
        uint8_t *const code = malloc((size_t)n);
        char with[200];
        for (int64_t b = 0; b < blocks * wide_blocks; b++) scale[b] = 1e-3f * (float)(1 + drawn(&seed) % 1000);
        for (int64_t i = 0; i < n; i++) {
            code[i] = (uint8_t)(drawn(&seed) & (is->e5m2 ? 0xff : 0xbf));
            if (is->e5m2) code[i] = (uint8_t)((code[i] & 0x83) | (12 + code[i] / 4 % 4) << 2);
            x[i] = folder_weight(name, 5, (uint64_t)i, json_array_size(dims), false);
            if (scaled) x[i] = is->e5m2 ? value_of(code[i], 5, 2, 15) : value_of(code[i], 4, 3, 7);
            if (scaled && !is->plain) x[i] *= scale[i / columns / rows * wide_blocks + i % columns / columns_of];
        }
        put(&f32, name, "F32", json_incref(dims), x, 4 * n);
        if (scaled) put(&f8, name, is->e5m2 ? "F8_E5M2" : "F8_E4M3", json_incref(dims), code, n);
        else put(&f8, name, "F32", json_incref(dims), x, 4 * n);
        snprintf(with, sizeof with, "%s_scale_inv", name);
        json_t *const size = json_pack("[I, I]", (json_int_t)(blocks + is->odd_scale), (json_int_t)wide_blocks);
        const bool has = scaled && !is->plain && !(is->no_scale && strstr(name, "layers.1.mlp.up"));
        if (has || (is->more_scale && strstr(name, "layers.0.self_attn.v_proj")))
            put(&f8, with, is->e8m0 ? "F8_E8M0" : "F32", json_incref(size), scale, (is->e8m0 ? 1 : 4) * (blocks +
                is->odd_scale) * wide_blocks);
        json_decref(size), free(x), free(scale), free(code);
    }
    write_content(&f32, wide, config);
    if (!is->plain)
        json_object_set_new(config, "quantization_config",
                            json_pack("{s:s, s:s, s:s, s:[i, i], s:[s, s]}", "quant_method", "fp8", "activation_scheme",
                                      "dynamic", "fmt", "e4m3", "weight_block_size", (int)rows, (int)columns_of,
                                      "modules_to_not_convert", "lm_head", "v_proj"));
    write_content(&f8, dir, config);
    json_decref(config), json_decref(tensors), json_decref(cases);
}

static tt_val ids(void)
{
    static const int32_t some[] = { 5, 17, 99, 3, 250, 42, 7, 7, 128, 64, 31, 200 };
    return tt_reshape(tt_array(TT_I32, some, 12), 1, 12);
}

/* Without a GPU `transformers` widens blocks of f8 too, and does not round activations. */
static const char script[] =
    "import sys, torch, transformers\n"
    "m = transformers.AutoModelForCausalLM.from_pretrained(sys.argv[1], dtype=torch.float32)\n"
    "m = m.float()\n"
    "x = torch.tensor([[5, 17, 99, 3, 250, 42, 7, 7, 128, 64, 31, 200]])\n"
    "with torch.no_grad(): y = m(x).logits.float()\n"
    "print(*y[0, -1].tolist())\n";

/* Terms that are merged: each element is rounded once to f8 and a scale of its block, by which the largest is 448; the
 * folder that is saved has them. w: the model with the weights as f32. */
static void merges(tt_model m, tt_model w, tt_val low, bool uneven, const char *saved)
{
    const char *const name = "model.layers.0.mlp.up_proj", *const other = "model.layers.1.self_attn.q_proj";
    const char *const codes = "model.layers.0.mlp.up_proj.weight.codes", *const term[] = { "lora_a", "lora_b" };
    tt_val sum[2], part[2];
    char path[100];
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s.lora_b", k ? other : name);
        const tt_val b = tt_get(low, path);
        low = tt_set(low, path, tt_mul(tt_normal(tt_key(k), TT_F32, tt_dim(b, 0), tt_dim(b, 1)), tt_f(k ? 0 : 0.02)));
    }
    for (int k = 0; k < 2; k++) snprintf(path, sizeof path, "%s.%s", name, term[k]), part[k] = tt_get(low, path);
    snprintf(path, sizeof path, "%s.weight", name);
    sum[0] = tt_add(tt_get(tt_model_params(w), path), tt_transpose(tt_matmul(part[0], part[1])));
    const tt_val merged = tt_model_merge(m, low);
    CHECK(tt_ok() && tt_dtype_of(tt_get(merged, codes)) == TT_F8E4M3FN, "merged: %s", tt_error());
    CHECK(tt_model_save(m, merged, saved), "%s", tt_error());
    const tt_model again = tt_model_load(saved);
    const tt_val a = tt_model_logits(m, merged, ids()), b = tt_model_logits(again, tt_model_params(again), ids());
    CHECK(tt_ok() && tt_num(tt_array_equal(a, b)), "what is saved is what was merged: %s", tt_error());
    const tt_val was = tt_get(tt_model_params(w), path);
    const tt_val s = tt_get(tt_get(merged, path), "scales"), c = tt_get(tt_get(merged, path), "codes");
    const int64_t r = uneven ? 24 : 16, k = uneven ? 40 : 32;
    const tt_val by = tt_slice(tt_slice(tt_repeat(tt_repeat(s, r, 0), k, 1), 0, 0, tt_dim(was, 0), 1), 1, 0,
                               tt_dim(was, 1), 1);
    sum[1] = tt_mul(tt_cast(c, TT_F32), by);
    /* half a step of f8: 2^-4 of the number, 2^-10 of the scale below 2^-6 of it */
    const tt_val most = tt_add(tt_mul(tt_abs(sum[0]), tt_f(1.0001 / 16)), tt_mul(by, tt_f(1.001 / 1024)));
    CHECK(tt_num(tt_all(tt_le(tt_abs(tt_sub(sum[0], sum[1])), most))), "merged numbers are not rounded once");
    CHECK(tt_num(tt_amax(tt_abs(tt_cast(c, TT_F32)))) == 448, "the largest code is %g",
          tt_num(tt_amax(tt_abs(tt_cast(c, TT_F32)))));
    CHECK(tt_num(tt_amax(tt_abs(tt_sub(sum[0], was)))) > 0, "the terms are no zeros");
    folder_remove(saved);
}

static void reads(const char *id, const char *what, form is, double tolerance)
{
    char saved[100];
    made(id, &is);
    const tt_model m = tt_model_load(dir), w = tt_model_load(wide);
    CHECK(tt_ok(), "%s: %s", what, tt_error());
    const tt_val a = tt_model_logits(m, tt_model_params(m), ids()), b = tt_model_logits(w, tt_model_params(w), ids());
    const double far = tt_num(tt_amax(tt_abs(tt_sub(a, b)))), most = tt_num(tt_amax(tt_abs(b)));
    CHECK(tt_ok() && most > 1e-3 && far <= 1e-6 * most, "%s: %g apart of %g %s", what, far, most, tt_ok() ? "" :
          tt_error());
    if (!is.uneven) by_transformers(what, script, dir, a, tolerance);
    const tt_val x = tt_item(tt_generate(m, tt_reshape(ids(), -1), 20), 0);
    const tt_val y = tt_item(tt_generate(w, tt_reshape(ids(), -1), 20), 0);
    CHECK(tt_num(tt_amax(tt_abs(tt_sub(x, y)))) == 0, "%s: another text", what);
    snprintf(saved, sizeof saved, "%s-saved", dir);
    CHECK(tt_model_save(m, tt_model_params(m), saved) && folder_same(dir, saved, "model.safetensors", 0, -1),
          "%s: saved as it was %s", what,
          tt_ok() ? "" : tt_error());
    folder_remove(saved);
    if (!is.plain) {
        const tt_val low = tt_model_lora(m, tt_model_params(m), 2, tt_key(0));
        const double still = tt_num(tt_amax(tt_abs(tt_sub(tt_model_logits(m, low, ids()), a))));
        CHECK(tt_ok() && still == 0, "low-rank terms begin at zero: %g %s", still, tt_ok() ? "" : tt_error());
        merges(m, w, low, is.uneven, saved);
    }
    folder_remove(dir), folder_remove(wide);
}

static void refuses(form is, const char *why)
{
    made("llama/f32", &is);
    tt_model_load(dir);
    CHECK(!tt_ok() && strstr(tt_error(), why), "not \"%s\": %s", why, tt_ok() ? "no error" : tt_error());
    tt_clear();
    folder_remove(dir), folder_remove(wide);
}

static void quiet(const tt_error_info *e, void *env) { (void)e, (void)env; }

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(quiet, NULL);
    CHECK_RUN(reads("llama/f32", "llama of f8 in blocks", (form){ .plain = false }, 1e-5));
    CHECK_RUN(reads("llama/f32", "llama of uneven blocks", (form){ .uneven = true }, 0));
    CHECK_RUN(reads("qwen3/f32", "qwen3 of f8 in blocks", (form){ .plain = false }, 1e-5));
    CHECK_RUN(reads("llama/f32", "llama of f8e4m3fn", (form){ .plain = true }, 1e-5));
    CHECK_RUN(reads("llama/f32", "llama of f8e5m2", (form){ .plain = true, .e5m2 = true }, 1e-5));
    CHECK_RUN(refuses((form){ .no_scale = true }, "model.layers.1.mlp.up_proj.weight is of f8, and model.layers.1.mlp."
                                                  "up_proj.weight_scale_inv is missing"));
    CHECK_RUN(refuses((form){ .more_scale = true }, "weight_scale_inv: model.layers.0.self_attn.v_proj.weight is not"));
    CHECK_RUN(refuses((form){ .e5m2 = true }, "q_proj.weight is not of f8e4m3fn"));
    CHECK_RUN(refuses((form){ .e8m0 = true },
                      "up_proj.weight_scale_inv is f8E8M0FNU[6, 2]; expected floats [6, 2]"));
    return check_done();
}
