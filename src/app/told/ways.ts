import type { HoldReason, WayKind } from "../../model/hold.ts";

/** How a person may end what is open, in words: what a way is called, what it does, what it did. */

type WayWords = { readonly label: string; readonly does: string };

const IN_CONFLICT: Readonly<Record<WayKind, WayWords>> = {
  mine: { label: "Take mine", does: "the text of this folder stays, and goes up" },
  theirs: { label: "Take theirs", does: "the service's text takes the place of the file here" },
  merged: { label: "Save the result", does: "the text that you made of both takes the place of the file, and goes up" },
  keep: { label: "Keep it", does: "the text here stays, and goes up as a new document, with a new id" },
  delete: { label: "Delete it", does: "the file here goes to the trash" },
  recreate: {
    label: "Make it anew",
    does: "a new document is made where it is to be, with a new id, and the old one is deleted with its history there",
  },
};

const IN_HOLD: Readonly<Partial<Record<WayKind, WayWords>>> = {
  mine: { label: "Send mine again", does: "the text of this folder stays, and is tried, or submitted, again" },
  theirs: { label: "Take theirs", does: "the edit that is here is dropped for the service's text, as it is then" },
};

const RENAMED: Readonly<Partial<Record<WayKind, WayWords>>> = {
  keep: { label: "Keep it", does: "the service's text comes back under the old name; the renamed file stays as it is" },
  delete: { label: "Delete it there", does: "the document is deleted on the service; the renamed file stays as it is" },
};

/** @param reason of the hold; null: a conflict is open, or a review */
export function wayWords(kind: WayKind, isConflict: boolean, reason: HoldReason | null): WayWords {
  const special = reason === "renamed-out-of-mirror" ? RENAMED : isConflict ? {} : IN_HOLD;
  return special[kind] ?? IN_CONFLICT[kind];
}

/** What was done, as a clause. */
export const WAY_ENDS: Readonly<Record<WayKind, string>> = {
  mine: "mine was taken",
  theirs: "theirs was taken",
  merged: "the result was saved",
  keep: "it is kept",
  delete: "it was let go",
  recreate: "it was made anew",
};
