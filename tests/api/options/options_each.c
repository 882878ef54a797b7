/* options_each.c - every option of every option struct, from the table that the library checks them by: one that is
 * given as 0 is given; a text, a pointer, a mesh or a value that is given as none is refused, as is a number out of its
 * range; a null pointer that is spelled as one is the default. */
#include "api/api.h"
#include "check.h"

#include <string.h>

typedef struct { TT_OPTION_HEAD } head;

/* Checked with the text `given`; part: what the error says, NULL: there is none. */
static void says(const char *type, const void *options, const char *given, const char *part)
{
    ((head *)options)->given = given;
    const void *o = tt_options_at("here", "call", type, options);
    if (!part) CHECK(o == options && tt_ok(), "%s, %s: %s", type, given ? given : "(no text)", tt_error());
    else CHECK(!o && !tt_ok() && strstr(tt_error(), part), "%s, %s: %s, not: %s", type, given ? given : "(no text)",
               tt_ok() ? "nothing" : tt_error(), part);
    tt_clear();
}

static void number(const api_option *f, void *at, int i, double x)
{
    if (f->kind == API_NUMBER) ((double *)at)[i] = x;
    else if (f->kind == API_INT) ((int *)at)[i] = (int)x;
    else ((int64_t *)at)[i] = (int64_t)x;
}

/* True if the option's text is of numbers, which an enum constant of 0 could stand for by mistake. */
static bool of_numbers(const char *name)
{
    return strstr(" dims wrt in out donate same groups batch sum ", name) != NULL;
}

/* A field of `options`, which is 0 but for its size. */
static void each(const api_option_struct *s, const api_option *f, char *options)
{
    char text[160], part[160];
    void *at = options + f->offset;
    const bool pointer = f->kind == API_TEXT || f->kind == API_POINTER;
    const bool struck = f->kind == API_MESH || f->kind == API_VALUE;
    snprintf(text, sizeof text, f->n > 1 || struck ? ".%s = { x }" : ".%s = x", f->name);
    if (pointer) snprintf(part, sizeof part, "call: .%s = x is C's null pointer", f->name);
    else if (struck) snprintf(part, sizeof part, "call: .%s = { x } is an empty", f->name);
    else snprintf(part, sizeof part, "call: .%s = %s; expected", f->name, f->n > 1 ? "{ x }" : "x");
    const bool absent = f->kind == API_TEXT && !of_numbers(f->name);     /* a variable may be NULL */
    const bool refused = (pointer && !absent) || struck || f->least != API_ANY;
    says(s->type, options, text, refused ? part : NULL);
    CHECK(tt_given(options, f->name), "%s in %s", f->name, text);
    says(s->type, options, "", NULL);
    CHECK(!tt_given(options, f->name), "%s in nothing", f->name);
    if (pointer) {
        static const char *const spelled[] = { "((void *)0)", "NULL", "nullptr", "__null", "x ? \"0\" : ((void *)0)",
                                               "(char *)0", "(char *)NULL" };
        static const char *const zero[] = { "0", "(0)", "0L", "0x0u", "false", "'\\0'", "1 - 1" };
        static const char *const named[] = { "x", "ROWS", "f(NULL)", "x[nullptr]", "\"NULL\"[x]", "s(NULL, 1) + 0" };
        for (size_t i = 0; i < sizeof spelled / sizeof *spelled; i++) {
            snprintf(text, sizeof text, ".%s = %s", f->name, spelled[i]);
            says(s->type, options, text, NULL);
        }
        for (size_t i = 0; i < sizeof zero / sizeof *zero; i++) {
            snprintf(text, sizeof text, ".%s = %s,", f->name, zero[i]);
            says(s->type, options, text, "is C's null pointer");
        }
        for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
            snprintf(text, sizeof text, ".%s = %s,", f->name, named[i]);
            says(s->type, options, text, absent ? NULL : "is C's null pointer");
        }
        *(intptr_t *)at = 1;
        snprintf(part, sizeof part, ".%s is the number 1, not a %s", f->name, f->kind == API_TEXT ? "text" : "pointer");
        says(s->type, options, "", part);
        *(const void **)at = options;
        snprintf(text, sizeof text, ".%s = 0", f->name);
        says(s->type, options, text, NULL);
    } else if (struck) {
        snprintf(text, sizeof text, ".%s = x ? y : (tt_val){ 0 }", f->name);
        says(s->type, options, text, NULL);
        snprintf(text, sizeof text, ".%s = tt_mesh{}", f->name);
        says(s->type, options, text, NULL);
    } else if (f->least != API_ANY) {
        number(f, at, 0, -1);
        says(s->type, options, NULL, f->n > 1 ? "[0] = -1; expected" : " = -1; expected");
        number(f, at, 0, 2);
        says(s->type, options, text, NULL);
        snprintf(text, sizeof text, ".%s = { 2, x }", f->name);
        if (f->n > 1) says(s->type, options, text, "= { 2, x }; expected 1 or more");
        if (f->n > 1) number(f, at, 1, 3), says(s->type, options, text, NULL);
        if (f->n > 1) number(f, at, 1, -3), says(s->type, options, text, "[1] = -3; expected 1 or more");
    }
}

static void whole(const api_option_struct *s)
{
    static _Alignas(16) char options[4096];
    head *h = (head *)options;
    for (int i = 0; i < s->n; i++) {
        memset(options, 0, sizeof options);
        h->size = s->size;
        if (!s->field[i].inner) each(s, &s->field[i], options);
        char text[96];
        const api_option *in = s->field[i].inner ? s->field[i].inner->field : NULL;
        for (int k = 0; in && k < s->field[i].inner->n; k++) {
            const bool refused = (in[k].kind == API_TEXT && of_numbers(in[k].name)) || in[k].least != API_ANY;
            char part[96];
            snprintf(part, sizeof part, ".%s.%s = x", s->field[i].name, in[k].name);
            snprintf(text, sizeof text, ".%s = { .%s = x }", s->field[i].name, in[k].name);
            says(s->type, options, text, refused ? part : NULL);
            snprintf(text, sizeof text, ".%s.%s = x, .%s = y", s->field[i].name, in[k].name, s->field[0].name);
            says(s->type, options, text, refused ? part : s->field[0].least != API_ANY ? "= y; expected" : NULL);
        }
    }
    memset(options, 0, sizeof options);
    says(s->type, options, NULL, "options of 0 bytes");
    h->size = s->size;
    says(s->type, options, NULL, NULL);
    says(s->type, options, "0", "an option without its name");
    says(s->type, options, "\"0\", .nothing = 1", "an option without its name");
    h->name_your_options = (struct tt_name_your_options *)options;
    says(s->type, options, "", "an option without its name");
    const head *none = tt_options_at("here", "call", s->type, NULL);
    CHECK(none && none->size == s->size && !none->given && tt_ok(), "%s: NULL is all defaults", s->type);
}

/* What TT_OPTS hands over of each. */
#define ZERO_TEXT1    NULL
#define ZERO_POINTER1 NULL
#define ZERO_NUMBER1  0
#define ZERO_NUMBER2  { 0 }
#define ZERO_INT1     0
#define ZERO_LONG1    0
#define ZERO_LONG2    { 0 }
#define ZERO_LONG8    { 0 }
#define ZERO_DTYPE1   (tt_dtype)0
#define ZERO_MESH1    { 0 }
#define ZERO_VALUE1   { 0 }
static void handed(const void *o, const char *name, const char *other)
{
    CHECK(tt_given(o, name) && (!strcmp(name, other) || !tt_given(o, other)), "%s of \"%s\"", name,
          ((const head *)o)->given);
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
#define OPTION_BEGIN(T) whole(&T##_are);
#define OPTION(T, f, kind, n, least) handed(TT_OPTS(T, .f = ZERO_##kind##n), #f, T##_are.field[0].name);
#define OPTION_INNER(T, f, inner) handed(TT_OPTS(T, .f = { 0 }), #f, T##_are.field[0].name);
#define OPTION_END(T)
#define OPTION_SORTED(T) CHECK(api_option_struct_of(#T) == &T##_are, "%s is found", #T);
#include <api/options.h>
    CHECK(!api_option_struct_of("tt_no_opts") && !api_option_struct_of("") && !api_option_struct_of("zz"), "no struct");
    return check_done();
}
