#ifndef GMMU_SOLVER_REPORT_H
#define GMMU_SOLVER_REPORT_H
/* A result of the solver as text, as JSON, and as a YAML hash file: options that a preset or
 * `gmmu color plan --hash` can load. Nothing that is not certain gets into that file. */
#include "base/json.h"
#include "solver/solver.h"

void solver_text(const solver_report_t *r, strbuf_t *out);
void solver_json(const solver_report_t *r, json_t *j);
/* The same options as members of the object that is open. */
void solver_json_settings(const solver_report_t *r, json_t *j);
void solver_yaml(const solver_report_t *r, strbuf_t *out);
#endif
