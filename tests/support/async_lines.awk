# Lines of tests/data/programs/async.cu made short: SECTION NUMBER HASH, the hash of the whole line (a polynomial modulo
# 2^31 - 1 over its characters). Of the interleaved layouts the line's words "ok", "late" and the raw barrier are left out.
BEGIN { for (i = 32; i < 127; i++) code[sprintf("%c", i)] = i }
/^(copy|cluster|bulk|remote|interleave|load|store|reduce|replace|encode) / {
    if ($1 == "interleave") sub(/ (ok|late) bar [0-9a-f]+/, "")
    hash = 0
    for (i = 1; i <= length($0); i++) hash = (hash * 131 + code[substr($0, i, 1)]) % 2147483647
    n[$1]++
    printf "%s %d %x\n", $1, n[$1], hash
}
