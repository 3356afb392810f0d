import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type { RemotePath } from "../../contract/path.ts";

/**
 * Hint from the service's event stream: a reason to look at a document or folder, but no evidence
 * of a change. A hint may be missing, repeated, late or wrong.
 */
export type EventHint =
  /**
   * One document may have changed. `path` and `changeId` are those on the service at the time of
   * the event; null if the event lacks them.
   */
  | {
      readonly kind: "file";
      readonly id: DocId;
      readonly path: RemotePath | null;
      readonly changeId: ChangeId | null;
      readonly gone: boolean;
    }
  | { readonly kind: "folder"; readonly id: DirId }
  | { readonly kind: "all" };

/**
 * State of the connection to the event stream.
 * - `off`: not started
 * - `listening`: connected
 * - `none`: the deployment sends no events, or none for this key; the client tries again after an
 *   hour
 * - `broken`: the connection was lost, or the service refused it for a time; the client tries again
 *   within minutes
 */
export type EventStreamState =
  | { readonly kind: "off" }
  | { readonly kind: "listening" }
  | { readonly kind: "none"; readonly why: string }
  | { readonly kind: "broken"; readonly why: string };

export interface EventListener {
  onHint(hint: EventHint): void;
  /** Called with each new state of the connection, but not with the first state, `off`. */
  onState(state: EventStreamState): void;
}

export interface RemoteEvents {
  /**
   * Starts to listen. May be called only once. Never throws, even if the service's answers cannot
   * be read.
   */
  start(listener: EventListener): void;
  close(): Promise<void>;
}
