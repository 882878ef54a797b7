/* data/mnist.c - sources of MNIST: TUTTI_DATA, the user's cache, a download, or the real subset shipped with Tutti.
 *
 * Images stay bytes until a batch is made (47 MB for all 60,000). A download goes to the cache; if the cache cannot be
 * written, or there is no network, one line reports this and the shipped subset is used.
 */
#include "data.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* CRC-32 of the unpacked files. */
static const struct { const char *name; uint32_t crc; } files[2][2] = {
    { { "train-images-idx3-ubyte.gz", 0xe9f4d8b3 }, { "train-labels-idx1-ubyte.gz", 0xe0cb4ad2 } },
    { { "t10k-images-idx3-ubyte.gz", 0x91373bdf }, { "t10k-labels-idx1-ubyte.gz", 0x4ab9eff9 } },
};
static const char *const usual_url = "https://storage.googleapis.com/cvdf-datasets/mnist";
enum { PATH = DATA_PATH };

static bool mnist_join_path(char *to, const char *a, const char *b, const char *c)
{
    return snprintf(to, PATH, "%s/%s%s%s", a, b, c ? "/" : "", c ? c : "") < PATH;
}

static bool both_in(const char *dir, int part, char path[2][PATH])
{
    for (int i = 0; i < 2; i++)
        if (!mnist_join_path(path[i], dir, files[part][i].name, NULL) || !data_exists(path[i])) return false;
    return true;
}

static bool make_dirs(char *path)
{
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            const bool ok = mkdir(path, 0777) == 0 || errno == EEXIST;
            *p = '/';
            if (!ok) return false;
        }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static bool cache_dir(char dir[PATH])
{
    const char *base = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    if (base && *base) return mnist_join_path(dir, base, "tutti/mnist", NULL);
    return home && *home && mnist_join_path(dir, home, ".cache/tutti/mnist", NULL);
}

static bool downloaded(int part, char path[2][PATH], char *why, size_t size)
{
    char dir[PATH], url[PATH];
    const char *from = secure_getenv("TUTTI_DATA_URL"), *reason = "there is no folder for a cache (HOME is not set)";
    if (!from || !*from) from = usual_url;
    if (!cache_dir(dir)) return snprintf(why, size, "%s", reason), false;
    if (!make_dirs(dir)) return snprintf(why, size, "the cache %s cannot be made: %s", dir, strerror(errno)), false;
    for (int i = 0; i < 2; i++) {
        const char *file = files[part][i].name;
        if (!mnist_join_path(path[i], dir, file, NULL) || !mnist_join_path(url, from, file, NULL)) return false;
        if (!data_exists(path[i]) && !data_fetch(url, path[i], files[part][i].crc, &reason))
            return snprintf(why, size, "%s: %s", url, reason), false;
    }
    return true;
}

/* True if the shipped subset is found. */
static bool shipped(int part, char dir[PATH], char path[2][PATH])
{
    if (!data_shipped(files[part][0].name, path[0]) || !data_shipped(files[part][1].name, path[1])) return false;
    snprintf(dir, PATH, "%.*s", (int)(strrchr(path[0], '/') - path[0]), path[0]);
    return true;
}

/* True if this process downloads: in a job the first of each host does, and the others find the files. */
static bool fetches(void) { return !data_in_job() || !tt_process_on_host(); }

/* Determines the files, and a text that names their source. */
static bool mnist_found(const char *site, const char *name, int part, char path[2][PATH], char *from, size_t size)
{
    char dir[PATH], why[2 * PATH] = "";
    const char *own = secure_getenv("TUTTI_DATA");
    if (own && *own) {
        if (mnist_join_path(dir, own, name, NULL) && both_in(dir, part, path)) return snprintf(from, size, "%s", dir),
            true;
        if (!strcmp(name, "mnist")) tt_print("tutti: TUTTI_DATA=%s has no mnist/%s", own, files[part][0].name);
    }
    if (strcmp(name, "mnist") != 0) {
        if (own && *own)
            tt_fail_at(site, TT_EIO, "mnist: no data set \"%s\": %s/%s lacks one of the two files", name, own, name);
        else tt_fail_at(site, TT_EIO, "mnist: no data set \"%s\": TUTTI_DATA, where it would be, is not set", name);
        tt_hint("set TUTTI_DATA to a folder that has %s/%s and %s, or name \"mnist\", which is also downloaded", name,
                files[part][0].name, files[part][1].name);
        return false;
    }
    if (cache_dir(dir) && both_in(dir, part, path)) return snprintf(from, size, "%s", dir), true;
    if (!fetches()) snprintf(why, sizeof why, "another rank of this host could not fetch it");
    else if (downloaded(part, path, why, sizeof why)) return snprintf(from, size, "%s", dir), true;
    if (shipped(part, dir, path)) {
        static atomic_flag said = ATOMIC_FLAG_INIT;      /* once: the test images have the same source */
        if (!atomic_flag_test_and_set(&said))
            tt_print("tutti: no full MNIST here (%s); using the real subset that comes with Tutti", why);
        return snprintf(from, size, "the subset shipped with Tutti"), true;
    }
    tt_fail_at(site, TT_EIO, "mnist: no data: %s", why);
    tt_hint("set TUTTI_DATA to a folder that has mnist/%s", files[part][0].name);
    return false;
}

static int mnist_rank(const data_array *a)
{
    int rank = 0;
    while (a->dim[rank] != TT_DIM_END) rank++;
    return rank;
}

static bool loaded(const char *site, char path[2][PATH], data_set *s)
{
    data_array image, label;
    if (!data_slurp(site, path[0], &s->images) || !data_idx(site, path[0], s->images, &image)) return false;
    if (!data_slurp(site, path[1], &s->labels) || !data_idx(site, path[1], s->labels, &label)) return false;
    if (image.dtype != TT_U8 || mnist_rank(&image) != 3 || image.dim[1] != 28 || image.dim[2] != 28 ||
        label.dtype != TT_U8 || mnist_rank(&label) != 1 || label.dim[0] != image.dim[0]) {
        tt_fail_at(site, TT_EDATA, "%s: images %s of %d dims, and labels %s of %d; expected bytes [N, 28, 28] and [N]",
                   path[0], tt_dtype_name(image.dtype), mnist_rank(&image), tt_dtype_name(label.dtype),
                   mnist_rank(&label));
        return false;
    }
    s->image = s->images.p + image.at;
    s->label = s->labels.p + label.at;
    s->count = image.dim[0];
    return true;
}

/* Finds and reads the files; in a job the first process of each host before the others, and all have the same. */
static bool opened(const char *site, const char *name, int part, data_set *s)
{
    enum { FETCH = 700 };                                /* seconds: two downloads */
    char path[2][PATH], same[64];
    if (!fetches() && !data_agree(site, "tt_mnist", NULL, FETCH)) return false;
    const bool found = mnist_found(site, name, part, path, s->from, sizeof s->from);
    if (fetches() && data_in_job() && !data_agree(site, "tt_mnist", NULL, FETCH)) return false;
    const bool read = found && loaded(site, path, s);
    if (!data_in_job()) return read;
    const size_t n = read ? (size_t)s->count : 0;
    snprintf(same, sizeof same, "%lld examples (%08x)", (long long)s->count,
             data_crc(s->label, n) * 31 + data_crc(s->image, n * 28 * 28));
    return data_agree(site, "tt_mnist", same, 0);
}

tt_data tt_mnist_at(const char *site, const char *name, const tt_data_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_data_opts, site, "mnist", o)) return (tt_data){ 0 };
    static const tt_data none = { 0 };
    const bool test = o->part && !strcmp(o->part, "test");
    if (!tt_ok()) return none;
    if (!name || !*name) {
        tt_fail_at(site, TT_EARG, "mnist: the name is %s", name ? "an empty text" : "NULL");
        return none;
    }
    if (o->part && !test && strcmp(o->part, "train")) {
        tt_fail_at(site, TT_EARG, "mnist: no part \"%s\"", o->part);
        tt_hint_choices("the parts are", o->part, -1, "train, test");
        return none;
    }
    if (o->batch < 0 || o->limit < 0)
        return tt_fail_at(site, TT_EARG, "mnist: .batch = %lld, .limit = %lld; expected 0 or more", (long long)o->batch,
                          (long long)o->limit), none;
    data_set *s = data_set_new(site, o);
    if (!s) return none;
    if (!opened(site, name, test, s)) return none;
    if (o->limit && o->limit < s->count) s->count = o->limit;
    if (s->batch > s->count && !s->keep_last && !s->wrap) {
        tt_fail_at(site, TT_EARG, "mnist: .batch = %lld of %lld examples; .keep_last or .wrap allow it",
                   (long long)s->batch, (long long)s->count);
        return none;
    }
    const int64_t image[] = { s->batch, 28, 28, 1, TT_DIM_END }, label[] = { s->batch, TT_DIM_END };
    const tt_val part[] = { tt_shape_at(site, TT_F32, image), tt_shape_at(site, TT_I32, label) };
    const tt_val like = tt_dict_n(site, 2, (const char *[]){ "image", "label" }, part);
    if (data_fits_spec(s, like) && s->mesh.p && data_in_job()) data_share(s, part[0]);
    return tt_ok() ? (tt_data){ s, tt_alive_at(site) } : none;
}

const char *tt_data_doctor(void)
{
    char text[3 * PATH];
    char path[2][PATH], dir[PATH];
    const char *own = secure_getenv("TUTTI_DATA");
    const bool set = own && *own, there = set && mnist_join_path(dir, own, "mnist", NULL) && both_in(dir, 0, path);
    size_t n = (size_t)snprintf(text, sizeof text, "data\n  TUTTI_DATA   %s%s\n", set ? own : "not set",
                                !set ? "" : there ? ": has MNIST" : ": has no mnist/");
    if (cache_dir(dir))
        n += (size_t)snprintf(text + n, sizeof text - n, "  cache        %s: %s\n", dir,
                              both_in(dir, 0, path) ? "has MNIST" : "no MNIST yet; it would be downloaded");
    if (shipped(0, dir, path)) snprintf(text + n, sizeof text - n, "  shipped      5,000 + 1,000 digits in %s\n", dir);
    else snprintf(text + n, sizeof text - n, "  shipped      not found\n");
    const char *const kept = tt_keep_latest("data doctor", text, strlen(text) + 1);
    return kept ? kept : "";
}
