/* The report page: its data come back as they went in, whatever they are. */
#include "lab/page.h"
#include "lab/page_html.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

static void base64_is_that_of_the_standard(void **state) {
  (void)state;
  static const char *const pair[][2] = {{"", ""},
                                        {"f", "Zg=="},
                                        {"fo", "Zm8="},
                                        {"foo", "Zm9v"},
                                        {"foob", "Zm9vYg=="},
                                        {"fooba", "Zm9vYmE="},
                                        {"foobar", "Zm9vYmFy"}};
  for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
    strbuf_t out;
    strbuf_init(&out);
    page_base64(pair[i][0], strlen(pair[i][0]), &out);
    assert_string_equal(strbuf_text(&out), pair[i][1]);
    strbuf_fini(&out);
  }
}

static int digit(char c) {
  static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *at = strchr(all, c);
  return at && c ? (int)(at - all) : -1;
}

static size_t decode(const char *text, size_t size, unsigned char *out) {
  size_t n = 0;
  for (size_t i = 0; i + 3 < size; i += 4) {
    uint32_t v = 0, pad = 0;
    for (size_t k = 0; k < 4; k++) {
      pad += text[i + k] == '=';
      assert_true(text[i + k] == '=' || digit(text[i + k]) >= 0);
      v = v << 6 | (text[i + k] == '=' ? 0u : (uint32_t)digit(text[i + k]));
    }
    for (uint32_t k = 0; k < 3 - pad; k++) out[n++] = (unsigned char)(v >> (16 - 8 * k));
  }
  return n;
}

/* What stands between the template's parts, unpacked. */
static void unpack(const strbuf_t *page, char *out, size_t room, size_t *size) {
  const char *place = strstr(page_html, "@GMMU_DATA@");
  size_t head = (size_t)(place - page_html), tail = strlen(place) - strlen("@GMMU_DATA@");
  size_t length = page->size - head - tail;
  unsigned char *packed = malloc(length);
  assert_memory_equal(strbuf_text(page), page_html, head);
  assert_string_equal(strbuf_text(page) + page->size - tail, place + strlen("@GMMU_DATA@"));
  z_stream z = {.next_in = packed, .next_out = (Bytef *)out, .avail_out = (uInt)room};
  z.avail_in = (uInt)decode(strbuf_text(page) + head, length, packed);
  assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
  assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
  *size = z.total_out;
  inflateEnd(&z);
  free(packed);
}

static void data_come_back(const char *data, size_t size) {
  strbuf_t page;
  err_t e = {0};
  size_t got = 0, room = size + 1;
  char *out = malloc(room);
  strbuf_init(&page);
  assert_int_equal(page_make(data, size, &page, &e), GMMU_OK);
  unpack(&page, out, room, &got);
  assert_int_equal(got, size);
  assert_memory_equal(out, data, size);
  strbuf_fini(&page);
  free(out);
}

static void what_goes_in_comes_out(void **state) {
  (void)state;
  static const char hostile[] =
      "{\"title\":\"</script><script>alert(1)</script> @GMMU_DATA@ \\u0000\"}";
  data_come_back(hostile, strlen(hostile));
  data_come_back("", 0);
  size_t size = 3 << 20;
  char *large = malloc(size);
  uint64_t x = 1;
  for (size_t i = 0; i < size; i++) x = x * 6364136223846793005u + 1, large[i] = (char)(x >> 56);
  data_come_back(large, size);
  free(large);
}

static void no_byte_of_data_can_end_the_script(void **state) {
  (void)state;
  static const char data[] = "{\"title\":\"</script>\"}";
  strbuf_t page;
  err_t e = {0};
  size_t before = 0, after = 0;
  strbuf_init(&page);
  assert_int_equal(page_make(data, strlen(data), &page, &e), GMMU_OK);
  for (const char *p = page_html; (p = strstr(p, "</script")); p++) before++;
  for (const char *p = strbuf_text(&page); (p = strstr(p, "</script")); p++) after++;
  assert_int_equal(before, 2);
  assert_int_equal(after, before);
  strbuf_fini(&page);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(base64_is_that_of_the_standard),
      cmocka_unit_test(what_goes_in_comes_out),
      cmocka_unit_test(no_byte_of_data_can_end_the_script),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
