/* to_tracez IN.traceg OUT.tracez [instructions of a frame [dictionary]]: for tests of the command,
 * and for the seeds of fuzz/corpus/fuzz_tracez. */
#include "base/file.h"
#include "zwriter.h"
#include <stdlib.h>

#define MAX_BYTES (1u << 30)

int main(int argc, char **argv) {
  strbuf_t text;
  err_t e = {0};
  strbuf_init(&text);
  if (argc < 3 || file_read(argv[1], MAX_BYTES, &text, &e) < 0) {
    fprintf(stderr, "to_tracez IN.traceg OUT.tracez [instructions [dictionary]]: %s\n", e.text);
    return 2;
  }
  FILE *out = fopen(argv[2], "wb");
  if (!out) return 1;
  zwriter_convert(strbuf_text(&text), argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 2048,
                  argc > 4, out);
  strbuf_fini(&text);
  return fclose(out) ? 1 : 0;
}
