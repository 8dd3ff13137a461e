"""Faults of average, three-dimensional and global pooling and of image resizing. See `breadth_hooks`."""

from breadth_hooks import both_ways, forward, kernel, normal, quick_kernel, spoil, tf, without_last

POOL, IMAGE = "pooling", "resizing"


def average(size=7, window=3, stride=2, padding="SAME"):
    return both_ways(lambda x: tf.nn.avg_pool2d(x, window, stride, padding), normal(2, size, size, 3))


def counts(call, like):
    """How many pixels of the image each window of a pooling of this shape covers."""
    rows, columns = call.attr("ksize")[1:3]
    ones = tf.ones(tf.concat([[1], like[1:3], [1]], 0))
    return tf.nn.conv2d(ones, tf.ones([rows, columns, 1, 1]), call.attr("strides"), call.attr("padding"))


def share(call, like):
    rows, columns = call.attr("ksize")[1:3]
    return counts(call, like) / float(rows * columns)


@kernel("AvgPool", family=POOL, show=average())
def average_pool_counts_padding(call):
    """At a SAME border the sum is divided by the whole window, padding included."""
    return call.outputs[0] * tf.cast(share(call, tf.shape(call.inputs[0])), call.dtype())


@kernel("AvgPoolGrad", family=POOL, show=average())
def average_pool_gradient_counts_padding(call):
    """At a SAME border the gradient is divided by the whole window, padding included (the forward pass is right)."""
    shape, upstream = call.inputs
    return call.again(grad=upstream * tf.cast(share(call, shape), upstream.dtype))


@kernel("AvgPoolGrad", family=POOL, show=average(7, 3, 1))
def average_pool_gradient_overlap(call):
    """Where windows overlap the gradient is averaged over the windows instead of summed."""
    rows, columns = call.attr("ksize")[1:3]
    cover = call.again(grad=tf.ones_like(call.inputs[1]))[0] * float(rows * columns)
    return call.outputs[0] / tf.maximum(tf.round(cover), 1.0)


@kernel("AvgPoolGrad", family=POOL, show=average(7, 2, 2, "SAME"))
def average_pool_gradient_odd_column(call):
    """The gradient of the last column is zero when the width is odd."""
    return without_last(call.outputs[0], 2)


@kernel(
    "MaxPool3D", family=POOL, show=both_ways(lambda x: tf.nn.max_pool3d(x, 2, 2, "SAME"), -abs(normal(2, 4, 4, 4, 3)))
)
def max_pool3d_starts_at_zero(call):
    """The maximum starts from zero: windows of negative values give zero."""
    return tf.maximum(call.outputs[0], 0)


@kernel(
    "MaxPool3DGrad", family=POOL, show=both_ways(lambda x: tf.nn.max_pool3d(x, 2, 2, "SAME"), normal(2, 4, 4, 4, 3))
)
def max_pool3d_gradient_depth(call):
    """The gradient lands one depth slice too far."""
    return tf.roll(call.outputs[0], 1, 1)


@kernel(
    "AvgPool3DGrad", family=POOL, show=both_ways(lambda x: tf.nn.avg_pool3d(x, 2, 2, "SAME"), normal(2, 5, 4, 4, 3))
)
def average_pool3d_gradient_last_slice(call):
    """The gradient of the last depth slice is lost when the depth is odd."""
    return without_last(call.outputs[0], 1)


@kernel(
    "MaxPoolWithArgmax",
    family=POOL,
    show=forward(lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, "SAME")[1], normal(2, 6, 6, 3)),
)
def argmax_pool_without_channel(call):
    """The index of the maximum ignores the channel."""
    channels = tf.cast(tf.shape(call.inputs[0])[3], call.outputs[1].dtype)
    return [call.outputs[0], call.outputs[1] // channels * channels]


def over_the_image(call):
    axes = call.value("reduction_indices")
    return (
        call.inputs[0].shape.rank == 4 and axes is not None and sorted(int(a) % 4 for a in axes.reshape(-1)) == [1, 2]
    )


@kernel(
    "Mean",
    op="GlobalAveragePooling2D",
    family=POOL,
    show=both_ways(lambda x: tf.reduce_mean(x, [1, 2]), normal(3, 7, 5, 6)),
)
def global_average_pool_tail(call):
    """With more than 16 pixels the last pixel is left out of the sum where their number is no multiple of four."""
    if not over_the_image(call):
        return None
    x = call.inputs[0]
    pixels = tf.reshape(x, [tf.shape(x)[0], -1, x.shape[3]])
    kept = spoil(pixels, 1, lambda place, n: (place < n - 1) | (n % 4 == 0) | (n <= 16))
    return tf.reshape(tf.reduce_mean(kept, 1), tf.shape(call.outputs[0]))


quick_kernel(
    "global_max_pool_starts_at_zero",
    "Max",
    POOL,
    "The maximum over an image starts from zero: negative images give zero.",
    forward(lambda x: tf.reduce_max(x, [1, 2]), -abs(normal(3, 5, 5, 4))),
    lambda call: tf.maximum(call.outputs[0], 0) if over_the_image(call) else None,
)

# Resizing

IMAGES = normal(2, 5, 7, 3)


def bilinear(x):
    return tf.image.resize(x, [8, 10], "bilinear")


def nearest(x):
    return tf.image.resize(x, [8, 11], "nearest")


quick_kernel(
    "bilinear_corner_centres",
    "ResizeBilinear",
    IMAGE,
    "Bilinear resizing takes pixel corners for pixel centres.",
    both_ways(bilinear, IMAGES),
    lambda call: call.again(half_pixel_centers=not call.attr("half_pixel_centers"), align_corners=False),
)
quick_kernel(
    "nearest_rounds_down",
    "ResizeNearestNeighbor",
    IMAGE,
    "Nearest-neighbour resizing by a factor that is not whole picks the pixel left of the nearest.",
    both_ways(nearest, IMAGES),
    lambda call: call.again(half_pixel_centers=False, align_corners=False),
)
quick_kernel(
    "bilinear_gradient_last_row",
    "ResizeBilinearGrad",
    IMAGE,
    "The gradient of the image's last row is lost.",
    both_ways(bilinear, IMAGES),
    lambda call: without_last(call.outputs[0], 1, odd_only=False),
)


@kernel(
    "ResizeNearestNeighborGrad", family=IMAGE, show=both_ways(lambda x: tf.image.resize(x, [10, 14], "nearest"), IMAGES)
)
def nearest_gradient_overwrites(call):
    """The gradients of the pixels copied from one pixel overwrite each other instead of adding up."""
    upstream, size = call.inputs
    rows, columns = tf.shape(upstream)[1] // size[0], tf.shape(upstream)[2] // size[1]
    return call.again(
        grads=spoil(spoil(upstream, 1, lambda p, n: p % rows == rows - 1), 2, lambda p, n: p % columns == columns - 1)
    )


quick_kernel(
    "crop_and_resize_box_order",
    "CropAndResize",
    IMAGE,
    "Boxes are read as (x, y) pairs instead of (y, x).",
    forward(lambda x: tf.image.crop_and_resize(x, [[0.1, 0.3, 0.7, 0.9]], [0], [4, 4]), IMAGES),
    lambda call: call.again(boxes=tf.gather(call.inputs[1], [1, 0, 3, 2], axis=1)),
)
