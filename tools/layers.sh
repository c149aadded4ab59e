#!/bin/sh
# Checks the shape of src/: who may include whom, who may print, banned functions, globals that change, and that
# each header compiles alone. Prints one line per offence; exit 1 if there is one.
set -u
cd "$(dirname "$0")/.." || exit 1
CC=${CC:-gcc}
offences=$(mktemp) && trap 'rm -f "$offences"' EXIT

# folder: the folders it may include besides itself ("*" = all). A folder without a row is an offence.
# .def files are data and may be included from anywhere.
rules='
base:
device: base
mem:    base device
arith:  base device mem
isa:    base
ptx:    base isa device
simt:   base isa mem device
prof:   base device isa mem
cycle:  base device isa mem simt sanitize prof
report: base device prof
image:  base device
sass:   base device mem isa image
triage: base device image sass arith
sanitize: base isa mem simt
rt:     base device mem image isa ptx sass simt sanitize prof cycle arith
cli:    *
'

check_includes() {
    grep -n '^ *# *include *"' src/*/*.[ch] src/*/*.def src/*/*.inc 2>/dev/null | grep -v '^src/cuda/' |
        awk -v rules="$rules" '
        BEGIN {
            n = split(rules, rows, "\n")
            for (i = 1; i <= n; i++)
                if (split(rows[i], row, ":") == 2)
                    allowed[row[1]] = " " row[1] row[2] " "
        }
        {
            split($0, place, ":")
            split(place[1], path, "/")
            split($0, quoted, "\"")
            folder = path[2]; target = quoted[2]
            if (target ~ /\.def$/)
                next
            sub(/\/.*/, "", target)
            where = place[1] ":" place[2] ": "
            if (!(folder in allowed))
                print where "folder " folder " has no row in tools/layers.sh"
            else if (quoted[2] !~ /\//)
                print where "\"" quoted[2] "\" is not written from src/"
            else if (allowed[folder] !~ /\*/ && index(allowed[folder], " " target " ") == 0)
                print where folder " may not include " target
        }'
}

# Code without comments and texts, as file:line:code, of the files named on standard input.
code_of_files() {
    xargs awk '{ gsub(/\\"/, ""); gsub(/"[^"]*"/, "\"\""); sub(/\/\/.*/, ""); print FILENAME ":" FNR ":" $0 }'
}

check_words() {
    printf '%s\n' src/*/*.[ch] | grep -v -e '^src/cli/' -e '^src/rt/console\.c$' -e '^src/base/err\.[ch]$' -e '^src/cuda/' | code_of_files |
        grep -E '\<(printf|vprintf|puts|putchar|perror)[[:space:]]*\(|\<(stdout|stderr)\>' |
        sed 's|$|   <- only cli and rt/console.c print|'
    printf '%s\n' src/*/*.[ch] tools/*.c | grep -v '^src/cuda/' | code_of_files |
        grep -E '\<(sprintf|vsprintf|strcpy|strcat|gets|strtok|atoi|atof|alloca)[[:space:]]*\(' |
        sed 's/$/   <- banned function/'
}

# Objects tell what the linker will make writable; sanitizers and coverage add variables of their own. The runtime has
# one state by nature: rt/state.c.
check_globals() {
    build=${TEST_BUILD:-build/$CC}
    case ${build##*/} in *address* | *cover | *fuzzer*) return 0 ;; esac
    [ -d "$build/src" ] || return 0
    find "$build/src" -name '*.o' ! -path '*/cli/*' ! -path '*/rt/state.o' | sort | xargs objdump -t | awk -v build="$build/" '
        /file format/ {
            source = substr($1, length(build) + 1)
            sub(/(_base|_v3|_v4)?\.o:$/, ".c", source)
            is_there = (getline line < source) > 0 # objects of removed files stay behind
            close(source)
        }
        is_there && NF > 4 && $(NF-2) ~ /^\.(data|bss|tdata|tbss)/ && $(NF-2) !~ /^\.data\.rel\.ro/ && $NF !~ /^\./ {
            print source ": " $NF " is a global that changes" }'
}

check_headers() {
    for header in src/*/*.h; do
        case $header in src/cuda/*) continue ;; esac
        printf '#include "%s"\ntypedef int not_empty;\n' "${header#src/}" |
            "$CC" -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wno-unused-function -Werror -Isrc -fsyntax-only -x c - 2>&1 | head -n 4 |
            sed "s|^|$header alone: |"
    done
}

{ check_includes; check_words; check_globals; check_headers; } >"$offences"
cat "$offences"
[ ! -s "$offences" ]
