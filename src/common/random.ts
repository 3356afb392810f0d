export interface Random {
  /** [0, 1) */
  fraction(): number;
  /** `n` lower-case hex digits. */
  hex(n: number): string;
}
