import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { MAX_CONTENT_CHARACTERS } from "../contract/limits.ts";
import { pathFault } from "../contract/names.ts";
import type { Problem } from "../contract/problem.ts";
import { FILES, FOLDERS } from "../contract/routes.ts";
import { nameOf } from "../model/path.ts";
import {
  clause,
  type Entry,
  type ImportReason,
  type ImportRefusal,
  type Item,
  type Refusal,
  walk,
} from "./import-walk.ts";
import type { AnswerOne, Service } from "./service.ts";

export type ImportReport = {
  readonly files: number;
  readonly folders: number;
  /** Bytes of the imported texts, in UTF-8. */
  readonly bytes: number;
  /**
   * What has another name in the service than in the folder, in the order of the walk. A folder's
   * path ends in `/`.
   */
  readonly renamed: readonly { readonly path: string; readonly name: string }[];
  /** In the order of the walk; a folder that is not entered is one entry, ending in `/`. */
  readonly refused: readonly ImportRefusal[];
};

export type ImportProgress = { readonly files: number; readonly refused: number };

/** LIMIT: entries of one transaction; few enough that requests in between are answered soon. */
const BATCH = 500;

/**
 * Imports every Markdown file below a folder, byte for byte, and the folders themselves, under the
 * names that a mirror would give them. What is already in the service stays as it is. Symlinks are
 * not followed.
 * @param target the service, and a key that may create at the root
 * @param dir the folder; its content goes to the root of the workspace
 */
export async function importFolder(
  target: { readonly service: Service; readonly key: string },
  dir: string,
  onProgress: (progress: ImportProgress) => void = () => undefined,
): Promise<ImportReport> {
  const report: Report = { files: 0, folders: 0, bytes: 0, renamed: [], refused: [] };
  const items = walk(dir, "", "");
  for (let isOver = false; !isOver; ) {
    const portion = nextOf(items);
    isOver = portion.length < BATCH;
    // ORDER: what is counted comes after the transaction, which may be run again.
    const outcomes = await target.service.batch((answer) => sendAll({ dir, key: target.key, answer }, portion));
    for (const [at, item] of portion.entries()) note(report, item, outcomes[at]!);
    onProgress({ files: report.files, refused: report.refused.length });
    await new Promise((resolve) => setImmediate(resolve));
  }
  return report;
}

function nextOf(items: Iterator<Item, undefined>): Item[] {
  const portion: Item[] = [];
  while (portion.length < BATCH) {
    const next = items.next();
    if (next.done) break;
    portion.push(next.value);
  }
  return portion;
}

type Report = {
  files: number;
  folders: number;
  bytes: number;
  readonly renamed: { readonly path: string; readonly name: string }[];
  readonly refused: ImportRefusal[];
};

/** What became of an item; `bytes` of a text that was made. */
type Outcome =
  | { readonly kind: "made"; readonly bytes: number }
  | { readonly kind: "nothing" }
  | { readonly kind: "refused"; readonly refusal: Refusal };

const NOTHING: Outcome = { kind: "nothing" };

type Sender = { readonly dir: string; readonly key: string; readonly answer: AnswerOne };

async function sendAll(sender: Sender, items: readonly Item[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const item of items) {
    const isEntry = item.kind !== "refused" && item.kind !== "renamed";
    outcomes.push(isEntry ? await sendEntry(sender, item) : NOTHING);
  }
  return outcomes;
}

async function sendEntry(sender: Sender, { path, as, kind }: Entry): Promise<Outcome> {
  if (kind === "folder") return sendFolder(sender, as);
  if (kind === "other") return refuse("not-a-file", "it is a symlink or a special file");
  const bad = pathFault(as, "file");
  if (bad?.fault === "not-lowercase-md") return refuse("not-markdown", "its name does not end in .md");
  if (bad !== null) return refuse(bad.fault, clause(bad.fault, bad.name));
  const text = readText(join(sender.dir, path));
  if (typeof text !== "string") return { kind: "refused", refusal: text };
  const problem = await send(sender, FILES, { path: as, content: text });
  if (problem !== null) return refuse(problem.code.replaceAll("_", "-"), problem.detail);
  return { kind: "made", bytes: Buffer.byteLength(text) };
}

/** A folder that is refused is reported with each of its files; an empty one is no loss. */
async function sendFolder(sender: Sender, path: string): Promise<Outcome> {
  const isMade = pathFault(path, "folder") === null && (await send(sender, FOLDERS, { path })) === null;
  return isMade ? { kind: "made", bytes: 0 } : NOTHING;
}

function refuse(reason: ImportReason, detail: string): Outcome {
  return { kind: "refused", refusal: { reason, detail } };
}

/** @returns the problem, or null when it was created */
async function send({ key, answer }: Sender, path: string, body: object): Promise<Problem | null> {
  const headers = { "x-api-key": key };
  const response = await answer({ method: "POST", path, headers, body: JSON.stringify(body) });
  return response.status === 201 ? null : (JSON.parse(response.body) as Problem);
}

function note(report: Report, item: Item, outcome: Outcome): void {
  if (item.kind === "refused") return void report.refused.push(item.refusal);
  const { path } = item;
  if (item.kind === "renamed") return void report.renamed.push({ path, name: item.name });
  if (outcome.kind === "refused") report.refused.push({ path, ...outcome.refusal });
  if (outcome.kind !== "made") return;
  report.bytes += outcome.bytes;
  if (item.kind === "folder") return void report.folders++;
  report.files++;
  if (nameOf(item.as) !== nameOf(path)) report.renamed.push({ path, name: nameOf(item.as) });
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/**
 * A code point takes at most four bytes, so a longer file is too long in any case, and is not read.
 */
const MAX_BYTES = 4 * MAX_CONTENT_CHARACTERS;

function readText(file: string): string | Refusal {
  try {
    const { size } = statSync(file);
    if (size > MAX_BYTES) return { reason: "content-too-large", detail: `it has ${size} bytes` };
    const bytes = readFileSync(file);
    if (bytes.includes(0)) return { reason: "holds-nul", detail: "it holds a NUL byte" };
    return UTF8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return { reason: "not-utf8", detail: "it is not UTF-8" };
    return { reason: "unreadable", detail: (error as Error).message };
  }
}
