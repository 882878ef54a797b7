/* ckpt/store/file.c - reads one complete value of a store, as bytes or as JSON; checks keys. */
#include "../ckpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ckpt_key_good(const char *key)
{
    if (!*key || *key == '/') return false;
    for (const char *p = key; *p;) {
        const size_t n = strcspn(p, "/");
        if (!n || (n == 1 && *p == '.') || (n == 2 && p[0] == '.' && p[1] == '.')) return false;
        p += n + (p[n] == '/');
        if (!*p && p[-1] == '/') return false;
    }
    return true;
}

bool ckpt_read_key(const ckpt_store *s, const char *key, size_t most, ckpt_bytes *out, ckpt_err *e)
{
    const int64_t n = s->size(s, key, e);
    *out = (ckpt_bytes){ 0 };
    if (n < 0) return n == -1 ? ckpt_fail(e, TT_EDATA, "%s/%s is missing", s->root, key) : false;
    if ((size_t)n > most)
        return ckpt_fail(e, TT_EDATA, "%s/%s: has %lld bytes; at most %zu are read", s->root, key, (long long)n, most);
    if (!ckpt_alloc(e, out, (size_t)n)) return false;
    if (s->read(s, key, 0, n, out->p, e)) return true;
    ckpt_free(out);
    return false;
}

bool ckpt_json(const ckpt_store *s, const char *key, json_t **out, ckpt_err *e)
{
    ckpt_bytes b;
    json_error_t why;
    if (!ckpt_read_key(s, key, (size_t)1 << 28, &b, e)) return false;
    *out = json_loadb((const char *)b.p, b.n, JSON_REJECT_DUPLICATES, &why);
    ckpt_free(&b);
    if (*out && json_is_object(*out)) return true;
    json_decref(*out);
    const bool read = *out != NULL;
    *out = NULL;
    return ckpt_fail(e, TT_EDATA, "%s/%s: %s%s", s->root, key, read ? "is not a JSON object"
                     : "is no whole JSON text: ", read ? "" : why.text);
}
