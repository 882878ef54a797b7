/* api/engine.c - tt_engine and TUTTI=pjrt: which engine is in force. */
#include "api.h"

#include <stdatomic.h>
#include <string.h>

/* "pjrt:cuda, else cpu": the library, and whether the embedded engine may take its place. False with the error set. */
static bool engine_words(base_site site, const char *text, const char **library, bool *otherwise)
{
    static const char behind[] = "else cpu";
    const char *const comma = strrchr(text, ',');
    const char *end = text + strlen(text), *rest = comma ? comma + 1 : end;
    while (*rest == ' ') rest++;
    *otherwise = comma && !strcmp(rest, behind);
    if (*otherwise) end = comma;
    while (end > text && end[-1] == ' ') end--;
    *library = NULL;
    if (end - text == 3 && !strncmp(text, "cpu", 3)) {
        if (!*otherwise) return true;
        base_fail(TT_EARG, site, "tt_engine: \"%s\": \"else cpu\" has no effect with \"cpu\"", text);
        return base_hint("name a library: \"pjrt:cuda, else cpu\"");
    }
    if (end - text >= 4 && !strncmp(text, "pjrt", 4) && (text + 4 == end || text[4] == ':')) {
        *library = text + 4 == end ? "" : base_format(trace_temp(), "%.*s", (int)(end - text - 5), text + 5);
        if (**library || text + 4 == end) return true;
    }
    base_fail(TT_EARG, site, "tt_engine: no engine is called \"%s\"", text);
    return base_hint("\"pjrt:NAME\" or \"pjrt:/PATH.so\", with \", else cpu\" or without; \"cpu\" is the embedded "
                     "engine");
}

static bool engine_use(base_site site, const char *library, bool otherwise)
{
    const uint64_t before = base_failures();
    const int n = run_engine_open(trace_temp(), site, library);
    if (!n && otherwise && base_failures() > before) {
        base_log("tutti: %s; the embedded engine goes on", base_failed()->what);
        base_clear_error();
    }
    run_engine_use(n ? n : otherwise ? 0 : -1);
    return n || otherwise;
}

ENTRY1(bool, false, tt_engine, const char *, text)
{
    const char *library;
    bool otherwise;
    if (base_failed()) return false;
    if (!text) return base_fail(TT_EARG, site, "tt_engine: the text is NULL");
    if (trace_top()) {
        base_fail(TT_ETRACE, site, "tt_engine: called inside a traced function");
        return base_hint("choose the engine before the function is called");
    }
    if (!engine_words(site, text, &library, &otherwise)) return false;
    if (library) return engine_use(site, library, otherwise);
    run_engine_use(0);
    return true;
}

bool api_engine_begin(base_site site)
{
    static const char *_Atomic opened;                   /* the switch's text, which is interned */
    const char *const library = base_switch("pjrt");
    if (!library || atomic_load(&opened) == library) return true;
    atomic_store(&opened, library);
    if (engine_use(site, library, base_switch("else-cpu"))) return true;
    base_switch_off("pjrt");                             /* run_engine_use has noted that none is in force */
    atomic_store(&opened, NULL);
    return false;
}

ENTRY0(const char *, "", api_devices)
{
    (void)site;
    base_text t = { .arena = trace_temp() };
    const run_engine *const e = run_engine_now();
    const int64_t n = trace_device_count();
    for (int64_t i = 0; i < n; i++) {
        if (e) base_appendf(&t, "%s:%lld %s\n", run_engine_platform(e), (long long)i, run_engine_device(e, (int)i));
        else base_appendf(&t, "embedded:%lld this machine's cores\n", (long long)i);
    }
    return api_keep_text(t.s);
}
const char *tt_devices(void) { return api_devices_at(NULL); }

tt_transfers tt_transfers_now(void)
{
    const run_transfers t = run_transfers_now();
    return (tt_transfers){ t.times[0], t.times[1], t.times[2], t.bytes[0], t.bytes[1], t.bytes[2] };
}
