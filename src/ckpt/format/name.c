/* ckpt/format/name.c - the folder of a leaf, from its name. Most folders are the name itself, "params.w" or "a/b",
 * where Orbax looks too. A name that would collide with the checkpoint's own files, or lead out of it, or is too long
 * for a file system, is written with its bytes as %2F; Orbax refuses to save such names, and does not find them. */
#include "../ckpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 200 };

/* True if the name is a relative path of short parts, whose first part is not a file of a checkpoint. */
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

/* A checksum replaces a part that is too long: two equal results are refused (distinct in plan.c). */
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
