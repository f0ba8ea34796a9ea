/* The host's side of an operator: allocations, then launches, chunk after chunk and pass after
 * pass, then the check. Data and table are sparse: sixteen gigabytes of them cost what is touched.
 *
 * The live source of src/ptx executes the kernels; this one is wrapped around it so that one free()
 * ends both. Invariant: buffers exist from rewind() to the next one, and their addresses are the
 * same in every execution. */
#include "db/program.h"
#include "base/around.h"
#include "ptx/ptx.h"
#include <stdlib.h>
#include <string.h>

#define ALIGN_BYTES (2ull << 20) /* no page of any GPU holds two buffers */

enum { SAMPLE, SAMPLE_SCOPED, GROUP, GROUP_SCOPED, GROUP_COPY, KERNELS };
static const char *const kernel_name[KERNELS] = {"db_sample", "db_sample_scoped", "db_group",
                                                 "db_group_scoped", "db_group_copy"};

enum { BIG, INPUT, ASIDE, LEFT, SEEDS, SUMS, BUFFERS }; /* BIG: the data or the table */
typedef struct {
  uint64_t va, bytes; /* bytes 0: not needed */
} buffer_t;

/* Parameters, as the kernels have them. */
typedef struct {
  uint64_t data, words, seeds, sums;
  uint32_t threads, draws;
  uint64_t first, count; /* of db_sample_scoped alone */
} sample_params_t;
typedef struct {
  uint64_t in, rows, table, slots; /* rows: the upper half is padding */
} group_params_t;
typedef struct {
  uint64_t in, rows, left, table, slots, first, count;
} scoped_params_t;
typedef struct {
  uint64_t in, rows, aside, left, table, slots, first, count;
} copy_params_t;
typedef union {
  sample_params_t sample;
  group_params_t group;
  scoped_params_t scoped;
  copy_params_t copy;
} params_t;

typedef struct {
  around_t around; /* of the live source; must be first */
  db_spec_t spec;
  devmem_t *mem;
  ptx_t *ptx;
  const ptx_kernel_t *kernel[KERNELS];
  buffer_t buffer[BUFFERS];
  uint32_t sms, threads, announced, pass;
  uint64_t chunk;
  uint64_t begin;     /* cycle of the first launch */
  db_bucket_t *table; /* that is filled before, if it is small; owned */
  params_t params;
  db_result_t result;
} program_t;

static program_t *program_of(source_t *s) { return (program_t *)(void *)s; }

/* ---- buffers --------------------------------------------------------------------------------- */

static void fill_words(const void *ctx, uint64_t offset, uint8_t granule[DEVMEM_GRANULE]) {
  const db_spec_t *s = ctx;
  for (uint32_t i = 0; i < DEVMEM_GRANULE / 4; i++) {
    uint32_t w = db_word(s->seed, offset / 4 + i);
    memcpy(granule + 4 * (size_t)i, &w, sizeof w);
  }
}

/* Small tables are made as a whole: in pieces each slot would cost too many hashes. */
#define WHOLE_SLOTS (1ull << 25)

static int make_table(program_t *p, err_t *e) {
  uint64_t slots = db_slots(&p->spec);
  if (!p->spec.filled || p->table || slots > WHOLE_SLOTS) return GMMU_OK;
  p->table = malloc(slots * sizeof *p->table);
  if (!p->table) return err_set(e, GMMU_ENOMEM, "no memory for the table's groups");
  db_filled_table(&p->spec, p->table);
  return GMMU_OK;
}

static void fill_buckets(const void *ctx, uint64_t offset, uint8_t granule[DEVMEM_GRANULE]) {
  enum { BUCKETS = DEVMEM_GRANULE / sizeof(db_bucket_t) };
  const program_t *p = ctx;
  db_bucket_t b[BUCKETS];
  memset(b, 0, sizeof b);
  if (offset < p->spec.size_bytes && p->table)
    memcpy(b, p->table + offset / sizeof *b, sizeof b);
  else if (offset < p->spec.size_bytes)
    db_filled_piece(&p->spec, offset / sizeof *b, BUCKETS, b);
  memcpy(granule, b, sizeof b);
}

static uint64_t chunk_rows(const program_t *p) {
  uint64_t rows = p->spec.chunk_bytes / 4;
  return rows < p->spec.accesses ? rows : p->spec.accesses;
}

static void size_buffers(program_t *p) {
  buffer_t *b = p->buffer;
  bool group = p->spec.op == DB_GROUPBY, copy = group && db_form(&p->spec) == DB_COPY;
  memset(b, 0, sizeof p->buffer);
  b[BIG].bytes = p->spec.size_bytes;
  b[INPUT].bytes = group ? 4 * chunk_rows(p) : 0;
  b[ASIDE].bytes = copy ? 4 * chunk_rows(p) : 0;
  b[LEFT].bytes = copy ? 4 : 0;
  b[SEEDS].bytes = b[SUMS].bytes = group ? 0 : 8 * (uint64_t)p->threads;
}

static int make_buffer(program_t *p, uint32_t i, err_t *e) {
  static const char *const name[BUFFERS] = {"table", "input", "aside", "left", "seeds", "sums"};
  buffer_t *b = &p->buffer[i];
  devmem_content_t words = {fill_words, &p->spec}, buckets = {fill_buckets, p};
  b->bytes = (b->bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
  if (i == INPUT && strcmp(p->spec.input, "host") == 0)
    return devmem_alloc_host(p->mem, b->bytes, ALIGN_BYTES, name[i], &b->va, e);
  if (i != BIG) return devmem_alloc(p->mem, b->bytes, ALIGN_BYTES, name[i], &b->va, e);
  const devmem_content_t *content = p->spec.op == DB_SAMPLE ? &words
                                    : p->spec.filled        ? &buckets
                                                            : NULL;
  int rc = make_table(p, e);
  if (rc < 0) return rc;
  return devmem_alloc_sparse(p->mem, b->bytes, ALIGN_BYTES, name[i], content, &b->va, e);
}

static void drop_buffers(program_t *p) {
  for (uint32_t i = 0; i < BUFFERS; i++)
    if (p->buffer[i].va) devmem_release(p->mem, p->buffer[i].va, NULL);
  memset(p->buffer, 0, sizeof p->buffer);
}

static int write_seeds(program_t *p, err_t *e) {
  int rc = GMMU_OK;
  for (uint32_t t = 0; t < p->threads && rc == 0; t++) {
    uint64_t x = db_thread_seed(p->spec.seed, t);
    rc = devmem_write(p->mem, p->buffer[SEEDS].va + 8 * (uint64_t)t, &x, sizeof x, e);
  }
  return rc;
}

static int write_chunk(program_t *p, uint64_t rows, err_t *e) {
  uint64_t from = p->chunk * (p->spec.chunk_bytes / 4);
  int rc = GMMU_OK;
  for (uint64_t i = 0; i < rows && rc == 0; i++) {
    uint32_t v = db_row(&p->spec, from + i);
    rc = devmem_write(p->mem, p->buffer[INPUT].va + 4 * i, &v, sizeof v, e);
  }
  uint32_t none = 0;
  if (rc == 0 && p->buffer[LEFT].va)
    rc = devmem_write(p->mem, p->buffer[LEFT].va, &none, sizeof none, e);
  return rc;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Small blocks where there are few threads, so that every SM has some. */
static uint32_t block_threads(const program_t *p) {
  uint32_t block = 256;
  while (block > 32 && p->threads / block < 4 * p->sms) block /= 2;
  return block;
}

static void launch(program_t *p, uint32_t kernel, ptx_command_t *c) {
  uint32_t block = block_threads(p);
  *c = (ptx_command_t){.kind = CMD_LAUNCH,
                       .kernel = p->kernel[kernel],
                       .launch = {.grid = {(p->threads + block - 1) / block, 1, 1},
                                  .block = {block, 1, 1},
                                  .params = &p->params}};
  p->result.launches++;
}

static void launch_sample(program_t *p, ptx_command_t *c) {
  uint64_t scope = p->spec.scope_bytes / 4;
  p->params.sample = (sample_params_t){.data = p->buffer[BIG].va,
                                       .words = db_words(&p->spec),
                                       .seeds = p->buffer[SEEDS].va,
                                       .sums = p->buffer[SUMS].va,
                                       .threads = p->threads,
                                       .draws = db_draws(&p->spec, p->threads),
                                       .first = p->pass * scope,
                                       .count = scope};
  launch(p, p->result.passes > 1 ? SAMPLE_SCOPED : SAMPLE, c);
}

static void launch_group(program_t *p, uint64_t rows, ptx_command_t *c) {
  const buffer_t *b = p->buffer;
  db_form_t form = db_form(&p->spec);
  uint64_t slots = db_slots(&p->spec), scope = p->spec.scope_bytes / sizeof(db_bucket_t),
           first = p->pass * scope;
  bool later = form == DB_COPY && p->pass; /* what was put aside */
  if (form == DB_PLAIN) {
    p->params.group = (group_params_t){b[INPUT].va, rows, b[BIG].va, slots};
    launch(p, GROUP, c);
  } else if (form == DB_COPY && !later) {
    p->params.copy =
        (copy_params_t){b[INPUT].va, rows, b[ASIDE].va, b[LEFT].va, b[BIG].va, slots, first, scope};
    launch(p, GROUP_COPY, c);
  } else {
    p->params.scoped = (scoped_params_t){later ? b[ASIDE].va : b[INPUT].va,
                                         rows,
                                         later ? b[LEFT].va : 0,
                                         b[BIG].va,
                                         slots,
                                         first,
                                         scope};
    launch(p, GROUP_SCOPED, c);
  }
}

/* ---- the check ------------------------------------------------------------------------------- */

static int check_sums(program_t *p, err_t *e) {
  for (uint32_t t = 0; t < p->threads; t++) {
    uint64_t sum = 0, want = db_expected_sum(&p->spec, p->threads, t);
    int rc = devmem_read(p->mem, p->buffer[SUMS].va + 8 * (uint64_t)t, &sum, sizeof sum, e);
    if (rc < 0) return rc;
    if (sum != want) return err_set(e, GMMU_ECHECK, "sampling is wrong: the sum of thread %u", t);
    p->result.sum += sum;
  }
  return GMMU_OK;
}

static int check_groups(program_t *p, err_t *e) {
  db_groups_t want;
  int rc = db_reference(&p->spec, &want, e);
  if (rc < 0) return rc;
  const devmem_alloc_t *a = devmem_find(p->mem, p->buffer[BIG].va);
  db_compare_t c = {.want = &want};
  const uint8_t *granule;
  uint64_t va;
  for (uint64_t i = 0; (granule = devmem_touched(a, i, &va)); i++) {
    db_bucket_t b[DEVMEM_GRANULE / sizeof(db_bucket_t)];
    memcpy(b, granule, sizeof b);
    for (uint32_t k = 0; k < sizeof b / sizeof *b; k++)
      if (b[k].key) db_compare_bucket(&c, &b[k]);
  }
  p->result.groups = c.found;
  rc = db_compare_end(&c, e);
  db_groups_fini(&want);
  return rc;
}

/* ---- commands -------------------------------------------------------------------------------- */

/* The buffers in order, each when the machine asks for the next command. */
static int announce(program_t *p, ptx_command_t *c, err_t *e) {
  while (p->announced < BUFFERS && !p->buffer[p->announced].bytes) p->announced++;
  if (p->announced == BUFFERS) return 0;
  uint32_t i = p->announced++;
  int rc = make_buffer(p, i, e);
  if (rc == 0 && i == SEEDS) rc = write_seeds(p, e);
  *c = (ptx_command_t){.kind = p->buffer[i].va >= DEVMEM_HOST ? CMD_ALLOC_HOST : CMD_ALLOC,
                       .va = p->buffer[i].va,
                       .bytes = p->buffer[i].bytes};
  return rc < 0 ? rc : 1;
}

static int finish(program_t *p, uint64_t now, ptx_command_t *c, err_t *e) {
  p->result.cycles = now - p->begin;
  *c = (ptx_command_t){.kind = CMD_END};
  return p->spec.op == DB_SAMPLE ? check_sums(p, e) : check_groups(p, e);
}

static int next_pass(program_t *p, ptx_command_t *c, err_t *e) {
  int rc = GMMU_OK;
  if (p->spec.op == DB_SAMPLE) {
    launch_sample(p, c);
  } else {
    uint64_t room = p->spec.chunk_bytes / 4, rest = p->spec.accesses - p->chunk * room,
             rows = rest < room ? rest : room;
    if (!p->pass) rc = write_chunk(p, rows, e);
    launch_group(p, rows, c);
  }
  if (++p->pass == p->result.passes) p->pass = 0, p->chunk++;
  return rc;
}

static int next_command(void *ctx, uint64_t now, ptx_command_t *c, err_t *e) {
  program_t *p = ctx;
  int rc = announce(p, c, e);
  if (rc) return rc < 0 ? rc : GMMU_OK;
  if (!p->result.launches) p->begin = now;
  if (p->chunk == p->result.chunks) return finish(p, now, c, e);
  return next_pass(p, c, e);
}

static int rewind_program(void *ctx, err_t *e) {
  program_t *p = ctx;
  (void)e;
  drop_buffers(p);
  size_buffers(p);
  p->announced = p->pass = 0, p->chunk = 0;
  p->result = (db_result_t){.threads = p->threads, .passes = db_passes(&p->spec), .chunks = 1};
  if (p->spec.op == DB_GROUPBY) p->result.chunks = db_chunks(&p->spec);
  p->result.accesses = p->spec.op == DB_SAMPLE
                           ? (uint64_t)db_draws(&p->spec, p->threads) * p->threads
                           : p->spec.accesses;
  return GMMU_OK;
}

/* ---- the source ------------------------------------------------------------------------------ */

static int program_bind(source_t *s, uint32_t slots, uint32_t slots_per_sm, err_t *e) {
  program_t *p = program_of(s);
  p->sms = slots / slots_per_sm;
  p->threads = p->spec.threads ? p->spec.threads : slots * WARP_LANES;
  return around_bind(s, slots, slots_per_sm, e);
}

static void program_free(source_t *s) {
  program_t *p = program_of(s);
  if (p->around.in) p->around.in->ops->free(p->around.in);
  ptx_free(p->ptx);
  devmem_free(p->mem);
  free(p->table);
  free(p);
}

static const source_ops_t program_ops = {.name = "db",
                                         .bind = program_bind,
                                         .rewind = around_rewind,
                                         .next_command = around_next_command,
                                         .cta_begin = around_cta_begin,
                                         .step = around_step,
                                         .error = around_error,
                                         .free = program_free};

static int program_init(program_t *p, const char *ptx, size_t bytes, err_t *e) {
  ptx_host_t host = {p, next_command, rewind_program};
  int rc = devmem_new(&p->mem, e);
  if (rc == 0) rc = ptx_new(p->mem, &p->ptx, e);
  if (rc == 0) rc = ptx_load(p->ptx, "db.ptx", ptx, bytes, e);
  for (uint32_t i = 0; i < KERNELS && rc == 0; i++) {
    p->kernel[i] = ptx_kernel(p->ptx, -1, kernel_name[i], e);
    if (!p->kernel[i]) rc = GMMU_ENOENT;
  }
  return rc == 0 ? ptx_live_new(p->ptx, &host, NULL, &p->around.in, e) : rc;
}

int db_program_new(const db_spec_t *spec, const char *ptx, size_t bytes, source_t **out, err_t *e) {
  *out = NULL;
  program_t *p = calloc(1, sizeof *p);
  if (!p) return err_set(e, GMMU_ENOMEM, "no memory for an operator");
  p->around.source.ops = &program_ops;
  p->spec = *spec;
  int rc = db_check(spec, e);
  if (rc == 0) rc = program_init(p, ptx, bytes, e);
  if (rc < 0)
    program_free(&p->around.source);
  else
    *out = &p->around.source;
  return rc < 0 ? rc : GMMU_OK;
}

const db_result_t *db_program_result(const source_t *s) {
  return &((const program_t *)(const void *)s)->result;
}
