/* gen/plugins.h - where plug-ins are looked for, and whether what is there may be loaded. */
#ifndef TUTTI_GEN_PLUGINS_H
#define TUTTI_GEN_PLUGINS_H

#include <stdbool.h>
#include <stddef.h>

/* The folders, with ':' between them, best first. */
void plugin_places(char *list, size_t capacity);
/* True if nobody but root, this user and the owner of this code can have written the file, nor put another in its
 * place. real: its path without links, to be loaded. Else *why says what is wrong. */
bool plugin_trusted(const char *path, char real[4096], const char **why);

#endif
