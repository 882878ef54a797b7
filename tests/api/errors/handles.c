/* handles.c - checkpoints, managers, data sets, loops and frames of modules that are used after their scope closed: an
 * error with the line of the birth. Nothing is read of what the scope freed, even if another handle of the same kind
 * stands at that address. */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <tutti.h>

static void quiet(const tt_error_info *e, void *env) { (void)e; (void)env; }
static void refused(const char *what, const char *born)
{
    char text[128];
    snprintf(text, sizeof text, "%s: used after its scope closed", what);
    CHECK(!tt_ok() && strstr(tt_error(), text) && strstr(tt_error(), "created at") && strstr(tt_error(), born), "%s",
          tt_ok() ? "was accepted" : tt_error());
    tt_clear();
}

static char dir[64] = "/tmp/tutti-handles-XXXXXX", file[96], root[96];

static void checkpoints(void)
{
    CHECK(tt_save(file, tt_dict("w", tt_ones(TT_F32, 2))), "%s", tt_error());
    tt_scope s = tt_scope_open();
    const tt_ckpt c = tt_ckpt_open(file);
    CHECK(tt_ckpt_count(c) == 1, "%s", tt_error());
    tt_scope_close(s);
    const tt_ckpt other = tt_ckpt_open(file);
    CHECK(!*tt_ckpt_format(c), "a format");
    refused("tt_ckpt_format", "tt_ckpt_open");
    CHECK(!tt_ckpt_count(c), "items");
    refused("tt_ckpt_count", "tt_ckpt_open");
    CHECK(!*tt_ckpt_at(c, 0)->path, "an item");
    refused("tt_ckpt_at", "tt_ckpt_open");
    CHECK(!*tt_ckpt_metadata(c), "metadata");
    refused("tt_ckpt_metadata", "tt_ckpt_open");
    CHECK(!*tt_ckpt_metadata_of(c, "format"), "a key");
    refused("tt_ckpt_metadata_of", "tt_ckpt_open");
    tt_ckpt_read(c, 0);
    refused("tt_ckpt_read", "tt_ckpt_open");
    CHECK(tt_ckpt_count(other) == 1 && tt_ok(), "%s", tt_error());
}

static void managers(void)
{
    tt_scope s = tt_scope_open();
    const tt_manager m = tt_manager_open(root);
    tt_scope_close(s);
    CHECK(!tt_manager_save(m, 1, tt_ones(TT_F32, 2)), "saved");
    refused("tt_manager_save", "tt_manager_open");
    CHECK(!tt_manager_wait(m), "waited");
    refused("tt_manager_wait", "tt_manager_open");
    CHECK(tt_manager_best(m) == -1, "a step");
    refused("tt_manager_best", "tt_manager_open");
    CHECK(tt_manager_newest(m) == -1, "a step");
    refused("tt_manager_newest", "tt_manager_open");
    CHECK(!*tt_manager_path(m, 1), "a path");
    refused("tt_manager_path", "tt_manager_open");
    tt_manager_load(m, 1);
    refused("tt_manager_load", "tt_manager_open");
}

static void data_and_loops(void)
{
    tt_scope s = tt_scope_open();
    const tt_data d = tt_dataset(tt_ones(TT_F32, 4, 2), .batch = 2);
    tt_loop l = tt_batches(d), n = tt_steps(3);
    CHECK(tt_next(&l) && tt_next(&n) && tt_ok(), "%s", tt_error());
    tt_scope_close(s);
    CHECK(!tt_data_count(d), "examples");
    refused("examples", "tt_dataset");
    CHECK(!*tt_data_from(d), "an origin");
    refused("the origin", "tt_dataset");
    tt_data_arrays(d);
    refused("arrays", "tt_dataset");
    tt_batches(d);
    refused("batches", "tt_dataset");
    CHECK(!tt_next(&l), "a batch");
    refused("tt_next", "tt_batches");
    CHECK(!tt_next(&n), "a step");
    refused("tt_next", "tt_steps");
    tt_note(&n, "note");
    refused("tt_note", "tt_steps");
}

static tt_nn kept, inner;
static tt_val part(tt_nn m, tt_val x) { return inner = m, tt_dense(m, "d", x, 2); }
static tt_val net(tt_nn m, tt_val x) { return kept = m, tt_sub_module(m, "part", part, x); }
static tt_val late(tt_nn m, tt_val x) { return tt_sub_module(m, "part", part, x), tt_dense(inner, "e", x, 2); }

static void modules(void)
{
    const tt_val x = tt_ones(TT_F32, 3, 4), vars = tt_init(net, tt_key(0), x);
    CHECK(tt_ok(), "%s", tt_error());
    CHECK(!tt_training(kept), "trains");
    refused("a layer of a module", "tt_init");
    tt_batch_norm(kept, "n", x);
    refused("a layer of a module", "tt_init");
    tt_param(kept, "p", ((int64_t[]){ 2, TT_DIM_END }), .init = "ones");
    refused("a layer of a module", "tt_init");
    tt_init(late, tt_key(0), x);
    refused("a layer of a module", "tt_sub_module");
    tt_apply(net, vars, x);
    CHECK(tt_ok(), "%s", tt_error());
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "")) return check_done();
    if (!check_folder(dir)) return 1;
    snprintf(file, sizeof file, "%s/a.npz", dir);
    snprintf(root, sizeof root, "%s/steps", dir);
    tt_on_error(quiet, NULL);
    CHECK_RUN(checkpoints());
    CHECK_RUN(managers());
    CHECK_RUN(data_and_loops());
    CHECK_RUN(modules());
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    CHECK(!system(command), "%s", command);
    return check_done();
}
