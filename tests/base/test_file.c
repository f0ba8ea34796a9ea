#include "base/file.h"
#include "unit.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
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
  assert_int_equal(file_read_stream("/dev/zero", 1000000, &f->text, &f->e), GMMU_EFORMAT);
}

static void errors_name_the_file_and_the_cause(void **state) {
  fixture_t *f = *state;
  assert_int_equal(file_read(f->path, 10, &f->text, &f->e), GMMU_ENOENT);
  assert_string_equal(f->e.file, f->path);
  assert_string_equal(f->e.text, "cannot open: No such file or directory");
  assert_int_equal(file_read_stream(f->dir, 10, &f->text, &f->e), GMMU_EIO);
  assert_string_equal(f->e.text, "cannot open: it is a folder, not a regular file");
  assert_int_equal(file_write("no/such/dir/x", "", 0, &f->e), GMMU_ENOENT);
  assert_string_equal(f->e.text, "cannot create: No such file or directory");
}

/* Writers are tried on files of this test's own directory only, never on a device: a broken
 * file_write() run as root would replace the device. */
static void a_failed_write_is_reported_and_leaves_the_old_file(void **state) {
  fixture_t *f = *state;
  char big[4096] = {0};
  struct rlimit before, low;
  assert_int_equal(file_write(f->path, "old", 3, &f->e), 0);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  low = (struct rlimit){.rlim_cur = 1024, .rlim_max = before.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &low);
  int rc = file_write(f->path, big, sizeof big, &f->e);
  setrlimit(RLIMIT_FSIZE, &before);
  assert_int_equal(rc, GMMU_EIO);
  assert_string_equal(f->e.text, "cannot write: File too large");
  assert_int_equal(file_read(f->path, 100, &f->text, &f->e), 0);
  assert_string_equal(f->text.buf, "old");
}

static void a_pipe_is_written_to_and_not_replaced(void **state) {
  fixture_t *f = *state;
  struct stat st;
  char got[8] = "";
  assert_int_equal(mkfifo(f->path, 0600), 0);
  int fd = open(f->path, O_RDONLY | O_NONBLOCK);
  assert_true(fd >= 0);
  assert_int_equal(file_write(f->path, "data", 4, &f->e), 0);
  assert_int_equal(read(fd, got, sizeof got), 4);
  close(fd);
  assert_string_equal(got, "data");
  assert_int_equal(stat(f->path, &st), 0);
  assert_true(S_ISFIFO(st.st_mode));
}

/* --- pipes: nobody is at the other end unless the test says so --- */

static void a_pipe_where_a_file_is_needed_is_refused_at_once(void **state) {
  fixture_t *f = *state;
  assert_int_equal(mkfifo(f->path, 0600), 0);
  assert_int_equal(file_open(f->path, FILE_REGULAR, &f->e), GMMU_EIO);
  assert_string_equal(f->e.text, "cannot open: it is a pipe, not a regular file");
  assert_string_equal(f->e.file, f->path);
  assert_int_equal(file_read(f->path, 100, &f->text, &f->e), GMMU_EIO);
  assert_int_equal(file_check_regular(f->path, &f->e), GMMU_EIO);
}

static void devices_and_sockets_are_no_regular_files(void **state) {
  fixture_t *f = *state;
  struct sockaddr_un a = {.sun_family = AF_UNIX};
  int s = socket(AF_UNIX, SOCK_STREAM, 0);
  snprintf(a.sun_path, sizeof a.sun_path, "%.100s", f->path);
  assert_int_equal(bind(s, (struct sockaddr *)&a, sizeof a), 0);
  assert_int_equal(file_open(f->path, FILE_STREAM, &f->e), GMMU_EIO);
  assert_string_equal(f->e.text, "cannot open: it is a socket, not a regular file");
  close(s);
  assert_int_equal(file_open("/dev/null", FILE_REGULAR, &f->e), GMMU_EIO);
  assert_string_equal(f->e.text, "cannot open: it is a device, not a regular file");
  assert_int_equal(file_read_stream("/dev/null", 10, &f->text, &f->e), 0);
}

static void a_stream_is_read_to_its_end(void **state) {
  fixture_t *f = *state;
  assert_int_equal(mkfifo(f->path, 0600), 0);
  pid_t writer = fork();
  if (writer == 0) { /* opens late and pauses: neither is the pipe's end */
    usleep(20000);
    int fd = open(f->path, O_WRONLY);
    bool ok = write(fd, "one ", 4) == 4;
    usleep(20000);
    _exit(ok && write(fd, "two", 3) == 3 ? 0 : 1);
  }
  assert_int_equal(file_read_stream(f->path, 100, &f->text, &f->e), 0);
  assert_string_equal(f->text.buf, "one two");
  assert_int_equal(waitpid(writer, NULL, 0), writer);
}

static void on_alarm(int number) { (void)number; }

/* As Ctrl-C is handled; again and again, so that none can come too early for the wait. */
static void alarms(bool on) {
  struct sigaction a = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  struct itimerval t = {0};
  if (on) t.it_value.tv_usec = t.it_interval.tv_usec = 20000;
  sigaction(SIGALRM, &a, NULL);
  setitimer(ITIMER_REAL, &t, NULL);
}

static void waiting_for_a_pipe_is_interrupted_by_a_signal(void **state) {
  fixture_t *f = *state;
  static char big[1 << 20];
  assert_int_equal(mkfifo(f->path, 0600), 0);
  alarms(true);
  int reading = file_read_stream(f->path, 100, &f->text, &f->e);
  int writing = file_write(f->path, "x", 1, &f->e);
  int idle = open(f->path, O_RDONLY | O_NONBLOCK); /* a reader that does not read */
  int filling = file_write(f->path, big, sizeof big, &f->e);
  alarms(false);
  close(idle);
  assert_int_equal(reading, GMMU_EINTERRUPTED);
  assert_int_equal(writing, GMMU_EINTERRUPTED);
  assert_int_equal(filling, GMMU_EINTERRUPTED);
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
      T(a_failed_write_is_reported_and_leaves_the_old_file),
      T(a_pipe_is_written_to_and_not_replaced),
      T(a_pipe_where_a_file_is_needed_is_refused_at_once),
      T(devices_and_sockets_are_no_regular_files),
      T(a_stream_is_read_to_its_end),
      T(waiting_for_a_pipe_is_interrupted_by_a_signal),
      T(a_symbolic_link_stays_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
