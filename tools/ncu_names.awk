# Makes src/prof/ncu_names.inc: every base name that Nsight Compute offers, as a word graph.
#
#     ncu --query-metrics --chip gh100 | awk '{ print $1 }' > gh100.txt       (the same for ga100, gb100)
#     sort -u gh100.txt ga100.txt gb100.txt | awk -f tools/ncu_names.awk > src/prof/ncu_names.inc
#
# Names fall into words ("lts", "__t", "_sectors"); equal tails are stored once. A row is a node: its words, each with
# the node that follows ("_hit>0"); "." says that a name may end here. The last row is the start.
function words_of(name, out,    n) {
    for (n = 0; match(name, /^_*[^_]+/); name = substr(name, RLENGTH + 1))
        out[++n] = substr(name, 1, RLENGTH)
    return n
}

function add(name,    words, n, i, at) {
    n = words_of(name, words)
    for (i = 1; i <= n; i++) {
        if (!((at, words[i]) in child)) {
            child[at, words[i]] = ++n_nodes
            children[at] = children[at] (children[at] ? " " : "") words[i]
        }
        at = child[at, words[i]]
    }
    ends[at] = 1
}

# The row of a node, written behind the rows of those that follow it; an equal row is found again.
function row_of(node,    list, n, i, text) {
    n = split(children[node], list, " ")
    text = ends[node] ? "." : ""
    for (i = 1; i <= n; i++)
        text = text (text ? " " : "") list[i] ">" row_of(child[node, list[i]])
    if (!(text in known)) {
        known[text] = n_rows
        rows[n_rows++] = text
    }
    return known[text]
}

function print_row(text,    cut) {
    while (length(text) > 100) {
        for (cut = 100; substr(text, cut, 1) != " "; cut--)
            ;
        printf "    \"%s\"\n", substr(text, 1, cut)
        text = substr(text, cut + 1)
    }
    printf "    \"%s\",\n", text
}

$1 !~ /\./ && $1 ~ /__/ { add($1) }

END {
    n_rows = 0
    row_of("")
    print "// Made by tools/ncu_names.awk from `ncu --query-metrics`, Nsight Compute 2025.3 (ga100, gh100, gb100)."
    for (i = 0; i < n_rows; i++)
        print_row(rows[i])
}
