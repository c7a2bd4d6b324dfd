// SPDX-License-Identifier: GPL-3.0-or-later
// The probe as a program of its own, without the runner and its libraries:
//   nvcc -std=c++17 -O2 -arch=native -I. traces/runner/micro/probe_alone.cu traces/runner/probe/probe*.cu -o
//   gpusim-probe
extern "C" int gsim_probe_main(int argc, char **argv);

int main(int argc, char **argv)
{
    return gsim_probe_main(argc - 1, argv + 1);
}
