/** What the bench and the service's process say to each other. */
export type Ask =
  | { readonly do: "workspace"; readonly name: string }
  | { readonly do: "import"; readonly key: string; readonly dir: string }
  /** What was asked since the last count. */
  | { readonly do: "count" }
  /** True to report each PUT immediately, with its time. */
  | { readonly do: "tell-puts"; readonly on: boolean };

export type Counted = {
  readonly requests: number;
  /** Requests by what they ask for, as `GET /v1/files` and `PATCH /v1/folders/{id}`. */
  readonly byRoute: Readonly<Record<string, number>>;
};

export type Told =
  | { readonly kind: "ready"; readonly url: string }
  | { readonly kind: "answer"; readonly value: unknown }
  | { readonly kind: "error"; readonly message: string }
  /** `at`: `process.hrtime.bigint()`, one clock for all processes of a Linux machine. */
  | { readonly kind: "put"; readonly at: string };
