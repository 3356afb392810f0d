/** HTML from a template. The template escapes each value that is not itself `Html`. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value for a template. Null and false show nothing. A list shows its members in order. */
export type HtmlValue = Html | string | number | null | false | readonly HtmlValue[];

/**
 * Makes HTML from a template. Values are escaped for the text between tags and for quoted
 * attributes. A value must not be a tag name or an unquoted attribute, or be inside a script or a
 * style.
 */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.reduce((text, part, i) => `${text}${renderValue(values[i - 1]!)}${part}`));
}

function renderValue(value: HtmlValue): string {
  if (value === null || value === false) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(renderValue).join("");
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
