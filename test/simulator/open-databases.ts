/**
 * The databases in memory of rigs that a test made: what SQLite holds V8 does not see, and collects
 * when two gigabytes of it have come together. They are closed when the test has ended.
 */
let opened: (() => void)[] | null = null;

/** What is made outside of a test, for several, stays open. */
export function closeWithTest(close: () => void): void {
  opened?.push(close);
}

export function beginTest(): void {
  opened = [];
}

export function endTest(): void {
  for (const close of opened ?? []) close();
  opened = null;
}
