/**
 * Databases in memory of rigs, and daemons, that a test opened. SQLite's memory is invisible to V8,
 * which would collect it only once two gigabytes have come together. The last is closed first.
 */
let opened: (() => void | Promise<void>)[] | null = null;

/** Closes it when the test has ended. What is opened outside of a test, for several, stays open. */
export function closeWithTest(close: () => void | Promise<void>): void {
  opened?.push(close);
}

export function beginTest(): void {
  opened = [];
}

export async function endTest(): Promise<void> {
  for (const close of (opened ?? []).toReversed()) await close();
  opened = null;
}
