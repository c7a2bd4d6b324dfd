# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the wheel was built; in a checkout it is that."""
PATH = ""
