/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A policy among tasks outside the tree: the skeleton under another name, as CONTRIBUTING.md makes one. */
#define gsim_sharing_skeleton gsim_sharing
#include "schedulers/sharing/skeleton.c"
