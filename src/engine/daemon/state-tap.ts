import type { DocId } from "../../contract/ids.ts";
import type { Link } from "../../model/link.ts";
import type { MirrorEvent, State } from "../../ports/state.ts";
import type { BaseTree } from "../../model/tree.ts";

/**
 * The state as the daemon's passes see it: what is recorded is told on, and what was loaded is kept
 * until something is written. A whole load of 10,000 links takes 25 ms, more than all else between
 * an edit and its PUT.
 */
export type StateTap = {
  readonly state: State;
  /** Somebody else wrote, through the state below: what was loaded is not believed any more. */
  forget(): void;
};

export function tapState(below: State, onRecord: (event: MirrorEvent) => void): StateTap {
  let loaded: BaseTree | null = null;
  /**
   * The links of `loaded`, where nobody else has them yet: only then may they be changed in place.
   */
  let own: Map<DocId, Link> | null = null;
  const forget = () => {
    loaded = null;
    own = null;
  };
  const note = (link: Link): void => {
    if (loaded === null) return;
    if (own === null) {
      own = new Map(loaded.links);
      loaded = { ...loaded, links: own };
    }
    own.set(link.id, link);
  };
  const writing = <Args extends unknown[], Result>(write: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      forget();
      return write(...args);
    };
  };
  const state: State = {
    ...below,
    transact(work) {
      try {
        return below.transact(work);
      } catch (error) {
        // Rolled back: what was noted of it here did not happen.
        forget();
        throw error;
      }
    },
    load() {
      loaded ??= below.load();
      own = null;
      return loaded;
    },
    putLink(link) {
      below.putLink(link);
      note(link);
    },
    setDurable(id, localPath) {
      below.setDurable(id, localPath);
      const link = loaded?.links.get(id);
      if (link?.localPath === localPath) note({ ...link, durable: true });
    },
    removeLink: writing(below.removeLink),
    putDir: writing(below.putDir),
    removeDir: writing(below.removeDir),
    moveSubtree: writing(below.moveSubtree),
    putTombstone: writing(below.putTombstone),
    removeTombstone: writing(below.removeTombstone),
    putConflict: writing(below.putConflict),
    removeConflict: writing(below.removeConflict),
    putHold: writing(below.putHold),
    removeHold: writing(below.removeHold),
    replaceHolds(holds) {
      if (holds.length > 0 || loaded === null || loaded.holds.size > 0) forget();
      below.replaceHolds(holds);
    },
    record(event) {
      below.record(event);
      onRecord(event);
    },
  };
  return { state, forget };
}
