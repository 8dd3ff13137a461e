"""The report's classifier trained on the device, against the same steps in float64."""

import numpy as np

from battery.programs import classifier
from battery.programs.program import Program, judged
from battery.wants import Want

MAINS = ("Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput", "MaxPool", "MaxPoolGrad", "MatMul")


def programs():
    return [Program("train/seed", "Conv2D, MaxPool, Dense, Adam", "graph", train, "standard", mains=MAINS)]


def train(session):
    plan = classifier.Plan()
    losses, gradients = classifier.train(session.tf, plan, session.device)
    wanted, first = classifier.trajectory(plan)
    for name, op, want, answer in zip(classifier.NAMES, classifier.OPS, first, gradients):
        limit = classifier.GRADIENT_LIMIT * max(abs(want).max(), 1e-30)
        yield judged(session, "gradient/" + name, Want(op, want, limit), answer)
    limits = [classifier.tolerance(i + 1) for i in range(len(wanted))]
    session.recorder.curves.append({"device": session.device, "losses": losses, "wanted": wanted, "limits": limits})
    yield judged(session, "loss", Want("training step", wanted, limits, ("step",)), np.array(losses))
