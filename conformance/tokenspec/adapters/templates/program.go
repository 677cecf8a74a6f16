// A tokenspec adapter: one JSON line in, one JSON line out. The standard library alone.
//
// Put your own implementation in place of what the operations below do: those of the table operations are what you
// claim, and what you return Unsupported for is never counted.
// The contract: spec/90-adapter-protocol.md, or `tokenspec explain ADP-001`. The fields: `tokenspec list operations`,
// and as types: `tokenspec adapter types --lang go`.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"regexp" // only segment
	"strings"
	"unicode/utf8" // only segment
)

type object = map[string]any

// Unsupported is an input that this implementation does not claim to handle; the text is printed in the matrix.
type Unsupported string

func (reason Unsupported) Error() string { return string(reason) }

// Rejected is an input that the specification wants refused: a short code, and what happened.
type Rejected struct{ Code, Message string }

func (refusal Rejected) Error() string { return refusal.Message }

var rows = map[string]json.RawMessage{}

// >>> segment
var blankLine = regexp.MustCompile(`\n\n+`)

// segment cuts after every blank line; white space alone joins what follows it. Offsets count characters, not bytes.
func segment(input []byte) (any, error) {
	var asked struct {
		Trace        *string
		Engines      []string
		Given        []any
		Fusion, Gold any
		Parameters   object
	}
	if err := json.Unmarshal(input, &asked); err != nil {
		return nil, err
	}
	alone := len(asked.Given) == 0 && asked.Fusion == nil && asked.Gold == nil && len(asked.Parameters) == 0
	if asked.Trace == nil || !alone || strings.Join(asked.Engines, ",") != "new-line" {
		return nil, Unsupported("only the engine new-line, alone")
	}
	trace, begin := *asked.Trace, 0
	offsets := [][2]int{}
	count := func(end int) int { return utf8.RuneCountInString(trace[:end]) }
	for _, found := range append(blankLine.FindAllStringIndex(trace, -1), []int{0, len(trace)}) {
		if strings.TrimSpace(trace[begin:found[1]]) != "" {
			offsets = append(offsets, [2]int{count(begin), count(found[1])})
			begin = found[1]
		}
	}
	if begin < len(trace) && len(offsets) > 0 {
		offsets[len(offsets)-1][1] = count(len(trace))
	} else if begin < len(trace) {
		offsets = append(offsets, [2]int{0, count(len(trace))})
	}
	return object{"offsets": offsets}, nil
}

// <<<
// >>> render
// render writes the turns of the row toy-bpe as text, with system and user messages alone. Add token_ids where you can.
func render(input []byte) (any, error) {
	var asked struct {
		Model    string
		Messages []struct {
			Role    string
			Content *string
		}
		Tools   []any
		Derive  object
		Options object
	}
	if json.Unmarshal(input, &asked) != nil || len(asked.Messages) == 0 {
		return nil, Unsupported("only messages whose content is text")
	}
	prompt := asked.Options["add_generation_prompt"] == true
	delete(asked.Options, "add_generation_prompt")
	if asked.Model != "toy-bpe" || len(asked.Tools) > 0 || len(asked.Derive) > 0 || len(asked.Options) > 0 {
		return nil, Unsupported("only plain conversations of toy-bpe")
	}
	var text strings.Builder
	if asked.Messages[0].Role != "system" {
		text.WriteString("<|im_start|>system\nYou are a careful toy assistant.<|im_end|>\n")
	}
	for _, message := range asked.Messages {
		if message.Content == nil || (message.Role != "system" && message.Role != "user") {
			return nil, Unsupported("only system and user messages with text")
		}
		fmt.Fprintf(&text, "<|im_start|>%s\n%s<|im_end|>\n", message.Role, *message.Content)
	}
	if prompt {
		text.WriteString("<|im_start|>assistant\n")
	}
	return object{"text": text.String()}, nil
}

// <<<
// >>> bridge
// bridge declines without a prompt: there is nothing to append to.
func bridge(input []byte) (any, error) {
	var asked struct {
		Prompt *[]int `json:"prompt_ids"`
	}
	if err := json.Unmarshal(input, &asked); err != nil {
		return nil, err
	}
	if asked.Prompt == nil || len(*asked.Prompt) > 0 {
		return nil, Unsupported("only bridges that decline")
	}
	return object{"token_ids": nil}, nil
}

// <<<
// >>> *
// other_operation is yours. The request and the result have the fields that `tokenspec adapter types` writes types of.
func other_operation(input []byte) (any, error) {
	return nil, Unsupported("other_operation is not written yet")
}

// <<<
var operations = map[string]func([]byte) (any, error){}

func init() {
	operations["segment"] = segment                 // only segment
	operations["render"] = render                   // only render
	operations["bridge"] = bridge                   // only bridge
	operations["other_operation"] = other_operation // only *
}

type message struct {
	Cmd, Op, Model string
	Seq            int64
	Assets, Input  json.RawMessage
}

// start says who answers. The protocol version is yours: do not echo the one you are asked for.
func start() object {
	capabilities := object{}
	for name := range operations {
		capabilities[name] = object{}
	}
	implementation := object{"name": "my-adapter", "version": "0.1", "language": "go"}
	return object{"protocol": 1, "implementation": implementation, "capabilities": capabilities}
}

// run answers one case: every input is answered, and what cannot be done is unsupported, rejected or an error.
func run(asked message) (answer object) {
	defer func() {
		if failure := recover(); failure != nil {
			answer = object{"seq": asked.Seq, "error": object{"message": fmt.Sprint(failure)}}
		}
	}()
	operation, known := operations[asked.Op]
	if !known {
		return object{"seq": asked.Seq, "unsupported": object{"reason": strings.TrimSpace("no operation " + asked.Op)}}
	}
	result, err := operation(asked.Input)
	switch failure := err.(type) {
	case nil:
		return object{"seq": asked.Seq, "result": result}
	case Unsupported:
		return object{"seq": asked.Seq, "unsupported": object{"reason": string(failure)}}
	case Rejected:
		return object{"seq": asked.Seq, "rejected": object{"code": failure.Code, "message": failure.Message}}
	default:
		return object{"seq": asked.Seq, "error": object{"message": err.Error()}}
	}
}

// main answers until stop, or until the input ends. Only answers go to stdout, each at once; print to os.Stderr.
func main() {
	lines := bufio.NewReader(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	answers.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked message
		if err := json.Unmarshal(line, &asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		switch asked.Cmd {
		case "start":
			answers.Encode(start())
		case "load": // Assets has directory (with tokenizer.json), chat_template, family, status, wire.
			rows[asked.Model] = asked.Assets
			answers.Encode(object{"ok": true})
		case "run":
			answers.Encode(run(asked))
		case "stop":
			return
		}
	}
}
