import type { Digest } from "../model/digest.ts";
import type { LocalPath } from "../model/path.ts";
import type { EventSide, Sighting, State, TextName } from "../ports/state.ts";
import type { Db } from "./database.ts";
import type { DocId } from "../contract/ids.ts";

type SeenRow = [digest: Buffer, path: LocalPath, id: DocId | null, side: EventSide, why: string, at: number];

/**
 * Under which paths texts were stored, once for each text and path: the first time says what
 * brought it.
 */
export function openNames(db: Db) {
  const insert = db.prepare<[number, string, string | null, string, string, number]>(
    "INSERT OR REPLACE INTO seen (text, path, id, side, why, at) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const known = db.prepare<[number, string], number>("SELECT 1 FROM seen WHERE text = ? AND path = ?").pluck();
  const columns =
    "SELECT texts.digest, seen.path, seen.id, seen.side, seen.why, seen.at FROM seen JOIN texts ON texts.seq = seen.text";
  const all = db.prepare<[], SeenRow>(`${columns} ORDER BY seen.at, seen.text`).raw();
  const some = db
    .prepare<{ path: string | null; id: string | null; formerly: string }, SeenRow>(
      `${columns} WHERE seen.path = @path OR seen.id = @id OR ` +
        "(seen.id IS NULL AND seen.path IN (SELECT value FROM json_each(@formerly))) ORDER BY seen.at, seen.text",
    )
    .raw();
  return {
    has: (text: number, path: LocalPath): boolean => known.get(text, path) !== undefined,
    put(text: number, { path, id, side, why }: TextName, at: number): void {
      insert.run(text, path, id, side, why, at);
    },
    find({ path, id, formerly }: Parameters<State["sightings"]>[0]): Sighting[] {
      const isAll = path === undefined && id === undefined && formerly === undefined;
      const wanted = { path: path ?? null, id: id ?? null, formerly: JSON.stringify(formerly ?? []) };
      const rows = isAll ? all.all() : some.all(wanted);
      return rows.map(([digest, ...[at, of, side, why, when]]) => ({
        digest: digest.toString("hex") as Digest,
        path: at,
        id: of,
        side,
        why,
        at: when,
      }));
    },
  };
}
