import { posix } from "node:path";
import { expect, test } from "vitest";
import { isConflictCopyName } from "../../../src/contract/path.ts";
import type { Mirror } from "../../simulator/mirror.ts";
import { LinkedLife } from "./linked-life.ts";
import { titleOf } from "./linked-acts.ts";

const BY_ID = /\[\[(T\d+)\]\]\(([^)#]*)/g;
const BY_NAME = /\[\[([^[\]|#]+)\|(T\d+)\]\](?!\()/g;

/** The same life, with wiki links between its first documents; names are met twice, too. */
class WikiLife extends LinkedLife {
  override begin(count: number): void {
    super.begin(count);
    const [mirror] = this.mirrors;
    for (const [path, text] of mirror!.texts()) {
      const n = Number(titleOf(text).slice(1));
      const lines = [1, 2, 5].map((by) => (n + by) % count).map((m) => `- [[n${m}|T${m}]]\n`);
      mirror!.write(path, `${text}\n${lines.join("")}`);
    }
  }

  override newName(): string {
    return `n${this.dice.below(12)}.md`;
  }

  override judge(): void {
    super.judge();
    const files = [...this.rig.app.files().values()];
    const titles = new Map(files.map(({ id, text }) => [id as string, titleOf(text)]));
    const alive = new Set([...titles.values()].filter((title) => !this.deleted.has(title)));
    let found = 0;
    for (const { path, text } of files)
      for (const [, title, to] of text.matchAll(BY_ID)) {
        found++;
        if (alive.has(title!) && titles.get(to!) !== title)
          this.broken.push(`service ${path}: [[${title}]] is ${to} (${titles.get(to!)})`);
      }
    if (found === 0) this.broken.push("no wiki link is left");
    for (const mirror of this.mirrors) this.#judgeDisk(mirror, alive);
  }

  #judgeDisk(mirror: Mirror, alive: ReadonlySet<string>): void {
    const texts = new Map([...mirror.texts()].filter(([path]) => !isConflictCopyName(posix.basename(path))));
    for (const [path, text] of texts) {
      for (const [, title, to] of text.matchAll(BY_ID))
        this.#expect(path, title!, texts.get(posix.join(posix.dirname(path), to!)), alive);
      for (const [, name, title] of text.matchAll(BY_NAME)) {
        const named = [...texts].filter(([at]) => at === `${name}.md` || posix.basename(at) === `${name}.md`);
        this.#expect(path, title!, named.length === 1 ? named[0]![1] : texts.get(`${name}.md`), alive);
      }
    }
  }

  #expect(path: string, title: string, target: string | undefined, alive: ReadonlySet<string>): void {
    if (alive.has(title) && (target === undefined || titleOf(target) !== title))
      this.broken.push(`disk ${path}: ${title} is ${target && titleOf(target)}`);
  }
}

const SEEDS = [1, 2, 3, 5, 9, 11];

test.each(SEEDS)(
  "wiki links of documents that are moved, swapped, renamed alike and edited on both sides, with kills, lead home, life %i",
  async (seed) => {
    const life = new WikiLife(seed, 1 + (seed % 2), "wiki");
    await life.live(20);
    expect(life.broken, life.told.join("\n")).toEqual([]);
  },
);
