/* link: -lcufft */
/* cuFFT in one dimension: powers of two and other lengths, batches, real data, there and back. */
#include "check.h"
#include <cufft.h>
#include <cufftXt.h>

static void fft(cufftResult r, const char *what) {
  if (r != CUFFT_SUCCESS) printf("%s: %d\n", what, (int)r), exit(2);
}
/* Element k of the transform of x[0..n), by the book. */
static void direct(const std::vector<double2> &x, int from, int n, int k, int sign, double *re,
                   double *im) {
  *re = *im = 0;
  for (int j = 0; j < n; j++) {
    double w = sign * 2 * M_PI * (double)((long long)j * k % n) / n;
    *re += x[from + j].x * cos(w) - x[from + j].y * sin(w);
    *im += x[from + j].x * sin(w) + x[from + j].y * cos(w);
  }
}
int main() {
  std::vector<float> seen;
  for (int n : {64, 60, 1024}) {
    const int batch = 3, h = n / 2 + 1;
    std::vector<double2> x(n * batch);
    std::vector<float2> f(n * batch);
    std::vector<float> real(n * batch);
    for (int i = 0; i < n * batch; i++) {
      x[i].x = random_f32() - 0.5, x[i].y = random_f32() - 0.5;
      f[i].x = (float)x[i].x, f[i].y = (float)x[i].y, real[i] = f[i].x;
    }
    cufftHandle plan, zplan, rplan, iplan;
    fft(cufftPlan1d(&plan, n, CUFFT_C2C, batch), "plan");
    fft(cufftPlan1d(&zplan, n, CUFFT_Z2Z, batch), "plan");
    fft(cufftPlan1d(&rplan, n, CUFFT_R2C, batch), "plan");
    fft(cufftPlan1d(&iplan, n, CUFFT_C2R, batch), "plan");
    float2 *d = to_device(f), *out = device_zeros<float2>(n * batch);
    double2 *z = to_device(x);
    float *r = to_device(real);
    fft(cufftExecZ2Z(zplan, z, z, CUFFT_FORWARD), "doubles");
    std::vector<double2> zz = to_host(z, n * batch);
    for (int b = 0; b < batch; b++)
      for (int k = 0; k < n; k += 7) {
        double re, im;
        direct(x, b * n, n, k, -1, &re, &im);
        want(fabs(re - zz[b * n + k].x) < 1e-10 && fabs(im - zz[b * n + k].y) < 1e-10,
             "a double transform");
      }
    fft(cufftExecC2C(plan, d, out, CUFFT_FORWARD), "floats");
    std::vector<float2> g = to_host(out, n * batch);
    for (int i = 0; i < n * batch; i++)
      want(fabs(g[i].x - zz[i].x) < 2e-4 && fabs(g[i].y - zz[i].y) < 2e-4, "a float transform");
    fft(cufftExecC2C(plan, out, out, CUFFT_INVERSE), "back");
    std::vector<float2> back = to_host(out, n * batch);
    for (int i = 0; i < n * batch; i++)
      want(fabs(back[i].x / n - f[i].x) < 1e-5 && fabs(back[i].y / n - f[i].y) < 1e-5,
           "there and back");
    float2 *spectrum = device_zeros<float2>(h * batch);
    fft(cufftExecR2C(rplan, r, spectrum), "real");
    fft(cufftExecC2R(iplan, spectrum, r), "real back");
    std::vector<float> rr = to_host(r, n * batch);
    for (int i = 0; i < n * batch; i++)
      want(fabs(rr[i] / n - real[i]) < 1e-5, "real data, there and back");
    /* plans with wide numbers, and by types of the data: the same bits */
    cufftHandle wide, typed;
    size_t bytes = 0;
    long long length = n;
    fft(cufftCreate(&wide), "create"), fft(cufftCreate(&typed), "create");
    fft(cufftMakePlanMany64(wide, 1, &length, NULL, 1, 1, NULL, 1, 1, CUFFT_C2C, batch, &bytes),
        "wide plan");
    fft(cufftXtMakePlanMany(typed, 1, &length, NULL, 1, 1, CUDA_C_64F, NULL, 1, 1, CUDA_C_64F,
                            batch, &bytes, CUDA_C_64F),
        "typed plan");
    fft(cufftExecC2C(wide, d, out, CUFFT_FORWARD), "floats by the wide plan");
    CUDA(cudaMemcpy(z, x.data(), x.size() * sizeof x[0], cudaMemcpyHostToDevice));
    fft(cufftXtExec(typed, z, z, CUFFT_FORWARD), "doubles by the typed plan");
    std::vector<float2> wide_out = to_host(out, n * batch);
    std::vector<double2> typed_out = to_host(z, n * batch);
    want(memcmp(wide_out.data(), g.data(), g.size() * sizeof g[0]) == 0 &&
             memcmp(typed_out.data(), zz.data(), zz.size() * sizeof zz[0]) == 0,
         "plans of other interfaces");
    length = 1LL << 40;
    want(cufftMakePlanMany64(wide, 1, &length, NULL, 1, 1, NULL, 1, 1, CUFFT_C2C, 1, &bytes) ==
             CUFFT_INVALID_SIZE,
         "a length that does not fit");
    for (cufftHandle p : {plan, zplan, rplan, iplan, wide, typed}) fft(cufftDestroy(p), "destroy");
    seen.push_back((float)n);
  }
  LAUNCHED();
  return pass("fourier", seen);
}
