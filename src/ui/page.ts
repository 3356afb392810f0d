import type { Renderer } from "../page/renderer.ts";
import type { LocalReads } from "../mirror/folder/local-reads.ts";
import type { Result } from "../common/trouble.ts";
import type { Content } from "../page/layout.ts";
import type { Clock } from "../common/clock.ts";
import type { Random } from "../common/random.ts";
import type { Changes } from "./changes.ts";
import type { Drafts } from "./drafts.ts";
import type { Stops } from "./stops.ts";
import type { Jobs } from "./jobs.ts";
import type { StatusReadings } from "./status-readings.ts";

/** Objects that all pages and actions share. */
export type Ui = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly looks: StatusReadings;
  readonly documents: Renderer;
  readonly reads: LocalReads;
  readonly jobs: Jobs;
  readonly changes: Changes;
  readonly drafts: Drafts;
  readonly halts: Stops;
};

/** Named parts of an address (`*`: the remainder of its path), and its query. */
export type PageRequest = { readonly params: Readonly<Record<string, string>>; readonly query: URLSearchParams };

/** Context of a page in addition to its data. */
export type Moment = {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The session's token, for forms. */
  readonly csrf: string;
};

/** A page with its data. While `key` is the same, the page looks the same. */
type OpenedPage = { readonly key: string; readonly show: (moment: Moment) => Content };

export type UiPage = {
  /** Route of the page, such as `/m/:name`. */
  readonly path: string;
  /** True if an open page shows changes without a reload. */
  readonly isLive: boolean;
  readonly open: (ui: Ui, asked: PageRequest) => Promise<Result<OpenedPage>>;
};

/**
 * A page in two steps: `look` collects plain data (times, never ages), `show` makes HTML from the
 * data.
 */
export type PageSpec<Model> = {
  readonly path: string;
  readonly isLive: boolean;
  /** Collects the data. Must change nothing on either side. */
  readonly look: (ui: Ui, asked: PageRequest) => Promise<Result<Model>>;
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
