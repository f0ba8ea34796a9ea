/* Locks of an open file description, which belong to this opening of the file and to nothing else:
 * SQLite's own locks, on another file, do not meet them. The byte is the key's first 60 bits; two
 * keys that share it would only wait for each other. */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "lab/claims.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct claims {
  int fd;
};

claims_t *claims_open(const char *store) {
  char path[PATH_MAX];
  if ((size_t)snprintf(path, sizeof path, "%s.lock", store) >= sizeof path) return NULL;
  claims_t *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (c->fd >= 0) return c;
  free(c);
  return NULL;
}

void claims_close(claims_t *c) {
  if (!c) return;
  close(c->fd);
  free(c);
}

/* `len` bytes from `start`; 0: all behind it. */
static int lock(const claims_t *c, off_t start, off_t len, short type) {
  struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = len};
  return fcntl(c->fd, F_OFD_SETLK, &l);
}

static off_t byte_of(const char *key) {
  char head[16];
  snprintf(head, sizeof head, "%.15s", key);
  return (off_t)strtoull(head, NULL, 16);
}

static bool is_granted(int rc) { return rc == 0 || (errno != EAGAIN && errno != EACCES); }

bool claims_take(claims_t *c, const char *key) {
  return !c || is_granted(lock(c, byte_of(key), 1, F_WRLCK));
}

bool claims_take_all(claims_t *c) { return !c || is_granted(lock(c, 0, 0, F_WRLCK)); }

void claims_leave(claims_t *c, const char *key) {
  if (c) lock(c, byte_of(key), 1, F_UNLCK);
}
