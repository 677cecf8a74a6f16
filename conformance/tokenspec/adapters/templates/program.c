/* A tokenspec adapter: one JSON line in, one JSON line out. C11 and POSIX, no library; JSON is read at the end.
 *
 * Put your own implementation in place of what the operations below do: those of the table operations are what you
 * claim, and an input for which UNSUPPORTED is returned is never counted.
 * The contract: spec/90-adapter-protocol.md, or `tokenspec explain ADP-001`. The fields: `tokenspec list operations`.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A JSON value. Text is UTF-8 and may hold zeros; numbers keep their spelling. Items and members are linked. */
typedef struct Json Json;
struct Json {
    enum { NOTHING, FALSE, TRUE, NUMBER, STRING, ARRAY, OBJECT } kind;
    char *text;
    size_t length;
    char *key;
    Json *first, *next;
};

/* Text that grows. */
typedef struct {
    char *data;
    size_t length, room;
} Text;

/* What an operation did. The result is written as JSON; all others as plain text, REJECTED as its short code. */
typedef enum { RESULT, UNSUPPORTED, REJECTED, ERROR } Outcome;

static void put(Text *out, const char *bytes, size_t length);
static void put_json_string(Text *out, const char *bytes, size_t length);
static const Json *member(const Json *object, const char *key);
static bool is_text(const Json *value, const char *text);
static bool is_empty(const Json *value);

static void say(Text *out, const char *text) { put(out, text, strlen(text)); }

static Outcome unsupported(Text *out, const char *reason) {
    say(out, reason);
    return UNSUPPORTED;
}

// >>> segment
/* Cut after every blank line; white space alone joins what follows it. Offsets count characters: here of ASCII. */
static Outcome segment(const Json *input, Text *out) {
    const Json *trace = member(input, "trace"), *engines = member(input, "engines");
    static const char *const others[] = {"given", "fusion", "gold", "parameters"};
    bool alone = engines && is_text(engines->first, "new-line") && !engines->first->next;
    for (size_t i = 0; i < 4; i++) alone = alone && is_empty(member(input, others[i]));
    if (!alone || !trace || trace->kind != STRING) return unsupported(out, "only the engine new-line, alone");
    for (size_t i = 0; i < trace->length; i++)
        if ((unsigned char)trace->text[i] > 126) return unsupported(out, "only ASCII");
    size_t begin = 0, open = 0;
    bool cut = false, blank = true;
    say(out, "{\"offsets\":[");
    for (size_t i = 0; i < trace->length; i++) {
        blank = blank && strchr(" \t\n\r\v\f", trace->text[i]) && trace->text[i];
        bool two = i > 0 && trace->text[i] == '\n' && trace->text[i - 1] == '\n';
        bool last = i + 1 == trace->length;
        if ((two && !last && trace->text[i + 1] != '\n' && !blank) || (last && !blank)) {
            char span[64];
            if (cut) {
                snprintf(span, sizeof span, "[%zu,%zu],", open, begin);
                say(out, span);
            }
            cut = true, open = begin, begin = i + 1, blank = true;
        }
    }
    if (trace->length) {
        char span[64];
        snprintf(span, sizeof span, "[%zu,%zu]", open, trace->length);
        say(out, span);
    }
    say(out, "]}");
    return RESULT;
}

// <<<
// >>> render
/* The turns of the row toy-bpe as text, with system and user messages alone. Add token_ids where you have them. */
static Outcome render(const Json *input, Text *out) {
    const Json *options = member(input, "options"), *messages = member(input, "messages");
    const Json *prompt = member(options, "add_generation_prompt");
    bool plain = is_empty(member(input, "tools")) && is_empty(member(input, "derive"));
    if (!plain || !is_text(member(input, "model"), "toy-bpe") || !options || (options->first && options->first != prompt) ||
        (prompt && prompt->next))
        return unsupported(out, "only plain conversations of toy-bpe");
    if (!messages || messages->kind != ARRAY || !messages->first) return unsupported(out, "only lists of messages");
    for (const Json *message = messages->first; message; message = message->next) {
        const Json *role = member(message, "role"), *content = member(message, "content");
        if (!(is_text(role, "system") || is_text(role, "user")) || !content || content->kind != STRING)
            return unsupported(out, "only system and user messages with text");
    }
    Text text = {0};
    if (!is_text(member(messages->first, "role"), "system"))
        say(&text, "<|im_start|>system\nYou are a careful toy assistant.<|im_end|>\n");
    for (const Json *message = messages->first; message; message = message->next) {
        const Json *content = member(message, "content");
        say(&text, "<|im_start|>");
        say(&text, member(message, "role")->text);
        say(&text, "\n");
        put(&text, content->text, content->length);
        say(&text, "<|im_end|>\n");
    }
    if (prompt && prompt->kind == TRUE) say(&text, "<|im_start|>assistant\n");
    say(out, "{\"text\":");
    put_json_string(out, text.data, text.length);
    say(out, "}");
    free(text.data);
    return RESULT;
}

// <<<
// >>> bridge
/* Without a prompt there is nothing to append to: a bridge declines. */
static Outcome bridge(const Json *input, Text *out) {
    const Json *prompt = member(input, "prompt_ids");
    if (!prompt || prompt->kind != ARRAY || prompt->first) return unsupported(out, "only bridges that decline");
    say(out, "{\"token_ids\":null}");
    return RESULT;
}

// <<<
// >>> *
/* Yours. The fields of the request and of the result: fixtures/schema, `tokenspec list operations`. */
static Outcome other_operation(const Json *input, Text *out) {
    (void)input;
    return unsupported(out, "other_operation is not written yet");
}

// <<<
static const struct {
    const char *name;
    Outcome (*run)(const Json *input, Text *out);
} operations[] = {
    {"segment", segment}, // only segment
    {"render", render}, // only render
    {"bridge", bridge}, // only bridge
    {"other_operation", other_operation}, // only *
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* Say who answers. The protocol version is yours: do not echo the one you are asked for. */
static void start(Text *out) {
    say(out, "{\"protocol\":1,\"implementation\":{\"name\":\"my-adapter\",\"version\":\"0.1\",\"language\":\"c\"},");
    say(out, "\"capabilities\":{");
    for (size_t i = 0; i < OPERATIONS; i++) {
        say(out, i ? ",\"" : "\"");
        say(out, operations[i].name);
        say(out, "\":{}");
    }
    say(out, "}}");
}

/* One case. Every input is answered: what cannot be done is unsupported, rejected or an error. */
static void run(const Json *message, Text *out) {
    static const char *const before[] = {
        ",\"result\":", ",\"unsupported\":{\"reason\":", ",\"rejected\":{\"code\":", ",\"error\":{\"message\":"};
    const Json *seq = member(message, "seq");
    Text said = {0};
    Outcome outcome = UNSUPPORTED;
    size_t i = 0;
    while (i < OPERATIONS && !is_text(member(message, "op"), operations[i].name)) i++;
    if (i < OPERATIONS)
        outcome = operations[i].run(member(message, "input"), &said);
    else
        say(&said, "not among my operations");
    say(out, "{\"seq\":");
    put(out, seq ? seq->text : "0", seq ? seq->length : 1);
    say(out, before[outcome]);
    if (outcome == RESULT) {
        put(out, said.data, said.length);
    } else {
        put_json_string(out, said.data, said.length);
        say(out, "}");
    }
    say(out, "}");
    free(said.data);
}

static Json *read_value(const char **at, int depth);
static void release(Json *value);

/* Answer until stop, or until the input ends. Only answers go to stdout, each at once; print to stderr. */
int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        const char *at = line;
        Json *message = read_value(&at, 0);
        const Json *command = member(message, "cmd");
        Text out = {0};
        if (is_text(command, "start"))
            start(&out);
        else if (is_text(command, "load"))
            /* Keep member(message, "assets"): directory (with tokenizer.json), chat_template, family, status, wire. */
            say(&out, "{\"ok\":true}");
        else if (is_text(command, "run"))
            run(message, &out);
        release(message);
        if (!out.length) break;
        put(&out, "\n", 1);
        fwrite(out.data, 1, out.length, stdout);
        fflush(stdout);
        free(out.data);
    }
    free(line);
    return 0;
}

static void *checked(void *memory) {
    if (!memory) {
        fputs("no memory\n", stderr);
        exit(1);
    }
    return memory;
}

static void put(Text *out, const char *bytes, size_t length) {
    if (out->length + length + 1 > out->room) {
        out->room = 2 * (out->length + length + 1);
        out->data = checked(realloc(out->data, out->room));
    }
    if (length) memcpy(out->data + out->length, bytes, length);
    out->length += length;
    out->data[out->length] = 0;
}

static void put_json_string(Text *out, const char *bytes, size_t length) {
    put(out, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        char escape[8];
        if (bytes[i] == '"' || bytes[i] == '\\') put(out, "\\", 1);
        if ((unsigned char)bytes[i] < ' ')
            put(out, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", (unsigned)bytes[i]));
        else
            put(out, bytes + i, 1);
    }
    put(out, "\"", 1);
}

/* A member of an object, or NULL. */
static const Json *member(const Json *object, const char *key) {
    if (!object || object->kind != OBJECT) return NULL;
    const Json *found = object->first;
    while (found && strcmp(found->key, key)) found = found->next;
    return found;
}

static bool is_text(const Json *value, const char *text) {
    return value && value->kind == STRING && !strcmp(value->text, text);
}

static bool is_empty(const Json *value) {
    return !value || value->kind == NOTHING || ((value->kind == ARRAY || value->kind == OBJECT) && !value->first);
}

static void release(Json *value) {
    while (value) {
        Json *next = value->next;
        release(value->first);
        free(value->text);
        free(value->key);
        free(value);
        value = next;
    }
}

static char peek(const char **at) {
    *at += strspn(*at, " \t\r\n");
    return **at;
}

static unsigned digits(const char **at) {
    char four[5] = {0};
    for (int i = 0; i < 4 && **at; i++) four[i] = *(*at)++;
    return (unsigned)strtoul(four, NULL, 16);
}

/* A code point in UTF-8; half a surrogate pair becomes U+FFFD. */
static void put_code(Text *out, unsigned code) {
    char bytes[4];
    if (code >= 0xd800 && code < 0xe000) code = 0xfffd;
    if (code < 0x80) {
        bytes[0] = (char)code;
        put(out, bytes, 1);
        return;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    bytes[0] = (char)(lead[more] | code >> (6 * more));
    for (int i = 1; i <= more; i++) bytes[i] = (char)(0x80 | (code >> (6 * (more - i)) & 0x3f));
    put(out, bytes, (size_t)more + 1);
}

static Text read_string(const char **at) {
    Text found = {0};
    put(&found, "", 0);
    for (++*at; **at && **at != '"'; ++*at) {
        if (**at != '\\') {
            put(&found, *at, 1);
            continue;
        }
        static const char letters[] = "bfnrt", controls[] = "\b\f\n\r\t";
        const char *letter = strchr(letters, *++*at);
        if (**at == 'u') {
            ++*at;
            unsigned code = digits(at);
            if (code >= 0xd800 && code < 0xdc00 && (*at)[0] == '\\' && (*at)[1] == 'u') {
                const char *behind = *at + 2;
                unsigned low = digits(&behind);
                if (low >= 0xdc00 && low < 0xe000) {
                    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                    *at = behind;
                }
            }
            put_code(&found, code);
            --*at;
        } else if (**at) {
            put(&found, letter ? controls + (letter - letters) : *at, 1);
        } else {
            break;
        }
    }
    if (**at) ++*at;
    return found;
}

/* One JSON value; NULL where there is none, or where it is nested too deep. */
static Json *read_value(const char **at, int depth) {
    char c = peek(at);
    if (!c || depth > 1000) return NULL;
    Json *value = checked(calloc(1, sizeof *value));
    if (c == '"') {
        Text text = read_string(at);
        value->kind = STRING, value->text = text.data, value->length = text.length;
    } else if (c == '[' || c == '{') {
        value->kind = c == '[' ? ARRAY : OBJECT;
        Json **last = &value->first;
        for (++*at; (c = peek(at)) && c != ']' && c != '}';) {
            if (c == ',') ++*at;
            char *key = NULL;
            if (value->kind == OBJECT && peek(at) == '"') {
                key = read_string(at).data;
                if (peek(at) == ':') ++*at;
            }
            if (!(*last = read_value(at, depth + 1))) {
                free(key);
                break;
            }
            (*last)->key = key ? key : checked(calloc(1, 1));
            last = &(*last)->next;
        }
        if (**at) ++*at;
    } else {
        size_t length = strcspn(*at, ",]} \t\r\n");
        value->kind = c == 't' ? TRUE : c == 'f' ? FALSE : c == 'n' ? NOTHING : NUMBER;
        Text text = {0};
        put(&text, *at, length);
        value->text = text.data, value->length = length;
        *at += length ? length : 1;
    }
    return value;
}
