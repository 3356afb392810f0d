import type { BoundedMap } from "../common/bounded-map.ts";
import type { Renderer } from "../page/renderer.ts";
import { ok, TroubleError, unwrap } from "../common/trouble.ts";
import type { Content, LinkGroup, Notice } from "../page/layout.ts";
import type { Clock } from "../common/clock.ts";
import type { Random } from "../common/random.ts";
import { mirrorAddress } from "./addresses.ts";
import { type AllFolders, type Folder, type Folders, folderNamed } from "./folders.ts";
import { type LocalMirror, withLocal } from "../mirror/folder/open-local.ts";
import { isSameName } from "../mirror/trust/list.ts";
import type { Drafts, Jobs, Searches, Stops } from "./jobs.ts";
import type { LinkDraft, RefusedLink } from "./linking.ts";
import type { Link } from "../page/parts.ts";

/** Objects that all pages and actions share. */
export type Ui = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly folders: Folders;
  readonly documents: Renderer;
  readonly jobs: Jobs;
  readonly drafts: Drafts;
  readonly stops: Stops;
  readonly searches: Searches;
  /** Folders that a user is about to link, by a secret of the page. */
  readonly links: BoundedMap<string, LinkDraft | RefusedLink>;
};

export type PageRequest = {
  /** Named parts of the address; `*`: the remainder of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Linked folders at the time of the request. */
  readonly all: AllFolders;
  /** Path of the page's address, encoded and without its query. */
  readonly address: string;
  /** Time of the request, in milliseconds since the epoch. */
  readonly now: number;
  /** Token of the session, for forms. */
  readonly csrf: string;
};

export type UiPage = {
  /** Route of the page, such as `/m/:name`. */
  readonly path: string;
  /** Part of the address of the section to which the page belongs; undefined: no section. */
  readonly section?: string;
  /** False if an open page shows no changes without a reload; undefined: true. */
  readonly isLive?: boolean;
  /**
   * Returns the page. Must change nothing on either side.
   * @throws TroubleError for a page about the trouble
   */
  readonly show: (ui: Ui, request: PageRequest) => Content | Promise<Content>;
};

type FolderPage = Omit<UiPage, "show"> & {
  /** True if the page can show a folder whose content cannot be read. */
  readonly showsUnreadable?: boolean;
  readonly show: (ui: Ui, folder: Folder, request: PageRequest) => Content | Promise<Content>;
};

/** Defines a page about one linked folder. */
export function folderPage({ show, showsUnreadable = false, ...page }: FolderPage): UiPage {
  return {
    ...page,
    show(ui, request) {
      const folder = unwrap(folderNamed(request.all, request.params["name"]!));
      if (folder.trouble !== null && !showsUnreadable) throw new TroubleError(folder.trouble);
      return show(ui, folder, request);
    },
  };
}

/**
 * Reads a linked folder without its service.
 * @throws TroubleError if the folder cannot be opened
 */
export function readLocal<T>(ui: Pick<Ui, "clock" | "random">, root: string, work: (local: LocalMirror) => T): T {
  return unwrap(withLocal(root, ui, (local) => ok(work(local))));
}

/** Tabs of a linked folder: the part of each section's address, and its label. */
const SECTIONS: readonly (readonly [part: string, label: string])[] = [
  ["", "Overview"],
  ["needs", "Problems"],
  ["docs/", "Documents"],
  ["history/", "History"],
  ["reviews", "Reviews"],
  ["search", "Search"],
  ["settings", "Settings"],
];

/** Returns the tabs of the linked folder that a page is about; null for other pages. */
export function sectionsOf({ section }: UiPage, { params, all }: PageRequest): LinkGroup | null {
  const name = params["name"];
  const found = name === undefined ? null : folderNamed(all, name);
  if (name === undefined || found?.kind !== "ok") return null;
  const { needs, status } = found.value;
  const counts: Readonly<Record<string, Pick<Link, "count" | "tone">>> = {
    needs: { count: needs.length, tone: "asks" },
    "docs/": { count: status?.documents ?? 0 },
    reviews: { count: status?.reviews.length ?? 0 },
  };
  const links = SECTIONS.map(([part, label]): Link => {
    const current = part === section ? "true" : null;
    return { href: mirrorAddress(name, part), label, ...counts[part], current };
  });
  return { label: name, links };
}

/** Returns the results of jobs that a page shows: of its linked folder, or of all folders. */
export function resultsOf({ params, all }: PageRequest): readonly Notice[] {
  const name = params["name"];
  return all.folders.flatMap(({ name: folderName, job }) => {
    const result = job?.end ?? null;
    if (result === null || (name !== undefined && !isSameName(folderName, name))) return [];
    return name === undefined ? [{ ...result, text: `${folderName}: ${result.text}` }] : [result];
  });
}

/** Returns the menu of all linked folders; its label names the one that the page is about. */
export function switcherOf({ params, all }: PageRequest): LinkGroup {
  const name = params["name"];
  const subject = name === undefined ? undefined : all.folders.find((folder) => isSameName(folder.name, name));
  const links = all.folders.map(({ name: label, needs }): Link => {
    const current = label === subject?.name ? "true" : null;
    return { href: mirrorAddress(label), label, current, count: needs.length, tone: "asks" };
  });
  return { label: subject?.name ?? "All folders", links: [{ href: "/", label: "All folders" }, ...links] };
}
