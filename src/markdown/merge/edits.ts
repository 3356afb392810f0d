import type { Edit } from "./diff.ts";

/**
 * Returns, for each element of the first sequence, its index in the second sequence; -1 if an edit
 * removed the element.
 * @param length length of the first sequence
 */
export function findCounterparts(length: number, edits: readonly Edit[]): Int32Array {
  const indexes = new Int32Array(length).fill(-1);
  let shift = 0;
  let index = 0;
  for (const edit of edits) {
    for (; index < edit.start; index++) indexes[index] = index + shift;
    index = edit.end;
    shift = edit.to - edit.end;
  }
  for (; index < length; index++) indexes[index] = index + shift;
  return indexes;
}

export function reverseEdit({ start, end, from, to }: Edit): Edit {
  return { start: from, end: to, from: start, to: end };
}

/**
 * Returns the edits that overlap or touch the elements [from, to) of the first sequence. If `from`
 * is `to`, returns the edits at that position.
 */
export function findTouchingEdits(edits: readonly Edit[], from: number, to: number): readonly Edit[] {
  const firstTouchingIndex = findFirstEditIndex(edits, (edit) => edit.end >= from);
  let endIndex = firstTouchingIndex;
  while (endIndex < edits.length && (edits[endIndex] as Edit).start <= to) endIndex++;
  return firstTouchingIndex === 0 && endIndex === edits.length ? edits : edits.slice(firstTouchingIndex, endIndex);
}

/**
 * Returns the index of the first edit that passes a test; the number of edits if no edit does. All
 * later edits must pass the test, too, because the function uses binary search.
 */
export function findFirstEditIndex(edits: readonly Edit[], test: (edit: Edit) => boolean): number {
  let [low, high] = [0, edits.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(edits[middle] as Edit)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export type ElementRange = { readonly from: number; readonly to: number };

export type VersionRanges = {
  readonly base: ElementRange;
  readonly local: ElementRange;
  readonly remote: ElementRange;
};

export type SideEdits = { readonly local: readonly Edit[]; readonly remote: readonly Edit[] };

/**
 * Ranges and edits of one part of three versions. If a side has no edits, the range of the side
 * equals the range of base.
 */
export type MergePart = VersionRanges & { readonly edits: SideEdits };

export type MergeSide = "local" | "remote";

/**
 * Function that returns true if two edits of different sides overlap or influence each other. Such
 * edits must be merged together.
 * @param earlierSide side that made the earlier edit
 */
export type RelatedEditsTest = (earlier: Edit, earlierSide: MergeSide, later: Edit) => boolean;

export function doOverlap(earlier: Edit, later: Edit): boolean {
  if (later.start < earlier.end) return true;
  return earlier.start === later.start && earlier.end === later.end;
}

export function isReplacement(edit: Edit): boolean {
  return edit.start < edit.end && edit.from < edit.to;
}

/** Edits that affect elements [start, end) of base, and must be merged together. */
type EditGroup = { start: number; end: number; readonly local: Edit[]; readonly remote: Edit[] };

/**
 * Groups edits that must be merged together. An edit that is independent of the other side becomes
 * a group alone.
 */
function groupEdits({ local, remote }: SideEdits, meets: RelatedEditsTest): EditGroup[] {
  const queue = [
    ...local.map((edit) => ({ edit, side: "local" as MergeSide })),
    ...remote.map((edit) => ({ edit, side: "remote" as MergeSide })),
  ].sort((x, y) => x.edit.start - y.edit.start || x.edit.end - y.edit.end);
  const groups: EditGroup[] = [];
  for (const { edit, side } of queue) {
    const lastGroup = groups.at(-1);
    const otherSide = side === "local" ? "remote" : "local";
    if (
      lastGroup !== undefined &&
      (edit.start < lastGroup.end || lastGroup[otherSide].some((one) => meets(one, otherSide, edit)))
    ) {
      lastGroup[side].push(edit);
      lastGroup.end = Math.max(lastGroup.end, edit.end);
    } else groups.push({ start: edit.start, end: edit.end, local: [], remote: [], [side]: [edit] });
  }
  return groups;
}

/**
 * Splits three versions into parts, in order. Each group of edits that must be merged together is a
 * part, and so are the unchanged elements between two groups.
 * @param ranges the ranges that are split; all edits must be in them
 */
export function splitIntoParts(ranges: VersionRanges, edits: SideEdits, meets: RelatedEditsTest): MergePart[] {
  const parts: MergePart[] = [];
  let [base, local, remote] = [ranges.base.from, ranges.local.from, ranges.remote.from];
  const addPart = (end: number, found: SideEdits): void => {
    const localEnd = toSideIndex(found.local, end, local - base);
    const remoteEnd = toSideIndex(found.remote, end, remote - base);
    parts.push({
      base: { from: base, to: end },
      local: { from: local, to: localEnd },
      remote: { from: remote, to: remoteEnd },
      edits: found,
    });
    [base, local, remote] = [end, localEnd, remoteEnd];
  };
  for (const editGroup of groupEdits(edits, meets)) {
    if (base < editGroup.start) addPart(editGroup.start, NO_EDITS);
    addPart(editGroup.end, editGroup);
  }
  if (base < ranges.base.to) addPart(ranges.base.to, NO_EDITS);
  return parts;
}

const NO_EDITS: SideEdits = { local: [], remote: [] };

/**
 * Returns the index in a side that corresponds to index `end` in base.
 * @param edits edits of this part, up to `end`
 * @param shift number of elements by which the side is longer than base, before these edits
 */
function toSideIndex(edits: readonly Edit[], end: number, shift: number): number {
  const lastEdit = edits.at(-1);
  return lastEdit === undefined ? end + shift : lastEdit.to + (end - lastEdit.end);
}

export function isUnchanged({ edits }: MergePart): boolean {
  return edits.local.length + edits.remote.length === 0;
}

export function isChangedByBoth({ edits }: MergePart): boolean {
  return edits.local.length > 0 && edits.remote.length > 0;
}
