// The chat template through @huggingface/jinja, the ids through @huggingface/tokenizers.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export default ({ installed, atTime, Unsupported, Rejected }) => {
  const rows = new Map();
  const compiled = new Map();

  /** Everything slow happens here: a run has ten seconds, a load sixty. */
  function load({ model, assets }) {
    const { Tokenizer } = installed("@huggingface/tokenizers");
    const read = (name) => JSON.parse(readFileSync(join(assets.directory, name), "utf8"));
    const config = read("tokenizer_config.json");
    const special = {};
    for (const [key, value] of Object.entries(config)) {
      if (key.endsWith("_token") && value) special[key] = value.content ?? value;
    }
    if (rows.size > 1) rows.delete(rows.keys().next().value); // two stay loaded (ADP-022)
    rows.set(model, { written: assets.chat_template, special, tokenizer: new Tokenizer(read("tokenizer.json"), config) });
  }

  function compile(template) {
    const { Template } = installed("@huggingface/jinja");
    if (!compiled.has(template)) compiled.set(template, new Template(template));
    return compiled.get(template);
  }

  /** The engine's own strftime_now asks for the time; it gets the one of the request. */
  function render({ model, messages, tools, options, now }) {
    const { written, special, tokenizer } = rows.get(model);
    const { chat_template: template = written, ...others } = options;
    if (!template) throw new Unsupported("the row has no chat template");
    if (options.continue_final_message) throw new Unsupported("no continue_final_message");
    let parsed, text;
    try {
      parsed = compile(template);
    } catch (error) {
      throw new Unsupported(`the template does not parse: ${error.message}`);
    }
    try {
      text = atTime(now, () => parsed.render({ messages, tools, ...special, ...others }));
    } catch (error) {
      throw new Rejected(error.message, { cause: "template-raises" });
    }
    return { text, token_ids: tokenizer.encode(text, { add_special_tokens: false }).ids };
  }

  /** The engine alone: its clock is the request's, its variables are final, a parse error is a refusal like any other. */
  function render_template({ template, inputs, now, limits }) {
    if (limits) throw new Unsupported("takes no bounds");
    let code = "invalid-template";
    try {
      const parsed = compile(template);
      code = "value";
      // A slice may cut a character in two; half a character is no JSON for others, so it is shown as U+FFFD.
      return { text: atTime(now, () => parsed.render(inputs)).toWellFormed() };
    } catch (error) {
      throw new Rejected(error.message, { cause: code });
    }
  }

  return { load, operations: { render, render_template } };
};
