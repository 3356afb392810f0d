/** Runs Prism as a validating proxy, and reads its reports. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Exchange } from "../../src/conformance/world.ts";
import { isJsonObject } from "../../src/contract/json.ts";
import { MAX_BODY_BYTES } from "../../src/service/requests/input.ts";
import { freePort } from "../free-port.ts";

const FOLDER = fileURLToPath(new URL("prism", import.meta.url));
const PROGRAM = `${FOLDER}/node_modules/@stoplight/prism-cli/dist/index.js`;
const DOCUMENT = fileURLToPath(new URL("../../src/contract/openapi.json", import.meta.url));
/** LIMIT: bytes of headers. Prism repeats parts of a request in a header of the answer. */
const HEADER_BYTES = 1024 * 1024;

/** Starts Prism before a service. The first start installs it from the lock file in its folder. */
export async function startPrism(service: string): Promise<{ readonly url: string; end(): Promise<void> }> {
  if (!existsSync(PROGRAM)) execFileSync("npm", ["ci", "--ignore-scripts"], { cwd: FOLDER, stdio: "inherit" });
  const port = await freePort();
  const limit = `--max-http-header-size=${HEADER_BYTES}`;
  const args = ["proxy", DOCUMENT, service, "--port", String(port), "--verboseLevel", "fatal"];
  const child = spawn(process.execPath, [limit, PROGRAM, ...args], { stdio: ["ignore", "ignore", "inherit"] });
  const url = `http://127.0.0.1:${port}`;
  await untilItAnswers(url, child);
  const ended = once(child, "exit");
  const end = async () => {
    if (child.exitCode !== null) throw new Error(`prism ended with ${child.exitCode} before the soak did`);
    child.kill("SIGKILL");
    await ended;
  };
  return { url, end };
}

async function untilItAnswers(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/healthz`).catch(() => null);
    if (answer !== null) return;
    if (child.exitCode !== null) throw new Error(`prism ended with ${child.exitCode}`);
    await pause(200);
  }
}

/** LIMIT: ms to wait for an answer. */
const ANSWER_MS = 10_000;

/**
 * Returns a function that sends requests to a service through Prism. Some go directly to the
 * service, because Prism cannot handle them: malformed percent-encoding ends it, some bodies that
 * are not JSON objects get no answer, and the answer is lost if the service does not read the whole
 * body.
 */
export function sendThrough(prism: string, service: string): Exchange {
  return async ({ method, path, headers, body }) => {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const isReadable = isDecodable(path) && (body === null || (body.length <= MAX_BODY_BYTES && isObject(body)));
    const response = await fetch((isReadable ? prism : service) + path, { method, headers, body, signal });
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
  };
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function isObject(body: string): boolean {
  try {
    return isJsonObject(JSON.parse(body));
  } catch {
    return false;
  }
}

type Violation = { readonly location: readonly string[]; readonly message: string };

/** Counts exchanges, and collects those that contradict the document. */
export class Violations {
  readonly counts = { judged: 0, "not in the document": 0, "not judged": 0 };
  /** Violation → how often it was found. */
  readonly found = new Map<string, number>();

  watch(wire: Exchange): Exchange {
    return async (request) => {
      const answer = await wire(request);
      // Prism answers some requests itself. A CORS header shows that it passed a request on.
      const { "x-request-id": id, "access-control-allow-origin": passed } = answer.headers;
      if (id === undefined || passed === undefined) this.counts["not judged"]++;
      else this.#note(`${request.method} ${routeOf(request.path)} ${answer.status}`, answer);
      return answer;
    };
  }

  #note(exchange: string, { status, headers }: Awaited<ReturnType<Exchange>>): void {
    const reported = JSON.parse(headers["sl-violations"] ?? "[]") as Violation[];
    // The document does not describe a path with an empty id.
    if (exchange.includes("/ ") || reported.some(({ message }) => message === "Selected route not found")) {
      this.counts["not in the document"]++;
      return;
    }
    this.counts.judged++;
    for (const { location, message } of reported) {
      // The service may refuse requests that the document allows. Prism refuses `bearer` in lower
      // case, although RFC 9110 ignores the case of schemes.
      if (location[0] === "request" && (status >= 300 || message === "Invalid security scheme used")) continue;
      const what = `${exchange}: ${location.join(".")}: ${message}`.replaceAll(/\.\d+\b/g, ".N");
      this.found.set(what, (this.found.get(what) ?? 0) + 1);
    }
  }
}

function routeOf(path: string): string {
  const { pathname } = new URL(path, "http://localhost");
  return pathname.replace(/\/(doc|dir)_[^/]+/, "/{id}");
}
