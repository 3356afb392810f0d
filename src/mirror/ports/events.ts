import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type { RemotePath } from "../../contract/path.ts";

/**
 * Events of the service. Events are only hints, like those of the disk: they say which paths to
 * scan, not what changed. An event may be missing, doubled, late or wrong.
 */
export type EventHint =
  /**
   * Hint about one document. `path` and `changeId`: the service's current values; null if the event
   * has none.
   */
  | {
      readonly kind: "file";
      readonly id: DocId;
      readonly path: RemotePath | null;
      readonly changeId: ChangeId | null;
      readonly gone: boolean;
    }
  | { readonly kind: "folder"; readonly id: DirId }
  /** Anything may have changed, without separate hints. */
  | { readonly kind: "all" };

/**
 * State of the event stream. `off`: not started; `listening`; `none`: this deployment has no
 * events, or none for this key; `broken`: the connection is lost, and the client will connect
 * again.
 */
export type EventStreamState =
  | { readonly kind: "off" }
  | { readonly kind: "listening" }
  | { readonly kind: "none"; readonly why: string }
  | { readonly kind: "broken"; readonly why: string };

export interface EventListener {
  onHint(hint: EventHint): void;
  /** Called for each new state, but not for the initial state `off`. */
  onState(state: EventStreamState): void;
}

/** Listens to the service from `start` to `close`. */
export interface RemoteEvents {
  /** Starts listening. Never throws, even on unreadable answers of the service. Called once. */
  start(listener: EventListener): void;
  /** Stops listening. No hint follows afterwards. */
  close(): Promise<void>;
}
