import { join } from "node:path";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { MIGRATIONS } from "../../server/sqlite/schema.ts";
import { openOwnDatabase } from "../../state/own-database.ts";
import { lookAtOwn } from "../../state/own-files.ts";
import { type Schema, STATE_SCHEMA, TEXTS_SCHEMA } from "../../state/schema.ts";
import { listOwnMirrors } from "../trust/list.ts";
import { ok, type Result } from "./trouble.ts";

/** Which formats this program writes, and which the mirrors of this user have. */

/** `null`: there is no such file, or it cannot be read. */
export type Formats = { readonly state: number | null; readonly texts: number | null };

export type FoundFormats = {
  readonly name: string;
  readonly root: string;
  readonly found: Formats;
  /** `older`: the next command that writes brings it up to date; `newer`: it is refused here. */
  readonly verdict: "same" | "older" | "newer" | "unreadable";
  /** The state of before an update is kept. */
  readonly hasBefore: boolean;
};

export const KNOWN = {
  state: STATE_SCHEMA.migrations.length,
  texts: TEXTS_SCHEMA.migrations.length,
  service: MIGRATIONS.length,
} as const;

/** Reads a number of each file; writes and sends nothing. */
export function findFormats(env: Readonly<Record<string, string | undefined>>): Result<readonly FoundFormats[]> {
  const listed = listOwnMirrors(env);
  if (listed.kind === "trouble") return listed;
  return ok(
    listed.value.mirrors.map(({ name, root, place }): FoundFormats => {
      const folder = join(root, MIRROR_FOLDER);
      const isHere = place === "here";
      const found = {
        state: isHere ? formatOf(folder, STATE_SCHEMA) : null,
        texts: isHere ? formatOf(folder, TEXTS_SCHEMA) : null,
      };
      return { name, root, found, verdict: verdictOf(found), hasBefore: isHere && hasBefore(folder) };
    }),
  );
}

function verdictOf({ state, texts }: Formats): FoundFormats["verdict"] {
  if (state === null || texts === null) return "unreadable";
  if (state > KNOWN.state || texts > KNOWN.texts) return "newer";
  return state < KNOWN.state || texts < KNOWN.texts ? "older" : "same";
}

function hasBefore(folder: string): boolean {
  return lookAtOwn(folder, `${STATE_SCHEMA.file}.before`, "file") !== null;
}

function formatOf(folder: string, { file }: Schema): number | null {
  try {
    if (lookAtOwn(folder, file, "own-file") === null) return null;
    const db = openOwnDatabase(join(folder, file), { make: false, readonly: true, timeout: 1_000 });
    try {
      return db.pragma("user_version", { simple: true }) as number;
    } finally {
      db.close();
    }
  } catch {
    // Damaged, locked, or not to be trusted: what is wrong is told by whoever opens it to work.
    return null;
  }
}
