/** Decides from the links of the workspace whether a newly linked folder should convert links. */

import { isId, readDestinationParts } from "../../../markdown/links/destination.ts";
import { findLinks, type FoundLink, readLinkDestination } from "../../../markdown/links/find.ts";
import type { DocId } from "../../../contract/ids.ts";
import type { FieldCode } from "../../../contract/problem.ts";
import type { RunReport } from "../../engine/run/report.ts";
import type { World } from "../../engine/run/world.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { Disk } from "../../ports/disk.ts";
import type { LinkMode } from "../../settings/config.ts";

/**
 * LIMIT: number of documents that mdmirror reads, so that `init` is fast. They are evenly spread
 * over the workspace.
 */
const MAX_READ_DOCUMENTS = 64;
const READS_AT_ONCE = 8;

/** Reads some documents. Returns `translate` if one of them has a link by id. */
export async function decideLinks({ remote }: World, documents: readonly DocId[]): Promise<LinkMode> {
  const step = Math.max(1, Math.ceil(documents.length / MAX_READ_DOCUMENTS));
  const sample = documents.filter((_, n) => n % step === 0);
  for (let start = 0; start < sample.length; start += READS_AT_ONCE) {
    const answers = await Promise.all(sample.slice(start, start + READS_AT_ONCE).map((id) => remote.getFile(id)));
    if (answers.some((answer) => answer.ok && hasLinkById(answer.value.content))) return "translate";
  }
  return "keep";
}

/** Reads some files, evenly spread. Returns true if one of them has a wiki link. */
export function showsWikiLinks(disk: Pick<Disk, "read">, paths: readonly LocalPath[]): boolean {
  return someHasLink(disk, paths, ({ wiki }) => wiki !== undefined);
}

/** Reads some files, evenly spread. Returns true if one of them shows a picture by path. */
export function showsPictures(disk: Pick<Disk, "read">, paths: readonly LocalPath[]): boolean {
  return someHasLink(
    disk,
    paths,
    (link, text) => link.kind === "image" && readLinkDestination(text, link).kind === "path",
  );
}

function someHasLink(
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

/** ASSUMES: the code with which a service refuses links by path. */
const UNRESOLVED_CODE: FieldCode = "unresolved_reference";

/** Returns true if the service refused a document of this run because of links by path. */
export function refusesPaths({ attention }: Pick<RunReport, "attention">): boolean {
  return attention.some(({ code }) => code === UNRESOLVED_CODE);
}
