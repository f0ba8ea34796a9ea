/* A look at a program before it is started. An ELF file has a table of sections with names and a
 * table of libraries it needs; every offset is checked against the file's size. */
#include "host/host.h"
#include <elf.h>
#include <fcntl.h>
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

static bool is_static_cuda(const uint8_t *data, size_t size) {
  elf_t f = {.data = data, .size = size};
  if (!get(&f, 0, &f.head, sizeof f.head) || memcmp(f.head.e_ident, ELFMAG, SELFMAG) != 0 ||
      f.head.e_ident[EI_CLASS] != ELFCLASS64 || f.head.e_shentsize != sizeof(Elf64_Shdr))
    return false;
  return has_section(&f, ".nv_fatbin") && !needs_library(&f, "libcudart");
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

int host_check_program(const char *name, err_t *e) {
  char path[PATH_MAX];
  struct stat st;
  bool bad = false;
  int fd = find_program(name, path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return GMMU_OK;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
    void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p != MAP_FAILED) {
      bad = is_static_cuda(p, (size_t)st.st_size);
      munmap(p, (size_t)st.st_size);
    }
  }
  close(fd);
  if (!bad) return GMMU_OK;
  return err_set(e, GMMU_EINVAL,
                 "%.200s has the CUDA runtime built in: link it with nvcc -cudart shared", name);
}
