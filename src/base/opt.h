#ifndef GMMU_BASE_OPT_H
#define GMMU_BASE_OPT_H
/* Options: one declaration of a parameter serves YAML presets, `-s key=value`, --help and the docs.
 *
 * A table of opt_t describes the fields of a plain struct. Numbers are integers; a size accepts the
 * suffixes K, M and G (powers of 1024). A name is one of a list, usually a policy table's. */
#include "base/bitlist.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "gmmu/err.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum {
  OPT_U32,  /* uint32_t field */
  OPT_U64,  /* uint64_t field */
  OPT_SIZE, /* uint64_t field, bytes; "64K", "2M" */
  OPT_BOOL, /* bool field: true/false, on/off, yes/no */
  OPT_NAME, /* const char * field: one of names(i), i = 0.. until NULL; the field points to that
               string */
  OPT_BITS  /* bitlist_t field: lists of bits of [min, max]; none by default */
} opt_type_t;

typedef struct {
  const char *name; /* "entries"; the full key is "<group prefix>.<name>" */
  opt_type_t type;
  size_t offset;          /* of the field in the group's struct */
  uint64_t min, max, def; /* allowed range and default, for numbers and bools */
  const char *unit;       /* "cycles", "bytes", "" */
  const char *help;
  const char *(*names)(uint32_t i); /* OPT_NAME only */
  const char *def_name;             /* OPT_NAME only */
} opt_t;

/* A group of options under one prefix, applied to the struct at `base`. */
typedef struct {
  const char *prefix; /* "l2tlb" */
  const char *help;
  const opt_t *opts; /* ends with a NULL name */
  void *base;
} opt_group_t;

/* All groups of a configuration; ends with a NULL prefix. */
void opt_defaults(const opt_group_t *groups);
/* Set one dotted key from text. Errors name the key, the allowed range and the nearest right name.
 */
int opt_set(const opt_group_t *groups, const char *key, const char *value, err_t *e);
/* The value as text that opt_set() would take back. Returns what snprintf would, or a negative
 * code. */
int opt_get(const opt_group_t *groups, const char *key, char *buf, size_t size);
/* The entry of `names` nearest to `name` by edit distance, or NULL if none is near. */
const char *opt_nearest(const char *name, const char *(*names)(void *ctx, uint32_t i), void *ctx);

/* A number as opt_get() would print it for this option: "64K" for a size. As snprintf. */
int opt_number_text(const opt_t *o, uint64_t v, char *buf, size_t size);

/* A heading and a table for every group: key, type, default, range, unit, help. For --help and for
 * docs/. Needs no values: `base` may be NULL. */
void opt_describe(const opt_group_t *groups, table_style_t style, strbuf_t *out);
/* All current values as one JSON object of full keys, for results. */
void opt_json(const opt_group_t *groups, json_t *j);
/* Only those that have another value in `from`: the same tables over another base. NULL: all. */
void opt_json_changed(const opt_group_t *groups, const opt_group_t *from, json_t *j);
/* Whether the tables themselves make sense: defaults in range and listed, help given, no key twice.
 * For tests. */
int opt_check(const opt_group_t *groups, err_t *e);

/* --- YAML ----------------------------------------------------------------------------------- */

#define YAML_MAX_BYTES (1u << 20)
#define YAML_MAX_DEPTH 8
#define YAML_MAX_KEYS  4096 /* of values and of mappings */
#define YAML_MAX_KEY   127  /* bytes of a dotted key */

/* Reads a YAML mapping (nested mappings become dotted keys; scalars only) and hands every key on,
 * in file order: on_key(ctx, "l2tlb.entries", "512", line, column, e), with the key's place. A
 * non-zero result stops the reading and is returned; a negative one is an error, to which file,
 * line, column and key are added. No anchors, aliases, tags, directives or sequences; a key given
 * twice is an error. One call needs a few MB at most, whatever the text. */
typedef int (*yaml_key_fn)(void *ctx, const char *key, const char *value, uint32_t line,
                           uint32_t column, err_t *e);
int yaml_read(const char *name, const char *text, size_t size, yaml_key_fn on_key, void *ctx,
              err_t *e);
/* The same with lists of scalars: on_key() hears of every element, with the key and its own place.
 */
int yaml_read_lists(const char *name, const char *text, size_t size, yaml_key_fn on_key, void *ctx,
                    err_t *e);
int yaml_read_file(const char *path, yaml_key_fn on_key, void *ctx, err_t *e);
#endif
