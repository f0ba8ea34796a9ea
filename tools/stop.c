/* One flag, set once. */
#include "stop.h"
#include <signal.h>
#include <string.h>

/* A signal handler can reach nothing but a global. */
static volatile sig_atomic_t asked;

static void on_signal(int number) {
  (void)number;
  asked = 1;
}

void stop_listen(void) {
  struct sigaction a;
  memset(&a, 0, sizeof a);
  a.sa_handler = on_signal;
  a.sa_flags = (int)(SA_RESTART | SA_RESETHAND);
  sigemptyset(&a.sa_mask);
  sigaction(SIGINT, &a, NULL);
  sigaction(SIGTERM, &a, NULL);
}

bool stop_asked(void) { return asked != 0; }
