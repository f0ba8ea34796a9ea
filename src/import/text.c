/* Bytes go file -> in[] -> decompressor -> out[] -> lines. A plain file is read into out[] at once.
 * A .tracez comes in sections: the header, then lines of tracez_step() and the instructions of one
 * frame after the other; `over` is then the end of the section.
 *
 * Invariant: out[from .. to) are decoded bytes that no line has used; a line is handed out where it
 * lies, so out[] has room for the longest and one byte more. */
#include "import/text.h"
#include "base/file.h"
#include "import/tracez.h"
#include <errno.h>
#include <lzma.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define IN_BYTES   65536u
#define OUT_BYTES  (2 * TEXT_MAX_LINE)
#define XZ_MEMORY  (96u << 20) /* `xz -9` wants 65 MiB */
#define ZST_WINDOW 27          /* log2: 128 MiB, what zstd itself allows without asking */

typedef enum { PLAIN, XZ, ZST, TRACEZ } coding_t;

struct text {
  FILE *file;
  char name[256];
  coding_t coding;
  bool file_over, over, again; /* no more in the file; none in the decoder; see text_again() */
  uint64_t total, taken;       /* bytes of the file, of them read */
  uint32_t line;
  lzma_stream xz;
  ZSTD_DCtx *zst;
  ZSTD_inBuffer zst_in;
  size_t zst_left; /* 0: between two frames */
  tracez_t *tracez;
  bool in_warp;                /* line counts a warp's instructions */
  uint64_t section_lines;      /* so far */
  char own[TRACEZ_LINE_BYTES]; /* a line of tracez_step() */
  char *current;
  size_t in_size, from, to;
  uint8_t in[IN_BYTES];
  char out[OUT_BYTES + 1];
};

/* ---- errors ---- */

/* "block 1,0,0, warp 3, instruction 17", of a .tracez */
static void place_of(const text_t *t, char place[96]) {
  tracez_place(t->tracez, place, 96);
  size_t n = strlen(place);
  if (t->line) snprintf(place + n, 96 - n, ", instruction %u", t->line);
}

void text_where(const text_t *t, char where[TEXT_MAX_WHERE]) {
  char place[96];
  if (t->in_warp) place_of(t, place);
  if (t->in_warp)
    snprintf(where, TEXT_MAX_WHERE, "%s: %s", t->name, place);
  else
    snprintf(where, TEXT_MAX_WHERE, "%s:%u", t->name, t->line);
}

void text_blame(const text_t *t, err_t *e) {
  char place[96], text[sizeof e->text];
  if (!e || e->file[0]) return;
  if (t->in_warp) {
    place_of(t, place);
    err_fit(text, sizeof text, "%s: %s", place, e->text);
    memcpy(e->text, text, sizeof text);
  }
  err_in_file(e, t->name, t->in_warp ? 0 : t->line, 0);
}

int text_wrong(const text_t *t, err_t *e, const char *fmt, ...) {
  char text[300];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  err_set(e, GMMU_EFORMAT, "%s", text);
  text_blame(t, e);
  return GMMU_EFORMAT;
}

static int damaged(const text_t *t, err_t *e, const char *why) {
  err_set(e, GMMU_EFORMAT, "%s", why);
  err_in_file(e, t->name, t->line + 1, 0);
  return GMMU_EFORMAT;
}

static int unreadable(const text_t *t, err_t *e) {
  int number = errno;
  err_set(e, GMMU_EIO, "%s", strerror(number));
  err_in_file(e, t->name, 0, 0);
  return GMMU_EIO;
}

/* ---- opening ---- */

/* No text has a NUL; the header of a .tracez ends with one. */
static coding_t coding_of(const uint8_t *p, size_t size) {
  if (size >= 6 && memcmp(p, "\xfd\x37zXZ\0", 6) == 0) return XZ;
  if (size >= 4 && memcmp(p, "\x28\xb5\x2f\xfd", 4) == 0) return ZST;
  if (size && *p == '-' && memchr(p, 0, size)) return TRACEZ;
  return PLAIN;
}

static int read_in(text_t *t, err_t *e) {
  t->in_size = fread(t->in, 1, IN_BYTES, t->file);
  t->taken += t->in_size;
  if (t->in_size < IN_BYTES) {
    if (ferror(t->file)) return unreadable(t, e);
    t->file_over = true;
  }
  return GMMU_OK;
}

static bool named_tracez(const char *name) {
  size_t size = strlen(name);
  return size > 7 && strcmp(name + size - 7, ".tracez") == 0;
}

/* The header is the first section. */
static int start_tracez(text_t *t, err_t *e) {
  size_t size = (size_t)((const uint8_t *)memchr(t->in, 0, t->in_size) - t->in);
  memcpy(t->out, t->in, size);
  t->to = size, t->over = true;
  return tracez_open(t->file, t->name, size + 1, &t->tracez, e);
}

static int start_decoder(text_t *t, err_t *e) {
  if (t->in_size >= 2 && t->in[0] == 0x1f && t->in[1] == 0x8b)
    return damaged(t, e, "gzip files are not read; unpack it, or use xz or zstd");
  t->coding = coding_of(t->in, t->in_size);
  if (t->coding == XZ) {
    t->xz = (lzma_stream)LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&t->xz, XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
      return err_set(e, GMMU_ENOMEM, "out of memory for %s", t->name);
    t->xz.next_in = t->in, t->xz.avail_in = t->in_size;
  } else if (t->coding == ZST) {
    t->zst = ZSTD_createDCtx();
    if (!t->zst) return err_set(e, GMMU_ENOMEM, "out of memory for %s", t->name);
    ZSTD_DCtx_setParameter(t->zst, ZSTD_d_windowLogMax, ZST_WINDOW);
    t->zst_in = (ZSTD_inBuffer){t->in, t->in_size, 0};
  } else if (t->coding == TRACEZ) {
    return start_tracez(t, e);
  } else if (named_tracez(t->name)) {
    return damaged(t, e, "no NUL ends the header of this .tracez file");
  } else { /* what was read to find out is the first of the text */
    memcpy(t->out, t->in, t->in_size);
    t->to = t->in_size;
  }
  return GMMU_OK;
}

static int open_file(FILE *f, const char *name, text_t **out, err_t *e) {
  text_t *t = malloc(sizeof *t);
  *out = NULL;
  if (t)
    memset(t, 0, offsetof(text_t, in)); /* not the buffers: that takes longer than a small file */
  if (!t) {
    fclose(f);
    return err_set(e, GMMU_ENOMEM, "out of memory for %s", name);
  }
  t->file = f;
  snprintf(t->name, sizeof t->name, "%s", name);
  if (fseek(f, 0, SEEK_END) == 0) t->total = (uint64_t)ftell(f);
  rewind(f);
  int rc = read_in(t, e);
  if (rc == 0) rc = start_decoder(t, e);
  if (rc < 0)
    text_close(t);
  else
    *out = t;
  return rc;
}

int text_open(const char *path, text_t **out, err_t *e) {
  int fd = file_open(path, FILE_REGULAR, e); /* traces are read twice */
  *out = NULL;
  if (fd < 0) return fd;
  FILE *f = fdopen(fd, "rb");
  if (f) return open_file(f, path, out, e);
  close(fd);
  return err_set(e, GMMU_ENOMEM, "out of memory for %s", path);
}

int text_open_stream(FILE *f, const char *name, text_t **out, err_t *e) {
  return open_file(f, name, out, e);
}

int text_open_memory(const char *name, const void *bytes, size_t size, text_t **out, err_t *e) {
  *out = NULL;
  /* A FILE of no bytes cannot be opened; one that is empty can. */
  FILE *f = size ? fmemopen((void *)(uintptr_t)bytes, size, "rb") : fopen("/dev/null", "rb");
  if (!f) return err_set(e, GMMU_ENOMEM, "out of memory for %s", name);
  return open_file(f, name, out, e);
}

void text_close(text_t *t) {
  if (!t) return;
  if (t->coding == XZ) lzma_end(&t->xz);
  ZSTD_freeDCtx(t->zst);
  tracez_close(t->tracez);
  fclose(t->file);
  free(t);
}

/* ---- decoding: each adds at least a byte to out[], or sets `over` ---- */

static int more_plain(text_t *t, err_t *e) {
  size_t n = t->file_over ? 0 : fread(t->out + t->to, 1, OUT_BYTES - t->to, t->file);
  t->to += n;
  t->taken += n;
  if (n) return GMMU_OK;
  t->over = true;
  return !t->file_over && ferror(t->file) ? unreadable(t, e) : GMMU_OK;
}

static const char *xz_flaw(lzma_ret r) {
  switch (r) {
  case LZMA_MEMLIMIT_ERROR: return "this .xz file needs more than 96 MiB to unpack";
  case LZMA_BUF_ERROR: return "the .xz file ends too early";
  case LZMA_MEM_ERROR: return "out of memory while unpacking";
  default: return "the .xz file is damaged";
  }
}

static int more_xz(text_t *t, err_t *e) {
  size_t before = t->to;
  while (t->to == before) {
    if (!t->xz.avail_in && !t->file_over) {
      int rc = read_in(t, e);
      if (rc < 0) return rc;
      t->xz.next_in = t->in, t->xz.avail_in = t->in_size;
    }
    t->xz.next_out = (uint8_t *)t->out + t->to, t->xz.avail_out = OUT_BYTES - t->to;
    lzma_ret r = lzma_code(&t->xz, t->file_over ? LZMA_FINISH : LZMA_RUN);
    t->to = OUT_BYTES - t->xz.avail_out;
    if (r == LZMA_STREAM_END) {
      t->over = true;
      return GMMU_OK;
    }
    if (r != LZMA_OK) return damaged(t, e, xz_flaw(r));
  }
  return GMMU_OK;
}

static int more_zst(text_t *t, err_t *e) {
  size_t before = t->to;
  while (t->to == before) {
    if (t->zst_in.pos == t->zst_in.size && !t->file_over) {
      int rc = read_in(t, e);
      if (rc < 0) return rc;
      t->zst_in = (ZSTD_inBuffer){t->in, t->in_size, 0};
    }
    bool dry = t->zst_in.pos == t->zst_in.size;
    if (dry && !t->zst_left) {
      t->over = true;
      return GMMU_OK;
    }
    ZSTD_outBuffer o = {t->out, OUT_BYTES, t->to};
    size_t left = ZSTD_decompressStream(t->zst, &o, &t->zst_in);
    if (ZSTD_isError(left)) return damaged(t, e, "the .zst file is damaged");
    if (dry && o.pos == t->to) return damaged(t, e, "the .zst file ends too early");
    t->zst_left = left;
    t->to = o.pos;
  }
  return GMMU_OK;
}

static int more_tracez(text_t *t, err_t *e) {
  size_t n;
  int rc = tracez_read(t->tracez, t->out + t->to, OUT_BYTES - t->to, &n, e);
  if (rc < 0) return rc;
  t->to += n;
  t->over = n == 0;
  return GMMU_OK;
}

static int more(text_t *t, err_t *e) {
  if (t->coding == XZ) return more_xz(t, e);
  if (t->coding == TRACEZ) return more_tracez(t, e);
  return t->coding == ZST ? more_zst(t, e) : more_plain(t, e);
}

/* ---- lines ---- */

/* The line begins at out[from]: where its end is, if it is there. */
static int find_end(text_t *t, size_t *end, err_t *e) {
  size_t seen = t->from;
  for (;;) {
    char *nl = memchr(t->out + seen, '\n', t->to - seen);
    *end = nl ? (size_t)(nl - t->out) : t->to;
    if (nl || t->over) return GMMU_OK;
    seen = t->to;
    if (t->to - t->from > TEXT_MAX_LINE) break;
    if (t->to == OUT_BYTES) { /* the beginning of the line goes to the buffer's */
      memmove(t->out, t->out + t->from, t->to - t->from);
      t->to -= t->from, seen -= t->from, t->from = 0;
    }
    int rc = more(t, e);
    if (rc < 0) return rc;
  }
  return damaged(t, e, "the line has more than 1048576 bytes; is this a text file?");
}

/* The section is used up: 1 and a line, 0 at the end of the file; MORE: there are bytes again. */
#define MORE 2
static int next_section(text_t *t, char **line, err_t *e) {
  if (t->coding != TRACEZ) return 0;
  int step = tracez_step(t->tracez, t->section_lines, t->own, e);
  t->section_lines = 0;
  if (step < 0) return step;
  t->from = t->to = 0;
  t->over = step != TRACEZ_TEXT;
  if (step == TRACEZ_LINE) {
    t->line = 0, t->in_warp = true;
    *line = t->current = t->own;
  }
  return step == TRACEZ_TEXT ? MORE : step == TRACEZ_LINE;
}

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

int text_next(text_t *t, char **line, err_t *e) {
  if (t->again) {
    t->again = false;
    *line = t->current;
    return 1;
  }
  for (;;) {
    size_t end;
    int rc = find_end(t, &end, e);
    if (rc < 0) return rc;
    if (end == t->to && t->from == t->to) {
      if ((rc = next_section(t, line, e)) != MORE) return rc;
      continue;
    }
    size_t first = t->from, last = end;
    t->from = end < t->to ? end + 1 : end;
    t->line++;
    if (end - first > TEXT_MAX_LINE)
      return text_wrong(t, e, "the line has more than 1048576 bytes");
    while (first < last && blank(t->out[first])) first++;
    while (first < last && blank(t->out[last - 1])) last--;
    if (first == last && t->in_warp) return text_wrong(t, e, "an empty line");
    if (first == last) continue;
    t->section_lines++;
    t->out[last] = 0;
    *line = t->current = t->out + first;
    return 1;
  }
}

void text_again(text_t *t) { t->again = true; }
const char *text_name(const text_t *t) { return t->name; }
uint32_t text_permille(const text_t *t) {
  if (t->tracez) return tracez_permille(t->tracez);
  return t->total ? (uint32_t)(t->taken * 1000 / t->total) : 1000;
}
