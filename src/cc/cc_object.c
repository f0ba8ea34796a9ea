/* What a host object says about its device part: the variables of the device that it registers with
 * the runtime, by name. */
#include "cc/cc.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const uint8_t *data;
  size_t size;
  Elf64_Ehdr head;
} object_t;

static bool inside(const object_t *o, uint64_t at, uint64_t bytes) {
  return at <= o->size && bytes <= o->size - at;
}

static bool section(const object_t *o, uint32_t i, Elf64_Shdr *s) {
  uint64_t at = o->head.e_shoff + (uint64_t)i * sizeof *s;
  if (i >= o->head.e_shnum || !inside(o, at, sizeof *s)) return false;
  memcpy(s, o->data + at, sizeof *s);
  return s->sh_type == SHT_NOBITS || inside(o, s->sh_offset, s->sh_size);
}

/* A string of a table; NULL: it does not end in there. */
static const char *string_at(const object_t *o, const Elf64_Shdr *table, uint64_t at) {
  if (at >= table->sh_size) return NULL;
  const char *text = (const char *)o->data + table->sh_offset + at;
  return memchr(text, 0, table->sh_size - at) ? text : NULL;
}

/* Whether one of the literals of the object is the name. */
static bool is_literal(const object_t *o, const char *name) {
  size_t n = strlen(name) + 1;
  Elf64_Shdr s;
  for (uint32_t i = 0; section(o, i, &s); i++) {
    if (s.sh_type != SHT_PROGBITS || !(s.sh_flags & SHF_STRINGS)) continue;
    const uint8_t *from = o->data + s.sh_offset, *end = from + s.sh_size;
    for (const uint8_t *p = from; (size_t)(end - p) >= n; p++) {
      if (memcmp(p, name, n) == 0) return true;
      p = memchr(p, 0, (size_t)(end - p));
      if (!p) break;
    }
  }
  return false;
}

static bool is_in(const char *text, const char *name) {
  static const char in_names[] =
      "_$%0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  size_t n = strlen(name);
  for (const char *at = text; (at = strstr(at, name)); at += n)
    if ((at == text || !strchr(in_names, at[-1])) && (!at[n] || !strchr(in_names, at[n])))
      return true;
  return false;
}

/* A variable of this file alone, which has memory here because the device has one of the name. */
static bool is_lost(const object_t *o, const Elf64_Sym *y, const char *name, const char *ptx) {
  return name && *name && ELF64_ST_TYPE(y->st_info) == STT_OBJECT &&
         ELF64_ST_BIND(y->st_info) == STB_LOCAL && y->st_shndx != SHN_UNDEF && !is_in(ptx, name) &&
         is_literal(o, name);
}

static bool symbols(const object_t *o, Elf64_Shdr *table, Elf64_Shdr *names) {
  for (uint32_t i = 0; section(o, i, table); i++)
    if (table->sh_type == SHT_SYMTAB)
      return section(o, table->sh_link, names) && names->sh_type == SHT_STRTAB;
  return false;
}

bool cc_loses_variables(const char *object, size_t bytes, const char *ptx) {
  object_t o = {.data = (const uint8_t *)object, .size = bytes};
  Elf64_Shdr table, names;
  bool registers = false, lost = false;
  if (bytes < sizeof o.head) return false;
  memcpy(&o.head, object, sizeof o.head);
  if (memcmp(o.head.e_ident, ELFMAG, SELFMAG) != 0 || !symbols(&o, &table, &names)) return false;
  for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
    Elf64_Sym y;
    memcpy(&y, o.data + table.sh_offset + at, sizeof y);
    const char *name = string_at(&o, &names, y.st_name);
    if (name && strcmp(name, "__cudaRegisterVar") == 0) registers = true;
    if (!lost) lost = is_lost(&o, &y, name, ptx);
  }
  return registers && lost;
}
