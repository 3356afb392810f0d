/**
 * Converts the links of an imported folder, for a service that checks links. A document is sent
 * after the documents to which it links, because the ids of these documents are then known.
 */

import { FILES, FOLDERS } from "../../contract/resources.ts";
import { mayHaveLinks } from "../../markdown/links/candidates.ts";
import { findLinks } from "../../markdown/links/find.ts";
import { type Destination, INERT_SCHEME, readDestinationParts } from "../../markdown/links/destination.ts";
import { type Place, resolveToPath, resolveDestination } from "../../markdown/links/place.ts";
import { toService } from "../../markdown/links/translate.ts";
import { parentOf } from "../../contract/path.ts";
import { orderTargetsFirst } from "../../common/targets-first.ts";
import type { WalkEntry, WalkItem } from "./walk.ts";

/**
 * Reason why a link was made inert. An inert link begins with `ref://`: it has no target, and the
 * service does not check it.
 * - `no-target`: nothing is at the target.
 * - `no-document`: the target is not a document.
 * - `not-imported`: the target was not imported.
 * - `outside`: the target is outside the imported folder.
 * - `not-written-again`: the target was created later, but the service refused to save the document
 *   again with the link.
 */
type InertReason = "no-target" | "no-document" | "not-imported" | "outside" | "not-written-again";

export type LinkReport = {
  readonly byId: number;
  /** Number of documents that were sent twice, because their links form a circle. */
  readonly twice: number;
  /** Inert links. `path`: local path of the document; `to`: the link as its author wrote it. */
  readonly inert: readonly { readonly path: string; readonly to: string; readonly reason: InertReason }[];
};

export type RequestSender = (
  method: "GET" | "POST" | "PUT",
  path: string,
  body?: object,
) => Promise<{ readonly status: number; readonly json: unknown }>;

type CreatedFile = { readonly id: string; readonly lastChangeId: string };
type SentFile = CreatedFile & { readonly path: string; readonly text: string };
type EntryWithLinks = { readonly entry: WalkEntry; readonly leads: readonly string[] };

/**
 * The links of one import. In arguments and results, `path` is a local path and `as` is a path on
 * the service. Paths have no leading slash.
 */
export class ImportLinks {
  /** Ids of files and folders, by their path on the service. */
  readonly #ids: Map<string, string>;
  /** Path on the service by local path, for files and folders where the two differ. */
  readonly #renamed = new Map<string, string>();
  readonly #pathOf = new Map<string, string>();
  /** Local paths of all files and folders that the walk found, even if they were not imported. */
  readonly #seen = new Set<string>();
  readonly #sent = new Map<string, SentFile>();
  #twice = 0;

  /** @param ids ids of files and folders that exist on the service, by path */
  constructor(ids: ReadonlyMap<string, string>) {
    this.#ids = new Map(ids);
    for (const [path, id] of ids) this.#pathOf.set(id, path);
  }

  /**
   * Returns the items of the walk in the order in which they are sent. Items without links come
   * first. A document with links comes after the documents to which it links.
   * @param textOf returns the content of a file; null if it is not text
   */
  order(items: Iterable<WalkItem>, textOf: (entry: WalkEntry) => string | null): WalkItem[] {
    const itemsWithoutLinks: WalkItem[] = [];
    const itemsWithLinks: EntryWithLinks[] = [];
    for (const item of items) {
      this.#see(item);
      const text = item.kind === "file" ? textOf(item) : null;
      if (item.kind !== "file" || text === null || !mayHaveLinks(text)) itemsWithoutLinks.push(item);
      else itemsWithLinks.push({ entry: item, leads: this.#leadsOf(item.path, text) });
    }
    const indexByPath = new Map(itemsWithLinks.map(({ entry }, number) => [entry.path, number]));
    const targets = itemsWithLinks.map(({ leads }) => leads.flatMap((path) => indexByPath.get(path) ?? []));
    const positions = orderTargetsFirst(targets, indexByPath.values());
    return [...itemsWithoutLinks, ...[...positions.keys()].map((number) => itemsWithLinks[number]!.entry)];
  }

  #see(item: WalkItem): void {
    if (item.kind === "refused") return void this.#seen.add(item.refusal.path.replace(/\/$/, ""));
    const { path, as } = item;
    this.#seen.add(path);
    if (as === path) return;
    this.#renamed.set(path, as);
    const id = this.#ids.get(as);
    if (id !== undefined) this.#pathOf.set(id, path);
  }

  #leadsOf(path: string, text: string): string[] {
    const place = this.#placeAt(path);
    return readDestinations(text).flatMap((read) => resolveToPath(read, place) ?? []);
  }

  #placeAt(path: string): Place {
    return { path, idAt: (target) => this.#idAt(target), pathOf: (id) => this.#pathOf.get(id) ?? null };
  }

  #idAt(path: string): string | null {
    return this.#ids.get(this.#renamed.get(path) ?? path) ?? null;
  }

  translate(path: string, text: string): string {
    return toService(text, this.#placeAt(path));
  }

  /**
   * Records the result of sending a file or folder.
   * @param text content that was sent; null for a folder
   * @param created file or folder that the service created; null if the service refused it
   */
  note({ path, as }: WalkEntry, text: string | null, created: CreatedFile | null): void {
    if (created === null) return;
    const { id, lastChangeId } = created;
    this.#ids.set(as, id);
    this.#pathOf.set(id, path);
    if (text === null || !mayHaveLinks(text)) return;
    this.#sent.set(path, { path, text, id, lastChangeId });
  }

  /**
   * Sends documents again whose first version has an inert link to a document that was created
   * later. There is one such document in each circle of links.
   */
  async end(ask: RequestSender): Promise<LinkReport> {
    for (const sentDocument of this.#sent.values()) {
      if (!sentDocument.text.includes(INERT_SCHEME)) continue;
      const text = this.translate(sentDocument.path, sentDocument.text);
      if (text === sentDocument.text) continue;
      const edit = { baseChangeId: sentDocument.lastChangeId, content: text };
      if ((await ask("PUT", `${FILES}/${sentDocument.id}/content`, edit)).status !== 200) continue;
      this.#sent.set(sentDocument.path, { ...sentDocument, text });
      this.#twice++;
    }
    return this.#report();
  }

  #report(): LinkReport {
    const inertLinks: LinkReport["inert"][number][] = [];
    let countById = 0;
    for (const { path, text } of this.#sent.values()) {
      const place = this.#placeAt(path);
      for (const destination of readDestinations(text)) {
        if (destination.inert)
          inertLinks.push({ path, to: destination.target, reason: this.#reasonOf(destination, place) });
        else countById++;
      }
    }
    return { byId: countById, twice: this.#twice, inert: inertLinks };
  }

  #reasonOf(read: Destination, place: Place): InertReason {
    if (resolveDestination(read, place) !== null) return "not-written-again";
    const path = resolveToPath(read, place);
    if (path === null) return "outside";
    if (path === "") return "no-document";
    if (this.#seen.has(path)) return path.endsWith(".md") ? "not-imported" : "no-document";
    return this.#isWithinRefused(path) ? "not-imported" : "no-target";
  }

  /** Returns true if a folder above the path was refused, and so was not searched. */
  #isWithinRefused(path: string): boolean {
    for (let folder = parentOf(path); folder !== ""; folder = parentOf(folder))
      if (this.#seen.has(folder)) return this.#idAt(folder) === null;
    return false;
  }
}

function readDestinations(text: string): Destination[] {
  return findLinks(text)
    .map(({ from, to }) => readDestinationParts(text.slice(from, to)))
    .filter(({ kind }) => kind !== "foreign");
}

/** Returns the ids of all items that the key can read, by path without a leading slash. */
export async function listReadableIds(ask: RequestSender): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (const route of [FILES, FOLDERS]) {
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { status, json } = await ask("GET", `${route}?path_prefix=/&limit=1000${cursor}`);
      if (status !== 200) throw new Error(`the service lists nothing: ${status} ${JSON.stringify(json)}`);
      const page = json as ListPage;
      for (const { id, path } of page.data) ids.set(path.slice(1), id);
      cursor = page.nextCursor === null ? null : `&cursor=${encodeURIComponent(page.nextCursor)}`;
    }
  }
  return ids;
}

type ListPage = {
  readonly data: readonly { readonly id: string; readonly path: string }[];
  readonly nextCursor: string | null;
};
