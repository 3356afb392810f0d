import type { ChangeId, DirId, DocId } from "./ids.ts";

/**
 * What `GET /v1/events` tells: an answer without an end, `text/event-stream`, of hints at what may
 * have changed. The published contract says nothing of events, so a client finds out whether a
 * deployment has them, and works without.
 */

export const EVENT_STREAM = "text/event-stream";

/** After so long without a byte the connection is dead. */
export const SILENCE_MS = 45_000;

// LIMIT: an id goes into a header of a request, as a cursor into its first line.
export const MAX_EVENT_ID_LENGTH = 256;

/**
 * The `event` of a block; one of another type is passed over. `reset`: what happened since the id
 * that was sent is not known any more, or what the key may read changed: look at everything.
 */
export type EventType = "file" | "folder" | "reset";

/** `gone`: deleted, or no longer readable by this key; an event never says which. */
export type ChangeKind = "created" | "edited" | "moved" | "gone";

/** The `data` of a `file`. `path` and `lastChangeId`: as they are now; left out when it is gone. */
export type FileEvent = {
  readonly id: DocId;
  readonly change: ChangeKind;
  readonly path?: string;
  readonly lastChangeId?: ChangeId;
};

/** The `data` of a `folder`: of the folder itself, not of what is in it. */
export type FolderEvent = { readonly id: DirId; readonly change: ChangeKind; readonly path?: string };
