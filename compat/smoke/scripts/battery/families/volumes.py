"""Convolution and pooling on three axes (pytorch#197114: wrong for most numbers of channels in the default layout)."""

from battery.families.convolution import ConvolutionSums, linear_case, sized
from battery.families.pooling import average_pooling, max_pooling
from battery.references.windows import Windows

CONVOLUTIONS = {
    # name: (shape, out, kernel, strides, padding)
    "k3": ((2, 4, 5, 6, 3), 5, (3, 3, 3), (1, 1, 1), "SAME"),
    "k232_s212": ((1, 5, 6, 7, 17), 6, (2, 3, 2), (2, 1, 2), "VALID"),
    "k1": ((3, 3, 4, 2, 6), 18, (1, 1, 1), (1, 1, 1), "SAME"),
}
POOLS = {
    # name: (shape, window, strides, padding)
    "k2s2_same": ((2, 5, 6, 7, 3), (2, 2, 2), (2, 2, 2), "SAME"),
    "k3s2": ((1, 7, 5, 8, 5), (3, 3, 3), (2, 2, 2), "VALID"),  # windows overlap: gradients add
}


def cases():
    found = [convolution("conv3d/" + name, *row) for name, row in CONVOLUTIONS.items()]
    found += [max_pooling("maxpool3d/" + name, *row, level="standard") for name, row in POOLS.items()]
    return found + [average_pooling("avgpool3d/" + name, *row, level="standard") for name, row in POOLS.items()]


def convolution(identity, shape, out, kernel, strides, padding):
    linear = ConvolutionSums(Windows(shape, kernel, strides, None, padding), out)
    shapes = (shape, kernel + (shape[-1], out), (out,))
    code = "tf.nn.bias_add(tf.nn.conv3d(x, w, %r, %r), b)" % ([1] + list(strides) + [1], padding)
    text = "%s k%s s%s %s -> %d" % (sized(shape), sized(kernel), sized(strides), padding, out)
    return linear_case(identity, "Conv3D", text, code, linear, shapes, "standard")
