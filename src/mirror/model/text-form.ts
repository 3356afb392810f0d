/**
 * Compares the form of content: line ends, byte order mark and final newline. Deployments and
 * editors change the form without changing a word.
 */

/** Returns true if content is nothing but white space, line ends or a byte order mark. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** Returns true if two contents are equal except for their form. */
export function sameExceptTextForm(a: string, b: string): boolean {
  return a === b || normalForm(a) === normalForm(b);
}

/** Forms that some services were seen to change. `plain`: the form of every content. */
type TextForm = "plain" | "carriage-return" | "byte-order-mark" | "no-final-newline" | "not-nfc";

/**
 * For each form, the number of contents that were read back exactly as sent; 0 if the service
 * changed one. A form that was never sent has no entry.
 */
export type KeptForms = Readonly<Partial<Record<TextForm, number>>>;

/**
 * Number of contents of a form that must be read back unchanged before the form counts as kept. A
 * service that changes an odd form changes it in every content. It may change plain content for
 * other reasons, so plain content needs more.
 */
const NEEDED_READ_BACKS: Readonly<Record<TextForm, number>> = {
  plain: 3,
  "carriage-return": 1,
  "byte-order-mark": 1,
  "no-final-newline": 1,
  "not-nfc": 1,
};

/** Matches a character that NFC may change or join to another. NFC keeps all below U+0300. */
const MAY_CHANGE_IN_NFC = /[^\0-\u02ff]/;

/**
 * Returns the unusual forms that a content has: carriage returns, a byte order mark, no final
 * newline, or characters that are not in NFC.
 */
function oddForms(text: string): TextForm[] {
  const forms: TextForm[] = [];
  if (text.includes("\r")) forms.push("carriage-return");
  if (text.startsWith("\ufeff")) forms.push("byte-order-mark");
  if (text !== "" && !text.endsWith("\n")) forms.push("no-final-newline");
  // Searched first, because most content has no such character, and a search is much cheaper.
  if (MAY_CHANGE_IN_NFC.test(text) && text.normalize("NFC") !== text) forms.push("not-nfc");
  return forms;
}

/**
 * Returns how many contents in plain form must still be read back unchanged, before mdmirror
 * assumes that the service keeps that form.
 */
export function readBacksLeft(kept: KeptForms): number {
  return NEEDED_READ_BACKS.plain - (kept.plain ?? 0);
}

/** Returns true if content has a form that the service is not known to keep. */
export function mayBeNormalised(text: string, kept: KeptForms): boolean {
  return oddForms(text).some((form) => (kept[form] ?? 0) < NEEDED_READ_BACKS[form]);
}

/**
 * Updates the counts of kept forms after content was sent and read back.
 * @returns `kept` itself if nothing was learned
 */
export function learnForms(kept: KeptForms, sent: string, isSame: boolean): KeptForms {
  const odd = oddForms(sent);
  // A change is attributed to the odd forms of the content, if it has any.
  const testedForms: readonly TextForm[] = isSame || odd.length === 0 ? ["plain", ...odd] : odd;
  const updated = { ...kept };
  for (const form of testedForms) updated[form] = isSame ? Math.min(NEEDED_READ_BACKS[form], (kept[form] ?? 0) + 1) : 0;
  return testedForms.every((form) => updated[form] === kept[form]) ? kept : updated;
}

function normalForm(text: string): string {
  const lines = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  return lines.endsWith("\n") ? lines.slice(0, -1) : lines;
}
