# SPDX-License-Identifier: GPL-3.0-or-later
def tree_leaves(tree):
    if isinstance(tree, (list, tuple)):
        return [leaf for part in tree for leaf in tree_leaves(part)]
    if isinstance(tree, dict):
        return tree_leaves(list(tree.values()))
    return [tree]
