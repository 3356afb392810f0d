import { join } from "node:path";
import { findFirstFault } from "../../contract/names.ts";
import type { Problem } from "../../contract/api/resources.ts";
import { FILES, FOLDERS } from "../../contract/resources.ts";
import { nameOf } from "../../contract/path.ts";
import { ImportLinks, type LinkReport, listReadableIds, type RequestSender } from "./links.ts";
import {
  describeNameFault,
  type WalkEntry,
  type ImportRefusal,
  type WalkItem,
  type Refusal,
  walkFolder,
} from "./walk.ts";
import type { Service } from "../service.ts";
import { readFileSync, statSync } from "node:fs";
import { decodeText } from "../../common/text.ts";
import { MAX_CONTENT_CHARACTERS } from "../../contract/limits.ts";

/**
 * LIMIT: number of bytes of a file. A character takes at most four bytes, so a larger file has too
 * many characters.
 */
const MAX_FILE_BYTES = 4 * MAX_CONTENT_CHARACTERS;

/** Returns the content of a file, or the refusal if the content is not UTF-8 text. */
function readFileText(file: string): string | Refusal {
  try {
    const { size } = statSync(file);
    if (size > MAX_FILE_BYTES) return { reason: "content-too-large", detail: `it has ${size} bytes` };
    const bytes = readFileSync(file);
    if (bytes.includes(0)) return { reason: "contains-nul", detail: "it contains a NUL byte" };
    return decodeText(bytes).text ?? { reason: "not-utf8", detail: "it is not UTF-8" };
  } catch (error) {
    return { reason: "unreadable", detail: (error as Error).message };
  }
}

export type ImportReport = {
  readonly files: number;
  readonly folders: number;
  readonly bytes: number;
  /**
   * Files and folders whose name on the service differs from the local name. The path of a folder
   * ends in `/`.
   */
  readonly renamed: readonly { readonly path: string; readonly name: string }[];
  /**
   * Refused files and folders, in the order of the walk. If the service checks links, files with
   * links come last. A folder that cannot be read is listed once, without its contents. The path of
   * a folder ends in `/`.
   */
  readonly refused: readonly ImportRefusal[];
  /** Report about links; undefined if the service does not check links. */
  readonly links?: LinkReport;
};

export type ImportProgress = { readonly files: number; readonly refused: number };

/**
 * LIMIT: number of requests that an import sends before it waits for an answer, so that requests of
 * other clients need not wait long. The store can commit this many writes together.
 */
const MAX_CONCURRENT_REQUESTS = 64;

/**
 * Imports the folders and Markdown files below a folder, byte for byte. Names are converted as in a
 * sync. Existing documents on the service stay unchanged. Symlinks are not followed. If the service
 * checks links, links between documents are sent as ids, as in a sync.
 * @param target the service, and a key that may create documents in the root
 * @param dir absolute path of the folder whose contents are imported into the root of the workspace
 */
export async function importFolder(
  target: ImportTarget,
  dir: string,
  onProgress: (progress: ImportProgress) => void = () => undefined,
): Promise<ImportReport> {
  const report: ImportCounts = { files: 0, folders: 0, bytes: 0, renamed: [], refused: [] };
  const ask = makeRequestSender(target);
  const checksLinks = target.service.core.server.links !== "any";
  const links = checksLinks ? new ImportLinks(await listReadableIds(ask)) : null;
  const walkedItems = [...walkFolder(dir, "", "")];
  const items = links === null ? walkedItems : links.order(walkedItems, (entry) => readImportable(dir, entry));
  // If links are converted, requests are sent one by one: a document is sent only after its link
  // targets have their ids.
  const portionSize = links === null ? MAX_CONCURRENT_REQUESTS : 1;
  for (let start = 0; start < items.length; start += portionSize) {
    const portion = items.slice(start, start + portionSize);
    const outcomes = await sendAll({ ask, dir, links }, portion);
    for (const [index, item] of portion.entries()) noteOutcome(report, item, outcomes[index]!);
    onProgress({ files: report.files, refused: report.refused.length });
  }
  return links === null ? report : { ...report, links: await links.end(ask) };
}

function makeRequestSender({ service, key }: ImportTarget): RequestSender {
  return async (method, path, body) => {
    const text = body === undefined ? null : JSON.stringify(body);
    const response = await service.answer({ method, path, headers: { "x-api-key": key }, body: text });
    return { status: response.status, json: JSON.parse(response.body) };
  };
}

type ImportTarget = { readonly service: Service; readonly key: string };

/** Returns the content of a file; null if the file cannot be imported. */
function readImportable(dir: string, { path, as }: WalkEntry): string | null {
  const text = findFirstFault(as, "file") === null ? readFileText(join(dir, path)) : null;
  return typeof text === "string" ? text : null;
}

type ImportCounts = {
  files: number;
  folders: number;
  bytes: number;
  readonly renamed: { readonly path: string; readonly name: string }[];
  readonly refused: ImportRefusal[];
};

/**
 * Result of one item: the number of bytes of a created document, or a refusal. Null if there is
 * nothing to report about the item.
 */
type ItemOutcome = { readonly bytes: number } | Refusal | null;

type SendContext = { readonly ask: RequestSender; readonly dir: string; readonly links: ImportLinks | null };

/**
 * Sends items of the walk. First sends the folders, one by one. Otherwise, concurrent requests for
 * files in a missing folder would each try to create that folder.
 */
async function sendAll(sender: SendContext, items: readonly WalkItem[]): Promise<ItemOutcome[]> {
  const outcomes = new Map<WalkItem, ItemOutcome>();
  for (const item of items) if (item.kind === "folder") outcomes.set(item, await sendFolder(sender, item));
  return Promise.all(items.map((item) => outcomes.get(item) ?? sendFile(sender, item)));
}

async function sendFile(sender: SendContext, entry: WalkItem): Promise<ItemOutcome> {
  if (entry.kind === "refused" || entry.kind === "folder") return null;
  const { path, as, kind } = entry;
  if (kind === "other") return { reason: "not-a-file", detail: "it is a symlink or a special file" };
  const fault = findFirstFault(as, "file");
  if (fault?.fault === "not-lowercase-md") return { reason: "not-markdown", detail: "its name does not end in .md" };
  if (fault !== null) return { reason: fault.fault, detail: describeNameFault(fault.fault, fault.name) };
  const text = readFileText(join(sender.dir, path));
  if (typeof text !== "string") return text;
  const translatedText = sender.links?.translate(path, text) ?? text;
  const answer = await sendCreation(sender, FILES, { path: as, content: translatedText });
  sender.links?.note(entry, translatedText, answer.created);
  if (answer.created === null) return toRefusal(answer.problem);
  return { bytes: Buffer.byteLength(text) };
}

/** Creates a folder on the service. A refusal is reported for each file in the folder instead. */
async function sendFolder(sender: SendContext, entry: WalkEntry): Promise<ItemOutcome> {
  const path = entry.as;
  if (findFirstFault(path, "folder") !== null) return null;
  const { created } = await sendCreation(sender, FOLDERS, { path });
  sender.links?.note(entry, null, created);
  return created === null ? null : { bytes: 0 };
}

/**
 * Converts a problem from the service to a refusal. A link to an id that is not in the workspace
 * gets a reason of its own.
 */
function toRefusal({ code, detail, errors }: Problem): Refusal {
  const brokenLinkError = errors?.find((error) => error.code === "unresolved_reference");
  return { reason: (brokenLinkError?.code ?? code).replaceAll("_", "-"), detail };
}

type CreateAnswer =
  | { readonly created: { readonly id: string; readonly lastChangeId: string } }
  | { readonly created: null; readonly problem: Problem };

async function sendCreation({ ask }: SendContext, path: string, body: object): Promise<CreateAnswer> {
  const { status, json } = await ask("POST", path, body);
  return status === 201
    ? { created: json as { readonly id: string; readonly lastChangeId: string } }
    : { created: null, problem: json as Problem };
}

function noteOutcome(report: ImportCounts, item: WalkItem, outcome: ItemOutcome): void {
  if (item.kind === "refused") return void report.refused.push(item.refusal);
  const { path, kind } = item;
  const name = nameOf(item.as);
  if (kind === "folder" && name !== nameOf(path)) report.renamed.push({ path: `${path}/`, name });
  if (outcome === null) return;
  if ("reason" in outcome) return void report.refused.push({ path, ...outcome });
  report.bytes += outcome.bytes;
  if (kind === "folder") return void report.folders++;
  report.files++;
  if (name !== nameOf(path)) report.renamed.push({ path, name });
}
