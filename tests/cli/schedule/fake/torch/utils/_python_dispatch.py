# SPDX-License-Identifier: GPL-3.0-or-later
class TorchDispatchMode:
    active = None

    def __enter__(self):
        TorchDispatchMode.active = self
        return self

    def __exit__(self, *error):
        TorchDispatchMode.active = None
