/**
 * Orders documents so that each document comes after the documents to which it links. In a circle
 * of links, the link that closes the circle is ignored. A document is identified by its index in
 * `targetsOf`. Returns the position of each document in the new order.
 * @param targetsOf for each document, the indexes of the documents to which it links
 * @param all indexes of all documents, in the preferred order
 */
export function orderTargetsFirst(
  targetsOf: readonly (readonly number[])[],
  all: Iterable<number>,
): Map<number, number> {
  const position = new Map<number, number>();
  const visitedNumbers = new Set<number>();
  for (const startNumber of all) {
    const path: { readonly index: number; next: number }[] = visitedNumbers.has(startNumber)
      ? []
      : [{ index: startNumber, next: 0 }];
    visitedNumbers.add(startNumber);
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
