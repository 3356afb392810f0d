/**
 * Events of `GET /v1/events`. An event is a hint that something may have changed, never evidence.
 * The published contract does not mention events, so a client must also work with a service without
 * events.
 */

import type { ChangeId, DirId, DocId } from "./ids.ts";

export const EVENT_STREAM = "text/event-stream";

/** Milliseconds without any data after which a client considers the connection lost. */
export const SILENCE_MS = 45_000;

// LIMIT: number of characters of an event's id. A client that connects again sends the id of its
// last event in a header.
export const MAX_EVENT_ID_LENGTH = 256;

/**
 * Type of an event. Clients ignore unknown types. `reset`: the client must scan everything, because
 * the service no longer stores the client's last event, or the access of the client's key has
 * changed.
 */
export type EventType = "file" | "folder" | "reset";

/**
 * Kind of a change of an item. `gone`: the item was deleted, or the client's key can no longer read
 * it.
 */
export type ChangeKind = "created" | "edited" | "moved" | "gone";

/** Data of an event about a file, without `path` and `lastChangeId` if the file is gone. */
export type FileEvent = {
  readonly id: DocId;
  readonly change: ChangeKind;
  readonly path?: string;
  readonly lastChangeId?: ChangeId;
};

/** Data of an event about a folder. A change of its contents is no change of the folder. */
export type FolderEvent = { readonly id: DirId; readonly change: ChangeKind; readonly path?: string };
