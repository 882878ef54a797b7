/* descriptors.c - saves where the system gives few descriptors: files that are being synced are waited for, so a save
 * needs a handful, however many files it writes; with fewer it is an error that says so, and nothing is lost. */
#include <tutti.h>
#include <tutti/ckpt.h>

#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LEAVES = 40, HANDFUL = 2 };
static char room[64] = "/tmp/tutti-descriptors-XXXXXX", text[400];

/* In the place of the C library's: a slow disk, so that many files wait. */
int fsync(int fd)
{
    usleep(2000);
    return (int)syscall(SYS_fsync, fd);
}

static const char *in_room(const char *name)
{
    static char at[2][128];
    static int turn;
    snprintf(at[turn ^= 1], sizeof *at, "%s/%s", room, name);
    return at[turn];
}

static tt_val state(double of)
{
    tt_val v = tt_dict_n("descriptors", 0, NULL, NULL);
    for (int i = 0; i < LEAVES; i++) {
        char name[16];
        snprintf(name, sizeof name, "layer%d", i);
        v = tt_set(v, name, tt_full(of + i, TT_F32, 100));
    }
    return v;
}

static double held(const char *path)                     /* the first number there; -1: nothing that reads */
{
    const tt_val v = tt_load(path);
    const double x = tt_ok() ? tt_num(tt_mean(tt_get(v, "layer0"))) : -1;
    tt_clear();
    return x;
}

static int leftovers(void)
{
    int n = 0;
    DIR *const d = opendir(room);
    for (const struct dirent *e; d && (e = readdir(d));) n += strstr(e->d_name, "orbax-checkpoint-tmp") != NULL;
    if (d) closedir(d);
    return n;
}

/* Leaves the process n descriptors: numbers that are free. 0: as many as before. */
static void leave(int n)
{
    static struct rlimit all;
    if (!all.rlim_cur) getrlimit(RLIMIT_NOFILE, &all);
    rlim_t most = n ? 0 : all.rlim_cur;
    for (; n > 0; most++) n -= fcntl((int)most, F_GETFD) < 0;
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){ most, all.rlim_max });
}

/* True if the save, with so many descriptors, was made; else what it says is in `text`. */
static bool saved(int n, const char *path, tt_val v, bool ocdbt)
{
    leave(n);
    tt_save(path, v, .force = 1, .ocdbt = ocdbt);
    leave(0);
    const bool ok = tt_ok();
    snprintf(text, sizeof text, "%s", ok ? "" : tt_error());
    tt_clear();
    return ok;
}

static void quiet(const tt_error_info *e, void *env) { (void)e, (void)env; }

static void folders(void)
{
    for (int ocdbt = 0; ocdbt < 2; ocdbt++) {
        const char *const path = in_room(ocdbt ? "store" : "folder");
        double is = 1;
        CHECK(saved(0, path, state(is), ocdbt) && held(path) == 1, "%s", text);
        for (int n = 1; n <= 24; n += n < 8 ? 1 : 8) {
            const tt_val v = state(n + 100);
            const bool ok = saved(n, path, v, ocdbt);
            CHECK(ok || n < HANDFUL, "%d descriptors: %s", n, text);
            CHECK(ok || strstr(text, "Too many open files"), "%d descriptors: %s", n, text);
            if (ok) is = n + 100;
            CHECK(held(path) == is, "%d descriptors: %g is there, not %g", n, held(path), is);
        }
        CHECK(!leftovers(), "%d folders of saves that failed stay", leftovers());
    }
}

static void managers(void)
{
    const tt_manager m = tt_manager_open(in_room("steps"), .keep = 2, .background = 1);
    leave(HANDFUL + 2);                                  /* of the folder, too */
    for (int i = 0; i < 4; i++) tt_manager_save(m, i, state(i), .force = 1);
    tt_manager_wait(m);
    CHECK(tt_ok() && tt_manager_newest(m) == 3, "%s", tt_error());
    leave(0);
    tt_clear();
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(quiet, NULL);
    if (!check_folder(room)) return 1;
    CHECK_RUN(folders());
    CHECK_RUN(managers());
    snprintf(text, sizeof text, "rm -rf %s", room);
    CHECK(!system(text), "%s stays", room);
    return check_done();
}
