/**
 * The measured documents: generated ones of 2 to 8 kB in folders of 20, the same for the same seed;
 * and the tldr pages, if their archive is beside the checkout.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { findFirstFault } from "../../src/contract/names.ts";
import { rollDice } from "../../test/simulator/dice.ts";
import { PROJECT } from "./child.ts";

/** A number of generated documents, or the name of an archive. */
export type CorpusName = string;

const CORPORA = join(PROJECT, "../shared/corpora");
const SEED = 20_260_101;
const PER_FOLDER = 20;
const FOLDERS_PER_AREA = 50;
export const PER_AREA = PER_FOLDER * FOLDERS_PER_AREA;

const pathOf = (n: number): string =>
  `area-${Math.floor(n / PER_AREA)}/topic-${Math.floor(n / PER_FOLDER)}/note-${n}.md`;

/** Returns the paths of generated documents, in the order of their numbers. */
export function pathsOf(documents: number): string[] {
  return Array.from({ length: documents }, (_, n) => pathOf(n));
}

export const isGenerated = (name: CorpusName): boolean => /^\d+$/.test(name);

/** Returns why the documents are not available; null if they are. */
export function corpusFault(name: CorpusName): string | null {
  if (isGenerated(name)) return null;
  return existsSync(archiveOf(name)) ? null : `${basename(archiveOf(name))} is not in ../shared/corpora`;
}

function archiveOf(name: CorpusName): string {
  return join(CORPORA, `${name}.tar.xz`);
}

/** Writes the documents into a new folder. */
export function writeCorpus(name: CorpusName, folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (isGenerated(name)) writeGenerated(Number(name), folder);
  else unpack(name, folder);
}

function writeGenerated(documents: number, folder: string): void {
  const roll = rollDice(SEED).fraction;
  const sentences = makeSentences(roll);
  for (let n = 0; n < documents; n++) {
    if (n % PER_FOLDER === 0) mkdirSync(join(folder, pathOf(n), ".."), { recursive: true });
    writeFileSync(join(folder, pathOf(n)), makeText(n, roll, sentences));
  }
}

function makeSentences(roll: () => number): string[] {
  const letters = "etaoinshrdlucmfwypvbgk";
  const word = () =>
    Array.from(
      { length: 2 + Math.floor(roll() * 8) },
      () => letters[Math.floor(roll() * roll() * letters.length)],
    ).join("");
  const words = Array.from({ length: 3_000 }, word);
  const sentence = () =>
    `${Array.from({ length: 6 + Math.floor(roll() * 14) }, () => words[Math.floor(roll() * words.length)]).join(" ")}.`;
  return Array.from({ length: 4_000 }, sentence);
}

function makeText(n: number, roll: () => number, sentences: readonly string[]): string {
  const bytes = 2_000 + roll() * 6_000;
  let text = `# Note ${n}\n`;
  for (let count = 0; text.length < bytes; count++) {
    text += `${count % 4 === 0 ? "\n" : " "}${sentences[Math.floor(roll() * sentences.length)]}`;
    if (count % 4 === 3) text += "\n";
  }
  return `${text}\n`;
}

/**
 * Unpacks an archive. Moves everything out of the way that is no legal document of the service,
 * symlinks too, because the bare loops check nothing.
 */
function unpack(name: string, folder: string): void {
  execFileSync("tar", ["xf", archiveOf(name), "-C", folder, "--strip-components=1"]);
  const aside = `${folder}-left-out`;
  mkdirSync(aside);
  let count = 0;
  const walk = (below: string) => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      const legal = findFirstFault(path, entry.isDirectory() ? "folder" : "file") === null;
      if (legal && entry.isDirectory()) walk(path);
      else if (!legal || !entry.isFile()) renameSync(join(folder, path), join(aside, String(count++)));
    }
  };
  walk("");
}
