/* model/folder.h - writes a small model as hubs publish it: config.json, and safetensors files whose weights follow
 * from their names, as tests/goldens/make/make_models.py has them. */
#ifndef TUTTI_TESTS_MODEL_FOLDER_H
#define TUTTI_TESTS_MODEL_FOLDER_H

#include <dirent.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The config and the tensors of a golden case, copied. */
static inline void folder_case(json_t *cases, const char *id, json_t **config, json_t **tensors)
{
    size_t i;
    json_t *c;
    json_array_foreach(cases, i, c)
        if (!strcmp(json_string_value(json_object_get(c, "id")), id)) {
            *config = json_deep_copy(json_object_get(json_object_get(c, "params"), "config"));
            *tensors = json_deep_copy(json_object_get(json_object_get(c, "params"), "tensors"));
            return;
        }
    printf("no case %s\n", id);
    exit(1);
}

static inline bool folder_ends(const char *name, const char *end)
{
    const size_t n = strlen(name), k = strlen(end);
    return n >= k && !strcmp(name + n - k, end);
}

/* The weight of that name at place i: hashes of the name with the salt (FNV-1a) and the place (SplitMix64), 8 bits of
 * them. */
static inline float folder_weight(const char *name, int salt, uint64_t i, size_t rank, bool gemma)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    char salted[300];
    snprintf(salted, sizeof salted, "%s#%d", name, salt);
    for (const char *p = salted; *p; p++) h = (h ^ (uint8_t)*p) * UINT64_C(0x100000001b3);
    uint64_t z = h + (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    const int k = (int)((z ^ (z >> 31)) >> 56) - 128;
    const bool table = folder_ends(name, "embed_tokens.weight") || folder_ends(name, "wte.weight");
    if (rank > 1) return (float)k / (folder_ends(name, "wpe.weight") ? 4096 : !table ? 512 : gemma ? 64 : 32);
    if (folder_ends(name, "bias")) return (float)k / 1024;
    if (folder_ends(name, "model.norm.weight") || folder_ends(name, "ln_f.weight")) return (float)k / 64 - gemma;
    return (float)((k + 128) / 8 - 16) / 128 + !gemma;
}

/* x as an element of the type, f32, bf16 or f16, of which it is exactly; returns its bytes. */
static inline size_t folder_element(float x, const char *dtype, void *to)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    uint16_t half = (uint16_t)(bits >> 16);
    if (!strcmp(dtype, "f32")) return memcpy(to, &bits, 4), 4;
    if (!strcmp(dtype, "f16")) {
        const uint32_t sign = bits >> 16 & 0x8000, scale = (bits >> 23 & 0xff) - 112;
        half = (uint16_t)(x == 0 ? sign : sign | scale << 10 | (bits >> 13 & 0x3ff));
    }
    return memcpy(to, &half, 2), 2;
}

static inline FILE *folder_file(const char *dir, const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return fopen(path, "wb");
}

static inline bool folder_json(const char *dir, const char *name, const json_t *o)
{
    FILE *const f = folder_file(dir, name);
    const bool ok = f && json_dumpf(o, f, JSON_INDENT(1)) == 0;
    return f && !fclose(f) && ok;
}

static inline int64_t folder_count(const json_t *dims)
{
    int64_t n = 1;
    for (size_t d = 0; d < json_array_size(dims); d++) n *= json_integer_value(json_array_get(dims, d));
    return n;
}

/* One safetensors file with each tensor whose number is `part` modulo `parts`. */
static inline bool folder_tensors(const char *dir, const char *file, json_t *tensors, const char *dtype, int salt,
                                  int part, int parts, bool gemma)
{
    json_t *const header = json_pack("{s:{s:s}}", "__metadata__", "format", "pt"), *dims;
    const char *name;
    int64_t at = 0, i = 0;
    json_object_foreach(tensors, name, dims) {
        if (i++ % parts != part) continue;
        const int64_t n = folder_count(dims) * (strcmp(dtype, "f32") ? 2 : 4);
        const char *const type = !strcmp(dtype, "f32") ? "F32" : !strcmp(dtype, "f16") ? "F16" : "BF16";
        json_object_set_new(header, name,
                            json_pack("{s:s, s:O, s:[I, I]}", "dtype", type, "shape", dims, "data_offsets",
                                      (json_int_t)at, (json_int_t)(at + n)));
        at += n;
    }
    char *const text = json_dumps(header, JSON_COMPACT);
    FILE *const f = folder_file(dir, file);
    const uint64_t length = text ? strlen(text) : 0;
    bool ok = f && text && fwrite(&length, 8, 1, f) == 1 && fwrite(text, 1, length, f) == length;
    i = 0;
    json_object_foreach(tensors, name, dims) {
        if (i++ % parts != part) continue;
        for (int64_t k = 0; ok && k < folder_count(dims); k++) {
            char to[4];
            const float x = folder_weight(name, salt, (uint64_t)k, json_array_size(dims), gemma);
            const size_t n = folder_element(x, dtype, to);
            ok = fwrite(to, 1, n, f) == n;
        }
    }
    free(text);
    json_decref(header);
    return f && !fclose(f) && ok;
}

/* A folder with the config (its "dtype" set), and the tensors in one file, or in `parts` with an index. */
static inline bool folder_write(const char *dir, json_t *config, json_t *tensors, const char *dtype, int salt,
                                int parts)
{
    const char *const type = json_string_value(json_object_get(config, "model_type"));
    const bool gemma = type && !strcmp(type, "gemma3_text");
    json_t *const map = json_object(), *dims;
    const char *name;
    char file[80];
    int64_t i = 0;
    json_object_set_new(config, "dtype", json_string(!strcmp(dtype, "f32") ? "float32" : !strcmp(dtype, "f16")
        ? "float16" : "bfloat16"));
    bool ok = folder_json(dir, "config.json", config);
    for (int p = 0; ok && p < parts; p++) {
        snprintf(file, sizeof file, "model-%05d-of-%05d.safetensors", p + 1, parts);
        ok = folder_tensors(dir, parts > 1 ? file : "model.safetensors", tensors, dtype, salt, p, parts, gemma);
    }
    json_object_foreach(tensors, name, dims) {
        snprintf(file, sizeof file, "model-%05d-of-%05d.safetensors", (int)(i++ % parts) + 1, parts);
        json_object_set_new(map, name, json_string(file));
    }
    json_t *const index = json_pack("{s:{}, s:o}", "metadata", "weight_map", map);
    ok = ok && (parts == 1 || folder_json(dir, "model.safetensors.index.json", index));
    json_decref(index);
    return ok;
}

/* True if a file of that name is the same in two folders, from one byte up to another, or to the end (-1). */
static inline bool folder_same(const char *a, const char *b, const char *name, long from, long to)
{
    char path[2][700];
    snprintf(path[0], sizeof path[0], "%s/%s", a, name), snprintf(path[1], sizeof path[1], "%s/%s", b, name);
    FILE *const f = fopen(path[0], "rb"), *const g = fopen(path[1], "rb");
    bool same = f && g;
    int c = 0;
    if (same) same = !fseek(f, from, SEEK_SET) && !fseek(g, from, SEEK_SET);
    for (long i = from; same && c != EOF && (to < 0 || i < to); i++) same = (c = fgetc(f)) == fgetc(g);
    if (f) fclose(f);
    if (g) fclose(g);
    return same;
}

/* Removes a folder of files. */
static inline void folder_remove(const char *dir)
{
    DIR *const d = opendir(dir);
    const struct dirent *e;
    while (d && (e = readdir(d))) {
        char path[900];
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        if (*e->d_name != '.') unlink(path);
    }
    if (d) closedir(d);
    rmdir(dir);
}

#endif
