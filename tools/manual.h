#ifndef GMMU_MANUAL_H
#define GMMU_MANUAL_H
/* Manual pages in man(7), from the tables that also make the help texts. */
#include "cli.h"

/* Page gmmu-COMMAND(1); `version` stands in its footer. */
void manual_command(const subcommand_t *s, const char *version, strbuf_t *out);
/* Page gmmu(1): every command of the list, which ends with NULL. */
void manual_overview(const subcommand_t *const *commands, const char *version, strbuf_t *out);
#endif
