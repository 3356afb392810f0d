/** One HTTP exchange as plain data: what the service handles in process, and what the client sends. */

/** `path` holds the query; header names are lower case; bodies are text (JSON) or null. */
export type WireRequest = {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
};

/** `body` is "" for an empty answer (204). */
export type WireResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};
