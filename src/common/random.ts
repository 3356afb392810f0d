export interface Random {
  /** Returns a random number from 0 to 1, without 1. Used to spread waits; not safe for secrets. */
  fraction(): number;
  /** Returns a string of `digits` random hex digits in lower case. */
  hex(digits: number): string;
}
