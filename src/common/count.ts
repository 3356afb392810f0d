/** Formats numbers for users. */

/** Formats a number: `12345` becomes `12,345`. */
export function count(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Formats a number with its noun: `1 step`, `2 steps`. */
export function plural(n: number, noun: string): string {
  return `${count(n)} ${noun}${n === 1 ? "" : "s"}`;
}
