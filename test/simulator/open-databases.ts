/**
 * Databases in memory and daemons that a test opened. They are closed after the test, because V8
 * does not count SQLite's memory and would free it only after two gigabytes. The last opened is
 * closed first.
 */
let opened: (() => void | Promise<void>)[] | null = null;

/**
 * Calls `close` when the test has ended. Outside of a test, nothing is closed, because several
 * tests may use it.
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
