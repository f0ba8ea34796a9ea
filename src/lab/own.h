#ifndef GMMU_OWN_H
#define GMMU_OWN_H
/* Programs of the user's own as applications of studies: "-- ./program arguments", words with
 * blanks between. One is started once and recorded, as on maxwell, into the cache; the recording's
 * name has the hash of the program's bytes and of its words, so a program that has changed is
 * recorded again. */
#include "gmmu/stream.h"

bool own_knows(const char *text);
/* Whether it is there and could be started. */
int own_check(const char *text, err_t *e);
/* Where its recording is, or will be. */
int own_recording(const char *text, char *path, size_t size, bool *cached, err_t *e);
/* Makes the recording if there is none; path has its name then. */
int own_record(const char *text, char *path, size_t size, err_t *e);
int own_open(const char *text, source_t **out, err_t *e); /* as app_open() */
#endif
