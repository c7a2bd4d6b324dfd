/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the helper headers of CUDA's samples declare, in our words. The build embeds this file in the program. */
#ifndef GPUSIM_HELPERS
#define GPUSIM_HELPERS
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>
#define EXIT_WAIVED 2
#define checkCudaErrors(x) (x)
#define getLastCudaError(x)
#ifdef GPUSIM_RUN
#define GPUSIM_HELP(...) __VA_ARGS__ { return 0; }
#else /* what they say is not known */
#define GPUSIM_HELP(...) __VA_ARGS__;
#endif
struct StopWatchInterface;
inline int findCudaDevice(int, const char **) { return 0; }
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int gpuDeviceInit(int) { return 0; }
inline bool checkCudaCapabilities(int, int) { return true; }
#define GPUSIM_TIMER(name) inline bool name(StopWatchInterface **) { return true; }
GPUSIM_TIMER(sdkCreateTimer) GPUSIM_TIMER(sdkStartTimer) GPUSIM_TIMER(sdkStopTimer) GPUSIM_TIMER(sdkResetTimer)
GPUSIM_TIMER(sdkDeleteTimer)
GPUSIM_HELP(inline float sdkGetTimerValue(StopWatchInterface **))
GPUSIM_HELP(inline float sdkGetAverageTimerValue(StopWatchInterface **))
GPUSIM_HELP(inline int _ConvertSMVer2Cores(int, int))
GPUSIM_HELP(inline const char *_ConvertSMVer2ArchName(int, int))
GPUSIM_HELP(inline int getCmdLineArgumentInt(int, const char **, const char *))
GPUSIM_HELP(inline float getCmdLineArgumentFloat(int, const char **, const char *))
GPUSIM_HELP(inline bool getCmdLineArgumentString(int, const char **, const char *, char **))
GPUSIM_HELP(inline bool checkCmdLineFlag(int, const char **, const char *))
GPUSIM_HELP(inline char *sdkFindFilePath(const char *, const char *))
GPUSIM_HELP(template <class T> bool sdkLoadPGM(const char *, T **, unsigned *, unsigned *))
GPUSIM_HELP(template <class T> bool sdkSavePGM(const char *, T *, unsigned, unsigned))
GPUSIM_HELP(template <class T> bool sdkLoadPPM4(const char *, T **, unsigned *, unsigned *))
GPUSIM_HELP(template <class T> bool sdkSavePPM4ub(const char *, T *, unsigned, unsigned))
GPUSIM_HELP(template <class T> bool sdkReadFile(const char *, T **, unsigned *, bool))
GPUSIM_HELP(template <class T, class S>
            bool sdkWriteFile(const char *, const T *, unsigned, const S &, bool, bool = false))
GPUSIM_HELP(template <class T, class S> bool compareData(const T *, const T *, unsigned, S, float))
GPUSIM_HELP(template <class T, class S> bool sdkCompareL2fe(const T *, const T *, unsigned, S))
#endif
