/** Messages between the benchmark and the service's process. */
export type BenchMessage =
  | { readonly do: "workspace"; readonly name: string }
  | { readonly do: "import"; readonly key: string; readonly dir: string }
  /** Requests the number of requests since the last count. */
  | { readonly do: "count" }
  /** `on`: true to report each PUT immediately, with its time. */
  | { readonly do: "tell-puts"; readonly on: boolean };

export type Counted = {
  readonly requests: number;
  /** Number of requests by route, such as `GET /v1/files` and `PATCH /v1/folders/{id}`. */
  readonly byRoute: Readonly<Record<string, number>>;
};

export type ServiceMessage =
  | { readonly kind: "ready"; readonly url: string }
  | { readonly kind: "answer"; readonly value: unknown }
  | { readonly kind: "error"; readonly message: string }
  /**
   * `at`: `process.hrtime.bigint()`, which is the same clock for all processes of a Linux machine.
   */
  | { readonly kind: "put"; readonly at: string };
