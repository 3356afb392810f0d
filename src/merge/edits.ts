import type { Edit } from "./myers.ts";

/**
 * Edits with nothing but blank lines between them made one: blank lines look alike, so they may
 * pair the wrong lines, and one addition may look like two. Unless `all`, only additions are
 * joined.
 */
export function joinOverBlanks(edits: readonly Edit[], base: readonly string[], all: boolean): Edit[] {
  const joined: Edit[] = [];
  for (const edit of edits) {
    const last = joined.at(-1);
    const adds = edit.start === edit.end && last !== undefined && last.to - last.from > last.end - last.start;
    if (last !== undefined && (all || adds) && base.slice(last.end, edit.start).every((line) => line.trim() === "")) {
      joined[joined.length - 1] = { start: last.start, end: edit.end, from: last.from, to: edit.to };
    } else {
      joined.push(edit);
    }
  }
  return joined;
}

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

/**
 * Two scripts, one after the other, as one: from the first text, of `length` elements, to the last,
 * of `last` elements.
 */
export function compose(length: number, last: number, earlier: readonly Edit[], later: readonly Edit[]): Edit[] {
  const middle = length + earlier.reduce((sum, { start, end, from, to }) => sum + to - from - (end - start), 0);
  const [first, second] = [counterparts(length, earlier), counterparts(middle, later)];
  const edits: Edit[] = [];
  let start = 0;
  let from = 0;
  for (let at = 0; at <= length; at++) {
    const there = at === length ? last : (second[first[at] as number] ?? -1);
    if (there < 0) continue;
    if (start < at || from < there) edits.push({ start, end: at, from, to: there });
    start = at + 1;
    from = there + 1;
  }
  return edits;
}

/** An edit the other way round. */
export function reverse({ start, end, from, to }: Edit): Edit {
  return { start: from, end: to, from: start, to: end };
}
