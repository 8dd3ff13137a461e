"""Where operations really ran: a compiled function's answer names a device even for what was computed elsewhere."""

GLUE = frozenset(
    "_DeviceArg _DeviceRetval"
    " Const Identity IdentityN NoOp Placeholder _Arg _Retval _Send _Recv _HostSend _HostRecv Shape ShapeN Reshape Cast"
    " StridedSlice Pack BroadcastGradientArgs InvertPermutation Range Rank Size Fill ReadVariableOp VarHandleOp"
    " AssignVariableOp AssignAddVariableOp StatefulPartitionedCall PartitionedCall Squeeze ExpandDims"
    " OptionalFromValue ConcatOffset Switch Merge Enter Exit NextIteration LoopCond If While StatelessIf StatelessWhile"
    " TensorListReserve TensorListStack TensorListFromTensor TensorListGetItem TensorListSetItem"
    " EmptyTensorList TensorListPushBack TensorListPopBack Assert".split()
)
"""What moves or describes data and may be placed on the host anywhere."""


def watched(tf, call):
    """Return (the call's answer, the nodes of every partition graph as (operation, device))."""
    from tensorflow.python.eager import context

    context.context().enable_run_metadata()
    try:
        answer = call()
        metadata = context.context().export_run_metadata()
    finally:
        context.context().disable_run_metadata()
    graphs = list(metadata.partition_graphs)
    for function in metadata.function_graphs:
        graphs += list(function.partition_graphs)
    return answer, [(node.op, node.device.rpartition("device:")[2]) for graph in graphs for node in graph.node]


def elsewhere(nodes, device):
    """The operations, other than glue, that were not placed on the device, each once and in order."""
    return list(dict.fromkeys(op for op, place in nodes if place and place != device and op not in GLUE))


def on_device(nodes, device):
    """The operations, other than glue, that were placed on the device."""
    return list(dict.fromkeys(op for op, place in nodes if place == device and op not in GLUE))


def seen(tf, call):
    """As `watched`, with the operations that ran eagerly as well."""
    from tensorflow.python.framework import op_callbacks

    eager = {}

    def note(op, inputs, attributes, outputs, op_name=None, graph=None):
        if graph is None:
            op = op if isinstance(op, str) else op.decode()  # bytes, where a gradient calls it
            eager.update(((op, output.device.rpartition("device:")[2]), None) for output in outputs)

    op_callbacks.add_op_callback(note)
    try:
        answer, nodes = watched(tf, call)
    finally:
        op_callbacks.remove_op_callback(note)
    return answer, nodes + list(eager)


def unfused(op):
    """The operation that a fused one begins with: `_FusedMatMul` does what MatMul is for."""
    return op[len("_Fused") :] if op.startswith("_Fused") else op


def unproved(mains, nodes, device):
    """(Those of the main operations that no node shows on the device, whether anything at all was shown there)."""
    proved = {unfused(op) for op in on_device(nodes, device)}
    missing = [op for op in mains if op not in proved]
    return missing, bool(proved) and (not mains or len(missing) < len(mains))
