// Types, enumerations and structures of the CUDA 13 runtime interface, laid out as programs and the runtime library
// expect them; usable from C and C++. The test cli/cc_layout holds every value and offset against NVIDIA's own headers
// where these are installed.
#ifndef WARPGLASS_DRIVER_TYPES_H
#define WARPGLASS_DRIVER_TYPES_H
#include <stddef.h>
#include "vector_types.h"

#define CUDART_CB
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaHostRegisterDefault 0x00
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped 0x02
#define cudaHostRegisterIoMemory 0x04
#define cudaHostRegisterReadOnly 0x08
#define cudaPeerAccessDefault 0x00
#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaEventInterprocess 0x04
#define cudaEventRecordDefault 0x00
#define cudaEventRecordExternal 0x01
#define cudaEventWaitDefault 0x00
#define cudaEventWaitExternal 0x01
#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceBlockingSync 0x04
#define cudaDeviceScheduleMask 0x07
#define cudaDeviceMapHost 0x08
#define cudaDeviceLmemResizeToMax 0x10
#define cudaDeviceSyncMemops 0x80
#define cudaDeviceMask 0xff
#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08
#define cudaIpcMemLazyEnablePeerAccess 0x01
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaMemAttachSingle 0x04
#define cudaOccupancyDefault 0x00
#define cudaOccupancyDisableCachingOverride 0x01
#define cudaCpuDeviceId ((int)-1)
#define cudaInvalidDeviceId ((int)-2)
#define cudaInitDeviceFlagsAreValid 0x01
#define cudaGraphKernelNodePortDefault 0
#define cudaGraphKernelNodePortProgrammatic 1
#define cudaGraphKernelNodePortLaunchCompletion 2

// ---- enumerations ----
enum cudaError {
    cudaSuccess = 0, cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorInitializationError,
    cudaErrorCudartUnloading, cudaErrorProfilerDisabled, cudaErrorProfilerNotInitialized,
    cudaErrorProfilerAlreadyStarted, cudaErrorProfilerAlreadyStopped, cudaErrorInvalidConfiguration,
    cudaErrorInvalidPitchValue = 12, cudaErrorInvalidSymbol, cudaErrorInvalidHostPointer = 16,
    cudaErrorInvalidDevicePointer, cudaErrorInvalidTexture, cudaErrorInvalidTextureBinding,
    cudaErrorInvalidChannelDescriptor, cudaErrorInvalidMemcpyDirection, cudaErrorAddressOfConstant,
    cudaErrorTextureFetchFailed, cudaErrorTextureNotBound, cudaErrorSynchronizationError,
    cudaErrorInvalidFilterSetting, cudaErrorInvalidNormSetting, cudaErrorMixedDeviceExecution,
    cudaErrorNotYetImplemented = 31, cudaErrorMemoryValueTooLarge, cudaErrorStubLibrary = 34,
    cudaErrorInsufficientDriver, cudaErrorCallRequiresNewerDriver, cudaErrorInvalidSurface,
    cudaErrorDuplicateVariableName = 43, cudaErrorDuplicateTextureName, cudaErrorDuplicateSurfaceName,
    cudaErrorDevicesUnavailable, cudaErrorIncompatibleDriverContext = 49,
    cudaErrorMissingConfiguration = 52, cudaErrorPriorLaunchFailure, cudaErrorLaunchMaxDepthExceeded = 65,
    cudaErrorLaunchFileScopedTex, cudaErrorLaunchFileScopedSurf, cudaErrorSyncDepthExceeded,
    cudaErrorLaunchPendingCountExceeded, cudaErrorInvalidDeviceFunction = 98, cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice, cudaErrorDeviceNotLicensed, cudaErrorSoftwareValidityNotEstablished,
    cudaErrorStartupFailure = 127, cudaErrorInvalidKernelImage = 200, cudaErrorDeviceUninitialized,
    cudaErrorMapBufferObjectFailed = 205, cudaErrorUnmapBufferObjectFailed, cudaErrorArrayIsMapped,
    cudaErrorAlreadyMapped, cudaErrorNoKernelImageForDevice, cudaErrorAlreadyAcquired, cudaErrorNotMapped,
    cudaErrorNotMappedAsArray, cudaErrorNotMappedAsPointer, cudaErrorECCUncorrectable,
    cudaErrorUnsupportedLimit, cudaErrorDeviceAlreadyInUse, cudaErrorPeerAccessUnsupported,
    cudaErrorInvalidPtx, cudaErrorInvalidGraphicsContext, cudaErrorNvlinkUncorrectable,
    cudaErrorJitCompilerNotFound, cudaErrorUnsupportedPtxVersion, cudaErrorJitCompilationDisabled,
    cudaErrorUnsupportedExecAffinity, cudaErrorUnsupportedDevSideSync, cudaErrorContained,
    cudaErrorInvalidSource = 300, cudaErrorFileNotFound, cudaErrorSharedObjectSymbolNotFound,
    cudaErrorSharedObjectInitFailed, cudaErrorOperatingSystem, cudaErrorInvalidResourceHandle = 400,
    cudaErrorIllegalState, cudaErrorLossyQuery, cudaErrorSymbolNotFound = 500, cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700, cudaErrorLaunchOutOfResources, cudaErrorLaunchTimeout,
    cudaErrorLaunchIncompatibleTexturing, cudaErrorPeerAccessAlreadyEnabled, cudaErrorPeerAccessNotEnabled,
    cudaErrorSetOnActiveProcess = 708, cudaErrorContextIsDestroyed, cudaErrorAssert, cudaErrorTooManyPeers,
    cudaErrorHostMemoryAlreadyRegistered, cudaErrorHostMemoryNotRegistered, cudaErrorHardwareStackError,
    cudaErrorIllegalInstruction, cudaErrorMisalignedAddress, cudaErrorInvalidAddressSpace,
    cudaErrorInvalidPc, cudaErrorLaunchFailure, cudaErrorCooperativeLaunchTooLarge,
    cudaErrorTensorMemoryLeak, cudaErrorNotPermitted = 800, cudaErrorNotSupported, cudaErrorSystemNotReady,
    cudaErrorSystemDriverMismatch, cudaErrorCompatNotSupportedOnDevice, cudaErrorMpsConnectionFailed,
    cudaErrorMpsRpcFailure, cudaErrorMpsServerNotReady, cudaErrorMpsMaxClientsReached,
    cudaErrorMpsMaxConnectionsReached, cudaErrorMpsClientTerminated, cudaErrorCdpNotSupported,
    cudaErrorCdpVersionMismatch, cudaErrorStreamCaptureUnsupported = 900, cudaErrorStreamCaptureInvalidated,
    cudaErrorStreamCaptureMerge, cudaErrorStreamCaptureUnmatched, cudaErrorStreamCaptureUnjoined,
    cudaErrorStreamCaptureIsolation, cudaErrorStreamCaptureImplicit, cudaErrorCapturedEvent,
    cudaErrorStreamCaptureWrongThread, cudaErrorTimeout, cudaErrorGraphExecUpdateFailure,
    cudaErrorExternalDevice, cudaErrorInvalidClusterSize, cudaErrorFunctionNotLoaded,
    cudaErrorInvalidResourceType, cudaErrorInvalidResourceConfiguration, cudaErrorUnknown = 999,
    cudaErrorApiFailureBase = 10000
};
enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned = 0, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat,
    cudaChannelFormatKindNone, cudaChannelFormatKindNV12, cudaChannelFormatKindUnsignedNormalized8X1,
    cudaChannelFormatKindUnsignedNormalized8X2, cudaChannelFormatKindUnsignedNormalized8X4,
    cudaChannelFormatKindUnsignedNormalized16X1, cudaChannelFormatKindUnsignedNormalized16X2,
    cudaChannelFormatKindUnsignedNormalized16X4, cudaChannelFormatKindSignedNormalized8X1,
    cudaChannelFormatKindSignedNormalized8X2, cudaChannelFormatKindSignedNormalized8X4,
    cudaChannelFormatKindSignedNormalized16X1, cudaChannelFormatKindSignedNormalized16X2,
    cudaChannelFormatKindSignedNormalized16X4, cudaChannelFormatKindUnsignedBlockCompressed1,
    cudaChannelFormatKindUnsignedBlockCompressed1SRGB, cudaChannelFormatKindUnsignedBlockCompressed2,
    cudaChannelFormatKindUnsignedBlockCompressed2SRGB, cudaChannelFormatKindUnsignedBlockCompressed3,
    cudaChannelFormatKindUnsignedBlockCompressed3SRGB, cudaChannelFormatKindUnsignedBlockCompressed4,
    cudaChannelFormatKindSignedBlockCompressed4, cudaChannelFormatKindUnsignedBlockCompressed5,
    cudaChannelFormatKindSignedBlockCompressed5, cudaChannelFormatKindUnsignedBlockCompressed6H,
    cudaChannelFormatKindSignedBlockCompressed6H, cudaChannelFormatKindUnsignedBlockCompressed7,
    cudaChannelFormatKindUnsignedBlockCompressed7SRGB, cudaChannelFormatKindUnsignedNormalized1010102
};
enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged
};
enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaAccessProperty {
    cudaAccessPropertyNormal = 0, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting
};
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone = 0, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated
};
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal = 0, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed
};
enum cudaSynchronizationPolicy {
    cudaSyncPolicyAuto = 1, cudaSyncPolicySpin, cudaSyncPolicyYield, cudaSyncPolicyBlockingSync
};
enum cudaClusterSchedulingPolicy {
    cudaClusterSchedulingPolicyDefault = 0, cudaClusterSchedulingPolicySpread,
    cudaClusterSchedulingPolicyLoadBalancing
};
enum cudaStreamUpdateCaptureDependenciesFlags {
    cudaStreamAddCaptureDependencies = 0, cudaStreamSetCaptureDependencies
};
enum cudaUserObjectFlags {
    cudaUserObjectNoDestructorSync = 1
};
enum cudaUserObjectRetainFlags {
    cudaGraphUserObjectMove = 1
};
enum cudaResourceType {
    cudaResourceTypeArray = 0, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear,
    cudaResourceTypePitch2D
};
enum cudaResourceViewFormat {
    cudaResViewFormatNone = 0, cudaResViewFormatUnsignedChar1, cudaResViewFormatUnsignedChar2,
    cudaResViewFormatUnsignedChar4, cudaResViewFormatSignedChar1, cudaResViewFormatSignedChar2,
    cudaResViewFormatSignedChar4, cudaResViewFormatUnsignedShort1, cudaResViewFormatUnsignedShort2,
    cudaResViewFormatUnsignedShort4, cudaResViewFormatSignedShort1, cudaResViewFormatSignedShort2,
    cudaResViewFormatSignedShort4, cudaResViewFormatUnsignedInt1, cudaResViewFormatUnsignedInt2,
    cudaResViewFormatUnsignedInt4, cudaResViewFormatSignedInt1, cudaResViewFormatSignedInt2,
    cudaResViewFormatSignedInt4, cudaResViewFormatHalf1, cudaResViewFormatHalf2, cudaResViewFormatHalf4,
    cudaResViewFormatFloat1, cudaResViewFormatFloat2, cudaResViewFormatFloat4,
    cudaResViewFormatUnsignedBlockCompressed1, cudaResViewFormatUnsignedBlockCompressed2,
    cudaResViewFormatUnsignedBlockCompressed3, cudaResViewFormatUnsignedBlockCompressed4,
    cudaResViewFormatSignedBlockCompressed4, cudaResViewFormatUnsignedBlockCompressed5,
    cudaResViewFormatSignedBlockCompressed5, cudaResViewFormatUnsignedBlockCompressed6H,
    cudaResViewFormatSignedBlockCompressed6H, cudaResViewFormatUnsignedBlockCompressed7
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout,
    cudaFuncAttributeClusterDimMustBeSet, cudaFuncAttributeRequiredClusterWidth,
    cudaFuncAttributeRequiredClusterHeight, cudaFuncAttributeRequiredClusterDepth,
    cudaFuncAttributeNonPortableClusterSizeAllowed, cudaFuncAttributeClusterSchedulingPolicyPreference,
    cudaFuncAttributeMax
};
enum cudaFuncCache {
    cudaFuncCachePreferNone = 0, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual
};
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault = 0, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte
};
enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxShared = 100, cudaSharedmemCarveoutMaxL1 = 0
};
enum cudaComputeMode {
    cudaComputeModeDefault = 0, cudaComputeModeExclusive, cudaComputeModeProhibited,
    cudaComputeModeExclusiveProcess
};
enum cudaLimit {
    cudaLimitStackSize = 0, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize, cudaLimitDevRuntimeSyncDepth,
    cudaLimitDevRuntimePendingLaunchCount, cudaLimitMaxL2FetchGranularity, cudaLimitPersistingL2CacheSize
};
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly, cudaMemAdviseSetPreferredLocation,
    cudaMemAdviseUnsetPreferredLocation, cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy
};
enum cudaMemRangeAttribute {
    cudaMemRangeAttributeReadMostly = 1, cudaMemRangeAttributePreferredLocation,
    cudaMemRangeAttributeAccessedBy, cudaMemRangeAttributeLastPrefetchLocation,
    cudaMemRangeAttributePreferredLocationType, cudaMemRangeAttributePreferredLocationId,
    cudaMemRangeAttributeLastPrefetchLocationType, cudaMemRangeAttributeLastPrefetchLocationId
};
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY,
    cudaDevAttrMaxBlockDimZ, cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ,
    cudaDevAttrMaxSharedMemoryPerBlock, cudaDevAttrTotalConstantMemory, cudaDevAttrWarpSize,
    cudaDevAttrMaxPitch, cudaDevAttrMaxRegistersPerBlock, cudaDevAttrClockRate, cudaDevAttrTextureAlignment,
    cudaDevAttrGpuOverlap, cudaDevAttrMultiProcessorCount, cudaDevAttrKernelExecTimeout,
    cudaDevAttrIntegrated, cudaDevAttrCanMapHostMemory, cudaDevAttrComputeMode,
    cudaDevAttrMaxTexture1DWidth, cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight,
    cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight, cudaDevAttrMaxTexture3DDepth,
    cudaDevAttrMaxTexture2DLayeredWidth, cudaDevAttrMaxTexture2DLayeredHeight,
    cudaDevAttrMaxTexture2DLayeredLayers, cudaDevAttrSurfaceAlignment, cudaDevAttrConcurrentKernels,
    cudaDevAttrEccEnabled, cudaDevAttrPciBusId, cudaDevAttrPciDeviceId, cudaDevAttrTccDriver,
    cudaDevAttrMemoryClockRate, cudaDevAttrGlobalMemoryBusWidth, cudaDevAttrL2CacheSize,
    cudaDevAttrMaxThreadsPerMultiProcessor, cudaDevAttrAsyncEngineCount, cudaDevAttrUnifiedAddressing,
    cudaDevAttrMaxTexture1DLayeredWidth, cudaDevAttrMaxTexture1DLayeredLayers,
    cudaDevAttrMaxTexture2DGatherWidth = 45, cudaDevAttrMaxTexture2DGatherHeight,
    cudaDevAttrMaxTexture3DWidthAlt, cudaDevAttrMaxTexture3DHeightAlt, cudaDevAttrMaxTexture3DDepthAlt,
    cudaDevAttrPciDomainId, cudaDevAttrTexturePitchAlignment, cudaDevAttrMaxTextureCubemapWidth,
    cudaDevAttrMaxTextureCubemapLayeredWidth, cudaDevAttrMaxTextureCubemapLayeredLayers,
    cudaDevAttrMaxSurface1DWidth, cudaDevAttrMaxSurface2DWidth, cudaDevAttrMaxSurface2DHeight,
    cudaDevAttrMaxSurface3DWidth, cudaDevAttrMaxSurface3DHeight, cudaDevAttrMaxSurface3DDepth,
    cudaDevAttrMaxSurface1DLayeredWidth, cudaDevAttrMaxSurface1DLayeredLayers,
    cudaDevAttrMaxSurface2DLayeredWidth, cudaDevAttrMaxSurface2DLayeredHeight,
    cudaDevAttrMaxSurface2DLayeredLayers, cudaDevAttrMaxSurfaceCubemapWidth,
    cudaDevAttrMaxSurfaceCubemapLayeredWidth, cudaDevAttrMaxSurfaceCubemapLayeredLayers,
    cudaDevAttrMaxTexture1DLinearWidth, cudaDevAttrMaxTexture2DLinearWidth,
    cudaDevAttrMaxTexture2DLinearHeight, cudaDevAttrMaxTexture2DLinearPitch,
    cudaDevAttrMaxTexture2DMipmappedWidth, cudaDevAttrMaxTexture2DMipmappedHeight,
    cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor,
    cudaDevAttrMaxTexture1DMipmappedWidth, cudaDevAttrStreamPrioritiesSupported,
    cudaDevAttrGlobalL1CacheSupported, cudaDevAttrLocalL1CacheSupported,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor,
    cudaDevAttrManagedMemory, cudaDevAttrIsMultiGpuBoard, cudaDevAttrMultiGpuBoardGroupID,
    cudaDevAttrHostNativeAtomicSupported, cudaDevAttrSingleToDoublePrecisionPerfRatio,
    cudaDevAttrPageableMemoryAccess, cudaDevAttrConcurrentManagedAccess,
    cudaDevAttrComputePreemptionSupported, cudaDevAttrCanUseHostPointerForRegisteredMem,
    cudaDevAttrReserved92, cudaDevAttrReserved93, cudaDevAttrReserved94, cudaDevAttrCooperativeLaunch,
    cudaDevAttrReserved96, cudaDevAttrMaxSharedMemoryPerBlockOptin, cudaDevAttrCanFlushRemoteWrites,
    cudaDevAttrHostRegisterSupported, cudaDevAttrPageableMemoryAccessUsesHostPageTables,
    cudaDevAttrDirectManagedMemAccessFromHost, cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrMaxPersistingL2CacheSize = 108, cudaDevAttrMaxAccessPolicyWindowSize,
    cudaDevAttrReservedSharedMemoryPerBlock = 111, cudaDevAttrSparseCudaArraySupported,
    cudaDevAttrHostRegisterReadOnlySupported, cudaDevAttrTimelineSemaphoreInteropSupported,
    cudaDevAttrMemoryPoolsSupported, cudaDevAttrGPUDirectRDMASupported,
    cudaDevAttrGPUDirectRDMAFlushWritesOptions, cudaDevAttrGPUDirectRDMAWritesOrdering,
    cudaDevAttrMemoryPoolSupportedHandleTypes, cudaDevAttrClusterLaunch,
    cudaDevAttrDeferredMappingCudaArraySupported, cudaDevAttrReserved122, cudaDevAttrReserved123,
    cudaDevAttrReserved124, cudaDevAttrIpcEventSupport, cudaDevAttrMemSyncDomainCount,
    cudaDevAttrReserved127, cudaDevAttrReserved128, cudaDevAttrReserved129, cudaDevAttrNumaConfig,
    cudaDevAttrNumaId, cudaDevAttrReserved132, cudaDevAttrMpsEnabled, cudaDevAttrHostNumaId,
    cudaDevAttrD3D12CigSupported, cudaDevAttrVulkanCigSupported = 138, cudaDevAttrGpuPciDeviceId,
    cudaDevAttrGpuPciSubsystemId, cudaDevAttrReserved141, cudaDevAttrHostNumaMemoryPoolsSupported,
    cudaDevAttrHostNumaMultinodeIpcSupported, cudaDevAttrHostMemoryPoolsSupported, cudaDevAttrReserved145,
    cudaDevAttrOnlyPartialHostNativeAtomicSupported = 147, cudaDevAttrMax
};
enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1, cudaMemPoolReuseAllowOpportunistic,
    cudaMemPoolReuseAllowInternalDependencies, cudaMemPoolAttrReleaseThreshold,
    cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh, cudaMemPoolAttrUsedMemCurrent,
    cudaMemPoolAttrUsedMemHigh
};
enum cudaMemLocationType {
    cudaMemLocationTypeInvalid = 0, cudaMemLocationTypeNone = 0, cudaMemLocationTypeDevice,
    cudaMemLocationTypeHost, cudaMemLocationTypeHostNuma, cudaMemLocationTypeHostNumaCurrent
};
enum cudaMemAccessFlags {
    cudaMemAccessFlagsProtNone = 0, cudaMemAccessFlagsProtRead, cudaMemAccessFlagsProtReadWrite = 3
};
enum cudaMemAllocationType {
    cudaMemAllocationTypeInvalid = 0, cudaMemAllocationTypePinned, cudaMemAllocationTypeManaged,
    cudaMemAllocationTypeMax = 0x7fffffff
};
enum cudaMemAllocationHandleType {
    cudaMemHandleTypeNone = 0, cudaMemHandleTypePosixFileDescriptor, cudaMemHandleTypeWin32,
    cudaMemHandleTypeWin32Kmt = 4, cudaMemHandleTypeFabric = 8
};
enum cudaGraphMemAttributeType {
    cudaGraphMemAttrUsedMemCurrent = 0, cudaGraphMemAttrUsedMemHigh, cudaGraphMemAttrReservedMemCurrent,
    cudaGraphMemAttrReservedMemHigh
};
enum cudaMemcpyFlags {
    cudaMemcpyFlagDefault = 0, cudaMemcpyFlagPreferOverlapWithCompute
};
enum cudaMemcpySrcAccessOrder {
    cudaMemcpySrcAccessOrderInvalid = 0, cudaMemcpySrcAccessOrderStream,
    cudaMemcpySrcAccessOrderDuringApiCall, cudaMemcpySrcAccessOrderAny,
    cudaMemcpySrcAccessOrderMax = 0x7fffffff
};
enum cudaMemcpy3DOperandType {
    cudaMemcpyOperandTypePointer = 1, cudaMemcpyOperandTypeArray, cudaMemcpyOperandTypeMax = 0x7fffffff
};
enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank = 1, cudaDevP2PAttrAccessSupported, cudaDevP2PAttrNativeAtomicSupported,
    cudaDevP2PAttrCudaArrayAccessSupported, cudaDevP2PAttrOnlyPartialNativeAtomicSupported
};
enum cudaJitOption {
    cudaJitMaxRegisters = 0, cudaJitThreadsPerBlock, cudaJitWallTime, cudaJitInfoLogBuffer,
    cudaJitInfoLogBufferSizeBytes, cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes,
    cudaJitOptimizationLevel, cudaJitFallbackStrategy = 10, cudaJitGenerateDebugInfo, cudaJitLogVerbose,
    cudaJitGenerateLineInfo, cudaJitCacheMode, cudaJitPositionIndependentCode = 30, cudaJitMinCtaPerSm,
    cudaJitMaxThreadsPerBlock, cudaJitOverrideDirectiveValues
};
enum cudaLibraryOption {
    cudaLibraryHostUniversalFunctionAndDataTable = 0, cudaLibraryBinaryIsPreserved
};
enum cudaJit_CacheMode {
    cudaJitCacheOptionNone = 0, cudaJitCacheOptionCG, cudaJitCacheOptionCA
};
enum cudaJit_Fallback {
    cudaPreferPtx = 0, cudaPreferBinary
};
enum cudaCGScope {
    cudaCGScopeInvalid = 0, cudaCGScopeGrid, cudaCGScopeReserved
};
enum cudaGraphConditionalHandleFlags {
    cudaGraphCondAssignDefault = 1
};
enum cudaGraphConditionalNodeType {
    cudaGraphCondTypeIf = 0, cudaGraphCondTypeWhile, cudaGraphCondTypeSwitch
};
enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel = 0, cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemset, cudaGraphNodeTypeHost,
    cudaGraphNodeTypeGraph, cudaGraphNodeTypeEmpty, cudaGraphNodeTypeWaitEvent,
    cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeExtSemaphoreSignal, cudaGraphNodeTypeExtSemaphoreWait,
    cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeMemFree, cudaGraphNodeTypeConditional = 13,
    cudaGraphNodeTypeCount
};
enum cudaGraphChildGraphNodeOwnership {
    cudaGraphChildGraphOwnershipClone = 0, cudaGraphChildGraphOwnershipMove
};
enum cudaGraphDependencyType_enum {
    cudaGraphDependencyTypeDefault = 0, cudaGraphDependencyTypeProgrammatic
};
enum cudaGraphExecUpdateResult {
    cudaGraphExecUpdateSuccess = 0, cudaGraphExecUpdateError, cudaGraphExecUpdateErrorTopologyChanged,
    cudaGraphExecUpdateErrorNodeTypeChanged, cudaGraphExecUpdateErrorFunctionChanged,
    cudaGraphExecUpdateErrorParametersChanged, cudaGraphExecUpdateErrorNotSupported,
    cudaGraphExecUpdateErrorUnsupportedFunctionChange, cudaGraphExecUpdateErrorAttributesChanged
};
enum cudaGraphInstantiateResult {
    cudaGraphInstantiateSuccess = 0, cudaGraphInstantiateError, cudaGraphInstantiateInvalidStructure,
    cudaGraphInstantiateNodeOperationNotSupported, cudaGraphInstantiateMultipleDevicesNotSupported,
    cudaGraphInstantiateConditionalHandleUnused
};
enum cudaGraphKernelNodeField {
    cudaGraphKernelNodeFieldInvalid = 0, cudaGraphKernelNodeFieldGridDim, cudaGraphKernelNodeFieldParam,
    cudaGraphKernelNodeFieldEnabled
};
enum cudaGetDriverEntryPointFlags {
    cudaEnableDefault = 0, cudaEnableLegacyStream, cudaEnablePerThreadDefaultStream
};
enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess = 0, cudaDriverEntryPointSymbolNotFound,
    cudaDriverEntryPointVersionNotSufficent
};
enum cudaGraphDebugDotFlags {
    cudaGraphDebugDotFlagsVerbose = 1, cudaGraphDebugDotFlagsKernelNodeParams = 4,
    cudaGraphDebugDotFlagsMemcpyNodeParams = 8, cudaGraphDebugDotFlagsMemsetNodeParams = 16,
    cudaGraphDebugDotFlagsHostNodeParams = 32, cudaGraphDebugDotFlagsEventNodeParams = 64,
    cudaGraphDebugDotFlagsExtSemasSignalNodeParams = 128,
    cudaGraphDebugDotFlagsExtSemasWaitNodeParams = 256, cudaGraphDebugDotFlagsKernelNodeAttributes = 512,
    cudaGraphDebugDotFlagsHandles = 1024, cudaGraphDebugDotFlagsConditionalNodeParams = 32768
};
enum cudaGraphInstantiateFlags {
    cudaGraphInstantiateFlagAutoFreeOnLaunch = 1, cudaGraphInstantiateFlagUpload,
    cudaGraphInstantiateFlagDeviceLaunch = 4, cudaGraphInstantiateFlagUseNodePriority = 8
};
enum cudaLaunchMemSyncDomain {
    cudaLaunchMemSyncDomainDefault = 0, cudaLaunchMemSyncDomainRemote
};
enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0, cudaLaunchAttributeAccessPolicyWindow, cudaLaunchAttributeCooperative,
    cudaLaunchAttributeSynchronizationPolicy, cudaLaunchAttributeClusterDimension,
    cudaLaunchAttributeClusterSchedulingPolicyPreference,
    cudaLaunchAttributeProgrammaticStreamSerialization, cudaLaunchAttributeProgrammaticEvent,
    cudaLaunchAttributePriority, cudaLaunchAttributeMemSyncDomainMap, cudaLaunchAttributeMemSyncDomain,
    cudaLaunchAttributePreferredClusterDimension, cudaLaunchAttributeLaunchCompletionEvent,
    cudaLaunchAttributeDeviceUpdatableKernelNode, cudaLaunchAttributePreferredSharedMemoryCarveout,
    cudaLaunchAttributeNvlinkUtilCentricScheduling = 16
};
enum cudaDeviceNumaConfig {
    cudaDeviceNumaConfigNone = 0, cudaDeviceNumaConfigNumaNode
};
enum cudaTextureAddressMode {
    cudaAddressModeWrap = 0, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder
};
enum cudaTextureFilterMode {
    cudaFilterModePoint = 0, cudaFilterModeLinear
};
enum cudaTextureReadMode {
    cudaReadModeElementType = 0, cudaReadModeNormalizedFloat
};
enum cudaSurfaceBoundaryMode {
    cudaBoundaryModeZero = 0, cudaBoundaryModeClamp, cudaBoundaryModeTrap
};
enum cudaSurfaceFormatMode {
    cudaFormatModeForced = 0, cudaFormatModeAuto
};

typedef enum cudaError cudaError_t;
typedef enum cudaLaunchAttributeID cudaLaunchAttributeID;
typedef enum cudaLaunchMemSyncDomain cudaLaunchMemSyncDomain;
typedef enum cudaGraphInstantiateResult cudaGraphInstantiateResult;
typedef enum cudaGraphDependencyType_enum cudaGraphDependencyType;

// ---- handles ----
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphDeviceUpdatableNode_st *cudaGraphDeviceNode_t;
typedef struct CUuserObject_st *cudaUserObject_t;
typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUkern_st *cudaKernel_t;
typedef struct CUlib_st *cudaLibrary_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef const struct cudaMipmappedArray *cudaMipmappedArray_const_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef unsigned long long cudaGraphConditionalHandle;
typedef void(CUDART_CB *cudaHostFn_t)(void *user_data);
typedef void(CUDART_CB *cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *user_data);

// ---- memory ----
struct cudaChannelFormatDesc {
    int x, y, z, w;
    enum cudaChannelFormatKind f;
};
struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPos {
    size_t x, y, z;
};
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    enum cudaMemcpyKind kind;
};
struct cudaMemcpy3DPeerParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    int srcDevice;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    int dstDevice;
    struct cudaExtent extent;
};
struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
    long reserved[8];
};
struct cudaAccessPolicyWindow {
    void *base_ptr;
    size_t num_bytes;
    float hitRatio;
    enum cudaAccessProperty hitProp, missProp;
};
struct cudaMemLocation {
    enum cudaMemLocationType type;
    int id;
};
struct cudaMemAccessDesc {
    struct cudaMemLocation location;
    enum cudaMemAccessFlags flags;
};
struct cudaMemPoolProps {
    enum cudaMemAllocationType allocType;
    enum cudaMemAllocationHandleType handleTypes;
    struct cudaMemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
};
struct cudaMemPoolPtrExportData {
    unsigned char reserved[64];
};
struct cudaArrayMemoryRequirements {
    size_t size, alignment;
    unsigned reserved[4];
};
typedef struct cudaIpcEventHandle_st {
    char reserved[64];
} cudaIpcEventHandle_t;
typedef struct cudaIpcMemHandle_st {
    char reserved[64];
} cudaIpcMemHandle_t;

// ---- textures and surfaces ----
struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
        struct {
            int reserved[32];
        } reserved;
    } res;
    unsigned flags;
};
struct cudaResourceViewDesc {
    enum cudaResourceViewFormat format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
    unsigned reserved[16];
};
struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};

// ---- devices and functions ----
#ifndef CU_UUID_HAS_BEEN_DEFINED
#define CU_UUID_HAS_BEEN_DEFINED
typedef struct CUuuid_st {
    char bytes[16];
} CUuuid;
#endif
typedef struct CUuuid_st cudaUUID_t;
struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int multiProcessorCount, integrated, canMapHostMemory;
    int maxTexture1D, maxTexture1DMipmap, maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3],
        maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2],
        maxTexture2DLayered[3], maxTextureCubemapLayered[2];
    int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3],
        maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount,
        unifiedAddressing, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor,
        streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported,
        pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported,
        canUseHostPointerForRegisteredMem, cooperativeLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor,
        accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported,
        timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers,
        deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
    unsigned gpuPciDeviceID, gpuPciSubsystemID;
    int hostNumaMultinodeIpcSupported;
    int reserved[56];
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
        preferredShmemCarveout, clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight,
        requiredClusterDepth, clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
    int reserved[16];
};

// ---- launches ----
typedef struct cudaLaunchMemSyncDomainMap_st {
    unsigned char default_, remote;
} cudaLaunchMemSyncDomainMap;
typedef union cudaLaunchAttributeValue {
    char pad[64];
    struct cudaAccessPolicyWindow accessPolicyWindow;
    int cooperative;
    enum cudaSynchronizationPolicy syncPolicy;
    struct {
        unsigned x, y, z;
    } clusterDim;
    enum cudaClusterSchedulingPolicy clusterSchedulingPolicyPreference;
    int programmaticStreamSerializationAllowed;
    struct {
        cudaEvent_t event;
        int flags, triggerAtBlockStart;
    } programmaticEvent;
    int priority;
    cudaLaunchMemSyncDomainMap memSyncDomainMap;
    cudaLaunchMemSyncDomain memSyncDomain;
    struct {
        unsigned x, y, z;
    } preferredClusterDim;
    struct {
        cudaEvent_t event;
        int flags;
    } launchCompletionEvent;
    struct {
        int deviceUpdatable;
        cudaGraphDeviceNode_t devNode;
    } deviceUpdatableKernelNode;
    unsigned sharedMemCarveout, nvlinkUtilCentricScheduling;
} cudaLaunchAttributeValue;
typedef struct cudaLaunchAttribute_st {
    cudaLaunchAttributeID id;
    char pad[4];
    cudaLaunchAttributeValue val;
} cudaLaunchAttribute;
typedef struct cudaLaunchConfig_st {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig_t;
#define cudaStreamAttrID cudaLaunchAttributeID
#define cudaStreamAttrValue cudaLaunchAttributeValue
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributeSynchronizationPolicy cudaLaunchAttributeSynchronizationPolicy
#define cudaStreamAttributePriority cudaLaunchAttributePriority
#define cudaKernelNodeAttrID cudaLaunchAttributeID
#define cudaKernelNodeAttrValue cudaLaunchAttributeValue
#define cudaKernelNodeAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaKernelNodeAttributeCooperative cudaLaunchAttributeCooperative
#define cudaKernelNodeAttributePriority cudaLaunchAttributePriority
#define cudaKernelNodeAttributeClusterDimension cudaLaunchAttributeClusterDimension

// ---- graphs ----
struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};
struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
};
struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void *userData;
};
struct cudaMemAllocNodeParams {
    struct cudaMemPoolProps poolProps;
    const struct cudaMemAccessDesc *accessDescs;
    size_t accessDescCount, bytesize;
    void *dptr;
};
typedef struct cudaGraphEdgeData_st {
    unsigned char from_port, to_port, type, reserved[5];
} cudaGraphEdgeData;
typedef struct cudaGraphInstantiateParams_st {
    unsigned long long flags;
    cudaStream_t uploadStream;
    cudaGraphNode_t errNode_out;
    cudaGraphInstantiateResult result_out;
} cudaGraphInstantiateParams;
typedef struct cudaGraphExecUpdateResultInfo_st {
    enum cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;
#endif
