import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type { RemotePath } from "../../contract/path.ts";

/**
 * Hint from the service's event stream: says only what to look at, not what changed. A hint may be
 * missing, repeated, late or wrong.
 */
export type EventHint =
  /**
   * One document may have changed. Path and change id are the service's at that time; null if the
   * event lacks them.
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
 * - `none`: the deployment has no events, or none for this key
 * - `broken`: the connection was lost, and the client tries to connect again
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
  /** Starts to listen, once. Never throws, even if the service's answers are unreadable. */
  start(listener: EventListener): void;
  close(): Promise<void>;
}
