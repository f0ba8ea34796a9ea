#ifndef GMMU_OPERATORS_H
#define GMMU_OPERATORS_H
/* The database operators as applications: "db-groupby:size=4G,scope=2G" (db/db.h). Their kernels
 * are a file of PTX beside the programs of the other applications. */
#include "base/strbuf.h"
#include "db/db.h"
#include "gmmu/stream.h"

/* The PTX of the kernels; GMMU_ENOENT if this gmmu was built without it. */
int operators_ptx(strbuf_t *out, err_t *e);
#endif
