/**
 * Numbered migrations of the two files. `user_version` is the number of applied migrations,
 * `application_id` identifies the program. Tables are STRICT, so that a value of a wrong type is an
 * error immediately. Times and stamps are REAL, which keeps doubles bit for bit. There are no
 * foreign keys: rows of each kind are created and removed independently, and the two files cannot
 * refer to each other. `local_path` is not unique: while a swap is linked, two records name one
 * path for a moment. Few indexes, because each costs a page a commit; queries that only people ask
 * (events of a run or kind) scan for some milliseconds. `idle`: since when no row has named a
 * content, as retention found it.
 */
export type Schema = {
  readonly file: StateFile;
  readonly applicationId: number;
  /**
   * Page size in bytes for a new file; an existing file keeps its own. If left out: SQLite's 4,096.
   */
  readonly pageSize?: number;
  /**
   * A migration keeps a copy of the file from before, until a run ends in sync
   * (`before-migration.ts`).
   */
  readonly keepsBefore?: true;
  readonly migrations: readonly string[];
};

export type StateFile = "state.db" | "texts.db";

/** Codes of earlier mdmirror versions, each with the plain word that replaces it. */
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

/** Returns the SQL that replaces a column's whole value. */
function codeOf(column: string): string {
  return `CASE ${column} ${PLAIN_CODES.map(([before, after]) => `WHEN '${before}' THEN '${after}'`).join(" ")} ELSE ${column} END`;
}

/**
 * Returns the SQL that replaces the codes in a column of JSON: values of members that have a code,
 * names of counts, and elements of lists of approved reasons. A path may be spelled like a code, so
 * a value is replaced only if its member's name says that it is a code.
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
    // Adds the local path before a move, for `undo`.
    "ALTER TABLE events ADD COLUMN from_path TEXT;",
    // Adds an index for `status`. A row without a review is not in the index.
    "CREATE INDEX links_in_review ON links (local_path) WHERE submissions IS NOT NULL;",
    // Adds the contents of which a merge was made, besides the content before it. Origins of lines
    // are found from these contents.
    "ALTER TABLE events ADD COLUMN merge_base TEXT; ALTER TABLE events ADD COLUMN merge_theirs TEXT;",
    // Adds a table for files whose bytes differ from the content in the service's form. Other files
    // have no row.
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
    // Gives each version that a conflict shows its own copy, with the inode of that copy. Before,
    // one copy showed one version after the other. A copy that its user had edited kept showing the
    // version from which it was made; later versions were recorded with the same time, and not
    // shown. So the first of the versions with the last time is the one that the copy shows.
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
    // Indexes losses by run, because the deletion limit counts by runs. Losses before this
    // migration are not counted.
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
    // Adds the paths on the service before and after a move, for `undo` and `history`.
    "ALTER TABLE events ADD COLUMN remote_from TEXT; ALTER TABLE events ADD COLUMN remote_to TEXT;",
    // Renames tables, columns and codes to the words that users read.
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
    // Renames members of open intents to the same words. Within a string, the quotes of a member
    // would be escaped, so strings do not match.
    `
UPDATE intents SET intent =
  replace(replace(intent, '"parkAt":', '"setAsideAt":'), '"sidecarPath":', '"newestCopyPath":');
DELETE FROM meta WHERE key = 'files.torn';
`,
    // Moves content that was sent and not found from the log to the journal.
    `
INSERT INTO intents (run, intent) SELECT run, json_object('kind', 'sent', 'id', id, 'localPath', path,
    'baseDigest', before, 'digest', after, 'isCombined', json(iif(outcome = 'combined', 'true', 'false')))
  FROM events WHERE kind = 'fault' AND outcome IN ('absent', 'combined') AND after IS NOT NULL
    AND run > coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'synced.run'), 0) ORDER BY seq;
DELETE FROM meta WHERE key = 'synced.run';
`,
    // Adds members that rows of the journal lack if older versions wrote them. Rows of kinds
    // without such a member ignore it.
    `
UPDATE intents SET intent = json_insert(intent, '$.why', 'mdmirror was interrupted during this step',
  '$.stamp', NULL, '$.stampTrusted', json('false'), '$.replaces', NULL, '$.stands', coalesce(
    (SELECT local_path FROM records WHERE id = intent ->> 'id'),
    (SELECT local_path FROM dirs WHERE id = intent ->> 'dirId'), intent ->> 'from'))
  WHERE iif(json_valid(intent), intent ->> 'kind', NULL)
    NOT IN ('sent', 'set-aside', 'create', 'trash', 'conflict-copy', 'replace');
UPDATE intents SET intent = json_insert(intent, '$.event', json_object('kind', 'recover', 'side', 'local',
    'id', intent ->> 'id', 'path', intent ->> 'path', 'before', intent ->> 'expect', 'after', intent ->> 'writes',
    'detail', 'mdmirror wrote this content to the file and was then interrupted'))
  WHERE iif(json_valid(intent), intent ->> 'kind', NULL) = 'replace';
`,
    // Removes the boot from the marks of losses.
    `
UPDATE meta SET value = json_set(value, '$.marks', json((
  SELECT json_group_array(json_array(value ->> 0, value ->> 2)) FROM json_each(meta.value, '$.marks')
))) WHERE key = 'losses.lately';
`,
  ],
};

export const TEXTS_SCHEMA: Schema = {
  file: "texts.db",
  applicationId: 0x6d_64_6d_32,
  // A page of 4,096 bytes would take one compressed content and leave a third of the page empty.
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
    // Adds the names of contents to this file, so that content and its name are one commit. `text`:
    // number of the content. Earlier contents are known by the rows of the state that name them.
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
