#!/bin/sh
# Builds log and cubin of each trap of traps.cu with the CUDA toolkit in the path (13.0 for the files here).
set -eu
cd "$(dirname "$0")"
home=$PWD
mkdir -p /tmp/triage # a name of no machine's: it stands in the line tables
cp traps.cu /tmp/triage
cd /tmp/triage
build() { # name, macro, target, options...
    name=$1 macro=$2 target=$3
    shift 3
    echo "nvcc -arch=$target -lineinfo -Xptxas -v -D$macro $* -cubin traps.cu -o $name.cubin" >"$name.log"
    # shellcheck disable=SC2086 # options are words
    nvcc -arch="$target" -lineinfo -Xptxas -v "-D$macro" "$@" -cubin traps.cu -o "$name.cubin" >>"$name.log" 2>&1 ||
        echo "no $name.cubin: the assembler refuses it"
}
build register_cap TRAP_REGISTER_CAP sm_90
build shared_spill TRAP_SHARED_SPILL sm_90
build min_blocks TRAP_MIN_BLOCKS sm_90
build stack TRAP_STACK sm_90
build shared_limit TRAP_SHARED_LIMIT sm_90
build shared_limit_relocatable TRAP_SHARED_LIMIT sm_90 -rdc=true # the check comes with the linker
nvlink -v -arch=sm_90 shared_limit_relocatable.cubin -o none.cubin >shared_limit_linked.log 2>&1 || echo "no linked cubin: the linker refuses it"
build setmaxnreg TRAP_SETMAXNREG sm_90a
build maxrregcount TRAP_MAXRREGCOUNT sm_90 -maxrregcount=32
build maxreg_raised TRAP_MAXREG_RAISED sm_90 -maxrregcount=8
echo "nvcc -arch=sm_90 -lineinfo -rdc=true -Xptxas -v -DTRAP_RELOCATABLE -cubin traps.cu -o relocatable.cubin" >relocatable.log
nvcc -arch=sm_90 -lineinfo -rdc=true -Xptxas -v -DTRAP_RELOCATABLE -cubin traps.cu -o relocatable.cubin >>relocatable.log 2>&1
nvlink -v -arch=sm_90 relocatable.cubin -o linked.cubin >linked.log 2>&1
nvcc -arch=sm_90 -lineinfo -rdc=true -DTRAP_RECURSION -cubin traps.cu -o recursion.o.cubin
nvlink -v -arch=sm_90 recursion.o.cubin -o recursion.cubin >recursion.log 2>&1
rm recursion.o.cubin
cp ./*.log ./*.cubin "$home"
