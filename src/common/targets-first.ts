/**
 * Returns an order of creation in which a document comes after the documents that it links to. A
 * link that closes a circle does not count.
 * @param targetsOf numbers of the documents that each document links to
 * @param all numbers of the documents, in the preferred order
 * @returns the position of each number in the order
 */
export function targetsFirst(targetsOf: readonly (readonly number[])[], all: Iterable<number>): Map<number, number> {
  const place = new Map<number, number>();
  const begun = new Set<number>();
  for (const first of all) {
    const way: { readonly index: number; next: number }[] = begun.has(first) ? [] : [{ index: first, next: 0 }];
    begun.add(first);
    for (let next = way.at(-1); next !== undefined; next = way.at(-1)) {
      const target = targetsOf[next.index]![next.next++];
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
