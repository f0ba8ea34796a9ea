/* One flag, set once. */
#include "base/stop.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* A signal handler can reach nothing but a global. */
static volatile sig_atomic_t asked;

/* Once a second from then on: a wait that begins only after the signal ends, too. */
static void on_alarm(int number) {
  (void)number;
  alarm(1);
}

static void on_signal(int number) {
  asked = 1;
  on_alarm(number);
}

static void handle(int number, void (*handler)(int), int flags) {
  struct sigaction a;
  memset(&a, 0, sizeof a);
  a.sa_handler = handler;
  a.sa_flags = (int)(SA_RESTART | (unsigned)flags);
  sigemptyset(&a.sa_mask);
  sigaction(number, &a, NULL);
}

void stop_listen(void) {
  struct sigaction before;
  handle(SIGALRM, on_alarm, 0);
  handle(SIGUSR1, on_signal, 0); /* from a parent that was asked (jobs.c) */
  handle(SIGINT, on_signal, (int)SA_RESETHAND);
  handle(SIGTERM, on_signal, (int)SA_RESETHAND);
  if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup */
    handle(SIGHUP, on_signal, (int)SA_RESETHAND);
}

static void on_full(int number) { (void)number; }

/* A handler and not SIG_IGN: the programs that we start get the default back. */
void stop_not_for_full_files(void) { handle(SIGXFSZ, on_full, 0); }

bool stop_asked(void) { return asked != 0; }
