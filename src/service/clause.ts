/**
 * Converts a sentence of the service (`The key is gone.`) to a clause of a message (`the key is
 * gone`).
 */
export function clauseOf(sentence: string): string {
  return sentence.replace(/\.$/, "").replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
}
