import { posix } from "node:path";
import { isConflictCopyName } from "../../../src/contract/path.ts";
import type { RunReport } from "../../../src/mirror/engine/run/report.ts";
import { type Dice, rollDice } from "../../simulator/dice.ts";
import type { Mirror } from "../../simulator/mirror.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";
import { ACTS, FOLDERS, relative, SAYS_A_LINK, titleOf } from "./linked-acts.ts";

/**
 * Documents that link each other in circles, by Markdown links and by wiki links, moved, swapped,
 * edited and deleted on both sides, with kills. Each is known by its title, and a link says the
 * title of its target: so the oracle needs nothing of what it judges. On disk a link names a path,
 * on the service an id.
 */

const LINK = /(?<!\[)\[(T\d+)\]\(([^)#]*)[^)]*\)/g;
const WIKI_BY_ID = /\[\[(T\d+)\]\]\(([^)#]*)/g;
const WIKI_BY_NAME = /\[\[([^[\]|#]+)\|(T\d+)\]\](?!\()/g;

export class LinkedLife {
  readonly rig: Rig;
  readonly mirrors: readonly Mirror[];
  readonly dice: Dice;
  readonly told: string[] = [];
  /** Broken links, as the judge found them. */
  readonly broken: string[] = [];
  /** Titles that were deleted somewhere: one that comes back is another document. */
  readonly deleted = new Set<string>();
  #made = 0;

  constructor(seed: number, mirrors: number) {
    this.dice = rollDice(seed);
    this.rig = createRig(seed);
    this.mirrors = Array.from({ length: mirrors }, () => this.rig.mirror({ links: "wiki" }));
  }

  async live(steps: number): Promise<void> {
    this.begin(8);
    await this.rest();
    for (let n = 0; n < steps; n++) await this.step();
    await this.rest();
    this.judge();
  }

  /** Makes some documents here that link each other in circles. */
  begin(count: number): void {
    const paths = Array.from({ length: count }, (_, n) => posix.join(FOLDERS[n % FOLDERS.length]!, `n${n}.md`));
    this.#made = count;
    for (const [n, path] of paths.entries()) {
      const to = [(n + 1) % count, (n + 3) % count, this.dice.below(count)];
      const links = to.map((m) => `- [T${m}](${relative(path, paths[m]!)})`).join("\n");
      const wiki = [1, 2, 5].map((by) => (n + by) % count).map((m) => `- [[n${m}|T${m}]]\n`);
      const text = `# T${n}\n\n${links}\n\nhere:\n\nsome words\n\nthere:\n\nlast words\n`;
      this.mirrors[0]!.write(path, `${text}\n${wiki.join("")}`);
    }
  }

  /** One thing that a person does, and perhaps a sync that may be killed. */
  async step(): Promise<void> {
    const mirror = this.dice.pick(this.mirrors);
    const act = this.dice.pick(ACTS);
    try {
      this.told.push(`${act.name} ${act(this, mirror) ?? ""}`);
    } catch (error) {
      // The service or the disk refused: a person would be told so.
      this.told.push(`${act.name} refused: ${(error as Error).message}`);
    }
    // A new link whose target moves before any sync has seen it says nothing of what it meant.
    if (!SAYS_A_LINK.has(act) && this.dice.below(3) > 0) return;
    const dies = this.dice.below(3) === 0;
    if (dies) mirror.killAt(1 + this.dice.below(120));
    const report = (await mirror.sync()) ?? (SAYS_A_LINK.has(act) ? await mirror.sync() : null);
    this.told.push(report === null ? "killed" : `sync ${JSON.stringify(report.counts)}`);
  }

  /** Runs all mirrors until they have nothing left to do. */
  async rest(): Promise<void> {
    for (let round = 0; round < 6; round++) {
      const reports: (RunReport | null)[] = [];
      for (const mirror of this.mirrors) {
        reports.push(await mirror.sync());
      }
      if (round > 0 && reports.every((report) => report !== null && sumOf(report) === 0)) return;
    }
    this.broken.push("the mirrors did not come to rest");
  }

  judge(): void {
    const files = [...this.rig.app.files().values()];
    const titles = new Map(files.map(({ id, text }) => [id as string, titleOf(text)]));
    const alive = new Set([...titles.values()].filter((title) => !this.deleted.has(title)));
    for (const { path, text } of files)
      for (const [, title, to] of linksById(text))
        if (alive.has(title!) && titles.get(to!) !== title)
          this.broken.push(`service ${path} ${titleOf(text)}: ${title} is ${to} (${titles.get(to!)})`);
    if (!files.some(({ text }) => text.match(WIKI_BY_ID))) this.broken.push("no wiki link is left");
    for (const mirror of this.mirrors) this.#judgeDisk(mirror, alive);
  }

  #judgeDisk(mirror: Mirror, alive: ReadonlySet<string>): void {
    const texts = new Map([...mirror.texts()].filter(([path]) => !isConflictCopyName(posix.basename(path))));
    for (const [path, text] of texts) {
      for (const [, title, to] of linksById(text))
        this.#expectTarget(path, title!, texts.get(posix.join(posix.dirname(path), to!)), alive);
      for (const [, name, title] of text.matchAll(WIKI_BY_NAME)) {
        const named = [...texts].filter(([at]) => at === `${name}.md` || posix.basename(at) === `${name}.md`);
        this.#expectTarget(path, title!, named.length === 1 ? named[0]![1] : texts.get(`${name}.md`), alive);
      }
    }
  }

  #expectTarget(path: string, title: string, target: string | undefined, alive: ReadonlySet<string>): void {
    if (alive.has(title) && (target === undefined || titleOf(target) !== title))
      this.broken.push(`disk ${path}: ${title} is ${target && titleOf(target)}`);
  }

  newTitle(): number {
    return this.#made++;
  }

  documents(mirror: Mirror): string[] {
    return [...mirror.texts().keys()].filter((path) => !isConflictCopyName(posix.basename(path))).sort();
  }

  newName(): string {
    // Few names, so that two documents get the same one.
    return `n${this.dice.below(12)}.md`;
  }
}

/** Returns matches of links and wiki links to an id or a path: title, then destination. */
function linksById(text: string): RegExpExecArray[] {
  return [...text.matchAll(LINK), ...text.matchAll(WIKI_BY_ID)];
}

function sumOf({ counts }: RunReport): number {
  return Object.entries(counts).reduce((sum, [name, n]) => sum + (name === "holds" ? 0 : n), 0);
}
