import type { WireRequest } from "../../src/contract/wire.ts";
import { isConflictCopyName } from "../../src/contract/path.ts";
import type { Fault, Variant } from "../variants/variant.ts";
import type { Dice } from "./dice.ts";
import type { App } from "./app.ts";
import type { Mirror } from "./mirror.ts";
import { createRig, type Rig } from "./rig.ts";
import { type Life, RunLog } from "./run-log.ts";

/**
 * One seeded life of a mirror: a person at the disk and a person in the app work at once, the
 * network loses requests and answers, the process is killed at port calls; then quiet passes, and
 * the promises are checked. Same seed, same trace (I32).
 */

export type SimulationOptions = {
  /** Called at the end, for a look at what a failing seed left. */
  readonly onEnd?: (rig: Rig, mirror: Mirror) => void;
  readonly steps?: number;
  readonly kills?: boolean;
  readonly faults?: boolean;
};

const NAMES = ["plan.md", "ideas.md", "log.md", "todo.md", "x.md"];
const FOLDERS = ["", "work", "home", "work/deep"];
const VARIANTS: readonly Variant[] = [
  {},
  {},
  { noLeadingSlashes: true, documentedMembersOnly: true },
  { changeIdMovesOnRename: true },
  { maxPageSize: 3 },
  { noFolderPatchOrDelete: 404 },
];

export async function simulate(seed: number, options: SimulationOptions = {}): Promise<Life> {
  const { steps = 30, kills = true, faults = true } = options;
  let stormy = false;
  const fault = (request: WireRequest): Fault | null =>
    stormy && rig.dice.below(12) === 0 ? befall(rig.dice, request) : null;
  const rig: Rig = createRig(seed, { ...VARIANTS[seed % VARIANTS.length]!, fault });
  const mirror = rig.mirror();
  const life = new RunLog(rig, mirror);
  try {
    await live(life);
  } catch (error) {
    life.crash(error);
  }
  options.onEnd?.(rig, mirror);
  return life.end(seed);

  async function live(life: RunLog): Promise<void> {
    for (let step = 0; step < steps; step++) {
      const roll = rig.dice.below(10);
      if (roll < 4) life.note(actHere(rig.dice, mirror, life));
      else if (roll < 8) life.note(actThere(rig.dice, rig.app, life));
      else {
        stormy = faults && rig.dice.below(2) === 0;
        const kill = kills && rig.dice.below(2) === 0 ? 1 + rig.dice.below(120) : null;
        await life.sync(kill, stormy);
        stormy = false;
      }
    }
    await life.calmDown();
    life.check();
  }
}

const problem = (status: number, code: string, headers = {}) => ({
  status,
  headers: { "content-type": "application/problem+json", ...headers },
  body: JSON.stringify({
    type: "about:blank",
    title: code,
    status,
    code,
    detail: "simulated",
    requestId: "req_simulated",
  }),
});

function befall(dice: Dice, request: WireRequest): Fault {
  const html = { status: 502, headers: { "content-type": "text/html" }, body: "<html>bad gateway</html>" };
  const all: Fault[] = [
    "drop-before",
    "drop-after",
    html,
    problem(503, "service_unavailable", { "retry-after": "1" }),
    problem(500, "internal_error"),
    problem(429, "rate_limited", { "retry-after": "1" }),
  ];
  return request.method === "GET" ? dice.pick(all.filter((one) => one !== "drop-after")) : dice.pick(all);
}

function actHere(dice: Dice, mirror: Mirror, life: RunLog): string {
  const { user } = mirror.disk;
  const paths = [...mirror.texts().keys()].filter((path) => !isConflictCopyName(path));
  const at = (path: string) => mirror.path(path);
  mirror.disk.advance(10);
  const free = place(dice);
  const kind =
    paths.length === 0
      ? "write"
      : dice.pick(["write", "edit", "edit", "edit", "save", "rename", "remove", "move-folder", "remove-folder"]);
  if (kind === "write") {
    if (user.exists(at(free))) return "here: nothing";
    mirror.write(free, life.text());
    return `here: write ${free}`;
  }
  const path = dice.pick(paths);
  const text = user.read(at(path))!;
  if (kind === "edit" || kind === "save") {
    const next = life.edited(text);
    if (kind === "edit") user.write(at(path), next);
    else {
      user.saveAtomically(at(path), next);
    }
    life.noteEdited(text);
  } else if (kind === "rename") {
    if (user.exists(at(free))) return "here: nothing";
    user.makeFolder(at(free).replace(/\/[^/]*$/, ""));
    life.noteRenamed(text);
    user.rename(at(path), at(free));
    return `here: rename ${path} → ${free}`;
  } else if (kind === "remove") {
    life.mayVanish(text);
    user.remove(at(path));
  } else {
    const folder = path.includes("/") ? path.slice(0, path.indexOf("/")) : null;
    if (folder === null) return "here: nothing";
    if (kind === "remove-folder") {
      for (const [below, gone] of mirror.texts()) if (below.startsWith(`${folder}/`)) life.mayVanish(gone);
      user.remove(at(folder));
    } else {
      const to = `${folder}-${dice.below(3)}`;
      if (user.exists(at(to))) return "here: nothing";
      user.rename(at(folder), at(to));
      return `here: rename ${folder}/ → ${to}/`;
    }
  }
  return `here: ${kind} ${path}`;
}

function actThere(dice: Dice, app: App, life: RunLog): string {
  const files = [...app.files().values()];
  const folders = app.folders();
  const free = place(dice);
  const taken = files.some((file) => file.path === free) || folders.includes(free);
  const kind =
    files.length === 0
      ? "create"
      : dice.pick(["create", "edit", "edit", "edit", "rename", "move", "remove", "rename-folder", "remove-folder"]);
  if (kind === "create") {
    if (taken) return "there: nothing";
    app.create(free, life.text());
    return `there: create ${free}`;
  }
  const file = dice.pick(files);
  const name = dice.pick(NAMES);
  const here = file.path.includes("/") ? `${file.path.slice(0, file.path.lastIndexOf("/"))}/${name}` : name;
  if (kind === "edit") app.edit(file.path, life.edited(file.text));
  else if (kind === "rename") {
    if (files.some((other) => other.path === here)) return "there: nothing";
    app.rename(file.path, name);
  } else if (kind === "move") {
    const to = folders.length === 0 ? null : dice.pick([null, ...folders]);
    const target = to === null ? file.path.split("/").at(-1)! : `${to}/${file.path.split("/").at(-1)!}`;
    if (files.some((other) => other.path === target)) return "there: nothing";
    app.move(file.path, to);
    return `there: move ${file.path} → ${target}`;
  } else if (kind === "remove") {
    life.mayVanish(file.text);
    app.remove(file.path);
  } else {
    if (folders.length === 0) return "there: nothing";
    const folder = dice.pick(folders);
    if (kind === "remove-folder") {
      for (const other of files) if (other.path.startsWith(`${folder}/`)) life.mayVanish(other.text);
      app.call("DELETE", `/v1/folders/${folderId(app, folder)}?recursive=true`);
    } else {
      const answer = app.call("PATCH", `/v1/folders/${folderId(app, folder)}`, {
        name: `${folder.split("/").at(-1)!}-${dice.below(3)}`,
      });
      return `there: rename ${folder}/ (${answer.status})`;
    }
    return `there: remove ${folder}/`;
  }
  return `there: ${kind} ${file.path}`;
}

function folderId(app: App, path: string): string {
  return (app.call("GET", `/v1/folders?path=${encodeURIComponent(path)}`).json as { data: { id: string }[] }).data[0]!
    .id;
}

function place(dice: Dice): string {
  const folder = dice.pick(FOLDERS);
  return folder === "" ? dice.pick(NAMES) : `${folder}/${dice.pick(NAMES)}`;
}
