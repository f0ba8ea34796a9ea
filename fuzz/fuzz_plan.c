/* Any bytes as the plan of a Slurm array. Beyond not crashing: what is refused has a line and a
 * reason; a plan that is accepted has a run for each of its tasks and as many as it says, and each
 * of them comes back from the text that it is written as. */
#include "lab/slurm_plan.h"
#include <stdlib.h>
#include <string.h>

/* The plan as it is written again, or as much of it as may be: a name with '\r' may not. */
static void check_again(slurm_plan_t *p) {
  strbuf_t text;
  lab_run_t run;
  char key[STORE_KEY_BYTES];
  err_t e = {0};
  uint32_t runs = 0, written = 0;
  strbuf_init(&text);
  strbuf_str(&text, "tasks 1\n");
  while (slurm_plan_next(p, &run, key, &e) == 1) {
    size_t before = text.size;
    runs++;
    if (lab_text_write(&run, key, &text, &e) == 0)
      written++;
    else
      text.size = before, text.buf[before] = 0;
  }
  if (e.code || runs != p->runs) abort();
  slurm_plan_t again;
  if (written && (slurm_plan_read(&again, "again", &text, &e) < 0 || again.runs != written))
    abort();
  if (written) slurm_plan_fini(&again);
  strbuf_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  slurm_plan_t p;
  strbuf_t text;
  err_t e = {0};
  strbuf_init(&text);
  strbuf_add(&text, (const char *)data, size);
  int rc = slurm_plan_read(&p, "plan", &text, &e);
  if (rc < 0 && (e.code != rc || !e.text[0] || !e.line || strcmp(e.file, "plan"))) abort();
  if (rc == 0 && (!p.tasks || p.tasks > p.runs || p.tasks > SLURM_MAX_TASKS)) abort();
  if (rc == 0) check_again(&p);
  slurm_plan_fini(&p);
  return 0;
}
