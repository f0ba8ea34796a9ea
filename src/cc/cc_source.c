/* Text in, text out: what `gmmu cc` does to sources and PTX without a compiler. */
#include "cc/cc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- "<< <" ---------------------------------------------------------------------------------- */

/* Past a comment or a literal that begins at p; p itself if none does. */
static const char *skip_quiet(const char *p) {
  if (p[0] == '/' && p[1] == '/') return p + strcspn(p, "\n");
  if (p[0] == '/' && p[1] == '*') {
    const char *end = strstr(p + 2, "*/");
    return end ? end + 2 : p + strlen(p);
  }
  if (*p != '"' && *p != '\'') return p;
  char quote = *p++;
  while (*p && *p != quote && *p != '\n') p += p[0] == '\\' && p[1] ? 2 : 1;
  return *p == quote ? p + 1 : p;
}

static const char *blanks(const char *p) { return p + strspn(p, " \t"); }

/* Three `c` with blanks between them, but not three together: the place behind them, else NULL. */
static const char *spaced_three(const char *p, char c) {
  if (*p != c) return NULL;
  const char *second = blanks(p + 1);
  if (*second != c) return NULL;
  const char *third = blanks(second + 1);
  if (*third != c || third == p + 2) return NULL;
  return third + 1;
}

/* x << <y is no expression, and a > > > b none either: only launches are written so. */
static const char *launch_mark(const char *p) {
  const char *end = spaced_three(p, '<');
  return end ? end : spaced_three(p, '>');
}

/* The marks are written together, and the blanks behind them: columns stay as they are. `>> >` is a
 * launch only where one was opened; templates close with it too. */
static bool mend_launches(const char *text, char *copy) {
  bool changed = false, open = false;
  for (const char *p = text; *p;) {
    const char *quiet = skip_quiet(p), *end = quiet == p ? launch_mark(p) : NULL;
    if (strncmp(p, "<<<", 3) == 0) open = true;
    if (strncmp(p, ">>>", 3) == 0) open = false;
    if (end && (*p == '<' || open)) {
      char *at = copy + (p - text);
      memset(at, ' ', (size_t)(end - p));
      memset(at, *p, 3);
      changed = true, open = *p == '<';
      p = end;
    } else {
      p = quiet > p ? quiet : p + 1;
    }
  }
  return changed;
}

/* ---- "%laneid" ------------------------------------------------------------------------------- */

static bool in_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Behind the "(" of an asm statement that begins at p, whose first word begins there too. */
static const char *asm_at(const char *text, const char *p) {
  static const char *const names[] = {"asm", "__asm__", "__asm"};
  if (p > text && in_word(p[-1])) return NULL;
  for (int i = 0; i < 3; i++) {
    size_t n = strlen(names[i]);
    if (strncmp(p, names[i], n) != 0 || in_word(p[n])) continue;
    const char *q = p + n + strspn(p + n, " \t\r\n\\");
    const char *modifier = strncmp(q, "__volatile__", 12) == 0 ? q + 12
                           : strncmp(q, "volatile", 8) == 0    ? q + 8
                                                               : q;
    q = modifier + strspn(modifier, " \t\r\n\\");
    return *q == '(' ? q + 1 : NULL;
  }
  return NULL;
}

/* Where the operands of an asm statement begin, at a colon; NULL: it has none, and what its text
 * says stands as it is. */
static const char *operands(const char *p) {
  while (*p && *p != ':' && *p != ')') {
    const char *quiet = skip_quiet(p);
    p = quiet > p ? quiet : p + 1;
  }
  return *p == ':' ? p : NULL;
}

/* A special register of PTX, which nvcc takes with one percent sign where operands follow. */
static bool special_register(const char *p) {
  static const char *const names[] = {"tid",
                                      "ntid",
                                      "laneid",
                                      "warpid",
                                      "nwarpid",
                                      "ctaid",
                                      "nctaid",
                                      "smid",
                                      "nsmid",
                                      "gridid",
                                      "lanemask_eq",
                                      "lanemask_le",
                                      "lanemask_lt",
                                      "lanemask_ge",
                                      "lanemask_gt",
                                      "clock",
                                      "clock_hi",
                                      "clock64",
                                      "globaltimer",
                                      "globaltimer_lo",
                                      "globaltimer_hi",
                                      "dynamic_smem_size",
                                      "total_smem_size"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t n = strlen(names[i]);
    if (strncmp(p, names[i], n) == 0 && !in_word(p[n])) return true;
  }
  return false;
}

/* From p on, up to `end`: in literals a percent sign more. */
static bool double_signs(const char *p, const char *end, strbuf_t *out) {
  bool changed = false;
  while (p < end) {
    const char *quiet = skip_quiet(p), *stop = quiet > p ? quiet : p + 1;
    bool literal = *p == '"';
    for (; p < stop; p++) {
      bool one = literal && *p == '%' && special_register(p + 1) && p[-1] != '%';
      strbuf_add(out, one ? "%%" : p, one ? 2 : 1);
      changed |= one;
    }
  }
  return changed;
}

static bool mend_registers(const char *text, strbuf_t *out) {
  bool changed = false;
  for (const char *p = text; *p;) {
    const char *quiet = skip_quiet(p), *from = quiet == p ? asm_at(text, p) : NULL;
    const char *end = from ? operands(from) : NULL;
    if (end) {
      strbuf_add(out, p, (size_t)(from - p));
      changed |= double_signs(from, end, out);
      p = end;
    } else {
      size_t n = quiet > p ? (size_t)(quiet - p) : 1;
      strbuf_add(out, p, n);
      p += n;
    }
  }
  return changed;
}

/* ---- "__shared__ alignas" -------------------------------------------------------------------- */

/* Where `alignas` stands behind a memory space that begins at p; NULL: it does not. */
static const char *alignas_behind_space(const char *text, const char *p) {
  static const char *const spaces[] = {"__shared__", "__device__", "__constant__", "__managed__"};
  if (*p != '_' || (p > text && in_word(p[-1]))) return NULL;
  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
    size_t n = strlen(spaces[i]);
    if (strncmp(p, spaces[i], n) != 0 || in_word(p[n])) continue;
    const char *q = p + n + strspn(p + n, " \t\r\n");
    if (strncmp(q, "alignas", 7) == 0 && !in_word(q[7])) return q;
  }
  return NULL;
}

/* To clang the memory space is an attribute, and `alignas` must not follow one; C's word for the
 * same may. */
static bool mend_alignas(const char *text, strbuf_t *out) {
  bool changed = false;
  for (const char *p = text; *p;) {
    const char *quiet = skip_quiet(p);
    const char *word = quiet == p ? alignas_behind_space(text, p) : NULL;
    size_t n = word ? (size_t)(word - p) : quiet > p ? (size_t)(quiet - p) : 1;
    strbuf_add(out, p, n);
    p += n;
    if (!word) continue;
    strbuf_add(out, "_Alignas", 8);
    p += strlen("alignas");
    changed = true;
  }
  return changed;
}

bool cc_mend(const char *text, strbuf_t *out) {
  char *copy = strdup(text);
  if (!copy) return false;
  strbuf_t aligned;
  strbuf_init(&aligned);
  bool launches = mend_launches(text, copy);
  bool alignments = mend_alignas(copy, &aligned);
  bool registers = mend_registers(strbuf_text(&aligned), out);
  strbuf_fini(&aligned);
  free(copy);
  return launches || alignments || registers;
}

/* ---- bit fields beyond the top --------------------------------------------------------------- */

typedef struct {
  char to[32], from[32];
  unsigned start, length;
} field_t;

/* clang 14 makes a bfe.u64 of (x >> start) & mask even if x is signed and the mask reaches beyond
 * bit 63, where the sign should be repeated; bfe.u64 gives zeroes there. Unsigned operands never
 * end so: their mask is cut off at the top first. */
static bool beyond_top(const char *line, field_t *f) {
  return sscanf(line, " bfe.u64 %31[^, \t], %31[^, \t], %u, %u;", f->to, f->from, &f->start,
                &f->length) == 4 &&
         f->start < 64 && f->length < 64 && f->start + f->length > 64;
}

/* Only the head of a line is looked at, as a string of its own: string functions may read to the
 * end of the text, and texts are long. */
void cc_mend_ptx(const char *ptx, strbuf_t *out) {
  bool inline_asm = false; /* what the user wrote stays */
  const char *end = ptx + strlen(ptx);
  for (const char *line = ptx; line < end;) {
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    size_t size = (size_t)((newline ? newline : end) - line);
    char head[128];
    snprintf(head, sizeof head, "%.*s", (int)(size < sizeof head ? size : sizeof head), line);
    field_t f;
    if (strncmp(blanks(head), "// begin inline asm", 19) == 0) inline_asm = true;
    if (strncmp(blanks(head), "// end inline asm", 17) == 0) inline_asm = false;
    if (!inline_asm && beyond_top(head, &f))
      strbuf_printf(out, "\tshr.s64 \t%s, %s, %u; and.b64 \t%s, %s, %llu;", f.to, f.from, f.start,
                    f.to, f.to, (1ull << f.length) - 1);
    else
      strbuf_add(out, line, size);
    line += size;
    if (line < end) strbuf_add(out, line++, 1);
  }
}

/* ---- static variables and kernels across files ----------------------------------------------- */

/* The next of the marks that clang puts between a name and a hash of the file: one of variables,
 * one of kernels. */
static const char *next_mark(const char *ptx, size_t *size) {
  static const char *const marks[] = {"__static__", "__intern__"};
  const char *first = NULL;
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    const char *at = strstr(ptx, marks[i]);
    if (!at || (first && at > first)) continue;
    first = at;
    *size = strlen(marks[i]);
  }
  return first;
}

void cc_mend_statics(const char *ptx, strbuf_t *out) {
  enum { FEWEST_DIGITS = 8, MOST_DIGITS = 16 }; /* 64 bits without leading zeroes */
  size_t size;
  for (const char *at; (at = next_mark(ptx, &size)); ptx = at) {
    const char *hash = at + size;
    size_t digits = strspn(hash, "0123456789abcdef");
    bool named = digits >= FEWEST_DIGITS && digits <= MOST_DIGITS && !in_word(hash[digits]);
    strbuf_add(out, ptx, (size_t)((named ? at : hash) - ptx));
    at = named ? hash + digits : hash;
  }
  strbuf_str(out, ptx);
}

/* ---- fat binary ------------------------------------------------------------------------------ */

#define REGION_MAGIC 0xBA55ED50u
#define FLAGS        0x11u /* 64-bit, for Linux */
enum { REGION_BYTES = 16, IMAGE_BYTES = 64, KIND_PTX = 1, IMAGE_VERSION = 0x101 };

static void put(uint8_t *at, uint64_t value, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> (8 * i));
}

/* Layout measured with nvcc 13.0: a region's header, then each image's. */
uint8_t *cc_fatbin(const char *ptx, size_t bytes, uint32_t arch, size_t *size) {
  size_t payload = (bytes + 8) & ~(size_t)7; /* with at least one NUL */
  *size = REGION_BYTES + IMAGE_BYTES + payload;
  uint8_t *b = calloc(1, *size), *image = b + REGION_BYTES;
  if (!b) return NULL;
  put(b, REGION_MAGIC, 4);
  put(b + 4, 1, 2);
  put(b + 6, REGION_BYTES, 2);
  put(b + 8, IMAGE_BYTES + payload, 8);
  put(image, KIND_PTX, 2);
  put(image + 2, IMAGE_VERSION, 2);
  put(image + 4, IMAGE_BYTES, 4);
  put(image + 8, payload, 8);
  put(image + 26, 6, 2); /* PTX 6.0 */
  put(image + 28, arch, 4);
  put(image + 40, FLAGS, 8);
  memcpy(image + IMAGE_BYTES, ptx, bytes);
  return b;
}
