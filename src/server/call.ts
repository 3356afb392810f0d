import type { SentBody } from "./body.ts";
import type { RequestContext } from "./context.ts";
import type { Query } from "./query.ts";

/** One request, authenticated and routed. */
export type Call = {
  readonly context: RequestContext;
  /** The last path segment where the route has an id, percent-decoded; else empty. */
  readonly id: string;
  readonly query: Query;
  readonly body: SentBody;
};
