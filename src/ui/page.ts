import type { FolderLists } from "../app/doctor/list-folder.ts";
import type { Documents } from "../app/markdown.ts";
import type { LocalReads } from "../app/mirror/local-reads.ts";
import type { Result } from "../app/mirror/trouble.ts";
import type { SharedUpdates } from "../app/shared-updates.ts";
import type { Content } from "../page/layout.ts";
import type { Clock, Random } from "../ports/world.ts";
import type { Changes } from "./changes.ts";
import type { Drafts } from "./drafts.ts";
import type { Halts } from "./halts.ts";
import type { Jobs } from "./jobs.ts";
import type { Looks } from "./looks.ts";

/** What pages and actions are made with. */
export type Ui = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly looks: Looks;
  readonly documents: Documents;
  readonly folders: FolderLists;
  readonly reads: LocalReads;
  readonly searches: SharedUpdates;
  readonly jobs: Jobs;
  readonly changes: Changes;
  readonly drafts: Drafts;
  readonly halts: Halts;
};

/** What an address says: the named parts of its path (`*`: the rest of it), and its query. */
export type Asked = { readonly params: Readonly<Record<string, string>>; readonly query: URLSearchParams };

/** What differs each time that a page is shown. */
export type Moment = {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Of the session, for forms. */
  readonly csrf: string;
  /** The paths of all pages, as the router reads them: what leads to another is left out. */
  readonly pages: ReadonlySet<string>;
};

/** A page as it is now. `key`: as long as it is the same, the page looks the same. */
type OpenedPage = { readonly key: string; readonly show: (moment: Moment) => Content };

export type UiPage = {
  /** As fastify's router reads it: `/m/:name`. */
  readonly path: string;
  /** Its changes are shown without a reload. */
  readonly isLive: boolean;
  readonly open: (ui: Ui, asked: Asked) => Promise<Result<OpenedPage>>;
};

/** A page in two steps: what it shows, as plain data that hold times and no ages; then how. */
export type PageSpec<Model> = {
  readonly path: string;
  readonly isLive: boolean;
  /** Changes nothing, on either side. */
  readonly look: (ui: Ui, asked: Asked) => Promise<Result<Model>>;
  readonly show: (model: Model, moment: Moment) => Content;
};

export function definePage<Model>(page: PageSpec<Model>): UiPage {
  const { path, isLive, look, show } = page;
  return {
    path,
    isLive,
    async open(ui, asked) {
      const looked = await look(ui, asked);
      if (looked.kind === "trouble") return looked;
      const { value } = looked;
      return { kind: "ok", value: { key: JSON.stringify(value), show: (moment) => show(value, moment) } };
    },
  };
}
