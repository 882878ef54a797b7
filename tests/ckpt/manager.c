/* manager.c - a folder of steps: which of them stay, which is the best, saves in the background, folders that are no
 * steps; and what must be refused, each with its message. */
#include "folder.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void manager(bool background)
{
    const char *root = at(background ? "steps-behind" : "steps");
    static const double losses[] = { 0.9, 0.3, 0.5, 0.3, 0.8, 0.7, 0.6 };
    int64_t step[16];
    const tt_manager m =
        tt_manager_open(root, .keep = 2, .best = "min loss", .keep_every = 400, .background = background);
    CHECK(tt_manager_newest(m) == -1 && tt_manager_best(m) == -1, "nothing yet");
    for (int i = 0; i < 7; i++)
        CHECK(tt_manager_save(m, 100 * i, tt_dict("x", tt_f(i), "w", tt_ones(TT_F32, 300, 300)),
                              .metrics = tt_dict("loss", tt_f(losses[i]))),
              "%s", tt_error());
    CHECK(tt_manager_wait(m), "%s", tt_error());
    const int n = tt_manager_steps(m, 16, step); /* 0 and 400: every 400; 300: the best, later; 500, 600: the newest */
    CHECK(n == 5 && step[0] == 0 && step[1] == 300 && step[2] == 400 && step[3] == 500 && step[4] == 600, "%d steps",
          n);
    CHECK(tt_manager_best(m) == 300 && tt_manager_newest(m) == 600, "best %lld", (long long)tt_manager_best(m));
    CHECK(!tt_manager_save(m, 601, tt_f(1), .metrics = tt_dict("los", tt_f(0))) &&
              strstr(tt_error(), ".metrics has no \"loss\""), "a metric that .best is not of: %s", tt_error());
    tt_clear();
    CHECK(!tt_manager_save(m, 601, tt_f(1), .metrics = tt_f(0)) && strstr(tt_error(), "a dict of scalars"), "%s",
          tt_error());
    tt_clear();
    CHECK(tt_num(tt_get(tt_manager_load(m, 300), "x")) == 3, "%s", tt_error());
    tt_clear();
    tt_manager_load(m, 100);
    refused("a step that is gone", "there is no step 100");
    tt_manager_save(m, 601, tt_dict("x", tt_f(1)));
    refused("no metrics", "step 601 without .metrics, but .best needs the metric \"loss\"");
    tt_manager_save(m, 600, tt_dict("x", tt_f(1)), .metrics = tt_none());
    if (background) tt_manager_wait(m);
    CHECK(strstr(tt_error(), "hint: .force = 1 replaces it"), "a hint of the manager's: %s", tt_error());
    refused("a step that is there", "is there already");
    CHECK(tt_manager_save(m, 600, tt_dict("x", tt_f(8)), .force = 1, .metrics = tt_none()) &&
              tt_num(tt_get(tt_manager_load(m, 600), "x")) == 8,
          "%s", tt_error());
    tt_manager_save(m, -1, tt_dict("x", tt_f(1)));
    refused("a negative step", "step -1; expected 0 or more");
    CHECK(!tt_manager_save(m, 450, tt_dict("x", tt_f(1)), .metrics = tt_dict("loss", tt_f(0.9))), "450 is gone");
    refused("a step that would not stay", "step 450 would be removed at once: .keep = 2 keeps 500 to 600");
    CHECK(tt_manager_steps(m, 0, NULL) == n, "%d steps", tt_manager_steps(m, 0, NULL));
    CHECK(tt_manager_save(m, 200, tt_dict("x", tt_f(2)), .metrics = tt_dict("loss", tt_f(0.1))) &&
              tt_manager_wait(m) && tt_manager_best(m) == 200, "an old step that is the best: %s", tt_error());
}

static void behind(void)                                 /* what is saved is what it was when it was asked */
{
    const tt_manager m = tt_manager_open(at("donated"), .background = 1);
    tt_val x = tt_ones(TT_F32, 512, 512);
    CHECK(tt_manager_save(m, 1, tt_dict("x", x)), "%s", tt_error());
    x = tt_mul(x, tt_f(2));
    CHECK(tt_manager_wait(m) && tt_num(tt_sum(tt_get(tt_manager_load(m, 1), "x"))) == 512 * 512, "%s", tt_error());
}

static void reported_at_the_end(void)                    /* nobody asked what became of a save in the background */
{
    const tt_scope scope = tt_scope_open();
    const tt_manager m = tt_manager_open(at("steps"), .background = 1);
    CHECK(tt_manager_save(m, 600, tt_dict("x", tt_f(1))), "%s", tt_error());
    tt_scope_close(scope);
    refused("an error of the background", "600: is there already");
}

static void names_of_steps(void)                         /* 600 is a step; 0601 and 600x are folders of somebody else */
{
    static const char *const other[] = { "steps/0601", "steps/0600", "steps/600x" };
    char mark[300];
    int64_t step[16];
    const int before = tt_manager_steps(tt_manager_open(at("steps")), 16, step);
    for (int i = 0; i < 3; i++) {
        snprintf(mark, sizeof mark, "%s/_METADATA", at(other[i]));
        CHECK(!mkdir(at(other[i]), 0777), "%s", other[i]);
        FILE *f = fopen(mark, "w");
        if (f) fclose(f);
    }
    const tt_manager m = tt_manager_open(at("steps"));
    CHECK(before > 0 && tt_manager_steps(m, 16, step) == before, "%d steps, then %d", before,
          tt_manager_steps(m, 16, step));
    for (int i = 0; i < before; i++)
        CHECK(!access(tt_manager_path(m, step[i]), F_OK), "step %lld is not there", (long long)step[i]);
}

/* Metrics that cannot be read for a while: nothing is known of their step, so it is neither removed nor passed over. */
static void metrics_unseen(void)
{
    const char *const root = at("unseen");
    const tt_manager m = tt_manager_open(root, .keep = 1, .best = "min loss");
    char file[300], aside[300];
    int64_t step[8];
    static const double losses[] = { 0.1, 0.2, 0.3, 0.4 };
    snprintf(file, sizeof file, "%s/0/metrics/metrics", root), snprintf(aside, sizeof aside, "%s/aside", at(""));
    for (int i = 0; i < 4; i++) {
        if (i == 2) CHECK(!rename(file, aside) && !mkdir(file, 0777), "step 0's metrics are a folder");
        CHECK(tt_manager_save(m, i, tt_dict("x", tt_f(i)), .metrics = tt_dict("loss", tt_f(losses[i]))), "%s",
              tt_error());
        if (i != 2) continue;
        CHECK(tt_manager_best(m) == -1, "the best of what cannot be read: %lld", (long long)tt_manager_best(m));
        refused("unseen metrics", "0/metrics/metrics: is not a regular file");
        CHECK(tt_manager_steps(m, 8, step) == 3 && step[0] == 0, "step 0 is gone, which was the best");
        CHECK(!rmdir(file) && !rename(aside, file), "the metrics are there again");
    }
    CHECK(tt_manager_steps(m, 8, step) == 2 && step[0] == 0 && step[1] == 3 && tt_manager_best(m) == 0,
          "%d steps, best %lld", tt_manager_steps(m, 8, step), (long long)tt_manager_best(m));
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    char command[80];
    if (!check_folder(dir)) return 1;
    tt_on_error(silent, NULL);
    manager(false);
    manager(true);
    behind();
    reported_at_the_end();
    names_of_steps();
    metrics_unseen();
    snprintf(command, sizeof command, "rm -rf %s", dir);
    CHECK(system(command) == 0, "%s stays", dir);
    tt_done();
    return check_done();
}
