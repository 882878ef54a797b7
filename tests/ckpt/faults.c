/* faults.c - a save during which one system call fails, once or from there on: ENOSPC, EIO, EINTR; or the process
 * ends there. What the call promised is there, what was there before is not lost, parts of two are never seen, and the
 * next good save leaves nothing of the failed one behind.
 *
 * usage: ckpt_faults [--stride N] [--seed N]. Each kind of save is tried with every N-th of its calls failing. */
#include "check.h"

#include "attack/calls.h"

#include <dirent.h>
#include <sys/wait.h>
#include <tutti.h>

static char dir[64] = "/tmp/tutti-faults-XXXXXX";

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

static tt_val tree_of(int k)
{
    const tt_val w = tt_add(tt_zeros(TT_F32, 40, 8), tt_f((double)k));
    return tt_dict("w", w, "b", tt_add(tt_zeros(TT_F32, 5), tt_f((double)k)), "n", tt_f((double)k));
}

static int k_of(tt_val t)                                /* -1: none, or of several */
{
    if (!tt_ok()) return -1;
    const int k = (int)tt_num(tt_get(t, "n"));
    const bool all = tt_num(tt_amin(tt_get(t, "w"))) == k && tt_num(tt_amax(tt_get(t, "w"))) == k &&
                     tt_num(tt_amin(tt_get(t, "b"))) == k && tt_num(tt_amax(tt_get(t, "b"))) == k;
    return all ? k : -1;
}

typedef enum { FOLDER, STEPS, BEHIND, TENSORS, ARCHIVE, STORE, KINDS } kind;
static const char *const names[KINDS] = { "folder", "steps", "behind", "x.safetensors", "x.npz", "store" };

static const char *place(kind w)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", dir, names[w]);
    return path;
}

/* Step or value k; what the call says. */
static bool save(kind w, int k)
{
    if (w != STEPS && w != BEHIND) return tt_save(place(w), tree_of(k), .force = 1, .ocdbt = w == STORE);
    const tt_manager m = tt_manager_open(place(w), .keep = 2, .background = w == BEHIND);
    return tt_manager_save(m, k, tree_of(k)) && tt_manager_wait(m);
}

static int newest(kind w)
{
    if (w != STEPS && w != BEHIND) return k_of(tt_load(place(w)));
    const tt_manager m = tt_manager_open(place(w));
    return k_of(tt_manager_load(m, tt_manager_newest(m)));
}

static int left(const char *path)                        /* names of something unfinished */
{
    DIR *d = opendir(path);
    int n = 0;
    for (struct dirent *f; d && (f = readdir(d));)
        n += strstr(f->d_name, ".orbax-checkpoint-tmp") || strstr(f->d_name, ".part-");
    if (d) closedir(d);
    return n;
}

/* Saves in a process of its own, which ends at the call. */
static bool killed(kind w, int k, long at)
{
    int status = 0;
    const pid_t pid = fork();
    if (!pid) {
        calls.why = 0, calls.ever = false;
        atomic_store(&calls.n, 0);
        calls.at = at;
        const bool done = save(w, k);
        calls.at = 0;
        _exit(done ? 0 : 1);
    }
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) != 1,
          "%s: call %ld: the child ended with %d", names[w], at, status);
    return WEXITSTATUS(status) == 0;
}

static void faults(kind w, int stride)
{
    static const int why[] = { ENOSPC, EIO, EINTR };
    int k = 1, tried = 0, told = 0;
    CHECK(save(w, k), "%s", tt_error());
    atomic_store(&calls.n, 0);
    CHECK(save(w, ++k), "%s", tt_error());
    const long all = atomic_load(&calls.n) + 2;
    for (long at = 1 + rand() % stride; at <= all; at += stride) {
        if (!check_turn((size_t)(at / stride))) continue;
        for (int turn = 0; turn < 6; turn++, tried++) {  /* a call is not interrupted for ever: the last is a kill */
            const tt_scope scope = tt_scope_open();
            const int before = k++;
            calls.why = why[turn % 3], calls.ever = turn >= 3;
            atomic_store(&calls.n, 0);
            calls.at = at;
            if (turn == 5) calls.at = 0;
            const bool done = turn == 5 ? killed(w, k, at) : save(w, k);
            calls.at = 0;
            told += !done;
            if (!done) tt_clear();
            tt_scope_close(scope);
            const tt_scope next = tt_scope_open();
            const int now = newest(w);
            CHECK(now == k || (!done && now == before), "%s: call %ld of %ld, errno %d%s: %s, %d is there, not %d: %s",
                  names[w], at, all, calls.why, calls.ever ? " for ever" : "", done ? "saved" : "failed", now, k,
                  tt_ok() ? "" : tt_error());
            tt_clear();
            const bool good = save(w, ++k);
            CHECK(good && newest(w) == k, "%s: call %ld: then a good save: %s", names[w], at,
                  tt_ok() ? "" : tt_error());
            CHECK(!left(dir) && !left(place(w)), "%s: call %ld of %ld, errno %d: something is left", names[w], at, all,
                  calls.why);
            tt_clear();
            tt_scope_close(next);
        }
    }
    printf("%s: %ld calls, %d saves with a fault, %d of them told\n", names[w], all - 2, tried, told);
    CHECK_VOLUME(tried, "saves with a call that fails");
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--stride N --seed N")) return check_done();
    char command[100];
    int stride = 5;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--stride")) stride = atoi(argv[i + 1]);
        if (!strcmp(argv[i], "--seed")) srand((unsigned)atoi(argv[i + 1]));
    }
    if (!check_folder(dir)) return 1;
    tt_on_error(silent, NULL);
    for (kind w = 0; w < KINDS; w++) faults(w, stride);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    CHECK(system(command) == 0, "%s stays", dir);
    tt_done();
    return check_done();
}
