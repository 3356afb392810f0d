/**
 * Events of `GET /v1/events`: an endless answer of the type `text/event-stream`. Each event is a
 * hint that something may have changed. The published contract does not mention events. A client
 * finds out whether a deployment has events, and also works without them.
 */

import type { ChangeId, DirId, DocId } from "./ids.ts";

export const EVENT_STREAM = "text/event-stream";

/** Milliseconds without any data after which a client treats the connection as lost. */
export const SILENCE_MS = 45_000;

// LIMIT: number of characters of an event id, because a client sends the last id in a header when
// it reconnects.
export const MAX_EVENT_ID_LENGTH = 256;

/**
 * Type of an event; clients ignore other types. `reset` means that the client must scan everything:
 * either the events after the id that it sent are no longer known, or the access of its key
 * changed.
 */
export type EventType = "file" | "folder" | "reset";

/** Kind of a change. `gone`: deleted, or no longer readable by this key. */
export type ChangeKind = "created" | "edited" | "moved" | "gone";

/** Data of an event about a file. If the file is gone, there is no `path` or `lastChangeId`. */
export type FileEvent = {
  readonly id: DocId;
  readonly change: ChangeKind;
  readonly path?: string;
  readonly lastChangeId?: ChangeId;
};

/** Data of an event about a folder. It concerns the folder itself, and not its contents. */
export type FolderEvent = { readonly id: DirId; readonly change: ChangeKind; readonly path?: string };
