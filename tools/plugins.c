#include "plugins.h"
#include "base/strbuf.h"
#include "lab/plugin.h"
#include <stdlib.h>
#include <string.h>

#define VARIABLE "GMMU_PLUGINS"

static int load_listed(const char *list, err_t *e) {
  int rc = GMMU_OK;
  while (list && *list && rc == 0) {
    char path[4096];
    size_t size = strcspn(list, ":");
    if (size >= sizeof path) return err_set(e, GMMU_ERANGE, VARIABLE ": a path is too long");
    memcpy(path, list, size), path[size] = 0;
    if (size) rc = plugin_load(path, e);
    list += size + (list[size] == ':');
  }
  return rc;
}

/* For processes that this one starts, here or elsewhere. */
static int pass_on(err_t *e) {
  strbuf_t list;
  strbuf_init(&list);
  for (uint32_t i = 0; i < plugin_count(); i++)
    strbuf_printf(&list, "%s%s", i ? ":" : "", plugin_path(i));
  bool ok = !list.failed && (!plugin_count() || setenv(VARIABLE, strbuf_text(&list), 1) == 0);
  strbuf_fini(&list);
  return ok ? GMMU_OK : err_set(e, GMMU_ENOMEM, "out of memory");
}

const cli_option_t plugins_option = {
    CLI_LONG_ONLY, "plugin", "FILE.so",
    "policies and mechanisms of your own (`gmmu help new`), as often as wanted"};
static const char option[] = "--plugin";

int plugins_take(char **argv, err_t *e) {
  const size_t n = sizeof option - 1;
  int rc = load_listed(getenv(VARIABLE), e);
  char **to = argv;
  bool ours = true;
  for (; *argv && rc == 0; argv++) {
    ours = ours && strcmp(*argv, "--") != 0;
    bool separate = strcmp(*argv, option) == 0;
    if (!ours || strncmp(*argv, option, n) != 0 || (!separate && (*argv)[n] != '=')) {
      *to++ = *argv;
      continue;
    }
    if (separate && !argv[1]) return err_set(e, GMMU_EINVAL, "--plugin needs a value");
    const char *path = separate ? *++argv : *argv + n + 1;
    rc = plugin_load(path, e);
  }
  *to = NULL;
  return rc < 0 ? rc : pass_on(e);
}

void plugins_take_typed(char **argv) {
  err_t e = {0};
  char **to = argv;
  load_listed(getenv(VARIABLE), &e);
  for (; *argv && strcmp(*argv, "--") != 0; argv++) {
    bool separate = strcmp(*argv, option) == 0 && argv[1] && argv[2];
    bool together = strncmp(*argv, option, sizeof option - 1) == 0 &&
                    (*argv)[sizeof option - 1] == '=' && argv[1];
    if (separate)
      plugin_load(*++argv, &e);
    else if (together)
      plugin_load(*argv + sizeof option, &e);
    else
      *to++ = *argv;
  }
  while (*argv) *to++ = *argv++;
  *to = NULL;
}
