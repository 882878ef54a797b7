/* run/there_trace.c - TUTTI=time:FILE on engines of PJRT: the trace of the library's own profiler, in a file beside the
 * timeline: run.json has run.cuda.xplane.pb beside it. A line in the log says which library has no profiler.
 *
 * The trace begins when the engine is opened and ends with the first report, which is the end of the program unless
 * the program asks for one. */
#include "there.h"

#include <stdio.h>
#include <string.h>

void run_trace_there(run_engine *e)
{
    const char *why = "";
    if (!run_timeline_on()) return;
    if ((e->traced = e->trace(e, &why))) return;
    base_log("the library of %s gives no trace of its own: %s", e->platform, why);
}

static bool written(void *env, const void *bytes, size_t n)
{
    run_profile_out out;
    if (!run_profile_open(&out, "the library's trace", env)) return false;
    fwrite(bytes, 1, n, out.to);                         /* run_profile_close sees an error of the file */
    return run_profile_close(&out);
}

void run_traces_there_end(run_engine *e)
{
    char file[RUN_PATH], path[RUN_PATH + 64];
    const char *const to = e->traced ? run_profile_file("time", file) : NULL, *why = "";
    if (!to) return;
    const char *const slash = strrchr(to, '/'), *const dot = strrchr(slash ? slash : to, '.');
    const int stem = dot ? (int)(dot - to) : (int)strlen(to);
    base_snprintf(path, sizeof path, "%.*s.%s.xplane.pb", stem, to, e->platform);
    e->traced = false;
    const uint64_t before = base_failures();
    if (e->take_trace(e, written, path, &why)) base_log("timeline of the library of %s: %s", e->platform, path);
    else if (base_failures() == before) base_log("the library of %s has lost its trace: %s", e->platform, why);
}
