/**
 * Returns an order of creation, depth first: a document comes after the documents it links to,
 * except for links back to it.
 * @param wanted links of each document, by number
 * @returns the place of each number in the order
 */
export function targetsFirst(wanted: readonly (readonly number[])[], all: Iterable<number>): Map<number, number> {
  const place = new Map<number, number>();
  const begun = new Set<number>();
  for (const first of all) {
    const way: { readonly index: number; next: number }[] = begun.has(first) ? [] : [{ index: first, next: 0 }];
    begun.add(first);
    for (let next = way.at(-1); next !== undefined; next = way.at(-1)) {
      const target = wanted[next.index]![next.next++];
      if (target === undefined) {
        place.set(next.index, place.size);
        way.pop();
      } else if (!begun.has(target)) {
        begun.add(target);
        way.push({ index: target, next: 0 });
      }
    }
  }
  return place;
}
