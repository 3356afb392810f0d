import { resolve } from "node:path";
import { count, parseAge, plural } from "../../common/quantities.ts";
import { shownName, shownWords } from "../../common/shown-words.ts";
import { refuse, type Result, unwrap } from "../../common/trouble.ts";
import { formatLocalTime, readIso } from "../../mirror/operations/results/times.ts";
import { REVIEW_REASONS } from "../../mirror/operations/results/reviews.ts";
import { openKeyFile, readNewContent } from "./files.ts";
import {
  type AdminSession,
  findKey,
  findReviewId,
  findWorkspace,
  findWorkspaceIn,
  listAll,
} from "../../service/admin/session.ts";
import type {
  KeyChanges,
  KeyGrant,
  KeyJson,
  MadeKey,
  ReviewJson,
  ShownReviewJson,
  WorkspaceJson,
} from "../../service/admin/operations.ts";
import type { Args, CommandResult, Io } from "../command.ts";
import { EXIT, refuseUsage } from "../exit.ts";
import { readSetting, readRate } from "../service-data.ts";
import { formatUnifiedDiff } from "../show-versions.ts";
import { choosePaint, formatColumns, formatTimeSince } from "../text.ts";
import { askForYes } from "../use-mirror.ts";

type ActionCall = {
  readonly io: Io;
  readonly args: Args;
  readonly session: AdminSession;
  /** Operand after the name of the action; "" if the action takes no operand. */
  readonly operand: string;
};

export type AdminAction = {
  /**
   * Placeholder of the operand in the usage, such as `ID|LABEL`; undefined if the action takes no
   * operand.
   */
  readonly operandForm?: string;
  readonly options?: readonly string[];
  /** Throws `UsageError` for wrong arguments, before the connection to the service is opened. */
  readonly check?: (args: Args, io: Io) => void;
  readonly run: (call: ActionCall) => Promise<CommandResult>;
};

/**
 * Returns `only`, the id of the workspace in `--workspace` (null without the option), and `names`,
 * the names of all workspaces by id.
 */
async function readWantedWorkspaces({ session, args }: ActionCall) {
  const allWorkspaces = unwrap(await listAll(session, "listWorkspaces"));
  const workspaceWord = args.text("workspace");
  const wantedId = workspaceWord === null ? null : unwrap(findWorkspaceIn(allWorkspaces, workspaceWord)).id;
  return { only: wantedId, names: new Map(allWorkspaces.map(({ id, name }) => [id, name])) };
}

/**
 * Creates a key. With `--out`, writes the secret of the key to a new file; otherwise prints the
 * secret. mdmirror cannot print the secret again later.
 * @param describe returns the line about the new key
 */
async function createKey(
  { io, args }: ActionCall,
  make: () => Promise<Result<MadeKey>>,
  describe: (key: KeyJson) => string,
): Promise<CommandResult & Pick<MadeKey, "key">> {
  const outOption = args.text("out");
  const file = outOption === null ? null : resolve(io.cwd, outOption);
  const openedKeyFile = file === null ? null : unwrap(openKeyFile(file));
  const newKey = make().then(unwrap);
  const { key, text } = await newKey.catch((error: unknown) => {
    openedKeyFile?.discard();
    throw error;
  });
  openedKeyFile?.write(text);
  const secret =
    file === null ? `the key, shown only now: ${text}` : `the key is in ${shownName(file)}, readable by this user only`;
  return { key, json: { key, ...(file === null ? { text } : { file }) }, lines: [describe(key), secret] };
}

const CHANGE_OPTIONS = ["grant", "expires", "rate", "label"] as const;

function readChanges(args: Args, io: Io): KeyChanges {
  const grants = args.texts("grant").map(readGrant);
  const label = args.text("label");
  return {
    ...(grants.length === 0 ? {} : { grants }),
    ...(label === null ? {} : { label }),
    ...readSetting("expiresAt", args.text("expires"), (text) => readExpiry(text, io.clock.now())),
    ...readSetting("rateLimit", args.text("rate"), readRate),
  };
}

/** Parses a grant such as `notes/2026=read`. The path may contain `=`. */
function readGrant(text: string): KeyGrant {
  const separator = text.lastIndexOf("=");
  const path = text.slice(0, separator).replace(/^\/+|\/+$/g, "");
  return { on: path === "" ? null : `/${path}`, level: text.slice(separator + 1) as KeyGrant["level"] };
}

/** Returns the time of `--expires` in milliseconds since the epoch; 0 if the text is not a time. */
function readExpiry(text: string, now: number): number {
  const duration = parseAge(text);
  return duration === null ? (readIso(text) ?? 0) : now + duration;
}

/** Refuses a value of `--expires` that is not a time or is in the past. */
function checkExpiry(args: Args, io: Io): void {
  const { expiresAt = null } = readChanges(args, io);
  if (expiresAt !== null && expiresAt <= io.clock.now())
    refuseUsage("--expires takes a future time, such as 30d or 2027-01-31, or never");
}

function formatKeyRow(io: Io, key: KeyJson, workspace: string | undefined): string[] {
  return [
    key.label === "" ? "(no label)" : shownName(key.label),
    workspace === undefined ? "(a removed workspace)" : shownName(workspace),
    describeGrants(key),
    key.lastUsedAt === null ? "never used" : `used ${formatTimeSince(io, key.lastUsedAt)} ago`,
    describeExpiry(io, key),
    describeRate(key),
    shownName(key.id),
  ];
}

function describeGrants({ grants }: KeyJson): string {
  const grantWords = grants.map(({ path, level, waits }) => {
    return `${shownName(path)}=${shownWords(level)}${waits ? " (nothing at this path)" : ""}`;
  });
  return grantWords.length === 0 ? "no access" : grantWords.join(" ");
}

function describeExpiry(io: Io, { expiresAt }: KeyJson): string {
  if (expiresAt === null) return "does not expire";
  return `${expiresAt <= io.clock.now() ? "expired" : "expires"} ${formatLocalTime(expiresAt)}`;
}

function describeRate({ rateLimit }: KeyJson): string {
  return rateLimit === null ? "no rate of its own" : `${rateLimit.requests} requests in ${rateLimit.seconds} s`;
}

function describeKey(io: Io, key: KeyJson): string {
  return `${describeGrants(key)}; ${describeExpiry(io, key)}; ${describeRate(key)}`;
}

/**
 * Returns the workspace with this name or id. If `word` is null, returns the only workspace.
 * @throws TroubleError if `word` is null and there is not exactly one workspace
 */
async function findWantedWorkspace(session: AdminSession, word: string | null): Promise<WorkspaceJson> {
  if (word !== null) return unwrap(await findWorkspace(session, word));
  const allWorkspaces = unwrap(await listAll(session, "listWorkspaces"));
  const [first, ...others] = allWorkspaces;
  if (first === undefined) return refuse("there is no workspace", "mdmirror serve admin workspaces create NAME");
  if (others.length === 0) return first;
  const names = allWorkspaces.map(({ name }) => shownName(name)).join(", ");
  return refuse(`there are ${allWorkspaces.length} workspaces: ${names}`, "choose one with --workspace");
}

/** Warns about grants on paths at which nothing exists. Such a path may be a typing error. */
function makeGrantWarnings({ grants }: KeyJson): Required<Pick<CommandResult, "warnings" | "exit">> {
  const unusedGrants = grants.filter(({ waits, level }) => waits && level !== "none");
  const warnings = unusedGrants.flatMap(({ path }) => [
    `mdmirror: nothing exists at ${shownName(path)}, so this grant has no effect yet; a later document or folder at this path gets the`,
    "  rights of the folder above it, or these if they are fewer",
    "  next: create the folder, then mdmirror serve admin keys change",
  ]);
  return { warnings, exit: unusedGrants.length === 0 ? EXIT.inSync : EXIT.attention };
}

const keyActions: AdminActions = {
  list: {
    options: ["workspace"],
    async run(call) {
      const { only, names } = await readWantedWorkspaces(call);
      const all = unwrap(await listAll(call.session, "listKeys"));
      const wantedKeys = all.filter(({ workspaceId }) => only === null || workspaceId === only);
      const rows = wantedKeys.map((key) => formatKeyRow(call.io, key, names.get(key.workspaceId)));
      return {
        json: { keys: wantedKeys.map((key) => ({ ...key, workspace: names.get(key.workspaceId) ?? null })) },
        lines: rows.length === 0 ? ["there are no keys"] : formatColumns(rows),
      };
    },
  },
  create: {
    options: ["workspace", "out", ...CHANGE_OPTIONS],
    check(args, io) {
      if (args.text("label") === null) refuseUsage("create takes --label, by which the key is known later");
      if (args.texts("grant").length === 0)
        refuseUsage("create takes --grant PATH=LEVEL; --grant /=full is everything");
      checkExpiry(args, io);
    },
    async run(call) {
      const { io, args, session } = call;
      const { id: workspaceId, name } = await findWantedWorkspace(session, args.text("workspace"));
      const body = { grants: [], ...readChanges(args, io), workspaceId };
      const describe = (key: KeyJson) =>
        `created the key ${shownName(key.label)} of ${shownName(name)}: ${describeKey(io, key)} (${key.id})`;
      const madeKey = await createKey(call, () => session.ask("createKey", { body }), describe);
      return { ...madeKey, ...makeGrantWarnings(madeKey.key) };
    },
  },
  change: {
    operandForm: "ID|LABEL",
    options: CHANGE_OPTIONS,
    check(args, io) {
      if (Object.keys(readChanges(args, io)).length === 0)
        refuseUsage("change takes --grant, --expires, --rate or --label");
      checkExpiry(args, io);
    },
    async run({ io, args, session, operand }) {
      const { id } = unwrap(await findKey(session, operand));
      const key = unwrap(await session.ask("changeKey", { id, body: readChanges(args, io) }));
      const line = `changed the key ${shownName(key.label)}: ${describeKey(io, key)}`;
      return { json: { key }, lines: [line], ...makeGrantWarnings(key) };
    },
  },
  revoke: {
    operandForm: "ID|LABEL",
    async run({ session, operand }) {
      const foundKey = unwrap(await findKey(session, operand));
      const { id, label } = foundKey;
      unwrap(await session.ask("revokeKey", { id }));
      const line = `revoked the key ${shownName(label)} (${shownName(id)}): it is refused from now on`;
      return { json: { revoked: foundKey }, lines: [line] };
    },
  },
};

/**
 * Returns in words why a change is in review. A newer service may send a reason that this version
 * of mdmirror does not know; the function then returns the code of the reason.
 */
function describeReviewReason({ reason }: ReviewJson): string {
  const knownReasons: Readonly<Record<string, string>> = REVIEW_REASONS;
  return Object.hasOwn(knownReasons, reason) ? knownReasons[reason]! : shownWords(reason);
}

const REVIEW_STATES: Readonly<Record<string, string>> = { accepted: "it was accepted", rejected: "it was rejected" };

/**
 * Returns the lines that show a review: the review's state, then the differences that the user
 * would publish by accepting. If an edit conflict caused the review, also shows what others
 * published after the version with which the edit began.
 */
function formatReview(io: Io, review: ShownReviewJson): string[] {
  const { path, id, status, at, baseContent: base, liveContent: live, content: sent } = review;
  const formatDiff = (before: string, after: string, names: readonly [string, string]) =>
    formatUnifiedDiff(io, { before: names[0] + path, after: names[1] + path }, before, after);
  const state = REVIEW_STATES[status] ?? choosePaint(io).asks("in review");
  return [
    `${shownName(path)}: ${state} ${shownName(id)} since ${formatLocalTime(at)}, because ${describeReviewReason(review)}`,
    ...(review.reason === "conflict" && base !== null ? formatDiff(base, live, ["base", "live"]) : []),
    ...(live === sent ? ["the submitted version is the published one"] : formatDiff(live, sent, ["live", "sent"])),
  ];
}

const reviewActions: AdminActions = {
  list: {
    options: ["workspace"],
    async run(call) {
      const { only, names } = await readWantedWorkspaces(call);
      const all = unwrap(await listAll(call.session, "listReviews", only === null ? {} : { workspaceId: only })).map(
        (review) => {
          return { ...review, workspace: names.get(review.workspaceId) ?? review.workspaceId };
        },
      );
      const json = { reviews: all };
      if (all.length === 0) return { json, lines: ["nothing is in review"] };
      const rows = all.map((review) => {
        const sinceClause = `since ${formatLocalTime(review.at)} (${formatTimeSince(call.io, review.at)})`;
        return [
          shownName(review.path),
          describeReviewReason(review),
          sinceClause,
          shownName(review.workspace),
          shownName(review.id),
        ];
      });
      const summary = `${plural(all.length, "review")}; next: mdmirror serve admin reviews show ID`;
      return { json, lines: [...formatColumns(rows), summary], exit: EXIT.attention };
    },
  },
  show: {
    operandForm: "ID|PATH",
    async run({ io, session, operand }) {
      const id = unwrap(await findReviewId(session, operand));
      const review = unwrap(await session.ask("showReview", { id }));
      return { json: { review }, lines: formatReview(io, review) };
    },
  },
  accept: {
    operandForm: "ID|PATH",
    options: ["content"],
    async run({ io, args, session, operand }) {
      const file = args.text("content");
      const content = file === null ? null : unwrap(readNewContent(file === "-" ? file : resolve(io.cwd, file)));
      const id = unwrap(await findReviewId(session, operand));
      const acceptOptions = content === null ? {} : { body: { content } };
      const { path } = unwrap(await session.ask("acceptReview", { id, ...acceptOptions }));
      const acceptedVersion = content === null ? "the submitted version" : "the new version";
      return { json: { accepted: id, path }, lines: [`accepted: ${shownName(path)} has ${acceptedVersion}`] };
    },
  },
  reject: {
    operandForm: "ID|PATH",
    async run({ session, operand }) {
      const id = unwrap(await findReviewId(session, operand));
      const { path } = unwrap(await session.ask("rejectReview", { id }));
      const line = `rejected: ${shownName(path)} is unchanged; the submitted version stays in its history`;
      return { json: { rejected: id, path }, lines: [line] };
    },
  },
};

function makeStateAction(state: "open" | "closed", words: string): AdminAction {
  return {
    operandForm: "ID|NAME",
    async run({ session, operand }) {
      const { id } = unwrap(await findWorkspace(session, operand));
      const workspace = unwrap(await session.ask("setState", { id, body: { state } }));
      return { json: { workspace }, lines: [`${shownName(workspace.name)} is ${state}: ${words}`] };
    },
  };
}

const workspaceActions: AdminActions = {
  list: {
    async run({ session }) {
      const all = unwrap(await listAll(session, "listWorkspaces"));
      const rows = all.map(({ id, name, state, documents, inReview }) => {
        const counts = [plural(documents, "document"), `${count(inReview)} in review`];
        return [shownName(name), shownWords(state), ...counts, shownName(id)];
      });
      const noWorkspaceLine = "there is no workspace; next: mdmirror serve admin workspaces create NAME";
      return { json: { workspaces: all }, lines: rows.length === 0 ? [noWorkspaceLine] : formatColumns(rows) };
    },
  },
  create: {
    operandForm: "NAME",
    options: ["out"],
    async run(call) {
      const { session, operand: name } = call;
      const all = unwrap(await listAll(session, "listWorkspaces"));
      if (all.some((workspace) => workspace.name === name))
        return refuse(`the workspace ${shownName(name)} already exists`, "give another name");
      const createWorkspace = () => session.ask("createWorkspace", { body: { name } });
      return createKey(call, createWorkspace, ({ workspaceId, id }) => {
        return `created the workspace ${shownName(name)} (${workspaceId}) and a key with full access (${id})`;
      });
    },
  },
  close: makeStateAction("closed", "it answers its keys with an error until you open it"),
  open: makeStateAction("open", "its keys work"),
  remove: {
    operandForm: "ID|NAME",
    options: ["yes"],
    async run({ io, args, session, operand }) {
      const foundWorkspace = unwrap(await findWorkspace(session, operand));
      const { id, name, documents } = foundWorkspace;
      const all = `${shownName(name)} with ${plural(documents, "document")} and all their history`;
      if (!(await askForYes(io, args.flag("yes"), `remove ${all}, for good?`))) {
        const nextStep = "to remove it, repeat the command with --yes";
        return refuse(`nothing was removed, because this would remove ${all}`, nextStep);
      }
      unwrap(await session.ask("removeWorkspace", { id }));
      return { json: { removed: foundWorkspace }, lines: [`removed ${all}; its keys no longer work`] };
    },
  },
};

/** Actions on keys, reviews or workspaces, by their names. `list` is the default action. */
type AdminActions = Readonly<Record<string, AdminAction>>;

export const ACTIONS = { keys: keyActions, reviews: reviewActions, workspaces: workspaceActions } as const;
