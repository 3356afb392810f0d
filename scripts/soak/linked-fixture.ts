/** `mdmirror serve --links resolve` and `mdmirror …` as whole processes, for documents that link. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { ROOT } from "./sync-fixture.ts";

const execute = promisify(execFile);
const ENTRY = join(ROOT, "src/cli/entry.mjs");

export type Item = { readonly id: string; readonly path: string; readonly lastChangeId?: string };

export type LinkedFixture = {
  readonly folder: string;
  readonly url: string;
  readonly key: string;
  /** Any script of ours, or the command line: to its end. */
  run(args: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly ms: number }>;
  /** The app's owner. @throws where the service refuses */
  ask(method: string, path: string, body?: object): Promise<unknown>;
  list(route: "files" | "folders"): Promise<Item[]>;
  end(): Promise<void>;
};

export const mdmirror = (...args: readonly string[]): readonly string[] => [ENTRY, ...args];

export async function openLinkedFixture(): Promise<LinkedFixture> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "mdmirror-links-")));
  const args = [ENTRY, "serve", "--port", "0", "--links", "resolve", "--data", join(folder, "data")];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  let [url, keyFile] = ["", ""];
  for await (const line of createInterface({ input: child.stdout })) {
    url = /^serving (\S+)$/.exec(line)?.[1] ?? url;
    keyFile = /^key: (.+) \(admin: /.exec(line)?.[1] ?? keyFile;
    if (url !== "" && keyFile !== "") break;
  }
  const key = readFileSync(keyFile, "utf8").trim();
  const env = { ...process.env, XDG_STATE_HOME: join(folder, "state"), MDMIRROR_API_KEY: key, NO_COLOR: "1" };
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { "x-api-key": key, ...(body === undefined ? {} : { "content-type": "application/json" }) };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${url}${path}`, { method, headers, ...sent });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return await answer.json();
  };
  return {
    folder,
    url,
    key,
    ask,
    async run(command) {
      const began = performance.now();
      const done = await execute(process.execPath, [...command], { env, maxBuffer: 1 << 26 }).then(
        ({ stdout, stderr }) => ({ code: 0, out: stdout + stderr }),
        (error: { code: number; stdout: string; stderr: string }) => ({
          code: error.code,
          out: error.stdout + error.stderr,
        }),
      );
      return { ...done, ms: performance.now() - began };
    },
    async list(route) {
      const items: Item[] = [];
      for (let cursor = ""; ; ) {
        const page = (await ask("GET", `/v1/${route}?path_prefix=/&limit=1000${cursor}`)) as {
          data: Item[];
          hasMore: boolean;
          nextCursor: string;
        };
        items.push(...page.data);
        if (!page.hasMore) return items;
        cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
      }
    },
    async end() {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
