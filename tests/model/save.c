/* save.c - a model's folder is saved whole or not at all: its names are on the disk, what an ended process left is no
 * obstacle, a full disk and a file that has changed are errors, and nothing is left beside it. */
#include "check.h"

#include "model/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <tutti.h>
#include <tutti/model.h>

static char room[64] = "/tmp/tutti-model-save-XXXXXX", from[64], to[100];
static char synced[16][200];                             /* folders, in order */
static int nsynced;

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

int fsync(int fd)                                        /* comes before libc's */
{
    char link[64];
    struct stat s;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (!fstat(fd, &s) && S_ISDIR(s.st_mode) && nsynced < 16) {
        const ssize_t n = readlink(link, synced[nsynced], sizeof synced[0] - 1);
        if (n > 0) synced[nsynced++][n] = 0;
    }
    return (int)syscall(SYS_fsync, fd);
}

static int names_in(const char *folder)
{
    DIR *d = opendir(folder);
    int n = 0;
    for (const struct dirent *e; d && (e = readdir(d));) n += *e->d_name != '.';
    if (d) closedir(d);
    return n;
}

/* Puts a folder with a file beside the model's, as a process leaves that is ended while it saves. */
static void leave(const char *thread, char path[200])
{
    char file[220];
    snprintf(path, 200, "%s.partial-%ld%s", to, (long)getpid(), thread);
    snprintf(file, sizeof file, "%s/half.safetensors", path);
    FILE *f = mkdir(path, 0777) ? NULL : fopen(file, "w");
    CHECK(f, "%s", file);
    if (f) fputs("half", f), fclose(f);
}

static void fails(tt_model m, const char *text, const char *how)
{
    CHECK(!tt_model_save(m, tt_model_params(m), to) && !tt_ok() && strstr(tt_error(), text), "%s: %s", how,
          tt_ok() ? "no error" : tt_error());
    tt_clear();
    CHECK(access(to, F_OK) != 0 && names_in(room) == 1, "%s: %d names are left", how, names_in(room));
}

static void on_a_full_disk(tt_model m)
{
    const struct rlimit small = { 4096, RLIM_INFINITY };
    struct rlimit was;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &was);
    char text[300];
    if (setrlimit(RLIMIT_FSIZE, &small)) return;
    snprintf(text, sizeof text, "model_save: %s/model.safetensors: File too large", to);
    fails(m, text, "a limit of a file's size");
    setrlimit(RLIMIT_FSIZE, &was);
}

/* The header's length is another one since the model was loaded. */
static void changed(tt_model m)
{
    char file[200], first[8];
    const char huge[8] = { 0, 0, 0, 0, 0, 1, 0, 0 };
    snprintf(file, sizeof file, "%s/model.safetensors", from);
    const int fd = open(file, O_RDWR);
    CHECK(fd >= 0 && pread(fd, first, 8, 0) == 8 && pwrite(fd, huge, 8, 0) == 8, "%s", file);
    fails(m, "the header has changed", "another header");
    CHECK(pwrite(fd, first, 8, 0) == 8 && !close(fd), "%s is as it was", file);
}

/* The file is shorter since the model was loaded: within the eight bytes of the length, within the header. */
static void cut(tt_model m)
{
    static char all[1 << 16];
    static const off_t left[] = { 4, 20 };
    char file[200], text[300];
    snprintf(file, sizeof file, "%s/model.safetensors", from);
    const int fd = open(file, O_RDWR);
    const ssize_t n = fd < 0 ? -1 : pread(fd, all, sizeof all, 0);
    for (int i = 0; i < 2; i++) {
        CHECK(n > 20 && !ftruncate(fd, left[i]), "%s is cut", file);
        errno = 0;
        snprintf(text, sizeof text, "model_save: %s: the file ends early", file);
        fails(m, text, "a file that was cut");
        CHECK(pwrite(fd, all, (size_t)n, 0) == n, "%s is as it was", file);
    }
    CHECK(!close(fd), "%s", file);
}

/* A process is killed while it saves, at a random moment, again and again: its folder is whole or not there. */
static void killed(tt_model m)
{
    enum { KILLS = 20 };
    int whole = 0;
    unsigned seed = 1;
    for (int i = 0; i < KILLS; i++) {
        const pid_t child = fork();
        if (!child) {
            tt_model_save(m, tt_model_params(m), to);
            _exit(0);
        }
        seed = seed * 1103515245 + 12345;
        usleep((seed >> 16) % (50u << i % 8));           /* up to 50 us, 100 us, ... 6.4 ms */
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        if (access(to, F_OK)) continue;
        whole++;
        const tt_model again = tt_model_load(to);
        CHECK(tt_ok() && tt_num(tt_array_equal(tt_get(tt_model_params(again), "model.norm.weight"),
                                               tt_get(tt_model_params(m), "model.norm.weight"))) == 1 &&
                  names_in(to) == names_in(from), "kill %d: half a folder: %s", i, tt_ok() ? "" : tt_error());
        tt_clear();
        folder_remove(to);
    }
    printf("%d of %d saves were whole before they were killed\n", whole, KILLS);
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s.partial-*", to);
    CHECK(!system(command), "%s", command);
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    json_t *const cases = json_load_file("tests/goldens/models/cases.json", 0, NULL), *config, *tensors;
    char old[200], own[200], inner[300], thread[24];
    if (!cases || !check_folder(room)) return 1;
    folder_case(cases, "llama/f32", &config, &tensors);
    snprintf(from, sizeof from, "%.40s/model", room), snprintf(to, sizeof to, "%s/saved", room);
    if (mkdir(from, 0777) || !folder_write(from, config, tensors, "f32", 0, 1)) return 1;
    json_decref(config), json_decref(tensors);
    tt_on_error(silent, NULL);
    const tt_model m = tt_model_load(from);
    CHECK(tt_ok(), "%s", tt_error());
    on_a_full_disk(m);
    changed(m);
    cut(m);
    killed(m);
    snprintf(thread, sizeof thread, "-%ld-1", (long)syscall(SYS_gettid));
    leave("", old), leave(thread, own);
    nsynced = 0;
    CHECK(tt_model_save(m, tt_model_params(m), to), "what is left is no obstacle: %s", tt_ok() ? "" : tt_error());
    CHECK(names_in(to) == names_in(from), "%d files of %d", names_in(to), names_in(from));
    snprintf(inner, sizeof inner, "%s.partial", to);
    CHECK(nsynced == 2 && !strncmp(synced[0], inner, strlen(inner)) && !strcmp(synced[1], room),
          "%d folders were synced: %s, then %s", nsynced, synced[0], synced[1]);
    CHECK(names_in(own) == 1, "%s, which may be that of a process of another host, is as it was", own);
    folder_remove(old), folder_remove(own), folder_remove(to), folder_remove(from);
    CHECK(!rmdir(room), "%s stays", room);
    json_decref(cases);
    return tt_done() ? 1 : check_done();
}
