/* tutti/model.h - language models as hubs publish them: a folder of config.json and safetensors files, or a GGUF file,
 * loaded into shards, run, fine-tuned, and (a folder) saved as it was.
 *
 *     const tt_tokenizer t = tt_tokenizer_open("Llama-3.2-1B");
 *     const tt_model model = tt_model_load("Llama-3.2-1B", .tokenizer = &t, .mesh = tt_mesh("model:4"),
 *                                      .rules = "heads:model, kv_heads:model, hidden:model, vocab:model");
 *     tt_val logits = tt_model_logits(model, tt_model_params(model), ids);
 *     tt_val out = tt_generate(model, tt_tokenizer_encode(t, "Once upon a time"), 100);
 *     puts(tt_tokenizer_decode(t, tt_item(out, 0)));
 *
 * Families, by config.json's model_type: llama (rotary scalings linear, llama3, yarn), mistral (sliding windows),
 * qwen3, gemma3_text, mixtral, arcee, gpt2. What a config asks for beyond them is an error that names it. The functions
 * are those of `transformers`; mixtral's experts all run on every token, and those that are not chosen count 0. Of GGUF
 * files: the architectures llama (without experts), qwen3, gemma3 and gpt2.
 *
 * Logical axes of the weights: vocab, embed, heads, kv_heads, hidden; of values: batch, time, and the former. */
#include <tutti.h>
#ifndef TUTTI_MODEL_H
#define TUTTI_MODEL_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- loading ---- */

/* Loads the folder `path`: config.json, and model.safetensors or the files that model.safetensors.index.json lists,
 * with tensors of bf16, f16, f32 or f8, which stay in their types. Each device's part of a tensor is read from its file
 * to its place; nothing else of the tensor is in memory. Projections of f8e4m3fn may have a scale for each block of
 * rows and columns (weight_scale_inv, by "quantization_config": fp8 with a weight_block_size): each is a dict of
 * "codes" and "scales" in the tree, and activations are not rounded. Any other "quantization_config" is an error.
 *
 * A path that is a file is a GGUF file, as llama.cpp's converter writes it: its keys take config.json's place, its
 * tensors are f32, bf16, f16, or blocks. Weights of Q8_0 and Q4_0 stay packed, in memory as in the file, and are
 * multiplied as tt_scaled_matmul does; each is a dict in the tree: of "blocks", the file's memory, or with .copy or a
 * mesh of "codes" and "scales". Params of either kind are those of the model. Other blocks become f32. The type of
 * computation is that of the embedding, f32 if this is packed; .tokenizer may be of the same file.
 * - mesh, rules: the mesh axis of each logical axis, as in tt_jit; without them on one device.
 * - dtype: of computation, TT_F32, TT_BF16 or TT_F16; default: config.json's.
 * - tokenizer: its ids have to be ids of the model.
 * - copy: 1: the weights are copied. Without it, and without a mesh, large tensors of f32, bf16 and f16, and packed
 *   ones, are the memory of the file (.mapped of tt_ckpt_read): it may be removed or replaced, not written into while
 *   they live.
 *
 * Errors: what the config lacks or asks for, tensors that are missing, that the config does not know, or whose shapes
 * or types do not fit, and the tokenizer, all in one message. Tensors that older files have and no model reads (masks
 * of gpt2, frequencies of rotary positions) are left alone, and so is a copy of the embedding where config.json ties it
 * to the last layer. */
typedef struct { struct tt_model_s *p; tt_val alive; } tt_model;         /* belongs to the scope of its loading */
typedef struct tt_model_opts {
    TT_OPTION_HEAD
    tt_mesh mesh TT_DEFAULT; const char *rules TT_DEFAULT; tt_dtype dtype TT_DEFAULT;
    const tt_tokenizer *tokenizer TT_DEFAULT; int copy TT_DEFAULT;
} tt_model_opts;
#define tt_model_load(...)   TT_MODEL_(TT_AT("tt_model_load(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_MODEL_(at, path, ...) tt_model_load_at(at, path, TT_OPTS(tt_model_opts, __VA_ARGS__))
TT_API tt_model tt_model_load_at(const char *site, const char *path, const tt_model_opts *);
/* The weights: a tree by the names that the files have, "model.layers.0.mlp.up_proj.weight", in their shapes and
 * types, with logical axes. */
#define tt_model_params(m)   tt_model_params_at(TT_AT("tt_model_params(" #m ")"), m)
TT_API tt_val tt_model_params_at(const char *site, tt_model);
/* What config.json says. positions: the longest sequence; stop: the ids that end a text, `stops` of them (generation_
 * config.json before config.json). family "" with the error set. Lives as long as the model.
 *     printf("%s, %d layers\n", tt_model_config(model)->family, (int)tt_model_config(model)->layers); */
typedef struct tt_model_facts {
    const char *family, *path;
    int64_t layers, features, heads, kv_heads, depth, hidden, vocab, positions;
    tt_dtype dtype;
    int stops; const int64_t *stop;
} tt_model_facts;
#define tt_model_config(m)   tt_model_config_at(TT_AT("tt_model_config(" #m ")"), m)
TT_API const tt_model_facts *tt_model_config_at(const char *site, tt_model);

/* ---- running ---- */

/* The logits of the next id at each position, f32 [batch, time, vocab], of ids [batch, time]. It is compiled once per
 * shape, and is a part of a function that is traced: tt_grad of a loss has gradients for `params`. */
#define tt_model_logits(m, params, ids) \
    tt_model_logits_at(TT_AT("tt_model_logits(" #m ", " #params ", " #ids ")"), m, params, ids)
TT_API tt_val tt_model_logits_at(const char *site, tt_model, tt_val params, tt_val ids);

/* ---- generating ---- */

/* Continues texts, id by id, until `n` are new, or a row's stop. prompts: ids i32 [N] of one text, or a tuple of such
 * arrays of any lengths. Returns a tuple: of each row the new ids, i32 [at most n], with the one that ended it.
 *
 * - temperature, from 1e-30 on: draws from softmax(logits / temperature), with .key; 0, the default: the largest logit.
 *   Before the draw: top_k: only the k largest logits; top_p, above 0 up to 1: only the fewest ids whose probabilities
 *   sum to top_p (Holtzman and others, 2020). A row's draws depend on the key, the row's number and the step alone.
 * - repetition, 1e-30 to 1e30: logits of ids that occur in the row, times it if below 0, else divided by it (Keskar and
 *   others, 2019); 1, the default: none. All in the order of `transformers`.
 * - stop_ids: more ids that end a row, the list ends with -1. The model's own, tt_model_config(m)->stop, end it too;
 *   go_on = 1: they do not.
 * - stop: texts that end a row, the list ends with NULL; with .tokenizer. The id that completes one is the row's last.
 * - each: called with every new id, row by row, as it is known; false ends all rows.
 * - params: other weights than tt_model_params(m), such as those of tt_model_lora.
 *
 * Rows are padded on the left to the longest, rounded up to a power of two, 8 or more; what is padding is masked, and
 * positions begin behind it. Keys and values are written in place into a power of two of places: 64, or twice those of
 * the prompts, at first, and twice as many whenever they are full; while they are copied, both are in memory. So an id
 * reads at most twice the places that are taken; a bucket of prompts is one compiled function, and each power of two of
 * places another, of as many rows, whatever the lengths.
 *
 * Errors: no prompt, an id that the model does not have, more positions than it has, options out of their ranges, a key
 * without a temperature, a temperature without a key. */
typedef bool tt_token_f(void *env, int row, int64_t id);
typedef const char *tt_stop_text;
typedef struct tt_generate_opts {
    TT_OPTION_HEAD
    tt_val params TT_DEFAULT; double temperature TT_DEFAULT; int64_t top_k TT_FROM_1; double top_p TT_ABOVE_0;
    double repetition TT_ABOVE_0; tt_val key TT_DEFAULT; const int64_t *stop_ids TT_DEFAULT; int go_on TT_DEFAULT;
    const tt_stop_text *stop TT_DEFAULT; const tt_tokenizer *tokenizer TT_DEFAULT;
    tt_token_f *each TT_DEFAULT; void *env TT_DEFAULT;
} tt_generate_opts;
#define tt_generate(...)     TT_GENERATE_(TT_AT("tt_generate(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_GENERATE_(at, m, prompts, n, ...) \
    tt_generate_at(at, m, prompts, n, TT_OPTS(tt_generate_opts, __VA_ARGS__))
TT_API tt_val tt_generate_at(const char *site, tt_model, tt_val prompts, int64_t n, const tt_generate_opts *);

/* ---- fine-tuning (Hu and others, 2021) and saving ----
 *
 *     tt_val p = tt_model_lora(model, tt_model_params(model), 8, tt_key(0));
 *     tt_val opt = tt_adamw(p, .rate = 1e-4);              // moments of the low-rank terms alone
 *     ...
 *     tt_model_save(model, tt_model_merge(model, p), "tuned"); */

/* params with low-rank terms beside the weight of each projection of attention and of the feed-forward network: lora_a
 * [in, rank], normal with variance 1 / in, and lora_b [rank, out], zeros, both f32. All other leaves are frozen. */
#define tt_model_lora(m, params, rank, key) \
    tt_model_lora_at(TT_AT("tt_model_lora(" #m ", " #params ", " #rank ", " #key ")"), m, params, rank, key)
TT_API tt_val tt_model_lora_at(const char *site, tt_model, tt_val params, int64_t rank, tt_val key);
/* params with the low-rank terms added to the weights, in the weights' types, and no longer beside them. Of f8 with
 * scales of blocks the scales of weights with terms are new: the largest magnitude of a block / 448. Weights of Q8_0
 * and Q4_0 with terms become f32. */
#define tt_model_merge(m, params) tt_model_merge_at(TT_AT("tt_model_merge(" #m ", " #params ")"), m, params)
TT_API tt_val tt_model_merge_at(const char *site, tt_model, tt_val params);
/* Writes a folder with all files of the one that was loaded: safetensors files with the same headers, so the same names
 * and types, and these weights; all others as they are. One tensor at a time is in memory beside params. The folder
 * appears when it is complete. False with the error set: the path exists; params has low-rank terms, lacks a weight, or
 * has one of another shape; the model is a GGUF file, whose params tt_save keeps, with their terms or merged:
 * tt_generate takes what tt_load gives. Not in a job of several processes. */
#define tt_model_save(m, params, path) \
    tt_model_save_at(TT_AT("tt_model_save(" #m ", " #params ", " #path ")"), m, params, path)
TT_API bool tt_model_save_at(const char *site, tt_model, tt_val params, const char *path);

/* ---- models of nn's layers ---- */

/* Writes a folder as hubs publish it, which tt_model_load and `transformers` read, of a model that is a module of
 * nn's layers: config.json, model.safetensors in the config's "dtype", and a tokenizer.
 * - config: the text of config.json, of one of the families. It has to say the function that the module computes: what
 *   is compared are names and sizes.
 * - names: of each layer of params that of the file, without "model." (gpt2: "transformer."): "words: embed_tokens,
 *   layers.up: layers.*.mlp.up_proj". * is the number of a layer; without a * on the left the leaf's first dim is that
 *   of the layers, as tt_stack has them. "q + k + v: h.*.attn.c_attn" puts layers side by side. A pair of layers with
 *   layers in them is for these too: query, key, value and out are q_proj, k_proj, v_proj and o_proj; gate, up and
 *   down are gate_proj, up_proj and down_proj.
 * - tokenizer: a tokenizer.json, which is copied; bytes = 1: ids are bytes (tt_tokenizer_bytes).
 *
 * Kernels [in.., out..] become matrices of the family's order; scales, biases and embeddings stay. One weight at a time
 * is in memory beside params. The folder appears when it is complete. False with the error set: the path exists; what
 * the config lacks or asks for, weights without a leaf, leaves without a weight, sizes, in one message. Not in a job of
 * several processes.
 *     tt_model_export(params, "mine", .config = text, .names = "words: embed_tokens, norm: norm", .bytes = 1); */
typedef struct tt_model_export_opts {
    TT_OPTION_HEAD
    const char *config TT_DEFAULT, *names TT_DEFAULT, *tokenizer TT_DEFAULT; int bytes TT_DEFAULT;
} tt_model_export_opts;
#define tt_model_export(...) TT_MODEL_EXPORT_(TT_AT("tt_model_export(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_MODEL_EXPORT_(at, params, path, ...) \
    tt_model_export_at(at, params, path, TT_OPTS(tt_model_export_opts, __VA_ARGS__))
TT_API bool tt_model_export_at(const char *site, tt_val params, const char *path, const tt_model_export_opts *);

#ifdef __cplusplus
}
#endif
#endif
