#!/bin/sh
# doc/api.md is what the tables say now.
cd "$(dirname "$0")/../.." || exit 1
tools/api.sh >"$TEST_TMP/api.md"
if [ "${BLESS:-}" = 1 ]; then
    cp "$TEST_TMP/api.md" doc/api.md
fi
diff doc/api.md "$TEST_TMP/api.md" >"$TEST_TMP/difference" || { echo 'doc/api.md is not current: tools/api.sh >doc/api.md'; exit 1; }
