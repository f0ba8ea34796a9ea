/* Writes the seeds of fuzz_gmt: small files of every kind of stream.
 *   seed_gmt fuzz/corpus/fuzz_gmt */
#include "synth.h"
#include "trace/gmt.h"
#include <stdio.h>

static const struct {
  const char *name;
  synth_spec_t spec;
} seeds[] = {
    {"random-few", {SYNTH_RANDOM, 1, 1, 1, 32, 4, 6}},
    {"random-many", {SYNTH_RANDOM, 2, 2, 3, 64, 12, 16}},
    {"random-uneven", {SYNTH_RANDOM, 3, 1, 6, 96, 20, 80}},
    {"triad", {SYNTH_TRIAD, 1, 2, 2, 64, 5, 0}},
    {"short", {SYNTH_SHORT, 1, 1, 8, 32, 0, 0}},
    {"gather", {SYNTH_GATHER, 1, 1, 1, 33, 4, 0}},
    {"diverge", {SYNTH_DIVERGE, 1, 1, 2, 40, 6, 0}},
    {"long", {SYNTH_TRIAD, 1, 1, 1, 1024, 400, 0}}, /* several frames */
    {"no-launch", {SYNTH_TRIAD, 1, 0, 1, 32, 1, 0}},
};

/* A fast level leaves literals as they are: what a mutation changes is what the reader sees. */
static const gmt_writer_opts_t plain = {.level = -5};

int main(int argc, char **argv) {
  for (size_t i = 0; argc == 2 && i < sizeof seeds / sizeof *seeds; i++) {
    char path[4096], text[600];
    err_t e = {0};
    source_t *in = synth_new(&seeds[i].spec);
    snprintf(path, sizeof path, "%s/%s", argv[1], seeds[i].name);
    int rc = gmt_record_source(in, path, &plain, 0, &e);
    in->ops->free(in);
    if (rc >= 0) continue;
    err_format(&e, text, sizeof text);
    fprintf(stderr, "seed_gmt: %s\n", text);
    return 1;
  }
  return argc != 2;
}
