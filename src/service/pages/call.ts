import type { ServiceFigures } from "../service.ts";
import type { RequestMetrics } from "../http/metrics.ts";
import type { ServiceCore } from "../requests/dispatch.ts";
import type { UserIdentity } from "./sign-in-sessions.ts";
import type { MarkdownRenderer } from "../../page/renderer.ts";

export type FigureSources = {
  readonly metrics: Pick<RequestMetrics, "history" | "routes" | "uptimeMs">;
  /** Returns current figures; null if the service has none. */
  readonly figures: () => Promise<ServiceFigures | null>;
};

export type PageCall = {
  readonly core: ServiceCore;
  readonly who: UserIdentity;
  /** Origin of the page that sent the form: scheme, host and port. Empty if no form was sent. */
  readonly origin: string;
  readonly csrf: string;
  /** Decoded value of `{id}` in the address; empty if the address has none. */
  readonly id: string;
  /** Decoded value of `*` at the end of the address; empty if the address has none. */
  readonly rest: string;
  readonly query: URLSearchParams;
  /** Fields of the form; empty if no form was sent. */
  readonly form: URLSearchParams;
  /** Time of the request in milliseconds since the epoch. */
  readonly now: number;
  readonly render: MarkdownRenderer;
  readonly operation: FigureSources;
};
