/* model/model.h - declarations shared by the files of this room: what a config says, the weights it needs, the function
 * that they make. Includes public headers only. */
#ifndef TUTTI_MODEL_ROOM_H
#define TUTTI_MODEL_ROOM_H

#include <jansson.h>
#include <stdio.h>
#include <tutti.h>

enum { MODEL_LAYERS = 512, MODEL_EXPERTS = 1 << 15, MODEL_PATH = 200, MODEL_STOPS = 16, MODEL_ISSUES = 6000,
       MODEL_FOLDER = 4096 };

/* All that does not fit, a line each, for one message. */
typedef struct { char text[MODEL_ISSUES]; size_t n; int count; } model_issues;
void model_issue(model_issues *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

typedef enum { MODEL_LLAMA, MODEL_MISTRAL, MODEL_QWEN3, MODEL_GEMMA3, MODEL_MIXTRAL, MODEL_ARCEE, MODEL_GPT2,
               MODEL_FAMILIES } model_family;

/* What config.json says. Its bytes are the key of what is compiled: no pointers, and all bytes are set. [2]: of layers
 * that attend to all positions, and of those with a window. */
typedef struct {
    model_family family;
    tt_dtype dtype;
    int64_t layers, features, heads, kv_heads, depth, hidden, vocab, positions, window, experts, top;
    int64_t block[2];                                    /* of weights of f8 that has a scale; 0: no such weights */
    double eps, theta[2], scale, cap;                    /* scale: of attention's logits; cap: of the last; 0: none */
    char scaling[2][200], act[24], prefix[16];           /* prefix: of all names but the last layer's */
    uint8_t local[MODEL_LAYERS], tied, bias, mlp_bias, normed;           /* normed: queries and keys are */
    /* turned: projections are [in, out]; plus_one: norms are times 1 + weight; interleaved: rotary pairs are */
    uint8_t turned, plus_one, interleaved, gguf;
} model_config;

typedef struct { int n; int64_t id[MODEL_STOPS]; } model_stops;

struct tt_model_s {
    model_config c;
    model_stops stops;
    tt_model_facts facts;
    char *path, *rules;
    tt_mesh mesh;
    tt_val params;
};

/* ---- config.json (config.c, rotary.c) ---- */

const char *model_family_name(model_family);
bool model_read_config(const json_t *, model_config *, model_stops *, model_issues *);
void model_read_rotary(const json_t *, model_config *, model_issues *);
/* The object of a JSON file; NULL: it is not there, or an issue. */
json_t *model_json(const char *folder, const char *file, bool needed, model_issues *);
/* Fields of an object. NULL and null: not given; an issue where it is of another kind, or needed and not given. */
int64_t model_whole(const json_t *, const char *key, int64_t usual, model_issues *);     /* usual < 0: needed */
double  model_real(const json_t *, const char *key, double usual, model_issues *);       /* above 0 */
bool    model_flag(const json_t *, const char *key, bool usual, model_issues *);
const char *model_word(const json_t *, const char *key, const char *usual, model_issues *);
const json_t *model_given(const json_t *, const char *key);
const json_t *model_object(const json_t *, const char *key, model_issues *);
const char *model_shown(const json_t *, char to[64]);    /* as text, for messages */

/* ---- GGUF files (gguf.c) ---- */

bool model_is_gguf(const char *path);                    /* True if the path is a file, not a folder */
bool model_gguf_config(const char *site, tt_ckpt, model_config *, model_stops *, model_issues *);
bool model_gguf_name(const model_config *, const char *name, char to[MODEL_PATH]);
const char *model_item_name(const tt_ckpt_item *);
/* Issues of a tokenizer with n ids, and of the ids that end a text. */
void model_compare_ids(const model_config *, const model_stops *, int n, model_issues *);

/* ---- weights (weights.c) ---- */

/* lora: the weight is that of a projection, [out, in], or where they are turned [in, out]. A packed weight is a dict of
 * "codes" and "scales", or of "blocks", as tt_scaled_matmul takes them; or codes of f8 with scales of blocks of rows
 * and columns. */
typedef struct { char name[MODEL_PATH]; int rank; int64_t dim[2]; const char *axes; bool lora; } model_weight;
/* All weights of such a model, malloc'ed; -1: no memory. */
int  model_weights(const model_config *, model_weight **);
/* True if files of so many tensors can have the weights, or some of them; else there is an issue. */
bool model_weights_fit(const model_config *, int tensors, model_issues *);
bool model_is_buffer(const model_config *, const char *name);    /* True if no model reads the tensor */
/* True if params has all weights, in their shapes, with or without low-rank terms, and nothing else; else an error. */
bool model_params_fit(const char *site, const model_config *, tt_val params);
/* The name without "weight": "model.layers.0.mlp.up_proj." and its length. */
int  model_stem(const char *name);

/* ---- folders that are written (folder.c) ---- */

/* to: where its files are until it is complete. what: the call, for errors. */
typedef struct { const char *site, *what, *path; char to[MODEL_FOLDER], *block; bool made; } model_folder;
/* True if a folder may be made there; else an error. */
bool model_folder_may(const char *site, const char *what, const char *path);
bool model_folder_begin(model_folder *, const char *site, const char *what, const char *path);
bool model_folder_end(model_folder *, bool ok);          /* ok: it gets its name, else it is removed; returns ok */
bool model_folder_each(const model_folder *, const char *folder, bool (*)(void *env, const char *name), void *env);
FILE *model_file_open(const model_folder *, const char *folder, const char *file, const char *mode);
bool model_file_close(const model_folder *, FILE *, const char *name);   /* and written to the disk */
/* Copies n bytes, or all (-1), of a file of `folder` to one of the folder that is written. */
bool model_file_copy(const model_folder *, FILE *from, const char *folder, FILE *to, int64_t n, const char *file);
bool model_file_failed(const model_folder *, const char *folder, const char *file); /* false, with the error of errno */
bool model_file_unread(const model_folder *, FILE *from, const char *folder, const char *file);  /* of a read */

/* ---- the function (forward.c) ---- */

/* A pass over ids [batch, time]. With a cache, k and v of `layers` arrays [batch, places, kv heads, depth], it
 * continues sequences of which `from` positions are there; pad [batch]: so many of the first are no part of a row.
 * room: the pass begins sequences, and makes the cache, of so many places; 0: it continues them. */
typedef struct {
    const char *site;
    const model_config *c;
    tt_val params, from, pad, *k, *v;                    /* k NULL: no cache */
    int64_t room;
    tt_val places;                                       /* i32 [batch or 1, time]; set by model_forward */
} model_pass;
/* Logits f32 [batch, time, vocab]; last: of the last position alone, [batch, 1, vocab]. */
tt_val model_forward(model_pass *, tt_val ids, bool last);
/* True if the weight is packed, or of f8 in blocks: its codes and scales; or the blocks of a file, and no scales. */
bool model_is_packed(const char *site, tt_val w, tt_val part[2]);
/* Packed weights as f32; f8 times the scale of its block. */
tt_val model_widened(const char *site, const model_config *, const tt_val part[2]);
/* Keys or values [batch, time, kv heads, depth] at the beginning of a cache of so many places. */
tt_val model_cache(const char *site, tt_val v, int64_t places);
/* x through the projection at the path below the layer, with its bias and its low-rank terms. */
tt_val model_linear(const model_pass *, const char *path, tt_val x, bool biased);
tt_val model_weight_of(const model_pass *, const char *path);     /* packed weights are widened */
tt_val model_act(const model_pass *, tt_val x);
tt_val model_experts(const model_pass *, int layer, tt_val x);

bool model_is_open(const char *site, const char *what, tt_model);
tt_fn model_jit(const char *site, const struct tt_model_s *, tt_fn, const char *donate);

#endif
