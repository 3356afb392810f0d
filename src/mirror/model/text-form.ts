/**
 * The form of a text: line ends, byte order mark and final newline. Deployments and editors change
 * it without changing a word.
 */

/** Returns whether a text holds nothing but white space, line ends or a byte order mark. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** Whether two texts are the same but for their form. */
export function sameExceptTextForm(a: string, b: string): boolean {
  return a === b || undress(a) === undress(b);
}

/** Forms that deployments which normalise were seen to change. `plain`: what every text has. */
type TextForm = "plain" | "carriage-return" | "byte-order-mark" | "no-final-newline" | "not-nfc";

/**
 * How many texts of a form were read back just as they had been sent; 0: one was not. A form that
 * was never sent is left out.
 */
export type KeptForms = Readonly<Partial<Record<TextForm, number>>>;

/**
 * How many texts of a form must come back unchanged before it counts as kept. A service that
 * changes an odd form changes it in every text; a plain text may be changed for a reason that
 * nobody foresaw.
 */
const ENOUGH: Readonly<Record<TextForm, number>> = {
  plain: 3,
  "carriage-return": 1,
  "byte-order-mark": 1,
  "no-final-newline": 1,
  "not-nfc": 1,
};

/** The forms of a text beside the plain one. */
function oddForms(text: string): TextForm[] {
  const forms: TextForm[] = [];
  if (text.includes("\r")) forms.push("carriage-return");
  if (text.startsWith("\ufeff")) forms.push("byte-order-mark");
  if (text !== "" && !text.endsWith("\n")) forms.push("no-final-newline");
  if (text.normalize("NFC") !== text) forms.push("not-nfc");
  return forms;
}

/** How many plain texts must still be read back. */
export function plainsToRead(kept: KeptForms): number {
  return ENOUGH.plain - (kept.plain ?? 0);
}

/** Whether a text has a form of which it is not known that the service keeps it. */
export function mayBeNormalised(text: string, kept: KeptForms): boolean {
  return oddForms(text).some((form) => (kept[form] ?? 0) < ENOUGH[form]);
}

/** What is known of forms after a text was read back. @returns `kept` where that taught nothing */
export function learnForms(kept: KeptForms, sent: string, isSame: boolean): KeptForms {
  const odd = oddForms(sent);
  // A change is put down to the odd forms of the text, if it has any.
  const taught: readonly TextForm[] = isSame || odd.length === 0 ? ["plain", ...odd] : odd;
  const now = { ...kept };
  for (const form of taught) now[form] = isSame ? Math.min(ENOUGH[form], (kept[form] ?? 0) + 1) : 0;
  return taught.every((form) => now[form] === kept[form]) ? kept : now;
}

function undress(text: string): string {
  const lines = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  return lines.endsWith("\n") ? lines.slice(0, -1) : lines;
}
