/* Each thing has two places, relative to the folder of the program. */
#define _GNU_SOURCE /* dladdr */
#include "base/where.h"
#include <dlfcn.h>
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

/* The folder that a file lies in, its links followed. */
static bool folder_of(const char *file, char dir[PATH_MAX]) {
  if (!realpath(file, dir)) return false;
  *strrchr(dir, '/') = 0;
  return true;
}

/* The folder of this program, even if its file has been replaced since it began. */
static bool program_folder(char dir[PATH_MAX]) {
  ssize_t n = readlink("/proc/self/exe", dir, PATH_MAX - 1);
  if (n <= 0) return false;
  dir[n] = 0;
  char *slash = strrchr(dir, '/');
  if (slash) *slash = 0;
  return slash;
}

/* Folder number `i` from which to look: the program's; if it is not ours, those where our program
 * would be beside this library, installed (PREFIX/lib, or a folder of it) or built (src/api). */
static bool look_from(uint32_t i, char dir[PATH_MAX]) {
  static const char *const beside[] = {"../bin", "../../bin", "../../tools"};
  char library[PATH_MAX];
  Dl_info us;
  if (i == 0) return program_folder(dir);
  if (i > sizeof beside / sizeof *beside) return false;
  if (!dladdr((const void *)place, &us) || !us.dli_fname || !folder_of(us.dli_fname, library))
    return false;
  if (!is_folder(library, beside[i - 1], dir, PATH_MAX)) *dir = 0;
  return true;
}

int where_is(where_t what, char *path, size_t size, err_t *e) {
  char dir[PATH_MAX];
  for (uint32_t i = 0; look_from(i, dir); i++) {
    if (!*dir) continue;
    if (is_folder(dir, place[what].installed, path, size)) return GMMU_OK;
    if (is_folder(dir, place[what].built, path, size)) return GMMU_OK;
  }
  if (!look_from(0, dir)) return err_set(e, GMMU_EIO, "the place of this program is not known");
  return err_set(e, GMMU_EIO, "%s: neither in %s/%s nor in %s/%s", place[what].name, dir,
                 place[what].installed, dir, place[what].built);
}

int where_program(char *path, size_t size, err_t *e) {
  char dir[PATH_MAX] = "";
  if (readlink("/proc/self/exe", dir, sizeof dir - 1) > 0 && strrchr(dir, '/') &&
      strncmp(strrchr(dir, '/'), "/gmmu", 5) == 0) { /* also if another one has taken its place */
    snprintf(path, size, "/proc/self/exe");
    return GMMU_OK;
  }
  for (uint32_t i = 0; look_from(i, dir); i++)
    if (*dir && (size_t)snprintf(path, size, "%s/gmmu", dir) < size && access(path, X_OK) == 0)
      return GMMU_OK;
  return err_set(e, GMMU_EIO, "the program gmmu is not where this library belongs to");
}
