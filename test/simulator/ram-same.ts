import { deserialize } from "node:v8";
import type { Change, Inode, Kept } from "./ram-nodes.ts";

/**
 * A copy of a RAM disk in words: the same words, the same disk, with each inode's number and times,
 * the order of names, and what a power cut may undo.
 */
export function describeDisk(copy: Buffer): string {
  const kept = deserialize(copy) as Kept;
  const places = new Map<Inode, number>();
  const inodes: unknown[] = [];
  const place = (inode: Inode | null | undefined): number | null => {
    if (inode === null || inode === undefined) return null;
    const known = places.get(inode);
    if (known !== undefined) return known;
    const at = inodes.length;
    places.set(inode, at);
    inodes.push(null);
    const { bytes, synced, entries, parent, ...rest } = inode;
    const names = Array.from(entries, ([key, entry]) => [key, entry.name, place(entry.inode)]);
    inodes[at] = [rest, textOf(bytes), synced === null ? null : textOf(synced), names, place(parent)];
    return at;
  };
  const change = ({ folder, key, before, after }: Change): unknown => [
    place(folder),
    key,
    [before?.name, place(before?.inode)],
    [after?.name, place(after?.inode)],
  ];
  const { root, now, used, nextIno, freed, files, log } = kept;
  const whole = [place(root), now, used, nextIno, freed, [...files].map(place), log.map((step) => step.map(change))];
  return JSON.stringify([whole, inodes]);
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
