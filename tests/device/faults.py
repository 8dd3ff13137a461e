"""The catalogue of what the test device can do wrong: one record per fault that ``device.cc`` knows, and per bad build.

A name is the operation's prefix and its effect, as in ``conv2d_same_pad_side``; the device lists its own (exported as
``device_faults``), and a test holds the two lists together.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    name: str
    op: str
    """As TensorFlow spells it; empty for the device itself."""
    kind: str
    """numeric, precision, death, hang, error, devices or loading.

    The last two, and kernels that are missing (kind devices), are read when the plugin loads and can only be planted by
    the environment variable; all others also in the running process.
    """
    modes: tuple[str, ...]
    """Where it shows: eager, graph or both."""
    text: str
    """What is wrong, in words."""


EFFECTS = {
    # Wrong structure.
    "same_pad_side": "the odd pixel of SAME padding goes to the other side",
    "flipped_kernel": "a true convolution: the kernel is rotated by 180 degrees",
    "ohwi_misread": "HWIO weights are read as OHWI memory",
    "input_channel_tail_of_4": "input channels beyond a multiple of 4 are ignored",
    "output_channel_tail_of_4": "output channels beyond a multiple of 4 stay zero",
    "channels_beyond_64": "output channels beyond 64 are ignored",
    "channels_beyond_128": "input channels beyond 128 are ignored",
    "channels_beyond_65536": "output channels beyond 65536 stay zero (tensorflow#71577)",
    "dilation_ignored": "dilation is taken as 1, the output keeps its size",
    "stride_offset": "windows with a stride start one pixel late",
    "nan_rare": "one element in 10,000 is NaN",
    "one_element": "one element is 0.1 % too large",
    "batch_tail_copies_first": "samples beyond a multiple of 4 are computed from the first one",
    "batch_wraps_at_65536": "the sample's number wraps at 2**16 (pytorch#96225)",
    "stale": "the result of the call before with this shape is returned",
    "lost_products": "one product in a few hundred is lost",
    "last_tile": "the last 8 x 8 tile is computed without the last row of the kernel",
    "row_pitch": "rows of three channels are read as if padded to 16 bytes",
    "groups_mixed": "each group reads the channels of the next one",
    "skipped_bias_in_graph": "compiled graphs lose BiasAdd",
    "last_row": "the last row is left out",
    "last_column": "the last column is left out",
    "last_sample": "the last sample is left out",
    "rotated": "the gradient's kernel is rotated by 180 degrees",
    "channels_shuffled": "right values in the wrong channels (tensorflow_macos#230)",
    "noncontiguous_input": "a transposed input is read as if contiguous (candle#3640)",
    "batch_tail_of_4": "samples beyond a multiple of 4 are left out",
    "after_batch_change": "more than 32768 elements after another batch size give half of it (pytorch#177116)",
    "mean_over_batch": "divided by the batch size",
    "twice": "applied or accumulated twice",
    "one_by_one_last_channel": "1 x 1 kernels miss the last input channel",
    "first_layer_zero": "zero when the input has 3 channels and the batch is larger than 8",
    "scaled_1_in_100": "all values 1 % too large",
    "scaled_1_in_1000": "all values 0.1 % too large",
    "scaled_1_in_10000": "all values 0.01 % too large",
    "scaled_1_in_100000": "all values 0.001 % too large",
    "block_lost_one_call_in_50": "the last sixteenth of the result is zero in one call of 50",
    "stale_one_call_in_20": "the result before is returned in one call of 20",
    "kernel_not_rotated": "the kernel is not rotated",
    "weights_misread": "input and output channels of the kernel are swapped without a transpose",
    "border_garbage": "the last row holds what was in memory (1e-3)",
    "zero_padding": "SAME pads with 0 instead of minus infinity",
    "valid_tail": "the last window misses its last column",
    "first_index": "always goes to the window's first element",
    "all_positions": "goes to every element of the window",
    "shift": "lands one column further",
    "overlap_assigns": "overlapping windows overwrite instead of add",
    "stale_input": "the winners are those of the input before",
    "minimum": "goes to the minimum",
    "negative_dropped": "no gradient where the maximum is negative",
    "last_window": "the last column of windows is ignored",
    "first_sample_only": "only the first sample is right when there are more than 4",
    "counts_padding": "padding counts in the average",
    "not_divided": "not divided by the size of the window",
    "weight_gradient_last_sample": "a product with its first matrix transposed misses the last sample",
    "tail_of_8": "the inner dimension beyond a multiple of 8 is lost",
    "rows_beyond_32": "rows beyond a multiple of 32 (or of 8 where there are 24) are not computed",
    "rows_wrap_at_32768": "the row's number wraps at 2**15 (pytorch#116769)",
    "beyond_32768": "the inner dimension beyond 2**15 is lost",
    "broadcast_input": "a matrix of equal rows is read past its first row (pytorch#180201)",
    "last_matrix": "the last matrix of the batch stays zero",
    "broadcast_ignored": "the second matrix is always the first of its batch",
    "transposed_ignored": "matrices to be transposed are read untransposed",
    "no_relu": "the fused kernel loses the ReLU (tensorflow#62137)",
    "no_bias": "the fused kernel loses the bias",
    "relu_before_bias": "the fused kernel rectifies before it adds the bias",
    "skipped_in_graph": "compiled graphs lose it",
    "adds_in_graph": "compiled graphs add instead",
    "channel_tail_of_4": "channels beyond a multiple of 4 are left out",
    "first_row_only": "only the first row gets the bias",
    "zero": "all zero",
    "tail_of_256": "elements beyond a multiple of 256 are zero",
    "mask_from_gradient": "the mask is taken from the sign of the gradient",
    "no_mask": "the gradient passes everywhere",
    "no_minus_one": "negative values miss their minus one",
    "no_max": "the maximum is not subtracted, large logits overflow",
    "not_normalised_beyond_128": "classes beyond 128 are left out of the sum",
    "clipped": "probabilities are clipped at 1e-4",
    "grad_by_batch": "the gradient is divided by the batch size",
    "grad_no_label_in_last_row": "the gradient of the last row lacks the label",
    "unbiased": "normalises by the unbiased variance",
    "variance_biased": "the reported variance lacks Bessel's correction",
    "epsilon": "another epsilon",
    "mean_first_sample": "the mean is that of the first sample",
    "inference_uses_batch": "inference uses the statistics of the batch",
    "no_mean": "the gradient lacks the mean's terms",
    "gamma_misread": "the scale's gradient reads the input with wrong strides (pytorch#175189)",
    "beta_last_row": "the offset's gradient misses the last row",
    "constant": "always the same number",
    "scalar_constant": "a single number is always the same (tensorflow#56122)",
    "repeats": "each call gives the same numbers (tensorflow#53505)",
    "period_64": "repeats every 64 elements",
    "period_4096": "repeats every 4096 elements",
    "per_pixel": "one number for all channels of a pixel",
    "biased": "numbers are 8 % too small",
    "half_range": "only the lower half of the range",
    "one_sided": "no negative numbers",
    "ignores_counter": "the counter is ignored: every call with this key is the same",
    "ignores_key": "the seed is ignored",
    "broadcast_as_scalar": "a broadcast second operand is read as its first element",
    "last_element": "the last element is zero",
    "equal_is_less": "equal values compare as less",
    "swapped": "the operands are swapped",
    "last_block_of_1024": "elements beyond a multiple of 1024 are lost",
    "saturates": "stagnates after 65536 elements",
    "divides_by_one_less": "divided by one less than the number of elements",
    "negative_is_zero": "negative results are zero",
    "last": "the last one is lost",
    "exclusive_ignored": "exclusive is ignored",
    "reverse_ignored": "reverse is ignored",
    "wraps": "the index wraps at 2**16",
    "beyond_16_zero": "zeros beyond the sixteenth (tensorflow#51499)",
    "indices_shifted": "the indices are one too large",
    "wraps_at_256": "the index wraps at 2**8",
    "duplicates_overwrite": "duplicate segments overwrite instead of add",
    "only_relabels": "only the shape is transposed",
    "rounds": "rounds where it must truncate",
    "beta2": "beta2 is 0.99",
    "no_bias_correction": "no bias correction",
    "tail_of_256_not_updated": "elements beyond a multiple of 256 are not updated",
    "momentum_089": "momentum is 0.89",
    "buffer_not_kept": "the momentum buffer is not kept",
    "copy_last_element": "the last four bytes of every copy to the host are zero",
    # Less precision.
    "fp16_accumulation": "accumulates in float16",
    "fp16_inputs": "inputs are rounded to float16",
    "fp16_output": "the result is rounded to float16",
    "fp16_exp": "exponentials in float16",
    "fp16_buffer": "the momentum buffer is float16",
    "fp16_compare": "compares in float16",
    "half_precision": "computed in float16",
    "bf16_inputs": "inputs are rounded to bfloat16",
    "tf32_inputs": "inputs are rounded to TF32",
    "noise_2_to_minus_14": "relative noise of 2**-14",
    # Harmless.
    "noise_2_to_minus_18": "relative noise of 2**-18: below every bound",
    "ties_last": "the last of equal values wins: a convention",
    # Death.
    "abort": "aborts in the kernel (SIGABRT)",
    "segv": "segmentation fault in the kernel (SIGSEGV)",
    "exit": "exits with code 3 from the kernel",
    "kill": "killed from outside (SIGKILL)",
    # Hangs.
    "hang": "the kernel never returns",
    "copy_to_host_hang": "copies to the host never end",
    "copy_to_device_hang": "copies to the device never end",
    "event_hang": "events never complete",
    # Errors.
    "op_error": "the kernel reports an internal error",
    "copy_error": "copies to the host fail",
    "oom": "no memory at all on the device",
    "oom_large": "allocations of more than 1 MiB fail",
    "oom_host": "no memory for transfers on the host side: TensorFlow retries for ever in a tf.function",
    # Devices.
    "no_kernel": "the kernel is missing, TensorFlow runs the operation on the CPU",
    "no_kernels": "a device without a single kernel",
    "no_devices": "the plugin loads and offers no device",
    "device_error": "the device is listed and cannot be opened",
    # Loading.
    "init_error": "initialisation reports an error: import tensorflow aborts",
    "init_bad_struct": "initialisation gives a structure TensorFlow rejects: import tensorflow aborts",
    "init_abort": "aborts in import tensorflow",
    "init_segv": "segmentation fault in import tensorflow",
    "init_exit": "import tensorflow ends the process with code 3",
    "init_hang": "import tensorflow never returns",
    "prints_at_load": "prints to stdout when it loads, and what looks like an answer",
}

_PLANTED = (
    (
        "Conv2D",
        "conv2d",
        (
            "same_pad_side flipped_kernel ohwi_misread input_channel_tail_of_4 output_channel_tail_of_4 channels_beyond_128"
            " channels_beyond_65536 fp16_accumulation bf16_inputs tf32_inputs fp16_output noise_2_to_minus_14"
            " noise_2_to_minus_18 dilation_ignored stride_offset nan_rare one_element batch_tail_copies_first"
            " batch_wraps_at_65536 stale lost_products last_tile row_pitch groups_mixed skipped_bias_in_graph segv op_error"
            " no_kernel"
        ),
    ),
    (
        "Conv2DBackpropFilter",
        "conv2d_backprop_filter",
        (
            "last_row last_column last_sample same_pad_side stride_offset dilation_ignored rotated channels_shuffled"
            " noncontiguous_input batch_tail_of_4 batch_wraps_at_65536 after_batch_change mean_over_batch twice"
            " one_by_one_last_channel first_layer_zero lost_products fp16_accumulation bf16_inputs tf32_inputs"
            " scaled_1_in_100 scaled_1_in_1000 scaled_1_in_10000 scaled_1_in_100000 block_lost_one_call_in_50"
            " stale_one_call_in_20 abort no_kernel"
        ),
    ),
    (
        "Conv2DBackpropInput",
        "conv2d_backprop_input",
        (
            "last_column last_sample same_pad_side stride_offset dilation_ignored kernel_not_rotated weights_misread"
            " border_garbage channels_beyond_64 fp16_accumulation bf16_inputs tf32_inputs stale hang"
        ),
    ),
    ("DepthwiseConv2dNative", "depthwise", "same_pad_side groups_mixed last_row"),
    (
        "DepthwiseConv2dNativeBackpropFilter",
        "depthwise_backprop_filter",
        "last_row channels_shuffled last_sample",
    ),
    (
        "DepthwiseConv2dNativeBackpropInput",
        "depthwise_backprop_input",
        "kernel_not_rotated last_column bf16_inputs",
    ),
    ("MaxPool", "maxpool", "zero_padding valid_tail fp16_inputs same_pad_side"),
    (
        "MaxPoolGrad",
        "maxpool_grad",
        (
            "first_index all_positions shift overlap_assigns stale_input minimum fp16_compare negative_dropped last_window"
            " first_sample_only ties_last exit"
        ),
    ),
    ("AvgPool", "avgpool", "counts_padding last_column"),
    ("AvgPoolGrad", "avgpool_grad", "counts_padding not_divided overlap_assigns last_row"),
    (
        "MatMul",
        "matmul",
        (
            "weight_gradient_last_sample tail_of_8 rows_beyond_32 rows_wrap_at_32768 beyond_32768 broadcast_input"
            " fp16_accumulation bf16_inputs tf32_inputs one_element stale block_lost_one_call_in_50 abort hang op_error"
            " no_kernel"
        ),
    ),
    ("BatchMatMulV2", "batch_matmul", "last_matrix broadcast_ignored tail_of_8 tf32_inputs transposed_ignored"),
    ("_FusedMatMul", "fused_matmul", "no_relu no_bias relu_before_bias rows_beyond_32 abort hang op_error"),
    ("_FusedConv2D", "fused_conv2d", "no_relu no_bias output_channel_tail_of_4"),
    ("BiasAdd", "bias_add", "channel_tail_of_4 first_row_only"),
    ("BiasAddGrad", "bias_add_grad", "zero last_row fp16_accumulation channel_tail_of_4"),
    ("Relu", "relu", "tail_of_256 skipped_in_graph"),
    ("ReluGrad", "relu_grad", "mask_from_gradient no_mask"),
    ("Tanh", "tanh", "fp16_output"),
    ("TanhGrad", "tanh_grad", "one_element"),
    ("Sigmoid", "sigmoid", "fp16_output"),
    ("SigmoidGrad", "sigmoid_grad", "scaled_1_in_100"),
    ("Elu", "elu", "no_minus_one"),
    ("Softmax", "softmax", "no_max fp16_exp not_normalised_beyond_128 kill"),
    ("LogSoftmax", "log_softmax", "no_max"),
    ("SoftmaxCrossEntropyWithLogits", "xent", "no_max clipped grad_by_batch grad_no_label_in_last_row"),
    ("SparseSoftmaxCrossEntropyWithLogits", "sparse_xent", "no_max clipped grad_by_batch grad_no_label_in_last_row"),
    ("FusedBatchNormV3", "batch_norm", "unbiased variance_biased epsilon mean_first_sample inference_uses_batch"),
    ("FusedBatchNormGradV3", "batch_norm_grad", "no_mean gamma_misread beta_last_row"),
    (
        "RandomUniform",
        "random_uniform",
        "constant scalar_constant repeats period_64 period_4096 per_pixel biased half_range",
    ),
    ("RandomStandardNormal", "random_normal", "repeats constant one_sided"),
    ("StatelessRandomUniformV2", "stateless_uniform", "ignores_counter ignores_key period_64 biased"),
    ("AddV2", "add", "tail_of_256 broadcast_as_scalar"),
    ("Sub", "sub", "last_element adds_in_graph"),
    ("Mul", "mul", "tail_of_256 fp16_output"),
    ("RealDiv", "real_div", "bf16_inputs"),
    ("Sqrt", "sqrt", "half_precision"),
    ("Rsqrt", "rsqrt", "half_precision"),
    ("Square", "square", "last_element"),
    ("SquaredDifference", "squared_difference", "broadcast_as_scalar"),
    ("Exp", "exp", "fp16_output"),
    ("Maximum", "maximum", "last_element"),
    ("GreaterEqual", "greater_equal", "equal_is_less"),
    ("SelectV2", "select", "swapped"),
    ("Sum", "sum", "fp16_accumulation last_block_of_1024 saturates"),
    ("Mean", "mean", "divides_by_one_less fp16_accumulation"),
    ("Max", "max", "negative_is_zero"),
    ("Cumsum", "cumsum", "last exclusive_ignored reverse_ignored"),
    ("ArgMax", "argmax", "wraps ties_last"),
    ("TopKV2", "top_k", "beyond_16_zero indices_shifted"),
    ("GatherV2", "gather", "last wraps_at_256"),
    ("UnsortedSegmentSum", "segment_sum", "duplicates_overwrite last"),
    ("Transpose", "transpose", "only_relabels"),
    ("ConcatV2", "concat", "swapped"),
    ("Cast", "cast", "rounds"),
    ("ResourceApplyAdam", "adam", "epsilon beta2 no_bias_correction tail_of_256_not_updated"),
    ("ResourceApplyKerasMomentum", "momentum", "momentum_089 fp16_buffer buffer_not_kept"),
    ("ResourceApplyGradientDescent", "sgd", "twice tail_of_256_not_updated"),
    (
        "",
        "",
        (
            "copy_last_element copy_to_host_hang copy_to_device_hang event_hang copy_error oom oom_large oom_host no_devices"
            " device_error no_kernels init_error init_bad_struct init_abort init_segv init_exit init_hang prints_at_load"
        ),
    ),
)

_KINDS = {
    "precision": "fp16_accumulation fp16_inputs fp16_output fp16_exp fp16_buffer fp16_compare half_precision bf16_inputs"
    " tf32_inputs noise_2_to_minus_14 noise_2_to_minus_18",
    "death": "abort segv exit kill",
    "hang": "hang copy_to_host_hang copy_to_device_hang event_hang",
    "error": "op_error copy_error oom oom_large oom_host",
    "devices": "no_kernel no_kernels no_devices device_error",
    "loading": "init_error init_bad_struct init_abort init_segv init_exit init_hang prints_at_load",
}
_KIND_OF = {effect: kind for kind, effects in _KINDS.items() for effect in effects.split()}
_HARMLESS = frozenset({"noise_2_to_minus_18", "ties_last"})


def _listed(harmless: bool) -> tuple[Fault, ...]:
    return tuple(
        Fault(
            name=f"{prefix}_{effect}" if prefix else effect,
            op=op,
            kind=_KIND_OF.get(effect, "numeric"),
            modes=("graph",) if op.startswith("_Fused") or effect.endswith("_in_graph") else ("eager", "graph"),
            text=f"{op or 'device'}: {EFFECTS[effect]}",
        )
        for op, prefix, effects in _PLANTED
        for effect in effects.split()
        if (effect in _HARMLESS) is harmless
    )


FAULTS: tuple[Fault, ...] = _listed(harmless=False)
"""What a checker must notice."""

HARMLESS: tuple[Fault, ...] = _listed(harmless=True)
"""What a checker must not call a fault, though the numbers differ."""

VARIANTS: tuple[Fault, ...] = tuple(
    Fault(name, "", "loading", ("eager", "graph"), text)
    for name, text in (
        ("unresolved_symbol", "needs a symbol no TensorFlow exports"),
        ("missing_library", "needs a library that is not there"),
        ("wrong_architecture", "built for another machine"),
        ("truncated", "only the first part of the file"),
        ("empty", "an empty file"),
        ("two_plugins", "two copies that register the same platform"),
    )
)
"""Bad files rather than bad behaviour: ``build(..., variant=name)``, and for two plugins ``site(..., copies=2)``."""


def named(name: str) -> Fault:
    """The fault of this name; KeyError where there is none."""
    return {fault.name: fault for fault in FAULTS + HARMLESS + VARIANTS}[name]
