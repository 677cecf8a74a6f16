// A tokenspec adapter: one JSON line in, one JSON line out. Java 17, its library alone; JSON is read at the end.
//
// Put your own implementation in place of what the operations below do: those of the table OPERATIONS are what you
// claim, and what you throw Unsupported for is never counted.
// The contract: spec/90-adapter-protocol.md, or `tokenspec explain ADP-001`. The fields: `tokenspec list operations`.

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher; // only segment
import java.util.regex.Pattern; // only segment

public final class Adapter {
    /** An input that this implementation does not claim to handle; the text is printed in the matrix. */
    static final class Unsupported extends RuntimeException {
        Unsupported(String reason) {
            super(reason);
        }
    }

    /** An input that the specification wants refused: a short code, and what happened. */
    static final class Rejected extends RuntimeException {
        final String code;

        Rejected(String code, String message) {
            super(message);
            this.code = code;
        }
    }

    static final Map<String, Object> ROWS = new LinkedHashMap<>();

    // >>> segment
    /** Cut after every blank line; white space alone joins what follows it. Offsets count characters, not chars. */
    static Object segment(Map<String, Object> input) {
        boolean alone = true;
        for (String key : List.of("given", "fusion", "gold", "parameters")) {
            alone = alone && isEmpty(input.get(key));
        }
        if (!alone || !List.of("new-line").equals(input.get("engines"))) {
            throw new Unsupported("only the engine new-line, alone");
        }
        String trace = (String) input.get("trace");
        List<Integer> ends = new ArrayList<>();
        Matcher blank = Pattern.compile("\n\n+").matcher(trace);
        while (blank.find()) {
            ends.add(blank.end());
        }
        ends.add(trace.length());
        List<int[]> offsets = new ArrayList<>();
        int begin = 0;
        for (int end : ends) {
            if (!trace.substring(begin, end).matches("(?U)\\s*")) {
                offsets.add(new int[] {begin, end});
                begin = end;
            }
        }
        if (begin < trace.length()) {
            int first = offsets.isEmpty() ? 0 : offsets.remove(offsets.size() - 1)[0];
            offsets.add(new int[] {first, trace.length()});
        }
        List<Object> counted = new ArrayList<>();
        for (int[] span : offsets) {
            counted.add(List.of(trace.codePointCount(0, span[0]), trace.codePointCount(0, span[1])));
        }
        return Map.of("offsets", counted);
    }

    // <<<
    // >>> render
    /** The turns of the row toy-bpe as text, with system and user messages alone. Add token_ids where you can. */
    static Object render(Map<String, Object> input) {
        Map<?, ?> options = (Map<?, ?>) input.get("options");
        boolean plain = isEmpty(input.get("tools")) && isEmpty(input.get("derive"));
        for (Object key : options.keySet()) {
            plain = plain && "add_generation_prompt".equals(key);
        }
        if (!plain || !"toy-bpe".equals(input.get("model"))) {
            throw new Unsupported("only plain conversations of toy-bpe");
        }
        StringBuilder text = new StringBuilder();
        if (!(input.get("messages") instanceof List<?> messages) || messages.isEmpty()) {
            throw new Unsupported("only lists of messages");
        }
        for (Object item : messages) {
            if (!(item instanceof Map<?, ?> message) || !(message.get("content") instanceof String content)) {
                throw new Unsupported("only messages whose content is text");
            }
            Object role = message.get("role");
            if (!"system".equals(role) && !"user".equals(role)) {
                throw new Unsupported("only system and user messages");
            }
            if (text.isEmpty() && "user".equals(role)) {
                text.append("<|im_start|>system\nYou are a careful toy assistant.<|im_end|>\n");
            }
            text.append("<|im_start|>").append(role).append('\n').append(content).append("<|im_end|>\n");
        }
        if (Boolean.TRUE.equals(options.get("add_generation_prompt"))) {
            text.append("<|im_start|>assistant\n");
        }
        return Map.of("text", text.toString());
    }

    // <<<
    // >>> bridge
    /** Without a prompt there is nothing to append to: a bridge declines. */
    static Object bridge(Map<String, Object> input) {
        if (!List.of().equals(input.get("prompt_ids"))) {
            throw new Unsupported("only bridges that decline");
        }
        Map<String, Object> declined = new LinkedHashMap<>();
        declined.put("token_ids", null);
        return declined;
    }

    // <<<
    // >>> *
    /** Yours. The fields of the request and of the result: fixtures/schema, `tokenspec list operations`. */
    static Object other_operation(Map<String, Object> input) {
        throw new Unsupported("other_operation is not written yet");
    }

    // <<<
    static final Map<String, Function<Map<String, Object>, Object>> OPERATIONS = new LinkedHashMap<>();

    static {
        OPERATIONS.put("segment", Adapter::segment); // only segment
        OPERATIONS.put("render", Adapter::render); // only render
        OPERATIONS.put("bridge", Adapter::bridge); // only bridge
        OPERATIONS.put("other_operation", Adapter::other_operation); // only *
    }

    /** Say who answers. The protocol version is yours: do not echo the one you are asked for. */
    static Object start() {
        Map<String, Object> capabilities = new LinkedHashMap<>();
        for (String name : OPERATIONS.keySet()) {
            capabilities.put(name, Map.of());
        }
        Map<String, String> implementation = Map.of("name", "my-adapter", "version", "0.1", "language", "java");
        return Map.of("protocol", 1, "implementation", implementation, "capabilities", capabilities);
    }

    /** One case. Every input is answered: what cannot be done is unsupported, rejected or an error. */
    @SuppressWarnings("unchecked")
    static Object run(Map<String, Object> message) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("seq", message.get("seq"));
        try {
            Function<Map<String, Object>, Object> operation = OPERATIONS.get(message.get("op"));
            if (operation == null) {
                throw new Unsupported("not among my operations");
            }
            answer.put("result", operation.apply((Map<String, Object>) message.get("input")));
        } catch (Unsupported reason) {
            answer.put("unsupported", Map.of("reason", reason.getMessage()));
        } catch (Rejected refusal) {
            answer.put("rejected", Map.of("code", refusal.code, "message", refusal.getMessage()));
        } catch (RuntimeException error) {
            answer.put("error", Map.of("message", error.toString()));
        }
        return answer;
    }

    /** Answer until stop, or until the input ends. Only answers go to stdout, each at once; print to System.err. */
    @SuppressWarnings("unchecked")
    public static void main(String[] arguments) throws IOException {
        InputStream input = new BufferedInputStream(System.in, 1 << 16);
        PrintStream output = System.out;
        for (String line = line(input); line != null; line = line(input)) {
            Map<String, Object> message = (Map<String, Object>) new Reader(line).value();
            Object answer;
            switch (String.valueOf(message.get("cmd"))) {
                case "start" -> answer = start();
                case "load" -> { // assets has directory (with tokenizer.json), chat_template, family, status, wire.
                    ROWS.put((String) message.get("model"), message.get("assets"));
                    answer = Map.of("ok", true);
                }
                case "run" -> answer = run(message);
                default -> {
                    return;
                }
            }
            StringBuilder written = new StringBuilder();
            write(answer, written);
            output.write(written.append('\n').toString().getBytes(StandardCharsets.US_ASCII));
            output.flush();
        }
    }

    /** A line ends at 0x0A and nowhere else. */
    static String line(InputStream input) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int next = input.read(); next != '\n'; next = input.read()) {
            if (next < 0) {
                return null;
            }
            bytes.write(next);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    static boolean isEmpty(Object value) {
        return value == null
                || value instanceof List<?> items && items.isEmpty()
                || value instanceof Map<?, ?> members && members.isEmpty();
    }

    /** JSON in ASCII: maps, lists, strings, numbers, booleans and null. */
    static void write(Object value, StringBuilder out) {
        if (value instanceof Map<?, ?> members) {
            String before = "{";
            for (Map.Entry<?, ?> member : members.entrySet()) {
                out.append(before);
                write(member.getKey(), out);
                out.append(':');
                write(member.getValue(), out);
                before = ",";
            }
            out.append(members.isEmpty() ? "{}" : "}");
        } else if (value instanceof List<?> items) {
            String before = "[";
            for (Object item : items) {
                out.append(before);
                write(item, out);
                before = ",";
            }
            out.append(items.isEmpty() ? "[]" : "]");
        } else if (value instanceof String text) {
            out.append('"');
            for (char c : text.toCharArray()) {
                boolean plain = c >= ' ' && c < 0x7f && c != '"' && c != '\\';
                out.append(plain ? String.valueOf(c) : String.format("\\u%04x", (int) c));
            }
            out.append('"');
        } else {
            out.append(value);
        }
    }

    /** One JSON text. Integers are Long where they fit, other numbers BigDecimal. */
    static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        Object value() {
            switch (peek()) {
                case '"':
                    return string();
                case '[':
                    List<Object> items = new ArrayList<>();
                    for (at++; peek() != ']'; ) {
                        if (!items.isEmpty()) {
                            expect(",");
                        }
                        items.add(value());
                    }
                    at++;
                    return items;
                case '{':
                    Map<String, Object> members = new LinkedHashMap<>();
                    for (at++; peek() != '}'; ) {
                        if (!members.isEmpty()) {
                            expect(",");
                        }
                        peek();
                        String key = string();
                        expect(":");
                        members.put(key, value());
                    }
                    at++;
                    return members;
                case 't':
                    expect("true");
                    return true;
                case 'f':
                    expect("false");
                    return false;
                case 'n':
                    expect("null");
                    return null;
                default:
                    int begin = at;
                    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
                        at++;
                    }
                    String digits = text.substring(begin, at);
                    return digits.matches("-?\\d{1,18}") ? Long.valueOf(digits) : new java.math.BigDecimal(digits);
            }
        }

        private char peek() {
            while (" \t\r\n".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
            return text.charAt(at);
        }

        private void expect(String word) {
            peek();
            if (!text.startsWith(word, at)) {
                throw new IllegalArgumentException("expected " + word + " at " + at);
            }
            at += word.length();
        }

        private String string() {
            expect("\"");
            StringBuilder found = new StringBuilder();
            for (char c = text.charAt(at++); c != '"'; c = text.charAt(at++)) {
                if (c == '\\') {
                    c = text.charAt(at++);
                    if (c == 'u') {
                        c = (char) Integer.parseInt(text.substring(at, at + 4), 16);
                        at += 4;
                    } else {
                        int control = "bfnrt".indexOf(c);
                        c = control < 0 ? c : "\b\f\n\r\t".charAt(control);
                    }
                }
                found.append(c);
            }
            return found.toString();
        }
    }
}
