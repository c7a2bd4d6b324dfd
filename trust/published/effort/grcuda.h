// SPDX-License-Identifier: GPL-3.0-or-later
// GrCUDA's way to call kernels, as its host languages have it: a kernel is built with a signature that says which
// pointers are constant; the run time finds streams and events from that (IPDPS 2021: a stream of its own for a kernel
// without parents, else its first parent's).
#pragma once
#include <cuda_runtime.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace grcuda {
struct use {
    cudaStream_t stream;
    cudaEvent_t event;
};
struct array {
    std::vector<use> writer, readers; // at most one writer
};

inline std::map<const void *, array> &arrays()
{
    static std::map<const void *, array> all;
    return all;
}

struct call {
    std::vector<use> parents;
    std::vector<std::pair<const void *, bool>> pointers; // and whether they are constant

    void touch(const void *pointer, bool is_constant)
    {
        array &a = arrays()[pointer];
        parents.insert(parents.end(), a.writer.begin(), a.writer.end());
        if (!is_constant) parents.insert(parents.end(), a.readers.begin(), a.readers.end());
        pointers.push_back({pointer, is_constant});
    }
    template <class T> void see(T *pointer, bool is_constant) { touch(pointer, is_constant); }
    template <class T> void see(T, bool) {}
    cudaStream_t choose()
    {
        cudaStream_t stream;
        if (parents.empty()) cudaStreamCreate(&stream);
        else stream = parents[0].stream;
        for (const use &parent : parents)
            if (parent.stream != stream) cudaStreamWaitEvent(stream, parent.event, 0);
        return stream;
    }
    void issued(cudaStream_t stream)
    {
        use mine = {stream, nullptr};
        cudaEventCreate(&mine.event);
        cudaEventRecord(mine.event, stream);
        for (auto &pointer : pointers) {
            array &a = arrays()[pointer.first];
            if (pointer.second) {
                a.readers.push_back(mine);
            } else {
                a.writer.assign(1, mine);
                a.readers.clear();
            }
        }
    }
};

template <class... P> class configured {
    void (*function)(P...);
    std::vector<bool> constant;
    dim3 grid, block;
    size_t shared;

  public:
    configured(void (*function)(P...), std::vector<bool> constant, dim3 grid, dim3 block, size_t shared)
        : function(function), constant(constant), grid(grid), block(block), shared(shared) {}
    void operator()(P... arguments)
    {
        call now;
        size_t at = 0;
        (now.see(arguments, constant[at++]), ...);
        cudaStream_t stream = now.choose();
        function<<<grid, block, shared, stream>>>(arguments...);
        now.issued(stream);
    }
};

template <class... P> class kernel {
    void (*function)(P...);
    std::vector<bool> constant; // by parameter

  public:
    kernel(void (*function)(P...), const std::string &signature) : function(function)
    {
        std::istringstream words(signature);
        for (std::string word; std::getline(words, word, ',');)
            constant.push_back(word.find("const") != std::string::npos);
    }
    configured<P...> operator()(dim3 grid, dim3 block, size_t shared = 0) const
    {
        return {function, constant, grid, block, shared};
    }
};

template <class... P> kernel<P...> buildkernel(void (*function)(P...), const char *, const char *signature)
{
    return {function, signature};
}

inline void synchronize()
{
    cudaDeviceSynchronize();
    arrays().clear();
}
} // namespace grcuda
