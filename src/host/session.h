#ifndef GMMU_HOST_SESSION_H
#define GMMU_HOST_SESSION_H
/* One run of a program: answers its runtime's requests and hands out what they mean to a machine,
 * command by command. */
#include "base/strbuf.h"
#include "host/host.h"

typedef struct session session_t;

/* Starts the program. `spec`, `mem` (shared memory) and `p` stay the caller's and outlive it. */
int session_new(const host_spec_t *spec, devmem_t *mem, ptx_t *p, session_t **out, err_t *e);
void session_free(session_t *s); /* ends the program if it still runs; NULL is allowed */

/* ptx_host_t.next: serves until the program asks for something that is a command. A launch that was
 * handed out counts as done when the next command is asked for. CMD_END when the program has
 * ended. A request that makes no sense, and a program that breaks off in the middle of one, are
 * failures: the program is ended. */
int session_next(void *session, uint64_t now, ptx_command_t *c, err_t *e);
/* While a launch is under way: fails if nobody waits for its end any more. */
int session_check(session_t *s, err_t *e);
/* Whether the conversation broke down; session_next() then repeats why. */
bool session_broken(const session_t *s);
/* What kernels print; a ptx_print_fn. */
/* As ptx_options_t has them; `session` is one. */
void session_warn(void *session, const err_t *e);
void session_print(void *session, const char *text, size_t size);
/* The launch that was handed out failed: the program learns it, and every later request fails. */
void session_fail(session_t *s, int code, ptx_fault_kind_t fault);
bool session_failed(const session_t *s);
/* After CMD_END. */
void session_end(const session_t *s, host_end_t *out);
#endif
