/**
 * Databases in memory of rigs, and daemons, that a test opened. SQLite's memory is invisible to V8,
 * which would free it only after two gigabytes. The last is closed first.
 */
let opened: (() => void | Promise<void>)[] | null = null;

/**
 * Closes it when the test has ended. Anything opened outside a test, for several tests, stays open.
 */
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
