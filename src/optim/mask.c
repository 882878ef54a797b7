/* optim/mask.c - the leaves to which a part applies: "w" those whose path ends in w, "not bias scale" all others. */
#include "optim.h"

#include <string.h>

enum { MASK = 512 };

/* The words of the mask, after its "not "; NULL: no mask. */
static const char *words_of(const tt_form *f, const char *key, char text[MASK], bool *others)
{
    const char *word = tt_form_word(f, key, NULL, text, MASK);
    *others = word && !strncmp(word, "not ", 4);
    return *others ? word + 4 : word;
}

static bool ends_so(const char *path, const char *word, size_t n)
{
    const size_t whole = strlen(path);
    const char *end = path + whole - n;
    return n <= whole && !strncmp(end, word, n) && (n == whole || end[-1] == '.');
}

bool optim_takes(const optim_part *p, const char *key, const char *path)
{
    char text[MASK];
    bool others;
    const char *word = words_of(&p->form, key, text, &others);
    if (!word) return true;
    for (word += strspn(word, " "); *word; word += strspn(word, " ")) {
        const size_t n = strcspn(word, " ");
        if (ends_so(path, word, n)) return !others;
        word += n;
    }
    return others;
}

/* The place in the form's text of character `from` of the mask's copy. */
static tt_span mask_place_of(const tt_form *f, const char *key, size_t from)
{
    const tt_span v = tt_form_value(f, key);
    return v.p ? (tt_span){ v.p + from, 1 } : f->name;
}

/* True if the word of n bytes stands before it in the text, too. */
static bool mask_word_twice(const char *text, const char *word, size_t n)
{
    for (const char *p = text + strspn(text, " "); p < word; p += strspn(p, " ")) {
        const size_t len = strcspn(p, " ");
        if (len == n && !memcmp(p, word, n)) return true;
        p += len;
    }
    return false;
}

bool optim_mask_ok(const optim_part *p, const char *key, tt_val params)
{
    char text[MASK];
    bool others;
    const char *word = words_of(&p->form, key, text, &others);
    const int n = tt_tree_leaves_at(NULL, params, 0, NULL);
    const char *first = n ? tt_leaf_path_at(NULL, params, 0) : "";
    for (word = word ? word + strspn(word, " ") : ""; *word; word += strspn(word, " ")) {
        const int len = (int)strcspn(word, " ");
        int i = 0;
        while (i < n && !ends_so(tt_leaf_path_at(NULL, params, i), word, (size_t)len)) i++;
        if (i == n && tt_ok()) {
            tt_form_fail(&p->form, mask_place_of(&p->form, key, (size_t)(word - text)),
                         "%s: no parameter's path ends in \"%.*s\"", key, len, word);
            tt_hint("a mask is ends of paths, \"kernel\" or \"not bias\"; the first path is \"%s\"", first);
        }
        if (mask_word_twice(text, word, (size_t)len) && tt_ok())
            tt_form_fail(&p->form, mask_place_of(&p->form, key, (size_t)(word - text)),
                         "%s: \"%.*s\" is given twice", key, len, word);
        word += len;
    }
    return tt_ok();
}
