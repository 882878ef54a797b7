/* gguf.c - GGUF files written here byte by byte: codes and scales beside the elements, parts of arrays over a mesh, and
 * files that are refused. Elements of every block are compared with those of the package gguf by the oracle (suite
 * gguf). */
#include "bytes.h"

#include <math.h>

enum { Q4_0 = 2, Q8_0 = 8, Q2_K = 10 };

static void text(pile *b, const char *s)
{
    little(b, strlen(s), 8);
    put(b, s, strlen(s));
}

static void head(pile *b, uint64_t tensors, uint64_t keys)
{
    b->n = 0;
    put(b, "GGUF", 4);
    little(b, 3, 4), little(b, tensors, 8), little(b, keys, 8);
}

static void tensor(pile *b, const char *name, int64_t rows, int64_t columns, int type, uint64_t place)
{
    text(b, name);
    little(b, 2, 4), little(b, (uint64_t)columns, 8), little(b, (uint64_t)rows, 8);
    little(b, (uint64_t)type, 4), little(b, place, 8);
}

static void padded(pile *b)
{
    while (b->n % 32) put8(b, 0);
}

/* ---- codes and scales ---- */

static void product(tt_ckpt k, int i, tt_dtype type)
{
    const tt_val v = tt_ckpt_read(k, i), parts = tt_ckpt_read(k, i, .codes = 1);
    const tt_val codes = tt_get(parts, "codes"), scales = tt_get(parts, "scales");
    CHECK(tt_ok(), "%s", tt_error());
    CHECK(tt_dtype_of(codes) == type && tt_dim(codes, 1) == 64 && tt_dtype_of(scales) == TT_F16 &&
              tt_dim(scales, 1) == 2,
          "%s, %s", tt_type_text(codes), tt_type_text(scales));
    const tt_val packed = tt_get(tt_ckpt_read(k, i, .codes = 2), "codes");       /* as tt_scaled_matmul takes them */
    uint8_t bytes[6 * 64];
    int8_t code[6 * 64];
    CHECK(tt_dtype_of(packed) == (type == TT_I8 ? TT_I8 : TT_U8) && tt_dim(packed, 1) == (type == TT_I8 ? 64 : 32),
          "%s", tt_type_text(packed));
    tt_read(packed, (void *)bytes, type == TT_I8 ? 6 * 64 : 6 * 32), tt_read(codes, (void *)code, sizeof code);
    bool same = tt_ok();
    for (int n = 0; n < 6 * 64; n++) {
        const int half = bytes[n / 32 * 16 + n % 16] >> n % 32 / 16 * 4 & 15;
        same = same && (type == TT_I8 ? (int8_t)bytes[n] : half - 8) == code[n];
    }
    CHECK(same, "packed codes are the codes");
    for (int mapped = 0; mapped < 2; mapped++) {         /* as they stand in the file; too small to be mapped */
        static uint8_t raw[6 * 2 * 34], file[4096];
        const int64_t size = type == TT_I8 ? 34 : 18;
        const tt_val whole = tt_ckpt_read(k, i, .codes = 3, .mapped = mapped);
        CHECK(tt_ok() && tt_dtype_of(whole) == TT_U8 && tt_dim(whole, 0) == 6 && tt_dim(whole, 1) == 2 &&
                  tt_dim(whole, 2) == size && tt_read(whole, (void *)raw, (size_t)(6 * 2 * size)), "%s", tt_error());
        FILE *const f = fopen(at("parts.gguf"), "rb");
        const size_t n = f ? fread(file, 1, sizeof file, f) : 0;
        if (f) fclose(f);
        CHECK(n && memmem(file, n, raw, (size_t)(6 * 2 * size)), "blocks are the file's bytes");
    }
    const tt_val blocks = tt_reshape(tt_cast(codes, TT_F32), 6, 2, 32);
    const tt_val back = tt_reshape(tt_mul(blocks, tt_reshape(tt_cast(scales, TT_F32), 6, 2, 1)), 6, 64);
    float a[6 * 64], b[6 * 64];
    tt_read(v, a, sizeof a), tt_read(back, b, sizeof b);
    CHECK(!memcmp(a, b, sizeof a), "the product of codes and scales");
    const tt_mesh m = tt_mesh("data:2, model:4");
    const char *const specs[] = { "data, _", "_, model", "data, model", "model, data" };
    for (int s = 0; s < 4; s++) {
        const tt_val on = tt_ckpt_read(k, i, .mesh = m, .spec = specs[s]);
        CHECK(tt_has_layout(on, m, specs[s]) && tt_read(on, b, sizeof b) && !memcmp(a, b, sizeof a), "on %s", specs[s]);
    }
}

static void parts(void)
{
    static pile b;
    uint32_t draw = 1;
    head(&b, 3, 0);
    tensor(&b, "eight", 6, 64, Q8_0, 0);
    tensor(&b, "four", 6, 64, Q4_0, 416);
    tensor(&b, "plain", 2, 2, 0, 640);
    padded(&b);
    const size_t data = b.n;
    for (int block = 0; block < 24; block++) {
        if (block == 12)
            while ((b.n - data) % 32) put8(&b, 0);
        little(&b, 0x2c00u + (unsigned)block, 2); /* an f16 near 1/16 */
        for (int k = 0; k < (block < 12 ? 32 : 16); k++) put8(&b, (draw = draw * 1664525 + 1013904223) >> 24);
    }
    while (b.n < data + 640) put8(&b, 0);
    for (int k = 0; k < 16; k++) put8(&b, k);
    spill(at("parts.gguf"), &b);
    const tt_ckpt k = tt_ckpt_open(at("parts.gguf"));
    CHECK(!strcmp(tt_ckpt_format(k), "gguf") && tt_ckpt_count(k) == 3, "%s", tt_error());
    CHECK(!strcmp(tt_ckpt_at(k, 0)->stored, "Q8_0") && !tt_ckpt_at(k, 2)->stored, "how it is stored");
    product(k, 0, TT_I8);
    product(k, 1, TT_I4);
    tt_ckpt_read(k, 2, .codes = 1);
    CHECK(!tt_ok() && strstr(tt_error(), "plain is stored without codes and scales"), "%s", tt_error());
    tt_clear();
    tt_ckpt_read(k, 2, .codes = 3);
    CHECK(!tt_ok() && strstr(tt_error(), "plain is stored without codes and scales"), "%s", tt_error());
    tt_clear();
    tt_ckpt_read(k, 0, .codes = 4);
    CHECK(!tt_ok() && strstr(tt_error(), ".codes = 4; expected 0 to 3"), "%s", tt_error());
    tt_clear();
    const tt_val like =
        tt_dict("eight", tt_shape(TT_BF16, 6, 64), "four", tt_shape(TT_F32, 6, 64), "plain", tt_shape(TT_F32, 2, 2));
    const tt_val all = tt_load(at("parts.gguf"), .like = like, .cast = 1);
    CHECK(tt_ok() && tt_dtype_of(tt_get(all, "eight")) == TT_BF16, "%s", tt_error());
    CHECK(!tt_save(at("other.gguf"), all) && strstr(tt_error(), "no format that tt_save writes"), "%s", tt_error());
    tt_clear();
}

/* ---- refused ---- */

static void refused(const pile *b, const char *why)
{
    spill(at("bad.gguf"), b);
    tt_load(at("bad.gguf"));
    CHECK(!tt_ok() && strstr(tt_error(), why), "%s, expected %s", tt_ok() ? "was read" : tt_error(), why);
    tt_clear();
}

static void refusals(void)
{
    static pile b;
    head(&b, 1, 0);
    tensor(&b, "w", 2, 256, Q2_K, 0);
    refused(&b, "w: elements of type Q2_K (10) are not read");
    head(&b, 1, 0);
    tensor(&b, "w", 2, 33, Q8_0, 0);
    refused(&b, "w: the shape does not fit the type");
    head(&b, 1, 0);
    tensor(&b, "w", (int64_t)1 << 40, (int64_t)1 << 40, 0, 0);
    refused(&b, "w: the shape does not fit the type");
    head(&b, 1, 0);
    tensor(&b, "w", 2, 2, 0, 8);
    refused(&b, "w: is not aligned");
    head(&b, 2, 0);
    tensor(&b, "v", 2, 32, 0, 0), tensor(&b, "w", 2, 32, 0, 32);
    padded(&b);
    for (int i = 0; i < 400; i++) put8(&b, 0);
    refused(&b, "w: overlaps another");
    head(&b, UINT64_MAX, 0);
    refused(&b, "the file ends too early");
    head(&b, 0, 1);
    text(&b, "a"), little(&b, 9, 4), little(&b, 4, 4), little(&b, (uint64_t)1 << 60, 8);
    refused(&b, "a list that is too long");
    head(&b, 0, 1);
    text(&b, "a"), little(&b, 13, 4), little(&b, 0, 8);
    refused(&b, "metadata of a type that is not known");
    head(&b, 0, 1);
    text(&b, "a"), little(&b, 9, 4);
    for (int i = 0; i < 20; i++) little(&b, 9, 4), little(&b, 1, 8);
    refused(&b, "lists in lists that are too deep");
    head(&b, 0, 2);
    for (int i = 0; i < 2; i++) text(&b, "a"), little(&b, 0, 4), put8(&b, 1);
    refused(&b, "a: is there twice");
    head(&b, 0, 1);
    text(&b, "split.count"), little(&b, 2, 4), little(&b, 3, 2);
    refused(&b, "is one of 3 files of a model");
    head(&b, 0, 1);
    text(&b, "a"), little(&b, 8, 4), text(&b, "\xff");
    refused(&b, "a text that is no UTF-8");
    head(&b, 0, 0);
    b.p[4] = 0, b.p[7] = 3;
    refused(&b, "is big-endian");
}

/* One key as it stands in the whole metadata. */
static void keys(void)
{
    static const struct { const char *key, *is; } all[] = {
        { "general.architecture", "\"llama\"" }, { "a.negative", "-7" },     { "a.float", "0.5" },
        { "a.bool", "true" },                     { "a.list", "[1,2,3]" },    { "a.large", "4611686018427387904" },
        { "a.list.0", "" },                       { "", "" },
    };
    const tt_ckpt k = tt_ckpt_open("tests/goldens/gguf/all.gguf");
    const char *const whole = tt_ckpt_metadata(k);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char both[120];
        const char *const is = tt_ckpt_metadata_of(k, all[i].key);
        CHECK(tt_ok() && !strcmp(is, all[i].is), "%s is %s, expected %s", all[i].key, is, all[i].is);
        snprintf(both, sizeof both, "\"%s\":%s", all[i].key, is);
        CHECK(!*is || strstr(whole, both), "%s of %s", both, whole);
    }
    CHECK(!*tt_ckpt_metadata_of(k, NULL) && strstr(tt_error(), "the key is NULL"), "%s", tt_error());
    tt_clear();
}

/* Lists as long as a vocabulary: what they hold is read when they are asked for. */
static void long_lists(void)
{
    static pile b;
    static char want[2][1200], both[3000];
    strcpy(want[0], "["), strcpy(want[1], "[");
    head(&b, 0, 3);
    for (int of = 0; of < 2; of++) {
        text(&b, of ? "a.words" : "a.numbers"), little(&b, 9, 4), little(&b, of ? 8 : 5, 4), little(&b, 100, 8);
        for (int i = 0; i < 100; i++) {
            char word[20];
            snprintf(word, sizeof word, of ? "\"w%d\"" : "%d", i - 50);
            snprintf(want[of] + strlen(want[of]), 30, "%s%s", word, i < 99 ? "," : "]");
            if (!of) little(&b, (uint64_t)(i - 50), 4);
            else word[strlen(word) - 1] = '\0', text(&b, word + 1);
        }
    }
    text(&b, "b"), little(&b, 7, 4), put8(&b, 1);
    spill(at("long.gguf"), &b);
    const tt_ckpt k = tt_ckpt_open(at("long.gguf"));
    CHECK(tt_ok() && !strcmp(tt_ckpt_metadata_of(k, "b"), "true"), "behind the lists: %s", tt_error());
    for (int again = 0; again < 2; again++) {
        CHECK(!strcmp(tt_ckpt_metadata_of(k, "a.numbers"), want[0]), "%s", tt_ckpt_metadata_of(k, "a.numbers"));
        CHECK(!strcmp(tt_ckpt_metadata_of(k, "a.words"), want[1]), "%s", tt_ckpt_metadata_of(k, "a.words"));
        snprintf(both, sizeof both, "{\"a.numbers\":%s,\"a.words\":%s,\"b\":true}", want[0], want[1]);
        CHECK(!strcmp(tt_ckpt_metadata(k), both), "%s", tt_ckpt_metadata(k));
    }
    b.p[b.n - 15] ^= 0x80;                           /* in the last word */
    spill(at("long.gguf"), &b);
    CHECK(!*tt_ckpt_metadata_of(k, "a.words") && strstr(tt_error(), "changed since it was opened"), "%s", tt_error());
    tt_clear();
    const tt_ckpt other = tt_ckpt_open(at("long.gguf"));
    CHECK(tt_ok() && !strcmp(tt_ckpt_metadata_of(other, "a.numbers"), want[0]), "%s", tt_error());
    CHECK(!*tt_ckpt_metadata_of(other, "a.words") && strstr(tt_error(), "a text that is no UTF-8"), "%s", tt_error());
    tt_clear();
    CHECK(!*tt_ckpt_metadata(other) && strstr(tt_error(), "a text that is no UTF-8"), "%s", tt_error());
    tt_clear();
    b.n -= 16, refused(&b, "the file ends too early");
    head(&b, 0, 1);
    text(&b, "a"), little(&b, 9, 4), little(&b, 8, 4), little(&b, 100, 8);
    for (int i = 0; i < 100; i++) little(&b, i < 99 ? 0 : UINT64_MAX, 8);
    refused(&b, "the file ends too early");
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(silent, NULL);
    if (!check_folder(dir)) return 1;
    CHECK_RUN(parts());
    CHECK_RUN(refusals());
    CHECK_RUN(keys());
    CHECK_RUN(long_lists());
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    CHECK(system(command) == 0, "%s stays", dir);
    tt_done();
    return check_done();
}
