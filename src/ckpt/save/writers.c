/* ckpt/save/writers.c - saves by several processes into one folder: each process writes its own files, and the
 * processes communicate only through that folder.
 *
 * The first writer creates the temporary folder with a nonce in it. Every other writer answers with that nonce and its
 * own, and begins when the first writer has repeated its nonce: so no writer writes into the remains of an earlier
 * save. Then each writer leaves its entries of the manifest; the first writer checks that every file exists exactly
 * once, and commits. Waiting has a time limit, and its error names the missing writers. */
#include "../ckpt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void rest(void) { nanosleep(&(struct timespec){ 0, 3000000 }, NULL); }

static void desk(const ckpt_job *j, char *to, size_t capacity) { snprintf(to, capacity, "%.4000s/writers", j->temp); }

/* Writes a note atomically. */
static bool post(const ckpt_job *j, const char *what, int who, const char *text, ckpt_err *e)
{
    char dir[CKPT_PATH], part[64], name[64], from[2 * CKPT_PATH], to[2 * CKPT_PATH];
    desk(j, dir, sizeof dir);
    snprintf(part, sizeof part, "part.%s.%d", what, who);
    snprintf(name, sizeof name, "%s.%d", what, who);
    snprintf(from, sizeof from, "%s/%s", dir, part);
    snprintf(to, sizeof to, "%s/%s", dir, name);
    unlink(from);
    if (!ckpt_file_text(dir, part, text, strlen(text), NULL, e)) return false;
    return rename(from, to) == 0 || ckpt_fail(e, TT_EIO, "%s: %s", to, strerror(errno));
}

/* NULL: there is no such note. The caller frees it. */
static char *writers_note(const ckpt_job *j, const char *what, int who)
{
    char dir[CKPT_PATH], name[64];
    ckpt_err quiet = { 0 };
    ckpt_bytes b;
    desk(j, dir, sizeof dir);
    snprintf(name, sizeof name, "%s.%d", what, who);
    ckpt_store *s = ckpt_folder(dir, &quiet);
    char *text = s && ckpt_read_key(s, name, (size_t)1 << 28, &b, &quiet) ? strndup((const char *)b.p, b.n) : NULL;
    if (text) ckpt_free(&b);
    ckpt_store_close(s);
    return text;
}

bool ckpt_desk_make(const ckpt_job *j, ckpt_err *e)
{
    char dir[CKPT_PATH];
    desk(j, dir, sizeof dir);
    return ckpt_dir_make(dir, e) && post(j, "desk", 0, j->nonce, e);
}

/* True if the folder is that of this save: one of another host may be left of an earlier save. */
static bool is_desk(const ckpt_job *j)
{
    char *const nonce = writers_note(j, "desk", 0);
    const bool is = nonce && !strcmp(nonce, j->nonce);
    free(nonce);
    return is;
}

bool ckpt_desk_seen(const ckpt_job *j, ckpt_err *e)
{
    const char *const word = tt_config_value("patience");
    const double began = now(), half = word ? atof(word) / 2 : 10;       /* others wait for this rank meanwhile */
    while (!is_desk(j)) {
        if (now() - began > (half < 10 ? half : 10))
            return ckpt_fail_hint(e, TT_EIO, "the ranks of a job save into one folder, which all of them see",
                                  "%s: the folder that rank 0 has made is not visible to this rank", j->temp);
        rest();
    }
    return true;
}

static bool patience(const ckpt_job *j, double began, const char *what, int who, ckpt_err *e)
{
    if (now() - began < j->patience) return rest(), true;
    return ckpt_fail(e, TT_ERANK, "%s: writer %d of %d did not %s within %g s", j->path, who, j->writers, what,
                     j->patience);
}

/* ---- the first writer ---- */

bool ckpt_join(ckpt_job *j, ckpt_err *e)
{
    const double began = now();
    if ((!j->joined && !ckpt_desk_make(j, e)) || !post(j, "save", 0, j->nonce, e)) return false;
    for (int w = 1; !j->joined && w < j->writers;) {
        char nonce[64] = "", word[64] = "", *text = writers_note(j, "join", w);
        unsigned mark = 0;
        const bool mine = text && sscanf(text, "%63s %63s %x", nonce, word, &mark) == 3 && !strcmp(nonce, j->nonce);
        free(text);
        if (!mine) {
            if (!patience(j, began, "begin", w, e)) return false;
            continue;
        }
        if (mark != ckpt_plan_mark(&j->plan))
            return ckpt_fail(e, TT_ETREE, "%s: writer %d saves another tree, or other shapes, than writer 0", j->path,
                             w);
        if (!post(j, "ack", w++, word, e)) return false;
    }
    return true;
}

/* True if every file of every leaf is listed exactly once; else sets the error. */
static bool writers_complete(const ckpt_job *j, ckpt_err *e)
{
    json_t *seen = json_object();
    int64_t want = 0;
    bool ok = seen != NULL || ckpt_fail(e, TT_EMEM, "out of memory");
    for (int i = 0; i < j->plan.n; i++) want += j->plan.out[i].empty ? 0 : j->plan.out[i].cells;
    for (size_t i = 0; ok && i < json_array_size(j->files); i++) {
        const char *f = json_string_value(json_object_get(json_array_get(j->files, i), "f"));
        if (!f || json_object_get(seen, f))
            ok = ckpt_fail(e, TT_ERANK, "%s: \"%.200s\" was written twice", j->path, f ? f : "");
        else json_object_set_new(seen, f, json_true());
        if (ok && ckpt_is_element(f) && !ckpt_is_file(j->temp, f))
            ok = ckpt_fail(e, TT_ERANK, "%s/%.200s is missing", j->temp, f);
        const json_t *const values = json_object_get(json_array_get(j->files, i), "v");
        want -= !ok || !ckpt_is_element(f) ? 0 : values ? (int64_t)json_array_size(values) : 1;
    }
    json_decref(seen);
    return ok &&
           (!want || ckpt_fail(e, TT_ERANK, "%s: %lld files of elements were not written", j->path, (long long)want));
}

static bool gather_all(ckpt_job *j, ckpt_err *e)
{
    const double began = now();
    for (int w = 1; w < j->writers;) {
        char *text = writers_note(j, "failed", w), dir[CKPT_PATH];
        if (text) ckpt_fail(e, TT_ERANK, "%s: writer %d: %.600s", j->path, w, text);
        free(text);
        if (e->code) return false;
        if (!(text = writers_note(j, "done", w))) {
            if (!patience(j, began, "finish", w, e)) return false;
            continue;
        }
        json_t *rows = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
        free(text);
        if (!json_is_array(rows)) ckpt_fail(e, TT_ERANK, "%s: the list of files of writer %d is damaged", j->path, w);
        else json_array_extend(j->files, rows);
        json_decref(rows);
        if (e->code) return false;
        desk(j, dir, sizeof dir);
        if (++w == j->writers) ckpt_remove(dir);
    }
    return writers_complete(j, e);
}

/* ---- the other writers ---- */

/* In a job: waits until the first writer has made the folders. */
static bool writers_led(const ckpt_job *j, ckpt_err *e)
{
    const double began = now();
    for (;;) {
        char *nonce = writers_note(j, "save", 0);
        const bool led = nonce && !strcmp(nonce, j->nonce);
        free(nonce);
        if (led) return true;
        if (!ckpt_is_dir(j->temp, "."))
            return ckpt_fail(e, TT_ERANK, "%s: writer 0 gave up: its own error says why", j->path);
        if (!patience(j, began, "begin", 0, e)) return false;
    }
}

bool ckpt_follow(ckpt_job *j, ckpt_err *e)
{
    if (j->joined) return writers_led(j, e);
    char word[33], text[200];
    const double began = now();
    if (!j->force && access(j->path, F_OK) == 0) return ckpt_there(e, j->path);
    if (!ckpt_random_name(word, e)) return false;
    for (;;) {
        char *nonce = writers_note(j, "save", 0), *ack = writers_note(j, "ack", j->writer);
        const bool heard = ack && !strcmp(ack, word);
        free(ack);
        if (heard) return free(nonce), true;
        if (nonce && strlen(nonce) == 32 && strcmp(nonce, j->nonce)) {       /* a new save: request to join it */
            ckpt_err quiet = { 0 };
            snprintf(text, sizeof text, "%s %s %08x", nonce, word, ckpt_plan_mark(&j->plan));
            if (post(j, "join", j->writer, text, &quiet)) memcpy(j->nonce, nonce, 33);
        }
        free(nonce);
        if (!patience(j, began, "begin", 0, e)) return false;
    }
}

static bool committed(const ckpt_job *j)
{
    ckpt_err quiet = { 0 };
    ckpt_bytes b;
    ckpt_store *s = ckpt_folder(j->path, &quiet);
    char *text = s && ckpt_read_key(s, "commit_success.txt", 65536, &b, &quiet) ? strndup((const char *)b.p, b.n)
        : NULL;
    const bool ok = text && strstr(text, j->nonce);
    if (text) ckpt_free(&b);
    free(text);
    ckpt_store_close(s);
    return ok;
}

static bool hand_in(ckpt_job *j, ckpt_err *e)
{
    const double began = now();
    char *rows = json_dumps(j->files, JSON_COMPACT);
    const bool ok = rows ? post(j, "done", j->writer, rows, e) : ckpt_fail(e, TT_EMEM, "out of memory");
    free(rows);
    while (ok && !committed(j)) {
        if (!ckpt_is_dir(j->temp, ".") && !committed(j))
            return ckpt_fail(e, TT_ERANK, "%s: writer 0 gave up: its own error says why", j->path);
        if (!patience(j, began, "finish", 0, e)) return false;
    }
    return ok;
}

bool ckpt_gather(ckpt_job *j, ckpt_err *e) { return j->writer ? hand_in(j, e) : gather_all(j, e); }

void ckpt_report_failure(ckpt_job *j, const ckpt_err *e)
{
    ckpt_err quiet = { 0 };
    post(j, "failed", j->writer, e->text, &quiet);
}
