import type { FileFacts } from "./facts.ts";

/**
 * Groups of files that import each other in a circle, types too; what is loaded by a call closes
 * none.
 * @returns the paths of each group, sorted; the strongly connected components of two files or more,
 * and files that import themselves
 */
export function importCircles(files: readonly FileFacts[]): string[][] {
  const known = new Set(files.map(({ path }) => path));
  const next = new Map(
    files.map(({ path, imports }) => [
      path,
      imports.filter(({ target, isLazy }) => !isLazy && known.has(target)).map(({ target }) => target),
    ]),
  );
  const order = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  // Tarjan's algorithm. Import chains are some tens of files deep, so recursion is safe.
  const visit = (path: string): number => {
    order.set(path, order.size);
    let lowest = order.get(path)!;
    open.push(path);
    for (const target of next.get(path)!) {
      if (!order.has(target)) lowest = Math.min(lowest, visit(target));
      else if (open.includes(target)) lowest = Math.min(lowest, order.get(target)!);
    }
    if (lowest === order.get(path)) {
      const group = open.splice(open.indexOf(path));
      if (group.length > 1 || next.get(path)!.includes(path)) circles.push(group.sort());
    }
    return lowest;
  };
  for (const { path } of files) if (!order.has(path)) visit(path);
  return circles.sort((a, b) => (a[0]! < b[0]! ? -1 : 1));
}

/** @returns whether a name that a file exports is imported by any other file, tests too */
export function importedNames(files: readonly FileFacts[]): (path: string, name: string) => boolean {
  const taken = new Map<string, Set<string>>();
  for (const { imports } of files) {
    for (const { target, names } of imports) {
      const before = taken.get(target) ?? new Set();
      taken.set(target, before);
      for (const name of names === "all" ? ["*"] : names) before.add(name);
    }
  }
  return (path, name) => taken.get(path)?.has(name) === true || taken.get(path)?.has("*") === true;
}
