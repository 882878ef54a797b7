/* ckpt/store/manifest.c - _MANIFEST lists every file of a checkpoint with its size and checksum; commit_success.txt has
 * the manifest's own checksum. So a changed byte is detected anywhere, and an incomplete file is never accepted. */
#include "../ckpt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* True if the file has values of an OCDBT store: "ocdbt.process_1/d/NAME". */
static bool has_values(const char *file, const char *base)
{
    const char *const own = strstr(file, "ocdbt.process_");
    return own && (own == file || own[-1] == '/') && own + 14 + strspn(own + 14, "0123456789") == base - 2 &&
           !strncmp(base - 2, "/d", 2);
}

/* True if the file has elements: "params.w/c.0.1", values of an OCDBT store; not "c/zarr.json". */
bool ckpt_is_element(const char *file)
{
    const char *base = strrchr(file, '/');
    return base && ((base[1] == 'c' && (!base[2] || base[2] == '.')) || has_values(file, base));
}

static bool one_file(const ckpt_store *s, const json_t *row, bool deep, ckpt_err *e)
{
    const char *name = json_string_value(json_object_get(row, "f")),
               *hex = json_string_value(json_object_get(row, "c"));
    const json_int_t want = json_integer_value(json_object_get(row, "n"));
    const char *dir = s->root;
    if (!name || !hex || !ckpt_key_good(name))
        return ckpt_fail(e, TT_EDATA, "%s/_MANIFEST: a row has no name of a file, or no checksum", dir);
    const bool elements = ckpt_is_element(name);
    const bool whole = deep || !elements;
    uint8_t *part = whole ? malloc(1 << 20) : NULL;
    uint32_t crc = 0;
    const int64_t size = s->size(s, name, e);
    bool ok = part || !whole || ckpt_fail(e, TT_EMEM, "out of memory");
    if (ok && size != want)
        ok = size == -1   ? ckpt_fail(e, TT_EDATA, "%s/%s is missing", dir, name)
             : size == -2 ? false
                          : ckpt_fail(e, TT_EDATA, "%s/%s: has %lld bytes, the manifest says %lld", dir, name,
                                      (long long)size, (long long)want);
    for (int64_t at = 0; ok && whole && at < size; at += 1 << 20) {
        const int64_t n = size - at < 1 << 20 ? size - at : 1 << 20;
        ok = s->read(s, name, at, n, part, e);
        crc = ckpt_crc32c(crc, part, (size_t)n);
    }
    if (ok && whole && crc != (uint32_t)strtoul(hex, NULL, 16))
        ok = ckpt_fail(e, TT_EDATA, "%s/%s: crc32c %08x, the manifest says %s", dir, name, crc, hex);
    free(part);
    return ok;
}

static const char marker[] = "manifest_crc32c ";

/* True if a line of the marker is "manifest_crc32c 1234abcd", with the manifest's checksum, to the letter. */
static bool marked(const ckpt_store *s, ckpt_bytes manifest, ckpt_err *e)
{
    ckpt_bytes text;
    char line[sizeof marker + 16];
    if (s->size(s, "commit_success.txt", e) == -1)
        return ckpt_fail(e, TT_EDATA, "%s: was not finished: there is no commit_success.txt", s->root);
    if (!ckpt_read_key(s, "commit_success.txt", 65536, &text, e)) return false;
    const uint32_t real = ckpt_crc32c(0, manifest.p, manifest.n);
    const int n = snprintf(line, sizeof line, "\n%s%08x\n", marker, real);
    const bool ok = memmem(text.p, text.n, line, (size_t)n) != NULL;
    ckpt_free(&text);
    return ok ||
           ckpt_fail(e, TT_EDATA, "%s/_MANIFEST: the crc32c is %08x, which commit_success.txt does not say", s->root,
                     real);
}

/* True unless the marker has the checksum of a manifest, which is then missing. */
static bool needs_none(const ckpt_store *s, ckpt_err *e)
{
    ckpt_bytes text;
    if (!ckpt_has(s, "commit_success.txt")) return true;
    if (!ckpt_read_key(s, "commit_success.txt", 65536, &text, e)) return false;
    const bool named = memmem(text.p, text.n, marker, sizeof marker - 1) != NULL;
    ckpt_free(&text);
    return !named || ckpt_fail(e, TT_EDATA, "%s/_MANIFEST is missing: commit_success.txt has its crc32c", s->root);
}

bool ckpt_manifest_check(const ckpt_store *s, bool deep, ckpt_err *e)
{
    const char *dir = s->root;
    ckpt_bytes b;
    if (!ckpt_has(s, "_MANIFEST")) return needs_none(s, e);
    bool ok = ckpt_read_key(s, "_MANIFEST", (size_t)1 << 28, &b, e);
    if (!ok) return false;
    ok = marked(s, b, e);
    json_t *o = ok ? json_loadb((const char *)b.p, b.n, JSON_REJECT_DUPLICATES, NULL) : NULL;
    const json_t *files = json_object_get(o, "files");
    if (ok && !json_is_array(files)) ok = ckpt_fail(e, TT_EDATA, "%s/_MANIFEST: has no list of files", dir);
    const json_int_t major = json_integer_value(json_array_get(json_object_get(o, "version"), 0));
    if (ok && major != 1)
        ok = ckpt_fail(e, TT_EDATA, "%s: is of version %lld; version 1 is read", dir, (long long)major);
    for (size_t i = 0; ok && i < json_array_size(files); i++) ok = one_file(s, json_array_get(files, i), deep, e);
    json_decref(o);
    ckpt_free(&b);
    return ok;
}
