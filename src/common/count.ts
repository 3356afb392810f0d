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
