import type { BoundedMap } from "../common/bounded-map.ts";
import type { Renderer } from "../page/renderer.ts";
import { ok, TroubleError, unwrap } from "../common/trouble.ts";
import type { Content, LinkGroup, Notice } from "../page/layout.ts";
import type { ProcessContext } from "../mirror/folder/open-mirror.ts";
import { mirrorAddress } from "./addresses.ts";
import { type AllFolders, findFolder, type Folder, type Folders } from "./folders.ts";
import { type LocalMirror, withLocal } from "../mirror/folder/open-local.ts";
import { isSameName } from "../mirror/trust/list.ts";
import type { Drafts, Jobs, PageSearches, StopScans, JobWork } from "./jobs.ts";
import type { LinkDraft, RefusedLink } from "./linking.ts";
import type { Link } from "../page/parts.ts";
import { readUndoPlan } from "../mirror/operations/history/undo.ts";
import { syncMirror } from "../mirror/operations/manual/sync.ts";
import type { OperationName } from "../mirror/operations/declared/table.ts";
import { USUAL_RUN } from "../mirror/folder/run.ts";
import type { Progress } from "../mirror/ports/world.ts";
import { BUSY_NOTICE, makeSyncNotice, makeTroubleNotice } from "./messages.ts";

export type Ui = ProcessContext & {
  readonly folders: Folders;
  readonly documents: Renderer;
  readonly jobs: Jobs;
  readonly drafts: Drafts;
  readonly stops: StopScans;
  readonly searches: PageSearches;
  /** Forms that link a new folder, by the secret in the address of the form's page. */
  readonly links: BoundedMap<string, LinkDraft | RefusedLink>;
};

export type PageRequest = {
  /** Values of the route's parameters. `*` is the last part of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly all: AllFolders;
  readonly address: string;
  /** Time of the request, in milliseconds since the epoch. */
  readonly now: number;
  /** Token that each form of this session has to send. */
  readonly csrf: string;
};

export type UiPage = {
  readonly path: string;
  /**
   * Tab that is marked on this page: the end of the tab's address, such as `history/`; undefined to
   * mark no tab.
   */
  readonly section?: string;
  /** False to leave an open page unchanged until the user loads the page again. Default: true. */
  readonly isLive?: boolean;
  /**
   * Returns the content of the page. Must not change anything on either side. May throw a
   * TroubleError; the browser then gets a page about the error.
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

/** Runs `work` without connecting to the service. Throws a TroubleError for an unusable folder. */
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
  if (mirrorName === undefined) return null;
  const namedFolder = findFolder(all, mirrorName);
  if (namedFolder.kind !== "ok") return null;
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

export function makeFolderSwitcher({ params, all }: PageRequest): LinkGroup {
  const name = params["name"];
  const subjectFolder = name === undefined ? undefined : all.folders.find((folder) => isSameName(folder.name, name));
  const links = all.folders.map(({ name: label, needs }): Link => {
    const currentMark = label === subjectFolder?.name ? "true" : null;
    return { href: mirrorAddress(label), label, current: currentMark, count: needs.length, tone: "asks" };
  });
  return { label: subjectFolder?.name ?? "All folders", links: [{ href: "/", label: "All folders" }, ...links] };
}

export type ActionRequest = PageRequest & {
  /** Linked folder that the form names; an existing folder of this user. */
  readonly folder: Folder;
  readonly form: URLSearchParams;
};

/**
 * `notice`: message on the next page. `to`: address of the next page. Default: the page of the
 * action.
 */
export type ActionResult = { readonly notice: Notice | null; readonly to?: string };

export type UiAction = {
  /** Route of the form below the address of the linked folder, such as `sync` or `conflict/*`. */
  readonly path: string;
  readonly operation?: OperationName;
  /** Returns the address of the next page, relative to the address of the linked folder. */
  readonly page: (request: ActionRequest) => string;
  /** Carries out the action. The next page shows a thrown TroubleError as a notice. */
  readonly run: (ui: Ui, request: ActionRequest) => ActionResult | Promise<ActionResult>;
};

type FolderRef = Pick<Folder, "name" | "root">;

/** Starts a sync as a job, so that the page does not wait for the service. */
export function startSync(ui: Ui, folder: FolderRef): ActionResult {
  return startJob(ui, folder, "Syncing", (progress) => syncFolder(ui, folder, progress));
}

/** Starts a job; the next page shows the progress. Returns a notice if another job runs. */
export function startJob(ui: Ui, { root }: FolderRef, what: string, work: JobWork): ActionResult {
  return { notice: ui.jobs.start(root, what, work) ? null : BUSY_NOTICE };
}

export async function syncFolder(ui: Ui, { name, root }: FolderRef, progress: Progress): Promise<Notice> {
  const syncResult = await syncMirror(root, USUAL_RUN, { ...ui, progress });
  if (syncResult.kind === "trouble") return makeTroubleNotice(syncResult.trouble);
  return makeSyncNotice(syncResult.value.report, mirrorAddress(name, "safety-stop"));
}

/** Returns the form of the button *Undo* for a run; empty if nothing can be undone. */
export function makeUndo(ui: Ui, { name, root }: FolderRef, run: number | null): Pick<Notice, "undo"> {
  if (run === null) return {};
  const plan = withLocal(root, ui, (local) => readUndoPlan(local, run));
  if (plan.kind === "trouble" || plan.value.items.every(({ kind }) => kind === "left")) return {};
  const fields = { root, version: plan.value.version, next: "needs" };
  return { undo: { action: mirrorAddress(name, `runs/${run}/undo`), label: "Undo", fields } };
}

/** Returns the path of a document or folder from an address, without slashes at its end. */
export function readRequestedPath({ params }: PageRequest): string {
  return (params["*"] ?? "").replace(/\/+$/, "");
}

/** Parses a positive whole number from an address or a form; null if the text is not one. */
export function readNumber(text: string | null | undefined): number | null {
  return /^[1-9]\d{0,8}$/.test(text ?? "") ? Number(text) : null;
}
