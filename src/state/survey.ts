import type { Db } from "./database.ts";

/**
 * The state in figures, without its rows: what `status` tells of 100,000 links needs none of them
 * in memory.
 */
export type Survey = {
  readonly documents: number;
  readonly folders: number;
  /** Local paths of the documents in conflict; the sidecar's where there is no link. */
  readonly conflicts: readonly string[];
  /**
   * Documents with text in review, by local path; since when the oldest of it waits, in
   * milliseconds since the epoch.
   */
  readonly reviews: readonly { readonly path: string; readonly since: number }[];
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
  const reviews = db.prepare<[], { readonly path: string; readonly since: number }>(
    "SELECT local_path AS path, json_extract(submissions, '$[0].at') AS since FROM links WHERE submissions IS NOT NULL ORDER BY local_path",
  );
  return () => ({
    documents: documents.get() ?? 0,
    folders: folders.get() ?? 0,
    conflicts: conflicts.all(),
    reviews: reviews.all(),
  });
}
