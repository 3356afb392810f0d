export interface Random {
  /** Returns a random number, at least 0 and below 1, to spread waits; not for secrets. */
  fraction(): number;
  /** Returns a string of `digits` random hex digits in lower case. */
  hex(digits: number): string;
}
