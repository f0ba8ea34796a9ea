/* Each thing has two places, relative to the folder of the program. */
#include "base/where.h"
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
  const char *name, *installed, *built;
} place[WHERE_COUNT] = {
    [WHERE_CUDART] = {"libcudart", "../lib/gmmu", "../src/cudart"},
    [WHERE_HEADERS] = {"the CUDA headers", "../share/gmmu/cuda", "../include/cuda"},
    [WHERE_APPS] = {"the programs of the applications", "../libexec/gmmu", "../kernels"},
    [WHERE_MPI] = {"the MPI module", "../lib/gmmu", "../src/lab"},
};

/* Whether DIR/RELATIVE is a folder; its plain name goes to `path`. */
static bool is_folder(const char *dir, const char *relative, char *path, size_t size) {
  char joined[2 * PATH_MAX], real[PATH_MAX];
  struct stat st;
  snprintf(joined, sizeof joined, "%s/%s", dir, relative);
  if (!realpath(joined, real) || stat(real, &st) < 0 || !S_ISDIR(st.st_mode)) return false;
  return (size_t)snprintf(path, size, "%s", real) < size;
}

int where_is(where_t what, char *path, size_t size, err_t *e) {
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n <= 0) return err_set(e, GMMU_EIO, "the place of this program is not known");
  self[n] = 0;
  *strrchr(self, '/') = 0;
  if (is_folder(self, place[what].installed, path, size)) return GMMU_OK;
  if (is_folder(self, place[what].built, path, size)) return GMMU_OK;
  return err_set(e, GMMU_EIO, "%s: neither in %s/%s nor in %s/%s", place[what].name, self,
                 place[what].installed, self, place[what].built);
}
