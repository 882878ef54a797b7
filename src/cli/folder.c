/* cli/folder.c - the folder of a job, which vanishes however the tool ends.
 *
 * The keeper, a child in a session of its own, waits at a pipe that the tool alone holds open. When the pipe ends, the
 * keeper ends the launcher, if the tool has not seen its end, and removes the folder. */
#include "job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *at)
{
    (void)s, (void)kind, (void)at;
    return remove(path), 0;
}

/* True if the process was started with the job's token in its environment, as the launcher is and what it starts. */
static bool has_token(const char *pid, const char *token)
{
    const size_t n = sizeof JOB_VARIABLE;                /* with the "=" */
    char path[64], *text = NULL;
    size_t space = 0;
    bool has = false;
    snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
    FILE *f = fopen(path, "r");
    while (f && !has && getdelim(&text, &space, 0, f) > 0)
        has = !strncmp(text, JOB_VARIABLE "=", n) && !strncmp(text + n, token, JOB_TOKEN);
    if (f) fclose(f);
    free(text);
    return has;
}

void job_end_left(const char *token)
{
    DIR *const d = *token ? opendir("/proc") : NULL;
    for (struct dirent *e; d && (e = readdir(d));)
        if (atoi(e->d_name) > 1 && has_token(e->d_name, token)) kill(atoi(e->d_name), SIGKILL);
    if (d) closedir(d);
}

/* Ends the processes of the launcher's group: by SIGTERM, so that it can clear up, and after 3 s by SIGKILL. */
static void end_launcher(pid_t group, const char *token)
{
    kill(-group, SIGTERM);
    for (int i = 0; i < 300 && !(kill(-group, 0) && errno == ESRCH); i++)
        nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
    kill(-group, SIGKILL);
    job_end_left(token);
}

static void keep(const job_folder *f, int pipe)
{
    pid_t launcher = 0, next;
    sigset_t every;
    setsid();
    sigfillset(&every);
    sigprocmask(SIG_SETMASK, &every, NULL);
    const int none = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3; i++) dup2(none, i);
    if (dup2(pipe, 3) == 3) for (int i = 4; i < 1024; i++) close(i);
    while (read(3, &next, sizeof next) == (ssize_t)sizeof next) launcher = next;
    if (launcher) end_launcher(launcher, f->token);
    nftw(f->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    _exit(0);
}

bool job_folder_open(job_folder *f, const char *under, const char *token)
{
    int pipe[2];
    f->token = token;
    if (snprintf(f->dir, sizeof f->dir, "%s/tutti-run-XXXXXX", under) >= (int)sizeof f->dir) return false;
    if (!mkdtemp(f->dir)) return false;
    if (pipe2(pipe, O_CLOEXEC)) return rmdir(f->dir), false;
    f->keeper = fork();
    if (f->keeper < 0) return rmdir(f->dir), false;
    if (!f->keeper) keep(f, pipe[0]);
    close(pipe[0]);
    f->pipe = pipe[1];
    return true;
}

void job_folder_holds(const job_folder *f, pid_t launcher)
{
    job_write(f->pipe, &launcher, sizeof launcher);
}

void job_folder_close(job_folder *f)
{
    close(f->pipe);
    while (waitpid(f->keeper, NULL, 0) < 0) if (errno != EINTR) return;
}
