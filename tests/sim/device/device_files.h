/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Device files that tests write: one folder for the process, removed at the end of each test that uses it. */
#pragma once

#include <stddef.h>

#define DEVICE_FILES_SHIPPED GPUSIM_SOURCE_DIR "/models/"

extern char device_files_folder[64], device_files_models[96]; /* FOLDER/models */
extern char device_files_path[128];                            /* FOLDER/models/card.json */

void device_files_make(void);
/* The card, too; what else a test has written is its own to remove before. */
void device_files_remove(void);
/* Writes the card. */
void device_files_write(const char *text, size_t length);
/* The text of a shipped device; the caller frees it. */
char *device_files_shipped(const char *name);
/* The card is the file of the H200 with the first FIND replaced; FIND must be there. */
void device_files_change(const char *find, const char *replacement);
