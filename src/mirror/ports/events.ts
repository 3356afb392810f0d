import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type { RemotePath } from "../../contract/path.ts";

/**
 * Events of the service. They are hints only, like those of the disk: they say where to look, never
 * what is true. One may be missing, doubled, late or wrong.
 */
export type EventHint =
  /** `path` and `changeId`: the service's present values; null if it does not say. */
  | {
      readonly kind: "file";
      readonly id: DocId;
      readonly path: RemotePath | null;
      readonly changeId: ChangeId | null;
      readonly gone: boolean;
    }
  | { readonly kind: "folder"; readonly id: DirId }
  /** Anything may have changed without a hint of its own. */
  | { readonly kind: "all" };

/**
 * State of the event stream: `listening`; `none`: this deployment has no events, or not for this
 * key; `broken`: the connection is lost, and will be made again.
 */
export type EventStreamState =
  | { readonly kind: "off" }
  | { readonly kind: "listening" }
  | { readonly kind: "none"; readonly why: string }
  | { readonly kind: "broken"; readonly why: string };

export interface EventListener {
  onHint(hint: EventHint): void;
  /** Not called for the initial state `off`. */
  onState(state: EventStreamState): void;
}

/** Listens to the service from `start` to `close`. */
export interface RemoteEvents {
  /** Never throws for anything that the service does. Call it once. */
  start(listener: EventListener): void;
  /** Ends it; no hint follows. */
  close(): Promise<void>;
}
