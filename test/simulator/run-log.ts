import { createHash } from "node:crypto";
import { digestOf } from "../../src/contract/digest.ts";
import type { Mirror } from "./mirror.ts";
import type { Rig } from "./rig.ts";

export type Life = {
  readonly seed: number;
  readonly steps: readonly string[];
  /** SHA-256 over every step, request and text: two runs of a seed must agree. */
  readonly trace: string;
  readonly portCalls: number;
  readonly kills: number;
  readonly failures: readonly string[];
};

const TAG = /^tag (\d+)/;

/** Writes down what happens, and judges it. */
export class RunLog {
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
      this.#halted = report.state === "stopped";
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
