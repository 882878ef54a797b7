/* ckpt/save/commit.c - a save from beginning to end: everything is written into a folder with a temporary name and
 * synced, then follow a manifest, a marker and one rename. After a crash the old checkpoint is complete, and the new
 * one is absent or complete.
 *
 * Order: files and their folders, many of them synced at the same time (sync.c); _MANIFEST; commit_success.txt; the
 * rename; the parent folder. Each begins when everything before it is durable. */
#include "../ckpt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static bool document(ckpt_job *j, const char *dir, const char *sub, const char *name, json_t *o, ckpt_err *e)
{
    char file[1024];
    ckpt_file f = { .fd = -1 };
    char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;
    bool ok = text || ckpt_fail(e, TT_EMEM, "out of memory for %s", name);
    const size_t n = ok ? strlen(text) : 0;
    snprintf(file, sizeof file, "%s%s", sub, name);
    ok = ok && ckpt_file_new(&f, dir, name, e) && ckpt_file_hand(&f, j->sync, ckpt_file_write(&f, text, n, e));
    ok = ok && ckpt_row(j, file, (int64_t)n, f.crc, e);
    free(text);
    json_decref(o);
    return ok;
}

/* Creates the ancestors of a folder with a name like "a/b". */
static bool folders_to(ckpt_job *j, char *dir, ckpt_err *e)
{
    for (char *slash = strchr(dir + strlen(j->item) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        const bool ok = ckpt_dir_make(dir, e);
        *slash = '/';
        if (!ok) return false;
    }
    return true;
}

/* Hands these ancestors to the sync threads, after their contents have been created. */
static bool sync_ancestors(ckpt_job *j, char *dir, ckpt_err *e)
{
    char *const first = dir + strlen(j->item) + 1;
    for (char *slash = strrchr(first, '/'); slash; slash = strrchr(first, '/')) {
        *slash = 0;
        if (!ckpt_dir_hand(dir, j->sync, e)) return false;
    }
    return true;
}

static bool leaf_folders(ckpt_job *j, ckpt_err *e)
{
    for (int i = 0; i < j->plan.n; i++) {
        const ckpt_out *o = &j->plan.out[i];
        char dir[2 * CKPT_PATH], sub[512];
        if (o->empty) continue;
        snprintf(dir, sizeof dir, "%s/%s", j->item, o->folder);
        snprintf(sub, sizeof sub, "%s%s/%s", j->ocdbt ? "" : j->sub, o->folder, j->ocdbt ? "zarr.json" : "");
        if (j->ocdbt && !ckpt_values_keep(j, sub, ckpt_leaf_doc(o), e)) return false;
        if (j->ocdbt) continue;
        if (!folders_to(j, dir, e) || !ckpt_dir_make(dir, e)) return false;
        if (!document(j, dir, sub, "zarr.json", ckpt_leaf_doc(o), e)) return false;
    }
    return true;
}

static bool documents(ckpt_job *j, ckpt_err *e)
{
    char metrics[CKPT_PATH + 16];
    json_t *sharding = ckpt_sharding_doc(&j->plan);
    if (!leaf_folders(j, e) || (sharding && !document(j, j->item, j->sub, "_sharding", sharding, e))) return false;
    if (!document(j, j->item, j->sub, "zarr.json", ckpt_group_doc(&j->plan), e)) return false;
    if (!document(j, j->item, j->sub, "_METADATA", ckpt_metadata_doc(&j->plan, j->ocdbt), e)) return false;
    if (!document(j, j->temp, "", "_CHECKPOINT_METADATA", ckpt_step_doc(*j->sub, j->metrics != NULL, j->began), e))
        return false;
    if (!j->metrics) return true;
    snprintf(metrics, sizeof metrics, "%s/metrics", j->temp);
    return ckpt_dir_make(metrics, e) && document(j, metrics, "metrics/", "metrics", json_incref(j->metrics), e) &&
           ckpt_dir_hand(metrics, j->sync, e);
}

/* Writes this writer's files: the files of all leaves are distributed over the writers in rotation; in a job each goes
 * to a writer that has its elements. On return the files and the documents are durable. */
static bool elements(ckpt_job *j, ckpt_err *e)
{
    int64_t turn = 0;
    for (int i = 0; i < j->plan.n; i++) {
        const ckpt_out *o = &j->plan.out[i];
        char dir[2 * CKPT_PATH];
        bool wrote = false;
        for (int64_t c = 0; !o->empty && c < o->cells; c++, turn++) {
            if ((o->owner ? o->owner[c] : turn % j->writers) != j->writer) continue;
            if (!ckpt_cell(j, o, c, e)) return false;
            wrote = true;
        }
        if (j->ocdbt || (!wrote && (j->writer || o->empty))) continue;
        snprintf(dir, sizeof dir, "%s/%s", j->item, o->folder);
        if (!ckpt_dir_hand(dir, j->sync, e) || !sync_ancestors(j, dir, e)) return false;
    }
    return (!j->ocdbt || ckpt_values_close(j, e)) && ckpt_sync_wait(j->sync, e);
}

static bool disk_has_space(const ckpt_job *j, ckpt_err *e)
{
    char dir[CKPT_PATH];
    struct statvfs s;
    ckpt_above(j->path, dir, sizeof dir);
    if (statvfs(dir, &s) != 0) return ckpt_fail(e, TT_EIO, "%s: %s", dir, strerror(errno));
    const double have = (double)s.f_bavail * (double)s.f_frsize,
                 need = 1.01 * (double)j->plan.bytes + 4096.0 * j->plan.n;
    return need <= have || ckpt_fail(e, TT_EIO, "%s: needs %.3f MB, the disk has %.3f MB free; nothing was written",
                                     j->path, need / 1e6, have / 1e6);
}

/* Where the temporary folder of several writers goes before it is removed. */
static void dead_name(const ckpt_job *j, char *to, size_t capacity)
{
    snprintf(to, capacity, "%.4000s.dead%s", j->path, ckpt_suffix);
}

/* A temporary folder left by a died save is removed: only one save of a path runs at a time. */
bool ckpt_job_start(ckpt_job *j, ckpt_err *e)
{
    if (!j->force && access(j->path, F_OK) == 0) return ckpt_there(e, j->path);
    if (!ckpt_may_replace(j->path, NULL, e)) return false;
    if (!ckpt_random_name(j->nonce, e) || !disk_has_space(j, e)) return false;
    char dead[CKPT_PATH + 64];
    dead_name(j, dead, sizeof dead);
    if (j->writers > 1) ckpt_remove(dead);
    ckpt_remove(j->temp);
    j->began_temp = true;
    return ckpt_dir_make(j->temp, e) && (!*j->sub || ckpt_dir_make(j->item, e));
}

static bool commit(ckpt_job *j, ckpt_err *e)
{
    char note[CKPT_PATH + 200];
    json_t *o = json_pack("{s:s, s:[i, i], s:s, s:s, s:i, s:O}", "format", "tutti", "version", 1, 0, "library",
                          TT_VERSION, "nonce", j->nonce, "writers", j->writers, "files", j->files);
    char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;
    uint32_t crc = 0;
    json_decref(o);
    bool ok = text || ckpt_fail(e, TT_EMEM, "out of memory for the manifest");
    ok = ok && (!*j->sub || ckpt_dir_sync(j->item, e));
    ok = ok && ckpt_file_text(j->temp, "_MANIFEST", text, strlen(text), &crc, e) && ckpt_dir_sync(j->temp, e);
    free(text);
    const int n =
        snprintf(note, sizeof note, "Checkpoint commit was successful to %s\nmanifest_crc32c %08x\nnonce %s\n", j->path,
                 crc, j->nonce);
    ok = ok && ckpt_file_text(j->temp, "commit_success.txt", note, (size_t)n, NULL, e) && ckpt_dir_sync(j->temp, e);
    return ok && ckpt_may_replace(j->path, NULL, e) && ckpt_move(j->temp, j->path, j->force, e);
}

static bool lead(ckpt_job *j, ckpt_err *e)
{
    bool ok = (j->joined || ckpt_job_start(j, e)) && documents(j, e);
    ok = ok && (j->writers == 1 || ckpt_join(j, e)) && elements(j, e);
    ok = ok && (j->writers == 1 || ckpt_gather(j, e)) && (!j->ocdbt || ckpt_values_write(j, e)) && commit(j, e);
    return ok;
}

bool ckpt_job_names(ckpt_job *j, ckpt_err *e)
{
    if (snprintf(j->temp, sizeof j->temp, "%s%s", j->path, ckpt_suffix) >= (int)sizeof j->temp - 300)
        return ckpt_fail(e, TT_EARG, "%.200s...: the path is longer than %d bytes", j->path,
                         (int)sizeof j->temp - 300 - (int)strlen(ckpt_suffix));
    const size_t n = strlen(j->sub);                     /* "default/" is the folder "default" */
    char sub[64];
    snprintf(sub, sizeof sub, "%s%.*s", n ? "/" : "", n ? (int)n - 1 : 0, j->sub);
    snprintf(j->item, sizeof j->item, "%.4000s%s", j->temp, sub);
    return true;
}

/* The folder of several writers is renamed before it is removed: so it is gone at once, no other writer creates a file
 * in it meanwhile, and each sees that the save is over. */
void ckpt_give_up(ckpt_job *j, const ckpt_err *e)
{
    char dead[CKPT_PATH + 64];
    if (j->writer) ckpt_report_failure(j, e);
    if (!j->began_temp) return;
    dead_name(j, dead, sizeof dead);
    if (j->writers > 1 && rename(j->temp, dead) == 0) ckpt_remove(dead);
    else ckpt_remove(j->temp);
}

bool ckpt_write(ckpt_job *j, ckpt_err *e)
{
    if (!ckpt_job_names(j, e)) return false;
    if (!(j->sync = ckpt_sync_begin(e))) return false;
    if (!(j->files = json_array())) return ckpt_sync_end(j->sync), ckpt_fail(e, TT_EMEM, "out of memory");
    const bool mine = !j->writer;
    j->data.fd = -1;
    const bool ok = mine ? lead(j, e) : ckpt_follow(j, e) && elements(j, e) && ckpt_gather(j, e);
    if (j->data.fd >= 0) close(j->data.fd);
    ckpt_sync_end(j->sync);
    if (!ok) ckpt_give_up(j, e);
    json_decref(j->files), json_decref(j->values), json_decref(j->docs);
    j->files = j->values = j->docs = NULL;
    return ok;
}
