#ifndef GMMU_PLUGINS_H
#define GMMU_PLUGINS_H
/* Plug-ins of a command: those of the environment (GMMU_PLUGINS, with colons between), then each
 * `--plugin FILE`, which every command takes. */
#include "cli.h"
#include "gmmu/err.h"

extern const cli_option_t plugins_option; /* for help and manual pages */

/* Loads them and takes the words out of argv, up to a "--". Processes that this one starts find
 * them in their environment. */
int plugins_take(char **argv, err_t *e);
/* The same for words that are being typed: one that cannot be loaded is left out, and the last word
 * stays, with the --plugin that it belongs to. */
void plugins_take_typed(char **argv);
#endif
