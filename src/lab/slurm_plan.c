/* Reading goes over the text twice: once to check and count, then run by run. */
#include "lab/slurm_plan.h"
#include "base/stop.h"
#include "lab/lab_own.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void slurm_plan_fini(slurm_plan_t *p) { strbuf_fini(&p->text); }

/* 0 if it is no number. */
static uint64_t read_tasks(const char *text, const char **rest) {
  char *end = NULL;
  if (strncmp(text, "tasks ", 6) || text[6] < '0' || text[6] > '9') return 0;
  uint64_t n = strtoull(text + 6, &end, 10);
  *rest = end + 1;
  return *end == '\n' ? n : 0;
}

static uint32_t line_of(const char *text, const char *at) {
  uint32_t line = 1;
  for (; text < at; text++) line += *text == '\n';
  return line;
}

int slurm_plan_next(slurm_plan_t *p, lab_run_t *run, char key[STORE_KEY_BYTES], err_t *e) {
  if (stop_asked()) return err_set(e, GMMU_EINTERRUPTED, "interrupted");
  return lab_text_read(&p->at, run, key, e) ? 1 : e->code;
}

/* Every run is one, and there is at least one for every task. */
static int check_runs(slurm_plan_t *p, const char *file, uint64_t tasks, err_t *e) {
  const char *first = p->at;
  char key[STORE_KEY_BYTES];
  lab_run_t run;
  int rc;
  while ((rc = slurm_plan_next(p, &run, key, e)) == 1) p->runs++;
  uint32_t line = line_of(p->text.buf, p->at);
  if (rc == 0 && strlen(p->text.buf) != p->text.size) rc = err_set(e, GMMU_EFORMAT, "a zero byte");
  if (rc < 0) return rc == GMMU_EINTERRUPTED ? rc : err_in_file(e, file, line, 0);
  if (tasks > p->runs || tasks > SLURM_MAX_TASKS) {
    err_set(e, GMMU_EFORMAT, "%" PRIu64 " tasks; at most one for each of its runs (%u), and %d",
            tasks, p->runs, SLURM_MAX_TASKS);
    return err_in_file(e, file, 1, 0);
  }
  p->tasks = (uint32_t)tasks;
  p->at = first;
  return GMMU_OK;
}

int slurm_plan_read(slurm_plan_t *p, const char *file, strbuf_t *text, err_t *e) {
  *p = (slurm_plan_t){.text = *text};
  strbuf_init(text);
  uint64_t tasks = read_tasks(strbuf_text(&p->text), &p->at);
  if (tasks) return check_runs(p, file, tasks, e);
  err_set(e, GMMU_EFORMAT, "this is no plan of a Slurm array: it begins with \"tasks N\"");
  return err_in_file(e, file, 1, 0);
}

int slurm_plan_write(const lab_t *l, uint32_t tasks, strbuf_t *text, err_t *e) {
  int rc = GMMU_OK;
  strbuf_printf(text, "tasks %u\n", tasks);
  for (uint32_t i = 0; i < l->missing_count && rc == 0; i++)
    rc = lab_text_write(&l->missing[i]->run, l->missing[i]->key, text, e);
  return rc;
}
