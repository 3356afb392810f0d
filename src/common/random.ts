export interface Random {
  /** Returns a number from 0 to 1, 1 excluded. */
  fraction(): number;
  /** Returns `n` lower-case hex digits. */
  hex(n: number): string;
}
