/** One line of the access log. No text, key, query or path of a document stands in it. */
export type AccessEntry = {
  /** When the request came, ISO 8601. */
  readonly at: string;
  readonly method: string;
  /** The kind of its path: `/v1/files/{id}`. */
  readonly route: string;
  /** 499: the client went away before its answer. */
  readonly status: number;
  /** Of the answer's body; of a stream none are counted. */
  readonly bytes: number;
  /** To the end of the answer. */
  readonly ms: number;
  /** The id of the key; null: none was valid, or it was the administrator's. */
  readonly key: string | null;
  readonly requestId: string | null;
};

/** What is learned of a request on its way. */
export type Taken = {
  /** The kind of its path. */
  readonly route: string;
  bytes: number;
  key: string | null;
  requestId: string | null;
  /** Whether the client has left. */
  readonly isGone: () => boolean;
};
