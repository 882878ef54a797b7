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
    if (!n || n >= sizeof j->path - 400)
        return ckpt_fail(e, TT_EARG, !path ? "the path is NULL" : !n ? "the path is empty" : "the path is too long");
    memcpy(j->path, path, n);
    j->path[n] = 0;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    j->began = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    return true;
}

/* In a job: all processes write, and all know whether the save is whole. */
static bool write_together(const char *site, ckpt_job *j, ckpt_err *e)
{
    if (!ckpt_begin(site, "tt_save", j, false, e)) return false;
    ckpt_write(j, e);
    return ckpt_agree(site, "tt_save", NULL, j->patience, e);
}

static bool folder(const char *site, const char *path, tt_val tree, const tt_save_opts *o, ckpt_err *e)
{
    ckpt_job *j = calloc(1, sizeof *j);
    if (!j) return ckpt_fail(e, TT_EMEM, "out of memory");
    j->sub = "";
    j->force = o->force;
    j->ocdbt = o->ocdbt;
    j->patience = o->patience != 0 || tt_given(o, "patience") ? o->patience : 300;
    bool ok = ckpt_job_path(j, path, e) && ckpt_plan_of(&j->plan, tree, e);
    if (ok && !(j->patience >= 0))
        ok = ckpt_fail(e, TT_EARG, ".patience = %g; expected seconds, 0 or more", j->patience);
    ok = ok && ckpt_writers(o, o->writer, o->writers, &j->writer, &j->writers, e);
    ok = ckpt_in_job() ? write_together(site, j, e) : ok && ckpt_write(j, e);
    ckpt_plan_free(&j->plan);
    free(j);
    return ok;
}

/* Into one file. An error that is not in e has been reported. */
static bool one_file(const char *site, const ckpt_format *format, const char *path, tt_val tree, const tt_save_opts *o,
                     ckpt_err *e)
{
    if (o->ocdbt) return ckpt_fail(e, TT_EARG, "%s: .ocdbt has no effect with one file", path);
    if (o->writers > 1)
        return ckpt_fail_hint(e, TT_EARG,
                              "several writers share a folder: give a path without the ending .npz or .safetensors",
                                  "%s: .writers = %d of one file", path, o->writers);
    if (o->writer) return ckpt_fail(e, TT_EARG, "%s: .writer = %d of one file; expected 0", path, o->writer);
    if (!(o->patience >= 0)) return ckpt_fail(e, TT_EARG, ".patience = %g; expected seconds, 0 or more", o->patience);
    if (!o->force && access(path, F_OK) == 0) return ckpt_there(e, path);
    return ckpt_may_replace(path, format, e) && format->save(site, path, tree, e);
}

/* In a job: process 0 writes what it has gathered. */
static bool one_file_together(const char *site, const ckpt_format *format, const char *path, tt_val tree,
                              const tt_save_opts *o, ckpt_err *e)
{
    int me, all;
    const double patience = o->patience != 0 || tt_given(o, "patience") ? o->patience : 300;
    ckpt_writers(o, o->writer, o->writers, &me, &all, e);
    ckpt_plan plan = { 0 };
    if (!e->code) ckpt_plan_of(&plan, tree, e);
    const bool one = ckpt_agree(site, "tt_save", path, 0, e) && ckpt_same_leaves(site, "tt_save", &plan, e);
    ckpt_plan_free(&plan);
    if (!one) return false;
    const tt_save_opts alone = { .size = sizeof alone, .force = o->force, .ocdbt = o->ocdbt, .patience = patience };
    const tt_scope scope = tt_scope_open();
    const tt_val whole = ckpt_gathered(site, tree);
    if (!me && tt_ok()) one_file(site, format, path, whole, &alone, e);
    tt_scope_close(scope);
    return ckpt_agree(site, "tt_save", NULL, patience, e);
}

bool tt_save_at(const char *site, const char *path, tt_val tree, const tt_save_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_save_opts, site, "save", o)) return false;
    ckpt_err e = { 0 };
    tt_items_at(site, tree);                             /* an empty value has its error here, with the line */
    if (!tt_ok() && !ckpt_in_job()) return false;
    const ckpt_format *format = path ? ckpt_format_of_name(path) : NULL;
    const char *const foreign = path ? ckpt_foreign_ending(path) : NULL;
    if (foreign)
        ckpt_fail_hint(&e, TT_EARG, "a path that ends in .npz or .safetensors is one file; any other path is a folder",
                       "%.200s: no format that tt_save writes has the ending \"%s\"", path, foreign);
    const bool single = format && format->save, ok = foreign ? ckpt_in_job() && ckpt_agree(site, "tt_save", path, 0, &e)
        : path && ckpt_dry() ? ckpt_dry_save(path, tree, &e)
        : single && ckpt_in_job() ? one_file_together(site, format, path, tree, o, &e)
        : single ? one_file(site, format, path, tree, o, &e) : folder(site, path, tree, o, &e);
    if (ok) return true;
    if (!e.code && !tt_ok()) return false;               /* reported already */
    ckpt_report(site, &e);
    return false;
}
