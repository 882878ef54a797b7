/* cli/ckpt.c - tutti ckpt: checkpoints from the command line, of Tutti, Orbax and others.
 *
 *     tutti ckpt ls PATH               lists the contents; of a folder of steps: its steps
 *     tutti ckpt verify PATH           reads every byte and compares every checksum
 *     tutti ckpt export PATH TO        as TO: a folder, FILE.npz or FILE.safetensors; --force replaces it
 *
 * PATH may be a folder of steps: ls and verify treat all of them, export the newest. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tutti.h>
#include <unistd.h>

static const char usage[] = "usage: tutti ckpt ls PATH | verify PATH | export PATH TO [--force]\n";

enum { MOST = 4096, METADATA = 4000 };                    /* steps; bytes of metadata that are shown */
/* The steps in a folder; 0: not a folder of steps. */
static int steps_of(const char *path, tt_manager *m, int64_t *step)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) return 0;
    *m = tt_manager_open(path);
    const int n = tt_ok() ? tt_manager_steps(*m, MOST, step) : 0;
    return n < MOST ? n : MOST;
}

static void line(const tt_ckpt_item *t, int wide)
{
    printf("  %-*s  ", wide, *t->path ? t->path : "(array)");
    if (t->text) printf("string \"%.60s\"\n", t->text);
    else if (strcmp(t->what, "array")) printf("%s\n", t->what);
    else {
        int64_t dim[16];
        for (int i = 0; i < t->rank; i++) dim[i] = t->dim[i];
        dim[t->rank] = TT_DIM_END;
        const tt_val v = tt_shape_at(0, t->dtype, dim);
        printf("%-28s %14.3f MB", tt_type_text(v), (double)tt_bytes(v) / 1e6);
        if (t->stored) printf("  stored as %s", t->stored);
        if (t->spec && *t->spec) printf("  %s on %s", t->spec, t->mesh ? t->mesh : "");
        if (t->axes) printf("  (%s)", t->axes);
        printf("\n");
    }
}

static int ckpt_list(const char *path)
{
    const tt_ckpt c = tt_ckpt_open_at("tutti ckpt ls", path);
    int wide = 0, arrays = 0;
    if (!tt_ok()) return 1;
    for (int i = 0; i < tt_ckpt_count(c); i++) {
        const int n = (int)strlen(tt_ckpt_at(c, i)->path);
        wide = n > wide ? n : wide;
        arrays += !strcmp(tt_ckpt_at(c, i)->what, "array");
    }
    printf("%s: %s, %d arrays\n", path, tt_ckpt_format(c), arrays);
    for (int i = 0; i < tt_ckpt_count(c); i++) line(tt_ckpt_at(c, i), wide < 60 ? wide : 60);
    const char *const meta = tt_ckpt_metadata(c);
    const size_t most = strlen(meta) > METADATA ? METADATA : strlen(meta);
    if (*meta) printf("  metadata %.*s%s\n", (int)most, meta, meta[most] ? " ..." : "");
    return tt_ok() ? 0 : 1;
}

static int verify(const char *path)
{
    tt_ckpt_counts n;
    if (!tt_ckpt_verify_at("tutti ckpt verify", path, &n)) return !tt_ok();      /* which has reported the error */
    printf("%s: %lld arrays, %.3f MB: %s\n", path, (long long)n.arrays, (double)n.bytes / 1e6,
           n.manifest ? "every byte is as it was written" : "reads; no manifest vouches for all of it");
    return 0;
}

static int export(const char *path, const char *to, int force)
{
    static const char command[] = "tutti ckpt export";
    if (!force && access(to, F_OK) == 0) {
        fprintf(stderr, "%s: %s is there already; --force replaces it\n", command, to);
        return 1;
    }
    const tt_val v = tt_load_at(command, path, NULL);
    if (!tt_ok() || !tt_save_at(command, to, v, &(tt_save_opts){ .size = sizeof(tt_save_opts), .force = force }))
        return 1;
    printf("%s: %d arrays, %.3f MB\n", to, tt_tree_leaves(v, 0, NULL), (double)tt_bytes(v) / 1e6);
    return 0;
}

int cli_ckpt(int argc, char **argv)
{
    static int64_t step[MOST];
    tt_manager m = { 0 };
    const char *what = argc > 1 ? argv[1] : "";
    const int ls = !strcmp(what, "ls"), check = !strcmp(what, "verify"), convert = !strcmp(what, "export");
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--help") && strcmp(argv[i], "-h")) continue;
        fputs(usage, stdout);
        return 0;
    }
    if (*what && !(ls || check || convert)) {
        fprintf(stderr, "tutti ckpt: no command \"%s\"\n%s", what, usage);
        return 2;
    }
    const int force = convert && argc == 5 && !strcmp(argv[4], "--force");
    if (argc != (convert ? 4 + force : 3) || !*what) {
        fputs(usage, stderr);
        return 2;
    }
    const int n = steps_of(argv[2], &m, step);
    int bad = 0;
    if (n && convert) return export(tt_manager_path(m, step[n - 1]), argv[3], force) ? 1 : tt_done();
    for (int i = 0; i < n && ls; i++)
        printf("step %lld%s\n", (long long)step[i], i == n - 1 ? " (the newest)" : "");
    if (n && ls) return ckpt_list(tt_manager_path(m, step[n - 1])) ? 1 : tt_done();
    for (int i = 0; i < n; i++) {
        bad |= verify(tt_manager_path(m, step[i]));
        tt_clear();
    }
    if (!n) bad = convert ? export(argv[2], argv[3], force) : ls ? ckpt_list(argv[2]) : verify(argv[2]);
    return bad ? 1 : tt_done();
}
