// The chat template through @huggingface/jinja, the ids through @huggingface/tokenizers.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export default ({ installed, atTime, Unsupported, Rejected }) => {
  const rows = new Map();
  const compiled = new Map();

  /** Everything slow happens here: a run has ten seconds, a load sixty. */
  function load({ model, assets }) {
    const { Template } = installed("@huggingface/jinja");
    const { Tokenizer } = installed("@huggingface/tokenizers");
    const read = (name) => JSON.parse(readFileSync(join(assets.directory, name), "utf8"));
    const config = read("tokenizer_config.json");
    const special = {};
    for (const [key, value] of Object.entries(config)) {
      if (key.endsWith("_token") && value) special[key] = value.content ?? value;
    }
    let template, broken;
    try {
      template = new Template(assets.chat_template);
    } catch (error) {
      broken = error.message; // other operations of the row need no template
    }
    rows.set(model, { template, broken, special, tokenizer: new Tokenizer(read("tokenizer.json"), config) });
  }

  /** The engine's own strftime_now asks for the time; it gets the one of the request. */
  function render({ model, messages, tools, options, now }) {
    const { template, broken, special, tokenizer } = rows.get(model);
    if (broken) throw new Unsupported(`the template does not parse: ${broken}`);
    if (options.continue_final_message) throw new Unsupported("no continue_final_message");
    let text;
    try {
      text = atTime(now, () => template.render({ messages, tools, ...special, ...options }));
    } catch (error) {
      throw new Rejected(error.message, { cause: "template-raises" });
    }
    return { text, token_ids: tokenizer.encode(text, { add_special_tokens: false }).ids };
  }

  /** The engine alone: its clock is the request's, its variables are final, a parse error is a refusal like any other. */
  function render_template({ template, inputs, now, limits }) {
    if (limits) throw new Unsupported("takes no bounds");
    const { Template } = installed("@huggingface/jinja");
    let code = "invalid-template";
    try {
      if (!compiled.has(template)) compiled.set(template, new Template(template));
      code = "value";
      // A slice may cut a character in two; half a character is no JSON for others, so it is shown as U+FFFD.
      return { text: atTime(now, () => compiled.get(template).render(inputs)).toWellFormed() };
    } catch (error) {
      throw new Rejected(error.message, { cause: code });
    }
  }

  return { load, operations: { render, render_template } };
};
