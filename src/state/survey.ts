import type { Db } from "./database.ts";

/** The state in figures, without its rows: what `status` tells of 100,000 links needs none of them in memory. */
export type Survey = {
  readonly documents: number;
  readonly folders: number;
  /** Local paths of the documents in conflict; the sidecar's where there is no link. */
  readonly conflicts: readonly string[];
  /** Local paths of the documents with text in review. */
  readonly reviews: readonly string[];
};

export function openSurvey(db: Db): () => Survey {
  const count = (table: string) => db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck();
  const documents = count("links");
  const folders = count("dirs");
  const conflicts = db
    .prepare<[], string>(
      "SELECT coalesce(links.local_path, conflicts.sidecar_path) FROM conflicts LEFT JOIN links USING (id) ORDER BY conflicts.rowid",
    )
    .pluck();
  const reviews = db
    .prepare<[], string>("SELECT local_path FROM links WHERE submissions IS NOT NULL ORDER BY local_path")
    .pluck();
  return () => ({
    documents: documents.get() ?? 0,
    folders: folders.get() ?? 0,
    conflicts: conflicts.all(),
    reviews: reviews.all(),
  });
}
