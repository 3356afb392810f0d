/** What the lines of a conflict that a tool wrote into a text begin with, in order. */
const MARKERS = ["<<<<<<< ", "=======", ">>>>>>> "];

/** Whether a text has a conflict in it that a tool wrote there and nobody has resolved yet. */
export function isUnresolved(text: string): boolean {
  let at = text.startsWith(MARKERS[0] as string) ? 0 : text.indexOf(`\n${MARKERS[0]}`);
  for (const marker of MARKERS.slice(1)) {
    if (at < 0) return false;
    at = text.indexOf(`\n${marker}`, at + 1);
  }
  return at >= 0;
}
