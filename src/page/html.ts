/** HTML from templates. Every value of a template is escaped, unless it is `Html` itself. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Values for a template. Null and false show nothing; a list shows its members in order. */
export type Shown = Html | string | number | null | false | readonly Shown[];

/**
 * Makes HTML. A value may be between tags or in a quoted attribute, where the same escapes are
 * right; never in the name of a tag, an unquoted attribute, a script or a style.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Shown[]): Html {
  return new Html(parts.reduce((text, part, i) => `${text}${textOf(values[i - 1]!)}${part}`));
}

function textOf(value: Shown): string {
  if (value === null || value === false) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(textOf).join("");
  return escapeHtml(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
