/** Formats an integer with separators: `12345` becomes `12,345`. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Formats a number with its noun: `1 step`, `2 steps`. */
export function plural(number: number, noun: string, many = `${noun}s`): string {
  return `${count(number)} ${number === 1 ? noun : many}`;
}

const BYTE_UNITS = ["bytes", "kB", "MB", "GB", "TB"] as const;

/** Formats a number of bytes: `812 bytes`, `4.2 kB`, `31 MB`. */
export function formatBytes(bytes: number): string {
  let unitIndex = 0;
  while (unitIndex < BYTE_UNITS.length - 1 && Math.round(bytes / 1_000 ** unitIndex) >= 1_000) unitIndex++;
  const size = bytes / 1_000 ** unitIndex;
  return `${unitIndex > 0 && size < 10 ? size.toFixed(1) : Math.round(size)} ${BYTE_UNITS[unitIndex]}`;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Reads a length of time that a user wrote: `90s`, `15m`, `6h`, `2d`.
 * @returns milliseconds; null if the string is not a length of time
 */
export function parseAge(text: string): number | null {
  const match = /^(\d{1,6})([smhd])$/.exec(text);
  return match === null ? null : Number(match[1]) * UNIT_MS[match[2]!]!;
}

/** Formats a length of time in its largest unit: `3 s`, `12 min`, `5 h`, `4 days`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}
