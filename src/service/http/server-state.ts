import type { WireRequest, WireResponse } from "../../contract/wire.ts";
import type { Admission } from "../requests/admission.ts";
import type { RequestHead } from "../requests/dispatch.ts";
import type { ServiceFigures, ServiceWire } from "../service.ts";
import type { RequestRecord } from "./access-log.ts";
import type { StreamedAnswer } from "./stream.ts";
import type { RequestMetrics } from "./metrics.ts";
import type { PagesLoader } from "./pages.ts";
import type { UnreadAnswers } from "./connections.ts";

export type HttpService = {
  readonly handle: ServiceWire;
  /**
   * Checks a request by its headers, before its body is read. Called for each request with a body,
   * and for every request while the service is overloaded. `handle` checks the request again.
   * @returns the refusal; null if the request is accepted
   */
  readonly admit?: (head: RequestHead) => MaybePromise<WireResponse | null>;
  readonly figures?: () => MaybePromise<ServiceFigures>;
  /**
   * Returns true if the service can answer requests, for `/readyz`. Undefined for a service that
   * can always answer.
   */
  readonly isReady?: () => MaybePromise<boolean>;
  /** Answers the operation `streamEvents` with a stream of events, or with a refusal. */
  readonly streams?: {
    readonly open: (request: WireRequest, taken: RequestRecord) => Promise<WireResponse | StreamedAnswer>;
  };
};

export type MaybePromise<T> = T | Promise<T>;

export type ServerState = {
  readonly service: HttpService;
  readonly admission: Admission;
  /** Loads the web pages; null if they are disabled, so that `/app` answers 404. */
  readonly loadPages: PagesLoader | null;
  readonly metrics: RequestMetrics;
  readonly unread: UnreadAnswers;
  /** Functions, each of which ends one open event stream. */
  readonly streams: Set<() => void>;
  begun: number;
  /** True after the server has begun to close. Each answer then ends its connection. */
  isClosing: boolean;
};
