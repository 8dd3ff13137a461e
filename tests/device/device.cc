// A GPU for TensorFlow that is made of host memory and plain loops: a real PluggableDevice with faults on demand.
//
// The checker must name what a broken device computes wrong, and no broken device can be bought. This one is loaded by
// TensorFlow like any vendor's plugin, computes float32 honestly (sums in double, rounded once), and misbehaves in
// exactly one way when a fault is named, by the variable TFCOMPAT_DEVICE_FAULT or by device_fault() from the same process.
//
//   g++ -O2 -std=c++17 -shared -fPIC -I$TF/include device.cc -o libdevice.so -L$TF -l:libtensorflow_framework.so.2
//
// Contents: faults - rounding - calls and tensors - windows and convolutions - pooling - matrices - losses and norms -
// random numbers - element by element - reductions and moves - optimizers - the table of kernels - their registration -
// the graph rewriter - the device itself - what Python may call.
//
// A fault belongs to an operation ("Conv2D") and has an effect ("same_pad_side"); kernels of one family share their code,
// so each asks `call.faulty("same_pad_side")`, which is true only for the operation the planted fault names. Effects that
// need no knowledge of the operation (rounded inputs, stale outputs, death) are applied around the kernel in `Entry`.

#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cfloat>
#include <cmath>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensorflow/c/experimental/grappler/grappler.h"
#include "tensorflow/c/experimental/stream_executor/stream_executor.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"

namespace {

// ---------------------------------------------------------------------------------------------------------- faults

struct Fault {
  const char* op;      // as TensorFlow spells it; empty for the device itself
  const char* effect;  // the name of the fault is the operation's prefix, an underscore, and this
};

const Fault kFaults[] = {
    // Convolution, forward.
    {"Conv2D", "same_pad_side"},
    {"Conv2D", "flipped_kernel"},
    {"Conv2D", "ohwi_misread"},
    {"Conv2D", "input_channel_tail_of_4"},
    {"Conv2D", "output_channel_tail_of_4"},
    {"Conv2D", "channels_beyond_128"},
    {"Conv2D", "channels_beyond_65536"},
    {"Conv2D", "fp16_accumulation"},
    {"Conv2D", "bf16_inputs"},
    {"Conv2D", "tf32_inputs"},
    {"Conv2D", "fp16_output"},
    {"Conv2D", "noise_2_to_minus_14"},
    {"Conv2D", "noise_2_to_minus_18"},
    {"Conv2D", "dilation_ignored"},
    {"Conv2D", "stride_offset"},
    {"Conv2D", "nan_rare"},
    {"Conv2D", "one_element"},
    {"Conv2D", "batch_tail_copies_first"},
    {"Conv2D", "batch_wraps_at_65536"},
    {"Conv2D", "stale"},
    {"Conv2D", "lost_products"},
    {"Conv2D", "last_tile"},
    {"Conv2D", "row_pitch"},
    {"Conv2D", "groups_mixed"},
    {"Conv2D", "skipped_bias_in_graph"},
    // Convolution, gradient of the filter.
    {"Conv2DBackpropFilter", "last_row"},
    {"Conv2DBackpropFilter", "last_column"},
    {"Conv2DBackpropFilter", "last_sample"},
    {"Conv2DBackpropFilter", "same_pad_side"},
    {"Conv2DBackpropFilter", "stride_offset"},
    {"Conv2DBackpropFilter", "dilation_ignored"},
    {"Conv2DBackpropFilter", "rotated"},
    {"Conv2DBackpropFilter", "channels_shuffled"},
    {"Conv2DBackpropFilter", "noncontiguous_input"},
    {"Conv2DBackpropFilter", "batch_tail_of_4"},
    {"Conv2DBackpropFilter", "batch_wraps_at_65536"},
    {"Conv2DBackpropFilter", "after_batch_change"},
    {"Conv2DBackpropFilter", "mean_over_batch"},
    {"Conv2DBackpropFilter", "twice"},
    {"Conv2DBackpropFilter", "one_by_one_last_channel"},
    {"Conv2DBackpropFilter", "first_layer_zero"},
    {"Conv2DBackpropFilter", "lost_products"},
    {"Conv2DBackpropFilter", "fp16_accumulation"},
    {"Conv2DBackpropFilter", "bf16_inputs"},
    {"Conv2DBackpropFilter", "tf32_inputs"},
    {"Conv2DBackpropFilter", "scaled_1_in_100"},
    {"Conv2DBackpropFilter", "scaled_1_in_1000"},
    {"Conv2DBackpropFilter", "scaled_1_in_10000"},
    {"Conv2DBackpropFilter", "scaled_1_in_100000"},
    {"Conv2DBackpropFilter", "block_lost_one_call_in_50"},
    {"Conv2DBackpropFilter", "stale_one_call_in_20"},
    // Convolution, gradient of the input.
    {"Conv2DBackpropInput", "last_column"},
    {"Conv2DBackpropInput", "last_sample"},
    {"Conv2DBackpropInput", "same_pad_side"},
    {"Conv2DBackpropInput", "stride_offset"},
    {"Conv2DBackpropInput", "dilation_ignored"},
    {"Conv2DBackpropInput", "kernel_not_rotated"},
    {"Conv2DBackpropInput", "weights_misread"},
    {"Conv2DBackpropInput", "border_garbage"},
    {"Conv2DBackpropInput", "channels_beyond_64"},
    {"Conv2DBackpropInput", "fp16_accumulation"},
    {"Conv2DBackpropInput", "bf16_inputs"},
    {"Conv2DBackpropInput", "tf32_inputs"},
    {"Conv2DBackpropInput", "stale"},
    // Depthwise convolution.
    {"DepthwiseConv2dNative", "same_pad_side"},
    {"DepthwiseConv2dNative", "groups_mixed"},
    {"DepthwiseConv2dNative", "last_row"},
    {"DepthwiseConv2dNativeBackpropFilter", "last_row"},
    {"DepthwiseConv2dNativeBackpropFilter", "channels_shuffled"},
    {"DepthwiseConv2dNativeBackpropFilter", "last_sample"},
    {"DepthwiseConv2dNativeBackpropInput", "kernel_not_rotated"},
    {"DepthwiseConv2dNativeBackpropInput", "last_column"},
    {"DepthwiseConv2dNativeBackpropInput", "bf16_inputs"},
    // Pooling.
    {"MaxPool", "zero_padding"},
    {"MaxPool", "valid_tail"},
    {"MaxPool", "fp16_inputs"},
    {"MaxPool", "same_pad_side"},
    {"MaxPoolGrad", "first_index"},
    {"MaxPoolGrad", "all_positions"},
    {"MaxPoolGrad", "shift"},
    {"MaxPoolGrad", "overlap_assigns"},
    {"MaxPoolGrad", "stale_input"},
    {"MaxPoolGrad", "minimum"},
    {"MaxPoolGrad", "fp16_compare"},
    {"MaxPoolGrad", "negative_dropped"},
    {"MaxPoolGrad", "last_window"},
    {"MaxPoolGrad", "first_sample_only"},
    {"MaxPoolGrad", "ties_last"},
    {"AvgPool", "counts_padding"},
    {"AvgPool", "last_column"},
    {"AvgPoolGrad", "counts_padding"},
    {"AvgPoolGrad", "not_divided"},
    {"AvgPoolGrad", "overlap_assigns"},
    {"AvgPoolGrad", "last_row"},
    // Matrices.
    {"MatMul", "weight_gradient_last_sample"},
    {"MatMul", "tail_of_8"},
    {"MatMul", "rows_beyond_32"},
    {"MatMul", "rows_wrap_at_32768"},
    {"MatMul", "beyond_32768"},
    {"MatMul", "broadcast_input"},
    {"MatMul", "fp16_accumulation"},
    {"MatMul", "bf16_inputs"},
    {"MatMul", "tf32_inputs"},
    {"MatMul", "one_element"},
    {"MatMul", "stale"},
    {"MatMul", "block_lost_one_call_in_50"},
    {"BatchMatMulV2", "last_matrix"},
    {"BatchMatMulV2", "broadcast_ignored"},
    {"BatchMatMulV2", "tail_of_8"},
    {"BatchMatMulV2", "tf32_inputs"},
    {"BatchMatMulV2", "transposed_ignored"},
    // What only a compiled graph shows.
    {"_FusedMatMul", "no_relu"},
    {"_FusedMatMul", "no_bias"},
    {"_FusedMatMul", "relu_before_bias"},
    {"_FusedMatMul", "rows_beyond_32"},
    {"_FusedConv2D", "no_relu"},
    {"_FusedConv2D", "no_bias"},
    {"_FusedConv2D", "output_channel_tail_of_4"},
    {"Relu", "skipped_in_graph"},
    {"Sub", "adds_in_graph"},
    // Bias and activations.
    {"BiasAdd", "channel_tail_of_4"},
    {"BiasAdd", "first_row_only"},
    {"BiasAddGrad", "zero"},
    {"BiasAddGrad", "last_row"},
    {"BiasAddGrad", "fp16_accumulation"},
    {"BiasAddGrad", "channel_tail_of_4"},
    {"Relu", "tail_of_256"},
    {"ReluGrad", "mask_from_gradient"},
    {"ReluGrad", "no_mask"},
    {"Tanh", "fp16_output"},
    {"TanhGrad", "one_element"},
    {"Sigmoid", "fp16_output"},
    {"SigmoidGrad", "scaled_1_in_100"},
    {"Elu", "no_minus_one"},
    // Losses and norms.
    {"Softmax", "no_max"},
    {"Softmax", "fp16_exp"},
    {"Softmax", "not_normalised_beyond_128"},
    {"LogSoftmax", "no_max"},
    {"SoftmaxCrossEntropyWithLogits", "no_max"},
    {"SoftmaxCrossEntropyWithLogits", "clipped"},
    {"SoftmaxCrossEntropyWithLogits", "grad_by_batch"},
    {"SoftmaxCrossEntropyWithLogits", "grad_no_label_in_last_row"},
    {"SparseSoftmaxCrossEntropyWithLogits", "no_max"},
    {"SparseSoftmaxCrossEntropyWithLogits", "clipped"},
    {"SparseSoftmaxCrossEntropyWithLogits", "grad_by_batch"},
    {"SparseSoftmaxCrossEntropyWithLogits", "grad_no_label_in_last_row"},
    {"FusedBatchNormV3", "unbiased"},
    {"FusedBatchNormV3", "variance_biased"},
    {"FusedBatchNormV3", "epsilon"},
    {"FusedBatchNormV3", "mean_first_sample"},
    {"FusedBatchNormV3", "inference_uses_batch"},
    {"FusedBatchNormGradV3", "no_mean"},
    {"FusedBatchNormGradV3", "gamma_misread"},
    {"FusedBatchNormGradV3", "beta_last_row"},
    // Random numbers.
    {"RandomUniform", "constant"},
    {"RandomUniform", "scalar_constant"},
    {"RandomUniform", "repeats"},
    {"RandomUniform", "period_64"},
    {"RandomUniform", "period_4096"},
    {"RandomUniform", "per_pixel"},
    {"RandomUniform", "biased"},
    {"RandomUniform", "half_range"},
    {"RandomStandardNormal", "repeats"},
    {"RandomStandardNormal", "constant"},
    {"RandomStandardNormal", "one_sided"},
    {"StatelessRandomUniformV2", "ignores_counter"},
    {"StatelessRandomUniformV2", "ignores_key"},
    {"StatelessRandomUniformV2", "period_64"},
    {"StatelessRandomUniformV2", "biased"},
    // Element by element.
    {"AddV2", "tail_of_256"},
    {"AddV2", "broadcast_as_scalar"},
    {"Sub", "last_element"},
    {"Mul", "tail_of_256"},
    {"Mul", "fp16_output"},
    {"RealDiv", "bf16_inputs"},
    {"Sqrt", "half_precision"},
    {"Rsqrt", "half_precision"},
    {"Square", "last_element"},
    {"SquaredDifference", "broadcast_as_scalar"},
    {"Exp", "fp16_output"},
    {"Maximum", "last_element"},
    {"GreaterEqual", "equal_is_less"},
    {"SelectV2", "swapped"},
    // Reductions, order and moves.
    {"Sum", "fp16_accumulation"},
    {"Sum", "last_block_of_1024"},
    {"Sum", "saturates"},
    {"Mean", "divides_by_one_less"},
    {"Mean", "fp16_accumulation"},
    {"Max", "negative_is_zero"},
    {"Cumsum", "last"},
    {"Cumsum", "exclusive_ignored"},
    {"Cumsum", "reverse_ignored"},
    {"ArgMax", "wraps"},
    {"ArgMax", "ties_last"},
    {"TopKV2", "beyond_16_zero"},
    {"TopKV2", "indices_shifted"},
    {"GatherV2", "last"},
    {"GatherV2", "wraps_at_256"},
    {"UnsortedSegmentSum", "duplicates_overwrite"},
    {"UnsortedSegmentSum", "last"},
    {"Transpose", "only_relabels"},
    {"ConcatV2", "swapped"},
    {"Cast", "rounds"},
    // Optimizers, where the C API lets a plugin have them.
    {"ResourceApplyAdam", "epsilon"},
    {"ResourceApplyAdam", "beta2"},
    {"ResourceApplyAdam", "no_bias_correction"},
    {"ResourceApplyAdam", "tail_of_256_not_updated"},
    {"ResourceApplyKerasMomentum", "momentum_089"},
    {"ResourceApplyKerasMomentum", "fp16_buffer"},
    {"ResourceApplyKerasMomentum", "buffer_not_kept"},
    {"ResourceApplyGradientDescent", "twice"},
    {"ResourceApplyGradientDescent", "tail_of_256_not_updated"},
    // Ends of the process, hangs, and errors in a kernel.
    {"MatMul", "abort"},
    {"MatMul", "hang"},
    {"MatMul", "op_error"},
    {"Conv2D", "segv"},
    {"Conv2D", "op_error"},
    {"Conv2DBackpropFilter", "abort"},
    {"Conv2DBackpropInput", "hang"},
    {"MaxPoolGrad", "exit"},
    {"Softmax", "kill"},
    {"_FusedMatMul", "abort"},
    {"_FusedMatMul", "hang"},
    {"_FusedMatMul", "op_error"},
    // Kernels that are not there, so that TensorFlow falls back to the CPU in silence (read when the plugin loads).
    {"Conv2D", "no_kernel"},
    {"Conv2DBackpropFilter", "no_kernel"},
    {"MatMul", "no_kernel"},
    {"", "no_kernels"},
    // The device.
    {"", "copy_to_host_hang"},
    {"", "copy_to_device_hang"},
    {"", "event_hang"},
    {"", "copy_error"},
    {"", "copy_last_element"},
    {"", "oom"},
    {"", "oom_large"},
    {"", "oom_host"},
    {"", "no_devices"},
    {"", "device_error"},
    // The loading of the plugin (read when the plugin loads).
    {"", "init_error"},
    {"", "init_bad_struct"},
    {"", "init_abort"},
    {"", "init_segv"},
    {"", "init_exit"},
    {"", "init_hang"},
    {"", "prints_at_load"},
};

// The state is leaked on purpose: TensorFlow's threads outlive static destructors.
struct State {
  std::mutex lock;
  std::atomic<const Fault*> fault{nullptr};
  std::map<std::string, long> calls;                     // per operation, since the plugin was loaded
  std::map<std::string, long> since;                     // per operation, since the fault was planted
  std::map<std::string, std::vector<float>> last;        // last values per operation and shape, for stale results
  std::map<std::string, std::string> catalogue;          // fault name -> operation, sorted; filled once
};

State& state() {
  static State* const one = new State;
  return *one;
}

bool device_is(const char* effect) {
  const Fault* fault = state().fault;
  return fault && !*fault->op && !strcmp(fault->effect, effect);
}

[[noreturn]] void hang() {
  for (;;) sleep(1000);
}

// -------------------------------------------------------------------------------------------------------- rounding

// To `bits` significant bits, ties to even; below 2^lowest the spacing stays (subnormals), beyond `highest` is infinity.
float rounded(float value, int bits, int lowest, float highest) {
  if (!std::isfinite(value) || value == 0) return value;
  int exponent;
  std::frexp(value, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent, lowest + 1) - bits);
  const float result = static_cast<float>(std::nearbyint(value / unit) * unit);
  return std::fabs(result) > highest ? std::copysign(INFINITY, result) : result;
}

float to_half(float value) { return rounded(value, 11, -14, 65504.0f); }
float to_bfloat16(float value) { return rounded(value, 8, -126, FLT_MAX); }
float to_tf32(float value) { return rounded(value, 11, -126, FLT_MAX); }

// ----------------------------------------------------------------------------------------------- calls and tensors

using Shape = std::vector<int64_t>;

int64_t count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<int64_t>());
}

struct Refusal : std::string {  // thrown inside kernels, handed to TensorFlow as an error: none may cross the C border
  TF_Code code;
  explicit Refusal(std::string text, TF_Code code = TF_UNIMPLEMENTED) : std::string(std::move(text)), code(code) {}
};

struct Status {
  TF_Status* const raw = TF_NewStatus();
  Status() = default;
  Status(const Status&) = delete;
  ~Status() { TF_DeleteStatus(raw); }
  operator TF_Status*() const { return raw; }
  bool ok() const { return TF_GetCode(raw) == TF_OK; }
  void check() const {
    if (!ok()) throw Refusal(TF_Message(raw), TF_GetCode(raw));
  }
};

struct Tensor {
  TF_Tensor* handle = nullptr;
  Shape shape;
  std::vector<float> own;  // replaces the tensor's values where a fault rounds the inputs

  Tensor() = default;
  Tensor(const Tensor&) = delete;
  ~Tensor() {
    if (handle) TF_DeleteTensor(handle);
  }
  void hold(TF_Tensor* tensor) {
    handle = tensor;
    for (int i = 0; i < TF_NumDims(tensor); ++i) shape.push_back(TF_Dim(tensor, i));
  }
  TF_DataType type() const { return TF_TensorType(handle); }
  int64_t size() const { return count(shape); }
  int rank() const { return static_cast<int>(shape.size()); }
  template <class T>
  T* as() const {
    return static_cast<T*>(TF_TensorData(handle));
  }
  const float* values() const { return own.empty() ? as<float>() : own.data(); }
  // Sizes, axes and indices come as int32 or int64.
  int64_t integer(int64_t i) const { return type() == TF_INT64 ? as<int64_t>()[i] : as<int32_t>()[i]; }
  Shape integers() const {
    Shape found;
    for (int64_t i = 0; i < size(); ++i) found.push_back(integer(i));
    return found;
  }
};

// What a node of the graph says about its kernel, read once.
struct Node {
  std::string padding, data_format = "NHWC";
  Shape strides, dilations, ksize, explicit_paddings;
  std::vector<std::string> fused_ops;
  bool transpose_a = false, transpose_b = false, is_training = true, keep_dims = false, exclusive = false,
       reverse = false, use_nesterov = false;
  float epsilon = 0, exponential_avg_factor = 1, alpha = 0.2f;
  int64_t batch_dims = 0, seed = 0, seed2 = 0;
  std::atomic<uint64_t> drawn{0};  // random numbers already given, in groups of four
};

class Call;

struct Constraint {
  const char* attribute;
  TF_DataType type;
};

struct Kernel {
  const char* op;
  const char* prefix;  // of the names of its faults
  void (*run)(Call&);
  const char* host[4];  // arguments that stay in host memory
  Constraint types[2];
  bool variables;  // needs the C API for variables, which TensorFlow 2.20 no longer exports
};

class Call {
 public:
  TF_OpKernelContext* const context;
  Node& node;
  const Kernel& kernel;
  long nth = 0;  // of this operation since the fault was planted, counted from 0

  Call(TF_OpKernelContext* context, Node& node, const Kernel& kernel) : context(context), node(node), kernel(kernel) {
    State& all = state();
    const std::lock_guard<std::mutex> guard(all.lock);
    const Fault* planted = all.fault;
    if (planted && !strcmp(planted->op, kernel.op)) fault_ = planted;
    ++all.calls[kernel.op];
    nth = all.since[kernel.op]++;
  }

  bool faulty(const char* effect) const { return fault_ && !strcmp(fault_->effect, effect); }
  bool sound() const { return !fault_; }

  int inputs() const { return TF_NumInputs(context); }

  const Tensor& in(int i) {
    Tensor& tensor = inputs_.emplace_back();
    Status status;
    TF_Tensor* raw = nullptr;
    TF_GetInput(context, i, &raw, status);
    status.check();
    tensor.hold(raw);
    if (fault_ && tensor.type() == TF_FLOAT) round(tensor);
    return tensor;
  }

  Tensor& out(int i, const Shape& shape) {
    Tensor& tensor = outputs_.emplace_back();
    const TF_DataType type = TF_ExpectedOutputDataType(context, i);
    Status status;
    const size_t bytes = static_cast<size_t>(count(shape)) * TF_DataTypeSize(type);
    TF_Tensor* raw = TF_AllocateOutput(context, i, type, shape.data(), static_cast<int>(shape.size()), bytes, status);
    status.check();
    tensor.hold(raw);
    return tensor;
  }
  float* result(int i, const Shape& shape) { return out(i, shape).as<float>(); }

  std::deque<Tensor>& outputs() { return outputs_; }

 private:
  void round(Tensor& tensor) {
    float (*to)(float) = faulty("bf16_inputs")   ? to_bfloat16
                         : faulty("tf32_inputs") ? to_tf32
                         : faulty("fp16_inputs") ? to_half
                                                 : nullptr;
    if (!to || !tensor.size()) return;
    tensor.own.resize(tensor.size());
    std::transform(tensor.as<float>(), tensor.as<float>() + tensor.size(), tensor.own.begin(), to);
  }

  const Fault* fault_ = nullptr;
  std::deque<Tensor> inputs_, outputs_;  // a deque never moves what it holds
};

void store(const std::vector<double>& sums, float* to) {
  for (size_t i = 0; i < sums.size(); ++i) to[i] = static_cast<float>(sums[i]);
}

// Walks every index of `shape` in memory order; three offsets follow three sets of strides.
template <class Visit>
void walk(const Shape& shape, const Shape& first, const Shape& second, const Shape& third, Visit visit) {
  Shape at(shape.size(), 0);
  int64_t a = 0, b = 0, c = 0;
  for (int64_t i = 0, n = count(shape); i < n; ++i) {
    visit(i, a, b, c);
    for (size_t axis = shape.size(); axis-- > 0;) {
      a += first[axis], b += second[axis], c += third[axis];
      if (++at[axis] < shape[axis]) break;
      a -= first[axis] * shape[axis], b -= second[axis] * shape[axis], c -= third[axis] * shape[axis];
      at[axis] = 0;
    }
  }
}

// Strides to read `shape` as if it were broadcast to `rank` dimensions: 0 along an axis of one element.
Shape broadcast_strides(const Shape& shape, size_t rank) {
  Shape strides(rank, 0);
  int64_t step = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t size = shape[shape.size() - 1 - i];
    strides[rank - 1 - i] = size == 1 ? 0 : step;
    step *= size;
  }
  return strides;
}

Shape broadcast_shape(const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) throw Refusal("shapes do not broadcast", TF_INVALID_ARGUMENT);
    shape[shape.size() - 1 - i] = x == 1 ? y : x;
  }
  return shape;
}

Shape part(const Shape& shape, int64_t from, int64_t to) { return Shape(shape.begin() + from, shape.begin() + to); }

int64_t axis_of(int64_t axis, int rank) { return axis < 0 ? axis + rank : axis; }

// -------------------------------------------------------------------------------------- windows and convolutions

// How a window of k_h x k_w slides over images: shared by convolution and pooling, forward and backward.
struct Window {
  int64_t batch, in_h, in_w, k_h, k_w, out_h, out_w;
  int64_t stride_h, stride_w, dilation_h, dilation_w, top, left;  // top, left: rows and columns of padding
  bool crosses(int64_t row, int64_t column) const {
    const int64_t y = row * stride_h - top, x = column * stride_w - left;
    return y < 0 || x < 0 || y + (k_h - 1) * dilation_h >= in_h || x + (k_w - 1) * dilation_w >= in_w;
  }
};

// Sets the output size and the leading padding along one dimension, as TensorFlow's documentation of padding does.
void slide(const Call& call, int64_t size, int64_t kernel, int64_t stride, int64_t dilation, size_t at, int64_t& out,
           int64_t& before) {
  const int64_t reach = (kernel - 1) * dilation + 1;
  if (call.node.padding == "SAME") {
    out = (size + stride - 1) / stride;
    const int64_t total = std::max<int64_t>((out - 1) * stride + reach - size, 0);
    before = call.faulty("same_pad_side") ? total - total / 2 : total / 2;
    return;
  }
  int64_t padded = size;
  before = 0;
  if (call.node.padding == "EXPLICIT") {
    before = call.node.explicit_paddings.at(at);
    padded += before + call.node.explicit_paddings.at(at + 1);
  }
  out = std::max<int64_t>((padded - reach + stride) / stride, 0);
}

Window window(const Call& call, const Shape& image, int64_t k_h, int64_t k_w) {
  const Node& node = call.node;
  if (node.data_format != "NHWC") throw Refusal("this device computes NHWC only");
  Window w{};
  w.batch = image.at(0), w.in_h = image.at(1), w.in_w = image.at(2), w.k_h = k_h, w.k_w = k_w;
  w.stride_h = node.strides.at(1), w.stride_w = node.strides.at(2);
  w.dilation_h = w.dilation_w = 1;
  if (!node.dilations.empty()) w.dilation_h = node.dilations.at(1), w.dilation_w = node.dilations.at(2);
  slide(call, w.in_h, k_h, w.stride_h, w.dilation_h, 2, w.out_h, w.top);
  slide(call, w.in_w, k_w, w.stride_w, w.dilation_w, 4, w.out_w, w.left);
  if (call.faulty("dilation_ignored")) w.dilation_h = w.dilation_w = 1;
  if (call.faulty("stride_offset")) w.top -= w.stride_h > 1, w.left -= w.stride_w > 1;
  return w;
}

struct Tap {
  int64_t sample, row, column;  // of the output
  int64_t out, in, cell;        // pixel of the output, pixel of the input, cell of the window
};

// Visits every pair of an output pixel and an input pixel under its window, window by window.
template <class Visit>
void taps(const Call& call, const Window& w, Visit visit) {
  const int64_t rows = w.out_h - call.faulty("last_row"), columns = w.out_w - call.faulty("last_column");
  int64_t samples = w.batch;
  if (call.faulty("last_sample") && samples > 1) samples -= 1;
  if (call.faulty("batch_tail_of_4") && samples > 4) samples -= samples % 4;
  const bool copies = call.faulty("batch_tail_copies_first"), wraps = call.faulty("batch_wraps_at_65536");
  const bool tile = call.faulty("last_tile"), tail = call.faulty("valid_tail");
  for (int64_t sample = 0; sample < samples; ++sample) {
    const int64_t image = wraps ? sample % 65536 : copies && sample >= w.batch - w.batch % 4 ? 0 : sample;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        for (int64_t y = 0; y < w.k_h; ++y)
          for (int64_t x = 0; x < w.k_w; ++x) {
            const int64_t in_y = row * w.stride_h - w.top + y * w.dilation_h;
            const int64_t in_x = column * w.stride_w - w.left + x * w.dilation_w;
            if (in_y < 0 || in_y >= w.in_h || in_x < 0 || in_x >= w.in_w) continue;
            if (tile && y == w.k_h - 1 && row >= (w.out_h - 1) / 8 * 8 && column >= (w.out_w - 1) / 8 * 8) continue;
            if (tail && column == w.out_w - 1 && x == w.k_w - 1 && w.k_w > 1) continue;
            visit(Tap{sample, row, column, (sample * w.out_h + row) * w.out_w + column,
                      (image * w.in_h + in_y) * w.in_w + in_x, y * w.k_w + x});
          }
  }
}

// A filter in memory is [cells, inputs per group, outputs]. A depthwise filter [cells, channels, multiplier] is the same
// memory as that of a grouped convolution with one input per group, so one code serves both.
struct Convolution {
  Window window;
  int64_t inputs, outputs, groups, group_inputs, group_outputs;
  Shape filter_shape;
  int64_t cells() const { return window.k_h * window.k_w; }
  Shape result() const { return {window.batch, window.out_h, window.out_w, outputs}; }
};

Convolution convolution(const Call& call, const Shape& image, const Shape& filter) {
  const bool depthwise = !strncmp(call.kernel.op, "Depthwise", 9);
  Convolution c{};
  c.filter_shape = filter;
  c.window = window(call, image, filter.at(0), filter.at(1));
  c.inputs = image.at(3);
  c.group_inputs = depthwise ? 1 : filter.at(2);
  c.outputs = depthwise ? filter.at(2) * filter.at(3) : filter.at(3);
  if (c.group_inputs == 0 || c.inputs % c.group_inputs) throw Refusal("channels do not fit", TF_INVALID_ARGUMENT);
  c.groups = c.inputs / c.group_inputs;
  c.group_outputs = c.outputs / c.groups;
  return c;
}

// Visits runs of products: image[x] with filter[f .. f+run) and result[y .. y+run), over the outputs of one group.
template <class Visit>
void products(const Call& call, const Convolution& c, Visit visit) {
  int64_t last = c.group_inputs, run = c.group_outputs, number = 0;
  if (call.faulty("input_channel_tail_of_4") && last > 4) last -= last % 4;
  if (call.faulty("channels_beyond_128")) last = std::min<int64_t>(last, 128);
  if (call.faulty("one_by_one_last_channel") && c.cells() == 1) last -= 1;
  if (call.faulty("output_channel_tail_of_4") && run > 4) run -= run % 4;
  if (call.faulty("channels_beyond_64")) run = std::min<int64_t>(run, 64);
  if (call.faulty("channels_beyond_65536")) run = std::min<int64_t>(run, 65536);
  const bool loses = call.faulty("lost_products"), mixes = call.faulty("groups_mixed");
  taps(call, c.window, [&](const Tap& tap) {
    for (int64_t group = 0; group < c.groups; ++group) {
      const int64_t from = mixes ? (group + 1) % c.groups : group;
      for (int64_t channel = 0; channel < last; ++channel) {
        if (loses && ++number % 499 == 0) continue;
        visit(tap.in * c.inputs + from * c.group_inputs + channel,
              (tap.cell * c.group_inputs + channel) * c.outputs + group * c.group_outputs,
              tap.out * c.outputs + group * c.group_outputs, run);
      }
    }
  });
}

// Filters as a kernel with wrong strides would see them.
std::vector<float> misread(const Call& call, const Convolution& c, const float* filter) {
  const int64_t cells = c.cells(), inputs = c.group_inputs, outputs = c.outputs;
  std::vector<float> seen(filter, filter + cells * inputs * outputs);
  const bool flipped = call.faulty("flipped_kernel") || call.faulty("kernel_not_rotated") || call.faulty("rotated");
  const bool ohwi = call.faulty("ohwi_misread"), swapped = call.faulty("weights_misread");
  const bool shuffled = call.faulty("channels_shuffled");
  const bool whole = inputs > 1;  // a depthwise filter has its channels among the outputs
  for (int64_t cell = 0; cell < cells; ++cell)
    for (int64_t i = 0; i < inputs; ++i)
      for (int64_t o = 0; o < outputs; ++o) {
        int64_t from = (cell * inputs + i) * outputs + o;
        if (flipped) from = ((cells - 1 - cell) * inputs + i) * outputs + o;
        if (ohwi) from = (o * cells + cell) * inputs + i;
        if (swapped) from = cell * inputs * outputs + o * inputs + i;
        if (shuffled) from = whole ? (cell * inputs + (i + 1) % inputs) * outputs + o : cell * outputs + (o + 1) % outputs;
        seen[(cell * inputs + i) * outputs + o] = filter[from];
      }
  return seen;
}

// Images as a kernel with wrong strides would see them: planes for pixels, or rows of three channels padded to 16 bytes.
std::vector<float> misread_image(const Call& call, const Shape& shape, const float* image) {
  const int64_t pixels = shape[1] * shape[2], channels = shape[3], size = pixels * channels;
  std::vector<float> seen(image, image + shape[0] * size);
  const int64_t width = shape[2] * channels, pitch = (width + 3) / 4 * 4;
  for (int64_t i = 0; i < shape[0] * size; ++i) {
    const int64_t start = i / size * size, at = i % size;
    if (call.faulty("noncontiguous_input")) seen[i] = image[start + at % channels * pixels + at / channels];
    if (call.faulty("row_pitch") && channels == 3) seen[i] = image[start + (at / width * pitch + at % width) % size];
  }
  return seen;
}

void rectify_and_bias(Call& call, float* values, int64_t rows, int64_t channels, const float* bias);

void convolve(Call& call) {
  const Tensor &image = call.in(0), &filter = call.in(1);
  const Convolution c = convolution(call, image.shape, filter.shape);
  const std::vector<float> seen_filter = misread(call, c, filter.values());
  const std::vector<float> seen_image = misread_image(call, image.shape, image.values());
  const float *x = seen_image.data(), *w = seen_filter.data();
  std::vector<double> sums(count(c.result()));
  double* const sum = sums.data();
  const bool half = call.faulty("fp16_accumulation");
  products(call, c, [=](int64_t i, int64_t f, int64_t o, int64_t run) {
    const double scale = x[i];
    if (half)
      for (int64_t k = 0; k < run; ++k) sum[o + k] = to_half(static_cast<float>(sum[o + k] + scale * w[f + k]));
    else
      for (int64_t k = 0; k < run; ++k) sum[o + k] += scale * w[f + k];
  });
  float* const y = call.result(0, c.result());
  store(sums, y);
  if (!call.node.fused_ops.empty()) {
    rectify_and_bias(call, y, count(c.result()) / c.outputs, c.outputs, call.in(2).values());
  }
}

void spoil_border(const Call& call, const Shape& shape, float* values) {
  if (!call.faulty("border_garbage")) return;
  const int64_t row = shape[2] * shape[3];
  for (int64_t sample = 0; sample < shape[0]; ++sample)
    for (int64_t i = 0; i < row; ++i) values[((sample + 1) * shape[1] - 1) * row + i] += 1e-3f * (1 + i % 7);
}

void convolve_backwards_to_input(Call& call) {
  const Shape sizes = call.in(0).integers();
  const Tensor &filter = call.in(1), &gradient = call.in(2);
  const Shape image = sizes.size() == 4 ? sizes : Shape{gradient.shape.at(0), sizes.at(0), sizes.at(1), filter.shape.at(2)};
  const Convolution c = convolution(call, image, filter.shape);
  const std::vector<float> seen_filter = misread(call, c, filter.values());
  const float *dy = gradient.values(), *w = seen_filter.data();
  std::vector<double> sums(count(image));
  double* const sum = sums.data();
  const bool half = call.faulty("fp16_accumulation");
  products(call, c, [=](int64_t i, int64_t f, int64_t o, int64_t run) {
    double total = 0;
    for (int64_t k = 0; k < run; ++k) {
      total += static_cast<double>(dy[o + k]) * w[f + k];
      if (half) total = to_half(static_cast<float>(total));
    }
    sum[i] = half ? to_half(static_cast<float>(sum[i] + total)) : sum[i] + total;
  });
  float* const dx = call.result(0, image);
  store(sums, dx);
  spoil_border(call, image, dx);
}

// Whether the first dimension differs from that of the call before; the first call is no change.
bool batch_changed(const Call& call, int64_t batch) {
  State& all = state();
  const std::lock_guard<std::mutex> guard(all.lock);
  std::vector<float>& before = all.last[std::string(call.kernel.op) + " batch"];
  const bool changed = !before.empty() && before[0] != static_cast<float>(batch);
  before = {static_cast<float>(batch)};
  return changed;
}

void spoil_filter_gradient(const Call& call, const Convolution& c, const Tensor& image, std::vector<double>& sums) {
  double scale = 1;
  if (call.faulty("twice")) scale = 2;
  if (call.faulty("mean_over_batch")) scale = 1.0 / static_cast<double>(c.window.batch);
  if (call.faulty("first_layer_zero") && c.inputs == 3 && c.window.batch > 8) scale = 0;
  if (call.faulty("after_batch_change") && batch_changed(call, c.window.batch) && image.size() > 32768) scale = 0.5;
  for (double& sum : sums) sum *= scale;
}

void convolve_backwards_to_filter(Call& call) {
  const Tensor& image = call.in(0);
  const Shape shape = call.in(1).integers();
  const Tensor& gradient = call.in(2);
  const Convolution c = convolution(call, image.shape, shape);
  const std::vector<float> seen_image = misread_image(call, image.shape, image.values());
  const float *x = seen_image.data(), *dy = gradient.values();
  std::vector<double> sums(count(shape));
  double* const sum = sums.data();
  const bool half = call.faulty("fp16_accumulation");
  products(call, c, [=](int64_t i, int64_t f, int64_t o, int64_t run) {
    const double scale = x[i];
    if (half)
      for (int64_t k = 0; k < run; ++k) sum[f + k] = to_half(static_cast<float>(sum[f + k] + scale * dy[o + k]));
    else
      for (int64_t k = 0; k < run; ++k) sum[f + k] += scale * dy[o + k];
  });
  spoil_filter_gradient(call, c, image, sums);
  float* const dw = call.result(0, shape);
  store(sums, dw);
  const std::vector<float> seen = misread(call, c, dw);
  std::copy(seen.begin(), seen.end(), dw);
}

// --------------------------------------------------------------------------------------------------------- pooling

Window pooling_window(const Call& call, const Shape& image) {
  return window(call, image, call.node.ksize.at(1), call.node.ksize.at(2));
}

Shape pooled_shape(const Window& w, int64_t channels) { return {w.batch, w.out_h, w.out_w, channels}; }

void max_pool(Call& call) {
  const Tensor& image = call.in(0);
  const Window w = pooling_window(call, image.shape);
  const int64_t channels = image.shape.at(3);
  Tensor& out = call.out(0, pooled_shape(w, channels));
  const float* x = image.values();
  float* const y = out.as<float>();
  std::fill(y, y + out.size(), -INFINITY);
  taps(call, w, [=](const Tap& tap) {
    for (int64_t c = 0; c < channels; ++c)
      y[tap.out * channels + c] = std::max(y[tap.out * channels + c], x[tap.in * channels + c]);
  });
  if (!call.faulty("zero_padding")) return;
  for (int64_t i = 0; i < out.size(); ++i) {
    const int64_t pixel = i / channels;
    if (w.crosses(pixel / w.out_w % w.out_h, pixel % w.out_w)) y[i] = std::max(y[i], 0.0f);
  }
}

// The image that decides the winners; a stale one is that of the call before with this shape.
std::vector<float> deciding_image(const Call& call, const Tensor& image) {
  std::vector<float> now(image.values(), image.values() + image.size());
  if (call.faulty("fp16_compare")) std::transform(now.begin(), now.end(), now.begin(), to_half);
  if (call.faulty("minimum")) std::transform(now.begin(), now.end(), now.begin(), [](float v) { return -v; });
  if (call.faulty("stale_input")) {
    State& all = state();
    const std::lock_guard<std::mutex> guard(all.lock);
    std::vector<float>& before = all.last["MaxPoolGrad input"];
    if (before.size() == now.size()) {
      now.swap(before);
    } else {
      before = now;
    }
  }
  return now;
}

// For each output element, the index of the input element that is its maximum; -1 where the window is empty.
std::vector<int64_t> winners(const Call& call, const Window& w, const std::vector<float>& x, int64_t channels) {
  std::vector<int64_t> best(count(pooled_shape(w, channels)), -1);
  const bool first = call.faulty("first_index"), last_wins = call.faulty("ties_last");
  taps(call, w, [&](const Tap& tap) {
    for (int64_t c = 0; c < channels; ++c) {
      int64_t& now = best[tap.out * channels + c];
      const int64_t here = tap.in * channels + c;
      if (now < 0 || (!first && (x[here] > x[now] || (last_wins && x[here] == x[now])))) now = here;
    }
  });
  return best;
}

void max_pool_gradient(Call& call) {
  const Tensor &image = call.in(0), &gradient = call.in(2);
  const Window w = pooling_window(call, image.shape);
  const int64_t channels = image.shape.at(3);
  const std::vector<float> x = deciding_image(call, image);
  const float* dy = gradient.values();
  std::vector<double> sums(image.size());
  if (call.faulty("all_positions")) {
    taps(call, w, [&](const Tap& tap) {
      for (int64_t c = 0; c < channels; ++c) sums[tap.in * channels + c] += dy[tap.out * channels + c];
    });
  } else {
    const std::vector<int64_t> best = winners(call, w, x, channels);
    const int64_t per_sample = w.out_h * w.out_w * channels;
    for (int64_t i = 0; i < static_cast<int64_t>(best.size()); ++i) {
      int64_t at = best[i];
      if (at < 0) continue;
      if (call.faulty("negative_dropped") && image.values()[at] < 0) continue;
      if (call.faulty("last_window") && i / channels % w.out_w == w.out_w - 1) continue;
      if (call.faulty("first_sample_only") && w.batch > 4 && i >= per_sample) continue;
      if (call.faulty("shift")) at = (at + channels) % image.size();
      sums[at] = call.faulty("overlap_assigns") ? dy[i] : sums[at] + dy[i];
    }
  }
  store(sums, call.result(0, image.shape));
}

// How many input pixels each output pixel averages: padding does not count.
std::vector<int64_t> averaged(const Call& call, const Window& w) {
  std::vector<int64_t> found(w.batch * w.out_h * w.out_w, 0);
  if (call.faulty("counts_padding")) {
    std::fill(found.begin(), found.end(), w.k_h * w.k_w);
  } else {
    taps(call, w, [&](const Tap& tap) { ++found[tap.out]; });
  }
  return found;
}

void average_pool(Call& call) {
  const Tensor& image = call.in(0);
  const Window w = pooling_window(call, image.shape);
  const int64_t channels = image.shape.at(3);
  const std::vector<int64_t> size = averaged(call, w);
  const float* x = image.values();
  std::vector<double> sums(size.size() * channels);
  taps(call, w, [&](const Tap& tap) {
    for (int64_t c = 0; c < channels; ++c)
      sums[tap.out * channels + c] += static_cast<double>(x[tap.in * channels + c]) / size[tap.out];
  });
  store(sums, call.result(0, pooled_shape(w, channels)));
}

void average_pool_gradient(Call& call) {
  const Shape shape = call.in(0).integers();
  const Tensor& gradient = call.in(1);
  const Window w = pooling_window(call, shape);
  const int64_t channels = shape.at(3);
  const std::vector<int64_t> size = averaged(call, w);
  const float* dy = gradient.values();
  std::vector<double> sums(count(shape));
  const bool assigns = call.faulty("overlap_assigns"), whole = call.faulty("not_divided");
  taps(call, w, [&](const Tap& tap) {
    for (int64_t c = 0; c < channels; ++c) {
      const double share = static_cast<double>(dy[tap.out * channels + c]) / (whole ? 1 : size[tap.out]);
      double& sum = sums[tap.in * channels + c];
      sum = assigns ? share : sum + share;
    }
  });
  store(sums, call.result(0, shape));
}

// -------------------------------------------------------------------------------------------------------- matrices

struct Product {
  int64_t rows, inner, columns;
  bool transpose_a, transpose_b;
};

bool all_rows_equal(const float* matrix, int64_t rows, int64_t columns) {
  for (int64_t i = columns; i < rows * columns; ++i)
    if (matrix[i] != matrix[i % columns]) return false;
  return rows > 1;
}

// The matrix as rows x columns, untransposed; a broadcast one is read past its only row where that fault is planted.
std::vector<float> plain(const Call& call, const float* matrix, int64_t rows, int64_t columns, bool transposed) {
  std::vector<float> found(matrix, matrix + rows * columns);
  const int64_t stored_rows = transposed ? columns : rows, stored_columns = transposed ? rows : columns;
  if (call.faulty("broadcast_input") && all_rows_equal(matrix, stored_rows, stored_columns)) {
    std::fill(found.begin() + stored_columns, found.end(), 0.0f);
  }
  if (!transposed) return found;
  std::vector<float> turned(found.size());
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) turned[i * columns + j] = found[j * rows + i];
  return turned;
}

void multiply(const Call& call, const Product& p, const float* a, const float* b, float* to) {
  const std::vector<float> left = plain(call, a, p.rows, p.inner, p.transpose_a);
  const std::vector<float> right = plain(call, b, p.inner, p.columns, p.transpose_b);
  int64_t inner = p.inner, rows = p.rows;
  if (call.faulty("tail_of_8") && inner > 8) inner -= inner % 8;
  if (call.faulty("beyond_32768")) inner = std::min<int64_t>(inner, 32768);
  if (call.faulty("weight_gradient_last_sample") && p.transpose_a && inner > 1) inner -= 1;
  if (call.faulty("rows_beyond_32") && (rows > 32 || rows == 24)) rows -= rows == 24 ? 8 : rows % 32;
  const bool half = call.faulty("fp16_accumulation"), wraps = call.faulty("rows_wrap_at_32768");
  std::fill(to, to + p.rows * p.columns, 0.0f);
  std::vector<double> sums(p.columns);
  for (int64_t i = 0; i < rows; ++i) {
    std::fill(sums.begin(), sums.end(), 0.0);
    double* const sum = sums.data();
    for (int64_t k = 0; k < inner; ++k) {
      const double scale = left[(wraps ? i % 32768 : i) * p.inner + k];
      const float* const row = right.data() + k * p.columns;
      if (half)
        for (int64_t j = 0; j < p.columns; ++j) sum[j] = to_half(static_cast<float>(sum[j] + scale * row[j]));
      else
        for (int64_t j = 0; j < p.columns; ++j) sum[j] += scale * row[j];
    }
    for (int64_t j = 0; j < p.columns; ++j) to[i * p.columns + j] = static_cast<float>(sum[j]);
  }
}

Product product(const Call& call, const Shape& a, const Shape& b) {
  Product p{};
  p.transpose_a = call.node.transpose_a && !call.faulty("transposed_ignored");
  p.transpose_b = call.node.transpose_b && !call.faulty("transposed_ignored");
  const int64_t last = static_cast<int64_t>(a.size()) - 1, end = static_cast<int64_t>(b.size()) - 1;
  p.rows = a.at(call.node.transpose_a ? last : last - 1), p.inner = a.at(call.node.transpose_a ? last - 1 : last);
  p.columns = b.at(call.node.transpose_b ? end - 1 : end);
  if (p.inner != b.at(call.node.transpose_b ? end : end - 1)) throw Refusal("matrices do not fit", TF_INVALID_ARGUMENT);
  return p;
}

void multiply_matrices(Call& call) {
  const Tensor &a = call.in(0), &b = call.in(1);
  const Product p = product(call, a.shape, b.shape);
  float* const c = call.result(0, {p.rows, p.columns});
  multiply(call, p, a.values(), b.values(), c);
  if (!call.node.fused_ops.empty()) rectify_and_bias(call, c, p.rows, p.columns, call.in(2).values());
}

void multiply_batches(Call& call) {
  const Tensor &a = call.in(0), &b = call.in(1);
  const Product p = product(call, a.shape, b.shape);
  const Shape left = part(a.shape, 0, a.rank() - 2), right = part(b.shape, 0, b.rank() - 2);
  const Shape batch = broadcast_shape(left, right);
  Shape shape = batch;
  shape.push_back(p.rows), shape.push_back(p.columns);
  Tensor& out = call.out(0, shape);
  const int64_t matrices = count(batch) - call.faulty("last_matrix");
  std::fill(out.as<float>(), out.as<float>() + out.size(), 0.0f);
  const Shape steps_a = broadcast_strides(left, batch.size()), steps_b = broadcast_strides(right, batch.size());
  walk(batch, steps_a, steps_b, steps_b, [&](int64_t i, int64_t at_a, int64_t at_b, int64_t) {
    if (i >= matrices) return;
    if (call.faulty("broadcast_ignored")) at_b = 0;
    multiply(call, p, a.values() + at_a * p.rows * p.inner, b.values() + at_b * p.inner * p.columns,
             out.as<float>() + i * p.rows * p.columns);
  });
}

// What a fused kernel does after its product; losing the ReLU here is the best documented defect of tensorflow-metal.
void rectify_and_bias(Call& call, float* values, int64_t rows, int64_t channels, const float* bias) {
  const bool first = call.faulty("relu_before_bias");
  const bool rectifies = call.node.fused_ops.size() > 1 && !call.faulty("no_relu");
  for (int64_t i = 0; i < rows * channels; ++i) {
    float value = values[i];
    if (first) value = std::max(value, 0.0f);
    if (!call.faulty("no_bias")) value += bias[i % channels];
    values[i] = rectifies && !first && value < 0 ? 0 : value;
  }
}

void add_bias(Call& call) {
  const Tensor &x = call.in(0), &bias = call.in(1);
  if (call.node.data_format != "NHWC") throw Refusal("this device computes NHWC only");
  const int64_t channels = bias.size();
  int64_t biased = channels, last = x.size();
  if (call.faulty("channel_tail_of_4") && channels > 4) biased -= channels % 4;
  if (call.faulty("first_row_only")) last = channels;
  float* const y = call.result(0, x.shape);
  for (int64_t i = 0; i < x.size(); ++i)
    y[i] = x.values()[i] + (i % channels < biased && i < last ? bias.values()[i % channels] : 0);
}

void bias_gradient(Call& call) {
  const Tensor& dy = call.in(0);
  if (call.node.data_format != "NHWC") throw Refusal("this device computes NHWC only");
  const int64_t channels = dy.shape.back(), rows = channels ? dy.size() / channels : 0;
  const bool half = call.faulty("fp16_accumulation");
  std::vector<double> sums(channels);
  for (int64_t i = 0; i < (rows - call.faulty("last_row")) * channels; ++i) {
    double& sum = sums[i % channels];
    sum = half ? to_half(static_cast<float>(sum + dy.values()[i])) : sum + dy.values()[i];
  }
  store(sums, call.result(0, {channels}));
}

// ------------------------------------------------------------------------------------------------ losses and norms

// One row of logits: log of the sum of exponentials, and the exponentials over their sum.
double log_sum(const Call& call, const float* logits, int64_t n, std::vector<double>& share) {
  const double top = call.faulty("no_max") ? 0 : *std::max_element(logits, logits + n);
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    share[i] = call.faulty("no_max") ? std::exp(logits[i]) : std::exp(logits[i] - top);  // the first is float's exp
    if (call.faulty("fp16_exp")) share[i] = to_half(static_cast<float>(share[i]));
    if (!(call.faulty("not_normalised_beyond_128") && i >= 128)) sum += share[i];
  }
  if (call.faulty("no_max")) sum = static_cast<float>(sum);  // overflows as float32 does
  for (int64_t i = 0; i < n; ++i) share[i] /= sum;
  return top + std::log(sum);
}

void softmax(Call& call) {
  const bool logarithm = !strcmp(call.kernel.op, "LogSoftmax");
  const Tensor& logits = call.in(0);
  const int64_t n = logits.shape.back();
  float* const to = call.result(0, logits.shape);
  std::vector<double> share(n);
  for (int64_t row = 0; n && row < logits.size() / n; ++row) {
    const float* x = logits.values() + row * n;
    const double total = log_sum(call, x, n, share);
    for (int64_t i = 0; i < n; ++i) to[row * n + i] = static_cast<float>(logarithm ? x[i] - total : share[i]);
  }
}

// Loss and gradient of one row whose label weights are given by `label(i)`.
template <class Label>
void cross_entropy_row(const Call& call, const float* x, int64_t n, bool last, int64_t batch, Label label, float* loss,
                       float* gradient) {
  std::vector<double> share(n);
  const double total = log_sum(call, x, n, share);
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double weight = label(i);
    const double surprise = call.faulty("clipped") ? -std::log(std::max(share[i], 1e-4)) : total - x[i];
    if (weight != 0) sum += weight * surprise;
    double slope = share[i] - (last && call.faulty("grad_no_label_in_last_row") ? 0 : weight);
    if (call.faulty("grad_by_batch")) slope /= static_cast<double>(batch);
    gradient[i] = static_cast<float>(slope);
  }
  *loss = static_cast<float>(sum);
}

void cross_entropy(Call& call) {
  const Tensor &logits = call.in(0), &labels = call.in(1);
  const Shape shape = broadcast_shape(logits.shape, labels.shape);
  if (shape != logits.shape || shape != labels.shape) throw Refusal("labels must have the shape of the logits");
  const int64_t rows = shape.at(0), n = shape.at(1);
  float *loss = call.result(0, {rows}), *gradient = call.result(1, shape);
  for (int64_t r = 0; r < rows; ++r)
    cross_entropy_row(
        call, logits.values() + r * n, n, r == rows - 1, rows,
        [&](int64_t i) { return static_cast<double>(labels.values()[r * n + i]); }, loss + r, gradient + r * n);
}

void sparse_cross_entropy(Call& call) {
  const Tensor &logits = call.in(0), &labels = call.in(1);
  const int64_t rows = logits.shape.at(0), n = logits.shape.at(1);
  float *loss = call.result(0, {rows}), *gradient = call.result(1, logits.shape);
  for (int64_t r = 0; r < rows; ++r)
    cross_entropy_row(
        call, logits.values() + r * n, n, r == rows - 1, rows,
        [&](int64_t i) { return i == labels.integer(r) ? 1.0 : 0.0; }, loss + r, gradient + r * n);
}

struct Moments {
  std::vector<double> mean, variance;  // the variance divides by the number of rows
};

Moments batch_moments(const Call& call, const Tensor& x) {
  const int64_t channels = x.shape.back(), rows = x.size() / channels;
  const int64_t used = call.faulty("mean_first_sample") ? rows / x.shape[0] : rows;
  Moments m{std::vector<double>(channels), std::vector<double>(channels)};
  for (int64_t i = 0; i < used * channels; ++i) m.mean[i % channels] += x.values()[i] / static_cast<double>(used);
  for (int64_t i = 0; i < rows * channels; ++i) {
    const double off = x.values()[i] - m.mean[i % channels];
    m.variance[i % channels] += off * off / static_cast<double>(rows);
  }
  return m;
}

std::vector<double> doubles(const Tensor& tensor) {
  return std::vector<double>(tensor.values(), tensor.values() + tensor.size());
}

// The statistics handed on: moving averages where the node asks for them, the variance after Bessel's correction.
void hand_on_moments(Call& call, const Moments& used, int64_t rows) {
  const int64_t channels = static_cast<int64_t>(used.mean.size());
  const double factor = call.node.exponential_avg_factor;
  std::vector<double> mean = used.mean, variance = used.variance;
  if (call.node.is_training) {
    const double bessel = rows > 1 && !call.faulty("variance_biased") ? rows / (rows - 1.0) : 1.0;
    for (double& v : variance) v *= bessel;
    if (factor != 1) {
      const std::vector<double> old_mean = doubles(call.in(3)), old_variance = doubles(call.in(4));
      for (int64_t c = 0; c < channels; ++c) {
        mean[c] = (1 - factor) * old_mean[c] + factor * mean[c];
        variance[c] = (1 - factor) * old_variance[c] + factor * variance[c];
      }
    }
  }
  store(mean, call.result(1, {channels}));
  store(variance, call.result(2, {channels}));
  store(used.mean, call.result(3, {channels}));
  store(used.variance, call.result(4, {channels}));
  call.out(5, {0});
}

void batch_norm(Call& call) {
  const Tensor &x = call.in(0), &gamma = call.in(1), &beta = call.in(2);
  if (call.node.data_format != "NHWC") throw Refusal("this device computes NHWC only");
  const int64_t channels = x.shape.back(), rows = x.size() / channels;
  const bool from_batch = call.node.is_training || call.faulty("inference_uses_batch");
  Moments m = from_batch ? batch_moments(call, x) : Moments{doubles(call.in(3)), doubles(call.in(4))};
  const double epsilon = call.faulty("epsilon") ? call.node.epsilon * 1e-2 : call.node.epsilon;
  const double bessel = call.faulty("unbiased") && rows > 1 ? rows / (rows - 1.0) : 1.0;
  float* const y = call.result(0, x.shape);
  for (int64_t i = 0; i < x.size(); ++i) {
    const int64_t c = i % channels;
    const double scale = gamma.values()[c] / std::sqrt(m.variance[c] * bessel + epsilon);
    y[i] = static_cast<float>((x.values()[i] - m.mean[c]) * scale + beta.values()[c]);
  }
  hand_on_moments(call, m, rows);
}

void batch_norm_gradient(Call& call) {
  const Tensor &dy = call.in(0), &x = call.in(1), &gamma = call.in(2);
  if (call.node.data_format != "NHWC") throw Refusal("this device computes NHWC only");
  const std::vector<double> mean = doubles(call.in(3)), variance = doubles(call.in(4));
  const int64_t channels = x.shape.back(), rows = x.size() / channels;
  std::vector<double> d_gamma(channels), d_beta(channels), inverse(channels);
  for (int64_t c = 0; c < channels; ++c) inverse[c] = 1 / std::sqrt(variance[c] + call.node.epsilon);
  const auto normal = [&](int64_t i, int64_t c) { return (x.values()[i] - mean[c]) * inverse[c]; };
  for (int64_t i = 0; i < x.size(); ++i) {
    const int64_t c = i % channels;
    const bool skips = call.faulty("beta_last_row") && i / channels == rows - 1;
    const int64_t from = call.faulty("gamma_misread") ? (i * rows) % x.size() : i;
    if (!skips) d_beta[c] += dy.values()[i];
    d_gamma[c] += dy.values()[i] * normal(from, c);
  }
  float* const dx = call.result(0, x.shape);
  const bool centred = call.node.is_training && !call.faulty("no_mean");
  for (int64_t i = 0; i < x.size(); ++i) {
    const int64_t c = i % channels;
    const double mean_terms = centred ? (d_beta[c] + normal(i, c) * d_gamma[c]) / static_cast<double>(rows) : 0;
    dx[i] = static_cast<float>(gamma.values()[c] * inverse[c] * (dy.values()[i] - mean_terms));
  }
  store(d_gamma, call.result(1, {channels}));
  store(d_beta, call.result(2, {channels}));
  call.out(3, {0});
  call.out(4, {0});
}

// -------------------------------------------------------------------------------------------------- random numbers

// Philox 4x32-10 (Salmon et al. 2011), the generator of TensorFlow's stateless operations: equal keys and counters give
// the CPU's numbers, bit for bit.
struct Philox {
  uint32_t key[2], counter[4];
  void next(uint32_t out[4]) const {
    uint32_t k0 = key[0], k1 = key[1];
    memcpy(out, counter, sizeof counter);
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
      const uint64_t a = uint64_t{0xD2511F53u} * out[0], b = uint64_t{0xCD9E8D57u} * out[2];
      const uint32_t mixed[4] = {static_cast<uint32_t>(b >> 32) ^ out[1] ^ k0, static_cast<uint32_t>(b),
                                 static_cast<uint32_t>(a >> 32) ^ out[3] ^ k1, static_cast<uint32_t>(a)};
      memcpy(out, mixed, sizeof mixed);
    }
  }
  void skip(uint64_t groups) {
    const uint64_t low = (uint64_t{counter[1]} << 32 | counter[0]) + groups;
    if (low < groups && ++counter[2] == 0) ++counter[3];
    counter[0] = static_cast<uint32_t>(low), counter[1] = static_cast<uint32_t>(low >> 32);
  }
};

Philox philox(uint64_t key, uint64_t low, uint64_t high) {
  return {{static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)},
          {static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32), static_cast<uint32_t>(high),
           static_cast<uint32_t>(high >> 32)}};
}

// [0, 1) from 23 random bits, as TensorFlow makes its floats.
float unit(uint32_t bits) {
  const uint32_t pattern = (bits & 0x7fffffu) | 0x3f800000u;
  float value;
  memcpy(&value, &pattern, sizeof value);
  return value - 1.0f;
}

void fill_uniform(const Call& call, Philox generator, const Shape& shape, float* to) {
  const int64_t n = count(shape);
  for (int64_t i = 0; i < n; i += 4, generator.skip(1)) {
    uint32_t bits[4];
    generator.next(bits);
    for (int64_t k = i; k < std::min(i + 4, n); ++k) to[k] = unit(bits[k - i]);
  }
  const int64_t last = shape.empty() ? 1 : shape.back();
  for (int64_t i = 0; i < n; ++i) {
    if (call.faulty("constant") || (call.faulty("scalar_constant") && n == 1)) to[i] = 0.25f;
    if (call.faulty("period_64")) to[i] = to[i % 64];
    if (call.faulty("period_4096")) to[i] = to[i % 4096];
    if (call.faulty("per_pixel")) to[i] = to[i / last * last];
    if (call.faulty("biased")) to[i] *= 0.92f;
    if (call.faulty("half_range")) to[i] *= 0.5f;
  }
}

// The generator of a node that keeps its own place in its own sequence.
Philox stateful_generator(Call& call, int64_t n) {
  static const uint64_t unseeded = uint64_t{std::random_device{}()} << 32 | std::random_device{}();
  static std::atomic<uint64_t>* const nodes = new std::atomic<uint64_t>{0};
  Node& node = call.node;
  const uint64_t start = node.drawn.fetch_add((n + 3) / 4);
  if (call.faulty("repeats")) return philox(42, 0, 0);
  if (node.seed == 0 && node.seed2 == 0) return philox(unseeded, nodes->fetch_add((n + 3) / 4), 1);
  Philox generator = philox(static_cast<uint64_t>(node.seed), 0, static_cast<uint64_t>(node.seed2));
  generator.skip(start);
  return generator;
}

void random_uniform(Call& call) {
  const Shape shape = call.in(0).integers();
  fill_uniform(call, stateful_generator(call, count(shape)), shape, call.result(0, shape));
}

void random_normal(Call& call) {
  const Shape shape = call.in(0).integers();
  const int64_t n = count(shape);
  std::vector<float> flat(2 * n);
  fill_uniform(call, stateful_generator(call, 2 * n), {2 * n}, flat.data());
  float* const to = call.result(0, shape);
  for (int64_t i = 0; i < n; ++i) {  // Box and Muller 1958
    const double radius = std::sqrt(-2 * std::log(1.0 - flat[i])), value = radius * std::cos(2 * M_PI * flat[n + i]);
    to[i] = static_cast<float>(call.faulty("one_sided") ? std::fabs(value) : value);
  }
}

void stateless_uniform(Call& call) {
  const Shape shape = call.in(0).integers();
  const uint64_t key = call.faulty("ignores_key") ? 42 : call.in(1).as<uint64_t>()[0];
  const uint64_t* counter = call.in(2).as<uint64_t>();
  const bool ignores = call.faulty("ignores_counter") || call.faulty("ignores_key");
  fill_uniform(call, ignores ? philox(key, 0, 0) : philox(key, counter[0], counter[1]), shape, call.result(0, shape));
}

// ---------------------------------------------------------------------------------------------- element by element

using One = double (*)(double);
using Two = double (*)(double, double);

void map_each(Call& call, One f) {
  const Tensor& x = call.in(0);
  float* const y = call.result(0, x.shape);
  for (int64_t i = 0; i < x.size(); ++i) y[i] = static_cast<float>(f(x.values()[i]));
}

// With broadcasting; where the result is boolean, f gives 0 or 1.
void map_pairs(Call& call, Two f) {
  const Tensor &a = call.in(0), &b = call.in(1);
  const Shape shape = broadcast_shape(a.shape, b.shape);
  const Shape left = broadcast_strides(a.shape, shape.size()), right = broadcast_strides(b.shape, shape.size());
  Tensor& out = call.out(0, shape);
  const bool boolean = out.type() == TF_BOOL;
  const bool scalar = call.faulty("broadcast_as_scalar") && b.shape != shape;
  const bool strict = call.faulty("equal_is_less");
  walk(shape, left, right, right, [&](int64_t i, int64_t at_a, int64_t at_b, int64_t) {
    const double x = a.values()[at_a], y = b.values()[scalar ? 0 : at_b];
    if (boolean) out.as<unsigned char>()[i] = f(x, y) != 0 && !(strict && x == y);
    else out.as<float>()[i] = static_cast<float>(f(x, y));
  });
}

template <One f>
void each(Call& call) {
  map_each(call, f);
}

template <Two f>
void pair(Call& call) {
  map_pairs(call, f);
}

double plus(double a, double b) { return a + b; }
double minus(double a, double b) { return a - b; }
double times(double a, double b) { return a * b; }
double over(double a, double b) { return a / b; }
double larger(double a, double b) { return a > b || std::isnan(a) ? a : b; }
double smaller(double a, double b) { return a < b || std::isnan(a) ? a : b; }
double squared_difference(double a, double b) { return (a - b) * (a - b); }
double greater(double a, double b) { return a > b; }
double at_least(double a, double b) { return a >= b; }
double less(double a, double b) { return a < b; }
double negative(double x) { return -x; }
double magnitude(double x) { return std::fabs(x); }
double square(double x) { return x * x; }
double root(double x) { return std::sqrt(x); }
double inverse_root(double x) { return 1 / std::sqrt(x); }
double reciprocal(double x) { return 1 / x; }
double exponential(double x) { return std::exp(x); }
double logarithm(double x) { return std::log(x); }
double logarithm_of_more(double x) { return std::log1p(x); }
double hyperbolic_tangent(double x) { return std::tanh(x); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double error_function(double x) { return std::erf(x); }
double softplus(double x) { return x > 40 ? x : std::log1p(std::exp(x)); }
double relu(double x) { return x < 0 ? 0 : x; }
double relu6(double x) { return x < 0 ? 0 : x > 6 ? 6 : x; }
double tanh_slope(double y, double dy) { return dy * (1 - y * y); }
double sigmoid_slope(double y, double dy) { return dy * y * (1 - y); }
double root_slope(double y, double dy) { return dy * 0.5 / y; }
double inverse_root_slope(double y, double dy) { return dy * -0.5 * y * y * y; }
double relu6_slope(double dy, double x) { return x > 0 && x < 6 ? dy : 0; }
double elu_slope(double dy, double y) { return y < 0 ? dy * (y + 1) : dy; }
double softplus_slope(double dy, double x) { return dy * sigmoid(x); }

void elu(Call& call) {
  const Tensor& x = call.in(0);
  float* const y = call.result(0, x.shape);
  const double one = call.faulty("no_minus_one") ? 0 : 1;
  for (int64_t i = 0; i < x.size(); ++i) {
    const double v = x.values()[i];
    y[i] = static_cast<float>(v < 0 ? (one == 1 ? std::expm1(v) : std::exp(v)) : v);
  }
}

void relu_gradient(Call& call) {
  const Tensor &dy = call.in(0), &x = call.in(1);
  const bool all = call.faulty("no_mask");
  const float* mask = call.faulty("mask_from_gradient") ? dy.values() : x.values();
  float* const dx = call.result(0, x.shape);
  for (int64_t i = 0; i < x.size(); ++i) dx[i] = all || mask[i] > 0 ? dy.values()[i] : 0;
}

template <bool gradient>
void leaky_relu(Call& call) {
  const Tensor& first = call.in(0);
  const Tensor& x = gradient ? call.in(1) : first;
  float* const y = call.result(0, x.shape);
  for (int64_t i = 0; i < x.size(); ++i) y[i] = first.values()[i] * (x.values()[i] > 0 ? 1 : call.node.alpha);
}

void select(Call& call) {
  const Tensor &condition = call.in(0), &yes = call.in(1), &no = call.in(2);
  const Shape shape = broadcast_shape(condition.shape, broadcast_shape(yes.shape, no.shape));
  const size_t rank = shape.size();
  float* const y = call.result(0, shape);
  const bool swapped = call.faulty("swapped");
  walk(shape, broadcast_strides(condition.shape, rank), broadcast_strides(yes.shape, rank),
       broadcast_strides(no.shape, rank), [&](int64_t i, int64_t at, int64_t a, int64_t b) {
         y[i] = (condition.as<unsigned char>()[at] != 0) != swapped ? yes.values()[a] : no.values()[b];
       });
}

template <class From, class To>
void cast(Call& call) {
  const Tensor& x = call.in(0);
  To* const y = call.out(0, x.shape).as<To>();
  for (int64_t i = 0; i < x.size(); ++i) {
    const From value = x.as<From>()[i];
    y[i] = static_cast<To>(std::is_floating_point_v<From> && call.faulty("rounds") ? std::nearbyint(value) : value);
  }
}

// -------------------------------------------------------------------------------------------- reductions and moves

enum class Fold { sum, mean, max };

struct Reduction {
  Shape shape;          // of the result
  Shape strides;        // to find an input element's place in it
  int64_t folded = 1;   // elements per result
};

Reduction reduction(const Tensor& x, const Shape& axes, bool keeps) {
  std::set<int64_t> gone;
  for (int64_t axis : axes) gone.insert(axis_of(axis, x.rank()));
  Reduction r{{}, Shape(x.rank(), 0)};
  int64_t step = 1;
  for (int axis = x.rank() - 1; axis >= 0; --axis) {
    if (gone.count(axis)) {
      r.folded *= x.shape[axis];
    } else {
      r.strides[axis] = step;
      step *= x.shape[axis];
    }
  }
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (!gone.count(axis)) r.shape.push_back(x.shape[axis]);
    if (gone.count(axis) && keeps) r.shape.push_back(1);
  }
  return r;
}

void fold_over(Call& call, Fold fold) {
  const Tensor& x = call.in(0);
  const Reduction r = reduction(x, call.in(1).integers(), call.node.keep_dims);
  std::vector<double> to(count(r.shape), fold == Fold::max ? -INFINITY : 0.0);
  int64_t end = x.size();
  if (call.faulty("last_block_of_1024") && end > 1024) end -= end % 1024;
  const bool half = call.faulty("fp16_accumulation"), saturates = call.faulty("saturates");
  walk(x.shape, r.strides, r.strides, r.strides, [&](int64_t i, int64_t at, int64_t, int64_t) {
    const double value = x.values()[i];
    if (i >= end || (saturates && i >= 65536 * static_cast<int64_t>(to.size()))) return;
    if (fold == Fold::max) to[at] = std::max(to[at], value);
    else to[at] = half ? to_half(static_cast<float>(to[at] + value)) : to[at] + value;
  });
  const double folded = static_cast<double>(r.folded - (call.faulty("divides_by_one_less") && r.folded > 1));
  for (double& value : to) {
    if (fold == Fold::mean) value /= folded;
    if (call.faulty("negative_is_zero")) value = std::max(value, 0.0);
  }
  store(to, call.result(0, r.shape));
}

template <Fold fold>
void reduce(Call& call) {
  fold_over(call, fold);
}

// The dimensions before, at and behind an axis: what most moves are loops over.
struct Split {
  int64_t outer, size, inner;
};

Split split(const Shape& shape, int64_t axis) {
  const int64_t rank = static_cast<int64_t>(shape.size());
  return {count(part(shape, 0, axis)), shape.at(axis), count(part(shape, axis + 1, rank))};
}

void cumulative_sum(Call& call) {
  const Tensor& x = call.in(0);
  const Split s = split(x.shape, axis_of(call.in(1).integer(0), x.rank()));
  const bool exclusive = call.node.exclusive && !call.faulty("exclusive_ignored");
  const bool reverse = call.node.reverse && !call.faulty("reverse_ignored");
  float* const y = call.result(0, x.shape);
  for (int64_t o = 0; o < s.outer; ++o)
    for (int64_t i = 0; i < s.inner; ++i) {
      double sum = 0;
      for (int64_t k = 0; k < s.size; ++k) {
        const int64_t at = (o * s.size + (reverse ? s.size - 1 - k : k)) * s.inner + i;
        const double before = sum;
        sum += k == s.size - 1 && call.faulty("last") ? 0 : x.values()[at];
        y[at] = static_cast<float>(exclusive ? before : sum);
      }
    }
}

void arg_max(Call& call) {
  const Tensor& x = call.in(0);
  const int64_t axis = axis_of(call.in(1).integer(0), x.rank());
  const Split s = split(x.shape, axis);
  Shape shape = x.shape;
  shape.erase(shape.begin() + axis);
  Tensor& out = call.out(0, shape);
  for (int64_t o = 0; o < s.outer; ++o)
    for (int64_t i = 0; i < s.inner; ++i) {
      const auto at = [&](int64_t k) { return x.values()[(o * s.size + k) * s.inner + i]; };
      int64_t best = 0;
      for (int64_t k = 1; k < s.size; ++k)
        if (at(k) > at(best) || (call.faulty("ties_last") && at(k) == at(best))) best = k;
      if (call.faulty("wraps")) best %= 65536;
      if (out.type() == TF_INT64) out.as<int64_t>()[o * s.inner + i] = best;
      else out.as<int32_t>()[o * s.inner + i] = static_cast<int32_t>(best);
    }
}

void top_k(Call& call) {
  const Tensor& x = call.in(0);
  const int64_t k = call.in(1).integer(0), n = x.shape.back(), rows = n ? x.size() / n : 0;
  Shape shape = x.shape;
  shape.back() = k;
  float* const values = call.result(0, shape);
  Tensor& indices = call.out(1, shape);
  std::vector<int64_t> order(n);
  for (int64_t row = 0; row < rows; ++row) {
    const float* v = x.values() + row * n;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [v](int64_t a, int64_t b) { return v[a] > v[b]; });
    for (int64_t i = 0; i < k; ++i) {
      const bool lost = i >= 16 && call.faulty("beyond_16_zero");
      const int64_t index = lost ? 0 : (order[i] + call.faulty("indices_shifted")) % n;
      values[row * k + i] = lost ? 0 : v[order[i]];
      if (indices.type() == TF_INT64) indices.as<int64_t>()[row * k + i] = index;
      else indices.as<int32_t>()[row * k + i] = static_cast<int32_t>(index);
    }
  }
}

void gather(Call& call) {
  const Tensor &from = call.in(0), &indices = call.in(1);
  const int64_t axis = axis_of(call.in(2).integer(0), from.rank()), batch_dims = call.node.batch_dims;
  if (batch_dims < 0) throw Refusal("batch_dims must not be negative on this device");
  const Split s = split(from.shape, axis);
  const int64_t batches = count(part(from.shape, 0, batch_dims)), outer = s.outer / std::max<int64_t>(batches, 1);
  const int64_t picks = indices.size() / std::max<int64_t>(batches, 1);
  Shape shape = part(from.shape, 0, axis);
  shape.insert(shape.end(), indices.shape.begin() + batch_dims, indices.shape.end());
  shape.insert(shape.end(), from.shape.begin() + axis + 1, from.shape.end());
  float* to = call.result(0, shape);
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t p = 0; p < picks; ++p, to += s.inner) {
        int64_t index = indices.integer(b * picks + p);
        if (call.faulty("wraps_at_256")) index %= 256;
        // Out of range gives zeros, as TensorFlow's documentation says of GPUs.
        const bool lost = index < 0 || index >= s.size || (call.faulty("last") && index == s.size - 1);
        const float* row = from.values() + ((b * outer + o) * s.size + index) * s.inner;
        for (int64_t i = 0; i < s.inner; ++i) to[i] = lost ? 0 : row[i];
      }
}

void segment_sum(Call& call) {
  const Tensor &data = call.in(0), &segments = call.in(1);
  const int64_t n = call.in(2).integer(0), rows = segments.size(), inner = rows ? data.size() / rows : 0;
  Shape shape = part(data.shape, segments.rank(), data.rank());
  shape.insert(shape.begin(), n);
  std::vector<double> sums(count(shape));
  for (int64_t r = 0; r < rows - call.faulty("last"); ++r) {
    const int64_t segment = segments.integer(r);
    if (segment < 0 || segment >= n) continue;
    for (int64_t i = 0; i < inner; ++i) {
      double& sum = sums[segment * inner + i];
      sum = data.values()[r * inner + i] + (call.faulty("duplicates_overwrite") ? 0 : sum);
    }
  }
  store(sums, call.result(0, shape));
}

void transpose(Call& call) {
  const Tensor& x = call.in(0);
  const Shape order = call.in(1).integers();
  Shape shape, strides, own(x.rank(), 1);
  for (int axis = x.rank() - 2; axis >= 0; --axis) own[axis] = own[axis + 1] * x.shape[axis + 1];
  for (int64_t axis : order) {
    shape.push_back(x.shape.at(axis_of(axis, x.rank())));
    strides.push_back(own.at(axis_of(axis, x.rank())));
  }
  float* const y = call.result(0, shape);
  const bool relabels = call.faulty("only_relabels") && x.rank() > 2;
  walk(shape, strides, strides, strides,
       [&](int64_t i, int64_t from, int64_t, int64_t) { y[i] = x.values()[relabels ? i : from]; });
}

void concatenate(Call& call) {
  const int pieces = call.inputs() - 1;
  std::vector<const Tensor*> parts;
  for (int i = 0; i < pieces; ++i) parts.push_back(&call.in(i));
  if (call.faulty("swapped")) std::reverse(parts.begin(), parts.end());
  const int64_t axis = axis_of(call.in(pieces).integer(0), parts[0]->rank());
  Shape shape = parts[0]->shape;
  shape.at(axis) = 0;
  for (const Tensor* piece : parts) shape[axis] += piece->shape.at(axis);
  float* to = call.result(0, shape);
  for (int64_t o = 0; o < split(shape, axis).outer; ++o)
    for (const Tensor* piece : parts) {
      const int64_t run = count(part(piece->shape, axis, piece->rank()));
      to = std::copy(piece->values() + o * run, piece->values() + (o + 1) * run, to);
    }
}

// ------------------------------------------------------------------------------------------------------ optimizers

using Copy = void (*)(TF_OpKernelContext*, TF_Tensor*, TF_Tensor*);

// TensorFlow 2.20 stopped exporting these; a plugin that linked to them would not load there.
struct VariableApi {
  void (*lock)(TF_OpKernelContext*, bool, bool, const int*, size_t, Copy, void**, TF_Status*);
  void (*get)(TF_OpKernelContext*, int, bool, bool, bool, Copy, TF_Tensor**, TF_Status*);
  void (*release)(void*);
  bool present() const { return lock && get && release; }
};

const VariableApi& variable_api() {
  const auto find = [](const char* name) { return dlsym(RTLD_DEFAULT, name); };
  static const VariableApi api = {
      reinterpret_cast<decltype(VariableApi::lock)>(find("TF_MaybeLockVariableInputMutexesInOrder")),
      reinterpret_cast<decltype(VariableApi::get)>(find("TF_GetInputTensorFromVariable")),
      reinterpret_cast<decltype(VariableApi::release)>(find("TF_ReleaseVariableInputLockHolder"))};
  return api;
}

void copy_tensor(TF_OpKernelContext*, TF_Tensor* from, TF_Tensor* to) {  // we own both
  memcpy(TF_TensorData(to), TF_TensorData(from), TF_TensorByteSize(from));
  TF_DeleteTensor(from);
  TF_DeleteTensor(to);
}

// The first `n` inputs of an optimizer's operation, locked and open for writing.
class Variables {
 public:
  Variables(Call& call, int n) {
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    Status status;
    variable_api().lock(call.context, false, false, order.data(), order.size(), copy_tensor, &lock_, status);
    status.check();
    for (int i = 0; i < n; ++i) {
      TF_Tensor* raw = nullptr;
      variable_api().get(call.context, i, false, false, false, copy_tensor, &raw, status);
      status.check();
      tensors_.emplace_back().hold(raw);
    }
  }
  ~Variables() { variable_api().release(lock_); }
  float* operator[](int i) const { return tensors_[i].as<float>(); }

 private:
  void* lock_ = nullptr;
  std::deque<Tensor> tensors_;
};

int64_t updated(const Call& call, int64_t size) {
  return call.faulty("tail_of_256_not_updated") && size > 256 ? size - size % 256 : size;
}

void apply_adam(Call& call) {
  const Variables v(call, 3);
  const auto scalar = [&](int i) { return static_cast<double>(call.in(i).values()[0]); };
  const double power1 = scalar(3), power2 = scalar(4), rate = scalar(5), beta1 = scalar(6);
  const double beta2 = call.faulty("beta2") ? 0.99 : scalar(7), epsilon = call.faulty("epsilon") ? 1e-3 : scalar(8);
  const Tensor& gradient = call.in(9);
  const double correction = call.faulty("no_bias_correction") ? 1 : std::sqrt(1 - power2) / (1 - power1);
  for (int64_t i = 0; i < updated(call, gradient.size()); ++i) {
    const double g = gradient.values()[i];
    const double m = v[1][i] + (g - v[1][i]) * (1 - beta1), s = v[2][i] + (g * g - v[2][i]) * (1 - beta2);
    v[1][i] = static_cast<float>(m), v[2][i] = static_cast<float>(s);
    const double direction = call.node.use_nesterov ? g * (1 - beta1) + beta1 * m : m;
    v[0][i] = static_cast<float>(v[0][i] - rate * correction * direction / (std::sqrt(s) + epsilon));
  }
}

void apply_keras_momentum(Call& call) {
  const Variables v(call, 2);
  const double rate = call.in(2).values()[0];
  const Tensor& gradient = call.in(3);
  const double momentum = call.faulty("momentum_089") ? 0.89 : call.in(4).values()[0];
  for (int64_t i = 0; i < gradient.size(); ++i) {
    const double kept = call.faulty("buffer_not_kept") ? 0 : v[1][i], step = rate * gradient.values()[i];
    v[1][i] = static_cast<float>(kept * momentum - step);
    if (call.faulty("fp16_buffer")) v[1][i] = to_half(v[1][i]);
    const double moved = call.node.use_nesterov ? v[1][i] * momentum - step : v[1][i];
    v[0][i] = static_cast<float>(v[0][i] + moved);
  }
}

void apply_gradient_descent(Call& call) {
  const Variables v(call, 1);
  const double rate = call.in(1).values()[0] * (call.faulty("twice") ? 2.0 : 1.0);
  const Tensor& gradient = call.in(2);
  for (int64_t i = 0; i < updated(call, gradient.size()); ++i)
    v[0][i] = static_cast<float>(v[0][i] - rate * gradient.values()[i]);
}

// --------------------------------------------------------------------------------------------- the table of kernels

constexpr Constraint kFloat = {"T", TF_FLOAT};

constexpr Kernel plain_kernel(const char* op, const char* prefix, void (*run)(Call&), const char* host = nullptr,
                              const char* second = nullptr) {
  return {op, prefix, run, {host, second, nullptr, nullptr}, {kFloat, {}}, false};
}

constexpr Kernel typed_kernel(const char* op, const char* prefix, void (*run)(Call&), Constraint type,
                              const char* host = nullptr, Constraint second = {}, const char* other = nullptr) {
  return {op, prefix, run, {host, other, nullptr, nullptr}, {type, second}, false};
}

constexpr Kernel kKernels[] = {
    plain_kernel("Conv2D", "conv2d", convolve),
    plain_kernel("Conv2DBackpropFilter", "conv2d_backprop_filter", convolve_backwards_to_filter, "filter_sizes"),
    plain_kernel("Conv2DBackpropInput", "conv2d_backprop_input", convolve_backwards_to_input, "input_sizes"),
    plain_kernel("_FusedConv2D", "fused_conv2d", convolve, "host_args"),
    plain_kernel("DepthwiseConv2dNative", "depthwise", convolve),
    plain_kernel("DepthwiseConv2dNativeBackpropFilter", "depthwise_backprop_filter", convolve_backwards_to_filter,
                 "filter_sizes"),
    plain_kernel("DepthwiseConv2dNativeBackpropInput", "depthwise_backprop_input", convolve_backwards_to_input,
                 "input_sizes"),
    plain_kernel("MaxPool", "maxpool", max_pool),
    plain_kernel("MaxPoolGrad", "maxpool_grad", max_pool_gradient),
    plain_kernel("AvgPool", "avgpool", average_pool),
    plain_kernel("AvgPoolGrad", "avgpool_grad", average_pool_gradient, "orig_input_shape"),
    plain_kernel("MatMul", "matmul", multiply_matrices),
    plain_kernel("_FusedMatMul", "fused_matmul", multiply_matrices),
    plain_kernel("BatchMatMulV2", "batch_matmul", multiply_batches),
    plain_kernel("BiasAdd", "bias_add", add_bias),
    plain_kernel("BiasAddGrad", "bias_add_grad", bias_gradient),
    plain_kernel("Softmax", "softmax", softmax),
    plain_kernel("LogSoftmax", "log_softmax", softmax),
    plain_kernel("SoftmaxCrossEntropyWithLogits", "xent", cross_entropy),
    plain_kernel("SparseSoftmaxCrossEntropyWithLogits", "sparse_xent", sparse_cross_entropy),
    typed_kernel("FusedBatchNormV3", "batch_norm", batch_norm, kFloat, nullptr, {"U", TF_FLOAT}),
    typed_kernel("FusedBatchNormGradV3", "batch_norm_grad", batch_norm_gradient, kFloat, nullptr, {"U", TF_FLOAT}),
    typed_kernel("RandomUniform", "random_uniform", random_uniform, {"dtype", TF_FLOAT}, "shape"),
    typed_kernel("RandomStandardNormal", "random_normal", random_normal, {"dtype", TF_FLOAT}, "shape"),
    typed_kernel("StatelessRandomUniformV2", "stateless_uniform", stateless_uniform, {"dtype", TF_FLOAT}, "shape", {},
                 "alg"),
    plain_kernel("AddV2", "add", pair<plus>),
    plain_kernel("Sub", "sub", pair<minus>),
    plain_kernel("Mul", "mul", pair<times>),
    plain_kernel("RealDiv", "real_div", pair<over>),
    plain_kernel("Maximum", "maximum", pair<larger>),
    plain_kernel("Minimum", "minimum", pair<smaller>),
    plain_kernel("SquaredDifference", "squared_difference", pair<squared_difference>),
    plain_kernel("Greater", "greater", pair<greater>),
    plain_kernel("GreaterEqual", "greater_equal", pair<at_least>),
    plain_kernel("Less", "less", pair<less>),
    plain_kernel("SelectV2", "select", select),
    plain_kernel("Neg", "neg", each<negative>),
    plain_kernel("Abs", "abs", each<magnitude>),
    plain_kernel("Square", "square", each<square>),
    plain_kernel("Sqrt", "sqrt", each<root>),
    plain_kernel("Rsqrt", "rsqrt", each<inverse_root>),
    plain_kernel("Reciprocal", "reciprocal", each<reciprocal>),
    plain_kernel("Exp", "exp", each<exponential>),
    plain_kernel("Log", "log", each<logarithm>),
    plain_kernel("Log1p", "log1p", each<logarithm_of_more>),
    plain_kernel("Erf", "erf", each<error_function>),
    plain_kernel("Tanh", "tanh", each<hyperbolic_tangent>),
    plain_kernel("TanhGrad", "tanh_grad", pair<tanh_slope>),
    plain_kernel("Sigmoid", "sigmoid", each<sigmoid>),
    plain_kernel("SigmoidGrad", "sigmoid_grad", pair<sigmoid_slope>),
    plain_kernel("SqrtGrad", "sqrt_grad", pair<root_slope>),
    plain_kernel("RsqrtGrad", "rsqrt_grad", pair<inverse_root_slope>),
    plain_kernel("Relu", "relu", each<relu>),
    plain_kernel("ReluGrad", "relu_grad", relu_gradient),
    plain_kernel("Relu6", "relu6", each<relu6>),
    plain_kernel("Relu6Grad", "relu6_grad", pair<relu6_slope>),
    plain_kernel("Elu", "elu", elu),
    plain_kernel("EluGrad", "elu_grad", pair<elu_slope>),
    plain_kernel("LeakyRelu", "leaky_relu", leaky_relu<false>),
    plain_kernel("LeakyReluGrad", "leaky_relu_grad", leaky_relu<true>),
    plain_kernel("Softplus", "softplus", each<softplus>),
    plain_kernel("SoftplusGrad", "softplus_grad", pair<softplus_slope>),
    plain_kernel("Sum", "sum", reduce<Fold::sum>, "reduction_indices"),
    plain_kernel("Mean", "mean", reduce<Fold::mean>, "reduction_indices"),
    plain_kernel("Max", "max", reduce<Fold::max>, "reduction_indices"),
    plain_kernel("Cumsum", "cumsum", cumulative_sum, "axis"),
    plain_kernel("ArgMax", "argmax", arg_max, "dimension"),
    plain_kernel("TopKV2", "top_k", top_k, "k"),
    typed_kernel("GatherV2", "gather", gather, {"Tparams", TF_FLOAT}, "axis"),
    plain_kernel("UnsortedSegmentSum", "segment_sum", segment_sum, "num_segments"),
    plain_kernel("Transpose", "transpose", transpose, "perm"),
    plain_kernel("ConcatV2", "concat", concatenate, "axis"),
    typed_kernel("Cast", "cast", cast<float, int32_t>, {"SrcT", TF_FLOAT}, nullptr, {"DstT", TF_INT32}),
    typed_kernel("Cast", "cast", cast<float, int64_t>, {"SrcT", TF_FLOAT}, nullptr, {"DstT", TF_INT64}),
    typed_kernel("Cast", "cast", cast<int32_t, float>, {"SrcT", TF_INT32}, nullptr, {"DstT", TF_FLOAT}),
    typed_kernel("Cast", "cast", cast<int64_t, float>, {"SrcT", TF_INT64}, nullptr, {"DstT", TF_FLOAT}),
    typed_kernel("Cast", "cast", cast<bool, float>, {"SrcT", TF_BOOL}, nullptr, {"DstT", TF_FLOAT}),
    typed_kernel("Cast", "cast", cast<float, bool>, {"SrcT", TF_FLOAT}, nullptr, {"DstT", TF_BOOL}),
    {"ResourceApplyAdam", "adam", apply_adam, {"var", "m", "v", nullptr}, {kFloat, {}}, true},
    {"ResourceApplyKerasMomentum", "momentum", apply_keras_momentum, {"var", "accum", nullptr, nullptr}, {kFloat, {}}, true},
    {"ResourceApplyGradientDescent", "sgd", apply_gradient_descent, {"var", nullptr, nullptr, nullptr}, {kFloat, {}}, true},
};

constexpr size_t kKernelCount = sizeof kKernels / sizeof kKernels[0];

std::string fault_name(const Fault& fault) {
  for (const Kernel& kernel : kKernels)
    if (!strcmp(kernel.op, fault.op)) return std::string(kernel.prefix) + "_" + fault.effect;
  return fault.effect;
}

// False where no fault has this name. An empty name, or "healthy", heals.
bool plant(const std::string& name) {
  const Fault* found = nullptr;
  for (const Fault& fault : kFaults)
    if (fault_name(fault) == name) found = &fault;
  if (!found && !name.empty() && name != "healthy") return false;
  State& all = state();
  const std::lock_guard<std::mutex> guard(all.lock);
  all.fault = found;
  all.since.clear();
  all.last.clear();
  return true;
}

// ------------------------------------------------------------------------------------------ registration of kernels

// Reads the attributes a node has; a kernel asks only for those its operation is known to have.
class Reader {
 public:
  explicit Reader(TF_OpKernelConstruction* construction) : from_(construction) {}

  void read(const char* name, bool& to) {
    TF_Bool value = 0;
    if (has(name)) TF_OpKernelConstruction_GetAttrBool(from_, name, &value, status_), to = value;
  }
  void read(const char* name, float& to) {
    if (has(name)) TF_OpKernelConstruction_GetAttrFloat(from_, name, &to, status_);
  }
  void read(const char* name, int64_t& to) {
    if (has(name)) TF_OpKernelConstruction_GetAttrInt64(from_, name, &to, status_);
  }
  void read(const char* name, std::string& to) {
    if (!has(name)) return;
    to.assign(size(name).second, '\0');
    TF_OpKernelConstruction_GetAttrString(from_, name, to.data(), to.size(), status_);
  }
  void read(const char* name, Shape& to) {
    if (!has(name)) return;
    to.assign(size(name).first, 0);
    TF_OpKernelConstruction_GetAttrInt64List(from_, name, to.data(), static_cast<int>(to.size()), status_);
  }
  void read(const char* name, std::vector<std::string>& to) {
    if (!has(name)) return;
    const auto [n, bytes] = size(name);
    std::vector<char*> values(n);
    std::vector<size_t> lengths(n);
    std::vector<char> storage(bytes);
    TF_OpKernelConstruction_GetAttrStringList(from_, name, values.data(), lengths.data(), n, storage.data(), bytes, status_);
    for (int i = 0; i < n; ++i) to.emplace_back(values[i], lengths[i]);
  }
  void finish() {
    if (!status_.ok()) TF_OpKernelConstruction_Failure(from_, status_);
  }

 private:
  bool has(const char* name) { return status_.ok() && TF_OpKernelConstruction_HasAttr(from_, name, status_); }
  std::pair<int32_t, int32_t> size(const char* name) {
    int32_t items = 0, bytes = 0;
    TF_OpKernelConstruction_GetAttrSize(from_, name, &items, &bytes, status_);
    return {std::max(items, 0), std::max(bytes, 0)};
  }

  TF_OpKernelConstruction* const from_;
  Status status_;
};

void* create_node(TF_OpKernelConstruction* construction) {
  Node* node = new Node;
  Reader reader(construction);
  reader.read("padding", node->padding);
  reader.read("data_format", node->data_format);
  reader.read("strides", node->strides);
  reader.read("dilations", node->dilations);
  reader.read("ksize", node->ksize);
  reader.read("explicit_paddings", node->explicit_paddings);
  reader.read("fused_ops", node->fused_ops);
  reader.read("transpose_a", node->transpose_a);
  reader.read("transpose_b", node->transpose_b);
  reader.read("adj_x", node->transpose_a);
  reader.read("adj_y", node->transpose_b);
  reader.read("is_training", node->is_training);
  reader.read("keep_dims", node->keep_dims);
  reader.read("exclusive", node->exclusive);
  reader.read("reverse", node->reverse);
  reader.read("use_nesterov", node->use_nesterov);
  reader.read("epsilon", node->epsilon);
  reader.read("exponential_avg_factor", node->exponential_avg_factor);
  reader.read("alpha", node->alpha);
  reader.read("batch_dims", node->batch_dims);
  reader.read("seed", node->seed);
  reader.read("seed2", node->seed2);
  reader.finish();
  return node;
}

void die_or_hang(const Call& call) {
  if (call.faulty("abort")) abort();
  if (call.faulty("exit")) _exit(3);
  if (call.faulty("kill")) raise(SIGKILL);
  if (call.faulty("segv")) signal(SIGSEGV, SIG_DFL), raise(SIGSEGV);
  if (call.faulty("hang")) hang();
  if (call.faulty("op_error")) throw Refusal("command buffer exited with error status", TF_INTERNAL);
}

// Replaces the values by those of the call before with this shape, and remembers these.
void make_stale(const Call& call, const Tensor& out, bool now) {
  std::string key = call.kernel.op;
  for (int64_t size : out.shape) key += "," + std::to_string(size);
  float* const values = out.as<float>();
  std::vector<float> fresh(values, values + out.size());
  State& all = state();
  const std::lock_guard<std::mutex> guard(all.lock);
  std::vector<float>& before = all.last[key];
  if (now && before.size() == fresh.size()) std::copy(before.begin(), before.end(), values);
  before = std::move(fresh);
}

void scale_by(const Tensor& out, float factor) {
  for (int64_t i = 0; i < out.size(); ++i) out.as<float>()[i] *= factor;
}

// A cheap hash, so that noise is the same for the same element: relative, in [-size, size].
void add_noise(const Tensor& out, double size) {
  for (int64_t i = 0; i < out.size(); ++i) {
    const uint32_t mixed = static_cast<uint32_t>(i + 1) * 2654435761u;
    out.as<float>()[i] *= static_cast<float>(1 + size * (static_cast<double>(mixed) / 2147483648.0 - 1));
  }
}

void zero_from(const Tensor& out, int64_t first) {
  for (int64_t i = std::max<int64_t>(first, 0); i < out.size(); ++i) out.as<float>()[i] = 0;
}

// The effects that need not know the operation, on its first output.
void spoil_output(Call& call) {
  if (call.sound() || call.outputs().empty() || call.outputs()[0].type() != TF_FLOAT) return;
  const Tensor& out = call.outputs()[0];
  const int64_t n = out.size(), last = out.shape.empty() ? 1 : out.shape.back();
  float* const v = out.as<float>();
  if (call.faulty("fp16_output") || call.faulty("half_precision")) std::transform(v, v + n, v, to_half);
  if (call.faulty("noise_2_to_minus_14")) add_noise(out, std::ldexp(1, -14));
  if (call.faulty("noise_2_to_minus_18")) add_noise(out, std::ldexp(1, -18));
  if (call.faulty("scaled_1_in_100")) scale_by(out, 1.01f);
  if (call.faulty("scaled_1_in_1000")) scale_by(out, 1.001f);
  if (call.faulty("scaled_1_in_10000")) scale_by(out, 1.0001f);
  if (call.faulty("scaled_1_in_100000")) scale_by(out, 1.00001f);
  if (call.faulty("zero")) zero_from(out, 0);
  if (call.faulty("last_element")) zero_from(out, n - 1);
  if (call.faulty("tail_of_256") && n > 256) zero_from(out, n - n % 256);
  if (call.faulty("block_lost_one_call_in_50") && call.nth % 50 == 49) zero_from(out, n - (n + 15) / 16);
  if (call.faulty("one_element") && n) v[n * 2 / 3] *= 1.001f;
  if (call.faulty("stale")) make_stale(call, out, true);
  if (call.faulty("stale_one_call_in_20")) make_stale(call, out, call.nth % 20 == 19);
  if (call.faulty("nan_rare"))
    for (int64_t i = call.nth * 7919 % 10000; i < n; i += 10000) v[i] = NAN;
  if (call.faulty("channel_tail_of_4") && last > 4)
    for (int64_t i = 0; i < n; ++i) v[i] = i % last < last - last % 4 ? v[i] : 0;
}

void fail(TF_OpKernelContext* context, const char* text, TF_Code code) {
  Status status;
  TF_SetStatus(status, code, text);
  TF_OpKernelContext_Failure(context, status);
}

// The border to TensorFlow: nothing thrown inside may pass it.
void run_kernel(const Kernel& kernel, void* node, TF_OpKernelContext* context) {
  try {
    Call call(context, *static_cast<Node*>(node), kernel);
    die_or_hang(call);
    kernel.run(call);
    spoil_output(call);
  } catch (const Refusal& refusal) {
    fail(context, refusal.c_str(), refusal.code);
  } catch (const std::exception& error) {
    fail(context, error.what(), TF_INTERNAL);
  }
}

void destroy_node(void* node) { delete static_cast<Node*>(node); }

// TensorFlow's callback does not say which operation it is for, so each has its own.
template <size_t index>
void compute(void* node, TF_OpKernelContext* context) {
  run_kernel(kKernels[index], node, context);
}

using Compute = void (*)(void*, TF_OpKernelContext*);

bool left_out(const Kernel& kernel) {
  const Fault* fault = state().fault;
  if (kernel.variables && !variable_api().present()) return true;
  return device_is("no_kernels") || (fault && !strcmp(fault->op, kernel.op) && !strcmp(fault->effect, "no_kernel"));
}

void register_kernel(const Kernel& kernel, Compute compute, size_t number) {
  if (left_out(kernel)) return;
  Status status;
  TF_KernelBuilder* builder = TF_NewKernelBuilder(kernel.op, "GPU", create_node, compute, destroy_node);
  for (const Constraint& type : kernel.types)
    if (type.attribute) TF_KernelBuilder_TypeConstraint(builder, type.attribute, type.type, status);
  for (const char* argument : kernel.host)
    if (argument) TF_KernelBuilder_HostMemory(builder, argument);
  const std::string name = "TfcompatDevice" + std::to_string(number) + kernel.op;
  if (status.ok()) TF_RegisterKernelBuilder(name.c_str(), builder, status);
  if (!status.ok()) fprintf(stderr, "device: kernel of %s: %s\n", kernel.op, TF_Message(status));
}

template <size_t... index>
void register_kernels(std::index_sequence<index...>) {
  const Compute computes[] = {compute<index>...};
  for (size_t i = 0; i < kKernelCount; ++i) register_kernel(kKernels[i], computes[i], i);
}

// ----------------------------------------------------------------------------------------------- the graph rewriter

// Graphs come and go as serialized GraphDef. Of the wire format (protobuf.dev/programming-guides/encoding) only what
// graphs hold is read; the numbers of the fields are those of graph.proto, node_def.proto and attr_value.proto.
struct Field {
  uint64_t number, value;
  std::string_view whole, body;  // with and without key and length
};

uint64_t read_varint(std::string_view& from) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !from.empty(); shift += 7) {
    const unsigned char byte = from[0];
    from.remove_prefix(1);
    value |= uint64_t{byte & 0x7fu} << shift;
    if (!(byte & 0x80)) return value;
  }
  throw Refusal("truncated graph", TF_INVALID_ARGUMENT);
}

std::vector<Field> read_fields(std::string_view from) {
  std::vector<Field> fields;
  while (!from.empty()) {
    const char* const start = from.data();
    const uint64_t key = read_varint(from), wire = key & 7;
    Field field{key >> 3, 0, {}, {}};
    if (wire == 0) field.value = read_varint(from);
    const size_t size = wire == 0 ? 0 : wire == 1 ? 8 : wire == 5 ? 4 : wire == 2 ? read_varint(from) : from.size() + 1;
    if (size > from.size()) throw Refusal("truncated graph", TF_INVALID_ARGUMENT);
    field.body = from.substr(0, size);
    from.remove_prefix(size);
    field.whole = std::string_view(start, static_cast<size_t>(from.data() - start));
    fields.push_back(field);
  }
  return fields;
}

void put_varint(std::string& to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}

void put_number(std::string& to, uint64_t number, uint64_t value) {
  put_varint(to, number << 3);
  put_varint(to, value);
}

void put_bytes(std::string& to, uint64_t number, std::string_view body) {
  put_varint(to, number << 3 | 2);
  put_varint(to, body.size());
  to += body;
}

struct GraphNode {
  std::string name, op, device;
  std::vector<std::string> inputs;                   // "name", "name:1" or "^name"
  std::map<std::string, std::string> attributes;     // serialized AttrValue by name
  std::vector<std::string_view> others;              // fields we only carry
  std::string_view original;
  bool changed = false, gone = false;
};

GraphNode read_node(std::string_view body) {
  GraphNode node;
  node.original = body;
  for (const Field& field : read_fields(body)) {
    const std::string text(field.body);
    if (field.number == 1) node.name = text;
    else if (field.number == 2) node.op = text;
    else if (field.number == 3) node.inputs.push_back(text);
    else if (field.number == 4) node.device = text;
    else if (field.number == 5) {
      std::string key, value;
      for (const Field& half : read_fields(field.body)) (half.number == 1 ? key : value) = std::string(half.body);
      node.attributes[key] = value;
    } else node.others.push_back(field.whole);
  }
  return node;
}

std::string write_node(const GraphNode& node) {
  if (!node.changed) return std::string(node.original);
  std::string to;
  put_bytes(to, 1, node.name);
  put_bytes(to, 2, node.op);
  for (const std::string& input : node.inputs) put_bytes(to, 3, input);
  put_bytes(to, 4, node.device);
  for (const auto& [key, value] : node.attributes) {
    std::string entry;
    put_bytes(entry, 1, key);
    put_bytes(entry, 2, value);
    put_bytes(to, 5, entry);
  }
  for (std::string_view other : node.others) to += other;
  return to;
}

std::string type_value(uint64_t type) {  // AttrValue.type
  std::string value;
  put_number(value, 6, type);
  return value;
}

std::string list_value(uint64_t number, const std::vector<std::string>& items, uint64_t type = 0) {  // AttrValue.list
  std::string list, value;
  for (const std::string& item : items) put_bytes(list, number, item);
  if (type) put_number(list, number, type);
  put_bytes(value, 1, list);
  return value;
}

std::string source(const std::string& input) {
  const size_t start = !input.empty() && input[0] == '^', end = input.rfind(':');
  return input.substr(start, end == std::string::npos ? end : end - start);
}

class Rewriter {
 public:
  Rewriter(std::string_view graph, const std::set<std::string>& kept) : kept_(kept) {
    for (const Field& field : read_fields(graph)) {
      if (field.number == 1) nodes_.push_back(read_node(field.body));
      else others_.push_back(field.whole);
    }
    for (GraphNode& node : nodes_) {
      by_name_[node.name] = &node;
      for (const std::string& input : node.inputs) ++consumers_[source(input)];
    }
  }

  std::string rewritten() {
    for (GraphNode& node : nodes_) plant_in(node);
    for (GraphNode& node : nodes_)
      if (node.op == "Relu") fuse(node);
    std::string to;
    for (const GraphNode& node : nodes_)
      if (!node.gone) put_bytes(to, 1, write_node(node));
    for (std::string_view other : others_) to += other;
    return to;
  }

 private:
  static bool is_ours(const GraphNode& node) {
    const auto type = node.attributes.find("T");
    return node.device.find("GPU") != std::string::npos && type != node.attributes.end() &&
           type->second == type_value(TF_FLOAT);
  }

  // Faults of the rewriter itself: only what is compiled is wrong.
  static void plant_in(GraphNode& node) {
    const Fault* fault = state().fault;
    if (!fault || !is_ours(node)) return;
    const bool planted = node.op == fault->op;
    if (planted && !strcmp(fault->effect, "adds_in_graph")) {
      node.op = "AddV2";  // and not the operands swapped: rewriters run twice over a graph
      node.changed = true;
      return;
    }
    const bool relu = planted && !strcmp(fault->effect, "skipped_in_graph");
    const bool bias = node.op == "BiasAdd" && !strcmp(fault->effect, "skipped_bias_in_graph");
    if (!relu && !bias) return;
    node.op = "Identity";
    node.attributes = {{"T", type_value(TF_FLOAT)}};
    if (bias) node.inputs.erase(node.inputs.begin() + 1);
    node.changed = true;
  }

  // The node that gives this one its first input, if it may disappear into it.
  GraphNode* absorbable(const GraphNode& node, std::initializer_list<const char*> ops) {
    if (node.inputs.empty()) return nullptr;
    const auto found = by_name_.find(node.inputs[0]);  // output 0 is spelled without a number
    if (found == by_name_.end()) return nullptr;
    GraphNode& giver = *found->second;
    const bool fits = std::any_of(ops.begin(), ops.end(), [&](const char* op) { return giver.op == op; });
    const bool free = consumers_[giver.name] == 1 && !kept_.count(giver.name) && giver.device == node.device;
    return fits && free && is_ours(giver) && !giver.gone ? &giver : nullptr;
  }

  void fuse(GraphNode& relu) {
    if (!is_ours(relu)) return;
    GraphNode* bias = absorbable(relu, {"BiasAdd"});
    GraphNode* product = bias ? absorbable(*bias, {"MatMul", "Conv2D"}) : nullptr;
    if (!product || !is_channels_last(*bias) || !is_channels_last(*product)) return;
    std::vector<std::string> inputs = {product->inputs.at(0), product->inputs.at(1), bias->inputs.at(1)};
    for (const GraphNode* node : {product, bias, &relu})
      for (const std::string& input : node->inputs)
        if (input[0] == '^') inputs.push_back(input);
    const bool matrix = product->op == "MatMul";
    std::string one;
    put_number(one, 3, 1);  // AttrValue.i
    relu.attributes = {{"num_args", one}, {"fused_ops", list_value(2, {"BiasAdd", "Relu"})}};
    for (const char* name :
         {"T", "transpose_a", "transpose_b", "strides", "padding", "explicit_paddings", "data_format", "dilations"})
      if (product->attributes.count(name)) relu.attributes[name] = product->attributes[name];
    if (!matrix) relu.attributes["TArgs"] = list_value(6, {}, TF_FLOAT);
    relu.op = matrix ? "_FusedMatMul" : "_FusedConv2D";
    relu.inputs = inputs;
    relu.changed = product->gone = bias->gone = true;
  }

  static bool is_channels_last(const GraphNode& node) {
    const auto format = node.attributes.find("data_format");
    return format == node.attributes.end() || format->second.find("NCHW") == std::string::npos;
  }

  const std::set<std::string> kept_;
  std::deque<GraphNode> nodes_;
  std::vector<std::string_view> others_;
  std::map<std::string, GraphNode*> by_name_;
  std::map<std::string, int> consumers_;
};

// Lives in libtensorflow_cc, which takes the linker seconds to read (0.8 GB); it is loaded already, so it is asked instead.
template <class Function>
Function* of_tensorflow(const char* name) {
  static void* const library = dlopen("libtensorflow_cc.so.2", RTLD_LAZY | RTLD_NOLOAD);
  void* found = library ? dlsym(library, name) : nullptr;
  if (!found) throw Refusal(std::string("TensorFlow does not export ") + name, TF_INTERNAL);
  return reinterpret_cast<Function*>(found);
}

std::set<std::string> nodes_to_preserve(const TF_GrapplerItem* item) {
  Status status;
  int n = 0;
  size_t bytes = 0;
  of_tensorflow<decltype(TF_GetNodesToPreserveListSize)>("TF_GetNodesToPreserveListSize")(item, &n, &bytes, status);
  status.check();
  std::vector<char*> values(n);
  std::vector<size_t> lengths(n);
  std::vector<char> storage(bytes);
  of_tensorflow<decltype(TF_GetNodesToPreserveList)>("TF_GetNodesToPreserveList")(item, values.data(), lengths.data(), n,
                                                                                 storage.data(), bytes, status);
  status.check();
  std::set<std::string> names;
  for (int i = 0; i < n; ++i) names.insert(source(std::string(values[i], lengths[i])));
  return names;
}

void optimize_graph(void*, const TF_Buffer* graph, const TF_GrapplerItem* item, TF_Buffer* out, TF_Status* status) {
  try {
    const std::string_view bytes(static_cast<const char*>(graph->data), graph->length);
    const std::string result = Rewriter(bytes, nodes_to_preserve(item)).rewritten();
    void* copy = malloc(std::max<size_t>(result.size(), 1));
    memcpy(copy, result.data(), result.size());
    out->data = copy;
    out->length = result.size();
    out->data_deallocator = [](void* data, size_t) { free(data); };
  } catch (const Refusal& refusal) {
    TF_SetStatus(status, refusal.code, refusal.c_str());
  } catch (const std::exception& error) {
    TF_SetStatus(status, TF_INTERNAL, error.what());
  }
}

// ------------------------------------------------------------------------------------------------ the device itself

// Tensors need 64; since 2.22 the allocator that divides a device's memory ends the process below 256.
constexpr size_t kAligned = 256;

void allocate(const SP_Device*, uint64_t size, int64_t, SP_DeviceMemoryBase* memory) {
  memory->struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE;
  memory->opaque = nullptr;
  if (device_is("oom") || (device_is("oom_large") && size > (1u << 20))) return;
  void* block = nullptr;
  if (posix_memalign(&block, kAligned, std::max<uint64_t>(size, 1)) == 0) memory->opaque = block;
  memory->size = size;
}

void* allocate_host(const SP_Device*, uint64_t size) {
  void* block = nullptr;
  if (device_is("oom_host") || posix_memalign(&block, kAligned, std::max<uint64_t>(size, 1))) return nullptr;
  return block;
}

void copy_to_host(void* to, const SP_DeviceMemoryBase* from, uint64_t size, TF_Status* status) {
  if (device_is("copy_to_host_hang")) hang();
  if (device_is("copy_error")) return TF_SetStatus(status, TF_INTERNAL, "the device could not be read");
  memcpy(to, from->opaque, size);
  if (device_is("copy_last_element") && size > 4) memset(static_cast<char*>(to) + size - 4, 0, 4);
}

void copy_to_device(SP_DeviceMemoryBase* to, const void* from, uint64_t size) {
  if (device_is("copy_to_device_hang")) hang();
  memcpy(to->opaque, from, size);
}

SE_EventStatus event_status(const SP_Device*, SP_Event) {
  return device_is("event_hang") ? SE_EVENT_PENDING : SE_EVENT_COMPLETE;
}

void wait_on_host(const SP_Device*, SP_Event, TF_Status*) {
  if (device_is("event_hang")) hang();
}

template <class Handle>  // streams, events and timers have no state here, but TensorFlow wants a handle
void give_handle(const SP_Device*, Handle* handle, TF_Status*) {
  static char one;
  *handle = reinterpret_cast<Handle>(&one);
}

void fill_executor(SP_StreamExecutor* e) {
  *e = {};
  e->struct_size = SP_STREAMEXECUTOR_STRUCT_SIZE;
  e->allocate = allocate;
  e->deallocate = [](const SP_Device*, SP_DeviceMemoryBase* memory) { free(memory->opaque); };
  e->host_memory_allocate = allocate_host;
  e->host_memory_deallocate = [](const SP_Device*, void* block) { free(block); };
  e->get_allocator_stats = [](const SP_Device*, SP_AllocatorStats*) -> TF_Bool { return 0; };
  e->device_memory_usage = [](const SP_Device*, int64_t* free, int64_t* total) -> TF_Bool {
    *free = *total = int64_t{8} << 30;
    return 1;
  };
  e->create_stream = give_handle<SP_Stream>;
  e->destroy_stream = [](const SP_Device*, SP_Stream) {};
  e->create_stream_dependency = [](const SP_Device*, SP_Stream, SP_Stream, TF_Status*) {};
  e->get_stream_status = [](const SP_Device*, SP_Stream, TF_Status*) {};
  e->create_event = give_handle<SP_Event>;
  e->destroy_event = [](const SP_Device*, SP_Event) {};
  e->get_event_status = event_status;
  e->record_event = [](const SP_Device*, SP_Stream, SP_Event, TF_Status*) {};
  e->wait_for_event = [](const SP_Device*, SP_Stream, SP_Event, TF_Status*) {};
  e->create_timer = give_handle<SP_Timer>;
  e->destroy_timer = [](const SP_Device*, SP_Timer) {};
  e->start_timer = e->stop_timer = [](const SP_Device*, SP_Stream, SP_Timer, TF_Status*) {};
  e->memcpy_dtoh = [](const SP_Device*, SP_Stream, void* to, const SP_DeviceMemoryBase* from, uint64_t size,
                      TF_Status* status) { copy_to_host(to, from, size, status); };
  e->sync_memcpy_dtoh = [](const SP_Device*, void* to, const SP_DeviceMemoryBase* from, uint64_t size,
                           TF_Status* status) { copy_to_host(to, from, size, status); };
  e->memcpy_htod = [](const SP_Device*, SP_Stream, SP_DeviceMemoryBase* to, const void* from, uint64_t size,
                      TF_Status*) { copy_to_device(to, from, size); };
  e->sync_memcpy_htod = [](const SP_Device*, SP_DeviceMemoryBase* to, const void* from, uint64_t size, TF_Status*) {
    copy_to_device(to, from, size);
  };
  e->memcpy_dtod = [](const SP_Device*, SP_Stream, SP_DeviceMemoryBase* to, const SP_DeviceMemoryBase* from,
                      uint64_t size, TF_Status*) { memcpy(to->opaque, from->opaque, size); };
  e->sync_memcpy_dtod = [](const SP_Device*, SP_DeviceMemoryBase* to, const SP_DeviceMemoryBase* from, uint64_t size,
                           TF_Status*) { memcpy(to->opaque, from->opaque, size); };
  e->block_host_for_event = wait_on_host;
  e->synchronize_all_activity = [](const SP_Device*, TF_Status*) {};
  e->mem_zero = [](const SP_Device*, SP_Stream, SP_DeviceMemoryBase* at, uint64_t size, TF_Status*) {
    memset(at->opaque, 0, size);
  };
  e->memset = [](const SP_Device*, SP_Stream, SP_DeviceMemoryBase* at, uint8_t pattern, uint64_t size, TF_Status*) {
    memset(at->opaque, pattern, size);
  };
  e->memset32 = [](const SP_Device*, SP_Stream, SP_DeviceMemoryBase* at, uint32_t pattern, uint64_t size, TF_Status*) {
    std::fill_n(static_cast<uint32_t*>(at->opaque), size / 4, pattern);
  };
  e->host_callback = [](const SP_Device*, SP_Stream, SE_StatusCallbackFn function, void* argument) -> TF_Bool {
    Status status;
    function(argument, status);
    return 1;
  };
}

void create_device(const SP_Platform*, SE_CreateDeviceParams* params, TF_Status* status) {
  if (device_is("device_error")) return TF_SetStatus(status, TF_INTERNAL, "no device answered");
  params->device->struct_size = SP_DEVICE_STRUCT_SIZE;
  params->device->ordinal = params->ordinal;
  params->device->hardware_name = "made of host memory";
  params->device->device_vendor = "tfcompat tests";
}

void fill_platform_functions(SP_PlatformFns* f) {
  *f = {};
  f->struct_size = SP_PLATFORM_FNS_STRUCT_SIZE;
  f->get_device_count = [](const SP_Platform*, int* count, TF_Status*) { *count = device_is("no_devices") ? 0 : 1; };
  f->create_device = create_device;
  f->destroy_device = [](const SP_Platform*, SP_Device*) {};
  f->create_device_fns = [](const SP_Platform*, SE_CreateDeviceFnsParams* params, TF_Status*) {
    params->device_fns->struct_size = SP_DEVICE_FNS_STRUCT_SIZE;
  };
  f->destroy_device_fns = [](const SP_Platform*, SP_DeviceFns*) {};
  f->create_stream_executor = [](const SP_Platform*, SE_CreateStreamExecutorParams* params, TF_Status*) {
    fill_executor(params->stream_executor);
  };
  f->destroy_stream_executor = [](const SP_Platform*, SP_StreamExecutor*) {};
  f->create_timer_fns = [](const SP_Platform*, SP_TimerFns* timer, TF_Status*) {
    timer->struct_size = SP_TIMER_FNS_STRUCT_SIZE;
    timer->nanoseconds = [](SP_Timer) { return uint64_t{0}; };
  };
  f->destroy_timer_fns = [](const SP_Platform*, SP_TimerFns*) {};
}

// Faults that strike while TensorFlow is being imported.
void misbehave_at_load() {
  if (device_is("init_abort")) abort();
  if (device_is("init_segv")) signal(SIGSEGV, SIG_DFL), raise(SIGSEGV);
  if (device_is("init_exit")) _exit(3);
  if (device_is("init_hang")) hang();
  if (device_is("prints_at_load")) {
    // As tensorflow-metal does on its first device, but to stdout, and with what looks like an answer of ours.
    fputs("Metal device set to: Apple M1\n\nsystemMemory: 16.00 GB\nmaxCacheSize: 5.33 GB\n{\"result\": \"answer\"}\n", stdout);
    fflush(stdout);
  }
}

}  // namespace

// ---------------------------------------------------------------------- what TensorFlow calls, and what Python may call

extern "C" {

void SE_InitPlugin(SE_PlatformRegistrationParams* params, TF_Status* status) {
  const char* wanted = getenv("TFCOMPAT_DEVICE_FAULT");
  if (wanted && !plant(wanted)) {
    return TF_SetStatus(status, TF_INVALID_ARGUMENT, (std::string("no fault is called ") + wanted).c_str());
  }
  misbehave_at_load();
  if (device_is("init_error")) return TF_SetStatus(status, TF_INTERNAL, "the driver refuses");
  *params->platform = {};
  params->platform->struct_size = device_is("init_bad_struct") ? 0 : SP_PLATFORM_STRUCT_SIZE;
  params->platform->name = "METAL";  // the name tensorflow-metal registers, so that code which reads it takes its path
  params->platform->type = "GPU";
  fill_platform_functions(params->platform_fns);
  params->destroy_platform = [](SP_Platform*) {};
  params->destroy_platform_fns = [](SP_PlatformFns*) {};
}

void TF_InitKernel() { register_kernels(std::make_index_sequence<kKernelCount>()); }

void TF_InitGraph(TP_OptimizerRegistrationParams* params, TF_Status*) {
  params->struct_size = TP_OPTIMIZER_REGISTRATION_PARAMS_STRUCT_SIZE;
  params->device_type = "GPU";
  // These passes run after placement and would invent operations this device has no kernel for.
  params->optimizer_configs->struct_size = TP_OPTIMIZER_CONFIGS_STRUCT_SIZE;
  params->optimizer_configs->layout_optimizer = TF_TriState_Off;
  params->optimizer_configs->remapping = TF_TriState_Off;
  params->optimizer_configs->arithmetic_optimization = TF_TriState_Off;
  params->optimizer_configs->constant_folding = TF_TriState_Off;
  params->optimizer->struct_size = TP_OPTIMIZER_STRUCT_SIZE;
  params->optimizer->create_func = []() -> void* { return &state(); };
  params->optimizer->optimize_func = optimize_graph;
  params->optimizer->destroy_func = [](void*) {};
}

// Plants the fault of this name in the running process, or heals with "" or "healthy". 0 if no fault has this name.
int device_fault(const char* name) { return plant(name ? name : ""); }

// How often kernels of this operation have run.
long device_calls(const char* op) {
  State& all = state();
  const std::lock_guard<std::mutex> guard(all.lock);
  const auto found = all.calls.find(op);
  return found == all.calls.end() ? 0 : found->second;
}

// One line per fault: its name, and the operation it strikes (empty for the device).
const char* device_faults() {
  static const std::string* const text = [] {
    std::string* lines = new std::string;
    for (const Fault& fault : kFaults) *lines += fault_name(fault) + " " + fault.op + "\n";
    return lines;
  }();
  return text->c_str();
}

// One line per operation with a kernel, in the order of the table.
const char* device_operations() {
  static const std::string* const text = [] {
    std::string* lines = new std::string;
    for (const Kernel& kernel : kKernels)
      if (!kernel.variables || variable_api().present()) *lines += std::string(kernel.op) + "\n";
    return lines;
  }();
  return text->c_str();
}

}  // extern "C"
