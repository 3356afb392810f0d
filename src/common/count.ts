/** Numbers in a readable form. */

/** `12345` → `12,345` */
export function count(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `1 step`, `2 steps` */
export function plural(n: number, noun: string): string {
  return `${count(n)} ${noun}${n === 1 ? "" : "s"}`;
}
