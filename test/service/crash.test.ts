import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { openData } from "../../src/service/data.ts";
import { Api } from "../../src/conformance/world.ts";
import { textOf } from "./crash-text.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const CHILD = fileURLToPath(new URL("crash-child.ts", import.meta.url));

type Acknowledged = Map<string, { readonly changeId: string; readonly n: number }>;

/**
 * Runs the writers until they have acknowledged that many writes, then kills them in the middle of
 * their work.
 */
async function killAfter(folder: string, writes: number, acknowledged: Acknowledged): Promise<void> {
  const child = spawn(process.execPath, [CHILD, folder], { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  let seen = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [id, changeId, n] = line.split(" ");
    // An incomplete line at the kill is no acknowledgement.
    if (n === undefined || !/^\d+$/.test(n)) continue;
    acknowledged.set(id!, { changeId: changeId!, n: Number(n) });
    if (++seen === writes) child.kill("SIGKILL");
  }
  const [, signal] = await closed;
  expect(signal).toBe("SIGKILL");
}

describe("kill -9 under load", () => {
  it("loses no acknowledged write and leaves no half write", async () => {
    const folder = temporaryFolder();
    const acknowledged: Acknowledged = new Map();
    for (const writes of [1, 250]) {
      await killAfter(folder, writes, acknowledged);
      const data = await openData(folder);
      const api = new Api(data.service.handle, data.key);
      for (const [id, { changeId, n }] of acknowledged) {
        const live = await api.read(id);
        // The edit in progress at the kill may have been saved as a whole.
        const saved = live.lastChangeId === changeId ? n : n + 1;
        expect(live.content).toBe(textOf(saved));
      }
      for (const file of (await api.page("files", { limit: 1_000 })).data) {
        const { content } = await api.read(file.id);
        expect(content).toBe(textOf(Number(/^write (\d+)/.exec(content)?.[1])));
      }
      await data.close();
    }
    expect(acknowledged.size).toBeGreaterThan(100);
    const db = new Sqlite(`${folder}/service.db`);
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
    expect(db.prepare("SELECT count(*) AS n FROM files WHERE change_id NOT IN (SELECT id FROM changes)").get()).toEqual(
      { n: 0 },
    );
    db.close();
  });
});
