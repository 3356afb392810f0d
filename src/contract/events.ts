/**
 * Events of `GET /v1/events`: an endless answer, `text/event-stream`, with hints at possible
 * changes. The published contract does not mention events. A client detects whether a deployment
 * has events, and works without them, too.
 */

import type { ChangeId, DirId, DocId } from "./ids.ts";

export const EVENT_STREAM = "text/event-stream";

/** Milliseconds without a byte after which a connection counts as dead. */
export const SILENCE_MS = 45_000;

// LIMIT: characters of the id of an event; a client sends an id in a header of its next request.
export const MAX_EVENT_ID_LENGTH = 256;

/**
 * Type of an event; clients ignore other types. `reset`: events since the id that was sent are no
 * longer known, or the access of the key changed, so the client must scan everything.
 */
export type EventType = "file" | "folder" | "reset";

/**
 * Kind of a change. `gone`: deleted, or no longer readable by this key; an event does not
 * distinguish the two.
 */
export type ChangeKind = "created" | "edited" | "moved" | "gone";

/**
 * Data of an event of type `file`. `path` and `lastChangeId` are the current values; undefined if
 * the file is gone.
 */
export type FileEvent = {
  readonly id: DocId;
  readonly change: ChangeKind;
  readonly path?: string;
  readonly lastChangeId?: ChangeId;
};

/** Data of an event of type `folder`, about the folder itself and not about its contents. */
export type FolderEvent = { readonly id: DirId; readonly change: ChangeKind; readonly path?: string };
