/** Returns the id of the user that this process acts as; null on a system without user ids. */
export function effectiveUser(): number | null {
  return process.geteuid?.() ?? null;
}
