#include "zwriter.h"
#include <stdlib.h>
#include <string.h>
#include <zdict.h>

#define DICTIONARY_BYTES 65536u

static void must(bool ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "cannot write a .tracez: %s\n", what);
  exit(1);
}

static void put32(strbuf_t *s, uint32_t v) {
  const uint8_t b[] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)};
  strbuf_add(s, (const char *)b, 4);
}
static void put64(strbuf_t *s, uint64_t v) { put32(s, (uint32_t)v), put32(s, (uint32_t)(v >> 32)); }

static void write_out(zwriter_t *z, const void *bytes, size_t size) {
  must(fwrite(bytes, 1, size, z->out) == size, "the disk is full");
  z->at += size;
}

/* ---- the dictionary ---- */

/* Every line is a sample; few or short ones train nothing, and there is no dictionary. */
static size_t train(const char *samples, char *dictionary) {
  size_t size[4096], n = 0;
  for (const char *p = samples, *end; *p && n < 4096; p = end) {
    end = strchr(p, '\n');
    end = end ? end + 1 : p + strlen(p);
    size[n++] = (size_t)(end - p);
  }
  size_t bytes = ZDICT_trainFromBuffer(dictionary, DICTIONARY_BYTES, samples, size, (unsigned)n);
  return ZDICT_isError(bytes) ? 0 : bytes;
}

void zwriter_begin(zwriter_t *z, FILE *out, const char *header, uint32_t target,
                   const char *samples) {
  char *dictionary = malloc(DICTIONARY_BYTES);
  strbuf_t head;
  *z = (zwriter_t){.out = out, .target = target, .zstd = ZSTD_createCCtx()};
  strbuf_init(&z->index), strbuf_init(&z->frames), strbuf_init(&z->counts), strbuf_init(&head);
  must(z->zstd && dictionary, "no memory");
  size_t bytes = samples ? train(samples, dictionary) : 0;
  if (bytes) z->dictionary = ZSTD_createCDict(dictionary, bytes, 3);
  write_out(z, header, strlen(header) + 1); /* with its NUL */
  put32(&head, (uint32_t)bytes), put32(&head, target);
  write_out(z, head.buf, head.size);
  write_out(z, dictionary, bytes);
  strbuf_fini(&head);
  free(dictionary);
}

/* ---- blocks and warps ---- */

static void end_block(zwriter_t *z) {
  if (!z->blocks) return;
  for (uint32_t i = 0; i < 4; i++) z->index.buf[z->warps_at + i] = (char)(z->warps >> 8 * i);
}

void zwriter_block(zwriter_t *z, const uint32_t at[10]) {
  end_block(z);
  z->blocks++, z->warps = 0;
  for (int i = 0; i < 10; i++) put32(&z->index, at[i]);
  z->warps_at = z->index.size;
  put32(&z->index, 0);
}

static void add_frame(zwriter_t *z, const char *lines, size_t size, uint32_t insts) {
  size_t room = ZSTD_compressBound(size), bytes;
  char *frame = malloc(room);
  must(frame, "no memory");
  if (z->dictionary)
    bytes = ZSTD_compress_usingCDict(z->zstd, frame, room, lines, size, z->dictionary);
  else
    bytes = ZSTD_compressCCtx(z->zstd, frame, room, lines, size, 3);
  must(!ZSTD_isError(bytes), "zstd");
  put32(&z->frames, (uint32_t)bytes);
  strbuf_add(&z->frames, frame, bytes);
  put32(&z->counts, insts);
  free(frame);
}

/* Cuts after `target` lines, but not between the marks of a loop that waits. */
static uint32_t cut(zwriter_t *z, const char *lines, size_t size) {
  const char *from = lines, *end = lines + size;
  uint32_t all = 0, insts = 0;
  bool loop = false;
  for (const char *p = lines; p < end;) {
    const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
    for (const char *q = p; q + 10 <= stop; q++) {
      if (memcmp(q, "REPLAY_STA", 10) == 0) loop = true;
      if (memcmp(q, "REPLAY_END", 10) == 0) loop = false;
      if (*q == 'x') break; /* addresses: no opcode behind */
    }
    insts++, all++;
    p = nl ? nl + 1 : end;
    if (p < end && (!z->target || insts < z->target || loop)) continue;
    add_frame(z, from, (size_t)(stop - from), insts);
    from = p, insts = 0;
  }
  return all;
}

static void record(zwriter_t *z, uint32_t insts) {
  strbuf_t head;
  uint32_t frames = (uint32_t)(z->counts.size / 4);
  strbuf_init(&head);
  z->warps++;
  put32(&z->index, insts), put32(&z->index, frames), put64(&z->index, z->at);
  strbuf_add(&z->index, strbuf_text(&z->counts), z->counts.size);
  put32(&head, insts), put32(&head, frames);
  write_out(z, head.buf, head.size);
  write_out(z, strbuf_text(&z->frames), z->frames.size);
  strbuf_fini(&head);
}

static uint32_t counted(const zwriter_t *z) {
  uint32_t sum = 0, v;
  for (size_t i = 0; i < z->counts.size; i += 4, sum += v) memcpy(&v, z->counts.buf + i, 4);
  return sum;
}

void zwriter_warp(zwriter_t *z, const char *lines, size_t size) {
  strbuf_clear(&z->frames), strbuf_clear(&z->counts);
  record(z, cut(z, lines, size));
}

void zwriter_again(zwriter_t *z) { record(z, counted(z)); }

void zwriter_end(zwriter_t *z) {
  uint64_t index = z->at;
  strbuf_t end;
  strbuf_init(&end);
  end_block(z);
  put32(&end, z->blocks);
  write_out(z, end.buf, end.size);
  write_out(z, strbuf_text(&z->index), z->index.size);
  strbuf_clear(&end), put64(&end, index);
  write_out(z, end.buf, end.size);
  ZSTD_freeCCtx(z->zstd), ZSTD_freeCDict(z->dictionary);
  strbuf_fini(&z->index), strbuf_fini(&z->frames), strbuf_fini(&z->counts), strbuf_fini(&end);
}

/* ---- from grouped text ---- */

typedef struct {
  zwriter_t z;
  uint32_t at[10];
  bool block, warp; /* one is open */
  strbuf_t lines;
} convert_t;

static void close_warp(convert_t *c) {
  if (c->warp) zwriter_warp(&c->z, strbuf_text(&c->lines), c->lines.size);
  strbuf_clear(&c->lines);
  c->warp = false;
}

static void open_warp(convert_t *c) {
  if (!c->block) zwriter_block(&c->z, c->at);
  c->block = true;
  close_warp(c);
  c->warp = true;
}

/* sscanf() measures its text first: it gets the line alone, not the rest of the file. */
static void body_line(convert_t *c, const char *text, size_t size) {
  uint32_t *a = c->at;
  unsigned n;
  char line[64];
  snprintf(line, sizeof line, "%.*s", (int)(size < sizeof line ? size : sizeof line - 1), text);
  if (sscanf(line, "thread block = %u,%u,%u", &a[0], &a[1], &a[2]) == 3) {
    memset(a + 3, 0, 7 * sizeof *a);
    close_warp(c);
    c->block = false;
  } else if (sscanf(line, "cluster id = %u,%u,%u", &a[3], &a[4], &a[5]) == 3 ||
             sscanf(line, "cluster cta = %u,%u,%u", &a[6], &a[7], &a[8]) == 3 ||
             sscanf(line, "cluster rank = %u", &a[9]) == 1 || sscanf(line, "insts = %u", &n) == 1 ||
             *line == '#') {
  } else if (sscanf(line, "warp = %u", &n) == 1) {
    open_warp(c);
  } else if (size) {
    if (c->lines.size) strbuf_add(&c->lines, "\n", 1);
    strbuf_add(&c->lines, text, size);
  }
}

void zwriter_convert(const char *traceg, uint32_t target, bool dictionary, FILE *out) {
  convert_t c = {0};
  const char *body = strstr(traceg, "\n#");
  must(body, "no line begins with #");
  body = strchr(body + 1, '\n');
  must(body, "nothing behind the header");
  char *header = strndup(traceg, (size_t)(++body - traceg));
  must(header, "no memory");
  strbuf_init(&c.lines);
  zwriter_begin(&c.z, out, header, target, dictionary ? body : NULL);
  for (const char *p = body, *end; *p; p = *end ? end + 1 : end) {
    end = strchr(p, '\n');
    end = end ? end : p + strlen(p);
    body_line(&c, p, (size_t)(end - p));
  }
  close_warp(&c);
  zwriter_end(&c.z);
  strbuf_fini(&c.lines);
  free(header);
}
