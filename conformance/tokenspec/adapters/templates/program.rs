//! A tokenspec adapter: one JSON line in, one JSON line out. The standard library alone; JSON is read at the end.
//!
//! Put your own implementation in place of what the operations below do: those of the table OPERATIONS are what you
//! claim, and what you return Unsupported for is never counted.
//! The contract: spec/90-adapter-protocol.md, or `tokenspec explain ADP-001`. The fields: `tokenspec list operations`,
//! and as types, for those who have serde: `tokenspec adapter types --lang rust`.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};

/// Why there is no result.
#[allow(dead_code)]
enum Failure {
    /// An input that this implementation does not claim to handle; the text is printed in the matrix.
    Unsupported(String),
    /// An input that the specification wants refused: a short code, and what happened.
    Rejected(String, String),
    /// Something broke.
    Error(String),
}

type Outcome = Result<Json, Failure>;

fn unsupported<T>(reason: &str) -> Result<T, Failure> {
    Err(Failure::Unsupported(reason.to_string()))
}

// >>> segment
/// Cut after every blank line; white space alone joins what follows it. Offsets count characters, not bytes.
fn segment(input: &Json) -> Outcome {
    let alone = ["given", "fusion", "gold", "parameters"].iter().all(|key| input.get(key).is_empty());
    let engine = input.get("engines").items().iter().map(Json::text).collect::<Vec<_>>();
    let (Some(trace), true, [Some("new-line")]) = (input.get("trace").text(), alone, engine.as_slice()) else {
        return unsupported("only the engine new-line, alone");
    };
    let bytes = trace.as_bytes();
    let after_newlines = |&at: &usize| at > 1 && &bytes[at - 2..at] == b"\n\n" && bytes.get(at) != Some(&b'\n');
    let mut offsets: Vec<(usize, usize)> = Vec::new();
    let mut begin = 0;
    for end in (1..bytes.len()).filter(after_newlines).chain([bytes.len()]) {
        if !trace[begin..end].trim().is_empty() {
            offsets.push((begin, end));
            begin = end;
        }
    }
    if begin < trace.len() {
        let first = offsets.pop().map_or(0, |last| last.0);
        offsets.push((first, trace.len()));
    }
    let place = |at: usize| Json::Number(trace[..at].chars().count().to_string());
    let spans = offsets.iter().map(|&(from, to)| Json::Array(vec![place(from), place(to)]));
    Ok(object([("offsets", Json::Array(spans.collect()))]))
}

// <<<
// >>> render
/// The turns of the row toy-bpe as text, with system and user messages alone. Add token_ids where you have them.
fn render(input: &Json) -> Outcome {
    let Json::Object(options) = input.get("options") else { return unsupported("only plain conversations of toy-bpe") };
    let plain = input.get("tools").is_empty() && input.get("derive").is_empty();
    let known = options.keys().all(|key| key == "add_generation_prompt");
    if input.get("model").text() != Some("toy-bpe") || !plain || !known {
        return unsupported("only plain conversations of toy-bpe");
    }
    let messages = input.get("messages").items();
    let Some(first) = messages.first() else { return unsupported("only lists of messages") };
    let mut text = String::new();
    if first.get("role").text() != Some("system") {
        text += "<|im_start|>system\nYou are a careful toy assistant.<|im_end|>\n";
    }
    for message in messages {
        match (message.get("role").text(), message.get("content").text()) {
            (Some(role @ ("system" | "user")), Some(content)) => {
                text += &format!("<|im_start|>{role}\n{content}<|im_end|>\n");
            }
            _ => return unsupported("only system and user messages with text"),
        }
    }
    if !matches!(input.get("options").get("add_generation_prompt"), Json::Null | Json::Bool(false)) {
        text += "<|im_start|>assistant\n";
    }
    Ok(object([("text", Json::String(text))]))
}

// <<<
// >>> bridge
/// Without a prompt there is nothing to append to: a bridge declines.
fn bridge(input: &Json) -> Outcome {
    match input.get("prompt_ids") {
        Json::Array(ids) if ids.is_empty() => Ok(object([("token_ids", Json::Null)])),
        _ => unsupported("only bridges that decline"),
    }
}

// <<<
// >>> *
/// Yours. The request and the result have the fields that `tokenspec adapter types` writes types of.
fn other_operation(_input: &Json) -> Outcome {
    unsupported("other_operation is not written yet")
}

// <<<
const OPERATIONS: &[(&str, fn(&Json) -> Outcome)] = &[
    ("segment", segment), // only segment
    ("render", render), // only render
    ("bridge", bridge), // only bridge
    ("other_operation", other_operation), // only *
];

/// Say who answers. The protocol version is yours: do not echo the one you are asked for.
fn start() -> Json {
    let text = |value: &str| Json::String(value.to_string());
    let who = [("name", text("my-adapter")), ("version", text("0.1")), ("language", text("rust"))];
    let claimed = OPERATIONS.iter().map(|(name, _)| (name.to_string(), object([]))).collect();
    object([
        ("protocol", Json::Number("1".to_string())),
        ("implementation", object(who)),
        ("capabilities", Json::Object(claimed)),
    ])
}

/// One case. Every input is answered: what cannot be done is unsupported, rejected or an error.
fn run(message: &Json) -> Json {
    let text = |value: String| Json::String(value);
    let asked = message.get("op").text().unwrap_or("");
    let outcome = match OPERATIONS.iter().find(|(name, _)| *name == asked) {
        Some((_, operation)) => operation(message.get("input")),
        None => unsupported("not among my operations"),
    };
    let said = match outcome {
        Ok(result) => ("result", result),
        Err(Failure::Unsupported(reason)) => ("unsupported", object([("reason", text(reason))])),
        Err(Failure::Rejected(code, what)) => ("rejected", object([("code", text(code)), ("message", text(what))])),
        Err(Failure::Error(what)) => ("error", object([("message", text(what))])),
    };
    object([("seq", message.get("seq").clone()), said])
}

/// Answer until stop, or until the input ends. Only answers go to stdout, each at once; eprintln! goes to stderr.
fn main() {
    let mut rows: BTreeMap<String, Json> = BTreeMap::new();
    let (mut lines, mut answers) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).expect("stdin is readable") > 0 {
        let message = Reader::read(&String::from_utf8_lossy(&line)).expect("a line is JSON");
        let answer = match message.get("cmd").text() {
            Some("start") => start(),
            Some("load") => {
                // assets has directory (with tokenizer.json), chat_template, family, status, wire.
                let model = message.get("model").text().unwrap_or("").to_string();
                rows.insert(model, message.get("assets").clone());
                object([("ok", Json::Bool(true))])
            }
            Some("run") => run(&message),
            _ => break,
        };
        let mut written = String::new();
        answer.write(&mut written);
        writeln!(answers, "{written}").and_then(|()| answers.flush()).expect("stdout is open");
        line.clear();
    }
}

/// A JSON value; numbers keep their spelling. With serde_json at hand, everything from here on is not needed.
#[derive(Clone, Debug)]
#[allow(dead_code)]
enum Json {
    Null,
    Bool(bool),
    Number(String),
    String(String),
    Array(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
}

#[allow(dead_code)]
impl Json {
    /// A member of an object, or null.
    fn get(&self, key: &str) -> &Json {
        match self {
            Json::Object(members) => members.get(key).unwrap_or(&Json::Null),
            _ => &Json::Null,
        }
    }

    /// The items of an array, or none.
    fn items(&self) -> &[Json] {
        if let Json::Array(items) = self { items } else { &[] }
    }

    fn text(&self) -> Option<&str> {
        if let Json::String(text) = self { Some(text) } else { None }
    }

    fn is_empty(&self) -> bool {
        match self {
            Json::Null => true,
            Json::Array(items) => items.is_empty(),
            Json::Object(members) => members.is_empty(),
            _ => false,
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Json::Null => *out += "null",
            Json::Bool(value) => *out += if *value { "true" } else { "false" },
            Json::Number(digits) => *out += digits,
            Json::String(text) => write_string(text, out),
            Json::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    out.push(if index == 0 { '[' } else { ',' });
                    item.write(out);
                }
                *out += if items.is_empty() { "[]" } else { "]" };
            }
            Json::Object(members) => {
                for (index, (key, value)) in members.iter().enumerate() {
                    out.push(if index == 0 { '{' } else { ',' });
                    write_string(key, out);
                    out.push(':');
                    value.write(out);
                }
                *out += if members.is_empty() { "{}" } else { "}" };
            }
        }
    }
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => *out += &format!("\\u{:04x}", c as u32),
            c => out.push(c),
        }
    }
    out.push('"');
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    /// One JSON text; half a surrogate pair is read as U+FFFD.
    fn read(text: &str) -> Result<Json, String> {
        let mut reader = Reader { text, at: 0 };
        reader.value()
    }

    fn peek(&mut self) -> u8 {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.text.as_bytes().get(self.at) {
            self.at += 1;
        }
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn take(&mut self, word: &str) -> bool {
        self.peek();
        let there = self.text[self.at..].starts_with(word);
        self.at += if there { word.len() } else { 0 };
        there
    }

    fn expect(&mut self, word: &str) -> Result<(), String> {
        if self.take(word) { Ok(()) } else { Err(format!("expected {word} at byte {}", self.at)) }
    }

    fn value(&mut self) -> Result<Json, String> {
        match self.peek() {
            b'"' => Ok(Json::String(self.string()?)),
            b'[' => {
                self.at += 1;
                let mut items = Vec::new();
                while !self.take("]") {
                    if !items.is_empty() {
                        self.expect(",")?;
                    }
                    items.push(self.value()?);
                }
                Ok(Json::Array(items))
            }
            b'{' => {
                self.at += 1;
                let mut members = BTreeMap::new();
                while !self.take("}") {
                    if !members.is_empty() {
                        self.expect(",")?;
                    }
                    self.peek();
                    let key = self.string()?;
                    self.expect(":")?;
                    members.insert(key, self.value()?);
                }
                Ok(Json::Object(members))
            }
            b't' => self.expect("true").map(|()| Json::Bool(true)),
            b'f' => self.expect("false").map(|()| Json::Bool(false)),
            b'n' => self.expect("null").map(|()| Json::Null),
            _ => {
                let rest = &self.text[self.at..];
                let end = rest.find(|c: char| !c.is_ascii_digit() && !"+-.eE".contains(c)).unwrap_or(rest.len());
                self.at += end;
                if end == 0 { Err(format!("no value at byte {}", self.at)) } else { Ok(Json::Number(rest[..end].to_string())) }
            }
        }
    }

    fn string(&mut self) -> Result<String, String> {
        self.expect("\"")?;
        let mut found = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.find(['"', '\\']).ok_or("a string without end")?;
            found += &rest[..plain];
            self.at += plain + 1;
            if rest[plain..].starts_with('"') {
                return Ok(found);
            }
            let escaped = self.text[self.at..].chars().next().ok_or("a string without end")?;
            self.at += escaped.len_utf8();
            found.push(match escaped {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => self.unicode()?,
                other => other,
            });
        }
    }

    fn unicode(&mut self) -> Result<char, String> {
        let high = self.digits()?;
        if (0xd800..0xdc00).contains(&high) && self.text[self.at..].starts_with("\\u") {
            let before = self.at;
            self.at += 2;
            let low = self.digits()?;
            if (0xdc00..0xe000).contains(&low) {
                return Ok(char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)).unwrap_or('\u{fffd}'));
            }
            self.at = before;
        }
        Ok(char::from_u32(high).unwrap_or('\u{fffd}'))
    }

    fn digits(&mut self) -> Result<u32, String> {
        let digits = self.text.get(self.at..self.at + 4).ok_or("an escape without digits")?;
        self.at += 4;
        u32::from_str_radix(digits, 16).map_err(|error| error.to_string())
    }
}
