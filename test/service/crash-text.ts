/** The text of write n: some kilobytes that tell n on each line. */
export function textOf(n: number): string {
  return `write ${n}\n`.repeat(500);
}
