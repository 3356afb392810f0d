/** One line of the access log. It never has content, a key, a query or a path of a document. */
export type AccessEntry = {
  /** Time of the request, ISO 8601. */
  readonly at: string;
  readonly method: string;
  /** Pattern of the path: `/v1/files/{id}`. */
  readonly route: string;
  /** 499 if the client disconnected before the answer. */
  readonly status: number;
  /** Bytes of the answer's body; 0 for a stream. */
  readonly bytes: number;
  /** Milliseconds to the end of the answer. */
  readonly ms: number;
  /** Id of the key; null if no key was valid, or for the admin key. */
  readonly key: string | null;
  readonly requestId: string | null;
};

/** Facts about a request that are recorded while it is answered. */
export type Taken = {
  readonly route: string;
  bytes: number;
  key: string | null;
  requestId: string | null;
  /** Tells whether the client has disconnected. */
  readonly isGone: () => boolean;
};
