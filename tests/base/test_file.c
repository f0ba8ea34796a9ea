#include "base/file.h"
#include "unit.h"
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  char dir[64], path[128];
  strbuf_t text;
  err_t e;
} fixture_t;

static int setup(void **state) {
  fixture_t *f = calloc(1, sizeof *f);
  strcpy(f->dir, "test-file-XXXXXX");
  if (!mkdtemp(f->dir)) return -1;
  snprintf(f->path, sizeof f->path, "%s/a", f->dir);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture_t *f = *state;
  char link[128];
  snprintf(link, sizeof link, "%s/link", f->dir);
  unlink(link);
  unlink(f->path);
  int rc = rmdir(f->dir); /* fails if a temporary file was left behind */
  strbuf_fini(&f->text);
  free(f);
  return rc;
}

static void what_was_written_is_read(void **state) {
  fixture_t *f = *state;
  assert_int_equal(file_write(f->path, "a\0b", 3, &f->e), 0);
  assert_int_equal(file_read(f->path, 3, &f->text, &f->e), 0);
  assert_int_equal(f->text.size, 3);
  assert_memory_equal(f->text.buf, "a\0b", 4);
}

static void a_second_write_replaces_the_first(void **state) {
  fixture_t *f = *state;
  assert_int_equal(file_write(f->path, "longer", 6, &f->e), 0);
  assert_int_equal(file_write(f->path, "x", 1, &f->e), 0);
  assert_int_equal(file_read(f->path, 100, &f->text, &f->e), 0);
  assert_string_equal(f->text.buf, "x");
}

static void an_empty_file_gives_an_empty_string(void **state) {
  fixture_t *f = *state;
  assert_int_equal(file_write(f->path, "", 0, &f->e), 0);
  assert_int_equal(file_read(f->path, 0, &f->text, &f->e), 0);
  assert_string_equal(f->text.buf, "");
}

static void a_file_over_the_limit_is_refused(void **state) {
  fixture_t *f = *state;
  assert_int_equal(file_write(f->path, "1234", 4, &f->e), 0);
  assert_int_equal(file_read(f->path, 3, &f->text, &f->e), GMMU_EFORMAT);
  assert_string_equal(f->e.text, "larger than the limit of 3 bytes");
  assert_int_equal(file_read("/dev/zero", 1000000, &f->text, &f->e), GMMU_EFORMAT);
}

static void errors_name_the_file_and_the_cause(void **state) {
  fixture_t *f = *state;
  assert_int_equal(file_read(f->path, 10, &f->text, &f->e), GMMU_EIO);
  assert_string_equal(f->e.file, f->path);
  assert_string_equal(f->e.text, "cannot open: No such file or directory");
  assert_int_equal(file_read(f->dir, 10, &f->text, &f->e), GMMU_EIO);
  assert_string_equal(f->e.text, "cannot read: Is a directory");
  assert_int_equal(file_write("no/such/dir/x", "", 0, &f->e), GMMU_EIO);
  assert_string_equal(f->e.text, "cannot create: No such file or directory");
}

static void a_failed_write_is_reported(void **state) {
  fixture_t *f = *state;
  assert_int_equal(file_write("/dev/full", "x", 1, &f->e), GMMU_EIO);
  assert_string_equal(f->e.text, "cannot write: No space left on device");
}

static void a_symbolic_link_stays_one(void **state) {
  fixture_t *f = *state;
  char link[128];
  struct stat st;
  snprintf(link, sizeof link, "%s/link", f->dir);
  assert_int_equal(file_write(f->path, "old", 3, &f->e), 0);
  assert_int_equal(symlink("a", link), 0);
  assert_int_equal(file_write(link, "new", 3, &f->e), 0);
  assert_int_equal(lstat(link, &st), 0);
  assert_true(S_ISLNK(st.st_mode));
  assert_int_equal(file_read(f->path, 100, &f->text, &f->e), 0);
  assert_string_equal(f->text.buf, "new");
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(what_was_written_is_read),
      T(a_second_write_replaces_the_first),
      T(an_empty_file_gives_an_empty_string),
      T(a_file_over_the_limit_is_refused),
      T(errors_name_the_file_and_the_cause),
      T(a_failed_write_is_reported),
      T(a_symbolic_link_stays_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
