#include "terminal.h"
#include <sys/ioctl.h>
#include <unistd.h>

#define LEAST_COLUMNS 20 /* below that nothing can be read, and nothing is made to fit */

bool terminal_size(int fd, terminal_t *out) {
  struct winsize w = {0};
  *out = (terminal_t){80, 24}; /* a terminal that does not tell */
  if (isatty(fd) != 1) return false;
  if (ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col && w.ws_row) {
    out->columns = w.ws_col < LEAST_COLUMNS ? LEAST_COLUMNS : w.ws_col;
    out->rows = w.ws_row;
  }
  return true;
}
