#!/bin/sh
# Writes doc/api.md to standard output: what of the CUDA runtime and driver API is done, ignored and refused, from the tables
# src/rt/api*.def.
set -u
cd "$(dirname "$0")/.." || exit 1
awk '
function row(text,    open, rest, reason) {
    open = index(text, "(")
    kind = substr(text, 1, open - 1)
    rest = substr(text, open + 1)
    n = split(rest, part, /, */)
    name = kind == "RETURNS" ? part[3] : part[2]
    reason = ""
    if (match(rest, /".*"/))
        reason = substr(rest, RSTART + 1, RLENGTH - 2)
    api = name ~ /^cu[A-Z]/ ? "driver" : "runtime"
    if (kind == "REFUSED" || kind == "IGNORED") {
        count[api, kind]++
        if (!((api, kind, reason) in seen)) {
            seen[api, kind, reason] = ++n_reasons[api, kind]
            reasons[api, kind, n_reasons[api, kind]] = reason
        }
        i = seen[api, kind, reason]
        names[api, kind, i] = names[api, kind, i] (names[api, kind, i] ? ", " : "") name
    } else if (!((api, name) in done)) {
        done[api, name] = 1
        count[api, "DONE"]++
    }
}
function list(api, kind, title,    i) {
    print "\n## " title "\n"
    print "| reason | functions |\n|---|---|"
    for (i = 1; i <= n_reasons[api, kind]; i++)
        print "| " reasons[api, kind, i] " | " names[api, kind, i] " |"
}
/^(DONE|DONE_AS|ALIAS|RETURNS|CALL|SAME|EARLY|IGNORED|REFUSED)\(/ { row($0) }
END {
    print "# The CUDA API under `warpglass run`\n"
    print "Written by `tools/api.sh` from the tables `src/rt/api*.def`, which the libraries themselves are made of.\n"
    print "| | done | ignored | refused |\n|---|---|---|---|"
    print "| runtime API (`libcudart.so.11.0`, `.12`, `.13`) | " count["runtime", "DONE"] " | " count["runtime", "IGNORED"] + 0 " | " count["runtime", "REFUSED"] " |"
    print "| driver API (`libcuda.so.1`) | " count["driver", "DONE"] " | " count["driver", "IGNORED"] + 0 " | " count["driver", "REFUSED"] " |"
    print "\nNames of all majors, versioned names (`_v2`) and per-thread twins (`_ptsz`, `_ptds`) count each. An ignored function returns"
    print "success and does nothing, because it can change no result and no counter. A refused one returns `cudaErrorNotSupported` or"
    print "`CUDA_ERROR_NOT_SUPPORTED` and is named once on standard error with its reason."
    list("runtime", "IGNORED", "Runtime API: ignored")
    list("runtime", "REFUSED", "Runtime API: refused")
    list("driver", "IGNORED", "Driver API: ignored")
    list("driver", "REFUSED", "Driver API: refused")
}' src/rt/api_*.def
