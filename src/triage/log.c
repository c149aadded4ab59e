// Output of ptxas -v and nvlink -v inside any text: build logs with prefixes, time stamps and other tools
// between.
//
// Forms (ptxas and nvlink of CUDA 9 to 13; fields are read one by one, in any order, unknown ones passed
// over):
//   ptxas info    : Compiling entry function 'X' for 'sm_90'
//   ptxas info    : Function properties for X
//       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 38 registers, used 1 barriers, 64 bytes cumulative stack size, 72 bytes smem, 376
//   bytes cmem[0] nvlink info    : Function properties for 'X': nvlink info    : Function properties for 'X':
//   (target: sm_52) nvlink info    : used 46 registers, used 0 barriers, 72 stack, 0 bytes smem, 540 bytes
//   cmem[0], 0 bytes lmem
//   info    : used 28 registers, … (the driver's linker, without a name of its own)
//   ptxas warning : Registers are spilled to local memory in function 'X', 36 bytes spill stores, 36 bytes
//   spill loads ptxas warning : Local memory used for function 'X', size of stack frame: 56 bytes
// A message that a mail program or a terminal broke into lines is put together again.
#include "triage/triage.h"
#include <stdlib.h>
#include <string.h>

struct text {
    const char *at;
    size_t n;
};

struct warning {
    struct text name; // of the kernel; n 0: of the one that comes next
    enum triage_trap trap;
    size_t n_kernels; // in the table when it was seen
    const char *place;
};

// A number that a warning tells of a kernel.
struct remark {
    struct text name;
    enum triage_value value;
    double number;
    const char *place;
};

struct log_reader {
    struct triage *t;
    const char *path;
    uint32_t line;
    size_t first;                             // kernel of this file
    struct triage_kernel *entry, *properties; // whose lines are read
    struct triage_kernel *unnamed; // without an entry line: whose properties came first since the last "Used"
    bool is_relocatable;           // of the command that was shown last
    unsigned command_cc;           // likewise, if it names one target; 0
    double max_registers;          // likewise; 0: no option
    VEC(struct warning) warnings;
    VEC(struct remark) remarks;
    struct text held;   // the beginning of a message that goes on in the next line
    unsigned target_cc; // of a linker's line that names it; 0: none
    uint32_t n_found;
};

// ---- text -----------------------------------------------------------------------------------------------

static const char *find(struct text text, const char *word)
{
    return text.n ? memmem(text.at, text.n, word, strlen(word)) : NULL;
}

static struct text behind(struct text text, const char *at)
{
    return (struct text){at, (size_t)(text.at + text.n - at)};
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct text trimmed(struct text text)
{
    while (text.n && is_space(*text.at))
        text.at++, text.n--;
    while (text.n && is_space(text.at[text.n - 1]))
        text.n--;
    return text;
}

// Without the quotes around it, in whichever form a mail program left them, and a colon behind.
static struct text unquoted(struct text text)
{
    static const char *const quotes[] = {"'", "`", "\"", "\xe2\x80\x98", "\xe2\x80\x99", ":"};
    text = trimmed(text);
    for (size_t i = 0; i < 2 * sizeof quotes / sizeof *quotes; i++) {
        const char *quote = quotes[i % (sizeof quotes / sizeof *quotes)];
        size_t n = strlen(quote);
        if (text.n >= n && memcmp(text.at, quote, n) == 0)
            text.at += n, text.n -= n;
        if (text.n >= n && memcmp(text.at + text.n - n, quote, n) == 0)
            text.n -= n;
    }
    return text;
}

// What is quoted behind a word: "… function 'X' cannot …"; up to the closing quote or the next space.
static struct text named_behind(struct text text, const char *word)
{
    const char *at = find(text, word);
    if (!at)
        return (struct text){0};
    struct text rest = trimmed(behind(text, at + strlen(word)));
    size_t n = 0;
    while (n < rest.n && !(n && (rest.at[n] == '\'' || rest.at[n] == ' ' || rest.at[n] == ',')))
        n++;
    return unquoted((struct text){rest.at, n});
}

// A number with its sign, or a sum of two ("8192+16"); NAN if there is none. `text` moves behind it.
static double take_number(struct text *text)
{
    char digits[32];
    double sum = 0;
    bool has_any = false;
    do {
        size_t n = 0;
        if (has_any)
            text->at++, text->n--;
        while (n < text->n && n + 1 < sizeof digits &&
               ((text->at[n] >= '0' && text->at[n] <= '9') || (n == 0 && text->at[n] == '-')))
            digits[n] = text->at[n], n++;
        digits[n] = '\0';
        if (n == 0 || (n == 1 && *digits == '-'))
            return has_any ? sum : (double)NAN;
        sum += strtod(digits, NULL);
        has_any = true;
        text->at += n, text->n -= n;
    } while (text->n && *text->at == '+');
    return sum;
}

// ---- fields ---------------------------------------------------------------------------------------------

static void set_value(struct triage_kernel *k, const char *what, size_t n, double value)
{
    static const struct {
        const char *what;
        enum triage_value value;
    } fields[] = {{"registers", TRIAGE_registers},
                  {"barriers", TRIAGE_barriers},
                  {"bytes stack frame", TRIAGE_stack_bytes},
                  {"bytes spill stores", TRIAGE_spill_store_bytes},
                  {"bytes spill loads", TRIAGE_spill_load_bytes},
                  {"bytes cumulative stack size", TRIAGE_call_stack_bytes},
                  {"stack", TRIAGE_call_stack_bytes},
                  {"bytes smem", TRIAGE_shared_bytes},
                  {"bytes lmem", TRIAGE_local_bytes},
                  {"bytes cmem[0]", TRIAGE_constant_bytes},
                  {"textures", TRIAGE_textures}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strlen(fields[i].what) == n && memcmp(fields[i].what, what, n) == 0)
            k->values[fields[i].value] = value;
}

// "Used 38 registers, used 1 barriers, …": numbers with what they count behind.
static void read_fields(struct triage_kernel *k, struct text text)
{
    while (text.n) {
        const char *comma = memchr(text.at, ',', text.n);
        struct text field = trimmed((struct text){text.at, comma ? (size_t)(comma - text.at) : text.n});
        text = comma ? behind(text, comma + 1) : (struct text){0};
        if (field.n > 5 && (memcmp(field.at, "Used ", 5) == 0 || memcmp(field.at, "used ", 5) == 0))
            field = trimmed((struct text){field.at + 5, field.n - 5});
        double value = take_number(&field);
        field = trimmed(field);
        if (isfinite(value))
            set_value(k, field.at, field.n, value);
    }
}

static void note_spills(struct triage_kernel *k)
{
    double stores = triage_number(k, TRIAGE_spill_store_bytes),
           loads = triage_number(k, TRIAGE_spill_load_bytes);
    if (!triage_has(k, TRIAGE_spill_store_bytes) && !triage_has(k, TRIAGE_spill_load_bytes))
        return;
    if (stores < 0 || loads < 0) // seen with spills to shared memory: what was saved is taken off twice
        triage_trap(k, TRAP_SPILL_IN_SHARED);
    k->values[TRIAGE_spill_bytes] = (stores > 0 ? stores : 0) + (loads > 0 ? loads : 0);
}

// ---- lines ----------------------------------------------------------------------------------------------

static const char *place(struct log_reader *r)
{
    return arena_printf(r->t->arena, "%s:%u", r->path, r->line);
}

// "sm_90a" into the row.
static void read_target(struct triage_kernel *k, struct text text)
{
    const char *at = find(text, "sm_");
    if (!at)
        return;
    struct text rest = behind(text, at + 3);
    double cc = take_number(&rest);
    k->cc = isfinite(cc) && cc > 0 && cc < 1000 ? (unsigned)cc : 0;
    k->is_arch_specific = rest.n && *rest.at == 'a';
}

// "Compiling entry function 'X' for 'sm_90'". A demangled name may hold " for " as little as a mangled one.
static void begin_entry(struct log_reader *r, struct text message, const char *name_at)
{
    struct text rest = behind(message, name_at), name = rest, target = {0};
    const char *at = find(rest, " for ");
    if (at) {
        name.n = (size_t)(at - rest.at);
        target = behind(rest, at);
    }
    name = unquoted(name);
    r->unnamed = NULL;
    r->entry = r->properties = triage_add(r->t, TRIAGE_FROM_PTXAS, place(r), name.at, name.n, 0);
    r->entry->is_relocatable = r->is_relocatable;
    read_target(r->entry, target);
    r->n_found++;
}

static bool has_name(const struct triage_kernel *k, struct text name)
{
    return strlen(k->name) == name.n && memcmp(k->name, name.at, name.n) == 0;
}

// "Function properties for X": of the entry that was begun, or of a function; of the linker always of an
// entry.
static void begin_properties(struct log_reader *r, struct text name, enum triage_source source)
{
    name = unquoted(name);
    bool is_entry = r->entry && has_name(r->entry, name) && source == TRIAGE_FROM_PTXAS;
    if (is_entry) {
        r->properties = r->entry;
        return;
    }
    unsigned linked_cc = r->target_cc ? r->target_cc : r->command_cc;
    unsigned cc = source == TRIAGE_FROM_NVLINK ? linked_cc : r->entry ? r->entry->cc : 0;
    r->properties = triage_add(r->t, source, place(r), name.at, name.n, cc);
    r->properties->is_function = source == TRIAGE_FROM_PTXAS;
    if (!r->entry && !r->unnamed)
        r->unnamed = r->properties;
    r->n_found++;
    if (source == TRIAGE_FROM_NVLINK)
        r->entry = NULL;
}

// "Used …" ends a kernel. Old logs without "Compiling entry function" call kernels by their properties only.
static void read_used(struct log_reader *r, struct text message, enum triage_source source)
{
    struct triage_kernel *k = source == TRIAGE_FROM_NVLINK ? r->properties : r->entry;
    if (!k && r->unnamed) {
        k = r->unnamed;
        k->is_function = false;
    }
    r->unnamed = NULL;
    if (!k) {
        k = triage_add(r->t, source, place(r), "", 0, 0);
        r->n_found++;
    }
    read_fields(k, message);
    if (!triage_has(k, TRIAGE_shared_bytes)) // what is 0 is left out
        k->values[TRIAGE_shared_bytes] = 0;
    if (r->max_registers > 0 && source == TRIAGE_FROM_PTXAS) {
        k->values[TRIAGE_max_registers] = r->max_registers;
        if (triage_number(k, TRIAGE_registers) > r->max_registers)
            triage_trap(k, TRAP_MAXREG_OVERRIDDEN);
    }
    if (k == r->entry)
        r->entry = NULL;
}

// ---- warnings -------------------------------------------------------------------------------------------

static void add_warning(struct log_reader *r, struct text name, enum triage_trap trap)
{
    vec_push(&r->warnings, ((struct warning){name, trap, r->t->kernels.n, place(r)}));
}

static void read_warning(struct log_reader *r, struct text message)
{
    static const struct {
        const char *text, *name_behind;
        enum triage_trap trap;
    } rows[] = {{".minnctapersm will be ignored", "for entry ", TRAP_MIN_BLOCKS_IGNORED},
                {".minnctapersm and .maxntid will be ignored", "for entry ", TRAP_MIN_BLOCKS_IGNORED},
                {"cannot be statically determined", "function '", TRAP_STACK_UNKNOWN},
                {"'setmaxnreg' ignored", "function '", TRAP_SETMAXNREG_IGNORED},
                {"wgmma.mma_async instructions are serialized", "function '", TRAP_WGMMA_SERIALIZED},
                {"warpgroup.arrive is injected", "function '", TRAP_WGMMA_WAITS_ADDED},
                {"warpgroup.wait is injected", "function '", TRAP_WGMMA_WAITS_ADDED},
                {"adjusting per thread register count", "function '", TRAP_MAXREG_RAISED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (find(message, rows[i].text))
            add_warning(r, named_behind(message, rows[i].name_behind), rows[i].trap);
}

// A kernel of which nothing but warnings is known.
static struct triage_kernel *add_unmeasured(struct log_reader *r, struct text name, const char *at)
{
    r->n_found++;
    return triage_add(r->t, TRIAGE_FROM_PTXAS, at, name.at, name.n, 0);
}

// Warnings stand before or behind the lines of their kernel; those that name none belong to the next one.
static void place_warnings(struct log_reader *r)
{
    for (size_t w = 0; w < r->warnings.n; w++) {
        const struct warning *warning = &r->warnings.at[w];
        bool is_placed = false;
        for (size_t i = warning->name.n ? r->first : warning->n_kernels; i < r->t->kernels.n; i++) {
            struct triage_kernel *k = r->t->kernels.at[i];
            if (warning->name.n && !has_name(k, warning->name))
                continue;
            triage_trap(k, warning->trap);
            is_placed = true;
            if (!warning->name.n)
                break;
        }
        if (!is_placed && warning->name.n)
            triage_trap(add_unmeasured(r, warning->name, warning->place), warning->trap);
    }
}

// Warnings with numbers in them (-warn-spills, -warn-lmem-usage): all that some logs say of a kernel.
static void read_remarks(struct log_reader *r, struct text message)
{
    static const struct {
        const char *text, *before, *behind;
        enum triage_value value;
    } rows[] = {
        {"spilled to local memory in function", "', ", " bytes spill stores", TRIAGE_spill_store_bytes},
        {"spilled to local memory in function", "stores, ", " bytes spill loads", TRIAGE_spill_load_bytes},
        {"Local memory used for function", "stack frame: ", " bytes", TRIAGE_stack_bytes}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *at = find(message, rows[i].text), *before = find(message, rows[i].before);
        struct text rest = at && before ? behind(message, before + strlen(rows[i].before)) : (struct text){0};
        double number = take_number(&rest);
        struct text name = named_behind(message, "function '");
        if (name.n && isfinite(number) && find(rest, rows[i].behind) == rest.at)
            vec_push(&r->remarks, ((struct remark){name, rows[i].value, number, place(r)}));
    }
}

static struct triage_kernel *kernel_of_remark(struct log_reader *r, const struct remark *remark)
{
    for (size_t i = r->first; i < r->t->kernels.n; i++)
        if (has_name(r->t->kernels.at[i], remark->name))
            return r->t->kernels.at[i];
    return add_unmeasured(r, remark->name, remark->place);
}

// What the lines of the kernel say holds; of several remarks on one name (a compiler that tries variants) the
// largest.
static void place_remarks(struct log_reader *r)
{
    for (size_t i = 0; i < r->remarks.n; i++) {
        const struct remark *remark = &r->remarks.at[i];
        struct triage_kernel *k = kernel_of_remark(r, remark);
        bool is_told = triage_has(k, TRIAGE_registers) && triage_has(k, remark->value);
        if (!is_told && !(triage_number(k, remark->value) > remark->number))
            k->values[remark->value] = remark->number;
        note_spills(k);
    }
}

// ---- commands -------------------------------------------------------------------------------------------

// The one target that a command names ("-arch=sm_90", "code=sm_90"); 0: none, or several.
static unsigned command_target(struct text line)
{
    unsigned cc = 0;
    for (const char *at; (at = find(line, "sm_"));) {
        line = behind(line, at + 3);
        double number = take_number(&line);
        if (!(number > 0 && number < 1000) || (cc && cc != (unsigned)number))
            return 0;
        cc = (unsigned)number;
    }
    return cc;
}

// The options of the compiler's command, where the log shows it: they hold for what follows.
static void read_command(struct log_reader *r, struct text line)
{
    static const char *const relocatable[] = {" -dc ", "-rdc=true", "-rdc true",
                                              "--relocatable-device-code=true", "--device-c "};
    static const char *const limits[] = {"maxrregcount=", "maxrregcount "};
    r->is_relocatable = false;
    r->max_registers = 0;
    r->command_cc = command_target(line);
    for (size_t i = 0; i < sizeof relocatable / sizeof *relocatable; i++)
        r->is_relocatable |= find(line, relocatable[i]) != NULL;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const char *at = find(line, limits[i]);
        struct text rest = at ? behind(line, at + strlen(limits[i])) : (struct text){0};
        double n = at ? take_number(&rest) : 0;
        r->max_registers = isfinite(n) && n > 0 ? n : r->max_registers;
    }
}

// ---- the file -------------------------------------------------------------------------------------------

// The message of "… ptxas info    : MESSAGE" or of a warning; n 0: the line is not of that tool.
static struct text message_of(struct text line, const char *tool)
{
    static const char *const kinds[] = {"info", "warning", "fatal", "error"};
    const char *at = find(line, tool);
    for (size_t i = 0; at && i < sizeof kinds / sizeof *kinds; i++) {
        struct text rest = behind(line, at);
        const char *kind = find(rest, kinds[i]);
        const char *colon = kind ? find(behind(rest, kind), ":") : NULL;
        if (colon)
            return trimmed(behind(rest, colon + 1));
    }
    return (struct text){0};
}

// Takes "(target: sm_52)" off the end of a linker's line.
static struct text without_target(struct log_reader *r, struct text message)
{
    const char *at = find(message, "(target: sm_");
    r->target_cc = 0;
    if (!at)
        return message;
    struct text rest = behind(message, at + strlen("(target: sm_"));
    double cc = take_number(&rest);
    r->target_cc = cc > 0 && cc < 1000 ? (unsigned)cc : 0;
    return trimmed((struct text){message.at, (size_t)(at - message.at)});
}

static void read_message(struct log_reader *r, struct text message, enum triage_source source)
{
    static const char compiling[] = "Compiling entry function ", properties[] = "Function properties for ";
    const char *at;
    if ((at = find(message, compiling)))
        begin_entry(r, message, at + strlen(compiling));
    else if ((at = find(message, properties)))
        begin_properties(r, behind(message, at + strlen(properties)), source);
    else if (find(message, " registers") && (find(message, "Used ") || find(message, "used ")))
        read_used(r, message, source);
    else {
        read_warning(r, message);
        read_remarks(r, message);
    }
}

// The linker inside the driver does not say who speaks: "info    : used 28 registers, …".
static struct text linker_message_of(struct text line)
{
    struct text plain = trimmed(line);
    bool is_driver = plain.n > 5 && memcmp(plain.at, "info ", 5) == 0;
    return message_of(line, is_driver ? "info" : "nvlink");
}

static void read_line(struct log_reader *r, struct text line)
{
    struct text ptxas = message_of(line, "ptxas"), nvlink = linker_message_of(line);
    if (nvlink.n)
        read_message(r, without_target(r, nvlink), TRIAGE_FROM_NVLINK);
    else if (ptxas.n)
        read_message(r, ptxas, TRIAGE_FROM_PTXAS);
    else if (find(line, "bytes stack frame") && r->properties) {
        struct text fields = line; // a prefix of the build tool ends where the number begins
        const char *at = find(line, "bytes stack frame");
        while (at > line.at && (is_space(at[-1]) || at[-1] == '-' || (at[-1] >= '0' && at[-1] <= '9')))
            at--;
        fields = trimmed(behind(line, at));
        read_fields(r->properties, fields);
        note_spills(r->properties);
    } else if (find(line, "nvcc") || find(line, "ptxas "))
        read_command(r, line);
}

// ---- broken lines ---------------------------------------------------------------------------------------

static bool ends_with(struct text text, const char *end)
{
    size_t n = strlen(end);
    return text.n >= n && memcmp(text.at + text.n - n, end, n) == 0;
}

static bool begins_anew(struct text line)
{
    return !trimmed(line).n || message_of(line, "ptxas").n || linker_message_of(line).n ||
           find(line, "bytes stack frame");
}

// Where no message of these tools ends.
static bool is_unfinished(struct text line)
{
    static const char *const ends[] = {",", " for", " function", " cumulative", " cumulative stack"};
    bool is_message = message_of(line, "ptxas").n || linker_message_of(line).n;
    line = trimmed(line);
    for (size_t i = 0; is_message && i < sizeof ends / sizeof *ends; i++)
        if (ends_with(line, ends[i]))
            return true;
    char last = line.n ? line.at[line.n - 1] : '.';
    return is_message && find(line, "Potential Performance Loss") &&
           ((last | 32) >= 'a' && (last | 32) <= 'z');
}

// Reads a line, or keeps it until what belongs to it has come.
static void take_line(struct log_reader *r, struct text line)
{
    enum { MOST_BYTES = 65536 };
    if (r->held.n && !begins_anew(line)) {
        struct text more = trimmed(line);
        const char *joined =
            arena_printf(r->t->arena, "%.*s %.*s", (int)r->held.n, r->held.at, (int)more.n, more.at);
        line = (struct text){joined, strlen(joined)};
    } else if (r->held.n)
        read_line(r, r->held);
    r->held = (struct text){0};
    if (line.n < MOST_BYTES && is_unfinished(line))
        r->held = line;
    else
        read_line(r, line);
}

uint32_t triage_read_log(struct triage *t, const char *path, const char *text, size_t n)
{
    struct log_reader r = {.t = t, .path = path, .first = t->kernels.n};
    for (const char *at = text, *end = text + n; at < end;) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        r.line++;
        take_line(&r, (struct text){at, (size_t)((line_end ? line_end : end) - at)});
        at = line_end ? line_end + 1 : end;
    }
    if (r.held.n)
        read_line(&r, r.held);
    place_warnings(&r);
    place_remarks(&r);
    vec_release(&r.warnings);
    vec_release(&r.remarks);
    return r.n_found;
}
