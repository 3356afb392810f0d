import { posix } from "node:path";
import { isConflictCopyName } from "../../../src/contract/path.ts";
import type { RunReport } from "../../../src/mirror/engine/run/report.ts";
import { type Dice, rollDice } from "../../simulator/dice.ts";
import type { Mirror } from "../../simulator/mirror.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";
import { ACTS, FOLDERS, relative, SAYS_A_LINK, titleOf } from "./linked-acts.ts";

/**
 * Documents that link each other in circles, moved, swapped, edited, deleted and restored on both
 * sides, with kills. Each is known by its title, and a link says the title of its target: so the
 * judge needs nothing of what it judges. What is written on disk links by path, on the service by
 * id.
 */

const LINK = /\[(T\d+)\]\(([^)#]*)[^)]*\)/g;

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

  constructor(seed: number, mirrors: number, links: true | "wiki" = true) {
    this.dice = rollDice(seed);
    this.rig = createRig(seed);
    this.mirrors = Array.from({ length: mirrors }, () => this.rig.mirror({ links }));
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
      this.mirrors[0]!.write(path, `# T${n}\n\n${links}\n\nhere:\n\nsome words\n\nthere:\n\nlast words\n`);
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
      for (const [, title, to] of text.matchAll(LINK))
        if (alive.has(title!) && titles.get(to!) !== title)
          this.broken.push(`service ${path} ${titleOf(text)}: ${title} is ${to} (${titles.get(to!)})`);
    for (const mirror of this.mirrors) this.#judgeDisk(mirror, alive);
  }

  #judgeDisk(mirror: Mirror, alive: ReadonlySet<string>): void {
    const texts = mirror.texts();
    for (const [path, text] of texts) {
      if (isConflictCopyName(posix.basename(path))) continue;
      for (const [, title, to] of text.matchAll(LINK)) {
        const found = texts.get(posix.join(posix.dirname(path), to!));
        if (alive.has(title!) && (found === undefined || titleOf(found) !== title))
          this.broken.push(`disk ${path} ${titleOf(text)}: ${title} is ${to} (${found && titleOf(found)})`);
      }
    }
  }

  newTitle(): number {
    return this.#made++;
  }

  documents(mirror: Mirror): string[] {
    return [...mirror.texts().keys()].filter((path) => !isConflictCopyName(posix.basename(path))).sort();
  }

  newName(): string {
    return `m${this.dice.below(1000)}.md`;
  }
}

function sumOf({ counts }: RunReport): number {
  return Object.entries(counts).reduce((sum, [name, n]) => sum + (name === "holds" ? 0 : n), 0);
}
