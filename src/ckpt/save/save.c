/* ckpt/save/save.c - tt_save: writes a tree into a folder or, by the name's ending, into an NPZ or safetensors file. */
#include "../ckpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Sets the path without trailing slashes. False: it is empty, or too long. */
bool ckpt_job_path(ckpt_job *j, const char *path, ckpt_err *e)
{
    size_t n = path ? strlen(path) : 0;
    while (n > 1 && path[n - 1] == '/') n--;
    if (!n || n >= sizeof j->path - 400) return ckpt_fail(e, TT_EARG, n ? "the path is too long" : "there is no path");
    memcpy(j->path, path, n);
    j->path[n] = 0;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    j->began = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    return true;
}

static bool folder(const char *path, tt_val tree, const tt_save_opts *o, ckpt_err *e)
{
    ckpt_job *j = calloc(1, sizeof *j);
    if (!j) return ckpt_fail(e, TT_EMEM, "out of memory");
    j->sub = "";
    j->force = o->force;
    j->writer = o->writer;
    j->writers = o->writers ? o->writers : 1;
    j->patience = o->patience != 0 || tt_given(o, "patience") ? o->patience : 300;
    bool ok = ckpt_job_path(j, path, e) && ckpt_plan_of(&j->plan, tree, e);
    if (ok && !(j->patience >= 0)) ok = ckpt_fail(e, TT_EARG, ".patience = %g; it is seconds, 0 or more", j->patience);
    if (ok && (j->writers < 1 || j->writer < 0 || j->writer >= j->writers))
        ok = ckpt_fail(e, TT_EARG, "writer %d of %d", j->writer, j->writers);
    ok = ok && ckpt_write(j, e);
    ckpt_plan_free(&j->plan);
    free(j);
    return ok;
}

/* Into one file. An error that is not in e has been reported. */
static bool one_file(const char *site, const ckpt_format *format, const char *path, tt_val tree, const tt_save_opts *o,
                     ckpt_err *e)
{
    if (o->writers > 1)
        return ckpt_fail_hint(e, TT_EARG, "several writers share a folder: name no .npz or .safetensors",
                              "%s: .writers = %d of one file", path, o->writers);
    if (o->writer) return ckpt_fail(e, TT_EARG, "writer %d of 1", o->writer);
    if (!(o->patience >= 0)) return ckpt_fail(e, TT_EARG, ".patience = %g; it is seconds, 0 or more", o->patience);
    if (!o->force && access(path, F_OK) == 0) return ckpt_there(e, path);
    return ckpt_may_replace(path, format, e) && format->save(site, path, tree, e);
}

bool tt_save_at(const char *site, const char *path, tt_val tree, const tt_save_opts *o)
{
    if (!TT_CHECKED(tt_save_opts, site, "save", o)) return false;
    ckpt_err e = { 0 };
    tt_items_at(site, tree);                             /* an empty value has its error here, with the line */
    if (!tt_ok()) return false;
    const ckpt_format *format = path ? ckpt_format_of_name(path) : NULL;
    const bool ok = path && ckpt_dry()         ? ckpt_dry_save(path, tree, &e)
                    : format && format->save ? one_file(site, format, path, tree, o, &e)
                                               : folder(path, tree, o, &e);
    if (ok) return true;
    if (!e.code && !tt_ok()) return false;               /* reported already */
    ckpt_report(site, &e);
    return false;
}
