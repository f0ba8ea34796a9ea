/* A look at a program before it is started. An ELF file has a table of sections with names and a
 * table of libraries it needs; every offset is checked against the file's size. */
#include "base/file.h"
#include "host/host.h"
#include "host/nvidia.h"
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  const uint8_t *data;
  size_t size;
  Elf64_Ehdr head;
} elf_t;

static bool get(const elf_t *f, uint64_t at, void *to, size_t bytes) {
  if (at > f->size || bytes > f->size - at) return false;
  memcpy(to, f->data + at, bytes);
  return true;
}

static bool section(const elf_t *f, uint32_t i, Elf64_Shdr *out) {
  return i < f->head.e_shnum &&
         get(f, f->head.e_shoff + (uint64_t)i * sizeof *out, out, sizeof *out);
}

/* The text at `at` of a string section, or "" if there is none. */
static const char *text(const elf_t *f, const Elf64_Shdr *strings, uint64_t at) {
  if (strings->sh_offset > f->size || strings->sh_size > f->size - strings->sh_offset) return "";
  if (at >= strings->sh_size) return "";
  const char *t = (const char *)f->data + strings->sh_offset + at;
  return memchr(t, 0, strings->sh_size - at) ? t : "";
}

static bool has_section(const elf_t *f, const char *name) {
  Elf64_Shdr names, s;
  if (!section(f, f->head.e_shstrndx, &names)) return false;
  for (uint32_t i = 0; section(f, i, &s); i++)
    if (strcmp(text(f, &names, s.sh_name), name) == 0) return true;
  return false;
}

static bool needs(const elf_t *f, const Elf64_Shdr *dynamic, const char *prefix) {
  Elf64_Shdr strings;
  Elf64_Dyn d;
  if (!section(f, dynamic->sh_link, &strings)) return false;
  for (uint64_t at = 0; at < dynamic->sh_size; at += sizeof d) {
    if (!get(f, dynamic->sh_offset + at, &d, sizeof d)) return false;
    if (d.d_tag != DT_NEEDED) continue;
    if (strncmp(text(f, &strings, d.d_un.d_val), prefix, strlen(prefix)) == 0) return true;
  }
  return false;
}

static bool needs_library(const elf_t *f, const char *prefix) {
  Elf64_Shdr s;
  for (uint32_t i = 0; section(f, i, &s); i++)
    if (s.sh_type == SHT_DYNAMIC && needs(f, &s, prefix)) return true;
  return false;
}

/* The i-th library that the file needs; "" if it has not as many. */
static const char *needed(const elf_t *f, uint32_t i) {
  Elf64_Shdr s, strings;
  Elf64_Dyn d;
  for (uint32_t n = 0; section(f, n, &s); n++) {
    if (s.sh_type != SHT_DYNAMIC || !section(f, s.sh_link, &strings)) continue;
    for (uint64_t at = 0; at < s.sh_size && get(f, s.sh_offset + at, &d, sizeof d); at += sizeof d)
      if (d.d_tag == DT_NEEDED && i-- == 0) return text(f, &strings, d.d_un.d_val);
  }
  return "";
}

/* The first symbol that the file takes from elsewhere (or gives) for which `wanted` is true. */
static const char *symbol(const elf_t *f, bool defined, bool (*wanted)(void *ctx, const char *name),
                          void *ctx) {
  Elf64_Shdr s, strings;
  Elf64_Sym y;
  for (uint32_t n = 0; section(f, n, &s); n++) {
    if (s.sh_type != SHT_DYNSYM || !section(f, s.sh_link, &strings)) continue;
    for (uint64_t at = 0; at < s.sh_size && get(f, s.sh_offset + at, &y, sizeof y);
         at += sizeof y) {
      const char *name = text(f, &strings, y.st_name);
      if (*name && (y.st_shndx != SHN_UNDEF) == defined && wanted(ctx, name)) return name;
    }
  }
  return NULL;
}

static bool is_elf(elf_t *f) {
  return get(f, 0, &f->head, sizeof f->head) && memcmp(f->head.e_ident, ELFMAG, SELFMAG) == 0 &&
         f->head.e_ident[EI_CLASS] == ELFCLASS64 && f->head.e_shentsize == sizeof(Elf64_Shdr);
}

/* As a shell finds it; false if it is nowhere. */
static bool find_program(const char *name, char path[PATH_MAX]) {
  if (strchr(name, '/')) return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
  const char *dirs = getenv("PATH");
  for (const char *d = dirs ? dirs : ""; *d;) {
    size_t n = strcspn(d, ":");
    if (snprintf(path, PATH_MAX, "%.*s/%s", (int)n, d, name) < PATH_MAX && access(path, X_OK) == 0)
      return true;
    d += n + (d[n] == ':');
  }
  return false;
}

/* The file's bytes, to be unmapped by elf_close(); false if it is no ELF file. */
static bool elf_open(const char *path, elf_t *f) {
  struct stat st;
  *f = (elf_t){0};
  int fd = file_open(path, FILE_REGULAR, NULL);
  if (fd < 0) return false;
  if (fstat(fd, &st) == 0 && st.st_size > 0) {
    void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p != MAP_FAILED) f->data = p, f->size = (size_t)st.st_size;
  }
  close(fd);
  if (f->data && is_elf(f)) return true;
  if (f->data) munmap((void *)(uintptr_t)f->data, f->size);
  return false;
}

static void elf_close(elf_t *f) { munmap((void *)(uintptr_t)f->data, f->size); }

int host_check_program(const char *name, err_t *e) {
  char path[PATH_MAX];
  elf_t f;
  if (!find_program(name, path) || !elf_open(path, &f)) return GMMU_OK;
  bool bad = has_section(&f, ".nv_fatbin") && !needs_library(&f, "libcudart");
  elf_close(&f);
  if (!bad) return GMMU_OK;
  return err_set(e, GMMU_EINVAL,
                 "%.200s has the CUDA runtime built in: link it with nvcc -cudart shared", name);
}

/* ---- what a program lacks -------------------------------------------------------------------- */

static bool same(void *ctx, const char *name) { return strcmp(ctx, name) == 0; }

/* A call of the driver's interface or of the runtime's that ours does not export. */
static bool is_missing(void *ctx, const char *name) {
  const elf_t *ours = ctx;
  bool driver = nvidia_is_driver(name);
  return (driver || strncmp(name, "cuda", 4) == 0) &&
         !symbol(driver ? &ours[0] : &ours[1], true, same, (void *)(uintptr_t)name);
}

static bool open_ours(const char *dir, const char *name, elf_t *f) {
  char path[PATH_MAX];
  return snprintf(path, sizeof path, "%s/%s", dir, name) < (int)sizeof path && elf_open(path, f);
}

static const char *missing_call(const elf_t *f, const char *dir) {
  elf_t ours[2]; /* libcuda, libcudart */
  const char *name = NULL, *cudart = "libcudart.so.12";
  for (uint32_t i = 0; *needed(f, i); i++)
    if (strncmp(needed(f, i), "libcudart", 9) == 0 && !strchr(needed(f, i), '/'))
      cudart = needed(f, i);
  if (!open_ours(dir, "libcuda.so.1", &ours[0])) return NULL;
  if (open_ours(dir, cudart, &ours[1])) {
    name = symbol(f, false, is_missing, ours);
    elf_close(&ours[1]);
  }
  elf_close(&ours[0]);
  return name;
}

/* Some of NVIDIA's libraries have one of ours in their place. */
static bool is_ours(const char *library_dir, const char *name) {
  char path[PATH_MAX];
  if (!library_dir) return false;
  snprintf(path, sizeof path, "%s/%s", library_dir, name);
  return access(path, R_OK) == 0;
}

bool nvidia_lacks(const char *program, const char *library_dir, char *out, size_t size) {
  char path[PATH_MAX];
  elf_t f;
  const char *call = NULL, *name = NULL;
  uint32_t i = 0;
  if (!find_program(program, path) || !elf_open(path, &f)) return false;
  for (; *needed(&f, i) && !name; i++)
    if (!is_ours(library_dir, needed(&f, i))) name = nvidia_library(needed(&f, i));
  if (name)
    err_fit(out, size, "it needs %s (%s); " NVIDIA_ADVICE, name, needed(&f, i - 1));
  else if (library_dir && (call = missing_call(&f, library_dir)) && nvidia_is_driver(call))
    err_fit(out, size, "it calls %s of the driver API, " NVIDIA_DRIVER_ADVICE, call);
  else if (call)
    err_fit(out, size, "it calls %s, which gmmu's runtime does not have", call);
  elf_close(&f);
  return name || call;
}
