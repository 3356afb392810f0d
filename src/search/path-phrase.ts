import { pathFieldsOf } from "./fields.ts";
import { indexedForm } from "./tokens.ts";

/**
 * Whether a path holds a phrase, in its name or its folders; `first`: its name begins with it.
 * @param phrase words as the index takes them, by spaces
 */
export function holdsPhrase(path: string, phrase: string): "first" | "within" | "not" {
  const { name, folders } = pathFieldsOf(path);
  const [inName, inFolders] = [name, folders].map((field) => ` ${indexedForm(field, () => undefined)} `);
  if (inName!.startsWith(` ${phrase} `)) return "first";
  return inName!.includes(` ${phrase} `) || inFolders!.includes(` ${phrase} `) ? "within" : "not";
}
