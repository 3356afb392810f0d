import type { DocId } from "../../../../src/contract/ids.ts";
import type { WireRequest } from "../../../../src/contract/wire.ts";
import { digestOf } from "../../../../src/contract/digest.ts";
import { sameExceptTextForm } from "../../../../src/mirror/model/text-form.ts";
import type { RunReport } from "../../../../src/mirror/engine/run/report.ts";
import { syncToConvergence } from "../../../../src/mirror/engine/run/sync.ts";
import type { World } from "../../../../src/mirror/engine/run/world.ts";
import type { Fault, Variant } from "../../../variants/variant.ts";
import { Moment } from "../../moment.ts";
import { type Mirror, type MirrorOptions, SETTINGS } from "../../mirror.ts";
import { createRig, type Rig } from "../../rig.ts";

/**
 * A fault-injection test: a short story in which one thing fails at every possible moment. `run`
 * returns the broken promises, each with its id; empty: none.
 */
export type FaultTest = { readonly name: string; readonly run: () => Promise<readonly string[]> };

/** Returns twelve unique lines, so that edits of different lines merge. */
export function textOf(name: string): string {
  return Array.from({ length: 12 }, (_, line) => `line ${line} of ${name}, as it was\n\n`).join("");
}

/** Rewrites one line with a mark, which must be live on a side at the end. */
export function marked(text: string, line: number, mark: string): string {
  return text
    .split("\n\n")
    .map((one, at) => (at === line ? `mark ${mark};` : one))
    .join("\n\n");
}

export class Stage {
  readonly rig: Rig;
  readonly mirror: Mirror;
  readonly failures: string[] = [];
  /** Fault of a request at present; null: none. */
  befall: (request: WireRequest) => Fault | null = () => null;
  /** Every request that was sent to the service, with its body. */
  readonly sent: WireRequest[] = [];
  readonly #marks = new Set<string>();
  readonly #story: string;
  readonly #variant: Omit<Variant, "fault">;
  readonly #options: MirrorOptions;
  /** Ids of the first documents, by their paths at the beginning. */
  readonly #ids = new Map<string, DocId>();
  readonly #mayGo = new Set<string>();

  /** @param from copy of a stage with the same variant and options */
  constructor(
    story: string,
    variant: Omit<Variant, "fault"> = {},
    options: (rig: Rig) => MirrorOptions = () => ({}),
    from: Moment | null = null,
  ) {
    this.#story = story;
    this.#variant = variant;
    const fault = (request: WireRequest) => {
      this.sent.push(request);
      return this.befall(request);
    };
    this.rig = createRig(11, { ...variant, fault }, undefined, from?.rig);
    this.#options = options(this.rig);
    this.mirror = this.rig.mirror(this.#options, from?.mirror);
  }

  /** @returns a function that makes stages from this state, each with a story of its own */
  again(): (story: string) => Stage {
    const moment = new Moment(this);
    const [ids, marks, mayGo] = [new Map(this.#ids), new Set(this.#marks), new Set(this.#mayGo)];
    const failures = [...this.failures];
    return (story) => {
      const stage = new Stage(story, this.#variant, () => this.#options, moment);
      for (const [path, id] of ids) stage.#ids.set(path, id);
      for (const mark of marks) stage.#marks.add(mark);
      for (const path of mayGo) stage.#mayGo.add(path);
      stage.failures.push(...failures);
      return stage;
    };
  }

  /** Creates documents that both sides have. */
  async begin(paths: readonly string[], text: (path: string) => string = textOf): Promise<void> {
    for (const path of paths) this.rig.app.create(path, text(path));
    await this.mirror.sync();
    for (const [path, { id }] of this.rig.app.files()) this.#ids.set(path, id);
  }

  id(path: string): DocId {
    const id = this.#ids.get(path);
    if (id === undefined) throw new Error(`${path} was not there in the beginning`);
    return id;
  }

  /** A user deleted the document: its id may go. */
  mayGo(path: string): void {
    this.#mayGo.add(path);
  }

  mustStay(path: string): void {
    this.#mayGo.delete(path);
  }

  here(path: string, line: number, mark: string): void {
    const text = this.mirror.disk.user.read(this.mirror.path(path));
    if (text === null) return;
    this.#marks.add(mark);
    this.mirror.disk.user.write(this.mirror.path(path), marked(text, line, mark));
    this.mirror.disk.advance(10);
  }

  there(id: DocId, line: number, mark: string): void {
    const file = [...this.rig.app.files().values()].find((one) => one.id === id);
    if (file === undefined) return;
    this.#marks.add(mark);
    this.rig.app.edit(file.path, marked(file.text, line, mark));
  }

  noteMark(mark: string): void {
    this.#marks.add(mark);
  }

  fail(what: string): void {
    this.failures.push(`${what} [${this.#story}]`);
  }

  expect(what: string, is: boolean): void {
    if (!is) this.fail(what);
  }

  /**
   * Syncs as cron does: refused changes are not tried again. `world`: ports that differ for this
   * run.
   */
  async syncAsCron(world: Partial<World> = {}): Promise<RunReport> {
    try {
      return await syncToConvergence(
        { ...this.mirror.world(), ...world },
        { settings: SETTINGS, retryRefused: false, kind: "sync" },
      );
    } finally {
      this.mirror.disk.beforeCall = null;
      this.mirror.disk.advance(10);
    }
  }

  /** Checks, at any time, that base's content of each version is the content of that version. */
  checkBase(): void {
    const { links } = this.mirror.state.load();
    for (const { id, path, text, changeId } of this.rig.app.files().values()) {
      const link = links.get(id);
      if (link === undefined || link.changeId !== changeId) continue;
      this.expect(
        `I12 base has another text of ${path} than the service has under that change id`,
        link.digest === digestOf(text),
      );
    }
  }

  /**
   * Returns everything that outlives a process: the disk, the state, and the requests that were
   * sent.
   */
  leftovers(): string {
    const { disk, path, state } = this.mirror;
    const { links, conflicts, holds, tombstones, dirs } = state.load();
    const kept = [
      ...links.values(),
      ...conflicts.values(),
      ...holds.values(),
      ...tombstones.values(),
      ...dirs.values(),
    ];
    const requests = this.sent.filter(({ method }) => method !== "GET").length;
    return JSON.stringify([[...disk.user.texts(path(""), true)], state.intents(), kept, requests]);
  }

  /**
   * Syncs without faults until nothing changes any more; then checks the promises that hold in
   * every story.
   */
  async settle(): Promise<void> {
    this.befall = () => null;
    let quiet = false;
    for (let n = 0; n < 6 && !quiet; n++) quiet = (await this.#isQuiet()) && n > 0;
    this.expect("I01 I02 six runs without trouble do not come to rest", quiet);
    this.#checkTrees();
    const left = [...this.mirror.disk.user.texts(this.mirror.path(".mdmirror/tmp"), true).keys()];
    this.expect(`I13 left in the folder for temporary files: ${left.join(" ")}`, left.length === 0);
  }

  /**
   * Runs once.
   * @returns true if the run wrote nothing on either side
   */
  async #isQuiet(): Promise<boolean> {
    this.sent.length = 0;
    const before = JSON.stringify([...this.mirror.texts()]);
    await this.mirror.sync();
    return this.sent.every(({ method }) => method === "GET") && JSON.stringify([...this.mirror.texts()]) === before;
  }

  #checkTrees(): void {
    const { links, conflicts, holds } = this.mirror.state.load();
    const local = this.mirror.texts();
    const files = this.rig.app.files();
    const live = [...local.values(), ...[...files.values()].map(({ text }) => text)].join("\n");
    for (const mark of this.#marks)
      this.expect(`I03 I06 I14 the edit ${mark} is live nowhere`, live.includes(`mark ${mark};`));
    const ids = new Set([...files.values()].map(({ id }) => id));
    for (const [path, id] of this.#ids)
      this.expect(`I04 I09 the document ${path} is gone, and nobody deleted it`, ids.has(id) || this.#mayGo.has(path));
    for (const { id, localPath, digest } of links.values()) {
      const file = [...files.values()].find((one) => one.id === id);
      const isHeld = conflicts.has(id) || holds.has(id);
      if (file === undefined || isHeld) continue;
      this.expect(`I01 ${localPath} is at ${file.path} on the service`, file.path === localPath);
      const isSame = sameExceptTextForm(file.text, local.get(localPath) ?? "");
      this.expect(`I01 ${localPath} has another text on the service`, isSame);
      this.expect(`I12 the base of ${localPath} is not the service's text`, digestOf(file.text) === digest);
    }
    const sidecars = new Set([...conflicts.values()].map(({ newestCopyPath }) => newestCopyPath));
    for (const path of local.keys()) {
      if (sidecars.has(path)) continue;
      const isKnown = [...links.values()].some((link) => link.localPath === path) || holds.has(path);
      this.expect(`I01 ${path} is linked to nothing, and not held`, isKnown);
    }
    for (const path of files.keys()) {
      const isKnown = [...links.values()].some((link) => link.remotePath === path);
      this.expect(`I01 ${path} of the service is linked to nothing`, isKnown);
      this.expect(`I27 a sidecar is on the service: ${path}`, !/theirs/.test(path));
    }
  }
}

/**
 * Makes a fault-injection test with a stage of its own.
 * @param variant how its service differs
 */
export function faultTest(
  name: string,
  variant: ConstructorParameters<typeof Stage>[1],
  run: (stage: Stage) => Promise<void>,
): FaultTest {
  return {
    name,
    async run() {
      const stage = new Stage(name, variant);
      await run(stage);
      return stage.failures;
    },
  };
}
