import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Field, initArgs, runCalmly, type Service, start, type Started } from "../../scripts/soak/fixture.ts";
import { liveHere } from "../../scripts/soak/texts.ts";
import { isConflictCopyName, nameOf } from "../../src/contract/path.ts";
import type { ServiceProcess } from "../histories/service-process.ts";
import { rollDice } from "../simulator/dice.ts";
import type { View } from "./model.ts";
import { marksIn } from "./paragraphs.ts";
import { openTap, type Tap } from "./tap.ts";

/** A linked folder, and the process that works in it. */
export class LinkedFolder {
  readonly number: number;
  readonly tap: Tap;
  readonly user: Field;
  process: { readonly ended: Started["ended"]; kill(signal: NodeJS.Signals): void } | null = null;
  isEnded = false;
  /** Its last process was killed: until the next one ends, a file may be set aside. */
  isInterrupted = false;
  /** Marks that a whole sync met in the folder. */
  readonly seen = new Set<string>();

  constructor(number: number, tap: Tap, user: Field) {
    this.number = number;
    this.tap = tap;
    this.user = user;
  }

  at(path: string): string {
    return join(this.user.notes, path);
  }

  /** @param isCalm no fault is near: the program runs in this process, in a fifth of the time */
  launch(args: readonly string[], isCalm: boolean): void {
    const started = isCalm ? { child: null, ended: runCalmly(this.user, args) } : start(this.user, args);
    this.process = { ended: started.ended, kill: (signal) => void started.child?.kill(signal) };
    this.isEnded = false;
    void started.ended.then(() => (this.isEnded = true));
  }

  /** Returns what a user sees of a document, and where its conflict copies are. */
  view(doc: string): View & { readonly copyPaths: readonly string[] } {
    const found = [...liveHere(this.user.notes)].flatMap(([path, content]) => {
      const marks = marksIn(content, doc);
      return marks.length === 0 ? [] : [{ path, marks, isCopy: isConflictCopyName(nameOf(path)) }];
    });
    const copies = found.filter(({ isCopy }) => isCopy);
    return {
      files: found.filter(({ isCopy }) => !isCopy),
      copies: copies.map(({ marks }) => marks),
      copyPaths: copies.map(({ path }) => path),
    };
  }
}

export type LinkedFolders = {
  readonly folders: readonly LinkedFolder[];
  readonly call: Service["call"];
  /** Rejects all changes in review, as a person in the app would; returns their number. */
  rejectReviews(): Promise<number>;
  end(): Promise<void>;
};

/**
 * Links three folders to a new workspace.
 * @param contents documents that exist at first, by path
 */
export async function linkFolders(
  service: ServiceProcess,
  name: string,
  contents: Iterable<readonly [path: string, content: string]>,
): Promise<LinkedFolders> {
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
    const shared = { writes: [], call, end: async () => undefined, dice: rollDice(n), hooks: new Set<never>() };
    const user = { ...shared, folder, notes, url: tap.url, key, marks: new Set<string>() };
    const { code, out } = await runCalmly(user, initArgs(user));
    if (code !== 0) throw new Error(`init ended with ${code}: ${out}`);
    return new LinkedFolder(n, tap, user);
  };
  const folders = await Promise.all(Array.from({ length: 3 }, link));
  return {
    folders,
    call,
    async rejectReviews() {
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
