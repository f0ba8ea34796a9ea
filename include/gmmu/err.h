#ifndef GMMU_ERR_H
#define GMMU_ERR_H
/* Errors. Functions return 0 or a negative code; an err_t tells a person what and where.
 * Library code fills it and returns; only tools print it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define GMMU_ERR_LIST(X)                                                                           \
  X(EINVAL, 1, "invalid argument")                                                                 \
  X(ENOMEM, 2, "out of memory")                                                                    \
  X(ERANGE, 3, "value out of range")                                                               \
  X(ENOENT, 4, "no such name")                                                                     \
  X(EFORMAT, 5, "malformed input")                                                                 \
  X(EIO, 6, "input/output error")                                                                  \
  X(ENOSPACE, 7, "simulated memory exhausted")                                                     \
  X(EFAULT, 8, "access outside every allocation")                                                  \
  X(ESTUCK, 9, "no progress")                                                                      \
  X(ECHECK, 10, "internal check failed")                                                           \
  X(EINTERRUPTED, 11, "interrupted")

typedef enum {
  GMMU_OK = 0,
#define X(n, v, s) GMMU_##n = -(v),
  GMMU_ERR_LIST(X)
#undef X
} gmmu_code_t;

/* What went wrong and where. Empty strings and zero numbers mean "not known". */
typedef struct {
  int code;
  uint32_t line, column; /* of a text file, from 1 */
  uint64_t offset;       /* of a binary file, in bytes; has_offset tells whether it is set */
  uint8_t has_offset;
  char file[160];
  char key[64];
  char text[400]; /* the reason: value, allowed range and nearest right name where they apply */
} err_t;

const char *gmmu_strerror(int code);

/* Each returns `code` (or e->code), so that `return err_set(...)` reads well. `e` may be NULL; the
 * functions that take no code then return GMMU_EINVAL. err_set() starts a new error; the others add
 * to it what is not known yet, so the innermost file and key win. */
int err_set(err_t *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int err_in_file(err_t *e, const char *file, uint32_t line, uint32_t column);
int err_at_offset(err_t *e, const char *file, uint64_t offset);
int err_for_key(err_t *e, const char *key);
void err_clear(err_t *e);
/* snprintf() for messages: a text that does not fit loses the middle of its longest words first.
 * Names of templates have thousands of characters, and the reason stands behind them. */
void err_fit(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void err_vfit(char *buf, size_t size, const char *fmt, va_list args);
/* "file:line:column: key: text", with the parts that are known, as a terminal may show it: what
 * came from a foreign file (a name, an excerpt) has \xNN for what a terminal would obey. Returns
 * what snprintf would. */
#define ERR_SHOWN_BYTES (4 * sizeof(err_t) + 64) /* room for any */
int err_format(const err_t *e, char *buf, size_t size);
#endif
