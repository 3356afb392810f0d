export interface Random {
  /** Returns a number from 0 to 1, 1 excluded. Used to spread waits, never for secrets. */
  fraction(): number;
  /** Returns this number of lower-case hex digits. */
  hex(digits: number): string;
}
