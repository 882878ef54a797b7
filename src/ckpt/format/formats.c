/* ckpt/format/formats.c - the list of formats, and the search for the format of a file, of a folder, or of a name to
 * save under. */
#include "../ckpt.h"

#include <string.h>
#include <strings.h>

/* In the order in which they are tried. To add a format, write its file and add its struct here. */
static const ckpt_format *const formats[] = {
    &ckpt_orbax,       &ckpt_bare_ocdbt, &ckpt_bare_zarr2, &ckpt_safetensors, &ckpt_orbax_step, &ckpt_orbax_incomplete,
    &ckpt_bare_zarr3, &ckpt_gguf,       &ckpt_npz,        &ckpt_keras_h5,   &ckpt_flax_msgpack,
};
enum { FORMATS = sizeof formats / sizeof *formats };

const ckpt_format *ckpt_format_of_name(const char *path)
{
    const size_t n = strlen(path);
    for (int i = 0; i < FORMATS; i++) {
        const size_t k = formats[i]->ending ? strlen(formats[i]->ending) : n;
        if (n > k && !strcmp(path + n - k, formats[i]->ending)) return formats[i];
    }
    return NULL;
}

const char *ckpt_foreign_ending(const char *path)
{
    static const char *const ending[] = { ".npz",  ".safetensors", ".npy", ".h5",  ".hdf5",
                                          ".keras", ".msgpack",     ".gguf", ".pt",  ".pth", ".pkl" };
    const size_t n = strlen(path);
    const ckpt_format *const own = ckpt_format_of_name(path);
    for (size_t i = 0; !(own && own->save) && i < sizeof ending / sizeof *ending; i++) {
        const size_t k = strlen(ending[i]);
        if (n > k && !strcasecmp(path + n - k, ending[i])) return path + n - k;
    }
    return NULL;
}

const ckpt_format *ckpt_format_of_bytes(const uint8_t *head, int64_t n)
{
    for (int i = 0; i < FORMATS; i++) if (formats[i]->begins && formats[i]->begins(head, n)) return formats[i];
    return NULL;
}

const ckpt_format *ckpt_format_of_folder(const ckpt_store *dir, ckpt_err *e)
{
    for (int i = 0; i < FORMATS; i++) if (formats[i]->fills && formats[i]->fills(dir, e)) return formats[i];
    return NULL;
}
