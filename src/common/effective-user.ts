/** Returns the effective user id of this process; null on a system without user ids. */
export function effectiveUser(): number | null {
  return process.geteuid?.() ?? null;
}
