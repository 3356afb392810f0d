import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { compileFunction, createContext, Script } from "node:vm";
import type { End } from "./inside.ts";
import { SHARED_BUNDLE } from "./shared-bundle.ts";
import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import type { Service, ServiceOptions } from "../../src/service/service.ts";
import type { DatabaseLocation } from "../../src/service/store/sqlite/database.ts";
import type { SqliteStore } from "../../src/service/store/sqlite/store.ts";

/**
 * Runs the service synchronously. It runs in a separate JavaScript context (a *realm*), whose
 * promise callbacks run only when `runToEnd` lets them, and then all of them. The embedded store
 * waits for promises only, so every request is answered within one synchronous call. So a simulated
 * user can act in the middle of a synchronous disk call.
 */

type Inside = typeof import("./inside.ts");

/** Globals that both contexts share, so that `instanceof` works across them. */
const SHARED = { Error, Buffer, TextDecoder, TextEncoder, URLSearchParams, process, performance };

let inside: Inside | null = null;
const context = createContext({ ...SHARED }, { microtaskMode: "afterEvaluate" });
const turn = new Script("undefined");

/**
 * Returns the service's modules in the context. They are bundled from the present sources once in a
 * process.
 */
function loadService(): Inside {
  inside ??= load();
  return inside;
}

function load(): Inside {
  const module = { exports: {} };
  const run = compileFunction(bundleOnce(), ["require", "module"], {
    parsingContext: context,
    filename: "service-bundled-for-tests.cjs",
  });
  run(createRequire(import.meta.url), module);
  return module.exports as Inside;
}

/**
 * Returns the bundle of the service. The first process of a test run makes it and shares the file
 * with the others.
 */
function bundleOnce(): string {
  const shared = process.env[SHARED_BUNDLE];
  if (shared === undefined) return bundle();
  if (existsSync(shared)) return readFileSync(shared, "utf8");
  const text = bundle();
  const fresh = `${shared}.${process.pid}`;
  writeFileSync(fresh, text);
  // A rename is atomic, so no other process reads an incomplete file.
  renameSync(fresh, shared);
  return text;
}

function bundle(): string {
  // Loaded only here, so that a process with a ready bundle does not load esbuild.
  const { buildSync } = createRequire(import.meta.url)("esbuild") as typeof import("esbuild");
  const entry = fileURLToPath(new URL("./inside.ts", import.meta.url));
  const options = { bundle: true, platform: "node", format: "cjs", target: "node22", packages: "external" } as const;
  const { outputFiles } = buildSync({ ...options, entryPoints: [entry], write: false, logLevel: "error" });
  return outputFiles[0]!.text;
}

/**
 * Runs work of the context to its end.
 * @throws what it throws, or an error if it waits for anything but promises of the context
 */
function runToEnd<T>(work: () => Promise<T>): T {
  let end: End<T> = { kind: "waits" };
  void loadService().endOf(work, (now) => (end = now));
  turn.runInContext(context);
  const ended = end as End<T>;
  if (ended.kind === "waits") throw new Error("the service waits for more than its store");
  if (ended.kind === "failed") throw ended.error;
  return ended.result;
}

/** The same methods, which return their results instead of promises. */
type Now<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : Now<T[Name]>;
};

type Admin = Now<Service["admin"]>;

export type SyncServiceOptions = Omit<ServiceOptions, "store"> & { readonly database: DatabaseLocation };

/**
 * The service on SQLite, which answers within the call. Tests use it to act as a user in the middle
 * of another call.
 */
export class SyncService {
  readonly admin: Admin;
  readonly #service: Service;
  readonly #store: SqliteStore;

  constructor({ database, ...options }: SyncServiceOptions) {
    const { Service, SqliteStore } = loadService();
    this.#store = new SqliteStore(database, { random: options.random });
    this.#service = new Service({ ...options, store: this.#store });
    this.admin = synchronous(this.#service.admin);
  }

  readonly answer = (request: WireRequest): WireResponse => copyOf(runToEnd(() => this.#service.answer(request)));

  readonly handle: Service["handle"] = async (request, fault) => {
    return copyOf(runToEnd(() => this.#service.handle(request, fault)));
  };

  readonly admit: Service["admit"] = async (head) => runToEnd(() => this.#service.admit(head));

  copy(): Uint8Array {
    return runToEnd(() => this.#store.copy());
  }

  close(): void {
    runToEnd(() => this.#service.close());
  }
}

/** Returns an object of the test's own context, because comparisons of tests check prototypes. */
function copyOf({ status, headers, body }: WireResponse): WireResponse {
  return { status, headers: { ...headers }, body };
}

function synchronous<T extends object>(one: T): Now<T> {
  return new Proxy(one, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member === "object" && member !== null) return synchronous(member);
      if (typeof member !== "function") return member;
      const call = (args: unknown[]) => runToEnd(() => Reflect.apply(member, target, args) as Promise<unknown>);
      return (...args: unknown[]) => structuredClone(call(args));
    },
  }) as Now<T>;
}
