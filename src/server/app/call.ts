import type { Core } from "../dispatch.ts";
import type { Who } from "./who.ts";
import type { PageResult } from "./answer.ts";
import type { OnceShown } from "./once-shown.ts";
import type { Render } from "./renderer.ts";

/** One request for a page, or one form, of somebody who is signed in. */
export type PageCall = {
  readonly core: Core;
  readonly who: Who;
  /** Stands in each form. */
  readonly csrf: string;
  /** The `{…}` of the address, then what `*` stands for, decoded. */
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
  /** `{…}` is one part of it, `*` at its end the rest. */
  readonly path: string;
  /** Else whoever is signed in. */
  readonly adminOnly: boolean;
  readonly run: (call: PageCall) => PageResult;
};
