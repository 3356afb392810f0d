import type { ServiceFigures } from "../figures.ts";
import type { RequestMetrics } from "../http/metrics.ts";
import type { ServiceCore } from "../requests/dispatch.ts";
import type { UserIdentity } from "./sign-in-sessions.ts";
import type { PageResult } from "./answer.ts";
import type { RenderMarkdown } from "../../page/renderer.ts";

export type FigureSources = {
  readonly watch: Pick<RequestMetrics, "history" | "routes" | "uptimeMs">;
  /** Returns current figures; null if the service has none. */
  readonly figures: () => Promise<ServiceFigures | null>;
};

export type PageCall = {
  readonly core: ServiceCore;
  readonly who: UserIdentity;
  /** Scheme, host and port of the page that sent the form; empty if the request is for a page. */
  readonly origin: string;
  readonly csrf: string;
  /** Decoded value of `{id}` in the address; empty if the address has none. */
  readonly id: string;
  /** Decoded value of `*` at the end of the address; empty if the address has none. */
  readonly rest: string;
  readonly query: URLSearchParams;
  /** Fields of the form; empty if the request is for a page. */
  readonly form: URLSearchParams;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly render: RenderMarkdown;
  readonly operation: FigureSources;
};

export type PageRoute = {
  readonly method: "GET" | "POST";
  /** Pattern of the address: `{id}` only as its third segment, `*` at the end for any rest. */
  readonly path: string;
  readonly adminOnly: boolean;
  readonly run: (call: PageCall) => PageResult | Promise<PageResult>;
};
