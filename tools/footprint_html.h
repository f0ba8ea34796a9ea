#ifndef GMMU_FOOTPRINT_HTML_H
#define GMMU_FOOTPRINT_HTML_H
/* Results of lab/footprint.h as a picture: a page of its own, without scripts. */
#include "base/strbuf.h"
#include "lab/footprint.h"

void footprint_html(const footprint_spec_t *spec, const footprint_item_t *item, uint32_t items,
                    strbuf_t *out);
/* The picture alone: a line for each application on each GPU. */
void footprint_svg(const footprint_spec_t *spec, const footprint_item_t *item, uint32_t items,
                   strbuf_t *out);
#endif
