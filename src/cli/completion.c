/* cli/completion.c - tutti completion SHELL: a script by which bash, zsh or fish complete the words of this tool,
 * written from the table of commands. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

/* The i-th option of a command, without paragraphs; NULL at the end. An option is --mesh, or a word such as ls. */
static const cli_option *option_at(const cli_command *c, int i)
{
    const cli_option *o = c->options;
    for (; o->what; o++) if (o->name && strcmp(o->name, "--") && i-- == 0) return o;
    return NULL;
}
static bool is_word(const cli_option *o) { return *o->name != '-'; }

/* True if an earlier option of the command has the same name: --mesh of a program and of a model. */
static bool is_second(const cli_command *c, int i)
{
    for (int k = 0; k < i; k++) if (!strcmp(option_at(c, k)->name, option_at(c, i)->name)) return true;
    return false;
}

/* Writes the first line of a text, with a backslash before each character of `special`. */
static void completion_put(const char *text, const char *special)
{
    for (; *text && *text != '\n'; text++) {
        if (strchr(special, *text)) putchar('\\');
        putchar(*text);
    }
}

static void bash_command(const cli_command *c)
{
    printf("    %s)\n        options='--help", c->name);
    for (int i = 0; option_at(c, i); i++)
        if (!is_second(c, i) && !is_word(option_at(c, i))) printf(" %s", option_at(c, i)->name);
    printf("'\n        words='");
    for (int i = 0; option_at(c, i); i++) if (is_word(option_at(c, i))) printf("%s ", option_at(c, i)->name);
    printf("'\n        ends='%s'\n        case $before in\n", c->ends ? c->ends : "");
    for (int i = 0; option_at(c, i); i++) {
        const cli_option *o = option_at(c, i);
        if (!o->value || is_second(c, i) || is_word(o)) continue;
        printf("        %s) options= words= ends='%s' ;;\n", o->name, o->files ? o->files : "");
    }
    printf("        esac ;;\n");
}

static void bash(void)
{
    printf("# Completion of tutti for bash: . <(tutti completion bash)\n"
           "_tutti()\n{\n"
           "    local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    local words= options= ends= file end IFS=$' \\n'\n"
           "    COMPREPLY=()\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        options='--help --version' words='");
    for (const cli_command *c = cli_commands; c->name; c++) printf("%s ", c->name);
    printf("'\n    else case ${COMP_WORDS[1]} in\n");
    for (const cli_command *c = cli_commands; c->name; c++) bash_command(c);
    printf("    esac\n    fi\n"
           "    # A command's words stand behind it, files behind these; options are offered behind a -.\n"
           "    [ \"$COMP_CWORD\" -le 2 ] || words=\n"
           "    [ -z \"$words\" ] || ends=\n"
           "    case $now in -*) words=$options ends= ;; esac\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$now\"))\n"
           "    [ -n \"$ends\" ] || return 0\n"
           "    compopt -o filenames 2>/dev/null\n"
           "    while IFS= read -r file; do\n"
           "        if [ -d \"$file\" ] || [ \"$ends\" = '*' ]; then COMPREPLY+=(\"$file\"); continue; fi\n"
           "        for end in $ends; do case $file in *.$end) COMPREPLY+=(\"$file\") ;; esac; done\n"
           "    done < <(compgen -f -- \"$now\")\n"
           "}\ncomplete -F _tutti tutti\n");
}

/* Writes the endings "c cpp" as "c<between>cpp". */
static void put_ends(const char *ends, const char *between)
{
    for (; *ends; ends++) {
        if (*ends == ' ') fputs(between, stdout);
        else putchar(*ends);
    }
}

static void zsh_command(const cli_command *c)
{
    printf("    %s)\n        _arguments", c->name);
    for (int i = 0; option_at(c, i); i++) {
        const cli_option *o = option_at(c, i);
        if (is_word(o) || is_second(c, i)) continue;
        printf(" \\\n            $'%s[", o->name);
        completion_put(o->what, "'[]");
        printf("]");
        if (o->value) printf(":");
        if (o->value) completion_put(o->value, "'[]:");
        if (o->files) printf(!strcmp(o->files, "*") ? ":_files" : ":_files -g \"*.%s\"", o->files);
        else if (o->value) printf(":");
        printf("'");
    }
    bool words = false;
    for (int i = 0; option_at(c, i); i++) words |= is_word(option_at(c, i));
    if (words) printf(" \\\n            $'1:what:((");
    for (int i = 0; option_at(c, i); i++) {
        if (!is_word(option_at(c, i))) continue;
        printf("%s%s\\\\:\"", i ? " " : "", option_at(c, i)->name);
        completion_put(option_at(c, i)->what, "':\"$()");
        printf("\"");
    }
    if (words) printf("))'");
    if (c->ends && !strcmp(c->ends, "*")) printf(" \\\n            '*:file:_files'");
    else if (c->ends) {
        printf(" \\\n            '1:program:_files -g \"*.(");
        put_ends(c->ends, "|");
        printf(")\"' '*:argument:_files'");
    }
    printf(" ;;\n");
}

static void zsh(void)
{
    printf("#compdef tutti\n# Completion of tutti for zsh: a file _tutti in a folder of $fpath\n"
           "_tutti()\n{\n    local -a commands=(\n");
    for (const cli_command *c = cli_commands; c->name; c++) {
        printf("        $'%s:", c->name);
        completion_put(c->what, "'\\");
        printf("'\n");
    }
    printf("        '--help:what it does' '--version:its version'\n    )\n"
           "    if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
           "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n");
    for (const cli_command *c = cli_commands; c->name; c++) zsh_command(c);
    printf("    esac\n}\n[[ $zsh_eval_context[-1] == loadautofunc ]] && _tutti \"$@\" || compdef _tutti tutti\n");
}

static void fish_option(const cli_command *c, const cli_option *o)
{
    const bool file = o->files != NULL;
    printf("complete -c tutti -n '__fish_seen_subcommand_from %s'", c->name);
    if (is_word(o)) printf(" -a %s", o->name);
    else printf(o->name[1] == '-' ? " -l %s" : " -s %s", o->name + 1 + (o->name[1] == '-'));
    if (o->value && !is_word(o)) printf(file ? " -r -F" : " -x");
    printf(" -d '");
    completion_put(o->what, "'\\");
    printf("'\n");
}

static void fish(void)
{
    printf("# Completion of tutti for fish: tutti completion fish | source\n"
           "complete -c tutti -f\n"
           "complete -c tutti -n __fish_use_subcommand -l help -d 'what it does'\n"
           "complete -c tutti -n __fish_use_subcommand -l version -d 'its version'\n");
    for (const cli_command *c = cli_commands; c->name; c++) {
        printf("complete -c tutti -n __fish_use_subcommand -a %s -d '", c->name);
        completion_put(c->what, "'\\");
        printf("'\n");
        if (c->ends) printf("complete -c tutti -n '__fish_seen_subcommand_from %s' -F\n", c->name);
        for (int i = 0; option_at(c, i); i++) if (!is_second(c, i)) fish_option(c, option_at(c, i));
    }
}

int cli_completion(int argc, char **argv)
{
    static const struct { const char *name; void (*write)(void); } shells[] = {
        { "bash", bash }, { "zsh", zsh }, { "fish", fish } };
    for (int i = 0; argc == 2 && i < 3; i++) {
        if (strcmp(argv[1], shells[i].name)) continue;
        shells[i].write();
        return 0;
    }
    if (argc > 1) fprintf(stderr, "tutti completion: %s \"%s\"\n", argc > 2 ? "one shell, not also" : "no shell",
                          argv[argc - 1]);
    fprintf(stderr, "usage: tutti completion bash|zsh|fish\n");
    return 2;
}
