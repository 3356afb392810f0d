/** Conversion of links: decides whether a new folder needs it, and starts or stops it. */

import { isId, readDestinationParts } from "../../../markdown/links/destination.ts";
import { findLinks, type FoundLink, readLinkDestination } from "../../../markdown/links/find.ts";
import type { DocId } from "../../../contract/ids.ts";
import type { FieldCode } from "../../../contract/problem.ts";
import type { RunReport } from "../../engine/run/report.ts";
import type { World } from "../../engine/run/world.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { Disk } from "../../ports/disk.ts";
import { type Config, type LinkMode, writeConfig } from "../../settings/config.ts";
import { join } from "node:path";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { plural } from "../../../common/quantities.ts";
import { shownName } from "../../../common/shown-words.ts";
import { runManually } from "../../engine/manual/run-manually.ts";
import type { Respelling } from "../../engine/links/mirror-links.ts";
import { findFilesOutOfPlace, findRespellings, withTranslation } from "../../engine/links/translating.ts";
import { rewriteFiles } from "../../engine/links/respell.ts";
import type { OpenedMirror } from "../../folder/open-mirror.ts";
import { ok, refusal, type Result, trouble } from "../../../common/trouble.ts";

/**
 * LIMIT: number of documents that mdmirror reads, so that `init` is fast. The documents are evenly
 * spread over the workspace.
 */
const MAX_READ_DOCUMENTS = 64;
const READS_AT_ONCE = 8;

/** Reads a sample of the documents. Returns `translate` if one of them has a link by id. */
export async function decideLinks({ remote }: World, documents: readonly DocId[]): Promise<LinkMode> {
  const step = Math.max(1, Math.ceil(documents.length / MAX_READ_DOCUMENTS));
  const sample = documents.filter((_, n) => n % step === 0);
  for (let start = 0; start < sample.length; start += READS_AT_ONCE) {
    const answers = await Promise.all(sample.slice(start, start + READS_AT_ONCE).map((id) => remote.getFile(id)));
    if (answers.some((answer) => answer.ok && hasLinkById(answer.value.content))) return "translate";
  }
  return "keep";
}

/** Reads a sample of the files, evenly spread. Returns true if one of them has a wiki link. */
export function showsWikiLinks(disk: Pick<Disk, "read">, paths: readonly LocalPath[]): boolean {
  return hasLinkInSample(disk, paths, ({ wiki }) => wiki !== undefined);
}

/** Reads a sample of the files. Returns true if one of them shows a picture by path. */
export function showsPictures(disk: Pick<Disk, "read">, paths: readonly LocalPath[]): boolean {
  return hasLinkInSample(
    disk,
    paths,
    (link, text) => link.kind === "image" && readLinkDestination(text, link).kind === "path",
  );
}

function hasLinkInSample(
  disk: Pick<Disk, "read">,
  paths: readonly LocalPath[],
  matches: (link: FoundLink, text: string) => boolean,
): boolean {
  const step = Math.max(1, Math.ceil(paths.length / MAX_READ_DOCUMENTS));
  return paths.some((path, n) => {
    const readResult = n % step === 0 ? disk.read(path) : null;
    return (
      readResult?.kind === "done" &&
      findLinks(readResult.value.text, true).some((link) => matches(link, readResult.value.text))
    );
  });
}

function hasLinkById(text: string): boolean {
  return findLinks(text).some(({ from, to }) => isId(readDestinationParts(text.slice(from, to)).target));
}

/** ASSUMES: a service that refuses links by path answers with this code. */
const UNRESOLVED_CODE: FieldCode = "unresolved_reference";

/** Returns true if the service refused a document of this run because of a link by path. */
export function refusesPaths({ attention }: Pick<RunReport, "attention">): boolean {
  return attention.some(({ code }) => code === UNRESOLVED_CODE);
}

type LinkChange = {
  readonly paths: readonly LocalPath[];
  /** Rewrites local files, and uploads nothing. Returns the number of files that it wrote. */
  apply(): Promise<number>;
};

/** Form of links that the user wants: paths or ids, and whether wiki links are converted too. */
export type LinkForm = Config["links"];

/**
 * Plans to give all local links another form. Returns null if no link has to change. Returns
 * trouble if mdmirror could later misread the links of a moved document or of an open conflict.
 */
export async function planLinkChange(mirror: OpenedMirror, form: LinkForm): Promise<Result<LinkChange | null>> {
  const respellings = findRespellings(mirror.world, form.mode === "translate" ? form : null);
  if (typeof respellings === "string") return trouble("fault", respellings, "mdmirror doctor");
  const changedFiles = respellings.filter(({ from, to }) => from.bytes !== to.bytes);
  const { mode, wiki } = mirror.config.links;
  if (mode === form.mode && wiki === form.wiki && changedFiles.length === 0) return ok(null);
  const paths = changedFiles.map(({ from }) => from.path);
  const misplacedFiles = [...findFilesOutOfPlace(mirror.world)];
  if (misplacedFiles.length > 0) return refusal(describeMisplaced(misplacedFiles), "mdmirror sync, then this again");
  const isEnding = form.mode === "keep" || (wiki && !form.wiki);
  const conflictCount = mirror.world.state.load().conflicts.size;
  // A conflict copy keeps the old form of its links. If the user later chose the copy, mdmirror
  // would misread these links.
  if (isEnding && conflictCount > 0)
    return refusal(
      `${plural(conflictCount, "document")} in conflict: their conflict copies keep their links`,
      CONFLICTS,
    );
  return ok({
    paths,
    apply: () => (isEnding ? stopTranslating(mirror, form, respellings) : startTranslating(mirror, form, respellings)),
  });
}

export function withTranslatedLinks(mirror: OpenedMirror): OpenedMirror {
  return { ...mirror, world: withTranslation(mirror.world, true) };
}

/** LIMIT: number of paths in a message about moved documents, so that the message stays short. */
const MAX_LISTED_PATHS = 3;

function describeMisplaced(paths: readonly LocalPath[]): string {
  const [are, they] = paths.length === 1 ? ["with links is", "it was"] : ["with links are", "they were"];
  const listedPaths = paths.slice(0, MAX_LISTED_PATHS).map(shownName).join(", ");
  const ellipsis = paths.length > MAX_LISTED_PATHS ? " …" : "";
  return `${plural(paths.length, "document")} ${are} not where ${they} at the last sync: ${listedPaths}${ellipsis}`;
}

const CONFLICTS = "resolve the conflicts first: mdmirror conflicts";

/**
 * Returns the number of files that the function wrote.
 * ORDER: the configuration first, then the files. Under the old configuration, links by path would
 * count as edits to upload.
 */
async function startTranslating(mirror: OpenedMirror, form: LinkForm, found: readonly Respelling[]): Promise<number> {
  await checkSetAsideFiles(mirror.world);
  writeConfig(join(mirror.root, MIRROR_FOLDER), { ...mirror.config, links: form });
  return respellFiles(withTranslation(mirror.world, true, form.wiki), found);
}

/**
 * Returns the number of files that the function wrote.
 * ORDER: the files first, then the configuration. Under the old configuration, both forms of a link
 * are the same content, so no rewritten link counts as an edit.
 */
async function stopTranslating(mirror: OpenedMirror, form: LinkForm, found: readonly Respelling[]): Promise<number> {
  const world = mirror.world.links === undefined ? withTranslation(mirror.world, true) : mirror.world;
  const writtenCount = await respellFiles(world, found);
  await checkSetAsideFiles(world);
  writeConfig(join(mirror.root, MIRROR_FOLDER), { ...mirror.config, links: form });
  return writtenCount;
}

/**
 * Checks set-aside files for late saves before the configuration changes, because the links in
 * these files have the old form.
 */
async function checkSetAsideFiles(world: World): Promise<void> {
  if (world.state.intents().length > 0) await runManually(world, "links", async () => []);
}

async function respellFiles(world: World, found: readonly Respelling[]): Promise<number> {
  let writtenCount = 0;
  await runManually(world, "links", async (ctx) => {
    rewriteFiles(ctx, ctx.world.links!, found);
    writtenCount = ctx.notes.counts.respelled;
    return [];
  });
  return writtenCount;
}
