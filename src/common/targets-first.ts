/**
 * Returns an order in which to create documents: each document comes after the documents to which
 * it links. If links form a circle, the link that closes the circle is ignored.
 * @param targetsOf for each document, the numbers of the documents to which it links
 * @param all numbers of the documents, in the preferred order
 * @returns position of each document in the order, by its number
 */
export function orderTargetsFirst(
  targetsOf: readonly (readonly number[])[],
  all: Iterable<number>,
): Map<number, number> {
  const position = new Map<number, number>();
  const visitedNumbers = new Set<number>();
  for (const first of all) {
    const path: { readonly index: number; next: number }[] = visitedNumbers.has(first)
      ? []
      : [{ index: first, next: 0 }];
    visitedNumbers.add(first);
    for (let next = path.at(-1); next !== undefined; next = path.at(-1)) {
      const target = targetsOf[next.index]![next.next++];
      if (target === undefined) {
        position.set(next.index, position.size);
        path.pop();
      } else if (!visitedNumbers.has(target)) {
        visitedNumbers.add(target);
        path.push({ index: target, next: 0 });
      }
    }
  }
  return position;
}
