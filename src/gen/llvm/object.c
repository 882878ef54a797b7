/* gen/llvm/object.c - turns an ELF object, as LLVM emits it, into an image: code and constants in sequence, with all
 * references between them resolved. The references are relative, so an image runs wherever it is mapped.
 *
 * An object that refers to a symbol outside itself, or by an absolute address, is refused: its scalar program stays
 * with the interpreter. x86-64 and AArch64, little-endian. */
#include "llvm.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SECTIONS = 64, NONE = -1, AT_MOST = 1 << 24 };    /* AT_MOST: bytes of the largest object accepted */
typedef struct {
    const char *at; size_t n;
    const Elf64_Ehdr *head; const Elf64_Shdr *section; int nsection;
    int64_t place[SECTIONS];                             /* offset in the image, or NONE */
    llvm_code *code;
    const char **why; char *message; size_t cap;
} object;

static bool object_within(const object *o, uint64_t at, uint64_t n) { return at <= o->n && n <= o->n - at; }

static const char *name_at(const object *o, const Elf64_Shdr *table, uint32_t at)
{
    const bool ends = table->sh_size && !o->at[table->sh_offset + table->sh_size - 1];
    return ends && at < table->sh_size ? o->at + table->sh_offset + at : "";
}

static bool read_head(object *o)
{
    o->head = (const void *)o->at;
    *o->why = "the object is truncated";
    if (o->n > AT_MOST || o->n < sizeof *o->head || memcmp(o->head->e_ident, ELFMAG, SELFMAG)) return false;
    if (o->head->e_shentsize != sizeof *o->section || o->head->e_shnum > SECTIONS || o->head->e_shoff % 8) return false;
    if (!object_within(o, o->head->e_shoff, (uint64_t)o->head->e_shnum * sizeof *o->section)) return false;
    o->section = (const void *)(o->at + o->head->e_shoff), o->nsection = o->head->e_shnum;
    if (o->head->e_shstrndx >= o->nsection) return false;
    for (int i = 0; i < o->nsection; i++) {
        const Elf64_Shdr *s = &o->section[i];
        if (s->sh_type != SHT_NOBITS && !object_within(o, s->sh_offset, s->sh_size)) return false;
        if (s->sh_link >= (uint32_t)o->nsection || s->sh_addralign > 4096) return false;
    }
    return true;
}

/* Places code and constants in sequence; unwind tables are left out. */
static bool place_sections(object *o)
{
    size_t n = 0;
    for (int i = 0; i < o->nsection; i++) {
        const Elf64_Shdr *s = &o->section[i];
        const char *name = name_at(o, &o->section[o->head->e_shstrndx], s->sh_name);
        const uint64_t align = s->sh_addralign ? s->sh_addralign : 1;
        o->place[i] = NONE;
        if (!(s->sh_flags & SHF_ALLOC) || !s->sh_size || !strncmp(name, ".eh_frame", 9)) continue;
        if (s->sh_type != SHT_PROGBITS || s->sh_flags & SHF_WRITE) return *o->why = "it has data of its own", false;
        n = (size_t)base_round_up((int64_t)n, (int64_t)align);
        o->place[i] = (int64_t)n;
        n += s->sh_size;
    }
    o->code->n = n;
    o->code->at = calloc(1, n ? n : 1);
    if (!o->code->at) return *o->why = "out of memory", false;
    for (int i = 0; i < o->nsection; i++)
        if (o->place[i] != NONE)
            memcpy(o->code->at + o->place[i], o->at + o->section[i].sh_offset, o->section[i].sh_size);
    return true;
}

static bool address(const object *o, const Elf64_Shdr *table, uint64_t i, int64_t *at)
{
    if (table->sh_type != SHT_SYMTAB || i >= table->sh_size / sizeof(Elf64_Sym)) return false;
    const Elf64_Sym *s = (const void *)(o->at + table->sh_offset + i * sizeof *s);
    if (s->st_shndx < o->nsection && s->st_shndx && o->place[s->st_shndx] != NONE)
        return *at = o->place[s->st_shndx] + (int64_t)s->st_value, true;
    const char *name = name_at(o, &o->section[table->sh_link], s->st_name);
    snprintf(o->message, o->cap, "it refers to %.100s outside", *name ? name : "something");
    return *o->why = o->message, false;
}

/* Sets bits [low, low + n) of a 32-bit instruction to x. */
static void set_bits(char *at, int low, int n, uint64_t x)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    const uint32_t mask = (uint32_t)((1ull << n) - 1) << low;
    word = (word & ~mask) | ((uint32_t)(x << low) & mask);
    memcpy(at, &word, sizeof word);
}

/* Resolves the field at p, which refers to s (addend included). Page offsets stay valid: an image is mapped at the
 * start of a page. */
static bool fill_in(const object *o, uint32_t type, int64_t p, int64_t s)
{
    char *const at = o->code->at + p;
    const int64_t by = s - p;
    const int32_t by32 = (int32_t)by;
    const bool x86 = o->head->e_machine == EM_X86_64, arm = o->head->e_machine == EM_AARCH64;
    if (x86 && (type == R_X86_64_PC32 || type == R_X86_64_PLT32)) return memcpy(at, &by32, 4), true;
    if (arm)
        switch (type) {
        case R_AARCH64_PREL32: return memcpy(at, &by32, 4), true;
        case R_AARCH64_CALL26:
        case R_AARCH64_JUMP26: return set_bits(at, 0, 26, (uint64_t)by >> 2), true;
        case R_AARCH64_ADR_PREL_PG_HI21: {
            const uint64_t pages = (uint64_t)((s >> 12) - (p >> 12));
            return set_bits(at, 29, 2, pages), set_bits(at, 5, 19, pages >> 2), true;
        }
        case R_AARCH64_ADD_ABS_LO12_NC:
        case R_AARCH64_LDST8_ABS_LO12_NC: return set_bits(at, 10, 12, (uint64_t)s & 4095), true;
        case R_AARCH64_LDST16_ABS_LO12_NC: return set_bits(at, 10, 12, ((uint64_t)s & 4095) >> 1), true;
        case R_AARCH64_LDST32_ABS_LO12_NC: return set_bits(at, 10, 12, ((uint64_t)s & 4095) >> 2), true;
        case R_AARCH64_LDST64_ABS_LO12_NC: return set_bits(at, 10, 12, ((uint64_t)s & 4095) >> 3), true;
        case R_AARCH64_LDST128_ABS_LO12_NC: return set_bits(at, 10, 12, ((uint64_t)s & 4095) >> 4), true;
        default: break;
        }
    snprintf(o->message, o->cap, "it has a relocation of type %u", type);
    return *o->why = o->message, false;
}

static bool relocate(const object *o, const Elf64_Shdr *s)
{
    const int64_t base = o->place[s->sh_info];
    for (uint64_t i = 0; i < s->sh_size / sizeof(Elf64_Rela); i++) {
        const Elf64_Rela *r = (const void *)(o->at + s->sh_offset + i * sizeof *r);
        int64_t to;
        if (r->r_offset > o->section[s->sh_info].sh_size - 4) return *o->why = "the object is truncated", false;
        if (!address(o, &o->section[s->sh_link], ELF64_R_SYM(r->r_info), &to)) return false;
        if (!fill_in(o, (uint32_t)ELF64_R_TYPE(r->r_info), base + (int64_t)r->r_offset, to + r->r_addend)) return false;
    }
    return true;
}

static bool find_entry(const object *o, const char *name)
{
    for (int i = 0; i < o->nsection; i++) {
        const Elf64_Shdr *t = &o->section[i];
        const Elf64_Sym *s = (const void *)(o->at + t->sh_offset);
        for (uint64_t k = 0; t->sh_type == SHT_SYMTAB && k < t->sh_size / sizeof *s; k++) {
            int64_t at;
            if (strcmp(name_at(o, &o->section[t->sh_link], s[k].st_name), name) || !address(o, t, k, &at)) continue;
            o->code->entry = (size_t)at;
            return true;
        }
    }
    return *o->why = "it has no function", false;
}

bool llvm_image(const char *bytes, size_t n, const char *entry, llvm_code *code, char *message, size_t capacity,
                const char **why)
{
    object o = { .at = bytes, .n = n, .code = code, .why = why, .message = message, .cap = capacity };
    *code = (llvm_code){ 0 };
    bool good = read_head(&o) && place_sections(&o) && find_entry(&o, entry);
    for (int i = 0; good && i < o.nsection; i++) {
        const Elf64_Shdr *s = &o.section[i];
        const bool ours = s->sh_type == SHT_RELA && s->sh_info < (uint32_t)o.nsection && o.place[s->sh_info] != NONE;
        if (ours) good = relocate(&o, s);
    }
    if (!good) free(code->at), code->at = NULL;
    return good;
}

char *llvm_map(const llvm_code *c, const char **why)
{
    char *at = mmap(NULL, c->n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return *why = "no memory for its code", NULL;
    memcpy(at, c->at, c->n);
    if (mprotect(at, c->n, PROT_READ | PROT_EXEC)) {
        munmap(at, c->n);
        return *why = "the system allows no new code", NULL;
    }
    __builtin___clear_cache(at, at + c->n);
    return at;
}
