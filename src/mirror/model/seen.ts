import type { LocalPath } from "../../contract/path.ts";

/**
 * Observation of a file or document by a scan or a list. `unknown` never means "deleted". It means
 * that the list was incomplete, a read failed, or the file is still being written.
 */
export type Observation<T> =
  | { readonly kind: "present"; readonly value: T }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown"; readonly unread: Unread };

/**
 * Why a file or folder on disk is unknown. `kind`: reason of the resulting block. `why`: clause for
 * messages. `isMirror`: true if the path is itself a linked folder.
 */
export type Unread = {
  readonly kind: "still-being-written" | "local-unreadable" | "ambiguous-file";
  readonly why: string;
  readonly isMirror?: true;
};

/** Reason for a file that the plan leaves out until the file has not changed for a while. */
export const STILL_WRITTEN_REASON: Unread = { kind: "still-being-written", why: "still-being-written" };

/**
 * Reason for a folder that is itself a linked folder: mdmirror neither reads it nor writes to it.
 */
export const LINKED_FOLDER_INSIDE: Unread = {
  kind: "local-unreadable",
  why: "it is a linked folder itself, so the linked folder around it does not sync it: move it out, or unlink it",
  isMirror: true,
};

export function makeUnreadable(why: string): Unread {
  return { kind: "local-unreadable", why };
}

/** LIMIT: number of paths in a message, so that the message stays short. */
const MAX_LISTED_FILES = 4;

/**
 * Returns the reason for blocking a document, if any of the files at these paths may be its own.
 */
export function makeAmbiguousFile(paths: readonly LocalPath[]): Unread {
  const quotedPaths = paths.slice(0, MAX_LISTED_FILES).map((path) => JSON.stringify(path));
  const unlistedCount = paths.length - quotedPaths.length;
  const fileList =
    unlistedCount === 0
      ? `${quotedPaths.slice(0, -1).join(", ")} or ${quotedPaths.at(-1)}`
      : `${quotedPaths.join(", ")} or ${unlistedCount} more`;
  return { kind: "ambiguous-file", why: `its file may be ${fileList}; mdmirror cannot decide which` };
}

export const ABSENT = { kind: "absent" } as const;

export function makePresent<T>(value: T): Observation<T> {
  return { kind: "present", value };
}

export function makeUnknown<T>(unread: Unread): Observation<T> {
  return { kind: "unknown", unread };
}
