/* Template and data become a page. Invariant: nothing of the data can end the script element it
 * stands in, because base64 has no '<'. */
#include "lab/page.h"
#include "lab/page_html.h"
#include <string.h>
#include <zlib.h>

#define PLACE "@GMMU_DATA@"

static int bad_zlib(z_stream *z, err_t *e) {
  return err_set(e, GMMU_ENOMEM, "the page's data could not be compressed: %s",
                 z->msg ? z->msg : "out of memory");
}

/* Pieces fit zlib's counters, which are of 32 bits. */
static int deflate_all(z_stream *z, const char *data, size_t size, strbuf_t *out, err_t *e) {
  char piece[1 << 15];
  int rc;
  do {
    if (z->avail_in == 0 && size) {
      size_t take = size < (1u << 30) ? size : 1u << 30;
      z->next_in = (Bytef *)(uintptr_t)data, z->avail_in = (uInt)take;
      data += take, size -= take;
    }
    z->next_out = (Bytef *)piece, z->avail_out = sizeof piece;
    rc = deflate(z, size ? Z_NO_FLUSH : Z_FINISH);
    if (rc == Z_STREAM_ERROR) return bad_zlib(z, e);
    strbuf_add(out, piece, sizeof piece - z->avail_out);
  } while (rc != Z_STREAM_END && !out->failed);
  return out->failed ? err_set(e, GMMU_ENOMEM, "out of memory for the page") : GMMU_OK;
}

int page_gzip(const char *data, size_t size, strbuf_t *out, err_t *e) {
  z_stream z = {0};
  if (deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return bad_zlib(&z, e);
  int rc = deflate_all(&z, data, size, out, e);
  deflateEnd(&z);
  return rc;
}

void page_base64(const char *data, size_t size, strbuf_t *out) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *in = (const unsigned char *)data;
  for (size_t i = 0; i < size; i += 3) {
    size_t left = size - i;
    uint32_t v = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) |
                 (left > 2 ? in[i + 2] : 0);
    char four[4] = {digit[v >> 18], digit[v >> 12 & 63], left > 1 ? digit[v >> 6 & 63] : '=',
                    left > 2 ? digit[v & 63] : '='};
    strbuf_add(out, four, sizeof four);
  }
}

int page_make(const char *data, size_t size, strbuf_t *out, err_t *e) {
  const char *place = strstr(page_html, PLACE);
  strbuf_t packed;
  if (!place) return err_set(e, GMMU_EINVAL, "this build's report page has no place for data");
  strbuf_init(&packed);
  int rc = page_gzip(data, size, &packed, e);
  if (rc == 0) {
    strbuf_add(out, page_html, (size_t)(place - page_html));
    page_base64(strbuf_text(&packed), packed.size, out);
    strbuf_str(out, place + strlen(PLACE));
    if (out->failed) rc = err_set(e, GMMU_ENOMEM, "out of memory for the page");
  }
  strbuf_fini(&packed);
  return rc;
}
