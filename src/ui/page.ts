import type { BoundedMap } from "../common/bounded-map.ts";
import type { Renderer } from "../page/renderer.ts";
import { ok, TroubleError, unwrap } from "../common/trouble.ts";
import type { Content, LinkGroup, Notice } from "../page/layout.ts";
import type { Clock } from "../common/clock.ts";
import type { Random } from "../common/random.ts";
import { mirrorAddress } from "./addresses.ts";
import { type AllFolders, type Folder, type Folders, findFolder } from "./folders.ts";
import { type LocalMirror, withLocal } from "../mirror/folder/open-local.ts";
import { isSameName } from "../mirror/trust/list.ts";
import type { Drafts, Jobs, Searches, Stops } from "./jobs.ts";
import type { LinkDraft, RefusedLink } from "./linking.ts";
import type { Link } from "../page/parts.ts";

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
  /** Forms that link a new folder, by the secret in the page's address. */
  readonly links: BoundedMap<string, LinkDraft | RefusedLink>;
};

export type PageRequest = {
  /** Values of the route's parameters. `*` is the rest of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly all: AllFolders;
  /** Path of the requested address: encoded, without the query. */
  readonly address: string;
  /** Time of the request, in milliseconds since the epoch. */
  readonly now: number;
  /** Token that each form of this session has to send. */
  readonly csrf: string;
};

export type UiPage = {
  readonly path: string;
  /**
   * Tab that is marked on this page, named by the end of the tab's address, such as `history/`;
   * left out if no tab is marked.
   */
  readonly section?: string;
  /** False if the open page is not updated automatically. Default: true. */
  readonly isLive?: boolean;
  /**
   * Returns the content of the page. Must not change anything on either side. Throws a
   * TroubleError, which is then shown as a page.
   */
  readonly show: (ui: Ui, request: PageRequest) => Content | Promise<Content>;
};

type FolderPage = Omit<UiPage, "show"> & {
  /** True if the page can be shown for a folder whose status cannot be read. Default: false. */
  readonly showsUnreadable?: boolean;
  readonly show: (ui: Ui, folder: Folder, request: PageRequest) => Content | Promise<Content>;
};

export function makeFolderPage({ show, showsUnreadable = false, ...page }: FolderPage): UiPage {
  return {
    ...page,
    show(ui, request) {
      const folder = unwrap(findFolder(request.all, request.params["name"]!));
      if (folder.trouble !== null && !showsUnreadable) throw new TroubleError(folder.trouble);
      return show(ui, folder, request);
    },
  };
}

/**
 * Runs `work` without a connection to the service. Throws a TroubleError for an unusable folder.
 */
export function readLocalMirror<T>(ui: Pick<Ui, "clock" | "random">, root: string, work: (local: LocalMirror) => T): T {
  return unwrap(withLocal(root, ui, (local) => ok(work(local))));
}

const TABS: readonly (readonly [part: string, label: string])[] = [
  ["", "Overview"],
  ["needs", "Problems"],
  ["docs/", "Documents"],
  ["history/", "History"],
  ["reviews", "Reviews"],
  ["search", "Search"],
  ["settings", "Settings"],
];

export function makeTabs({ section }: UiPage, { params, all }: PageRequest): LinkGroup | null {
  const mirrorName = params["name"];
  const namedFolder = mirrorName === undefined ? null : findFolder(all, mirrorName);
  if (mirrorName === undefined || namedFolder?.kind !== "ok") return null;
  const { needs, status } = namedFolder.value;
  const counts: Readonly<Record<string, Pick<Link, "count" | "tone">>> = {
    needs: { count: needs.length, tone: "asks" },
    "docs/": { count: status?.documents ?? 0 },
    reviews: { count: status?.reviews.length ?? 0 },
  };
  const links = TABS.map(([part, label]): Link => {
    const currentMark = part === section ? "true" : null;
    return { href: mirrorAddress(mirrorName, part), label, ...counts[part], current: currentMark };
  });
  return { label: mirrorName, links };
}

/** Returns the results of recent jobs: of the page's linked folder, or of all linked folders. */
export function collectResults({ params, all }: PageRequest): readonly Notice[] {
  const name = params["name"];
  return all.folders.flatMap(({ name: folderName, job }) => {
    const result = job?.end ?? null;
    if (result === null || (name !== undefined && !isSameName(folderName, name))) return [];
    return name === undefined ? [{ ...result, text: `${folderName}: ${result.text}` }] : [result];
  });
}

export function makeSwitcher({ params, all }: PageRequest): LinkGroup {
  const name = params["name"];
  const subjectFolder = name === undefined ? undefined : all.folders.find((folder) => isSameName(folder.name, name));
  const links = all.folders.map(({ name: label, needs }): Link => {
    const current = label === subjectFolder?.name ? "true" : null;
    return { href: mirrorAddress(label), label, current, count: needs.length, tone: "asks" };
  });
  return { label: subjectFolder?.name ?? "All folders", links: [{ href: "/", label: "All folders" }, ...links] };
}
