import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { initArgs, runUndisturbed, type Service, start, type Started, type User } from "../../scripts/soak/fixture.ts";
import { localTexts } from "../../scripts/soak/oracle.ts";
import { isConflictCopyName, nameOf } from "../../src/contract/path.ts";
import type { ServiceProcess } from "../histories/service-process.ts";
import type { View } from "./model.ts";
import { marksIn } from "./history.ts";
import { openTap, type Tap } from "./tap.ts";

/** A linked folder, and the process that works in it. */
export type LinkedFolder = {
  readonly number: number;
  readonly notes: string;
  readonly user: User;
  readonly tap: Tap;
  process: Process | null;
  /**
   * True if its last process was killed. A file may then be set aside until the next process works.
   */
  isInterrupted: boolean;
  /** Marks of the paragraphs that a whole sync found in the folder. */
  readonly seen: Set<string>;
};

type Process = {
  readonly ended: Started["ended"];
  isEnded: boolean;
  isKilled: boolean;
  kill(signal: NodeJS.Signals): void;
};

/**
 * @param isCalm no command disturbs this run, so it runs in this process, in a fifth of the time
 */
export function launch(folder: LinkedFolder, args: readonly string[], isCalm: boolean): void {
  const { child, ended } = isCalm
    ? { child: null, ended: runUndisturbed(folder.user, args) }
    : start(folder.user, args);
  const process: Process = {
    ended,
    isEnded: false,
    isKilled: false,
    kill(signal) {
      process.isKilled = true;
      child?.kill(signal);
    },
  };
  folder.process = process;
  folder.isInterrupted = false;
  void ended.then(() => (process.isEnded = true));
}

/** Returns the document as a user sees it, and the paths of its conflict copies. */
export function look({ notes }: LinkedFolder, doc: string): View & { readonly copyPaths: readonly string[] } {
  const all = [...localTexts(notes)].map(([path, content]) => ({ path, marks: marksIn(content, doc) }));
  const found = all.filter(({ marks }) => marks.length > 0);
  const copies = found.filter(({ path }) => isConflictCopyName(nameOf(path)));
  return {
    files: found.filter((file) => !copies.includes(file)),
    copies: copies.map(({ marks }) => marks),
    copyPaths: copies.map(({ path }) => path),
  };
}

export type LinkedFolders = Awaited<ReturnType<typeof linkFolders>>;

/**
 * Links three folders to a new workspace.
 * @param contents documents that exist at first, by path
 */
export async function linkFolders(
  service: ServiceProcess,
  name: string,
  contents: Iterable<readonly [path: string, content: string]>,
) {
  const admin = caller(service.url, service.keys.admin);
  const made = JSON.parse((await admin("POST", "/admin/workspaces", { name })).body);
  const { workspaceId, key } = made as { workspaceId: string; key: string };
  const call = caller(service.url, key);
  for (const [path, content] of contents) await call("POST", "/v1/files", { path, content });
  const home = mkdtempSync(join(tmpdir(), "mdmirror-folders-"));
  const link = async (_: undefined, n: number): Promise<LinkedFolder> => {
    const tap = await openTap(service.url);
    const folder = join(home, `user-${n}`);
    const notes = join(folder, "notes");
    mkdirSync(notes, { recursive: true });
    const user = { folder, key };
    const { code, out } = await runUndisturbed(user, initArgs({ notes, url: tap.url }));
    if (code !== 0) throw new Error(`init ended with ${code}: ${out}`);
    return { number: n, notes, user, tap, process: null, isInterrupted: false, seen: new Set() };
  };
  const folders = await Promise.all(Array.from({ length: 3 }, link));
  return {
    folders,
    call,
    /** Rejects all changes in review as a user of the web app would. Returns their number. */
    async rejectReviews(): Promise<number> {
      const { data } = JSON.parse((await admin("GET", `/admin/reviews?workspaceId=${workspaceId}`)).body);
      for (const { id } of data as { id: string }[]) await admin("POST", `/admin/reviews/${id}/reject`);
      return (data as unknown[]).length;
    },
    async end() {
      for (const { process, tap } of folders) {
        process?.kill("SIGKILL");
        await process?.ended;
        await tap.close();
      }
      await admin("DELETE", `/admin/workspaces/${workspaceId}`);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

const caller =
  (url: string, key: string): Service["call"] =>
  async (method, path, body) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: answer.status, headers: {}, body: await answer.text() };
  };
