/* .tracez: every form of an instruction line, in every version of the tracer, written by the tests'
 * own writer and read again, as grouped text and packed; and what is damaged is refused with its
 * place. */
#include "base/rng.h"
#include "help.h"
#include "trace/gmt_table.h"
#include "zwriter.h"

/* ---- forms ----------------------------------------------------------------------------------- */

#define MOST_ELEMENTS 200u

typedef struct {
  uint32_t version; /* of the tracer; UINT32_MAX: the header has none */
  bool line_info, core, two_immediates;
} dialect_t;

/* What a line is made of. */
typedef struct {
  const char *opcode;
  uint32_t dsts, srcs; /* registers R<8 + i>, R<40 + i> */
  uint32_t mask;
  uint32_t width, mode;
  uint64_t lane[WARP_LANES];
  uint64_t element[MOST_ELEMENTS]; /* of a bulk copy */
  uint32_t elements, announced, element_bytes;
  bool values; /* version 6: Val */
  uint8_t cls; /* what it is to become */
  uint8_t space;
  uint8_t bytes; /* per lane */
  uint8_t results;
} form_t;

static const struct {
  const char *opcode;
  uint8_t dsts, srcs, width, cls, space, bytes, results;
} opcodes[] = {
    {"IADD3", 1, 3, 0, IC_INT, 0, 0, 1},
    {"FFMA.FTZ", 1, 3, 0, IC_FP32, 0, 0, 1},
    {"DFMA", 1, 3, 0, IC_FP64, 0, 0, 1},
    {"MUFU.RCP", 1, 1, 0, IC_SFU, 0, 0, 1},
    {"BRA", 0, 0, 0, IC_BRANCH, 0, 0, 0},
    {"BAR.SYNC.DEFER_BLOCKING", 0, 1, 0, IC_BARRIER, 0, 0, 0},
    {"MEMBAR.SC.GPU", 0, 0, 0, IC_FENCE, 0, 0, 0},
    {"DEPBAR.LE", 0, 0, 0, IC_INT, 0, 0, 0},
    {"HGMMA.64x128x16.F32", 1, 2, 0, IC_TENSOR, 0, 0, 1},
    {"SYNCS.ARRIVE.TRANS64", 0, 2, 0, IC_INT, 0, 0, 0},
    {"LDG.E.SYS", 1, 1, 4, IC_LOAD, SPACE_GLOBAL, 4, 1},
    {"LDG.E.128", 1, 1, 16, IC_LOAD, SPACE_GLOBAL, 16, 4},
    {"LDG.E.U8", 1, 1, 1, IC_LOAD, SPACE_GLOBAL, 1, 1},
    {"LDG.E.S16", 1, 1, 4, IC_LOAD, SPACE_GLOBAL, 2, 1}, /* the writer says 4 */
    {"STG.E.64", 0, 2, 8, IC_STORE, SPACE_GLOBAL, 8, 0},
    {"ATOMG.E.ADD", 1, 2, 4, IC_ATOMIC, SPACE_GLOBAL, 4, 1},
    {"RED.E.ADD.F32.FTZ.RN", 0, 2, 4, IC_ATOMIC, SPACE_GLOBAL, 4, 0},
    {"LDS.U.64", 1, 1, 8, IC_LOAD, SPACE_SHARED, 8, 2},
    {"LDSM.16.M88.4", 1, 1, 2, IC_LOAD, SPACE_SHARED, 16, 4}, /* the writer says 2 */
    {"LDGSTS.E.BYPASS.128", 0, 2, 16, IC_LOAD, SPACE_GLOBAL, 16, 0},
    {"TEX.SCR.LL", 1, 2, 4, IC_LOAD, SPACE_TEXTURE, 4, 1},
};
#define OPCODES (sizeof opcodes / sizeof *opcodes)

static const struct {
  const char *opcode;
  uint8_t cls;
} bulk[] = {{"UTMALDG.2D", IC_LOAD},   {"UTMASTG.2D", IC_STORE},
            {"UTMAPF.L2.2D", IC_LOAD}, {"UTMAREDG.2D.ADD", IC_ATOMIC},
            {"UBLKCP.S.G", IC_LOAD},   {"UBLKCP.G.S", IC_STORE},
            {"UBLKPF", IC_LOAD},       {"UBLKRED.G.S.ADD", IC_ATOMIC}};
#define BULKS (sizeof bulk / sizeof *bulk)

static uint32_t random_mask(rng_t *r, uint32_t mode) {
  uint32_t first = (uint32_t)rng_next(r) % 32, run = 1 + rng_below(r, 32 - first);
  if (mode == 1) return (run == 32 ? UINT32_MAX : (1u << run) - 1) << first; /* one run */
  return (uint32_t)rng_next(r) & (uint32_t)rng_next(r);
}

static void random_lanes(form_t *f, rng_t *r) {
  uint64_t base = 0x7f0000000000 + (rng_next(r) & 0xfffff0);
  int64_t stride = (int64_t)((uint32_t)rng_next(r) % 4096) - 2048;
  for (uint32_t l = 0; l < WARP_LANES; l++)
    f->lane[l] = f->mode == 1 ? base + l * (uint64_t)stride : base + (rng_next(r) & 0xffffff);
}

static form_t usual(size_t k, uint32_t mode, rng_t *r) {
  form_t f = {.opcode = opcodes[k].opcode,
              .dsts = opcodes[k].dsts,
              .srcs = opcodes[k].srcs,
              .width = opcodes[k].width,
              .mode = mode,
              .cls = opcodes[k].cls,
              .space = opcodes[k].space,
              .bytes = opcodes[k].bytes,
              .results = opcodes[k].results};
  f.mask = f.width ? random_mask(r, mode) : (uint32_t)rng_next(r);
  f.values = strncmp(f.opcode, "BAR", 3) == 0 || strncmp(f.opcode, "SYNCS", 5) == 0;
  random_lanes(&f, r);
  return f;
}

/* Rows of a tile, some of them out of bounds: announced, but not there. */
static form_t copy_of(size_t k, uint32_t mode, rng_t *r) {
  form_t f = {.opcode = bulk[k].opcode, .mode = mode, .mask = 1, .cls = bulk[k].cls, .bytes = 16};
  uint64_t base = 0x7f4000000000 + (rng_next(r) & 0xffff00);
  f.element_bytes = 1u << (uint32_t)rng_next(r) % 5;
  f.elements = 2 + (uint32_t)rng_next(r) % (MOST_ELEMENTS - 2);
  f.announced = f.elements + (mode == 4 && (uint32_t)rng_next(r) % 4 == 0 ? 3 : 0);
  for (uint32_t i = 0; i < f.elements; i++)
    f.element[i] = base + i / 16 * 4096 + i % 16 * f.element_bytes;
  return f;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_lanes(const form_t *f, strbuf_t *s) {
  uint64_t before = 0;
  uint32_t n = 0;
  strbuf_printf(s, " %u", f->mode);
  if (f->mode == 1)
    strbuf_printf(s, " 0x%016llx %lld",
                  f->mask ? (unsigned long long)f->lane[__builtin_ctz(f->mask)] : 0ull,
                  f->mask ? (long long)(f->lane[1] - f->lane[0]) : 0ll);
  if (f->mode == 2 && !f->mask) strbuf_str(s, " 0x0000000000000000");
  for (uint32_t m = f->mask; m && f->mode != 1; m &= m - 1, n++) {
    uint64_t a = f->lane[__builtin_ctz(m)];
    if (f->mode == 0 || !n)
      strbuf_printf(s, " 0x%016llx", (unsigned long long)a);
    else
      strbuf_printf(s, " %lld", (long long)(a - before));
    before = a;
  }
}

static void write_bulk(const form_t *f, strbuf_t *s) {
  strbuf_printf(s, " %u 0x400 %s %u 0 %u", f->element_bytes, f->elements & 1 ? "1 3" : "0",
                f->elements * f->element_bytes, f->mode);
  if (f->mode == 3) strbuf_printf(s, " %u", f->announced);
  if (f->mode == 4) strbuf_printf(s, " 0x%llx %u", (unsigned long long)f->element[0], f->announced);
  for (uint32_t i = 0; i < f->elements; i++) {
    if (f->mode == 3) strbuf_printf(s, " 0x%llx", (unsigned long long)f->element[i]);
    if (f->mode == 4 && i)
      strbuf_printf(s, " %lld", (long long)(f->element[i] - f->element[i - 1]));
  }
}

static void write_ending(const dialect_t *d, const form_t *f, strbuf_t *s) {
  bool second = d->version == 6 || d->two_immediates;
  if (d->version < 5 || d->version == UINT32_MAX) return;
  strbuf_printf(s, second ? " %d 7" : " %d", f->mask & 1 ? -3 : 0);
  if (d->version < 6) return;
  if (!f->values) {
    strbuf_str(s, " NoVal");
    return;
  }
  strbuf_str(s, " Val");
  for (uint32_t i = 0; i < f->dsts + f->srcs; i++) {
    strbuf_str(s, i & 1 ? " 32" : " 1 0000002a");
    for (uint32_t k = 0; i & 1 && k < WARP_LANES; k++) strbuf_printf(s, " %016x", k);
  }
}

static void write_form(const dialect_t *d, const form_t *f, uint32_t pc, strbuf_t *s) {
  if (d->version < 3 || d->version == UINT32_MAX) strbuf_str(s, "0 0 0 0 ");
  if (d->core) strbuf_str(s, "17 3 ");
  if (d->line_info) strbuf_printf(s, "%u ", pc / 16 + 100);
  strbuf_printf(s, "%04x %08x %u", pc, f->mask, f->dsts);
  for (uint32_t i = 0; i < f->dsts; i++) strbuf_printf(s, " R%u", 8 + i);
  strbuf_printf(s, " %s %u", f->opcode, f->srcs);
  for (uint32_t i = 0; i < f->srcs; i++) strbuf_printf(s, " %sR%u", i == 2 ? "U" : "", 40 + i);
  if (strstr(f->opcode, "GMMA") && (d->version == 6 || d->two_immediates)) strbuf_str(s, " 1");
  if (f->elements) {
    write_bulk(f, s);
  } else {
    strbuf_printf(s, " %u", f->width);
    if (f->width) write_lanes(f, s);
  }
  write_ending(d, f, s);
  strbuf_str(s, " \n"); /* writers leave a blank at the end */
}

static void write_head(const dialect_t *d, strbuf_t *s) {
  strbuf_str(s, HEAD);
  if (d->version != UINT32_MAX)
    strbuf_printf(
        s, d->version == 1 ? "-accelsim tracer version = 1.2\n" : "-accelsim tracer version = %u\n",
        d->version);
  if (d->line_info) strbuf_str(s, "-enable lineinfo = 1\n");
  strbuf_str(s, "-cuda stream id = -1\n\n#traces format = PC mask ...\n\n#BEGIN_TB\n\n"
                "thread block = 0,0,0\n\nwarp = 0\n");
}

/* ---- reading --------------------------------------------------------------------------------- */

static void check_usual(const form_t *f, const traceg_inst_t *i) {
  assert_int_equal(i->row.cls, f->cls);
  assert_int_equal(i->op.mask, f->mask);
  assert_int_equal(i->row.dst, f->results ? 8 : REG_NONE);
  assert_int_equal(i->row.dsts, f->results);
  for (uint32_t k = 0; k < 4; k++) /* the third is uniform: not followed */
    assert_int_equal(i->row.src[k], k < f->srcs && k < 2 ? 40 + k : REG_NONE);
  if (!f->width) {
    assert_int_equal(i->op.mode, ADDR_NONE);
    return;
  }
  assert_int_equal(i->row.space, f->space);
  assert_int_equal(i->row.width, f->bytes);
  for (uint32_t m = f->mask; m; m &= m - 1) {
    uint32_t l = (uint32_t)__builtin_ctz(m);
    uint64_t want = f->mode == 1
                        ? f->lane[__builtin_ctz(f->mask)] +
                              (l - (uint32_t)__builtin_ctz(f->mask)) * (f->lane[1] - f->lane[0])
                        : f->lane[l];
    assert_int_equal(trace_address(&i->op, l), want);
  }
}

/* The 16-byte pieces of the elements, one after the other, none twice in a row. */
static void check_bulk(trace_t *x, const form_t *f) {
  uint64_t last = UINT64_MAX;
  uint32_t lane = 0, lanes = (uint32_t)__builtin_popcount(x->t.inst.op.mask);
  for (uint32_t k = 0; k < f->elements; k++) {
    uint64_t end = f->element[k] + f->element_bytes - 1;
    for (uint64_t p = f->element[k] / 16; p <= end / 16; p++) {
      if (p == last) continue;
      last = p;
      if (lane == lanes) {
        assert_int_equal(lanes, WARP_LANES);
        x->rc = traceg_next(&x->t, &x->e);
        assert_int_equal(x->rc, TRACEG_INST);
        lane = 0, lanes = (uint32_t)__builtin_popcount(x->t.inst.op.mask);
      }
      assert_int_equal(x->t.inst.row.cls, f->cls);
      assert_int_equal(x->t.inst.row.flags, INST_BYPASS_L1);
      assert_int_equal(trace_address(&x->t.inst.op, lane++), p * 16);
    }
  }
  assert_int_equal(lane, lanes);
}

static void check_file(const char *bytes, size_t size, const form_t form[], uint32_t forms,
                       const dialect_t *d) {
  trace_t x;
  uint32_t k = 0;
  trace_open_bytes(&x, bytes, size);
  assert_int_equal(x.t.header.stream, UINT64_MAX);
  while (x.rc >= 0 && (x.rc = traceg_next(&x.t, &x.e)) > 0) {
    if (x.rc != TRACEG_INST) continue;
    const traceg_inst_t *i = &x.t.inst;
    assert_true(k < forms);
    assert_int_equal(i->pc, 16 * k);
    assert_int_equal(i->row.line, d->line_info ? k + 100 : k);
    assert_null(gmt_inst_flaw(&i->row));
    if (form[k].elements)
      check_bulk(&x, &form[k]);
    else
      check_usual(&form[k], i);
    k++;
  }
  if (x.rc < 0) fail_msg("version %u, instruction %u: %s", d->version, k, x.e.text);
  assert_int_equal(k, forms);
  assert_int_equal(x.notes.of[NOTE_EXTRA].count, 0);
  assert_int_equal(x.notes.of[NOTE_FRONT].count, 0);
  assert_int_equal(x.notes.of[NOTE_CORE].count, d->core);
  assert_int_equal(x.notes.of[NOTE_VERSION].count, d->version == UINT32_MAX);
  trace_close(&x);
}

/* The grouped text as a packed file. */
static char *packed(const char *text, uint32_t target, bool dictionary, size_t *size) {
  char *bytes;
  FILE *f = open_memstream(&bytes, size);
  assert_non_null(f);
  zwriter_convert(text, target, dictionary, f);
  fclose(f);
  return bytes;
}

#define FORMS (3 * OPCODES + 2 * BULKS)

static uint32_t make_forms(form_t form[FORMS], const dialect_t *d, rng_t *r) {
  uint32_t n = 0;
  for (uint32_t mode = 0; mode < 3; mode++)
    for (size_t k = 0; k < OPCODES; k++) form[n++] = usual(k, mode, r);
  if (d->version != 6 && !d->two_immediates) return n; /* bulk copies are Accel-Sim 2's */
  for (uint32_t mode = 3; mode < 5; mode++)
    for (size_t k = 0; k < BULKS; k++) form[n++] = copy_of(k, mode, r);
  return n;
}

static void every_form_comes_back_from_every_version(void **state) {
  (void)state;
  static const dialect_t dialects[] = {{UINT32_MAX, false, false, false},
                                       {0, false, false, false},
                                       {1, false, false, false},
                                       {2, false, true, false},
                                       {3, false, false, false},
                                       {3, false, true, false},
                                       {4, false, false, false},
                                       {4, true, false, false},
                                       {4, true, true, false},
                                       {5, false, false, false},
                                       {5, true, false, true},
                                       {6, false, false, true},
                                       {6, true, true, true}};
  static form_t form[FORMS];
  rng_t r;
  uint32_t files = 0;
  r = (rng_t){test_seed()};
  for (size_t k = 0; k < sizeof dialects / sizeof *dialects; k++) {
    const dialect_t *d = &dialects[k];
    strbuf_t text;
    strbuf_init(&text);
    uint32_t forms = make_forms(form, d, &r);
    write_head(d, &text);
    strbuf_printf(&text, "insts = %u\n", forms);
    for (uint32_t i = 0; i < forms; i++) write_form(d, &form[i], 16 * i, &text);
    strbuf_str(&text, "\n#END_TB\n");
    check_file(text.buf, text.size, form, forms, d);
    for (uint32_t way = 0; way < 6; way++, files++) {
      static const uint32_t targets[] = {1, 7, 2048, 0, 2048, 5};
      size_t size;
      char *bytes = packed(text.buf, targets[way], way > 3, &size);
      check_file(bytes, size, form, forms, d);
      free(bytes);
    }
    strbuf_fini(&text);
  }
  print_message("%u forms, %zu dialects, %u packed files\n", (uint32_t)FORMS,
                sizeof dialects / sizeof *dialects, files);
}

/* ---- the container --------------------------------------------------------------------------- */

#define V6 "-accelsim tracer version = 6\n"
#define GRID                                                                                       \
  "-kernel name = k\n-grid dim = (2,2,1)\n-block dim = (64,1,1)\n-shmem = 0\n-nregs = 16\n"        \
  "-binary version = 90\n" V6 "#traces format\n"

static const char several[] = GRID
    "#BEGIN_TB\nthread block = 1,0,0\ncluster id = 0,0,0\ncluster cta = 1,0,0\ncluster rank = 1\n"
    "warp = 0\ninsts = 3\n0010 ffffffff 1 R2 S2R 0 0 0 0 NoVal\n"
    "0020 ffffffff 1 R8 LDG.E.64 1 R2 8 1 0x7f0000001000 8 0 0 NoVal\n0030 ffffffff 0 EXIT 0 0 0 0 "
    "NoVal\nwarp = 1\ninsts = 0\n#END_TB\n"
    "#BEGIN_TB\nthread block = 0,1,0\ncluster id = 0,1,0\ncluster cta = 0,0,0\ncluster rank = 0\n"
    "warp = 0\ninsts = 5\n0010 ffffffff 1 R2 S2R 0 0 0 0 NoVal\n"
    "0000 ffffffff 0 REPLAY_START 0 0 0 0\n0020 0000000f 1 R8 LDG.E 1 R2 4 2 0x7f0000002000 4 -8 "
    "64 0 "
    "0 NoVal\n0000 ffffffff 0 REPLAY_END 0 0 0 0\n0030 ffffffff 0 EXIT 0 0 0 0 NoVal\n"
    "warp = 1\ninsts = 2\n0010 ffffffff 1 R2 S2R 0 0 0 0 NoVal\n0030 ffffffff 0 EXIT 0 0 0 0 "
    "NoVal\n"
    "#END_TB\n";

/* The events of a file, as one text. */
static int events(const char *bytes, size_t size, strbuf_t *out, trace_t *x) {
  trace_open_bytes(x, bytes, size);
  while (x->rc >= 0 && (x->rc = traceg_next(&x->t, &x->e)) > 0) {
    const traceg_inst_t *i = &x->t.inst;
    strbuf_printf(out, "%d cta %u", x->rc, x->t.cta);
    if (x->rc == TRACEG_WARP) strbuf_printf(out, " warp %u", x->t.warp);
    if (x->rc == TRACEG_INST) {
      strbuf_printf(out, " pc %x mask %x class %u", (unsigned)i->pc, i->op.mask, i->row.cls);
      assert_null(gmt_inst_flaw(&i->row));
      for (uint32_t m = i->op.mode == ADDR_NONE ? 0 : i->op.mask; m; m &= m - 1) {
        uint64_t a = trace_address(&i->op, (uint32_t)__builtin_ctz(m));
        assert_true(a < 1ull << 48);
        strbuf_printf(out, " %llx", (unsigned long long)a);
      }
    }
    strbuf_str(out, "\n");
  }
  return x->rc;
}

static void blocks_warps_and_marks_come_back(void **state) {
  (void)state;
  strbuf_t want, got;
  trace_t x;
  strbuf_init(&want), strbuf_init(&got);
  assert_int_equal(events(several, sizeof several - 1, &want, &x), 0);
  assert_int_equal(x.notes.of[NOTE_REPLAY].count, 2);
  assert_int_equal(x.notes.of[NOTE_CLUSTER].count, 1);
  assert_int_equal(x.notes.of[NOTE_COUNT].count, 0);
  trace_close(&x);
  for (uint32_t target = 0; target < 4; target++) {
    size_t size;
    char *bytes = packed(several, target, false, &size);
    strbuf_clear(&got);
    if (events(bytes, size, &got, &x)) fail_msg("%s", x.e.text);
    assert_string_equal(want.buf, got.buf);
    assert_int_equal(x.notes.of[NOTE_REPLAY].count, 2);
    assert_int_equal(x.notes.of[NOTE_COUNT].count, 0);
    assert_string_equal(x.notes.of[NOTE_REPLAY].where, "t: block 0,1,0, warp 0, instruction 2");
    trace_close(&x);
    free(bytes);
  }
  strbuf_fini(&want), strbuf_fini(&got);
}

static void faults_of_the_writer_are_noted(void **state) {
  (void)state;
  static const struct {
    const char *line;
    note_t note;
    uint8_t cls;
  } at[] = {
      {"0010 1 0 UTMALDG.2D 0 2 0x400 0 64 0 4 0x0 1 0 0 NoVal", NOTE_TMA_LOST, IC_INT},
      {"0010 1 0 UTMALDG.2D 0 2 0x400 0 64 0 4 0x7f0000 40 2 2 0 0 NoVal", NOTE_TMA_SHORT, IC_LOAD},
      {"0010 1 0 UTMALDG.2D 0 2 0x400 0 64 0 3 2 0x7f0000 0 0 NoVal", NOTE_TMA_SHORT, IC_LOAD},
      {"0010 1 0 UTMALDG.2D 0 0 0 NoVal", NOTES, IC_INT}, /* of a tracer that does not know it */
      {"0010 0 0 UTMALDG.2D 0 0 0x0 0 0 0 4 0x0 0 0 0 NoVal", NOTES, IC_INT}, /* predicated off */
  };
  for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
    trace_t x;
    char text[1024];
    snprintf(text, sizeof text, "%s%s#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\n%s\n#END_TB\n",
             HEAD, V6, at[k].line);
    assert_int_equal(trace_first(&x, text)->row.cls, at[k].cls);
    for (uint32_t n = 0; n < NOTES; n++)
      assert_int_equal(x.notes.of[n].count,
                       n == at[k].note || (n == NOTE_TMA && at[k].cls == IC_LOAD));
    trace_close(&x);
  }
}

/* ---- damage ---------------------------------------------------------------------------------- */

#define MUTANTS 1000u

typedef struct {
  uint32_t refused, accepted;
} tally_t;

/* Whatever became of it: the reader ends, and what it refuses has a place and a reason. */
static void judge(const char *bytes, size_t size, const char *how, tally_t *tally) {
  strbuf_t out;
  trace_t x;
  strbuf_init(&out);
  int rc = events(bytes, size, &out, &x);
  if (rc < 0) {
    bool place = x.e.has_offset || x.e.line || strstr(x.e.text, "block ") || !size;
    if (rc != GMMU_EFORMAT || x.e.code != rc || strcmp(x.e.file, "t") || !place ||
        strlen(x.e.text) < 10)
      fail_msg("%s: %d, file \"%s\", line %u: %s", how, rc, x.e.file, x.e.line, x.e.text);
    tally->refused++;
  } else {
    tally->accepted++;
  }
  trace_close(&x);
  strbuf_fini(&out);
}

/* A number of the container, a byte, a length: the file as it is, damaged. */
static void damage_file(const char *whole, size_t size, rng_t *r, tally_t *tally) {
  static const uint64_t odd[] = {0, 1, 2, 0x7fffffff, 0xffffffff, UINT64_MAX};
  char *bytes = malloc(size + 64);
  size_t at = rng_next(r) % size, n = size;
  uint32_t kind = (uint32_t)rng_next(r) % 5;
  memcpy(bytes, whole, size);
  if (kind == 0) bytes[at] = (char)(bytes[at] ^ 1 << (uint32_t)rng_next(r) % 8);
  if (kind == 1) n = at;
  if (kind == 2) { /* a number, most often of the index */
    size_t from = (uint32_t)rng_next(r) % 3 ? size - 200 : size / 2,
           bytes_of = (uint32_t)rng_next(r) & 1 ? 4 : 8;
    uint64_t v = (uint32_t)rng_next(r) & 1 ? odd[(uint32_t)rng_next(r) % 6] : rng_next(r) % size;
    at = from + rng_next(r) % (size - from - 8);
    memcpy(bytes + at, &v, bytes_of);
  }
  if (kind == 3) { /* bytes go */
    size_t gone = 1 + (uint32_t)rng_next(r) % 16;
    if (at + gone > size) at = size - gone;
    memmove(bytes + at, bytes + at + gone, size - at - gone);
    n = size - gone;
  }
  if (kind == 4) { /* bytes come */
    size_t more = 1 + (uint32_t)rng_next(r) % 16;
    memmove(bytes + at + more, bytes + at, size - at);
    n = size + more;
  }
  char how[64];
  snprintf(how, sizeof how, "kind %u at %zu of %zu", kind, at, size);
  judge(bytes, n, how, tally);
  free(bytes);
}

/* The text is wrong, and packed as if it were right. */
static void damage_text(rng_t *r, tally_t *tally) {
  static const char with[] = "\t 0x9Rz-,=#A";
  char *text = strdup(several);
  size_t from = (size_t)(strstr(text, "thread block") - text), size;
  size_t at = from + rng_next(r) % (sizeof several - 1 - from - 8);
  if (text[at] != '\n') text[at] = with[(uint32_t)rng_next(r) % (sizeof with - 1)];
  char *bytes = packed(text, 2, false, &size);
  judge(bytes, size, text + at, tally);
  free(bytes);
  free(text);
}

static void a_thousand_mutants_are_read_or_refused_with_a_place(void **state) {
  (void)state;
  tally_t file = {0}, text = {0};
  rng_t r;
  size_t size, trained;
  char *plain = packed(several, 2, false, &size);
  static form_t form[FORMS];
  const dialect_t d = {6, false, false, true};
  strbuf_t long_text;
  r = (rng_t){test_seed()};
  strbuf_init(&long_text);
  write_head(&d, &long_text);
  uint32_t forms = make_forms(form, &d, &r);
  for (uint32_t i = 0; i < forms; i++) write_form(&d, &form[i], 16 * i, &long_text);
  strbuf_str(&long_text, "#END_TB\n");
  char *large = packed(long_text.buf, 5, true, &trained);
  for (uint32_t k = 0; k < MUTANTS; k++) {
    if (k % 5 < 2)
      damage_file(plain, size, &r, &file);
    else if (k % 5 == 2)
      damage_file(large, trained, &r, &file);
    else
      damage_text(&r, &text);
  }
  print_message("%u mutants: files %u refused, %u readable; lines %u refused, %u readable\n",
                MUTANTS, file.refused, file.accepted, text.refused, text.accepted);
  assert_true(file.refused > MUTANTS * 3 / 10 && text.refused > MUTANTS / 20);
  strbuf_fini(&long_text);
  free(plain), free(large);
}

/* A cut file is always noticed: its last bytes say where the index is. If the header alone is left,
 * it is a text without blocks. */
static void any_length_may_be_cut(void **state) {
  (void)state;
  size_t size;
  char *bytes = packed(several, 2, false, &size);
  for (size_t n = 0; n < size; n++) {
    trace_t x;
    strbuf_t out;
    strbuf_init(&out);
    int rc = events(bytes, n, &out, &x);
    if (rc == 0) assert_true(n <= sizeof GRID && !out.size);
    if (rc < 0) assert_int_equal(rc, GMMU_EFORMAT);
    trace_close(&x);
    strbuf_fini(&out);
  }
  free(bytes);
}

static void errors_name_their_place(void **state) {
  (void)state;
  static const struct {
    const char *from, *to, *say;
  } wrong[] = {
      {"1 R8 LDG.E.64", "1 R8 LDG.E.64 9", "block 1,0,0, warp 0, instruction 2: expected"},
      {"0x7f0000002000 4 -8 64 0 0 NoVal", "0x7f0000002000 4 -8",
       "block 0,1,0, warp 0, instruction 3: expected a difference"},
      {"thread block = 0,1,0", "thread block = 0,2,0", "block 0,2,0: block 0,2,0 is outside"},
      {"NoVal\nwarp = 1\ninsts = 0\n", "NoVal\nwarp = 1\nwarp = 2\n",
       "block 1,0,0, warp 2: warp 2 of"},
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    strbuf_t text, out;
    trace_t x;
    size_t size;
    const char *at = strstr(several, wrong[k].from);
    strbuf_init(&text), strbuf_init(&out);
    strbuf_add(&text, several, (size_t)(at - several));
    strbuf_str(&text, wrong[k].to);
    strbuf_str(&text, at + strlen(wrong[k].from));
    char *bytes = packed(text.buf, 2, false, &size);
    if (events(bytes, size, &out, &x) != GMMU_EFORMAT || !strstr(x.e.text, wrong[k].say))
      fail_msg("case %zu: %d: %s", k, x.rc, x.e.text);
    trace_close(&x);
    free(bytes);
    strbuf_fini(&text), strbuf_fini(&out);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_form_comes_back_from_every_version),
      cmocka_unit_test(blocks_warps_and_marks_come_back),
      cmocka_unit_test(faults_of_the_writer_are_noted),
      cmocka_unit_test(a_thousand_mutants_are_read_or_refused_with_a_place),
      cmocka_unit_test(any_length_may_be_cut),
      cmocka_unit_test(errors_name_their_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
