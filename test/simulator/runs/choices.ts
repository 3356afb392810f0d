/**
 * Chooses an item by a seed. The choice stays the same while other items are added or removed, so
 * that a shrunk script keeps its meaning.
 */
export function choose<T extends string>(items: readonly T[], seed: number): T | null {
  let best: T | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const item of items) {
    let hash = Math.imul(seed + 1, 0x9e3779b1);
    for (let i = 0; i < item.length; i++) hash = Math.imul(hash ^ item.charCodeAt(i), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
    const rank = (hash ^ (hash >>> 13)) >>> 0;
    if (rank < least) [best, least] = [item, rank];
  }
  return best;
}

/** Names that users choose: few, so that different documents often want the same one. */
const NAMES = ["plan.md", "ideas.md", "log.md", "todo.md", "x.md", "Plan.md", "caf\u00e9.md"];
const FOLDERS = ["", "", "work", "home", "work/deep", "box-1"];

export function nameIn(seed: number): string {
  return NAMES[seed % NAMES.length]!;
}

function somePath(seed: number): string {
  const folder = FOLDERS[Math.floor(seed / 7) % FOLDERS.length]!;
  return folder === "" ? nameIn(seed) : `${folder}/${nameIn(seed)}`;
}

/** Returns the first free path, beginning at the seed's. */
export function freePath(seed: number, taken: (path: string) => boolean): string {
  for (let n = 0; n < 40; n++) {
    const path = somePath(seed + n * 5);
    if (!taken(path)) return path;
  }
  return `home/note-${seed}.md`;
}

export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

export function parentIn(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

export function joined(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}
