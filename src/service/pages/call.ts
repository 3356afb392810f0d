import type { Core } from "../requests/dispatch.ts";
import type { Who } from "./who.ts";
import type { PageResult } from "./answer.ts";
import type { OnceShown } from "./once-shown.ts";
import type { Render } from "../../page/renderer.ts";

/** One request for a page, or one form, from somebody who is signed in. */
export type PageCall = {
  readonly core: Core;
  readonly who: Who;
  /** The session's token, for forms. */
  readonly csrf: string;
  /** What each `{…}` of the address stands for, then what `*` does, decoded. */
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  /** Empty for a page. */
  readonly form: URLSearchParams;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly once: OnceShown;
  readonly render: Render;
};

export type PageRoute = {
  readonly method: "GET" | "POST";
  /** `{…}` stands for one part; `*`, at the end only, for the rest. */
  readonly path: string;
  /** Whether only an administrator may ask for it. */
  readonly adminOnly: boolean;
  readonly run: (call: PageCall) => PageResult | Promise<PageResult>;
};
