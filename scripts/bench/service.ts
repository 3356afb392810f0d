/** Runs the service's process for the benchmark. Its messages are answered in order. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

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

export type BenchService = {
  readonly url: string;
  readonly pid: number;
  /** Creates an empty workspace. Returns a key with Full access to it. */
  newWorkspace(name: string): Promise<string>;
  /** Imports a folder. Returns the number of documents. */
  importInto(key: string, dir: string): Promise<number>;
  /** Returns the number of requests since the last call. */
  count(): Promise<Counted>;
  /**
   * Calls `heard` with the time of every PUT from now on (`process.hrtime.bigint()`); null ends
   * that.
   */
  onPut(heard: ((at: bigint) => void) | null): Promise<void>;
  close(): Promise<void>;
};

export async function startBenchService(folder: string): Promise<BenchService> {
  const child = fork(fileURLToPath(new URL("service-process.ts", import.meta.url)), [folder], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [ready] = (await once(child, "message")) as [ServiceMessage];
  if (ready.kind !== "ready") throw new Error("the service did not start");
  let heardPut: ((at: bigint) => void) | null = null;
  const waiting: { resolve: (value: unknown) => void; reject: (error: Error) => void }[] = [];
  child.on("message", (message: ServiceMessage) => {
    if (message.kind === "put") heardPut?.(BigInt(message.at));
    else if (message.kind === "answer") waiting.shift()?.resolve(message.value);
    else if (message.kind === "error") waiting.shift()?.reject(new Error(message.message));
  });
  child.on("exit", (code) => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`the service ended with ${code}`));
  });
  const ask = <T>(what: BenchMessage): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ resolve: (value) => resolve(value as T), reject });
      child.send(what);
    });
  return {
    url: ready.url,
    pid: child.pid!,
    newWorkspace: (name) => ask({ do: "workspace", name }),
    importInto: (key, dir) => ask({ do: "import", key, dir }),
    count: () => ask({ do: "count" }),
    async onPut(heard) {
      heardPut = heard;
      await ask({ do: "tell-puts", on: heard !== null });
    },
    close: () => endOf(child),
  };
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.disconnect();
  await ended;
}
