/**
 * Tables of a database file, and the upgrades of older files.
 * - `user_version` is the version of the tables; `application_id` identifies mdmirror.
 * - Tables are STRICT, so that SQLite refuses a value of a wrong type immediately.
 * - Times and stamps are REAL, which stores JavaScript numbers exactly.
 * - There are no foreign keys, because rows of different kinds are created and removed
 *   independently, some of them in different files.
 * - `local_path` is not unique, because two records have one path for a moment during a swap.
 * - There are few indexes, because each index costs one page per commit. Rare queries for users
 *   read the whole table.
 * - The table `idle` has, for each content, the time since when no row has referred to it.
 */
export type DatabaseSchema = {
  readonly file: StateFile;
  readonly applicationId: number;
  /**
   * Page size of a new file in bytes; existing files keep their page size. Undefined: SQLite's
   * default of 4,096.
   */
  readonly pageSize?: number;
  readonly version: number;
  readonly tables: string;
  /**
   * SQL that upgrades a file, by the version of the older file. A copy of the older file is kept
   * until a run ends in sync (`database.ts`).
   */
  readonly upgrades: Readonly<Record<number, string>>;
};

export type StateFile = "state.db" | "texts.db";

/** Codes from earlier mdmirror versions, each with its replacement. */
const CODE_REPLACEMENTS: readonly (readonly [before: string, after: string])[] = [
  ["by-hand", "manual"],
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

function replaceCode(column: string): string {
  return `CASE ${column} ${CODE_REPLACEMENTS.map(([before, after]) => `WHEN '${before}' THEN '${after}'`).join(" ")} ELSE ${column} END`;
}

/**
 * Returns SQL that replaces old codes in JSON. The SQL changes only fields that contain codes,
 * names of counts, and lists of approved reasons. Other fields stay unchanged, because a path may
 * look like a code.
 */
function replaceCodesInJson(column: string): string {
  const memberReplacements = CODE_REPLACEMENTS.flatMap(([before, after]) =>
    ["kind", "state", "reason", "outcome"].map((name) => [`"${name}":"${before}"`, `"${name}":"${after}"`] as const),
  );
  const nameReplacements = [
    ['"holds":', '"blocked":'],
    ['"sidecar":', '"conflict-copy":'],
    ['"sidecars-gone"', '"conflict-copies-gone"'],
  ] as const;
  return [...memberReplacements, ...nameReplacements].reduce(
    (sql, [before, after]) => `replace(${sql}, '${before}', '${after}')`,
    column,
  );
}

const CREATE_CONFLICTS = `CREATE TABLE conflicts (
  id TEXT NOT NULL PRIMARY KEY,
  base_digest TEXT,
  base_change_id TEXT,
  conflict_copy_path TEXT NOT NULL,
  shown TEXT NOT NULL,
  looks_gone INTEGER NOT NULL,
  since REAL NOT NULL
) STRICT;`;

/**
 * Upgrades version 6.
 * - Conflicts: in version 6, a conflict had one copy. mdmirror wrote each newer version of the
 *   service into this copy, unless the user had edited the copy. Now each version has a copy of its
 *   own, so the upgrade must find out which version the old copy shows. A version that was not
 *   written to the copy was recorded with the time of the version in the copy, and after that
 *   version. Therefore the copy shows the first version with the time of the last version.
 * - Losses are now counted by runs. Losses before the upgrade do not count.
 * - Rows of the journal get the fields that they lack.
 */
const FROM_VERSION_6 = `
CREATE TABLE conflicts_before AS SELECT * FROM conflicts;
DROP TABLE conflicts;
${CREATE_CONFLICTS}
INSERT INTO conflicts SELECT id, base_digest, base_change_id, sidecar_path, coalesce((
  SELECT json_array(json_object(
    'changeId', json_extract(shown, fullkey || '.changeId'), 'digest', json_extract(shown, fullkey || '.digest'),
    'ino', CAST(sidecar_ino AS INTEGER), 'dev', CAST(sidecar_dev AS INTEGER)))
  FROM json_each(iif(json_valid(shown), shown, '[]'))
  WHERE json_extract(shown, fullkey || '.at') = json_extract(shown, '$[#-1].at')
  ORDER BY key LIMIT 1
), shown), looks_gone, since FROM conflicts_before;
DROP TABLE conflicts_before;

ALTER TABLE events ADD COLUMN remote_from TEXT;
ALTER TABLE events ADD COLUMN remote_to TEXT;
DROP INDEX local_deletions;
DROP INDEX remote_deletions;
CREATE INDEX local_deletions ON events (run) WHERE kind = 'trash-local';
CREATE INDEX remote_deletions ON events (run) WHERE kind = 'delete-remote';
CREATE INDEX emptied ON events (run) WHERE code = 'emptied';
DELETE FROM meta WHERE key IN ('approved.at', 'files.torn', 'synced.run');
INSERT INTO meta (key, value) SELECT 'losses.lately', json_object('after', max(run), 'marks', json_array())
  FROM runs HAVING max(run) IS NOT NULL;

ALTER TABLE links RENAME TO records;
ALTER TABLE records RENAME COLUMN standing TO state;
DROP INDEX links_in_review;
CREATE INDEX records_in_review ON records (local_path) WHERE submissions IS NOT NULL;
ALTER TABLE holds RENAME TO blocked;
UPDATE blocked SET reason = ${replaceCode("reason")};
UPDATE events SET kind = ${replaceCode("kind")}, outcome = ${replaceCode("outcome")}, code = ${replaceCode("code")};
UPDATE runs SET summary = ${replaceCodesInJson("summary")} WHERE summary IS NOT NULL;
UPDATE meta SET key = ${replaceCode("key")};
UPDATE meta SET value = ${replaceCodesInJson("value")} WHERE json_valid(value);

UPDATE intents SET intent = replace(${replaceCodesInJson("intent")}, '"parkAt":', '"setAsideAt":');
UPDATE intents SET intent = json_insert(intent, '$.why', 'mdmirror was interrupted during this step',
  '$.stamp', NULL, '$.stampTrusted', json('false'), '$.replaces', NULL, '$.lastLocalPath', coalesce(
    (SELECT local_path FROM records WHERE id = intent ->> 'id'),
    (SELECT local_path FROM dirs WHERE id = intent ->> 'dirId'), intent ->> 'from'))
  WHERE iif(json_valid(intent), intent ->> 'kind', NULL)
    NOT IN ('set-aside', 'create', 'trash', 'conflict-copy', 'replace');
UPDATE intents SET intent = json_insert(intent, '$.event', json_object('kind', 'recover', 'side', 'local',
  'id', intent ->> 'id', 'path', intent ->> 'path', 'before', intent ->> 'expect', 'after', intent ->> 'writes',
  'detail', 'mdmirror wrote this content to the file and was then interrupted'))
  WHERE iif(json_valid(intent), intent ->> 'kind', NULL) = 'replace';
`;

/**
 * Version 16 replaces two words of version 15: a state of a manual run, and a field of the journal.
 */
const FROM_VERSION_15 = `
UPDATE runs SET summary = json_set(summary, '$.state', 'manual')
  WHERE iif(json_valid(summary), summary ->> '$.state', NULL) = 'by-hand';
UPDATE intents SET intent = json_remove(json_set(intent, '$.lastLocalPath', intent ->> '$.stands'), '$.stands')
  WHERE iif(json_valid(intent), intent ->> '$.stands', NULL) IS NOT NULL;
`;

export const STATE_SCHEMA: DatabaseSchema = {
  file: "state.db",
  applicationId: 0x6d_64_6d_31,
  version: 16,
  tables: `
CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE records (
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
  state TEXT NOT NULL
) STRICT;
CREATE INDEX records_in_review ON records (local_path) WHERE submissions IS NOT NULL;

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

${CREATE_CONFLICTS}

CREATE TABLE blocked (
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
  before TEXT, after TEXT,
  from_path TEXT,
  merge_base TEXT, merge_theirs TEXT,
  remote_from TEXT, remote_to TEXT
) STRICT;
CREATE INDEX events_by_path ON events (path);
CREATE INDEX events_by_id ON events (id) WHERE id IS NOT NULL;
CREATE INDEX local_deletions ON events (run) WHERE kind = 'trash-local';
CREATE INDEX remote_deletions ON events (run) WHERE kind = 'delete-remote';
CREATE INDEX emptied ON events (run) WHERE code = 'emptied';

CREATE TABLE spellings (
  seq INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  bytes TEXT NOT NULL,
  text TEXT NOT NULL,
  spelled_at TEXT NOT NULL,
  leads TEXT NOT NULL,
  id TEXT,
  UNIQUE (path, bytes)
) STRICT;
CREATE INDEX spellings_by_bytes ON spellings (bytes);
`,
  upgrades: { 6: FROM_VERSION_6, 15: FROM_VERSION_15 },
};

export const TEXTS_SCHEMA: DatabaseSchema = {
  file: "texts.db",
  applicationId: 0x6d_64_6d_32,
  // A page of 4,096 bytes would usually have only one compressed note, and a third of the page
  // would stay unused.
  pageSize: 16_384,
  version: 2,
  tables: `
CREATE TABLE texts (
  seq INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE,
  codec INTEGER NOT NULL,
  size INTEGER NOT NULL,
  used REAL NOT NULL,
  text BLOB NOT NULL
) STRICT;

CREATE TABLE idle (seq INTEGER PRIMARY KEY, since REAL NOT NULL) STRICT;

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
  upgrades: {},
};
