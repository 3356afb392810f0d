export interface Random {
  /**
   * Returns a random number from 0 up to, but not including, 1. Used to spread waiting times, never
   * for secrets.
   */
  fraction(): number;
  /** Returns a string of `digits` random hex digits in lower case. */
  hex(digits: number): string;
}
