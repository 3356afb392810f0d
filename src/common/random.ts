export interface Random {
  /** Returns a number from 0 to 1, 1 excluded. It spreads waits, and is not a secret. */
  fraction(): number;
  /** Returns `n` lower-case hex digits. */
  hex(n: number): string;
}
