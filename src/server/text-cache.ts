/** LIMIT: characters held, some 32 to 64 MB: the live texts of a workspace of 40,000 notes. */
const HELD_CHARACTERS = 32 * 1024 * 1024;

/**
 * Texts of changes, by id; a change never gets another text, so nothing here is ever out of date.
 * For what reads many texts over and over: a regex without a literal reads every one.
 * @param load reads a text that is not held
 */
export function textCache(load: (changeId: string) => string): (changeId: string) => string {
  const texts = new Map<string, string>();
  let held = 0;
  return (changeId) => {
    const known = texts.get(changeId);
    if (known !== undefined) return known;
    const text = load(changeId);
    texts.set(changeId, text);
    held += text.length;
    // The oldest first: a Map keeps the order of insertion.
    for (const [id, old] of texts) {
      if (held <= HELD_CHARACTERS) break;
      texts.delete(id);
      held -= old.length;
    }
    return text;
  };
}
