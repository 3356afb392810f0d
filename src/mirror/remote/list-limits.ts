export const LIST_LIMITS = {
  // LIMIT: pages of one list: ten million items at the documented page size, a million if pages
  // have 50.
  pages: 20_000,
  // LIMIT: pages in a row without a new item. The service leaves out items that the key may not
  // read, so many pages may be empty.
  barrenPages: 2_000,
  // LIMIT: items in memory, and below, the characters of their paths: a million items of 128
  // characters each.
  items: 1_000_000,
  characters: 128_000_000,
} as const;

/** Totals of all lists so far, to compare with the limits. */
export type ListTotals = { pages: number; items: number; characters: number };

export function zeroTotals(): ListTotals {
  return { pages: 0, items: 0, characters: 0 };
}

/** Returns why no further page may be requested, or null. */
export function overLimit({ pages, items, characters }: ListTotals): string | null {
  if (pages >= LIST_LIMITS.pages) return "the list does not end";
  return items >= LIST_LIMITS.items || characters >= LIST_LIMITS.characters ? "the list is too long" : null;
}

/** Returns true if one more page certainly stays within the limits. */
export function isFarFromLimit({ pages, items, characters }: ListTotals): boolean {
  return pages * 2 < LIST_LIMITS.pages && items * 2 < LIST_LIMITS.items && characters * 2 < LIST_LIMITS.characters;
}
