import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type { RemotePath } from "../../contract/path.ts";

/**
 * What the service says of itself. Hints only, as those of the disk are: they tell where to look,
 * never what is there. One may be missing, doubled, late, or a lie.
 */
export type NewsHint =
  /** `path` and `changeId`: as the service says they are now; null where it does not say. */
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
 * Whether changes are told: `listening`; `none`: this deployment has no events, or not for this
 * key; `broken`: the connection is lost, and will be made again.
 */
export type NewsState =
  | { readonly kind: "off" }
  | { readonly kind: "listening" }
  | { readonly kind: "none"; readonly why: string }
  | { readonly kind: "broken"; readonly why: string };

export interface NewsListener {
  onHint(hint: NewsHint): void;
  /** Not called for the state `off`, in which it begins. */
  onState(state: NewsState): void;
}

/** Listens to the service for as long as it is started. */
export interface RemoteNews {
  /** Never throws for what the other side does. Call it once. */
  start(listener: NewsListener): void;
  /** Ends it; nothing is told after. */
  close(): Promise<void>;
}
