/** Returns the content of write n: some kilobytes with n on each line. */
export function textOf(n: number): string {
  return `write ${n}\n`.repeat(500);
}
