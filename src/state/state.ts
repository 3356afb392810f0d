import type { Digest } from "../core/digest.ts";
import type { State } from "../core/ports/state.ts";
import type { Clock } from "../core/ports/world.ts";
import { type Db, keepPages } from "./database.ts";
import { openEvents, openMeta, openRuns } from "./events.ts";
import { openHolds } from "./holds.ts";
import { openIntents, openVersions } from "./journal.ts";
import { openDirs, openLinks } from "./links.ts";
import { openConflicts, openTombstones } from "./records.ts";
import { openMembers, openSubtrees } from "./subtree.ts";
import { openNamedTexts } from "./named.ts";
import { openRetention, type Pruned, type Retention } from "./retention.ts";
import { openSurvey, type Survey } from "./survey.ts";
import { TextStore } from "./texts.ts";
import { transactions } from "./transactions.ts";

/** What the adapter offers beyond the port. */
export type StoredState = State & {
  survey(): Survey;
  /** See `openRetention`: run to its end, a step at a time, once a day or so. */
  prune(now: number, retention: Retention): Generator<void, Pruned>;
  /** Bases and local texts that links name and the text store does not hold as they were (`texts.db` was lost, or damaged in a text). */
  missingTexts(): Digest[];
};

/** Every statement is prepared here, once, and lives as long as the connection. */
function openTables(db: Db) {
  const holds = openHolds(db);
  return {
    links: openLinks(db),
    dirs: openDirs(db),
    tombstones: openTombstones(db),
    conflicts: openConflicts(db),
    holds,
    intents: openIntents(db),
    versions: openVersions(db),
    events: openEvents(db),
    runs: openRuns(db),
    meta: openMeta(db),
    subtrees: openSubtrees(db, holds),
    members: openMembers(db),
    named: openNamedTexts(db),
    survey: openSurvey(db),
  };
}

/** The port over two open files. @param onDamage told when the texts' file is found damaged in use */
export function stateOver(
  db: Db,
  textsDb: Db,
  clock: Clock,
  close: () => void,
  onDamage: () => void = () => undefined,
): StoredState {
  const texts = new TextStore(textsDb, clock, onDamage);
  const transact = transactions(db, texts);
  const tables = openTables(db);
  const { links, dirs, tombstones, conflicts, holds, intents, versions, events, runs, meta, subtrees, members, named } =
    tables;
  return {
    transact,
    // One transaction: all five of one moment, also while another process writes.
    load() {
      keepPages(db, "few");
      const base = transact(() => ({
        links: links.load(),
        dirs: dirs.load(),
        tombstones: tombstones.load(),
        conflicts: conflicts.load(),
        holds: holds.load(),
      }));
      keepPages(db, "usual");
      return base;
    },
    link: links.get,
    linksAt: links.at,
    hasInode: links.hasInode,
    putLink: links.put,
    removeLink: links.remove,
    putDir: dirs.put,
    removeDir: dirs.remove,
    moveSubtree(side, from, to) {
      if (from === "" || to === "") throw new RangeError("the root is not moved");
      transact(() => subtrees[side](from, to));
    },
    moveMembers(side, from, to, within) {
      if (from === "" || to === "" || within === "") throw new RangeError("the root is not moved");
      transact(() => members[side](from, to, within));
    },
    dir: dirs.get,
    dirAt: dirs.at,
    putTombstone: tombstones.put,
    removeTombstone: tombstones.remove,
    conflict: conflicts.get,
    putConflict: conflicts.put,
    removeConflict: conflicts.remove,
    survey: () => transact(tables.survey),
    holds: () => [...holds.load().values()],
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
    secureTexts: () => texts.secure(),
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
    prune: openRetention(db, textsDb, texts, meta, named),
    missingTexts: () => named.bases().filter((digest) => !texts.isSound(digest)),
    close,
  };
}
