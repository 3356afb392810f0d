/**
 * Returns an order of creation in which a document comes after the documents that it links to. A
 * link that closes a circle does not count.
 * @param targetsOf numbers of the documents that each document links to
 * @param all numbers of the documents, in the preferred order
 * @returns the position of each number in the order
 */
export function targetsFirst(targetsOf: readonly (readonly number[])[], all: Iterable<number>): Map<number, number> {
  const position = new Map<number, number>();
  const visited = new Set<number>();
  for (const first of all) {
    const path: { readonly index: number; next: number }[] = visited.has(first) ? [] : [{ index: first, next: 0 }];
    visited.add(first);
    for (let next = path.at(-1); next !== undefined; next = path.at(-1)) {
      const target = targetsOf[next.index]![next.next++];
      if (target === undefined) {
        position.set(next.index, position.size);
        path.pop();
      } else if (!visited.has(target)) {
        visited.add(target);
        path.push({ index: target, next: 0 });
      }
    }
  }
  return position;
}
