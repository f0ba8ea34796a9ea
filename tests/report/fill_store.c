/* Puts rows into a results store, as the laboratory would, for tests of what reads one. Arguments:
 * the store. A line of stdin is a run, its fields separated by tabs: status, model, gpu, design,
 * apps, sms, settings, command, error, sharing (may be empty), identity, result; those that the
 * store has as JSON are JSON without tabs. */
#include "lab/store.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  STATUS,
  MODEL,
  GPU,
  DESIGN,
  APPS,
  SMS,
  SETTINGS,
  COMMAND,
  ERROR,
  SHARING,
  IDENTITY,
  RESULT,
  FIELDS
};

static int put(store_t *s, char *line, err_t *e) {
  const char *f[FIELDS];
  char key[STORE_KEY_BYTES];
  for (int i = 0; i < FIELDS; i++)
    if (!(f[i] = strsep(&line, "\t\n"))) return err_set(e, GMMU_EINVAL, "a line has %d fields", i);
  store_key(f[IDENTITY], key);
  const store_row_t row = {.key = key,
                           .status = strcmp(f[STATUS], "done") == 0     ? STORE_DONE
                                     : strcmp(f[STATUS], "failed") == 0 ? STORE_FAILED
                                                                        : STORE_LOST,
                           .identity = f[IDENTITY],
                           .model = f[MODEL],
                           .label = key,
                           .workload = f[APPS],
                           .gpu = f[GPU],
                           .design = f[DESIGN],
                           .apps = f[APPS],
                           .sms = f[SMS],
                           .settings = f[SETTINGS],
                           .command = f[COMMAND],
                           .result = f[RESULT],
                           .error = f[ERROR],
                           .host = "here",
                           .host_ms = 1};
  int rc = store_put(s, &row, e);
  return rc == 0 && *f[SHARING] ? store_put_sharing(s, key, f[SHARING], e) : rc;
}

int main(int argc, char **argv) {
  store_t *s = NULL;
  err_t e = {0};
  char *line = NULL;
  size_t room = 0;
  int rc = argc == 2 ? store_open(argv[1], STORE_WRITE, &s, &e) : -1;
  while (rc == 0 && getline(&line, &room, stdin) > 0) rc = put(s, line, &e);
  if (rc < 0) fprintf(stderr, "fill_store: %s\n", e.text);
  free(line);
  store_close(s);
  return rc < 0;
}
