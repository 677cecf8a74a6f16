// transformers.js: apply_chat_template of the tokenizer that it chooses for the folder of a row, with the row's template.
import { basename, dirname } from "node:path";

export default ({ installed, atTime, Unsupported, Rejected }) => {
  const rows = new Map();

  /** The folder is named as the models of a user's own disk are: below a place, and nothing is fetched. */
  async function load({ model, assets }) {
    const { AutoTokenizer, env } = installed("@huggingface/transformers");
    if (!assets.chat_template) throw new Unsupported("the row has no chat template");
    Object.assign(env, { allowRemoteModels: false, localModelPath: dirname(assets.directory), useFSCache: false });
    const tokenizer = await AutoTokenizer.from_pretrained(basename(assets.directory));
    if (rows.size > 1) rows.delete(rows.keys().next().value); // two stay loaded (ADP-022)
    rows.set(model, { tokenizer, template: assets.chat_template });
  }

  /** The template's own strftime_now asks for the time; it gets the one of the request. */
  function render({ model, messages, tools, options, now }) {
    const { tokenizer, template } = rows.get(model);
    if (options.continue_final_message) throw new Unsupported("no continue_final_message");
    const told = { chat_template: template, tools, return_tensor: false, return_dict: false, ...options };
    const written = (more) => tokenizer.apply_chat_template(messages, { ...told, ...more });
    try {
      const [text, token_ids] = atTime(now, () => [written({ tokenize: false }), written({ tokenize: true })]);
      return { text, token_ids };
    } catch (error) {
      throw new Rejected(error.message, { cause: "template-raises" });
    }
  }

  return { load, operations: { render } };
};
