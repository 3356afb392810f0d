import { isConflictCopyName } from "../../src/contract/path.ts";
import type { Dice } from "../simulator/dice.ts";
import type { Fixture } from "./fixture.ts";

/**
 * Users on both sides who only add: each edit inserts a unique paragraph. Nothing is ever removed.
 */

export class Writers {
  readonly #dice: Dice;
  readonly #fixture: Fixture;
  #words = 0;

  constructor(fixture: Fixture) {
    this.#fixture = fixture;
    this.#dice = fixture.rig.dice;
  }

  word(): string {
    return `w${this.#words++}w`;
  }

  text(): string {
    return Array.from({ length: 6 }, () => `${this.word()} as it was written first\n\n`).join("");
  }

  /**
   * Adds a paragraph, or sometimes a word at the end of the first line. Two edits of the first line
   * do not merge.
   */
  grown(text: string): string {
    if (this.#dice.below(3) === 0) return text.replace("\n", ` ${this.word()}\n`);
    const parts = text.split("\n\n");
    parts.splice(this.#dice.below(parts.length), 0, `${this.word()} put in`);
    return parts.join("\n\n");
  }

  here(): void {
    const { mirror } = this.#fixture;
    const paths = [...mirror.texts().keys()].filter((path) => !isConflictCopyName(path));
    const roll = this.#dice.below(10);
    if (paths.length < 3 || roll === 0) {
      mirror.write(`n${this.#words}.md`, this.text());
      return;
    }
    const path = this.#dice.pick(paths);
    if (roll === 1 && !path.includes("moved")) {
      mirror.rename(path, path.replace(/[^/]*$/, "moved-$&"));
      return;
    }
    const text = this.grown(mirror.disk.user.read(mirror.path(path))!);
    if (roll < 5) mirror.disk.user.saveAtomically(mirror.path(path), text);
    else mirror.write(path, text);
  }

  there(): void {
    const { app } = this.#fixture.rig;
    const files = [...app.files().values()];
    const roll = this.#dice.below(10);
    if (files.length < 3 || roll === 0) {
      app.create(`r${this.#words}.md`, this.text());
      return;
    }
    const file = this.#dice.pick(files);
    if (roll === 1) app.rename(file.path, `there-${this.#words++}.md`);
    else app.edit(file.path, this.grown(file.text));
  }
}
