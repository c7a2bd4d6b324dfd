/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program; cli/cli.h includes it). The options of "gpusim sweep" and "gpusim results". */
#pragma once

