#ifndef GMMU_LAB_STORE_DB_H
#define GMMU_LAB_STORE_DB_H
/* The store's connection, for the files of this room. */
#include "lab/store.h"
struct sqlite3;

struct sqlite3 *store_db(store_t *s); /* NULL: there is nothing to read */
/* What SQLite says is wrong, as users understand it; returns e's code. */
int store_fail(const store_t *s, err_t *e);
#endif
