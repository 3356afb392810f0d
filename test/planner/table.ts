import { expect } from "vitest";
import { makePlan } from "../../src/mirror/planner/plan.ts";
import type { Plan, SafetySignals } from "../../src/mirror/planner/plan-types.ts";
import { DEFAULT_GUARD_LIMITS, type Policy } from "../../src/mirror/model/policy.ts";
import { SHELL_METACHARACTERS } from "../../src/contract/names.ts";
import { EXACT_DISK, isWithin } from "../../src/contract/path.ts";
import type { Action } from "../../src/mirror/model/action.ts";
import { execute } from "./executor.ts";
import { treesOf, World } from "./world.ts";
import { forgetNewestCopy } from "../../src/mirror/model/record.ts";
import { makeConflictCopyPath } from "../../src/mirror/model/names.ts";

/**
 * Base, local commands, remote commands, and the steps and blocks of the plan, separated by `; `.
 */
export type Row = readonly [base: string, local: string, remote: string, plan: string];

export function planOf(world: World, policy: Partial<Policy> = {}, signals: Partial<SafetySignals> = {}): Plan {
  return makePlan(treesOf(world), { ...POLICY, ...policy }, { ...SIGNALS, ...signals }, world.lookup());
}

export function describePlan(plan: Plan): string {
  return planWords(plan).join("; ");
}

export function worldAfter([base, local, remote]: Row, prepare: (world: World) => void = () => undefined): World {
  const world = worldOf(() => new World(), base);
  prepare(world);
  doLocally(world, local);
  doRemotely(world, remote);
  return world;
}

/** Expects the plan of the row, and that nothing is left to do after it is applied. */
export function checkRow(row: Row, policy: Partial<Policy> = {}, prepare?: (world: World) => void): void {
  const world = worldAfter(row, prepare);
  expect(describePlan(planOf(world, policy))).toBe(row[3]);
  for (let pass = 0; pass < 4; pass++) {
    const { steps } = planOf(world, policy);
    if (steps.length === 0) return;
    execute(world, steps, () => 0);
  }
  expect(describePlan(planOf(world, policy))).toBe("");
}

export const POLICY: Policy = {
  names: "map",
  refusedCharacters: SHELL_METACHARACTERS,
  remoteFolding: EXACT_DISK,
  direction: "both",
  prefer: null,
  conflicts: () => "conflict-copy",
  canMoveFolders: true,
  canMoveToRoot: true,
  retryRefused: false,
  unchangedContents: null,
  absentTwice: null,
  guards: DEFAULT_GUARD_LIMITS,
};

export const SIGNALS: SafetySignals = {
  root: "same",
  lossesDone: { local: 0, remote: 0 },
  earlierVersions: new Set(),
  restored: false,
  conflictsOpened: 0,
  emptied: new Set(),
  approved: new Set(),
};

/** Returns a step as in the tables: kind and paths. `~` marks a temporary path. */
function wordsOf(action: Action): string {
  switch (action.kind) {
    case "move-local":
    case "rename-remote":
    case "reparent-remote":
    case "move-folder-local":
    case "rename-folder-remote":
    case "reparent-folder-remote":
    case "move-conflict-copy":
      return `${action.kind} ${action.from}>${action.to}${"temporary" in action && action.temporary ? "~" : ""}`;
    case "relink":
    case "create-local":
    case "create-remote":
    case "meet":
    case "link-folder":
    case "make-folder-local":
    case "make-folder-remote":
      return `${action.kind}${action.kind === "link-folder" && action.carries !== null ? " alone" : ""} ${action.localPath === action.remotePath ? action.localPath : `${action.localPath}=${action.remotePath}`}`;
    case "delete-remote":
    case "remove-folder-remote":
      return `${action.kind} ${action.remotePath}`;
    case "note-facts":
      return `note-facts ${action.state}${action.protected ? " protected" : ""}`;
    case "look-again":
    case "forget-folder":
      return action.kind;
    case "end-conflict":
      return `end-conflict ${action.how} ${action.localPath}`;
    case "trash-local":
      return `trash-local ${action.localPath}${action.cause === "outside" ? " outside" : ""}`;
    case "drop-conflict":
      return `drop-conflict ${action.newestCopyPath ?? "-"}`;
    case "put":
      return `${action.kind} ${action.localPath}${action.review ? " review" : ""}`;
    default:
      return `${action.kind} ${action.localPath}`;
  }
}

/** Returns all steps in order, then the blocks, with shortened temporary names. */
export function planWords(plan: Plan): string[] {
  const steps = plan.steps.map(({ action }) => wordsOf(action));
  const blocks = plan.blocks.map(({ reason, path }) => `block ${reason} ${path}`);
  return [...steps, ...blocks].map((word) =>
    word.replaceAll(/-mdmirror-[0-9a-f]{8}/g, "-TMP").replaceAll(/-[0-9a-f]{8}\b/g, "-HEX"),
  );
}

/**
 * Commands of the tables, separated by `;`. Base: `a.md=text d/ d/b.md=text`. Local: `new P T`,
 * `edit P T`, `save P T` (by rename, so with a new inode), `rm P`, `mv P Q`, `cp P Q`, `mkdir P`,
 * `rmdir P` (with its contents), `touch P`. On the service: the same without inodes. `|` in a text
 * is a line feed. For conflict copies: `rm P`, `choose P Q T` (move it over its document), `take P`
 * (mdmirror itself has removed it).
 */
function worldOf(make: () => World, base: string): World {
  const world = make();
  for (const word of base.split(" ").filter(Boolean)) {
    if (word.endsWith("/")) {
      const path = word.slice(0, -1);
      world.makeFolders(`${path}/x`);
      world.newDirs(`${path}/x`);
      world.recordFolders();
    } else {
      const [paths, text = ""] = word.split("=");
      const [local, remote = local] = paths!.split(">");
      world.synced(local!.replaceAll("_", " "), text.replaceAll("|", "\n"), remote!.replaceAll("_", " "));
    }
  }
  return world;
}

export function doLocally(world: World, commands: string): void {
  for (const [verb, a, b] of parse(commands)) {
    switch (verb) {
      case "new":
        world.makeFolders(a);
        world.write(a, b);
        break;
      case "edit":
        world.files.get(a)!.text = b;
        break;
      case "save":
        world.files.delete(a);
        world.write(a, b);
        break;
      case "rm":
        if (!world.files.delete(a) && !world.others.delete(a)) throw new Error(`no ${a}`);
        break;
      case "choose": {
        const [to = "", text = ""] = b.split(" ");
        const { ino } = world.others.get(a)!;
        world.others.delete(a);
        world.files.set(to, { text, ino, birthMs: 1, nlink: 1, fault: null });
        break;
      }
      case "take": {
        const conflict = world.conflicts.get(world.idAt(a))!;
        world.conflicts.set(conflict.id, { ...forgetNewestCopy(conflict), looksGone: conflict.looksGone });
        break;
      }
      case "left":
        world.patchRecord(world.idAt(a), { state: "outside" });
        break;
      case "mv":
        world.makeFolders(b);
        world.moveLocal(a, b);
        break;
      case "cp":
        world.write(b, world.files.get(a)!.text);
        break;
      case "mkdir":
        world.makeFolders(`${a}/x`);
        break;
      case "rmdir":
        for (const path of world.files.keys()) if (isWithin(path, a)) world.files.delete(path);
        for (const path of world.folders.keys()) if (isWithin(path, a)) world.folders.delete(path);
        break;
      case "other":
        world.others.set(a, { kind: b as "ignored", ino: world.next() });
        break;
      case "rename-to-other": {
        world.others.set(b, { kind: "other-file", ino: world.files.get(a)!.ino });
        world.files.delete(a);
        break;
      }
      case "fault":
        world.files.get(a)!.fault = b as "not-utf-8";
        break;
      case "unseen":
        world.files.delete(a);
        world.others.delete(a);
        world.unseen.set(a, b);
        break;
      case "ignore":
        world.ignored = (path) => isWithin(path, a);
        for (const path of world.files.keys()) if (isWithin(path, a)) world.files.delete(path);
        for (const path of world.folders.keys()) if (isWithin(path, a)) world.folders.delete(path);
        break;
      default:
        throw new Error(`unknown command ${verb}`);
    }
  }
}

export function doRemotely(world: World, commands: string): void {
  for (const [verb, a, b] of parse(commands)) {
    switch (verb) {
      case "new":
        world.newDirs(a);
        world.newDocument(a, b);
        break;
      case "edit": {
        const document = world.documents.get(world.idAt(a))!;
        document.text = b;
        document.changeId = world.newChange();
        break;
      }
      case "rm":
        world.documents.delete(world.idAt(a));
        break;
      case "mv": {
        world.newDirs(b);
        const dir = [...world.dirs].find(([, path]) => path === a)?.[0];
        if (dir === undefined) world.documents.get(world.idAt(a))!.path = b;
        else world.moveDir(dir, b);
        break;
      }
      case "mkdir":
        world.newDirs(`${a}/x`);
        break;
      case "rmdir":
        for (const [id, { path }] of world.documents) if (isWithin(path, a)) world.documents.delete(id);
        for (const [id, path] of world.dirs) if (isWithin(path, a)) world.dirs.delete(id);
        break;
      case "unlist-folders":
        world.foldersComplete = false;
        world.dirs.clear();
        break;
      case "protect":
        world.documents.get(world.idAt(a))!.protected = b !== "off";
        break;
      case "unsee": {
        const id = world.idAt(a);
        world.documents.delete(id);
        world.remoteUnseen.set(id, "a page failed");
        break;
      }
      case "outside": {
        const id = world.idAt(a);
        world.documents.delete(id);
        world.outside.add(id);
        break;
      }
      default:
        throw new Error(`unknown command ${verb}`);
    }
  }
}

/**
 * Opens a conflict like the engine: the local file stays, and a conflict copy shows the service's
 * version.
 */
export function openConflict(world: World, path: string): void {
  const id = world.idAt(path);
  const document = world.documents.get(id)!;
  const record = world.records.get(id)!;
  const ino = world.next();
  world.others.set(makeConflictCopyPath(path, "theirs", 1, world.disk.maxNameBytes), { kind: "conflict-copy", ino });
  world.conflicts.set(id, {
    id,
    baseDigest: record.digest,
    baseChangeId: record.changeId,
    newestCopyPath: makeConflictCopyPath(path, "theirs", 1, world.disk.maxNameBytes),
    shown: [{ changeId: document.changeId, digest: world.digest(document.text), ino, dev: 1 }],
    looksGone: 0,
    since: 0,
  });
}

function parse(commands: string): [string, string, string][] {
  return commands
    .split(";")
    .map((command) => command.trim())
    .filter(Boolean)
    .map((command) => {
      const [verb = "", a = "", ...rest] = command.split(" ");
      return [verb, a.replaceAll("_", " "), rest.join(" ").replaceAll("_", " ").replaceAll("|", "\n")];
    });
}
