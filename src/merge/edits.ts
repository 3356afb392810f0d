import type { Edit } from "./myers.ts";

/**
 * For each element of the first sequence the index of its equal in the second; -1 where an edit
 * took it away.
 */
export function counterparts(length: number, edits: readonly Edit[]): Int32Array {
  const found = new Int32Array(length).fill(-1);
  let shift = 0;
  let at = 0;
  for (let next = 0; next < edits.length; next++) {
    const edit = edits[next] as Edit;
    for (; at < edit.start; at++) found[at] = at + shift;
    at = edit.end;
    shift = edit.to - edit.end;
  }
  for (; at < length; at++) found[at] = at + shift;
  return found;
}

/** An edit the other way round. */
export function reverse({ start, end, from, to }: Edit): Edit {
  return { start: from, end: to, from: start, to: end };
}
