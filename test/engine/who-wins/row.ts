import type { App } from "../../simulator/app.ts";
import type { Mirror } from "../../simulator/mirror.ts";
import type { Deployment } from "../../simulator/rig.ts";

/** One case of who wins: what both sides held, what changed on each, and what they hold then. */
export type Row = {
  readonly name: string;
  /** Documents that both sides hold at first; a path ending in `/` is an empty folder. */
  readonly start?: Readonly<Record<string, string>>;
  readonly here?: (mirror: Mirror, disk: Disk) => void;
  readonly there?: (app: App) => void;
  /** What both sides hold in the end. */
  readonly both?: Readonly<Record<string, string>>;
  /** What only one side holds, where they are meant to differ. */
  readonly local?: Readonly<Record<string, string>>;
  readonly remote?: Readonly<Record<string, string>>;
  /** Documents whose id is the one that `start` gave them, by their path then. */
  readonly sameIds?: Readonly<Record<string, string>>;
  readonly holds?: readonly string[];
  /** What differs on a deployment of which this is true; on all others it is as said above. */
  readonly where?: readonly [isTrue: (deployment: Deployment) => boolean, Partial<Row>];
};

/** What a person does in the mirrored folder. Paths are relative to it. */
export class Disk {
  readonly #mirror: Mirror;

  constructor(mirror: Mirror) {
    this.#mirror = mirror;
  }

  rename(from: string, to: string): void {
    this.#mirror.disk.user.rename(this.#mirror.path(from), this.#mirror.path(to));
  }

  remove(path: string): void {
    this.#mirror.disk.user.remove(this.#mirror.path(path));
  }

  save(path: string, text: string): void {
    this.#mirror.disk.user.saveAtomically(this.#mirror.path(path), text);
  }

  mkdir(path: string): void {
    this.#mirror.disk.user.makeFolder(this.#mirror.path(path));
  }
}

/** Twelve lines, of which each names the mark and its number. */
export function longText(mark: string): string {
  return Array.from({ length: 12 }, (_, line) => `${mark} line ${line} of a longer text\n`).join("");
}

/** Of a deployment that refuses each of these characters in names. */
export function refuses(characters: string): (deployment: Deployment) => boolean {
  return ({ refusedCharacters = "" }) => [...characters].every((each) => refusedCharacters.includes(each));
}
