/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See cuda_runtime_api.h: what gpusim-runner uses of CUPTI. Nothing of it is linked: the runner loads libcupti. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CUPTI_API_VERSION 18
#define CUPTIAPI

typedef struct CUctx_st *CUcontext;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUpti_Subscriber_st *CUpti_SubscriberHandle;
typedef enum { CUPTI_SUCCESS = 0 } CUptiResult;
typedef enum { CUPTI_CB_DOMAIN_RESOURCE = 3 } CUpti_CallbackDomain;
typedef uint32_t CUpti_CallbackId;
enum { CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED = 16 };
typedef enum {
    CUPTI_ACTIVITY_KIND_MEMCPY = 1,
    CUPTI_ACTIVITY_KIND_RUNTIME = 5,
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL = 10,
    CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION = 39
} CUpti_ActivityKind;
typedef enum { CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 = 3 } CUpti_ExternalCorrelationKind;
typedef struct {
    CUpti_ActivityKind kind;
} CUpti_Activity;
typedef struct {
    CUpti_ActivityKind kind;
    uint16_t registersPerThread;
    int32_t staticSharedMemory, dynamicSharedMemory;
    uint32_t correlationId;
    uint64_t start, end, graphNodeId;
} CUpti_ActivityKernel9;
typedef struct {
    CUpti_ActivityKind kind;
    uint32_t correlationId;
    uint64_t bytes, start, end, graphNodeId;
} CUpti_ActivityMemcpy5;
typedef struct {
    CUpti_ActivityKind kind;
    uint32_t correlationId;
    uint64_t externalId;
} CUpti_ActivityExternalCorrelation;
typedef struct {
    void *resourceDescriptor;
} CUpti_ResourceData;
typedef struct {
    CUgraph graph, originalGraph;
    CUgraphNode node, originalNode;
} CUpti_GraphData;
typedef uint64_t (*CUpti_TimestampCallbackFunc)(void);
typedef void (*CUpti_BuffersCallbackRequestFunc)(uint8_t **buffer, size_t *size, size_t *most);
typedef void (*CUpti_BuffersCallbackCompleteFunc)(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
                                                  size_t used);
typedef void (*CUpti_CallbackFunc)(void *argument, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data);

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc wanted,
                                           CUpti_BuffersCallbackCompleteFunc full);
CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc timestamp);
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind);
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind);
CUptiResult cuptiActivityFlushAll(uint32_t flags);
CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t used, CUpti_Activity **record);
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped);
CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id);
CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t *id);
CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t *id);
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback, void *argument);
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber);
CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id);
CUptiResult cuptiGetResultString(CUptiResult result, const char **text);
