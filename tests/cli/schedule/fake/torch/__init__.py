# SPDX-License-Identifier: GPL-3.0-or-later
"""What a plan of "gpusim schedule --python" needs of PyTorch, without a GPU: calls are noted in torch.log, in order."""
from . import cuda, utils

log = []  # ("run", name, stream, reads, writes), ("record", event, stream), ("wait", stream, event)


class Storage:
    def __init__(self):
        self._cdata = id(self)


class Tensor:
    is_cuda = True

    def __init__(self, storage=None):
        self.storage = storage or Storage()

    def untyped_storage(self):
        return self.storage
