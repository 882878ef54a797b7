/* model/export.h - what the two files of tt_model_export share: its names. */
#ifndef TUTTI_MODEL_EXPORT_H
#define TUTTI_MODEL_EXPORT_H

#include "model.h"

enum { EXPORT_PAIRS = 64 };
/* "query + key: attn.c_attn": ours, theirs; used: by a weight; told: it has an issue. */
typedef struct { char ours[MODEL_PATH], theirs[MODEL_PATH]; bool used, told; } name_pair;
typedef struct { int n; name_pair pair[EXPORT_PAIRS]; } name_pairs;

void model_read_names(name_pairs *, const char *names, model_issues *);
/* Copies the text from p to end without blanks around it; false: nothing, or too much. */
bool model_trimmed(const char *p, const char *end, char to[MODEL_PATH]);
/* True if a file's name is the pattern, in which * is the layer's number, or that of a layer in it. child: what params
 * call the layer in it, else "". */
bool model_name_is(const char *pattern, const char *name, int64_t *layer, const char **child);
/* A name without its *, of this layer, and the layer in it. */
void model_numbered(const char *pattern, int64_t layer, const char *child, char to[2 * MODEL_PATH + 8]);

#endif
