/* Where the kernels of the operators are, and what they are when they run. */
#include "lab/operators.h"
#include "base/file.h"
#include "base/where.h"
#include "db/program.h"
#include "lab/front.h"
#include "lab/hash.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#define PTX_LIMIT_BYTES (16u << 20)

static int ptx_path(char *path, size_t size, err_t *e) {
  char dir[PATH_MAX];
  int rc = where_is(WHERE_APPS, dir, sizeof dir, e);
  if (rc < 0) return rc;
  if ((size_t)snprintf(path, size, "%s/db.ptx", dir) < size) return GMMU_OK;
  return err_set(e, GMMU_EINVAL, "%s: the path is too long", dir);
}

int operators_ptx(strbuf_t *out, err_t *e) {
  char path[PATH_MAX];
  int rc = ptx_path(path, sizeof path, e);
  return rc == 0 ? file_read(path, PTX_LIMIT_BYTES, out, e) : rc;
}

static int open_operator(const char *text, source_t **out, err_t *e) {
  db_spec_t spec;
  strbuf_t ptx;
  *out = NULL;
  strbuf_init(&ptx);
  int rc = db_parse(text, &spec, e);
  if (rc == 0) rc = operators_ptx(&ptx, e);
  if (rc == 0) rc = db_program_new(&spec, strbuf_text(&ptx), ptx.size, out, e);
  strbuf_fini(&ptx);
  return rc;
}

static int identity(const char *text, char *out, size_t size, err_t *e) {
  char path[PATH_MAX];
  uint64_t hash = 0;
  db_spec_t spec;
  int rc = db_parse(text, &spec, e);
  if (rc == 0) rc = ptx_path(path, sizeof path, e);
  if (rc == 0) rc = hash_file(path, lab_live_version, &hash, e);
  if (rc == 0) snprintf(out, size, "%s %016" PRIx64, text, hash);
  return rc;
}

const front_t front_operators = {.name = "operator",
                                 .help = "a database operator, one of `gmmu list operators`",
                                 .recognises = db_knows,
                                 .open = open_operator,
                                 .identity = identity};
