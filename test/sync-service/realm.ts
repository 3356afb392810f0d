import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { compileFunction, createContext, Script } from "node:vm";
import type { End } from "./inside.ts";
import { SHARED_BUNDLE } from "./shared-bundle.ts";

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
export function loadService(): Inside {
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
export function runToEnd<T>(work: () => Promise<T>): T {
  let end: End<T> = { kind: "waits" };
  void loadService().endOf(work, (now) => (end = now));
  turn.runInContext(context);
  const ended = end as End<T>;
  if (ended.kind === "waits") throw new Error("the service waits for more than its store");
  if (ended.kind === "failed") throw ended.error;
  return ended.result;
}
