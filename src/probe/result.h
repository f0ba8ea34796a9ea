#ifndef GMMU_PROBE_RESULT_H
#define GMMU_PROBE_RESULT_H
/* What probes found, for people, for programs, and as a picture. */
#include "base/json.h"
#include "probe/sharing.h"

/* `sharing` may be NULL in all of them. */
void result_text(const device_info_t *d, const tlb_probe_t *tlb, const sharing_t *sharing,
                 strbuf_t *out);
/* One JSON object. */
void result_json(const device_info_t *d, const tlb_probe_t *tlb, const sharing_t *sharing,
                 json_t *j);
/* The curves, cycles against bytes touched, one line per stride; the levels as marks. */
void result_svg(const device_info_t *d, const tlb_probe_t *tlb, strbuf_t *out);
#endif
