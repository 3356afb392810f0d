import { join } from "node:path";
import type { Hold } from "../model/link.ts";
import type { OpenIntent } from "../ports/state.ts";
import { type DatabaseFault, type Db, faultOf, openForReading } from "./database.ts";
import { openMeta, openRuns, type RunRow } from "./events.ts";
import { openHolds } from "./holds.ts";
import { openIntents } from "./journal.ts";
import { lookAtOwn } from "./own-files.ts";
import { STATE_SCHEMA, type StateFile, TEXTS_SCHEMA } from "./schema.ts";
import { openSurvey, type Survey } from "./survey.ts";

/** What `status` tells: a few rows of `state.db`, all of one moment, and nothing of the texts. */
export type Glance = {
  readonly survey: Survey;
  readonly holds: readonly Hold[];
  readonly intents: readonly OpenIntent[];
  readonly meta: ReadonlyMap<string, string>;
  readonly newestRun: RunRow | null;
};

export type Glanced =
  | { readonly kind: "read"; readonly glance: Glance }
  /** There is no state. */
  | { readonly kind: "missing" }
  | ({ readonly file: StateFile } & DatabaseFault);

/**
 * Beside a process that writes, or in a folder that cannot be written. Neither the pages nor the
 * rows are checked, and `texts.db` is only known to be there: the next opening for a pass does
 * that.
 * @param folder absolute path of `.mdmirror`
 */
export function glanceAtState(folder: string): Glanced {
  const path = join(folder, STATE_SCHEMA.file);
  if (lookAtOwn(folder, STATE_SCHEMA.file, "own-file") === null) return { kind: "missing" };
  if (lookAtOwn(folder, TEXTS_SCHEMA.file, "own-file") === null)
    return { kind: "damaged", file: TEXTS_SCHEMA.file, detail: "is not there" };
  const opened = openForReading(path, STATE_SCHEMA);
  if (opened.kind !== "opened") return { file: STATE_SCHEMA.file, ...opened };
  try {
    return { kind: "read", glance: readGlance(opened.db) };
  } catch (error) {
    const fault = faultOf(error);
    if (fault === null) throw error;
    return { file: STATE_SCHEMA.file, ...fault };
  } finally {
    opened.db.close();
  }
}

function readGlance(db: Db): Glance {
  // Closing ends it.
  db.exec("BEGIN");
  return {
    survey: openSurvey(db)(),
    holds: [...openHolds(db).load().values()],
    intents: openIntents(db).all(),
    meta: new Map(openMeta(db).all()),
    newestRun: openRuns(db).newest(1)[0] ?? null,
  };
}
