import { execFile } from "node:child_process";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import type { RunReport } from "../../src/mirror/engine/run/report.ts";
import { type Live, startLive, writeDeep } from "./live.ts";

const run = promisify(execFile);

function notes(count: number, folder = "notes"): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `${folder}/topic-${Math.floor(n / 50)}/note-${n}.md`,
      `# Note ${n}\n\nits own text, of number ${n}\n`,
    ]),
  );
}

/** Waits for a whole cycle that reports nothing but these pending deletions. */
async function settled(live: Live, waiting: readonly string[] = []): Promise<void> {
  let { state, attention } = await resumed(live);
  // On a busy machine a file watcher may report a file that was just sent once more. The file is
  // then too recent, and a later run handles it.
  while (attention.some(({ kind }) => kind === "still-being-written")) {
    await live.next((event) => event.kind === "run");
    ({ state, attention } = await resumed(live));
  }
  expect(attention.map(({ path, kind }) => [path, kind])).toEqual(waiting.map((path) => [path, "second-scan"]));
  expect(state).toBe(waiting.length === 0 ? "in-sync" : "attention");
}

async function resumed(live: Live): Promise<RunReport> {
  await live.daemon.request("resume");
  return live.daemon.status().lastReport!;
}

const writes = (live: Live, method: string) => live.requests.filter(({ what }) => what.startsWith(`${method} `));
const runsWith = (live: Live, count: "createdRemote" | "movedRemote" | "uploaded") =>
  live.events.filter((event) => event.kind === "run" && event.report.counts[count] > 0);

/**
 * How long a file must be unchanged before it is sent: long enough that a busy machine does not
 * split one copy into two plans.
 */
const SETTLE_MS = 6_000;

const pathOf = (n: number) => `notes/topic-${Math.floor(n / 50)}/note-${n}.md`;

describe("bulk changes are seen whole", () => {
  test("cp -r of 300 files is one plan", async () => {
    // No poll runs during the copy: on a busy machine it would send the files that are settled by
    // then.
    const timing = { settleMs: SETTLE_MS, settleMostMs: 60_000, bulkMostMs: 120_000, pollActiveMs: 600_000 };
    const live = await startLive({ files: { "readme.md": "# Here\n" }, timing });
    const source = `${live.root}-source`;
    for (const [path, text] of Object.entries(notes(300))) writeDeep(`${source}/${path}`, text);
    const started = performance.now();
    await run("cp", ["-r", `${source}/notes`, live.root]);
    const copiedMs = performance.now() - started;
    while (live.remotePaths().length < 301) await live.next((event) => event.kind === "run");
    // If the copy stalls for as long as a file has to be unchanged, it looks finished. Only then is
    // a second plan allowed.
    const stalls = Math.floor(copiedMs / SETTLE_MS);
    expect(runsWith(live, "createdRemote").length).toBeLessThanOrEqual(1 + stalls);
    await settled(live);
    expect(live.remotePaths()).toHaveLength(301);
    await live.stop();
    rmSync(source, { recursive: true });
  });

  test("I09 mv of a folder is one request, with any contents", async () => {
    const live = await startLive({ files: notes(200) });
    const id = live.remote("notes/topic-1/note-60.md")?.id;
    const moved = live.next((event) => event.kind === "run" && event.report.counts.movedRemote > 0);
    renameSync(live.path("notes"), live.path("archive"));
    await moved;
    await settled(live);
    expect(live.requests.filter(({ what }) => !what.startsWith("GET"))).toHaveLength(1);
    expect(live.remote("archive/topic-1/note-60.md")?.id).toBe(id);
    await live.stop();
  });

  test("I09 git checkout of another branch is one plan; what git rewrote keeps its id, deletions wait", async () => {
    const live = await startLive({ files: notes(60) });
    const git = (...args: string[]) =>
      run("git", ["-c", "user.name=ann", "-c", "user.email=ann@example.org", ...args], { cwd: live.root });
    writeFileSync(live.path(".gitignore"), ".mdmirror\n");
    await git("init", "-q", "-b", "main");
    await git("add", "-A");
    await git("commit", "-q", "-m", "notes");
    await git("checkout", "-q", "-b", "other");
    await live.daemon.request("pause");
    for (let n = 0; n < 30; n++) writeFileSync(live.path(pathOf(n)), `# Note ${n}\n\nanother text, of number ${n}\n`);
    rmSync(live.path(pathOf(40)));
    mkdirSync(live.path("more"));
    writeFileSync(live.path("more/new.md"), "# New\n");
    await git("add", "-A");
    await git("commit", "-q", "-m", "edits");
    await git("checkout", "-q", "main");
    await live.daemon.request("resume");
    live.requests.length = 0;
    const id = live.remote(pathOf(3))?.id;
    const done = live.next((event) => event.kind === "run" && event.report.counts.uploaded > 0);
    await git("checkout", "-q", "other");
    await done;
    await settled(live, [pathOf(40)]);
    expect(runsWith(live, "uploaded")).toHaveLength(1);
    expect(writes(live, "PUT")).toHaveLength(30);
    expect(writes(live, "DELETE")).toHaveLength(0);
    expect(live.remote(pathOf(3))).toMatchObject({ id, text: "# Note 3\n\nanother text, of number 3\n" });
    expect(live.remote("more/new.md")?.text).toBe("# New\n");
    expect(live.daemon.status().pendingDeletions.map(({ path }) => path)).toEqual([pathOf(40)]);
    await live.stop();
  });

  test("I21 rm -rf of most documents is stopped by the budget", async () => {
    const live = await startLive({ files: notes(60), timing: { deleteGraceMs: 1_000 } });
    const halted = live.next((event) => event.kind === "phase" && event.phase.kind === "stopped");
    rmSync(live.path("notes/topic-0"), { recursive: true });
    await halted;
    expect(writes(live, "DELETE")).toHaveLength(0);
    expect(live.remotePaths()).toHaveLength(60);
    expect(live.daemon.status().lastReport?.stopped).toHaveLength(51);
    await live.stop();
  });
});
