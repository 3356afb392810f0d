import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { readRemote } from "../../scripts/soak/fixture.ts";
import { keptTexts, localTexts } from "../../scripts/soak/oracle.ts";
import type { ServiceProcess } from "../histories/service-process.ts";
import {
  type Command,
  CREATED,
  DOCS,
  type History,
  markOf,
  marksIn,
  paragraph,
  SEEDED,
  showCommand,
  withParagraph,
} from "./history.ts";
import { launch, linkFolders, type LinkedFolder, type LinkedFolders, look } from "./linked-folders.ts";
import { Model, Undecided, Unexplained, type View } from "./model.ts";

/** Thrown for a broken promise. */
class Broken extends Error {}

/** Exit codes: in sync, an open conflict, a change in review. */
const GOOD_CODES = [0, 3, 7];
/** LIMIT: ms that one command of mdmirror may take, and that a daemon may take until it is idle. */
const STEP_MS = 10_000;
const REST_MS = 120_000;
/** ms after which a daemon is killed that sends no request because it has nothing to do. */
const IDLE_MS = 2_000;
const MAX_ROUNDS = 8;

export type Played = {
  readonly end: "holds" | "broken" | "undecided";
  /** The commands and observations; at the end what is broken. */
  readonly trace: readonly string[];
};

/** Plays a history in a new workspace. */
export async function play(service: ServiceProcess, name: string, history: History): Promise<Played> {
  const seeded = SEEDED.map((doc) => [`${doc}.md`, paragraph(doc, 0)] as const);
  const linked = await linkFolders(service, name, seeded);
  const world = new World(linked);
  try {
    await world.play(history);
    return { end: "holds", trace: world.trace };
  } catch (error) {
    if (error instanceof Undecided) return { end: "undecided", trace: world.trace };
    if (!(error instanceof Unexplained || error instanceof Broken)) throw error;
    return { end: "broken", trace: [...world.trace, error.message] };
  } finally {
    await linked.end();
  }
}

/** Runs the commands, and compares what is seen after each with the models. */
class World {
  readonly trace: string[] = [];
  readonly #linked: LinkedFolders;
  readonly #models: ReadonlyMap<string, Model>;
  #number = 0;
  #isEnd = false;

  constructor(linked: LinkedFolders) {
    this.#linked = linked;
    const first = (doc: string) => ({ id: doc, marks: [markOf(doc, 0)], path: `${doc}.md` });
    this.#models = new Map(
      DOCS.map((doc) => [doc, new Model(doc, linked.folders.length, CREATED.includes(doc) ? null : first(doc))]),
    );
  }

  /** @throws Unexplained, Broken */
  async play({ commands, isWatched }: History): Promise<void> {
    for (const command of commands) {
      this.trace.push(showCommand(command));
      for (const folder of this.#active()) if (folder.process!.isEnded) await this.#ended(folder, false);
      for (const model of this.#models.values()) model.begin();
      await this.#run(command, isWatched).catch((error: NodeJS.ErrnoException) => {
        // The user does nothing if mdmirror is replacing the file at this moment.
        if (!["ENOENT", "EEXIST"].includes(error.code!) || this.#active().length === 0) throw error;
      });
      await this.#observe();
    }
    if (isWatched) await this.#awaitRest();
    for (const folder of this.#active()) {
      if (isWatched) folder.process!.kill("SIGTERM");
      await this.#ended(folder, false);
    }
    this.#isEnd = true;
    await this.#converge();
    await this.#judge();
  }

  async #run(command: Command, isWatched: boolean): Promise<void> {
    const folder = this.#linked.folders[command.folder]!;
    const { doc } = command;
    switch (command.do) {
      case "replace":
        return this.#write(folder, doc, (_, added) => added);
      case "add":
        return this.#write(folder, doc, withParagraph);
      case "rename":
        return SEEDED.includes(doc) ? this.#move(folder, doc, `${command.into}${doc}-${++this.#number}.md`) : undefined;
      case "remove":
        return this.#move(folder, doc, null);
      case "resolve":
        return this.#resolve(folder, doc, command.side);
      case "sync":
        return this.#sync(folder);
      case "start":
        if (folder.process === null) launch(folder, [isWatched ? "watch" : "sync", folder.notes], false);
        return undefined;
      case "kill":
        return this.#kill(folder, command, isWatched);
      case "pause":
        return void (await wait(command.ms * 20));
    }
  }

  // Users. Each action reads what it changes, because the model needs the old content (the return
  // value of WRITE in the paper).

  #write(folder: LinkedFolder, doc: string, change: (old: string, added: string, n: number) => string): void {
    const added = paragraph(doc, ++this.#number);
    const path = this.#pathOf(folder, doc) ?? `${doc}.md`;
    const isNew = look(folder, doc).files.length === 0;
    // After a kill, a missing file may be set aside, so it does not count as deleted.
    if (isNew ? SEEDED.includes(doc) || folder.isInterrupted : this.#pathOf(folder, doc) === null) return;
    // mdmirror sets a file aside with its inode, so content written to this descriptor is a late
    // save.
    const file = openSync(join(folder.notes, path), isNew ? "wx+" : "r+");
    const old = readFileSync(file, "utf8");
    this.#see(folder, doc, { files: isNew ? [] : [{ path, marks: marksIn(old) }], copies: null });
    const content = isNew ? added : change(old, added, this.#number);
    writeSync(file, content, 0);
    ftruncateSync(file, Buffer.byteLength(content));
    closeSync(file);
    const marks = marksIn(content);
    this.#models.get(doc)!.write(folder.number, { id: markOf(doc, this.#number), marks, path });
    this.#say(`${path} has ${marks.join(" ")}`);
  }

  /** @param target null if the document is deleted */
  #move(folder: LinkedFolder, doc: string, target: string | null): void {
    const path = this.#pathOf(folder, doc);
    if (path === null) return;
    const file = target === null ? join(folder.user.folder, "deleted.md") : join(folder.notes, target);
    mkdirSync(dirname(file), { recursive: true });
    renameSync(join(folder.notes, path), file);
    this.#see(folder, doc, { files: [{ path, marks: marksIn(readFileSync(file, "utf8")) }], copies: null });
    this.#models.get(doc)!.move(folder.number, target);
    this.#say(`${path} is ${target ?? "deleted"}`);
  }

  async #resolve(folder: LinkedFolder, doc: string, side: Command["side"]): Promise<void> {
    const path = this.#pathOf(folder, doc);
    const { copyPaths } = look(folder, doc);
    if (path === null || folder.process !== null || folder.isInterrupted || copyPaths.length === 0) return;
    this.#models.get(doc)!.choose(folder.number, side === "theirs" ? "theirs" : "mine");
    if (side !== "mine-by-hand")
      return this.#runToEnd(folder, ["resolve", join(folder.notes, path), `--${side}`, "--yes"]);
    for (const copy of copyPaths) rmSync(join(folder.notes, copy));
  }

  // Processes.

  async #sync(folder: LinkedFolder): Promise<void> {
    if (folder.process === null) await this.#runToEnd(folder, ["sync", folder.notes]);
  }

  async #runToEnd(folder: LinkedFolder, args: readonly string[]): Promise<void> {
    const contents = [...localTexts(folder.notes).values()];
    launch(folder, args, this.#isEnd);
    await this.#ended(folder, true);
    for (const mark of contents.flatMap((content) => marksIn(content))) folder.seen.add(mark);
  }

  /** @param isUndisturbed true if no user acted in the folder while the process worked */
  async #ended(folder: LinkedFolder, isUndisturbed: boolean): Promise<void> {
    const process = folder.process!;
    const { code, out } = await process.ended;
    const { isKilled } = process;
    this.#say(`ends with ${code}: ${out.trim().split("\n")[0]}`);
    const isAlone = this.#active().length === 1;
    if (code === null) await folder.tap.drained();
    this.#transfer();
    folder.process = null;
    folder.isInterrupted = code === null;
    if (code === null && isKilled) for (const model of this.#models.values()) model.kill(folder.number);
    const name = `folder ${folder.number}`;
    if (!(code === null ? isKilled : GOOD_CODES.includes(code)))
      throw new Broken(`${name} ends with ${code}: ${out.trim()}`);
    const reviews = await this.#linked.rejectReviews();
    if (!isAlone || code === null) return;
    if (reviews > 0) throw new Broken(`${name} caused a review, although nothing else was at work`);
    if (isUndisturbed) for (const model of this.#models.values()) model.seeRest(folder.number);
  }

  async #kill(folder: LinkedFolder, { moment, nth, ms }: Command, isWatched: boolean): Promise<void> {
    const latest = isWatched && folder.process !== null ? IDLE_MS : REST_MS;
    if (folder.process === null) launch(folder, ["sync", folder.notes], false);
    const process = folder.process!;
    const kill = () => process.kill("SIGKILL");
    let left = nth;
    folder.tap.cut = (now) => {
      if (now === moment && --left === 0) setTimeout(kill, ms);
      return left <= 0 && ms === 0;
    };
    const late = setTimeout(kill, latest);
    await this.#ended(folder, false);
    clearTimeout(late);
    folder.tap.cut = null;
  }

  // Observations.

  #active(): LinkedFolder[] {
    return this.#linked.folders.filter(({ process }) => process !== null);
  }

  #transfer(models: Iterable<Model> = this.#models.values()): void {
    const active = this.#active().map(({ number }) => number);
    for (const model of models) model.transfer(active);
  }

  /**
   * Returns the only file of a document. Returns null if there is none, or if users leave the
   * document alone because of a conflict; they resolve conflicts at the end.
   */
  #pathOf(folder: LinkedFolder, doc: string): string | null {
    const { files } = look(folder, doc);
    const isLeftAlone = this.#models.get(doc)!.isAmbiguous && !this.#isEnd;
    return files.length === 1 && !isLeftAlone ? files[0]!.path : null;
  }

  #see(folder: LinkedFolder, doc: string, view: View): void {
    if (folder.isInterrupted && view.files.length === 0) return;
    const model = this.#models.get(doc)!;
    this.#transfer([model]);
    model.seeFolder(folder.number, folder.isInterrupted ? { ...view, copies: null } : view);
  }

  async #observe(): Promise<void> {
    for (const folder of this.#linked.folders)
      for (const doc of DOCS) await this.#explained(() => this.#see(folder, doc, look(folder, doc)));
    await this.#explained(async () => {
      const remote = [...(await readRemote(this.#linked))];
      this.#transfer();
      for (const [doc, model] of this.#models) {
        const files = remote.map(([path, { text }]) => ({ path, marks: marksIn(text, doc) }));
        model.seeRemote(files.filter(({ marks }) => marks.length > 0));
      }
    });
  }

  /**
   * Observes again for some time if a process is working, because an observation may fall into the
   * middle of a step.
   */
  async #explained(see: () => void | Promise<void>): Promise<void> {
    const until = performance.now() + STEP_MS;
    for (;;)
      try {
        return await see();
      } catch (error) {
        if (this.#active().length === 0 || performance.now() > until) throw error;
        await wait(20);
      }
  }

  /** Waits until the folders show the end state of idle daemons. */
  async #awaitRest(): Promise<void> {
    const until = performance.now() + REST_MS;
    const active = this.#active().map(({ number }) => number);
    for (let why = ""; ; ) {
      await this.#observe();
      try {
        for (const [doc, model] of this.#models) {
          const left = model.atRest(active);
          for (const folder of this.#active()) left.seeFolder(folder.number, look(folder, doc));
        }
        return;
      } catch (error) {
        why = String(error);
      }
      if (performance.now() > until) throw new Broken(`the daemons do not come to rest: ${why}`);
      await wait(200);
    }
  }

  /** Syncs the folders in turn and resolves each conflict, until all sides are equal. */
  async #converge(): Promise<void> {
    for (let round = 1; ; round++) {
      for (const folder of this.#linked.folders) {
        this.trace.push(`at the end: sync ${folder.number}`);
        await this.#sync(folder);
        const side = (round + folder.number) % 2 === 0 ? "mine" : "theirs";
        for (const doc of DOCS) await this.#resolve(folder, doc, side);
        await this.#observe();
      }
      const differences = await this.#differences();
      if (differences.length === 0) return;
      if (round === MAX_ROUNDS) throw new Broken(`the sides still differ: ${differences.join(", ")}`);
    }
  }

  async #differences(): Promise<string[]> {
    const remote = await readRemote(this.#linked);
    return this.#linked.folders.flatMap(({ notes, number }) => {
      const local = localTexts(notes);
      const paths = new Set([...local.keys(), ...remote.keys()]);
      return [...paths]
        .filter((path) => local.get(path) !== remote.get(path)?.text)
        .map((path) => `${number}: ${path}`);
    });
  }

  /**
   * Checks what a model of one document cannot know: no paragraph is in two documents, and replaced
   * content is kept.
   */
  async #judge(): Promise<void> {
    for (const { number, notes, seen } of this.#linked.folders) {
      const local = localTexts(notes);
      // Two documents that met at one path may share a paragraph.
      const docs = DOCS.filter((doc) => !this.#models.get(doc)!.isAmbiguous);
      const marks = [...local.values()].flatMap((content) => docs.flatMap((doc) => marksIn(content, doc)));
      const doubled = marks.filter((mark, at) => marks.indexOf(mark) !== at);
      const kept = (await keptTexts(this.#linked, notes)).marks;
      const lost = [...seen].filter((mark) => !kept.has(mark));
      for (const [what, found] of Object.entries({ doubled, lost }))
        if (found.length > 0) throw new Broken(`folder ${number} has ${what}: ${found.join(", ")}`);
    }
  }

  #say(what: string): void {
    this.trace.push(`  ${what}`);
  }
}
