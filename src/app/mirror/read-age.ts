const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A length of time as people write it: `90s`, `15m`, `6h`, `2d`. @returns milliseconds, or null for
 * what is no time
 */
export function readAge(text: string): number | null {
  const match = /^(\d{1,6})([smhd])$/.exec(text);
  return match === null ? null : Number(match[1]) * UNITS[match[2]!]!;
}
