#ifndef GMMU_LAB_CLAIMS_H
#define GMMU_LAB_CLAIMS_H
/* Who runs what: processes that share a store claim the runs they have under way, so that none is
 * done twice at the same time. A claim is a lock on one byte of a file beside the store: it ends
 * with the process, however that ends. Where a file system knows no locks every claim is granted:
 * work may then be done twice, and nothing is lost. */
#include <stdbool.h>

typedef struct claims claims_t;

/* NULL if it cannot be: then all is granted. */
claims_t *claims_open(const char *store);
void claims_close(claims_t *c);
bool claims_take(claims_t *c, const char *key); /* false: somebody else has it */
bool claims_take_all(claims_t *c);              /* false: somebody has one */
void claims_leave(claims_t *c, const char *key);
#endif
