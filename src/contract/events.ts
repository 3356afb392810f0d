/**
 * Events of `GET /v1/events`. Each event is a hint that something may have changed, never evidence.
 * The published contract does not mention events, so a client also works with a service that has
 * none.
 */

import type { ChangeId, DirId, DocId } from "./ids.ts";

export const EVENT_STREAM = "text/event-stream";

/** Milliseconds without any data after which a client treats the connection as lost. */
export const SILENCE_MS = 45_000;

// LIMIT: in characters, because a client that reconnects sends the id of its last event in a
// header.
export const MAX_EVENT_ID_LENGTH = 256;

/**
 * Type of an event; clients ignore types that they do not know. `reset`: the client must scan
 * everything, because its last event is no longer stored, or because the access of its key changed.
 */
export type EventType = "file" | "folder" | "reset";

/** `gone`: deleted, or no longer readable with the key of the client. */
export type ChangeKind = "created" | "edited" | "moved" | "gone";

/** Data of an event about a file; without `path` and `lastChangeId` if the file is gone. */
export type FileEvent = {
  readonly id: DocId;
  readonly change: ChangeKind;
  readonly path?: string;
  readonly lastChangeId?: ChangeId;
};

/** Data of an event about a folder itself, not about its contents. */
export type FolderEvent = { readonly id: DirId; readonly change: ChangeKind; readonly path?: string };
