import { createHash } from "node:crypto";
import type { WireRequest } from "../../src/contract/wire.ts";
import { digestOf } from "../../src/model/digest.ts";
import type { Fault, Variant } from "../variants/variant.ts";
import type { Dice } from "./dice.ts";
import { type App, createRig, type Mirror, type Rig } from "./rig.ts";

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

export type Life = {
  readonly seed: number;
  readonly steps: readonly string[];
  /** SHA-256 over every step, request and text: two runs of a seed must agree. */
  readonly trace: string;
  readonly portCalls: number;
  readonly kills: number;
  readonly failures: readonly string[];
};

const NAMES = ["plan.md", "ideas.md", "log.md", "todo.md", "x.md"];
const FOLDERS = ["", "work", "home", "work/deep"];
const VARIANTS: readonly Variant[] = [
  {},
  {},
  { leadingSlashes: true, documentedMembersOnly: true },
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

function befall(dice: Dice, request: WireRequest): Fault {
  const html = { status: 502, headers: { "content-type": "text/html" }, body: "<html>bad gateway</html>" };
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
  const paths = [...mirror.texts().keys()].filter((path) => !path.includes("(theirs)"));
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

const TAG = /^tag (\d+)/;

/** Writes down what happens, and judges it. */
class RunLog {
  readonly #rig: Rig;
  readonly #mirror: Mirror;
  readonly #steps: string[] = [];
  readonly #failures: string[] = [];
  readonly #hash = createHash("sha256");
  /** Tags of documents that somebody deleted: their ids may go. */
  readonly #mayVanish = new Set<string>();
  readonly #edited = new Set<string>();
  readonly #renamed = new Set<string>();
  readonly #ids = new Map<string, string>();
  #halted = false;
  #texts = 0;
  #portCalls = 0;
  #kills = 0;

  constructor(rig: Rig, mirror: Mirror) {
    this.#rig = rig;
    this.#mirror = mirror;
  }

  note(step: string): void {
    this.#steps.push(step);
    this.#hash.update(`${step}\n`);
  }

  /** A text like no other: a tag that stays through its edits, and lines to merge. */
  text(): string {
    const tag = this.#texts++;
    return `tag ${tag}\n\n${Array.from({ length: 8 }, (_, line) => `line ${line} of document ${tag}\n\n`).join("")}`;
  }

  edited(text: string): string {
    const lines = text.split("\n");
    const at = 2 + this.#rig.dice.below(Math.max(1, lines.length - 3));
    lines[at] = `edit ${this.#texts++} of ${lines[at]}`.slice(0, 80);
    return lines.join("\n");
  }

  /**
   * Edited and renamed between two looks, a document is known by likeness at best; and onto the
   * path of one that was removed, by nothing: the path speaks for that one. Renamed alone, it must
   * keep its id.
   */
  noteEdited(text: string): void {
    const tag = TAG.exec(text)?.[1];
    if (tag === undefined) return;
    this.#edited.add(tag);
    if (this.#renamed.has(tag)) this.#mayVanish.add(tag);
  }

  noteRenamed(text: string): void {
    const tag = TAG.exec(text)?.[1];
    if (tag === undefined) return;
    this.#renamed.add(tag);
    if (this.#edited.has(tag)) this.#mayVanish.add(tag);
  }

  mayVanish(text: string): void {
    const tag = TAG.exec(text)?.[1];
    if (tag !== undefined) this.#mayVanish.add(tag);
  }

  async sync(kill: number | null, stormy: boolean): Promise<void> {
    const before = this.#live();
    const idsBefore = this.#liveIds();
    this.#mirror.killAt(kill);
    const report = await this.#mirror.sync();
    this.#portCalls += this.#mirror.calls();
    if (report === null) this.#kills++;
    else {
      this.#halted = report.state === "halted";
      this.#edited.clear();
      this.#renamed.clear();
    }
    this.note(
      `sync${kill === null ? "" : ` killed at ${kill}`}${stormy ? " in a storm" : ""}: ${report?.state ?? "killed"} ${JSON.stringify(report?.counts ?? null)}`,
    );
    for (const request of this.#mirror.requests) this.#hash.update(request);
    this.#mirror.requests.length = 0;
    const kept = this.#kept();
    for (const [text, where] of before)
      if (!kept.has(digestOf(text)))
        this.#fail(`I03 a text of ${where} is nowhere after this sync: ${JSON.stringify(text.slice(0, 60))}`);
    const idsAfter = this.#liveIds();
    for (const [id, tag] of idsBefore)
      if (!idsAfter.has(id) && !this.#mayVanish.has(tag))
        this.#fail(`I09 ${id} (tag ${tag}) vanished, and nobody deleted it`);
  }

  /** Quiet passes: no faults, no edits. */
  async calmDown(): Promise<void> {
    for (let n = 0; n < 8; n++) {
      await this.sync(null, false);
      if (
        n > 1 &&
        /"uploaded":0,"downloaded":0,"createdRemote":0,"createdLocal":0,"movedRemote":0,"movedLocal":0,"deletedRemote":0,"deletedLocal":0,"merged":0/.test(
          this.#steps.at(-1)!,
        )
      )
        return;
    }
    this.#fail("I01 no convergence in 8 quiet syncs");
  }

  check(): void {
    // A guard asks (all of a side went at once): nothing is to converge until somebody answers.
    if (this.#halted) return;
    const { base, conflicts, holds } = this.#facts();
    const remote = this.#rig.app.files();
    const byId = new Map([...remote.values()].map((file) => [file.id as string, file]));
    const local = this.#mirror.texts();
    const open = new Set([...conflicts.values()].map((conflict) => conflict.sidecarPath));
    for (const [path, text] of local) {
      if (open.has(path)) continue;
      const link = base.find((one) => one.localPath === path);
      if (link === undefined) {
        this.#fail(`I01 ${path} is not linked and not held`, ![...holds.values()].some((hold) => hold.path === path));
        continue;
      }
      const file = byId.get(link.id);
      if (conflicts.has(link.id) || holds.has(link.id)) continue;
      this.#fail(`I01 ${path} and its document have different texts`, file?.text !== text);
      // One that would stand where a held file stands has a name of its own here, and keeps it.
      const barred =
        [...holds.values()].some((hold) => hold.path === file?.path) || /-[0-9a-f]{8}(?:\/|\.md$)/.test(path);
      this.#fail(`I01 ${path} is at ${file?.path} on the service`, file?.path !== path && !barred);
    }
    for (const link of base) {
      const there = byId.get(link.id)?.path ?? link.remotePath;
      this.#fail(
        `I12 base has ${link.localPath} at ${link.remotePath}, and it is at ${there}`,
        there !== link.remotePath,
      );
    }
    for (const file of remote.values())
      if (!base.some((link) => link.id === file.id)) this.#fail(`I01 ${file.path} of the service is not linked`);
    // A held document's link says where it was, until it moves again.
    const free = base.filter((link) => !holds.has(link.id));
    this.#fail("I11 two links have one local path", new Set(free.map((link) => link.localPath)).size !== free.length);
    for (const [id, conflict] of conflicts)
      this.#fail(`I27 the sidecar of ${id} is not there`, !local.has(conflict.sidecarPath));
    const temp = [...this.#mirror.disk.user.texts(this.#mirror.path(".mdmirror/tmp"), true).keys()].filter(
      (name) => !name.startsWith("park-"),
    );
    this.#fail(`temp files are left behind: ${temp.join(" ")}`, temp.length > 0);
  }

  #facts() {
    const { links, conflicts, holds } = this.#mirror.state.load();
    return { base: [...links.values()], conflicts, holds };
  }

  #live(): Map<string, string> {
    const live = new Map<string, string>();
    for (const [path, text] of this.#mirror.texts()) live.set(text, `local ${path}`);
    for (const file of this.#rig.app.files().values()) live.set(file.text, `remote ${file.path}`);
    return live;
  }

  #liveIds(): Map<string, string> {
    for (const file of this.#rig.app.files().values()) this.#ids.set(file.id, TAG.exec(file.text)?.[1] ?? "");
    return new Map([...this.#rig.app.files().values()].map((file) => [file.id as string, this.#ids.get(file.id)!]));
  }

  /** Every place where a text may be kept. */
  #kept(): { has(digest: ReturnType<typeof digestOf>): boolean } {
    const live = new Set([...this.#live().keys()].map((text) => digestOf(text)));
    for (const text of this.#mirror.disk.user.texts(this.#mirror.path(".mdmirror"), true).values())
      live.add(digestOf(text));
    return { has: (digest) => live.has(digest) || this.#mirror.state.hasText(digest) };
  }

  #fail(what: string, when = true): void {
    if (when) this.#failures.push(`${what} (after step ${this.#steps.length})`);
  }

  /** A bug that showed itself by throwing. */
  crash(error: unknown): void {
    this.#failures.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }

  end(seed: number): Life {
    for (const [path, text] of this.#mirror.texts()) this.#hash.update(`${path}\n${text}`);
    return {
      seed,
      steps: this.#steps,
      trace: this.#hash.digest("hex"),
      portCalls: this.#portCalls,
      kills: this.#kills,
      failures: this.#failures,
    };
  }
}
