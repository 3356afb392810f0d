import type { Digest } from "../model/digest.ts";
import type { State } from "../ports/state.ts";
import type { Clock } from "../ports/world.ts";
import type { BaseTree } from "../model/tree.ts";
import { examineBase, openBaseTables, readBase } from "./base.ts";
import type { DatabaseFault, Db } from "./database.ts";
import { openEvents, openRuns } from "./events.ts";
import { openVersions } from "./journal.ts";
import { openMembers, openSubtrees } from "./subtree.ts";
import { openNamedTexts } from "./named.ts";
import type { PackAside } from "./pack-aside.ts";
import { openRetention, type Pruned, type Retention } from "./retention.ts";
import { TextStore } from "./texts.ts";
import { transactions } from "./transactions.ts";

/** What the adapter offers beyond the port. */
export type StoredState = State & {
  /**
   * For the opening: reads all that a pass goes by, and looks for rows that cannot be. null: sound.
   */
  examine(): Extract<DatabaseFault, { kind: "damaged" }> | null;
  /** See `openRetention`: run to its end, a step at a time, once a day or so. */
  prune(now: number, retention: Retention): Generator<void, Pruned>;
  /**
   * Bases and local texts that links name and the text store does not hold as they were (`texts.db`
   * was lost, or damaged in a text).
   */
  missingTexts(): Digest[];
  /** Of every text in the store. LIMIT: all of them in memory. */
  digests(): Digest[];
};

/** Every statement is prepared here, once, and lives as long as the connection. */
function openTables(db: Db) {
  const base = openBaseTables(db);
  return {
    ...base,
    versions: openVersions(db),
    events: openEvents(db),
    runs: openRuns(db),
    subtrees: openSubtrees(db, base.holds),
    members: openMembers(db),
    named: openNamedTexts(db),
  };
}

/**
 * The port over two open files.
 * @param onDamage told when the texts' file is found damaged in use
 * @param aside what packs texts ahead; closed with it
 */
export function stateOver(
  db: Db,
  textsDb: Db,
  clock: Clock,
  close: () => void,
  onDamage: () => void = () => undefined,
  aside: PackAside | null = null,
): StoredState {
  const texts = new TextStore(textsDb, clock, onDamage, aside);
  const transact = transactions(db, texts);
  const tables = openTables(db);
  const { links, dirs, tombstones, conflicts, holds, intents, versions, events, runs, meta, subtrees, members, named } =
    tables;
  /**
   * What the opening has read: the first load need not read it again, unless something was written
   * since, here or by another process.
   */
  let examined: BaseTree | null = null;
  let seen: unknown;
  const version = db.prepare("PRAGMA data_version").pluck();
  const writing =
    <Args extends unknown[]>(write: (...args: Args) => void) =>
    (...args: Args): void => {
      examined = null;
      write(...args);
    };
  return {
    transact,
    load() {
      const known = version.get() === seen ? examined : null;
      examined = null;
      return known ?? transact(() => readBase(db, tables));
    },
    examine() {
      // ORDER: asked before: what is written while it is read is not in it.
      seen = version.get();
      const found = transact(() => examineBase(db, tables));
      examined = found.kind === "sound" ? found.base : null;
      return found.kind === "sound" ? null : found;
    },
    link: links.get,
    linksAt: links.at,
    hasInode: links.hasInode,
    putLink: writing(links.put),
    removeLink: writing(links.remove),
    setDurable: writing(links.setDurable),
    putDir: writing(dirs.put),
    removeDir: writing(dirs.remove),
    moveSubtree: writing((side, from, to) => {
      if (from === "" || to === "") throw new RangeError("the root is not moved");
      transact(() => subtrees[side](from, to));
    }),
    moveMembers: writing((side, from, to, within) => {
      if (from === "" || to === "" || within === "") throw new RangeError("the root is not moved");
      transact(() => members[side](from, to, within));
    }),
    dir: dirs.get,
    dirAt: dirs.at,
    putTombstone: writing(tombstones.put),
    removeTombstone: writing(tombstones.remove),
    conflict: conflicts.get,
    putConflict: writing(conflicts.put),
    removeConflict: writing(conflicts.remove),
    holds: () => [...holds.load().values()],
    putHold: writing(holds.put),
    removeHold: writing(holds.remove),
    replaceHolds: writing((wanted) => transact(() => holds.replace(wanted))),
    openIntent: intents.open,
    closeIntent: intents.close,
    turnIntent: (intentId, next) => transact(() => intents.turn(intentId, next)),
    intents: intents.all,
    putText: (text, name) => texts.put(text, name),
    putKnownText: (digest, text, name) => texts.putKnown(digest, text, name),
    prepareText: (digest, text) => texts.prepare(digest, text),
    text: (digest) => texts.get(digest),
    hasText: (digest) => texts.has(digest),
    secureTexts: () => texts.secure(),
    sightings: (wanted) => texts.sightings(wanted),
    digests: () => texts.digests(),
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
    close() {
      aside?.close();
      close();
    },
  };
}
