/**
 * The form of content: line ends, byte order mark and final newline. Deployments and editors may
 * change the form without changing a word.
 */

export function isBlank(text: string): boolean {
  return text.trim() === "";
}

export function sameExceptTextForm(a: string, b: string): boolean {
  return a === b || toNormalForm(a) === toNormalForm(b);
}

/** Forms of content that some services change. `plain`: content without any of the other forms. */
type TextForm = "plain" | "carriage-return" | "byte-order-mark" | "no-final-newline" | "not-nfc";

/**
 * Number of contents with each form that were read back exactly as sent. The number is 0 after the
 * service has changed such content. A form that was never sent is missing.
 */
export type KeptForms = Readonly<Partial<Record<TextForm, number>>>;

/**
 * Number of contents with each form that must be read back unchanged before mdmirror assumes that
 * the service keeps the form. For an unusual form, one content is enough, because a service that
 * changes such a form changes it always. Plain contents need more, because a service may change
 * plain content for other reasons.
 */
const NEEDED_READ_BACKS: Readonly<Record<TextForm, number>> = {
  plain: 3,
  "carriage-return": 1,
  "byte-order-mark": 1,
  "no-final-newline": 1,
  "not-nfc": 1,
};

/** Matches characters that NFC may change or combine. NFC keeps all characters below U+0300. */
const MAY_CHANGE_IN_NFC = /[^\0-\u02ff]/;

/**
 * Lists unusual forms: carriage returns, a byte order mark, no final newline, or characters that
 * are not in NFC.
 */
function listUnusualForms(text: string): TextForm[] {
  const forms: TextForm[] = [];
  if (text.includes("\r")) forms.push("carriage-return");
  if (text.startsWith("\ufeff")) forms.push("byte-order-mark");
  if (text !== "" && !text.endsWith("\n")) forms.push("no-final-newline");
  // The regular expression is fast and comes first, because most content has no such character.
  if (MAY_CHANGE_IN_NFC.test(text) && text.normalize("NFC") !== text) forms.push("not-nfc");
  return forms;
}

/**
 * Returns how many more plain contents must be read back unchanged before mdmirror assumes that the
 * service keeps plain content.
 */
export function readBacksLeft(kept: KeptForms): number {
  return NEEDED_READ_BACKS.plain - (kept.plain ?? 0);
}

/** Returns true if content has an unusual form that the service may change. */
export function mayBeNormalised(text: string, kept: KeptForms): boolean {
  return listUnusualForms(text).some((form) => (kept[form] ?? 0) < NEEDED_READ_BACKS[form]);
}

/**
 * Returns the counts after content was sent and read back. Returns `kept` itself if no count
 * changed.
 * @param isSame true if the service returned the content exactly as sent
 */
export function learnForms(kept: KeptForms, sent: string, isSame: boolean): KeptForms {
  const unusualForms = listUnusualForms(sent);
  // If the service changed content with unusual forms, mdmirror assumes that these forms are the
  // cause.
  const testedForms: readonly TextForm[] =
    isSame || unusualForms.length === 0 ? ["plain", ...unusualForms] : unusualForms;
  const updatedForms = { ...kept };
  for (const form of testedForms)
    updatedForms[form] = isSame ? Math.min(NEEDED_READ_BACKS[form], (kept[form] ?? 0) + 1) : 0;
  return testedForms.every((form) => updatedForms[form] === kept[form]) ? kept : updatedForms;
}

function toNormalForm(text: string): string {
  const lines = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  return lines.endsWith("\n") ? lines.slice(0, -1) : lines;
}
