import { join } from "node:path";
import { pathFault } from "../../contract/names.ts";
import type { Problem } from "../../contract/api/resources.ts";
import { FILES, FOLDERS } from "../../contract/routes.ts";
import { nameOf } from "../../contract/path.ts";
import { clause, type Entry, type ImportReason, type ImportRefusal, type Item, type Refusal, walk } from "./walk.ts";
import type { AnswerOne, Service } from "../service.ts";
import { readFileSync, statSync } from "node:fs";
import { MAX_CONTENT_CHARACTERS } from "../../contract/limits.ts";

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/**
 * LIMIT: bytes of a file that is read. A character takes at most four bytes, so a longer file
 * exceeds the limit of characters.
 */
const MAX_BYTES = 4 * MAX_CONTENT_CHARACTERS;

/**
 * Reads a file as text.
 * @returns the refusal if the file is not text
 */
function readText(file: string): string | Refusal {
  try {
    const { size } = statSync(file);
    if (size > MAX_BYTES) return { reason: "content-too-large", detail: `it has ${size} bytes` };
    const bytes = readFileSync(file);
    if (bytes.includes(0)) return { reason: "contains-nul", detail: "it contains a NUL byte" };
    return UTF8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return { reason: "not-utf8", detail: "it is not UTF-8" };
    return { reason: "unreadable", detail: (error as Error).message };
  }
}

export type ImportReport = {
  readonly files: number;
  readonly folders: number;
  /** Number of imported bytes of content, in UTF-8. */
  readonly bytes: number;
  /**
   * Files and folders with another name on the service than locally, in the order of the walk. A
   * folder's path ends in `/`.
   */
  readonly renamed: readonly { readonly path: string; readonly name: string }[];
  /** Refusals in the order of the walk. A folder that cannot be read is one entry, with `/`. */
  readonly refused: readonly ImportRefusal[];
};

export type ImportProgress = { readonly files: number; readonly refused: number };

/**
 * LIMIT: entries of one transaction; few enough that other requests between two transactions are
 * answered soon.
 */
const BATCH = 500;

/**
 * Imports every Markdown file below a folder, byte for byte, and the folders themselves, under the
 * names that a sync would give them. Existing documents on the service stay unchanged. Symlinks are
 * not followed. Links are neither checked nor changed.
 * @param target the service, and a key that may create at the root
 * @param dir the folder; its contents go to the root of the workspace
 */
export async function importFolder(
  { service, key }: { readonly service: Service; readonly key: string },
  dir: string,
  onProgress: (progress: ImportProgress) => void = () => undefined,
): Promise<ImportReport> {
  const report: Report = { files: 0, folders: 0, bytes: 0, renamed: [], refused: [] };
  const items = walk(dir, "", "");
  for (let isOver = false; !isOver; ) {
    const portion = nextOf(items);
    isOver = portion.length < BATCH;
    // ORDER: the outcomes are counted after the transaction, because a store may run the
    // transaction again.
    const outcomes = await service.batch((answer) => sendAll({ dir, key, answer }, portion));
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

/** Result of an item; `bytes` counts the content of a created document. */
type Outcome =
  | { readonly kind: "made"; readonly bytes: number }
  | { readonly kind: "nothing" }
  | { readonly kind: "refused"; readonly refusal: Refusal };

const NOTHING: Outcome = { kind: "nothing" };

type Sender = {
  readonly dir: string;
  readonly key: string;
  readonly answer: AnswerOne;
};

async function sendAll(sender: Sender, items: readonly Item[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const item of items) {
    const isEntry = item.kind !== "refused" && item.kind !== "renamed";
    outcomes.push(isEntry ? await sendEntry(sender, item) : NOTHING);
  }
  return outcomes;
}

async function sendEntry(sender: Sender, entry: Entry): Promise<Outcome> {
  const { path, as, kind } = entry;
  if (kind === "folder") return sendFolder(sender, entry);
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

/**
 * Sends a folder. If the folder is refused, each of its files is reported; a refused empty folder
 * is no loss.
 */
async function sendFolder(sender: Sender, { as: path }: Entry): Promise<Outcome> {
  const isMade = pathFault(path, "folder") === null && (await send(sender, FOLDERS, { path })) === null;
  return isMade ? { kind: "made", bytes: 0 } : NOTHING;
}

function refuse(reason: ImportReason, detail: string): Outcome {
  return { kind: "refused", refusal: { reason, detail } };
}

/** Sends a request; returns the problem if the service refuses it. */
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
