#include "base/file.h"
#include "base/opt.h"
#include "base/strbuf.h"
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* A mapping of mappings, flattened while libyaml's events come in: `path` is the dotted key so far,
 * prefix[d] the length of the part that belongs to the mappings around depth d. Every key, of a
 * value or of a mapping, is kept in a hash table to find a second one. Invariant: the work and
 * memory are bounded by the limits in opt.h whatever the input says: what could nest, repeat or
 * refer (lists of more than values, complex keys, anchors, directives) ends the reading where it is
 * seen. */

#define SLOTS 8192 /* of the hash table: twice the keys, a power of two */

typedef struct {
  uint32_t text; /* offset into `texts` */
  uint32_t line;
} seen_t;

typedef struct {
  const char *name; /* for errors */
  yaml_key_fn on_key;
  void *ctx;
  yaml_parser_t parser;
  uint32_t documents, depth;
  bool want_value;
  bool lists;   /* are allowed */
  bool in_list; /* of values, of the key in `path` */
  uint32_t elements;
  yaml_mark_t key_mark; /* of the key; in a list of the element */
  size_t prefix[YAML_MAX_DEPTH + 1];
  char path[YAML_MAX_KEY + 1];
  strbuf_t texts;
  uint32_t keys;
  seen_t seen[YAML_MAX_KEYS];
  uint16_t slot[SLOTS]; /* 0 or 1 + index into `seen` */
  err_t e;
} reader_t;

/* --- places in the text ----------------------------------------------------------------------- */

/* YAML 1.1 also breaks lines at NEL, LS and PS, so libyaml does. */
static bool starts_line(const char *text, size_t i) {
  if (i == 0 || text[i - 1] == '\n' || text[i - 1] == '\r') return true;
  if (i >= 2 && memcmp(text + i - 2, "\xc2\x85", 2) == 0) return true;
  return i >= 3 && (memcmp(text + i - 3, "\xe2\x80\xa8", 3) == 0 ||
                    memcmp(text + i - 3, "\xe2\x80\xa9", 3) == 0);
}

/* libyaml's reader knows the byte only. offset < size of the text. */
static yaml_mark_t mark_of_offset(const char *text, size_t offset) {
  yaml_mark_t m = {0};
  for (size_t i = 0; i < offset; i++) {
    if ((text[i] & 0xc0) != 0x80) m.column++;
    if (!starts_line(text, i + 1) || (text[i] == '\r' && text[i + 1] == '\n')) continue;
    m.line++;
    m.column = 0;
  }
  return m;
}

/* --- errors ----------------------------------------------------------------------------------- */

static int place(reader_t *r, yaml_mark_t mark) {
  err_in_file(&r->e, r->name, (uint32_t)mark.line + 1, (uint32_t)mark.column + 1);
  if (r->path[0]) err_for_key(&r->e, r->path);
  return r->e.code;
}

#define refuse(r, mark, ...) (err_set(&(r)->e, GMMU_EFORMAT, __VA_ARGS__), place(r, mark))

static int bad_byte(reader_t *r, const char *text, size_t size) {
  size_t offset = r->parser.problem_offset < size ? r->parser.problem_offset : size - 1;
  r->path[0] = 0; /* the reader runs ahead of the keys */
  err_set(&r->e, GMMU_EFORMAT, "%s (byte 0x%02x)", r->parser.problem, (unsigned char)text[offset]);
  return place(r, mark_of_offset(text, offset));
}

static int parser_error(reader_t *r, const char *text, size_t size) {
  const yaml_parser_t *p = &r->parser;
  if (p->error == YAML_MEMORY_ERROR) return err_set(&r->e, GMMU_ENOMEM, "out of memory");
  if (p->error == YAML_READER_ERROR) return bad_byte(r, text, size);
  r->path[0] = 0;
  err_set(&r->e, GMMU_EFORMAT, "%s%s%s", p->context ? p->context : "", p->context ? ": " : "",
          p->problem ? p->problem : "malformed YAML");
  return place(r, p->problem_mark);
}

/* --- keys seen -------------------------------------------------------------------------------- */

static uint32_t hash_text(const char *s) {
  uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
  for (; *s; s++) h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
  return (uint32_t)(h >> 32);
}

/* The slot of r->path, or the empty one where it belongs. */
static uint32_t find_slot(const reader_t *r) {
  uint32_t i = hash_text(r->path) % SLOTS;
  while (r->slot[i] && strcmp(r->texts.buf + r->seen[r->slot[i] - 1].text, r->path) != 0)
    i = (i + 1) % SLOTS;
  return i;
}

static int remember_key(reader_t *r) {
  uint32_t i = find_slot(r);
  if (r->slot[i]) {
    err_set(&r->e, GMMU_EFORMAT, "given twice; first on line %u", r->seen[r->slot[i] - 1].line);
    return place(r, r->key_mark);
  }
  if (r->keys == YAML_MAX_KEYS) return refuse(r, r->key_mark, "more than %d keys", YAML_MAX_KEYS);
  r->seen[r->keys].text = (uint32_t)r->texts.size;
  r->seen[r->keys].line = (uint32_t)r->key_mark.line + 1;
  r->slot[i] = (uint16_t)++r->keys;
  strbuf_add(&r->texts, r->path, strlen(r->path) + 1);
  return r->texts.failed ? err_set(&r->e, GMMU_ENOMEM, "out of memory") : GMMU_OK;
}

/* --- events ----------------------------------------------------------------------------------- */

static bool is_key_text(const char *s, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (s[i] < '!' || s[i] > '~') return false;
  return size > 0;
}

static int enter_key(reader_t *r, const char *text, size_t size, yaml_mark_t mark) {
  size_t at = r->prefix[r->depth];
  r->key_mark = mark;
  if (!is_key_text(text, size))
    return refuse(r, mark, "a key must be printable ASCII without spaces");
  if (at + 1 + size > YAML_MAX_KEY)
    return refuse(r, mark, "key longer than %d bytes", YAML_MAX_KEY);
  if (at) r->path[at++] = '.';
  memcpy(r->path + at, text, size);
  r->path[at + size] = 0;
  r->want_value = true;
  return remember_key(r);
}

static void leave_key(reader_t *r) {
  r->path[r->prefix[r->depth]] = 0;
  r->want_value = false;
}

static int give_value(reader_t *r, const char *value) {
  int rc = r->on_key(r->ctx, r->path, value, (uint32_t)r->key_mark.line + 1,
                     (uint32_t)r->key_mark.column + 1, &r->e);
  if (rc < 0 && r->e.code == 0) err_set(&r->e, rc, "%s", gmmu_strerror(rc));
  if (rc < 0) place(r, r->key_mark);
  if (!r->in_list) leave_key(r);
  return rc;
}

static int on_scalar(reader_t *r, const yaml_event_t *ev) {
  const char *text = (const char *)ev->data.scalar.value;
  size_t size = ev->data.scalar.length;
  bool nothing = size == 0 && ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  if (r->depth == 0 && nothing) return GMMU_OK; /* "---" and nothing else */
  if (r->depth == 0) return refuse(r, ev->start_mark, "expected \"key: value\"");
  if (!r->want_value) return enter_key(r, text, size, ev->start_mark);
  if (r->in_list) r->key_mark = ev->start_mark, r->elements++;
  if (nothing) return refuse(r, r->key_mark, "no value given");
  if (strlen(text) != size) return refuse(r, ev->start_mark, "a value must not contain NUL");
  return give_value(r, text);
}

static int on_list(reader_t *r, const yaml_event_t *ev) {
  if (!r->lists) return refuse(r, ev->start_mark, "lists are not allowed");
  if (!r->want_value) return refuse(r, ev->start_mark, "expected \"key: value\"");
  if (r->in_list) return refuse(r, ev->start_mark, "a list of lists is not allowed");
  r->in_list = true;
  r->elements = 0;
  return GMMU_OK;
}

static int on_list_end(reader_t *r, const yaml_event_t *ev) {
  if (!r->elements) return refuse(r, ev->start_mark, "an empty list");
  r->in_list = false;
  leave_key(r);
  return GMMU_OK;
}

static int on_mapping(reader_t *r, const yaml_event_t *ev) {
  if (r->in_list)
    return refuse(r, ev->start_mark, "a list may hold values only, no \"key: value\"");
  if (r->depth && !r->want_value) return refuse(r, ev->start_mark, "a key must be plain text");
  if (r->depth == YAML_MAX_DEPTH)
    return refuse(r, ev->start_mark, "nested deeper than %d levels", YAML_MAX_DEPTH);
  r->prefix[++r->depth] = strlen(r->path);
  r->want_value = false;
  return GMMU_OK;
}

static int on_mapping_end(reader_t *r) {
  if (--r->depth) leave_key(r);
  return GMMU_OK;
}

static bool is_decorated(const yaml_event_t *ev) {
  if (ev->type == YAML_SCALAR_EVENT) return ev->data.scalar.anchor || ev->data.scalar.tag;
  if (ev->type == YAML_MAPPING_START_EVENT)
    return ev->data.mapping_start.anchor || ev->data.mapping_start.tag;
  if (ev->type == YAML_SEQUENCE_START_EVENT)
    return ev->data.sequence_start.anchor || ev->data.sequence_start.tag;
  return false;
}

static int on_event(reader_t *r, const yaml_event_t *ev) {
  if (is_decorated(ev)) return refuse(r, ev->start_mark, "anchors and tags are not allowed");
  switch (ev->type) {
  case YAML_DOCUMENT_START_EVENT:
    return r->documents++ ? refuse(r, ev->start_mark, "only one document is allowed") : GMMU_OK;
  case YAML_SCALAR_EVENT: return on_scalar(r, ev);
  case YAML_MAPPING_START_EVENT: return on_mapping(r, ev);
  case YAML_MAPPING_END_EVENT: return on_mapping_end(r);
  case YAML_ALIAS_EVENT: return refuse(r, ev->start_mark, "aliases are not allowed");
  case YAML_SEQUENCE_START_EVENT: return on_list(r, ev);
  case YAML_SEQUENCE_END_EVENT: return on_list_end(r, ev);
  default: return GMMU_OK;
  }
}

/* --- the whole text --------------------------------------------------------------------------- */

/* Directives are refused before libyaml sees them: it compares every %TAG with all earlier ones,
 * which took half a minute for a file full of them. */
static int refuse_directives(reader_t *r, const char *text, size_t size) {
  const char *p = text;
  while ((p = memchr(p, '%', size - (size_t)(p - text)))) {
    size_t i = (size_t)(p++ - text);
    if (starts_line(text, i))
      return refuse(r, mark_of_offset(text, i), "directives (%%...) are not allowed");
  }
  return GMMU_OK;
}

static int read_events(reader_t *r, const char *text, size_t size) {
  yaml_event_t ev;
  yaml_event_type_t type;
  int rc;
  do {
    if (!yaml_parser_parse(&r->parser, &ev)) return parser_error(r, text, size);
    type = ev.type;
    rc = on_event(r, &ev);
    yaml_event_delete(&ev);
  } while (rc == 0 && type != YAML_STREAM_END_EVENT);
  return rc;
}

static int read_text(reader_t *r, const char *text, size_t size) {
  static const char bom[] = "\xef\xbb\xbf";
  if (size >= 3 && memcmp(text, bom, 3) == 0) { /* as some editors write it */
    text += 3;
    size -= 3;
  }
  int rc = refuse_directives(r, text, size);
  if (rc < 0) return rc;
  if (!yaml_parser_initialize(&r->parser)) return err_set(&r->e, GMMU_ENOMEM, "out of memory");
  yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&r->parser, (const unsigned char *)text, size);
  rc = read_events(r, text, size);
  yaml_parser_delete(&r->parser);
  return rc;
}

static int read_all(const char *name, const char *text, size_t size, bool lists, yaml_key_fn on_key,
                    void *ctx, err_t *e) {
  if (size > YAML_MAX_BYTES) {
    err_set(e, GMMU_EFORMAT, "larger than %u bytes", YAML_MAX_BYTES);
    err_in_file(e, name, 0, 0);
    return GMMU_EFORMAT;
  }
  reader_t *r = calloc(1, sizeof *r);
  if (!r) return err_set(e, GMMU_ENOMEM, "out of memory");
  r->name = name;
  r->lists = lists;
  r->on_key = on_key;
  r->ctx = ctx;
  int rc = read_text(r, text, size);
  if (rc < 0 && e) *e = r->e;
  strbuf_fini(&r->texts);
  free(r);
  return rc;
}

int yaml_read(const char *name, const char *text, size_t size, yaml_key_fn on_key, void *ctx,
              err_t *e) {
  return read_all(name, text, size, false, on_key, ctx, e);
}

int yaml_read_lists(const char *name, const char *text, size_t size, yaml_key_fn on_key, void *ctx,
                    err_t *e) {
  return read_all(name, text, size, true, on_key, ctx, e);
}

int yaml_read_file(const char *path, yaml_key_fn on_key, void *ctx, err_t *e) {
  strbuf_t text;
  strbuf_init(&text);
  int rc = file_read(path, YAML_MAX_BYTES, &text, e);
  if (rc == 0) rc = yaml_read(path, text.buf, text.size, on_key, ctx, e);
  strbuf_fini(&text);
  return rc;
}
