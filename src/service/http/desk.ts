import type { WireRequest, WireResponse } from "../../contract/wire.ts";
import type { Admission } from "../requests/admission.ts";
import type { RequestHead } from "../requests/dispatch.ts";
import type { ServiceFigures } from "../figures.ts";
import type { Taken } from "./access-entry.ts";
import type { StreamedAnswer } from "./write-answer.ts";
import type { Watch } from "./metrics.ts";
import type { LoadPages } from "./pages.ts";
import type { ServiceWire } from "../service.ts";
import type { UnreadAnswers } from "./unread.ts";

/** What the requests of a server have in common. */

export type HttpService = {
  readonly handle: ServiceWire;
  /**
   * Judges a request by its headers, before its body is read. It is asked of requests with a body
   * alone, and where the service is overloaded: `handle` judges all of them.
   * @returns the answer if the body need not be read, else null
   */
  readonly admit?: (head: RequestHead) => Eventually<WireResponse | null>;
  /** For `/metrics`. */
  readonly figures?: () => Eventually<ServiceFigures>;
  /** For `/readyz`: whether requests can be served; without it they can. */
  readonly isReady?: () => Eventually<boolean>;
  /** A GET of this path is answered by a stream, or refused. It waits in no queue. */
  readonly streams?: {
    readonly path: string;
    readonly open: (request: WireRequest, taken: Taken) => Promise<WireResponse | StreamedAnswer>;
  };
};

export type Eventually<T> = T | Promise<T>;

/** What all requests of a server go through. */
export type Desk = {
  readonly service: HttpService;
  readonly admission: Admission;
  /** null: `/app` is the service's, which knows no such path. */
  readonly loadPages: LoadPages | null;
  readonly watch: Watch;
  readonly unread: UnreadAnswers;
  /** What ends each stream that is open. */
  readonly streams: Set<() => void>;
  /** Requests so far. */
  begun: number;
  /** What a request waits for before it is begun; null: nothing. */
  held: Promise<void> | null;
  /** From then on every answer is the last of its connection. */
  isClosing: boolean;
};
