/* What was published of real chips, by preset. Every number was read in its source; what nobody
 * published is not here. Where tools disagree the band over them is. Sources:
 *   gpu-benches  te42kyfo/gpu-benches          mt4g    caps-tum/mt4g, sample results
 *   AI_kernels   markdewing/AI_kernels         Arafa   Arafa et al. 2019, as stored in PPT-GPU
 *   tuner        accel-sim-framework, util/tuner (TITAN V: the same chip as the V100)
 *   GPA          HPCToolkit-GPA (from Jia et al.)
 *   DaMoN        Karnagel et al., DaMoN 2017, Table 2 and raw data
 *   CCS          Zhang et al., CCS 2023: examples for the RTX 3080
 *   Babel        UoB-HPC/BabelStream, results
 *   FGPU         Jain et al., RTAS 2019 */
#include "validate/validate.h"
#include <string.h>

#define FROM(x)          (uint32_t)((x)*1000.0 + 0.5)
#define P(id, lo, hi, s) VALIDATE_##id, FROM(lo), FROM(hi), true, s
#define Q(id, lo, hi, s) VALIDATE_##id, FROM(lo), FROM(hi), false, s /* of a kin, or fitted */
#define REACH(id, mb, s) VALIDATE_##id, FROM((mb)*1024.0), FROM((mb)*1024.0), true, s

#define VOLTA(gpu)                                                                                 \
  {gpu, P(L1, 26, 36, "gpu-benches 30, mt4g 30, AI_kernels 36, Arafa 26, tuner, TITAN V 33.7")},   \
      {gpu, P(L2, 198, 221,                                                                        \
              "gpu-benches 215, mt4g 214, AI_kernels 221, Arafa 198, tuner, TITAN V 211")},        \
      {gpu, P(DRAM, 313, 460,                                                                      \
              "gpu-benches 427-437, mt4g 408, AI_kernels 460, Arafa 362, tuner, TITAN V 313")},    \
      {gpu, P(DRAM_COPY, 89, 89, "gpu-benches, V100 PCIe, scale: 802 of 898 GB/s")},               \
      {gpu, P(DRAM_TRIAD, 91, 91, "gpu-benches, V100 PCIe: 814 of 898 GB/s")},                     \
      {gpu, P(DRAM_READ, 96, 96, "gpu-benches, V100 PCIe: 866 of 898 GB/s")},                      \
      {gpu, P(L1_READ, 116, 125, "tuner, TITAN V 116-123; gpu-benches 125")},                      \
      {gpu, P(L2_READ, 1366, 1775, "tuner, TITAN V 1366-1385; gpu-benches 1775")},

const published_t published_all[] = {
    VOLTA("v100"){"v100", P(SHARED, 18, 27, "mt4g 23.5, Arafa 18, tuner, TITAN V 27")},
    {"v100", P(FFMA, 4, 4.1, "GPA 4, tuner 4.1")},
    {"v100", P(IADD, 4, 4.3, "GPA 4, tuner 4.3")},
    {"v100", P(IMAD, 4, 5, "GPA 4-5")},
    {"v100", P(DFMA, 8, 8.06, "gpu-benches 8, tuner 8.06")},
    {"v100", P(RSQRT, 14, 31, "GPA 14 (MUFU), Arafa 31")},
    {"v100", P(ATOMIC, 243.6, 243.6, "tuner, TITAN V 243.6")},

    VOLTA("qv100") /* of the chip; the preset is Accel-Sim's model of it */

    {"p100", P(L1, 81, 81, "Arafa, Pascal 81")},
    {"p100", P(L2, 252, 293, "Arafa, Pascal 252; DaMoN, raw: 302 with a miss of 9")},
    {"p100", P(DRAM, 482, 482, "Arafa, Pascal 482")},
    {"p100", P(SHARED, 25, 25, "Arafa, Pascal 25")},
    {"p100", P(FFMA, 6, 6, "Arafa 6, NVIDIA's tuning guide 6")},
    {"p100", P(IADD, 6, 6, "Arafa 6")},
    {"p100", P(IMAD, 13, 13, "Arafa 13")},
    {"p100", P(DFMA, 8, 8, "Arafa 8")},
    {"p100", P(RSQRT, 35, 35, "Arafa 35")},
    {"p100", REACH(TLB1, 32, "DaMoN: 16 x 2 MB")},
    {"p100", P(TLB1_MISS, 9, 9, "DaMoN 9")},
    {"p100", REACH(TLB2, 2080, "DaMoN: 65 x 32 MB")},
    {"p100", P(TLB2_MISS, 110, 110, "DaMoN 110")},

    {"gtx1080", P(L1, 81, 106, "Arafa, Pascal 81; mt4g, Quadro P6000 106")},
    {"gtx1080", P(L2, 227, 252, "mt4g, Quadro P6000 227; Arafa, Pascal 252")},
    {"gtx1080", P(DRAM, 415, 482, "mt4g, Quadro P6000 415; Arafa, Pascal 482; FGPU, about 480")},
    {"gtx1080", P(SHARED, 25, 40, "Arafa, Pascal 25; mt4g, Quadro P6000 40")},
    {"gtx1080", P(FFMA, 4, 6, "PPT-GPU, GP10x 4-6; Arafa 6")},
    {"gtx1080", P(IADD, 4, 6, "Accel-Sim's fit 4; Arafa 6")},
    {"gtx1080", P(IMAD, 13, 13, "Arafa, Pascal 13")},
    {"gtx1080", P(DFMA, 45, 45, "PPT-GPU, GP10x 45")},
    {"gtx1080", P(DRAM_COPY, 79, 79, "Babel, Titan Xp: 433 of 548 GB/s")},
    {"gtx1080", P(DRAM_TRIAD, 80, 80, "Babel, Titan Xp: 436 of 548 GB/s")},
    {"gtx1080", P(DRAM_READ, 90, 90, "mt4g, Quadro P6000: 392 of 433 GB/s")},

    {"k80", P(L1, 32, 32, "Arafa, Kepler 32")},
    {"k80", P(L2, 188, 241, "Arafa, Kepler 188; DaMoN, raw 241")},
    {"k80", P(DRAM, 331, 331, "Arafa, Kepler 331")},
    {"k80", P(SHARED, 26, 26, "Arafa, Kepler 26")},
    {"k80", P(FFMA, 9, 9, "Arafa 9")},
    {"k80", P(IADD, 9, 9, "Arafa 9")},
    {"k80", P(IMAD, 9, 9, "Arafa 9")},
    {"k80", P(DFMA, 10, 10, "Arafa 10")},
    {"k80", P(RSQRT, 40, 40, "Arafa 40")},
    {"k80", P(DRAM_COPY, 85, 85, "Babel: 204 of 240 GB/s")},
    {"k80", P(DRAM_TRIAD, 85, 85, "Babel: 203 of 240 GB/s")},
    {"k80", REACH(TLB1, 2, "DaMoN: 16 x 128 KB")},
    {"k80", P(TLB1_MISS, 9, 9, "DaMoN 9")},
    {"k80", REACH(TLB2, 130, "DaMoN: 65 x 2 MB")},
    {"k80", P(TLB2_MISS, 55, 55, "DaMoN 55")},
    {"k80", REACH(TLB3, 2064, "DaMoN: about 1032 x 2 MB")},
    {"k80", P(TLB3_MISS, 177, 177, "DaMoN 177")},

    {"rtx3080", P(L1, 33, 33, "YKTian, RTX 3060 33")},
    {"rtx3080", P(L2, 219, 219, "YKTian, RTX 3060 219")},
    {"rtx3080",
     Q(DRAM, 480, 515,
       "YKTian, RTX 3060 about 515, with a TLB miss; Accel-Sim's fit of the RTX 3070 480")},
    {"rtx3080", P(SHARED, 23, 23, "YKTian, RTX 3060 23")},
    {"rtx3080", P(FFMA, 4, 4, "Abdelkhalik et al. 2022, A100 4")},
    {"rtx3080", P(IADD, 4, 4, "Abdelkhalik et al. 2022, A100 4")},
    {"rtx3080", P(IMAD, 4, 5, "Abdelkhalik et al. 2022, A100 4-5")},
    {"rtx3080", P(L1_READ, 64, 124.7, "gpu-benches, A40 64; YKTian, RTX 3060 124.7")},
    {"rtx3080", P(L2_READ, 1402, 1402, "gpu-benches, A40 1402")},
    {"rtx3080", P(DRAM_READ, 98, 98, "gpu-benches, A40: 679 of 696 GB/s")},
    {"rtx3080", P(DRAM_COPY, 94, 94, "gpu-benches, A40, scale: 652 of 696 GB/s")},
    {"rtx3080", P(DRAM_TRIAD, 94, 94, "gpu-benches, A40: 653 of 696 GB/s")},
    {"rtx3080", REACH(TLB1, 1, "CCS: 16 x 64 KB")},
    {"rtx3080", REACH(TLB2, 1024, "CCS: 128 sets x 8 x 1 MB")},
    {"rtx3080", REACH(TLB3, 2048, "CCS: 256 sets x 8 x 1 MB")},

    {"rtx2060", Q(L1, 32, 34, "mt4g, RTX 2080 Ti 34; gpu-arch-microbenchmark, RTX 2070 32")},
    {"rtx2060", Q(L2, 176, 236, "mt4g, RTX 2080 Ti 176; gpu-arch-microbenchmark, RTX 2070 236")},
    {"rtx2060", P(DRAM_COPY, 89, 89, "alpaka issue 1874: 298 of 336 GB/s")},
    {"rtx2060", P(DRAM_TRIAD, 91, 91, "alpaka issue 1874: 304 of 336 GB/s")},

    {"a100",
     P(L1, 33, 36, "gpu-benches 36, mt4g 35, Abdelkhalik et al. 2022 33, ChipBenchmarker 33")},
    {"a100", P(L2, 200, 332, "gpu-benches 211, mt4g 221, Abdelkhalik 200, ChipBenchmarker 332")},
    {"a100", P(DRAM, 499, 640, "gpu-benches 570, mt4g 640, ChipBenchmarker 499")},
    {"a100", P(SHARED, 23, 23, "Abdelkhalik et al. 2022 23, ChipBenchmarker 23")},
    {"a100", P(FFMA, 4, 4, "Abdelkhalik et al. 2022 4")},
    {"a100", P(IADD, 4, 4, "Abdelkhalik et al. 2022 4")},
    {"a100", P(IMAD, 4, 5, "Abdelkhalik et al. 2022 4-5")},
    {"a100", P(DFMA, 8, 8, "GPA 8")},
    {"a100", P(RSQRT, 14, 23, "GPA 14 (MUFU), PPT-GPU 23")},
    {"a100", P(L1_READ, 126, 126, "gpu-benches 126")},
    {"a100", P(L2_READ, 3813, 3813, "gpu-benches, up to 25 MB: 3813")},
    {"a100", P(DRAM_READ, 87, 96, "gpu-benches: 1490 of 1555, 1769 of 2039 GB/s")},
    {"a100", P(DRAM_COPY, 85, 89, "gpu-benches, scale: 1381 of 1555, 1732 of 2039 GB/s")},
    {"a100", P(DRAM_TRIAD, 86, 87, "gpu-benches: 1360 of 1555, 1759 of 2039 GB/s")},

    {"h100", P(L1, 38, 40.2, "mt4g 38, a study of the SXM5 40.2")},
    {"h100", P(L2, 219, 260, "mt4g 219, a study of the SXM5 260")},
    {"h100", P(DRAM, 571, 834, "mt4g 834, a study of the SXM5 571")},
    {"h100", P(SHARED, 28.6, 30, "mt4g 30, a study of the SXM5 28.6")},
    {"h100", P(DRAM_READ, 82, 82, "mt4g: 2750 of 3352 GB/s")},
    {"h100", Q(DRAM_COPY, 78, 84, "H100 NVL: 3056 of 3938 GB/s; H800 2804 of 3352")},
    {"h100", Q(DRAM_TRIAD, 84, 84, "H100 NVL: 3304 of 3938 GB/s")},

    {"mi210", P(L1, 124, 125, "mt4g 124, gpu-benches 125")},
    {"mi210", P(L2, 235, 302, "mt4g 302, gpu-benches 235-248, ChipBenchmarker 271")},
    {"mi210", P(DRAM, 570, 741, "mt4g 741, gpu-benches 570-665, ChipBenchmarker 669")},
    {"mi210", P(SHARED, 48, 50, "mt4g 50, ChipBenchmarker 48")},
    {"mi210", P(DRAM_READ, 82, 82, "gpu-benches: 1345 of 1638 GB/s")},
    {"mi210", P(DRAM_COPY, 83, 83, "gpu-benches, scale: 1358 of 1638 GB/s")},
    {"mi210", P(DRAM_TRIAD, 76, 76, "gpu-benches: 1248 of 1638 GB/s")},

    {"mi300x", P(L1, 116, 144, "mt4g 116; 144 by another tool")},
    {"mi300x", P(L2, 254, 288, "mt4g 288; 254 by another tool")},
    {"mi300x", P(DRAM, 900, 900, "mt4g 900")},
    {"mi300x", P(SHARED, 48, 51, "mt4g 51; 48 by another tool")},
    {"mi300x", P(DRAM_READ, 75, 75, "mt4g: 3962 of 5300 GB/s")},
    {NULL, VALIDATE_COUNT, 0, 0, false, NULL},
};

const published_t *published_find(const char *gpu, validate_metric_t m) {
  for (const published_t *p = published_all; p->gpu; p++)
    if (p->metric == m && strcmp(p->gpu, gpu) == 0) return p;
  return NULL;
}

const char *published_gpu(uint32_t i) {
  const char *last = "";
  for (const published_t *p = published_all; p->gpu; p++) {
    if (strcmp(p->gpu, last) == 0) continue;
    last = p->gpu;
    if (i-- == 0) return last;
  }
  return NULL;
}
