import { isChangeId, isDirId, isDocId } from "../../contract/ids.ts";
import { REVIEW_REASONS } from "../../contract/resources.ts";
import { BLOCK_REASONS } from "../model/block.ts";
import type {
  Conflict,
  FolderRecord,
  Block,
  DocumentRecord,
  ShownVersion,
  Stamp,
  Submission,
  Tombstone,
} from "../model/record.ts";
import type { ArrivingFile, Intent, OpenIntent } from "../ports/state.ts";
import type { BaseTree } from "../model/tree.ts";

/**
 * Finds rows with values that mdmirror never writes, so that it does not act on a damaged state.
 * SQLite's own check does not find random bytes, because SQLite accepts any bytes as text.
 * Versions, events and runs are not checked, because they cause no request and no change of a file.
 * LIMIT: a damaged value that looks valid is not found, so that the checks stay fast.
 * @param base base without its document records, which the caller checks with `isPossibleRecord`
 * @returns a description for the user; null if no damage was found
 */
export function findImpossibleRow(
  base: BaseTree,
  intents: readonly OpenIntent[],
  meta: readonly (readonly [key: string, value: string])[],
): string | null {
  const checks: readonly (readonly [table: string, isSound: () => boolean])[] = [
    ["dirs", () => areAllPossible(base.dirs.values(), isFolderRecord)],
    ["tombstones", () => areAllPossible(base.tombstones.values(), isTombstone)],
    ["conflicts", () => areAllPossible(base.conflicts.values(), isConflict)],
    ["blocked", () => areAllPossible(base.blocks.values(), isBlock)],
    ["intents", () => areAllPossible(intents, ({ intent }) => isIntent(intent))],
    ["meta", () => areAllPossible(meta, ([key, value]) => isPossibleMeta(key, value))],
  ];
  const damagedTable = checks.find(([, isSound]) => !isSound());
  return damagedTable === undefined ? null : describeImpossibleRow(damagedTable[0]);
}

export function describeImpossibleRow(table: string): string {
  return `a row of ${table} contains values that mdmirror never writes`;
}

function areAllPossible<Row>(rows: Iterable<Row>, isPossible: (row: Row) => boolean): boolean {
  for (const row of rows) if (!isPossible(row)) return false;
  return true;
}

const DIGEST_LENGTH = 64;
const IS_HEX = Uint8Array.from({ length: 128 }, (_, unit) => Number(/[0-9a-f]/.test(String.fromCharCode(unit))));

/**
 * Returns true if a value is a digest. Uses a table of characters, which is faster than a regular
 * expression.
 */
function isDigest(value: unknown): boolean {
  if (typeof value !== "string" || value.length !== DIGEST_LENGTH) return false;
  let hex = 1;
  for (let index = 0; index < DIGEST_LENGTH; index++) hex &= IS_HEX[value.charCodeAt(index)] ?? 0;
  return hex === 1;
}

/** Matches a path that contains NUL, or an empty name, `.` or `..`. */
const UNUSUAL_PATH = /(?:^|\/)\.{0,2}(?:\/|$)|\0/;

function isUsualPath(path: unknown): boolean {
  return typeof path === "string" && !UNUSUAL_PATH.test(path);
}

type ValueCheck = (value: unknown) => boolean;

function allowNull(check: ValueCheck): ValueCheck {
  return (value) => value === null || check(value);
}

const DOCUMENT_STATES: Readonly<Record<DocumentRecord["state"], true>> = {
  linked: true,
  outside: true,
  suspended: true,
};

export function isPossibleRecord(record: DocumentRecord): boolean {
  const { id, changeId, stamp, submissions, state } = record;
  return (
    isDocId(id) &&
    isChangeId(changeId) &&
    hasDigests(record) &&
    hasUsualPaths(record) &&
    Object.hasOwn(DOCUMENT_STATES, state) &&
    (stamp === null || isStamp(stamp)) &&
    Array.isArray(submissions) &&
    submissions.every(isSubmission)
  );
}

function hasDigests({ digest, localDigest, echoDigest }: DocumentRecord): boolean {
  return (
    isDigest(digest) &&
    (localDigest === digest || isDigest(localDigest)) &&
    (echoDigest === null || isDigest(echoDigest))
  );
}

function hasUsualPaths({ localPath, remotePath }: DocumentRecord): boolean {
  return isUsualPath(localPath) && (remotePath === localPath || isUsualPath(remotePath));
}

function isStamp({ dev, ino, size, mtimeMs, ctimeMs, birthMs, nlink }: Stamp): boolean {
  const otherNumbers = [dev, ino, mtimeMs, ctimeMs, birthMs, nlink];
  return Number.isInteger(size) && size >= 0 && otherNumbers.every(Number.isFinite);
}

function isSubmission(one: Submission | null): boolean {
  if (one === null || !isDigest(one.digest) || !isChangeId(one.baseChangeId) || !Number.isFinite(one.at)) return false;
  const { changeId, reason } = one;
  return (changeId === undefined || isChangeId(changeId)) && (reason === undefined || REVIEW_REASONS.includes(reason));
}

function isFolderRecord({ id, localPath, remotePath }: FolderRecord): boolean {
  return isDirId(id) && isUsualPath(localPath) && isUsualPath(remotePath);
}

function isTombstone({ id, localPath, remotePath, changeId, digest, trashPath }: Tombstone): boolean {
  const hasIds = isDocId(id) && isChangeId(changeId) && isDigest(digest);
  return hasIds && isUsualPath(localPath) && isUsualPath(remotePath) && (trashPath === null || isUsualPath(trashPath));
}

function isConflict({ id, baseDigest, baseChangeId, newestCopyPath, shown }: Conflict): boolean {
  const hasBase = allowNull(isDigest)(baseDigest) && allowNull(isChangeId)(baseChangeId);
  return (
    isDocId(id) &&
    hasBase &&
    isUsualPath(newestCopyPath) &&
    Array.isArray(shown) &&
    shown.length > 0 &&
    shown.every(isVersion)
  );
}

function isVersion(one: ShownVersion | null): boolean {
  return one !== null && isDigest(one.digest) && isChangeId(one.changeId) && [one.ino, one.dev].every(Number.isFinite);
}

/** Checks a block, but not its path, because an illegal path may be the reason for the block. */
function isBlock({ reason, digest, changeId }: Block): boolean {
  return Object.hasOwn(BLOCK_REASONS, reason) && allowNull(isDigest)(digest) && allowNull(isChangeId)(changeId);
}

function isArrivingFile(file: ArrivingFile | null): boolean {
  return file !== null && isDocId(file.id) && isUsualPath(file.path);
}

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}

const MEMBER_CHECKS = {
  id: isDocId,
  dirId: isDirId,
  path: isUsualPath,
  localPath: isUsualPath,
  remotePath: isUsualPath,
  from: isUsualPath,
  to: isUsualPath,
  setAsideAt: isUsualPath,
  changeId: isChangeId,
  baseChangeId: allowNull(isChangeId),
  digest: isDigest,
  expect: isDigest,
  writes: isDigest,
  baseDigest: allowNull(isDigest),
  review: isBoolean,
  isCombined: isBoolean,
  value: isBoolean,
  files: (value: unknown) => Array.isArray(value) && value.every(isArrivingFile),
} satisfies Readonly<Record<string, ValueCheck>>;

type IntentMember = keyof typeof MEMBER_CHECKS;
type MembersOfIntent<Kind> = readonly (IntentMember & keyof Extract<Intent, { kind: Kind }>)[];

const INTENT_MEMBERS: { readonly [Kind in Intent["kind"]]: MembersOfIntent<Kind> } = {
  post: ["localPath", "remotePath", "digest"],
  "read-back": ["id", "changeId", "digest"],
  put: ["id", "localPath", "baseChangeId", "baseDigest", "digest", "review"],
  sent: ["localPath", "baseDigest", "digest", "isCombined"],
  patch: ["id", "from", "to"],
  delete: ["id", "localPath", "changeId"],
  protect: ["id", "localPath", "value"],
  "post-folder": ["localPath", "remotePath"],
  "patch-folder": ["dirId", "from", "to"],
  "delete-folder": ["dirId", "remotePath"],
  create: ["files"],
  replace: ["id", "path", "setAsideAt", "writes", "baseChangeId", "baseDigest"],
  trash: ["id", "path", "setAsideAt"],
  move: ["id", "from", "to"],
  "move-folder": ["dirId", "from", "to"],
  "conflict-copy": ["id", "path", "writes"],
  "drop-conflict": ["id", "path"],
  "set-aside": ["id", "path", "setAsideAt", "expect", "baseChangeId", "baseDigest"],
};

const OPTIONAL_MEMBER_CHECKS: Readonly<Record<string, ValueCheck>> = {
  replaces: isDocId,
  nextChangeId: isChangeId,
  nextDigest: isDigest,
  expect: isDigest,
  lastLocalPath: isUsualPath,
};

function isIntent(intent: unknown): boolean {
  if (typeof intent !== "object" || intent === null || !("kind" in intent)) return false;
  const { kind } = intent;
  if (typeof kind !== "string" || !Object.hasOwn(INTENT_MEMBERS, kind)) return false;
  const row: Readonly<Record<string, unknown>> = { ...intent };
  for (const [member, isPossible] of Object.entries(OPTIONAL_MEMBER_CHECKS))
    if (!allowNull(isPossible)(row[member] ?? null)) return false;
  return INTENT_MEMBERS[kind as Intent["kind"]].every((member) => MEMBER_CHECKS[member](row[member]));
}

/** Matches control characters. JSON text from mdmirror has none, because the text escapes them. */
const CONTROL_CHARACTER = /[\0-\x1f]/;

function isPossibleMeta(key: string, value: string): boolean {
  const isPrintable = !CONTROL_CHARACTER.test(key) && !CONTROL_CHARACTER.test(value);
  return isPrintable && (!/^[[{]|[\]}]$/.test(value) || isJson(value));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The error of the JSON parser is not reported, because it does not help users: mdmirror sets
    // the whole database aside.
    return false;
  }
}
