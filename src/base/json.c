#include "base/json.h"
#include "base/foreign.h"
#include "base/ratio.h"
#include <inttypes.h>
#include <string.h>

/* The text so far plus three facts about its end: how deep we are, whether the open container is
 * still empty (`first`), and whether a key waits for its value (`after_key`). Every value goes
 * through before_value() and after_value(), which own commas, newlines and indentation. */

void json_init(json_t *j) { *j = (json_t){.first = true}; }

void json_fini(json_t *j) {
  strbuf_fini(&j->out);
  json_init(j);
}

static void new_line(json_t *j) {
  strbuf_str(&j->out, "\n");
  strbuf_fill(&j->out, ' ', 2 * (size_t)j->depth);
}

static void before_value(json_t *j) {
  if (!j->after_key && j->depth > 0) {
    if (!j->first) strbuf_str(&j->out, ",");
    new_line(j);
  }
  j->after_key = false;
}

static void after_value(json_t *j) {
  j->first = false;
  if (j->depth == 0) strbuf_str(&j->out, "\n");
}

static void scalar(json_t *j, const char *text) {
  before_value(j);
  strbuf_str(&j->out, text);
  after_value(j);
}

static void begin(json_t *j, const char *bracket) {
  before_value(j);
  strbuf_str(&j->out, bracket);
  j->depth++;
  j->first = true;
}

static void end(json_t *j, const char *bracket) {
  j->depth--;
  if (!j->first) new_line(j);
  strbuf_str(&j->out, bracket);
  after_value(j);
}

void json_begin_object(json_t *j) { begin(j, "{"); }
void json_end_object(json_t *j) { end(j, "}"); }
void json_begin_array(json_t *j) { begin(j, "["); }
void json_end_array(json_t *j) { end(j, "]"); }

static void escape(json_t *j, unsigned char c) {
  static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt"; /* pairs: character, letter */
  for (const char *p = letters; *p; p += 2)
    if (*p == (char)c) {
      strbuf_printf(&j->out, "\\%c", p[1]);
      return;
    }
  strbuf_printf(&j->out, "\\u%04x", c);
}

static void quoted(json_t *j, const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  strbuf_str(&j->out, "\"");
  while (*s) {
    uint32_t c;
    size_t size = utf8_decode((const char *)s, &c);
    if (size == 0 || *s < 0x20 || *s == '"' || *s == '\\') {
      escape(j, *s);
      size = 1;
    } else if (utf8_unsafe(c)) { /* all of them have four digits */
      strbuf_printf(&j->out, "\\u%04" PRIx32, c);
    } else {
      strbuf_add(&j->out, (const char *)s, size);
    }
    s += size;
  }
  strbuf_str(&j->out, "\"");
}

void json_key(json_t *j, const char *key) {
  before_value(j);
  quoted(j, key);
  strbuf_str(&j->out, ": ");
  j->first = false;
  j->after_key = true;
}

void json_str(json_t *j, const char *s) {
  if (!s) {
    json_null(j);
    return;
  }
  before_value(j);
  quoted(j, s);
  after_value(j);
}

void json_u64(json_t *j, uint64_t v) {
  before_value(j);
  strbuf_printf(&j->out, "%" PRIu64, v);
  after_value(j);
}

void json_u64s(json_t *j, const uint64_t *v, uint32_t count) {
  before_value(j);
  strbuf_str(&j->out, "[");
  for (uint32_t i = 0; i < count; i++) strbuf_printf(&j->out, "%s%" PRIu64, i ? ", " : "", v[i]);
  strbuf_str(&j->out, "]");
  after_value(j);
}

void json_i64(json_t *j, int64_t v) {
  before_value(j);
  strbuf_printf(&j->out, "%" PRId64, v);
  after_value(j);
}

void json_bool(json_t *j, bool v) { scalar(j, v ? "true" : "false"); }
void json_null(json_t *j) { scalar(j, "null"); }
void json_raw(json_t *j, const char *text) { scalar(j, text); }

void json_ratio(json_t *j, uint64_t num, uint64_t den, uint32_t digits) {
  char text[RATIO_TEXT_BYTES];
  ratio_format(text, sizeof text, num, den, digits);
  scalar(j, den ? text : "null");
}
