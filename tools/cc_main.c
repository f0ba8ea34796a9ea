/* `gmmu cc` as a program of its own. It compiles the applications of kernels/, which then need not
 * be compiled anew whenever something else of gmmu changes. */
#include "base/stop.h"
#include "cc_args.h"

int main(int argc, char **argv) {
  cli_t c = {.command = &cmd_cc, .argv = argv + (argc > 0)};
  stop_not_for_full_files();
  return cmd_cc.run(&c);
}
