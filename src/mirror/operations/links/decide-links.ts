import { isId, readDestinationText } from "../../../markdown/links/destination.ts";
import { findLinks } from "../../../markdown/links/find.ts";
import type { DocId } from "../../../contract/ids.ts";
import type { FieldCode } from "../../../contract/problem.ts";
import type { RunReport } from "../../engine/run/report.ts";
import type { World } from "../../engine/run/world.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { Disk } from "../../ports/disk.ts";
import type { LinkMode } from "../../settings/config.ts";

/** Whether a folder that is linked anew translates links, from what its workspace shows. */

/** LIMIT: texts that are read for it, evenly spread over the workspace, and how many at a time. */
const MOST_READ = 64;
const AT_ONCE = 8;

/** @returns `translate` where a text there links by id; a text that cannot be read tells nothing */
export async function decideLinks({ remote }: World, documents: readonly DocId[]): Promise<LinkMode> {
  const step = Math.max(1, Math.ceil(documents.length / MOST_READ));
  const asked = documents.filter((_, n) => n % step === 0);
  for (let at = 0; at < asked.length; at += AT_ONCE) {
    const answers = await Promise.all(asked.slice(at, at + AT_ONCE).map((id) => remote.getFile(id)));
    if (answers.some((answer) => answer.ok && linksById(answer.value.content))) return "translate";
  }
  return "keep";
}

/** Whether one of some files, evenly spread over the folder, holds a wiki link, in either form. */
export function showsWikiLinks(disk: Pick<Disk, "read">, paths: readonly LocalPath[]): boolean {
  const step = Math.max(1, Math.ceil(paths.length / MOST_READ));
  return paths.some((path, n) => {
    const read = n % step === 0 ? disk.read(path) : null;
    return read?.kind === "done" && findLinks(read.value.text, true).some(({ wiki }) => wiki !== undefined);
  });
}

function linksById(text: string): boolean {
  return findLinks(text).some(({ from, to }) => isId(readDestinationText(text.slice(from, to)).said));
}

/** ASSUMES: with this code a deployment refuses a text that links by path. */
const UNRESOLVED: FieldCode = "unresolved_reference";

/** Whether a run met a service that refuses links by path. */
export function refusesPaths({ attention }: Pick<RunReport, "attention">): boolean {
  return attention.some(({ code }) => code === UNRESOLVED);
}
