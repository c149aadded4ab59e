#!/bin/sh
# The layout of cudaDeviceProp that programs of CUDA 11 and 13 see is that of CUDA's own headers, member by member. Prints TAP.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
cc=${CC:-cc}
cd "$TEST_TMP" || exit 1
cat >layout.c <<'END'
#include HEADER
#include <stddef.h>
#include <stdio.h>
#define FIELD(majors, type, name, value) SHOW(majors, name)
#define ARRAY(majors, type, name, count, ...) SHOW(majors, name)
#define SHOW(majors, name) IN_##majors(printf("%s %zu %zu\n", #name, offsetof(struct PROPERTIES, name), sizeof ((struct PROPERTIES *)0)->name);)
int main(void)
{
    printf("size %zu\n", sizeof(struct PROPERTIES));
#include "rt/majors.h"
#include "rt/device_properties.def"
    return 0;
}
END
count=0
compare() { # major, folder of CUDA
    count=$((count + 1))
    if ! grep -qs "define CUDART_VERSION *$1" "$2/include/cuda_runtime_api.h"; then
        echo "not ok $count # SKIP CUDA $1: no headers in $2"
        return
    fi
    "$cc" -std=gnu17 -D_GNU_SOURCE -DMAJOR="$1" -I"$root/src" '-DHEADER="layout.h"' -DPROPERTIES="device_properties_$1" -I. layout.c -o ours &&
        "$cc" -std=gnu17 -w -DMAJOR="$1" -I"$root/src" -I"$2/include" '-DHEADER="driver_types.h"' -DPROPERTIES=cudaDeviceProp layout.c -o theirs &&
        ./ours >ours.txt && ./theirs >theirs.txt && [ "$(wc -l <ours.txt)" -gt 70 ] && diff theirs.txt ours.txt >difference
    if [ $? = 0 ]; then
        echo "ok $count - CUDA $1: $(wc -l <ours.txt) sizes and offsets agree"
    else
        echo "not ok $count - CUDA $1"
        sed 's/^/# /' difference
    fi
}
cat >layout.h <<'END'
#pragma push_macro("MAJOR")
#undef MAJOR
#undef FIELD
#undef ARRAY
#include "rt/device_query.h"
#pragma pop_macro("MAJOR")
#define FIELD(majors, type, name, value) SHOW(majors, name)
#define ARRAY(majors, type, name, count, ...) SHOW(majors, name)
END
compare 13 "${CUDA_HOME:-/usr/local/cuda}"
compare 11 "${CUDA11_HOME:-/usr/local/cuda-11.8}"
echo "1..$count"
