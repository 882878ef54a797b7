/* ckpt/format/name.c - the folder of a leaf, by its name. Most are the name itself, "params.w" or "a/b", where Orbax
 * looks for them, too. A name that would be one of the checkpoint's own files, or lead out of it, or is too long for a
 * file system, has its bytes written as %2F; Orbax refuses to save such names, and does not find them. */
#include "../ckpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 200 };

/* True if it is a relative path of short parts, and no file of a checkpoint is named as it begins. */
static bool name_is_plain(const char *name)
{
    static const char *const taken[] = { "array_metadatas", "zarr.json", "commit_success.txt", "manifest.ocdbt",
                                         "writers", "metrics", "_METADATA", "_CHECKPOINT_METADATA", "_MANIFEST",
                                         "_sharding", "_strings.json" };
    const size_t first = strcspn(name, "/");
    if (!ckpt_key_good(name) || strlen(name) > LONGEST || strstr(name, ckpt_suffix) || strchr(name, '%')) return false;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strlen(taken[i]) == first && !strncmp(taken[i], name, first)) return false;
    return true;
}

/* A checksum in the place of what is too long: two such names that are alike are refused (distinct in plan.c). */
char *ckpt_name_quoted(const char *name)
{
    const size_t n = strlen(name);
    char *s = malloc(3 * n + 16), *p = s;
    if (!s) return NULL;
    p += sprintf(p, "%%");
    for (const char *c = name; *c; c++)
        if (*c == '/' || *c == '%' || (c == name && (*c == '.' || *c == '_'))) p += sprintf(p, "%%%02X", (uint8_t)*c);
        else *p++ = *c;
    *p = 0;
    char *end = strstr(s, ckpt_suffix);
    if (end) *end = '%';
    if (p - s <= LONGEST) return s;
    sprintf(s + LONGEST - 9, "%%%08x", ckpt_crc32c(0, name, n));
    return s;
}

char *ckpt_name_folder(const char *name) { return name_is_plain(name) ? ckpt_text("%s", name) : ckpt_name_quoted(name);
}
