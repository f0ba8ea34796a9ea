/* BP: back-propagation, training steps of a network with one hidden layer. The first kernel
 * multiplies inputs and weights and sums within a block, the host does the few units behind, the
 * second kernel adjusts the weights. Weights are rows of 17 floats, so never aligned to lines; they
 * stream through twice per step, with as many previous changes the second time. */
#include "../common/app.h"

#define HIDDEN 16           /* units; also the inputs of a block */
#define ROW    (HIDDEN + 1) /* element 0 is the bias, of units as of inputs */

static const struct {
  uint32_t inputs, steps; /* inputs a multiple of HIDDEN */
} sizes[APP_SIZES] = {{512, 1}, {8192, 10}, {393216, 1}};

#define LEARNING 0.3f
#define MOMENTUM 0.3f

/* partial[block][unit] is the sum over the block's inputs. */
__global__ void forward(const float *input, const float *weight, float *partial) {
  __shared__ float in[HIDDEN], product[HIDDEN][HIDDEN];
  uint32_t unit = threadIdx.x, y = threadIdx.y, i = blockIdx.x * HIDDEN + y + 1;
  if (unit == 0) in[y] = input[i];
  __syncthreads();
  product[y][unit] = weight[i * ROW + unit + 1] * in[y];
  for (uint32_t half = HIDDEN / 2; half > 0; half /= 2) {
    __syncthreads();
    if (y < half) product[y][unit] += product[y + half][unit];
  }
  if (y == 0) partial[blockIdx.x * HIDDEN + unit] = product[0][unit];
}

__global__ void adjust(const float *input, const float *error, float *weight, float *change) {
  uint32_t unit = threadIdx.x + 1, i = blockIdx.x * HIDDEN + threadIdx.y + 1;
  float step = LEARNING * error[unit];
  float c = step * input[i] + MOMENTUM * change[i * ROW + unit];
  weight[i * ROW + unit] += c;
  change[i * ROW + unit] = c;
  if (i != 1) return; /* the first row also does that of the bias */
  c = step + MOMENTUM * change[unit];
  weight[unit] += c;
  change[unit] = c;
}

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

/* What the host does between the kernels: the hidden units' outputs from their sums, the only
 * output unit, and the hidden units' errors. */
static void middle(const double *sums, const std::vector<float> &out_weight, double target,
                   std::vector<float> &error) {
  double hidden[ROW], sum = out_weight[0];
  for (int u = 1; u < ROW; u++) hidden[u] = sigmoid(sums[u]);
  for (int u = 1; u < ROW; u++) sum += hidden[u] * out_weight[u];
  double out = sigmoid(sum), out_error = out * (1 - out) * (target - out);
  for (int u = 1; u < ROW; u++)
    error[u] = (float)(hidden[u] * (1 - hidden[u]) * out_error * out_weight[u]);
}

static void sum_partial(const std::vector<float> &partial, const float *bias, double *sums) {
  for (int u = 1; u < ROW; u++) sums[u] = bias[u];
  for (size_t i = 0; i < partial.size(); i++) sums[i % HIDDEN + 1] += partial[i];
}

struct network {
  std::vector<float> input, weight, change, out_weight;
  double target;
};

static network make_network(rng &r, uint32_t inputs) {
  network n;
  n.input = random_floats(r, inputs + 1, 0, 1);
  n.input[0] = 1;
  /* The more inputs, the smaller the weights, or the units would saturate and not learn. */
  float scale = 1.0f / sqrtf((float)inputs);
  n.weight = random_floats(r, (size_t)(inputs + 1) * ROW, -scale, scale);
  n.change = random_floats(r, (size_t)(inputs + 1) * ROW, -scale / 16, scale / 16);
  n.out_weight = random_floats(r, ROW, -1, 1);
  n.target = 0.9;
  return n;
}

static void reference(network &n, std::vector<float> &error) {
  double sums[ROW] = {0};
  size_t rows = n.input.size();
  for (size_t i = 0; i < rows; i++)
    for (int u = 1; u < ROW; u++) sums[u] += (double)n.input[i] * n.weight[i * ROW + u];
  middle(sums, n.out_weight, n.target, error);
  for (size_t i = 0; i < rows; i++)
    for (int u = 1; u < ROW; u++) {
      float c = LEARNING * error[u] * n.input[i] + MOMENTUM * n.change[i * ROW + u];
      n.weight[i * ROW + u] += c;
      n.change[i * ROW + u] = c;
    }
}

int main(int argc, char **argv) {
  app self = app_begin("BP", argc, argv);
  uint32_t inputs = sizes[self.size].inputs, blocks = inputs / HIDDEN;
  rng r(self.seed);
  network n = make_network(r, inputs);
  double sums[ROW];
  std::vector<float> error(ROW, 0);
  dim3 block(HIDDEN, HIDDEN);

  float *input = device_new<float>(inputs + 1), *weight = device_new<float>(n.weight.size());
  float *partial = device_new<float>((size_t)blocks * HIDDEN);
  to_device(input, n.input);
  to_device(weight, n.weight);
  float *derror = device_copy(error), *change = device_copy(n.change);
  for (uint32_t s = 0; s < sizes[self.size].steps; s++) {
    forward<<<blocks, block>>>(input, weight, partial);
    CHECK_LAUNCH();
    sum_partial(from_device(partial, (size_t)blocks * HIDDEN), from_device(weight, ROW).data(),
                sums);
    middle(sums, n.out_weight, n.target, error);
    to_device(derror, error);
    adjust<<<blocks, block>>>(input, derror, weight, change);
    CHECK_LAUNCH();
  }
  std::vector<float> got = from_device(weight, n.weight.size());
  void *all[] = {input, weight, partial, derror, change};
  for (void *p : all) CHECK(cudaFree(p));
  if (!self.verify) return app_end(self, true);
  for (uint32_t s = 0; s < sizes[self.size].steps; s++) reference(n, error);
  /* Weights change by about 1e-3; sums of single-precision numbers are right to about 1e-6, and a
   * step's errors go into the next. */
  return app_end(self, near_values("weight", got, n.weight, 1e-6 * sizes[self.size].steps));
}
