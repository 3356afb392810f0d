import type { Renderer } from "../page/renderer.ts";
import type { Result } from "../common/trouble.ts";
import type { Content, Link } from "../page/layout.ts";
import type { Clock } from "../common/clock.ts";
import type { Random } from "../common/random.ts";
import { mirrorAddress } from "./addresses.ts";
import type { Folder, Folders } from "./folders.ts";
import type { Changes, Drafts, Jobs } from "./jobs.ts";
import type { Stops } from "./stops.ts";

/** Objects that all pages and actions share. */
export type Ui = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly folders: Folders;
  readonly documents: Renderer;
  readonly jobs: Jobs;
  readonly changes: Changes;
  readonly drafts: Drafts;
  readonly stops: Stops;
};

export type PageRequest = {
  /** Named parts of the address; `*`: the remainder of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Time of the request, in milliseconds since the epoch. */
  readonly now: number;
  /** Token of the session, for forms. */
  readonly csrf: string;
};

export type UiPage = {
  /** Route of the page, such as `/m/:name`. */
  readonly path: string;
  /** Part of the address of the section to which the page belongs; left out: no section. */
  readonly section?: string;
  /** False if an open page shows no changes without a reload; left out: true. */
  readonly isLive?: boolean;
  /** Returns the page. Must change nothing on either side. */
  readonly show: (ui: Ui, asked: PageRequest) => Result<Content> | Promise<Result<Content>>;
};

type FolderPage = Omit<UiPage, "show"> & {
  /** True if the page can show a folder whose content cannot be read. */
  readonly showsUnread?: boolean;
  readonly show: (ui: Ui, folder: Folder, asked: PageRequest) => Result<Content> | Promise<Result<Content>>;
};

/** Defines a page about one linked folder. */
export function folderPage({ show, showsUnread = false, ...page }: FolderPage): UiPage {
  return {
    ...page,
    async show(ui, asked) {
      const found = await ui.folders.one(asked.params["name"]!);
      if (found.kind === "trouble") return found;
      const { trouble } = found.value;
      return trouble === null || showsUnread ? show(ui, found.value, asked) : { kind: "trouble", trouble };
    },
  };
}

/** Navigation of a linked folder: the part of each section's address, and its label. */
const SECTIONS: readonly (readonly [part: string, label: string])[] = [
  ["", "Overview"],
  ["needs", "Action required"],
  ["docs/", "Documents"],
  ["history/", "History"],
  ["runs", "Runs"],
  ["search", "Search"],
  ["reviews", "Reviews"],
  ["log", "Log"],
];

/**
 * Returns the navigation of a linked folder.
 * @param shown the page that is shown: its section and its address
 */
export function sectionsOf(
  name: string,
  shown: { readonly section?: string | undefined; readonly address: string },
): readonly Link[] {
  return SECTIONS.map(([part, label]) => {
    const href = mirrorAddress(name, part);
    return { href, label, current: href === shown.address ? "page" : part === shown.section ? "true" : null };
  });
}
