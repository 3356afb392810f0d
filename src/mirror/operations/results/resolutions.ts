import type { BlockReason, ResolutionKind } from "../../model/block.ts";

type ResolutionWords = { readonly label: string; readonly does: string };

const CONFLICT_RESOLUTION_WORDS: Readonly<Record<ResolutionKind, ResolutionWords>> = {
  mine: { label: "Take mine", does: "keeps the local version and uploads it" },
  theirs: { label: "Take theirs", does: "replaces the local file by the version on the service" },
  merged: { label: "Save the result", does: "writes your merged version to the file and uploads it" },
  keep: { label: "Keep it", does: "keeps the local file and uploads it as a new document with a new id" },
  delete: { label: "Delete it", does: "moves the local file to the trash" },
  recreate: {
    label: "Create it again",
    does: "creates a new document at the new place, with a new id, and deletes the old one with its history on the service",
  },
};

const BLOCKED_WORDS: Readonly<Partial<Record<ResolutionKind, ResolutionWords>>> = {
  mine: { label: "Upload mine again", does: "keeps the local version and uploads or submits it again" },
  theirs: { label: "Take theirs", does: "drops the local edit and takes the version on the service" },
};

const RENAMED_WORDS: Readonly<Partial<Record<ResolutionKind, ResolutionWords>>> = {
  keep: {
    label: "Keep it",
    does: "restores the version on the service under the old name; the renamed file stays as it is",
  },
  delete: {
    label: "Delete it on the service",
    does: "deletes the document on the service; the renamed file stays as it is",
  },
};

/** @param reason reason of the block; null for an open conflict or a review */
export function describeResolution(
  kind: ResolutionKind,
  isConflict: boolean,
  reason: BlockReason | null,
): ResolutionWords {
  const specialWords = reason === "renamed-out-of-mirror" ? RENAMED_WORDS : isConflict ? {} : BLOCKED_WORDS;
  return specialWords[kind] ?? CONFLICT_RESOLUTION_WORDS[kind];
}
