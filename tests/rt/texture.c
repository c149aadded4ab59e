// Texture and surface objects through the runtime API.
#include "support/check.h"
#include "support/guest.h"
#include <string.h>

#define IS(call, error) assert_int_equal(call, error)
#define GOOD(call) assert_int_equal(call, cudaSuccess)

static const struct cudaChannelFormatDesc floats = {32, 0, 0, 0, cudaChannelFormatKindFloat};

static void objects_come_and_go(void **state)
{
    (void)state;
    cudaArray_t array;
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray}, got;
    struct cudaTextureDesc how = {.filterMode = cudaFilterModeLinear}, got_how;
    cudaTextureObject_t a, b;
    cudaSurfaceObject_t s;
    GOOD(wg_cudaMallocArray(&array, &floats, 16, 4, cudaArraySurfaceLoadStore));
    resource.res.array.array = array;
    GOOD(wg_cudaCreateTextureObject(&a, &resource, &how, NULL));
    GOOD(wg_cudaCreateTextureObject(&b, &resource, &how, NULL));
    GOOD(wg_cudaCreateSurfaceObject(&s, &resource));
    assert_true(a && b && s && a != b);
    GOOD(wg_cudaGetTextureObjectResourceDesc(&got, a));
    assert_ptr_equal(got.res.array.array, array);
    GOOD(wg_cudaGetSurfaceObjectResourceDesc(&got, s));
    assert_ptr_equal(got.res.array.array, array);
    GOOD(wg_cudaGetTextureObjectTextureDesc(&got_how, b));
    assert_int_equal(got_how.filterMode, cudaFilterModeLinear);
    IS(wg_cudaGetTextureObjectTextureDesc(&got_how, s), cudaErrorInvalidValue);
    IS(wg_cudaCreateTextureObject(NULL, &resource, &how, NULL), cudaErrorInvalidValue);
    IS(wg_cudaCreateTextureObject(&a, &resource, NULL, NULL), cudaErrorInvalidValue);
    GOOD(wg_cudaDestroyTextureObject(a));
    IS(wg_cudaGetTextureObjectTextureDesc(&got_how, a), cudaErrorInvalidValue);
    GOOD(wg_cudaDestroyTextureObject(b));
    GOOD(wg_cudaDestroySurfaceObject(s));
    GOOD(wg_cudaFreeArray(array));
}

static void what_is_not_supported_is_refused(void **state)
{
    (void)state;
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeMipmappedArray};
    struct cudaTextureDesc how = {.sRGB = 1};
    cudaTextureObject_t t;
    cudaArray_t array;
    static const struct cudaChannelFormatDesc bytes = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
    IS(wg_cudaCreateTextureObject(&t, &resource, &how, NULL), cudaErrorNotSupported);
    GOOD(wg_cudaMallocArray(&array, &bytes, 16, 4, 0));
    resource = (struct cudaResourceDesc){.resType = cudaResourceTypeArray, .res.array.array = array};
    IS(wg_cudaCreateTextureObject(&t, &resource, &how, NULL), cudaErrorNotSupported);
    how = (struct cudaTextureDesc){.filterMode = cudaFilterModeLinear}; // integers are not filtered as such
    IS(wg_cudaCreateTextureObject(&t, &resource, &how, NULL), cudaErrorInvalidFilterSetting);
    how.readMode = cudaReadModeNormalizedFloat;
    GOOD(wg_cudaCreateTextureObject(&t, &resource, &how, NULL));
    GOOD(wg_cudaDestroyTextureObject(t));
    GOOD(wg_cudaFreeArray(array));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_come_and_go),
        cmocka_unit_test(what_is_not_supported_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
