import type { Digest } from "../../contract/digest.ts";
import type { LocalPath } from "../../contract/path.ts";
import type { EventSide, Sighting, State, TextName } from "../ports/state.ts";
import type { Db } from "./database.ts";
import type { DocId } from "../../contract/ids.ts";
import { Statement } from "./statement.ts";

type SeenRow = [digest: Buffer, path: LocalPath, id: DocId | null, side: EventSide, why: string, at: number];
type Wanted = { path: string | null; id: string | null; formerly: string };

const SELECT =
  "SELECT texts.digest, seen.path, seen.id, seen.side, seen.why, seen.at FROM seen JOIN texts ON texts.seq = seen.text";
const ORDER = "ORDER BY seen.at, seen.text";

/**
 * Under which paths texts were stored, and when first: one row for each text and path. A text is
 * named by its number in `texts`.
 */
export class SightingTable {
  readonly #insert;
  readonly #known;
  readonly #all;
  readonly #some;

  constructor(db: Db) {
    this.#insert = new Statement<[number, string, string | null, string, string, number]>(
      db,
      "INSERT OR REPLACE INTO seen (text, path, id, side, why, at) VALUES (?, ?, ?, ?, ?, ?)",
    );
    this.#known = new Statement<[number, string], number>(
      db,
      "SELECT 1 FROM seen WHERE text = ? AND path = ?",
      "pluck",
    );
    this.#all = new Statement<[], SeenRow>(db, `${SELECT} ${ORDER}`, "raw");
    this.#some = new Statement<Wanted, SeenRow>(
      db,
      `${SELECT} WHERE seen.path = @path OR seen.id = @id OR ` +
        `(seen.id IS NULL AND seen.path IN (SELECT value FROM json_each(@formerly))) ${ORDER}`,
      "raw",
    );
  }

  has(text: number, path: LocalPath): boolean {
    return this.#known.get(text, path) !== undefined;
  }

  put(text: number, { path, id, side, why }: TextName, at: number): void {
    this.#insert.run(text, path, id, side, why, at);
  }

  find({ path, id, formerly }: Parameters<State["sightings"]>[0]): Sighting[] {
    const isAll = path === undefined && id === undefined && formerly === undefined;
    const wanted = { path: path ?? null, id: id ?? null, formerly: JSON.stringify(formerly ?? []) };
    return (isAll ? this.#all.all() : this.#some.all(wanted)).map(sightingOf);
  }
}

function sightingOf([digest, path, id, side, why, at]: SeenRow): Sighting {
  return { digest: digest.toString("hex") as Digest, path, id, side, why, at };
}
