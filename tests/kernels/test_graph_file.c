/* Readers of graph files: what they give, what they refuse, and what becomes of damaged files. */
#include "base/rng.h"
#include "base/unit.h"
#include "kernels/common/graph_file.h"

static graph_file_t g;
static char why[300];

static int parse(const void *bytes, size_t size) {
  /* At the end of a block of its own, so that reading on is noticed. */
  char *copy = malloc(size ? size : 1);
  if (size) memcpy(copy, bytes, size);
  why[0] = 0;
  int rc = graph_file_parse("file", copy, size, &g, why, sizeof why);
  free(copy);
  return rc;
}
static void accepts(const char *text) {
  if (parse(text, strlen(text)) < 0) fail_msg("%s", why);
}
static void refuses(const char *text, const char *message) {
  assert_int_equal(parse(text, strlen(text)), -1);
  assert_string_equal(why, message);
  assert_null(g.row);
}
static void edges_are(const char *want) {
  char got[200] = "";
  for (uint64_t n = 0; n < g.nodes; n++)
    for (uint64_t i = g.row[n]; i < g.row[n + 1]; i++)
      snprintf(got + strlen(got), sizeof got - strlen(got), "%s%d-%u", *got ? " " : "", (int)n,
               g.edge[i]);
  assert_string_equal(got, want);
  assert_int_equal(g.row[g.nodes], g.edges);
}

#define MARKET "%%MatrixMarket matrix coordinate "

static void matrix_market_becomes_rows(void **state) {
  (void)state;
  accepts(MARKET "real general\n% a comment\n3 3 3\n1 2 0.5\n3 1 -2e1\n\n1 3 4\n");
  edges_are("0-1 0-2 2-0");
  assert_true(g.value[0] == 0.5f && g.value[1] == 4 && g.value[2] == -20);
  graph_file_free(&g);
  accepts(MARKET "Pattern Symmetric\r\n3 3 2\r\n2 1\r\n3 3\r\n");
  edges_are("0-1 1-0 2-2");
  assert_null(g.value);
  graph_file_free(&g);
  accepts(MARKET "integer skew-symmetric\n2 2 1\n2 1 7\n");
  assert_true(g.value[0] == -7 && g.value[1] == 7);
  graph_file_free(&g);
}

static void wrong_matrix_market_files_are_refused_by_line(void **state) {
  (void)state;
  refuses(MARKET "complex general\n1 1 1\n1 1 1 1\n",
          "file:1: the values must be real, integer or pattern");
  refuses("%%MatrixMarket matrix array real general\n1 1\n1\n",
          "file:1: only Matrix Market's coordinate format is read");
  refuses(MARKET "real general\n", "file:2: the line with rows, columns and entries is missing");
  refuses(MARKET "real general\n2 2 1\n3 1 1\n", "file:3: the row is outside the matrix");
  refuses(MARKET "real general\n2 2 1\n0 1 1\n", "file:3: the row is outside the matrix");
  refuses(MARKET "real general\n2 2 1\n1 1\n", "file:3: a value is missing");
  refuses(MARKET "real general\n2 2 2\n1 1 1\n",
          "file:4: fewer entries than the file gives itself");
  refuses(MARKET "real general\n2 2 1\n1 1 1\n1 2 1\n",
          "file:4: more entries than the file gives itself");
  refuses(MARKET "pattern general\n2 2 1\n1 1 1\n", "file:3: more on the line than belongs there");
  refuses(MARKET "pattern symmetric\n2 3 1\n1 1\n", "file:3: a symmetric matrix must be square");
  refuses(MARKET "pattern general\n2 2 99999999\n1 1\n",
          "file:3: the file is too short for the number of entries it gives");
  refuses(MARKET "pattern general\n4000000000 4000000000 1\n1 1\n",
          "file:3: far more nodes than the entries can connect");
}

static void a_banner_in_other_letters_is_a_banner(void **state) {
  (void)state;
  accepts("%%matrixmarket MATRIX Coordinate Real General\n3 3 1\n1 2 1\n");
  edges_are("0-1");
  graph_file_free(&g);
  accepts("\xef\xbb\xbf" MARKET "pattern general\n3 3 1\n1 2\n");
  edges_are("0-1");
  graph_file_free(&g);
  accepts("\xef\xbb\xbf"
          "0 1\n");
  edges_are("0-1");
  graph_file_free(&g);
  refuses("\xef\xbb\xbf", "file:1: there is no node");
}

static void compressed_files_are_named_as_such(void **state) {
  (void)state;
  refuses("\x1f\x8b\x08", "file: the file is compressed: unpack it with gunzip first");
  refuses("BZh9", "file: the file is compressed: unpack it with bunzip2 first");
  refuses("\xfd"
          "7zXZ",
          "file: the file is compressed: unpack it with unxz first");
  refuses("\x28\xb5\x2f\xfd", "file: the file is compressed: unpack it with unzstd first");
  refuses("PK\x03\x04", "file: the file is an archive: unpack it first");
}

static void an_edge_list_has_as_many_nodes_as_its_numbers_say(void **state) {
  (void)state;
  accepts("# a comment\n0 3\n3\t1\n\n2, 2 0.5\n0 1");
  assert_int_equal(g.nodes, 4);
  edges_are("0-3 0-1 2-2 3-1");
  graph_file_free(&g);
  refuses("0 x\n", "file:1: a whole number is missing");
  refuses("0 1\n5\n", "file:2: a whole number is missing");
  refuses("0 -1\n", "file:1: a whole number is missing");
  refuses("0 1x\n", "file:1: something else than a whole number");
  refuses("0 99999999999999999999\n", "file:1: a number is too large");
  refuses("0 4294967295\n", "file:1: the number of a node is too large");
  refuses("0 4000000000\n", "file:1: far more nodes than the entries can connect");
  refuses("0 1 2 3\n", "file:1: more on the line than belongs there");
  refuses("# nothing\n", "file:1: there is no node");
  refuses("", "file: the file is empty");
}

/* 3 nodes, 4 edges, undirected. */
static size_t binary(unsigned char out[200]) {
  const int64_t head[] = {4, 3, 0, 2, 3, 4};
  const int32_t edge[] = {1, 2, 0, 0};
  out[0] = 0;
  memcpy(out + 1, head, sizeof head);
  memcpy(out + 1 + sizeof head, edge, sizeof edge);
  return 1 + sizeof head + sizeof edge;
}

static void binary_rows_are_checked(void **state) {
  unsigned char file[200];
  size_t size = binary(file);
  int64_t v;
  (void)state;
  assert_int_equal(parse(file, size), 0);
  edges_are("0-1 0-2 1-0 2-0");
  graph_file_free(&g);
  for (size_t cut = 1; cut < size; cut++) { /* whatever is missing is missed */
    assert_int_equal(parse(file, cut), -1);
    assert_non_null(strstr(why, cut < 17 ? "ends within" : "does not fit"));
  }
  const struct {
    size_t at;
    int64_t value;
    const char *why;
  } wrong[] = {{1, 5, "the number of edges"},     {1, -1, "the number of edges"},
               {9, 0, "the number of nodes"},     {9, INT64_MAX, "the number of nodes"},
               {17, 1, "do not cover the edges"}, {41, 3, "do not cover the edges"},
               {25, 4, "not in order"},           {49, 7, "leads to no node"},
               {49, -1, "leads to no node"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    binary(file);
    v = wrong[i].value;
    memcpy(file + wrong[i].at, &v, wrong[i].at == 49 ? 4 : 8);
    assert_int_equal(parse(file, size), -1);
    if (!strstr(why, wrong[i].why)) fail_msg("%s, not %s", why, wrong[i].why);
  }
}

/* A graph that was accepted is one. */
static void is_sound(void) {
  assert_int_equal(g.row[0], 0);
  assert_int_equal(g.row[g.nodes], g.edges);
  for (uint64_t n = 0; n < g.nodes; n++) assert_true(g.row[n] <= g.row[n + 1]);
  for (uint64_t i = 0; i < g.edges; i++) assert_true(g.edge[i] < g.nodes);
}

/* Bytes changed, cut out, repeated, and the file cut short. */
static size_t mutate(rng_t *r, unsigned char *file, size_t size) {
  for (uint32_t k = 1 + rng_below(r, 4); k && size > 1; k--) {
    uint32_t at = rng_below(r, (uint32_t)size), n = 1 + rng_below(r, (uint32_t)(size - at));
    switch (rng_below(r, 5)) {
    case 0: file[at] = (unsigned char)rng_next(r); break;
    case 1: file[at] ^= (unsigned char)(1u << rng_below(r, 8)); break;
    case 2: file[at] = (unsigned char)"0123456789 \n\t-.eE%#"[rng_below(r, 19)]; break;
    case 3: size = at + 1; break;
    case 4: memmove(file + at, file + at + n, size - at - n), size -= n; break;
    }
  }
  return size;
}

static void mutants_of(const void *file, size_t size) {
  rng_t r = {11};
  uint32_t refused = 0;
  for (uint32_t i = 0; i < 1000; i++) {
    unsigned char mutant[400];
    memcpy(mutant, file, size);
    if (parse(mutant, mutate(&r, mutant, size)) == 0) {
      is_sound();
      graph_file_free(&g);
      continue;
    }
    refused++;
    if (strncmp(why, "file:", 5) != 0 || strlen(why) < 20) fail_msg("mutant %u: \"%s\"", i, why);
    assert_null(g.row);
  }
  assert_true(refused > 300);
}

static void a_thousand_mutants_of_each_format_get_a_message_or_are_graphs(void **state) {
  static const char market[] = MARKET "real symmetric\n% note\n6 6 7\n2 1 0.5\n3 1 1e-3\n4 2 -7\n5 "
                                      "5 2\n6 1 1\n6 5 12.5\n4 3 1\n";
  static const char list[] = "# FromNodeId\tToNodeId\n0\t11342\n0\t824020\n0\t867\n1\t53909\n1\t2\n"
                             "11342\t0\n11342\t27469\n";
  unsigned char file[200];
  size_t size = binary(file);
  (void)state;
  mutants_of(market, sizeof market - 1);
  mutants_of(list, sizeof list - 1);
  mutants_of(file, size);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrix_market_becomes_rows),
      cmocka_unit_test(wrong_matrix_market_files_are_refused_by_line),
      cmocka_unit_test(a_banner_in_other_letters_is_a_banner),
      cmocka_unit_test(compressed_files_are_named_as_such),
      cmocka_unit_test(an_edge_list_has_as_many_nodes_as_its_numbers_say),
      cmocka_unit_test(binary_rows_are_checked),
      cmocka_unit_test(a_thousand_mutants_of_each_format_get_a_message_or_are_graphs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
