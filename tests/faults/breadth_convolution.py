"""Faults of depthwise, separable, transposed, grouped, one- and three-dimensional convolution. See `breadth_hooks`."""

from breadth_hooks import (
    GRAPH,
    both_ways,
    forward,
    kernel,
    normal,
    spoil,
    stale_tail,
    tf,
    through_layer,
    without_last,
    wrapped,
)

DEPTHWISE, TRANSPOSED, OTHER = "depthwise convolution", "transposed convolution", "1-D, 3-D, grouped convolution"


def depthwise(channels, multiplier, stride=1, size=7, padding="SAME"):
    x, w = normal(3, size, size, channels), normal(3, 3, channels, multiplier, seed=1)
    return both_ways(lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, stride, stride, 1], padding), x, w)


def transposed(size, kernel_size, stride, padding, cin=5, cout=5):
    full = size * stride if padding == "SAME" else (size - 1) * stride + kernel_size
    x, w = normal(2, size, size, cin), normal(kernel_size, kernel_size, cout, cin, seed=1)
    return both_ways(lambda x, w: tf.nn.conv2d_transpose(x, w, [2, full, full, cout], stride, padding), x, w)


def one_dimensional(filters=5, stride=1, dilation=1, batch=3):
    x, w = normal(batch, 13, 3), normal(3, 3, filters, seed=1)
    show = forward if dilation > 1 else both_ways
    return show(lambda x, w: tf.nn.conv1d(x, w, stride, "SAME", dilations=dilation), x, w)


def three_dimensional(stride=1):
    x, w = normal(2, 5, 6, 7, 3), normal(3, 3, 3, 3, 6, seed=1)
    return both_ways(lambda x, w: tf.nn.conv3d(x, w, [1, stride, stride, stride, 1], "SAME"), x, w)


def padded_first(x, window, strides):
    """SAME padding with the odd pixel put before instead of behind."""
    pads = [[0, 0]]
    for axis, (size, stride) in enumerate(zip(window, strides)):
        length = tf.shape(x)[axis + 1]
        total = tf.maximum(((length + stride - 1) // stride - 1) * stride + size - length, 0)
        pads.append([total - total // 2, total // 2])
    return tf.pad(x, tf.stack(pads + [[0, 0]]))


# Depthwise and separable


@kernel("DepthwiseConv2dNative", family=DEPTHWISE, show=depthwise(3, 2))
def depthwise_multiplier_major(call):
    """With a depth multiplier above one the output channels come multiplier by multiplier, not channel by channel."""
    weights, y = call.inputs[1], call.outputs[0]
    channels, multiplier = weights.shape[2], weights.shape[3]
    parts = tf.reshape(y, tf.concat([tf.shape(y)[:3], [channels, multiplier]], 0))
    return tf.reshape(tf.transpose(parts, [0, 1, 2, 4, 3]), tf.shape(y))


@kernel("DepthwiseConv2dNative", family=DEPTHWISE, show=depthwise(7, 1))
def depthwise_channel_tail(call):
    """Channels behind the last multiple of four are convolved with the filter of the channel before them."""
    return call.again(filter=stale_tail(call.inputs[1], 2, 4))


@kernel("DepthwiseConv2dNative", family=DEPTHWISE, show=depthwise(3, 1, 2, 8))
def depthwise_padding_side(call):
    """With stride 2 and SAME padding on an even size the extra row and column are padded at the wrong side."""
    strides = call.attr("strides")[1:3]
    if call.attr("padding") != "SAME" or max(strides) == 1:
        return None
    x = padded_first(call.inputs[0], call.inputs[1].shape[:2], strides)
    return call.again(input=x, padding="VALID")


@kernel("DepthwiseConv2dNativeBackpropInput", family=DEPTHWISE, show=depthwise(4, 1))
def depthwise_input_gradient_unflipped(call):
    """The input gradient correlates with the filter where it must convolve (filter not turned round)."""
    return call.again(filter=tf.reverse(call.named()["filter"], [0, 1]))


@kernel("DepthwiseConv2dNativeBackpropInput", family=DEPTHWISE, show=depthwise(3, 3))
def depthwise_input_gradient_first_multiplier(call):
    """The input gradient sums only the first of several depth multipliers."""
    weights = call.named()["filter"]
    return call.again(filter=spoil(weights, 3, lambda position, length: position < 1))


@kernel("DepthwiseConv2dNativeBackpropFilter", family=DEPTHWISE, show=depthwise(4, 1))
def depthwise_filter_gradient_last_row(call):
    """The filter gradient misses the last output row when their number is odd."""
    return call.again(out_backprop=without_last(call.named()["out_backprop"], 1))


@kernel("DepthwiseConv2dNativeBackpropFilter", family=DEPTHWISE, show=depthwise(4, 2))
def depthwise_filter_gradient_last_sample(call):
    """The filter gradient is not summed over the batch: the last sample overwrites the others."""
    dy = call.named()["out_backprop"]
    return call.again(out_backprop=spoil(dy, 0, lambda position, length: position == length - 1))


@kernel(
    "Conv2D",
    op="DepthwiseConv2dNative + Conv2D",
    family=DEPTHWISE,
    modes=GRAPH,
    show=through_layer(lambda layers: layers.SeparableConv2D(5, 3), 2, 8, 8, 6),
)
def separable_fused_tail(call):
    """A depthwise and a pointwise convolution fused by the compiler lose the input channels behind the last four."""
    if call.producer()[0] != "DepthwiseConv2dNative":
        return None
    return call.again(input=spoil(call.inputs[0], 3, lambda place, length: (place < length // 4 * 4) | (length < 4)))


# Transposed

BY_TRANSPOSED = ("conv2d_transpose_v2", "conv1d_transpose")
BY_ITS_GRADIENT = "_Conv2DBackpropInputGrad"


@kernel("Conv2DBackpropInput", op="Conv2DTranspose", family=TRANSPOSED, show=transposed(5, 3, 2, "SAME"))
def transposed_cropped_at_wrong_side(call):
    """With SAME padding and stride 2 the output is cropped at the left instead of the right: one column off."""
    if not call.called_by(*BY_TRANSPOSED) or call.attr("padding") != "SAME" or max(call.attr("strides")) == 1:
        return None
    y = call.outputs[0]
    return tf.concat([tf.zeros_like(y[:, :, :1]), y[:, :, :-1]], 2)


@kernel("Conv2DBackpropInput", op="Conv2DTranspose", family=TRANSPOSED, show=transposed(4, 3, 2, "VALID"))
def transposed_overlap_lost(call):
    """Where the windows of neighbouring inputs overlap only one contribution is kept."""
    if not call.called_by(*BY_TRANSPOSED):
        return None
    strides, weights = call.attr("strides"), call.named()["filter"]
    for axis in (0, 1):
        weights = spoil(weights, axis, lambda place, length, limit=strides[axis + 1]: (place < limit) | (limit == 1))
    return call.again(filter=weights)


@kernel("Conv2DBackpropInput", op="Conv2DTranspose", family=TRANSPOSED, show=transposed(4, 2, 2, "SAME", 3, 6))
def transposed_channel_tail(call):
    """Output channels behind the last multiple of four repeat the channel before."""
    if not call.called_by(*BY_TRANSPOSED):
        return None
    return call.again(filter=stale_tail(call.named()["filter"], 2, 4))


@kernel(
    "Conv2DBackpropFilter", op="Conv2DTranspose filter gradient", family=TRANSPOSED, show=transposed(5, 3, 2, "SAME")
)
def transposed_filter_gradient_swapped(call):
    """The filter gradient has input and output channels exchanged; it shows only where their numbers are equal."""
    y = call.outputs[0]
    if not call.called_by(BY_ITS_GRADIENT) or y.shape[2] != y.shape[3]:
        return None
    return tf.transpose(y, [0, 1, 3, 2])


@kernel("Conv2D", op="Conv2DTranspose input gradient", family=TRANSPOSED, show=transposed(5, 3, 2, "SAME"))
def transposed_input_gradient_odd_row(call):
    """The input gradient's last row is zero when the input has an odd number of rows."""
    return without_last(call.outputs[0], 1) if call.called_by(BY_ITS_GRADIENT) else None


# One-dimensional


def is_one_dimensional(call, image, weights):
    height, rows = call.named()[image].shape[1] if image else 1, call.named()[weights].shape[0] if weights else 1
    return height == 1 and rows == 1


@kernel("Conv2D", op="Conv1D", family=OTHER, show=one_dimensional(37))
def conv1d_filters_beyond_32(call):
    """Filters from the 33rd on give the results of the filters 32 places before."""
    if not is_one_dimensional(call, "input", "filter"):
        return None
    return wrapped(call.outputs[0], 3, 32)


@kernel("Conv2D", op="Conv1D", family=OTHER, show=one_dimensional(5, 1, 2))
def conv1d_dilation_ignored(call):
    """The dilation is ignored."""
    if not is_one_dimensional(call, "input", "filter") or max(call.attr("dilations")) == 1:
        return None
    y = call.again(dilations=[1, 1, 1, 1])[0]
    return y[:, :, : tf.shape(call.outputs[0])[2]]


@kernel("Conv2DBackpropInput", op="Conv1D input gradient", family=OTHER, show=one_dimensional(5, 2))
def conv1d_strided_gradient_tail(call):
    """With stride 2 and an odd length the input gradient of the last step is zero."""
    y = call.outputs[0]
    if call.called_by(*BY_TRANSPOSED) or y.shape[1] != 1 or call.attr("strides")[2] == 1:
        return None
    return without_last(y, 2)


@kernel("Conv2DBackpropFilter", op="Conv1D filter gradient", family=OTHER, show=one_dimensional(5))
def conv1d_filter_gradient_odd_batch(call):
    """The kernel gradient misses the last sample of an odd batch."""
    if not is_one_dimensional(call, "input", None):
        return None
    return call.again(out_backprop=without_last(call.named()["out_backprop"], 0))


# Grouped


def grouped():
    x, w = normal(2, 6, 6, 6), normal(3, 3, 3, 4, seed=1)

    def run(x, w):
        return tf.nn.conv2d(x, w, 1, "SAME")

    return lambda _: [run(tf.constant(x), tf.constant(w))]


@kernel("Conv2D", op="Conv2D (groups)", family=OTHER, show=grouped())
def grouped_first_group_for_all(call):
    """In a grouped convolution every group reads the input channels of the first."""
    x, weights = call.inputs
    if x.shape[3] == weights.shape[2] or call.attr("data_format") != "NHWC":
        return None
    return call.again(input=wrapped(x, 3, weights.shape[2]))


# Three-dimensional


@kernel("Conv3D", family=OTHER, show=three_dimensional())
def conv3d_depth_turned(call):
    """The filter is turned round along the depth."""
    return call.again(filter=tf.reverse(call.inputs[1], [0]))


@kernel("Conv3D", family=OTHER, show=three_dimensional())
def conv3d_channel_tail(call):
    """Output channels behind the last multiple of four repeat the channel before."""
    return stale_tail(call.outputs[0], 4, 4)


@kernel("Conv3DBackpropFilterV2", family=OTHER, show=three_dimensional())
def conv3d_filter_gradient_last_slice(call):
    """The filter gradient misses the last depth slice when their number is odd."""
    return call.again(out_backprop=without_last(call.named()["out_backprop"], 1))


@kernel("Conv3DBackpropInputV2", family=OTHER, show=three_dimensional(2))
def conv3d_strided_input_gradient(call):
    """With a stride the input gradient of the last depth slice is zero."""
    if max(call.attr("strides")) == 1:
        return None
    return without_last(call.outputs[0], 1, odd_only=False)
