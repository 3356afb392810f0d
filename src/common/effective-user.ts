/** Returns the id of the user as whom this process acts; null on a system without user ids. */
export function effectiveUser(): number | null {
  return process.geteuid?.() ?? null;
}
