import type { State } from "../core/ports/state.ts";
import type { Db } from "./database.ts";
import { openEvents, openMeta, openRuns } from "./events.ts";
import { openHolds } from "./holds.ts";
import { openIntents, openVersions } from "./journal.ts";
import { openDirs, openLinks } from "./links.ts";
import { openConflicts, openTombstones } from "./records.ts";
import { openSubtrees } from "./subtree.ts";
import type { TextStore } from "./texts.ts";
import { transactions } from "./transactions.ts";

/** The port over two open files. Every statement is prepared here, once, and lives as long as the connection. */
export function stateOver(db: Db, texts: TextStore, close: () => void): State {
  const transact = transactions(db, texts);
  const links = openLinks(db);
  const dirs = openDirs(db);
  const tombstones = openTombstones(db);
  const conflicts = openConflicts(db);
  const holds = openHolds(db);
  const intents = openIntents(db);
  const versions = openVersions(db);
  const events = openEvents(db);
  const runs = openRuns(db);
  const meta = openMeta(db);
  const subtrees = openSubtrees(db, holds);
  return {
    transact,
    // One transaction: all five of one moment, also while another process writes.
    load: () =>
      transact(() => ({
        links: links.load(),
        dirs: dirs.load(),
        tombstones: tombstones.load(),
        conflicts: conflicts.load(),
        holds: holds.load(),
      })),
    link: links.get,
    putLink: links.put,
    removeLink: links.remove,
    putDir: dirs.put,
    removeDir: dirs.remove,
    moveSubtree(side, from, to) {
      if (from === "" || to === "") throw new RangeError("the root is not moved");
      transact(() => subtrees[side](from, to));
    },
    putTombstone: tombstones.put,
    removeTombstone: tombstones.remove,
    conflict: conflicts.get,
    putConflict: conflicts.put,
    removeConflict: conflicts.remove,
    putHold: holds.put,
    removeHold: holds.remove,
    replaceHolds: (wanted) => transact(() => holds.replace(wanted)),
    openIntent: intents.open,
    closeIntent: intents.close,
    turnIntent: (intentId, next) => transact(() => intents.turn(intentId, next)),
    intents: intents.all,
    putText: (text) => texts.put(text),
    putKnownText: (digest, text) => texts.putKnown(digest, text),
    text: (digest) => texts.get(digest),
    hasText: (digest) => texts.has(digest),
    addVersion: versions.add,
    versions: versions.of,
    isEarlier: versions.isEarlier,
    meta: meta.get,
    setMeta: meta.set,
    beginRun: runs.begin,
    endRun: runs.end,
    record: events.record,
    events: events.find,
    runs: runs.newest,
    deletionsSince: events.deletionsSince,
    close,
  };
}
