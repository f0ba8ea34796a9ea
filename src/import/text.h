#ifndef GMMU_IMPORT_TEXT_H
#define GMMU_IMPORT_TEXT_H
/* Lines of a text file, one at a time: plain, .xz, .zst or .tracez (told by the first bytes, not
 * the name). Memory is fixed: two buffers and the decompressor's window. */
#include "gmmu/err.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TEXT_MAX_LINE  1048576u /* bytes; a longer one is an error */
#define TEXT_MAX_WHERE 360u     /* bytes of text_where() */

typedef struct text text_t;

/* On success the caller owns *out. */
int text_open(const char *path, text_t **out, err_t *e);
/* The same from memory that outlives it; `name` is for errors. */
int text_open_memory(const char *name, const void *bytes, size_t size, text_t **out, err_t *e);
/* The same from the beginning of a stream, which becomes the text's, whatever happens. */
int text_open_stream(FILE *f, const char *name, text_t **out, err_t *e);
void text_close(text_t *t); /* NULL is allowed */

/* The next line that is not blank, NUL-terminated, without blanks at both ends; the caller may
 * write to it until the next call. Returns 1, 0 at the end of the file, or an error. */
int text_next(text_t *t, char **line, err_t *e);
/* The next call returns the same line again, unchanged if nobody wrote to it. */
void text_again(text_t *t);

const char *text_name(const text_t *t);
/* Where the line is that was returned last: "file:17", or of a .tracez "file: block 1,0,0, warp 3,
 * instruction 17". */
void text_where(const text_t *t, char where[TEXT_MAX_WHERE]);
/* Share of the file that has been read. */
uint32_t text_permille(const text_t *t);
/* Adds file and line to an error that has neither. */
void text_blame(const text_t *t, err_t *e);
/* An error in the line returned last; returns GMMU_EFORMAT. */
int text_wrong(const text_t *t, err_t *e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
#endif
