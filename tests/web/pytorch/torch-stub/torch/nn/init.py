"""See torch/__init__.py."""
import math
import random


def xavier_uniform_(x):
    bound = math.sqrt(6 / sum(x.shape))
    x.data = [random.uniform(-bound, bound) for _ in x.data]
    return x


def normal_(x, std):
    x.data = [random.gauss(0, std) for _ in x.data]
    return x
