/* refused.c - tt_model_save and tt_model_export where a call of the disk fails, each in turn, as on a full one, and
 * where the process ends in its place: the folder is whole, or it is not there, and an error names what was written.
 * The calls are here, before libc's. */
#include "check.h"
#include <tutti/model.h>
#include <tutti/nn.h>
#include <tutti/random.h>

#include "folder.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* at: which call fails, from 1; 0: none. why: errno; 0: the process ends there. */
static struct { bool on; int n, at, why; } calls;

static bool call_fails(void)
{
    if (!calls.on || ++calls.n != calls.at) return false;
    if (!calls.why) syscall(SYS_exit_group, 9);
    errno = calls.why;
    return true;
}

/* libc's function of that name. */
#define LIBC(name) \
    static __typeof__(name) *real; \
    void *const found = real ? NULL : dlsym(RTLD_NEXT, #name); \
    if (!real) memcpy(&real, &found, sizeof real)

FILE *fopen(const char *path, const char *mode)
{
    LIBC(fopen);
    return call_fails() ? NULL : real(path, mode);
}
size_t fwrite(const void *p, size_t size, size_t n, FILE *f)
{
    LIBC(fwrite);
    return call_fails() ? 0 : real(p, size, n, f);
}
int fputs(const char *text, FILE *f)
{
    LIBC(fputs);
    return call_fails() ? EOF : real(text, f);
}
int fflush(FILE *f)
{
    LIBC(fflush);
    return call_fails() ? EOF : real(f);
}
int fclose(FILE *f)                                      /* closes it in any case, as libc's */
{
    LIBC(fclose);
    const bool fails = call_fails();
    const int closed = real(f);
    if (fails) errno = calls.why;
    return fails ? EOF : closed;
}
int fsync(int fd) { return call_fails() ? -1 : (int)syscall(SYS_fsync, fd); }
int mkdir(const char *path, mode_t mode)
{
    LIBC(mkdir);
    return call_fails() ? -1 : real(path, mode);
}
int rename(const char *from, const char *to)
{
    LIBC(rename);
    return call_fails() ? -1 : real(from, to);
}

static char room[64] = "/tmp/tutti-refused-XXXXXX", from[200], to[200];
static tt_model model;
static tt_val params;

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

enum { WIDTH = 8 };
static tt_val module(tt_nn m, tt_val ids)
{
    tt_val x = tt_embed(m, "words", ids, 256, WIDTH);
    x = tt_add(x, tt_attention_layer(m, "self", tt_rms_norm(m, "before", x), 2, .causal = 1, .no_bias = 1));
    x = tt_add(x, tt_gated_mlp(m, "mlp", tt_rms_norm(m, "between", x), 16));
    return tt_attend(m, "words", tt_rms_norm(m, "norm", x));
}
static const char config[] =
    "{\"model_type\": \"llama\", \"vocab_size\": 256, \"hidden_size\": 8, \"intermediate_size\": 16, "
    "\"num_hidden_layers\": 1, \"num_attention_heads\": 2, \"num_key_value_heads\": 2, "
    "\"max_position_embeddings\": 16, \"rms_norm_eps\": 1e-6, \"rope_theta\": 1e4, "
    "\"tie_word_embeddings\": true, \"eos_token_id\": null, \"bos_token_id\": null}";
static const char names[] = "words: embed_tokens, norm: norm, before: layers.0.input_layernorm, "
                            "between: layers.0.post_attention_layernorm, self: layers.0.self_attn, mlp: layers.0.mlp";

static bool save(void) { return tt_model_save(model, tt_model_params(model), to); }
static bool export(void) { return tt_model_export(params, to, .config = config, .names = names, .bytes = 1); }

static void gone(const char *path)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s' '%s'.partial-*", path, path);
    CHECK(!system(command), "%s", command);
}

/* True if the folder has all files, and a model that is opened. */
static bool whole(int files)
{
    DIR *const d = opendir(to);
    int n = 0;
    for (const struct dirent *e; d && (e = readdir(d));) n += *e->d_name != '.';
    if (d) closedir(d);
    const bool ok = n == files && tt_ok() && tt_model_load(to).p && tt_ok();
    tt_clear();
    return ok;
}

static int entries(const char *folder)
{
    DIR *const d = opendir(folder);
    int n = 0;
    for (const struct dirent *e; d && (e = readdir(d));) n += *e->d_name != '.';
    if (d) closedir(d);
    return n;
}

/* Each call fails in turn; returns the number of calls. */
static int refused(const char *what, bool (*write)(void), int files, int why)
{
    const int before = entries(room);
    int n = 0, told = 0;
    for (int at = 1; at <= n + 1 && at < 1000; at++) {
        calls.on = true, calls.n = 0, calls.at = at > n && n ? 0 : at, calls.why = why;
        const bool ok = write();
        calls.on = false;
        n = calls.n > n ? calls.n : n;
        char said[400];
        snprintf(said, sizeof said, "%s", tt_ok() ? "" : tt_error());
        told += !ok;
        CHECK(ok == !*said, "%s, call %d: returned %d with \"%s\"", what, at, ok, said);
        CHECK(ok || strstr(said, room), "%s, call %d: names no path: %s", what, at, said);
        CHECK(ok || strstr(said, strerror(why)), "%s, call %d: no reason: %s", what, at, said);
        tt_clear();
        const bool there = !access(to, F_OK);
        CHECK(there ? whole(files) : !ok, "%s, call %d of %d: %s: %d files, \"%s\"", what, at, n,
              there ? "half a folder" : "no folder", entries(to), said);
        CHECK(entries(room) == before + there, "%s, call %d: remains", what, at);
        gone(to);
    }
    CHECK(told > 10, "%s: %d of %d calls were told", what, told, n);
    return n;
}

static void ended(const char *what, bool (*write)(void), int files, int n)
{
    int there = 0;
    for (int at = 1; at <= n; at++) {
        calls.on = true, calls.n = 0, calls.at = at, calls.why = 0;
        const pid_t child = fork();
        if (!child) {
            alarm(60);
            _exit(!write());
        }
        calls.on = false;
        int status = 0;
        waitpid(child, &status, 0);
        CHECK(WIFEXITED(status) && (WEXITSTATUS(status) == 9 || !WEXITSTATUS(status)), "%s, call %d: status %x", what,
              at, status);
        const bool is = !access(to, F_OK);
        there += is;
        CHECK(!is || whole(files), "%s, ended at call %d: half a folder of %d files", what, at, entries(to));
        if (at % 8 == 0) {                               /* what was left is no obstacle */
            if (is) gone(to);
            CHECK(write() && whole(files), "%s after an end at call %d: %s", what, at, tt_ok() ? "" : tt_error());
            tt_clear();
        }
        gone(to);
    }
    CHECK(there < n, "%s: ends before all is written", what);
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    json_t *const cases = json_load_file("tests/goldens/models/cases.json", 0, NULL), *json, *tensors;
    if (!cases || !check_folder(room)) return 1;
    folder_case(cases, "llama/f32", &json, &tensors);
    snprintf(from, sizeof from, "%s/model", room), snprintf(to, sizeof to, "%s/saved", room);
    if (mkdir(from, 0777) || !folder_write(from, json, tensors, "f32", 0, 1)) return 1;
    json_decref(json), json_decref(tensors), json_decref(cases);
    tt_on_error(silent, NULL);
    model = tt_model_load(from);
    params = tt_init(module, tt_key(0), tt_zeros(TT_I32, 1, 4));
    CHECK(tt_ok(), "%s", tt_error());
    const int s = refused("save", save, entries(from), ENOSPC), e = refused("export", export, 4, EIO);
    printf("%d calls of a save, %d of an export\n", s, e);
    ended("save", save, entries(from), s);
    ended("export", export, 4, e);
    gone(room);
    return tt_done() ? 1 : check_done();
}
