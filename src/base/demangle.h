#ifndef GMMU_BASE_DEMANGLE_H
#define GMMU_BASE_DEMANGLE_H
/* The name that a function has in its source: "gather<int>" for "_Z6gatherIiEvPT_". */
#include "base/strbuf.h"

/* Without return type and parameters. A name that is not mangled stays as it is. */
void demangle(const char *symbol, strbuf_t *out);
#endif
