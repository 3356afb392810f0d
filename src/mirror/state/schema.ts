/**
 * Numbered migrations of the two files; `user_version` holds how many have run, `application_id`
 * whose the file is.
 *
 * STRICT, so that a wrong bind is an error at once. Times and stamps are REAL: doubles go in and
 * come out bit for bit. No foreign keys: each kind of row lives and ends by itself (a version
 * outlives its link, a conflict may be written before it), and the two files cannot refer to each
 * other. `local_path` is not unique: two adoptions of a swap pass through a state in which two
 * links name one path; planner/match is the home of I11. Few indexes, since each costs a page a
 * commit: what only people ask for (a run's events, a kind's) is a scan of some milliseconds.
 * `idle`: since when nothing named a text, as retention found it.
 */
export type Schema = {
  readonly file: StateFile;
  readonly applicationId: number;
  /** Bytes, of a file that is made: one that is there keeps its own. Not set: SQLite's 4,096. */
  readonly pageSize?: number;
  /** A migration keeps the file as it was, until the next proof of sync (`before-migration.ts`). */
  readonly keepsBefore?: true;
  readonly migrations: readonly string[];
};

export type StateFile = "state.db" | "texts.db";

/** Codes of earlier programs, and the plain word for each. */
const PLAIN_CODES: readonly (readonly [before: string, after: string])[] = [
  ["delete-waits", "delete-pending"],
  ["folder-held", "folder-blocked"],
  ["halt", "safety-stop"],
  ["halt.max-deletes", "safety-stop.max-deletes"],
  ["halted", "stopped"],
  ["hold", "blocked"],
  ["holds-nul", "contains-nul"],
  ["move-sidecar", "move-conflict-copy"],
  ["not-there", "absent"],
  ["parked", "set-aside"],
  ["review-quiet", "review-delayed"],
  ["review.quiet", "review.delayed"],
  ["second-look", "second-scan"],
  ["sidecar", "conflict-copy"],
  ["sidecars-gone", "conflict-copies-gone"],
];

/** Writes the SQL that replaces a column's whole value. */
function codeOf(column: string): string {
  return `CASE ${column} ${PLAIN_CODES.map(([before, after]) => `WHEN '${before}' THEN '${after}'`).join(" ")} ELSE ${column} END`;
}

/**
 * Writes the SQL that replaces the codes in a column of JSON: members that have a code, names of
 * counts, and elements of lists of approved reasons. A path may be spelled like a code, so a
 * member's value is replaced only where its name says that it is a code.
 */
function membersOf(column: string): string {
  const members = PLAIN_CODES.flatMap(([before, after]) =>
    ["kind", "state", "reason", "outcome"].map((name) => [`"${name}":"${before}"`, `"${name}":"${after}"`] as const),
  );
  const names = [
    ['"holds":', '"blocked":'],
    ['"sidecar":', '"conflict-copy":'],
    ['"sidecars-gone"', '"conflict-copies-gone"'],
  ] as const;
  return [...members, ...names].reduce((sql, [before, after]) => `replace(${sql}, '${before}', '${after}')`, column);
}

export const STATE_SCHEMA: Schema = {
  file: "state.db",
  applicationId: 0x6d_64_6d_31,
  keepsBefore: true,
  migrations: [
    `
CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE links (
  id TEXT NOT NULL PRIMARY KEY,
  local_path TEXT NOT NULL,
  remote_path TEXT NOT NULL,
  change_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  local_digest TEXT,
  dev REAL, ino REAL, size REAL, mtime_ms REAL, ctime_ms REAL, birth_ms REAL, nlink REAL,
  stamp_trusted INTEGER NOT NULL,
  protected INTEGER NOT NULL,
  durable INTEGER NOT NULL,
  echo_digest TEXT,
  submissions TEXT,
  standing TEXT NOT NULL
) STRICT;

CREATE TABLE dirs (
  id TEXT NOT NULL PRIMARY KEY,
  local_path TEXT NOT NULL,
  remote_path TEXT NOT NULL,
  dev REAL NOT NULL, ino REAL NOT NULL, birth_ms REAL NOT NULL
) STRICT;

CREATE TABLE tombstones (
  id TEXT NOT NULL PRIMARY KEY,
  local_path TEXT NOT NULL,
  remote_path TEXT NOT NULL,
  change_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  trash_path TEXT,
  at REAL NOT NULL
) STRICT;

CREATE TABLE conflicts (
  id TEXT NOT NULL PRIMARY KEY,
  base_digest TEXT,
  base_change_id TEXT,
  sidecar_path TEXT NOT NULL,
  sidecar_ino REAL NOT NULL,
  sidecar_dev REAL NOT NULL,
  shown TEXT NOT NULL,
  looks_gone INTEGER NOT NULL,
  since REAL NOT NULL
) STRICT;

CREATE TABLE holds (
  key TEXT NOT NULL PRIMARY KEY,
  path TEXT NOT NULL,
  reason TEXT NOT NULL,
  code TEXT,
  detail TEXT NOT NULL,
  request_id TEXT,
  digest TEXT,
  change_id TEXT,
  since REAL NOT NULL
) STRICT;

CREATE TABLE intents (intent_id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, intent TEXT NOT NULL) STRICT;

CREATE TABLE versions (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  change_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  at REAL NOT NULL,
  UNIQUE (id, change_id)
) STRICT;

CREATE TABLE runs (
  run INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  started_at REAL NOT NULL,
  ended_at REAL,
  summary TEXT
) STRICT;

CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  at REAL NOT NULL,
  kind TEXT NOT NULL,
  side TEXT NOT NULL,
  id TEXT,
  path TEXT NOT NULL,
  detail TEXT NOT NULL,
  outcome TEXT NOT NULL,
  code TEXT,
  request_id TEXT,
  before TEXT,
  after TEXT
) STRICT;
CREATE INDEX events_by_path ON events (path);
CREATE INDEX events_by_id ON events (id) WHERE id IS NOT NULL;
CREATE INDEX local_deletions ON events (at) WHERE kind = 'trash-local';
CREATE INDEX remote_deletions ON events (at) WHERE kind = 'delete-remote';
`,
    // The local path before a move, for `undo`.
    "ALTER TABLE events ADD COLUMN from_path TEXT;",
    // For `status`; a row without a review costs it nothing.
    "CREATE INDEX links_in_review ON links (local_path) WHERE submissions IS NOT NULL;",
    // What a merge was made of besides the text before it: its origins are told from the texts
    // themselves.
    "ALTER TABLE events ADD COLUMN merge_base TEXT; ALTER TABLE events ADD COLUMN merge_theirs TEXT;",
    // Files of which the bytes are not the text in the service's form; of all others, nothing.
    `
CREATE TABLE spellings (
  seq INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  bytes TEXT NOT NULL,
  text TEXT NOT NULL,
  spelled_at TEXT NOT NULL,
  leads TEXT NOT NULL,
  UNIQUE (path, bytes)
) STRICT;
CREATE INDEX spellings_by_bytes ON spellings (bytes);
`,
    "ALTER TABLE spellings ADD COLUMN id TEXT;",
    "CREATE INDEX emptied ON events (at) WHERE code = 'emptied';",
    // Each version that a conflict shows has a copy of its own, with the inode of that copy.
    // Before, one copy showed one version after the other. A copy that its user had edited went on
    // showing the version from which it was made; later versions were recorded with the same time,
    // and unseen. So the first of those with the last time is the version that the copy shows.
    `
CREATE TABLE conflicts_before AS SELECT * FROM conflicts;
DROP TABLE conflicts;
CREATE TABLE conflicts (
  id TEXT NOT NULL PRIMARY KEY,
  base_digest TEXT,
  base_change_id TEXT,
  sidecar_path TEXT NOT NULL,
  shown TEXT NOT NULL,
  looks_gone INTEGER NOT NULL,
  since REAL NOT NULL
) STRICT;
INSERT INTO conflicts SELECT id, base_digest, base_change_id, sidecar_path, coalesce((
  SELECT json_array(json_object(
    'changeId', json_extract(shown, fullkey || '.changeId'), 'digest', json_extract(shown, fullkey || '.digest'),
    'ino', CAST(sidecar_ino AS INTEGER), 'dev', CAST(sidecar_dev AS INTEGER)))
  FROM json_each(iif(json_valid(shown), shown, '[]'))
  WHERE json_extract(shown, fullkey || '.at') = json_extract(shown, '$[#-1].at')
  ORDER BY key LIMIT 1
), shown), looks_gone, since FROM conflicts_before;
DROP TABLE conflicts_before;
`,
    // The deletion limit counts by runs. What was lost before is no reason for a question.
    `
DROP INDEX local_deletions;
DROP INDEX remote_deletions;
DROP INDEX emptied;
CREATE INDEX local_deletions ON events (run) WHERE kind = 'trash-local';
CREATE INDEX remote_deletions ON events (run) WHERE kind = 'delete-remote';
CREATE INDEX emptied ON events (run) WHERE code = 'emptied';
DELETE FROM meta WHERE key = 'approved.at';
INSERT INTO meta (key, value) SELECT 'losses.lately', json_object('after', max(run), 'marks', json_array())
  FROM runs HAVING max(run) IS NOT NULL;
`,
    // The remote paths of a move, for `undo` and `history`.
    "ALTER TABLE events ADD COLUMN remote_from TEXT; ALTER TABLE events ADD COLUMN remote_to TEXT;",
    // Tables, columns and codes take the words that users read.
    `
ALTER TABLE links RENAME TO records;
ALTER TABLE records RENAME COLUMN standing TO state;
DROP INDEX links_in_review;
CREATE INDEX records_in_review ON records (local_path) WHERE submissions IS NOT NULL;
ALTER TABLE conflicts RENAME COLUMN sidecar_path TO conflict_copy_path;
ALTER TABLE holds RENAME TO blocked;
UPDATE blocked SET reason = ${codeOf("reason")} WHERE reason <> ${codeOf("reason")};
UPDATE events SET kind = ${codeOf("kind")} WHERE kind <> ${codeOf("kind")};
UPDATE events SET outcome = ${codeOf("outcome")} WHERE outcome <> ${codeOf("outcome")};
UPDATE events SET code = ${codeOf("code")} WHERE code <> ${codeOf("code")};
UPDATE intents SET intent = ${membersOf("intent")};
UPDATE runs SET summary = ${membersOf("summary")} WHERE summary IS NOT NULL;
UPDATE meta SET key = ${codeOf("key")} WHERE key <> ${codeOf("key")};
UPDATE meta SET value = ${membersOf("value")} WHERE json_valid(value);
`,
    // Members of open intents take the same words. Within a string their quotes would be escaped.
    `
UPDATE intents SET intent =
  replace(replace(intent, '"parkAt":', '"setAsideAt":'), '"sidecarPath":', '"newestCopyPath":');
DELETE FROM meta WHERE key = 'files.torn';
`,
  ],
};

export const TEXTS_SCHEMA: Schema = {
  file: "texts.db",
  applicationId: 0x6d_64_6d_32,
  // Of 4,096 bytes a packed text takes one to itself, and leaves a third of it empty.
  pageSize: 16_384,
  migrations: [
    `
CREATE TABLE texts (
  seq INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE,
  codec INTEGER NOT NULL,
  size INTEGER NOT NULL,
  used REAL NOT NULL,
  text BLOB NOT NULL
) STRICT;

CREATE TABLE idle (seq INTEGER PRIMARY KEY, since REAL NOT NULL) STRICT;
`,
    // In this file, so that a text and its name are one commit. `text`: the number of a text; those
    // of before are known by what rows of the state say of them.
    `
CREATE TABLE seen (
  text INTEGER NOT NULL,
  path TEXT NOT NULL,
  id TEXT,
  side TEXT NOT NULL,
  why TEXT NOT NULL,
  at REAL NOT NULL,
  PRIMARY KEY (text, path)
) STRICT, WITHOUT ROWID;
`,
  ],
};
