import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { compileFunction, createContext, Script } from "node:vm";
import type { End } from "./inside.ts";
import { SHARED_BUNDLE } from "./shared-bundle.ts";

/**
 * The service with a clockwork of its own: a context of JavaScript whose promises go on when we say
 * so, and all at once. The store inside a process waits for nothing but promises, so a request is
 * answered within the call that asked. That is what a person in the app needs who acts in the midst
 * of a synchronous call of the disk.
 */

type Inside = typeof import("./inside.ts");

/** Of this side too, so that what crosses is known for what it is. */
const SHARED = { Error, Buffer, TextDecoder, TextEncoder, URLSearchParams, process, performance };

let inside: Inside | null = null;
const context = createContext({ ...SHARED }, { microtaskMode: "afterEvaluate" });
const turn = new Script("undefined");

/** The modules of the service, loaded once a process: they are read as they are now. */
export function insideRealm(): Inside {
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

/** One for all processes of a run: the first that needs it leaves it to the others. */
function bundleOnce(): string {
  const shared = process.env[SHARED_BUNDLE];
  if (shared === undefined) return bundle();
  if (existsSync(shared)) return readFileSync(shared, "utf8");
  const text = bundle();
  const fresh = `${shared}.${process.pid}`;
  writeFileSync(fresh, text);
  // Whole or not there, for who looks meanwhile.
  renameSync(fresh, shared);
  return text;
}

function bundle(): string {
  // Asked for here: who finds the bundle made does without the tool.
  const { buildSync } = createRequire(import.meta.url)("esbuild") as typeof import("esbuild");
  const entry = fileURLToPath(new URL("./inside.ts", import.meta.url));
  const options = { bundle: true, platform: "node", format: "cjs", target: "node22", packages: "external" } as const;
  const { outputFiles } = buildSync({ ...options, entryPoints: [entry], write: false, logLevel: "error" });
  return outputFiles[0]!.text;
}

/**
 * Runs work of the realm to its end.
 * @throws what it throws, or when it waits for something that is not a promise of the realm
 */
export function finish<T>(work: () => Promise<T>): T {
  let end: End<T> = { kind: "waits" };
  void insideRealm().endOf(work, (now) => (end = now));
  turn.runInContext(context);
  const ended = end as End<T>;
  if (ended.kind === "waits") throw new Error("the service waits for more than its store");
  if (ended.kind === "failed") throw ended.error;
  return ended.result;
}
