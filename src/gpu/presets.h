#ifndef GMMU_GPU_PRESETS_H
#define GMMU_GPU_PRESETS_H
/* The YAML presets of presets/, compiled into the library so that the command works from anywhere.
 */
typedef struct {
  const char *kind; /* "gpu" or "design" */
  const char *name;
  const char *text;
} preset_t;
extern const preset_t preset_all[]; /* ends with a NULL name; generated at build time */
#endif
