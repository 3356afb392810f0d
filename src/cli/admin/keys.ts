import type { AdminSession } from "../../service/admin/session.ts";
import type { KeyChanges, KeyGrant, KeyJson, WorkspaceJson } from "../../service/admin/operations.ts";
import { unwrap } from "../../common/trouble.ts";
import { shownName, shownWords } from "../../common/shown-name.ts";
import type { Args, Io } from "../command.ts";
import { EXIT, misuse, refuse } from "../exit.ts";
import { age, columns } from "../text.ts";
import { localTime } from "../../mirror/operations/results/when.ts";
import type { CommandResult } from "../show-result.ts";
import { type Action, type Actions, wantedWorkspaces, createKey } from "./action.ts";
import { findKey, findWorkspace, listKeys, listWorkspaces } from "../../service/admin/look.ts";
import { readIso } from "../../mirror/operations/history/as-of.ts";
import { parseAge } from "../../common/age.ts";
import { memberOf, readRate } from "../service-data.ts";

const LEVELS = ["full", "edit", "read", "none"] as const;

/** Reads `--grant`, `--expires`, `--rate` and `--label`. */
function readChanges(args: Args, io: Io): KeyChanges {
  const grants = args.texts("grant").map(readGrant);
  const label = args.text("label");
  return {
    ...(grants.length === 0 ? {} : { grants }),
    ...(label === null ? {} : { label }),
    ...memberOf("expiresAt", args.text("expires"), (text) => readExpiry(text, io.clock.now())),
    ...memberOf("rateLimit", args.text("rate"), readRate),
  };
}

/** Reads a grant such as `notes/2026=read`; the path itself may contain `=`. */
function readGrant(text: string): KeyGrant {
  const cut = text.lastIndexOf("=");
  const path = text.slice(0, cut).replace(/^\/+|\/+$/g, "");
  return { on: path === "" ? null : `/${path}`, level: LEVELS.find((one) => one === text.slice(cut + 1))! };
}

/** Returns milliseconds since the epoch; 0 for a text that is not a time. */
function readExpiry(text: string, now: number): number {
  const length = parseAge(text);
  return length === null ? (readIso(text) ?? 0) : now + length;
}

/** Refuses a value of `--expires` that has passed or is not a time. */
function checkExpiry(args: Args, io: Io): void {
  const { expiresAt = null } = readChanges(args, io);
  if (expiresAt !== null && expiresAt <= io.clock.now())
    misuse("--expires takes a future time, such as 30d or 2027-01-31, or never");
}

const CHANGES = ["grant", "expires", "rate", "label"] as const;

const list: Action = {
  takes: null,
  options: ["workspace"],
  async run(io, args, session) {
    const { only, names } = await wantedWorkspaces(session, args);
    const all = unwrap(await listKeys(session));
    const keys = all.filter(({ workspaceId }) => only === null || workspaceId === only);
    return {
      json: { keys: keys.map((key) => ({ ...key, workspace: names.get(key.workspaceId) ?? null })) },
      lines: keys.length === 0 ? ["there are no keys"] : columns(keys.map((key) => cells(io, key, names))),
    };
  },
};

function cells(io: Io, key: KeyJson, names: ReadonlyMap<string, string>): string[] {
  const name = names.get(key.workspaceId);
  return [
    key.label === "" ? "(no label)" : shownName(key.label),
    name === undefined ? "(a removed workspace)" : shownName(name),
    grantsWords(key),
    key.lastUsedAt === null ? "never used" : `used ${age(io, key.lastUsedAt)} ago`,
    expiryWords(io, key),
    rateWords(key),
    shownName(key.id),
  ];
}

function grantsWords({ grants }: KeyJson): string {
  const words = grants.map(({ path, level, waits }) => {
    return `${shownName(path)}=${shownWords(level)}${waits ? " (nothing at this path)" : ""}`;
  });
  return words.length === 0 ? "no access" : words.join(" ");
}

function expiryWords(io: Io, { expiresAt }: KeyJson): string {
  if (expiresAt === null) return "does not expire";
  return `${expiresAt <= io.clock.now() ? "expired" : "expires"} ${localTime(expiresAt)}`;
}

function keyWords(io: Io, key: KeyJson): string {
  return `${grantsWords(key)}; ${expiryWords(io, key)}; ${rateWords(key)}`;
}

function rateWords({ rateLimit }: KeyJson): string {
  return rateLimit === null ? "no rate of its own" : `${rateLimit.requests} requests in ${rateLimit.seconds} s`;
}

const create: Action = {
  takes: null,
  options: ["workspace", "out", ...CHANGES],
  check(args, io) {
    if (args.text("label") === null) misuse("create takes --label, by which the key is known later");
    if (args.texts("grant").length === 0) misuse("create takes --grant PATH=LEVEL; --grant /=full is everything");
    checkExpiry(args, io);
  },
  async run(io, args, session) {
    const { id: workspaceId, name } = await workspaceOf(session, args.text("workspace"));
    const body = { grants: [], ...readChanges(args, io), workspaceId };
    const describe = (key: KeyJson) =>
      `created the key ${shownName(key.label)} of ${shownName(name)}: ${keyWords(io, key)} (${key.id})`;
    const made = await createKey(io, args, () => session.ask("createKey", { body }), describe);
    return { ...made, ...warningsOf(made.key) };
  },
};

/** Returns the workspace with this name; without a name, the only workspace. */
async function workspaceOf(session: AdminSession, word: string | null): Promise<WorkspaceJson> {
  if (word !== null) return unwrap(await findWorkspace(session, word));
  const all = unwrap(await listWorkspaces(session));
  const [first, ...others] = all;
  if (first === undefined) return refuse("there is no workspace", "mdmirror serve admin workspaces create NAME");
  if (others.length === 0) return first;
  const names = all.map(({ name }) => shownName(name)).join(", ");
  return refuse(`there are ${all.length} workspaces: ${names}`, "choose one with --workspace");
}

/** Warns about grants on paths where nothing exists, because such a path may be a typing error. */
function warningsOf({ grants }: KeyJson): Required<Pick<CommandResult, "warnings" | "exit">> {
  const waiting = grants.filter(({ waits, level }) => waits && level !== "none");
  const warnings = waiting.flatMap(({ path }) => [
    `mdmirror: nothing exists at ${shownName(path)}, so this grant has no effect yet; a later document or folder at this path gets the`,
    "  rights of the folder above it, or these if they are fewer",
    "  next: create the folder, then mdmirror serve admin keys change",
  ]);
  return { warnings, exit: waiting.length === 0 ? EXIT.inSync : EXIT.attention };
}

const change: Action = {
  takes: "ID|LABEL",
  options: CHANGES,
  check(args, io) {
    if (Object.keys(readChanges(args, io)).length === 0) misuse("change takes --grant, --expires, --rate or --label");
    checkExpiry(args, io);
  },
  async run(io, args, session, word) {
    const { id } = unwrap(await findKey(session, word));
    const key = unwrap(await session.ask("changeKey", { id, body: readChanges(args, io) }));
    const line = `changed the key ${shownName(key.label)}: ${keyWords(io, key)}`;
    return { json: { key }, lines: [line], ...warningsOf(key) };
  },
};

const revoke: Action = {
  takes: "ID|LABEL",
  options: [],
  async run(_io, _args, session, word) {
    const found = unwrap(await findKey(session, word));
    const { id, label } = found;
    unwrap(await session.ask("revokeKey", { id }));
    const line = `revoked the key ${shownName(label)} (${shownName(id)}): it is refused from now on`;
    return { json: { revoked: found }, lines: [line] };
  },
};

export const actions: Actions = { list, create, change, revoke };
