import { mkdirSync, realpathSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Watcher, WatchHint } from "../../src/mirror/ports/disk.ts";
import { createWatcher } from "../../src/mirror/local/watch.ts";
import { temporaryFolder } from "../temporary-folder.ts";

let root = "";
let watcher: Watcher;
let hints: WatchHint[] = [];
let heard: (() => void) | null = null;

beforeEach(async () => {
  root = realpathSync(temporaryFolder());
  mkdirSync(join(root, "notes/deep"), { recursive: true });
  for (const folder of [".mdmirror", ".git", "skipped"]) mkdirSync(join(root, folder));
  writeFileSync(join(root, "notes/plan.md"), "# Plan\n");
  hints = [];
  watcher = createWatcher(root);
  await watcher.start(ignores, (hint) => {
    hints.push(hint);
    heard?.();
  });
});

afterEach(() => watcher.close());

const ignores = (path: string, kind: string) => kind === "folder" && (path.startsWith(".") || path === "skipped");

/** Resolves when a matching hint was given. */
async function until(holds: (hint: WatchHint) => boolean): Promise<void> {
  while (!hints.some(holds)) await new Promise<void>((resolve) => (heard = resolve));
}

const aboutPath = (path: string) => (hint: WatchHint) => hint.kind === "path" && hint.path === path;
const aboutFolder = (path: string) => (hint: WatchHint) => hint.kind === "folder" && hint.path === path;

describe("hints", () => {
  test("a write, a rename and a removal name their paths, relative to the root", async () => {
    writeFileSync(join(root, "notes/plan.md"), "# Plan\n\nedited\n");
    await until(aboutPath("notes/plan.md"));
    renameSync(join(root, "notes/plan.md"), join(root, "notes/goal.md"));
    await until(aboutPath("notes/goal.md"));
    hints = [];
    unlinkSync(join(root, "notes/goal.md"));
    await until(aboutPath("notes/goal.md"));
    writeFileSync(join(root, "at-the-root.md"), "x\n");
    await until(aboutPath("at-the-root.md"));
  });

  test("a new folder is reported, and watched from then on", async () => {
    mkdirSync(join(root, "new/below"), { recursive: true });
    await until(aboutFolder("new/below"));
    writeFileSync(join(root, "new/below/a.md"), "x\n");
    await until(aboutPath("new/below/a.md"));
  });

  test("a folder that moves is reported at both ends, and watched at its new place", async () => {
    renameSync(join(root, "notes"), join(root, "archive"));
    await until(aboutFolder("archive"));
    await until(aboutFolder("notes"));
    writeFileSync(join(root, "archive/plan.md"), "# Plan\n\nedited\n");
    await until(aboutPath("archive/plan.md"));
  });

  test("I26 nothing is reported of .mdmirror, dot folders and ignored folders", async () => {
    for (const folder of [".mdmirror", ".git", "skipped"]) writeFileSync(join(root, folder, "a.md"), "x\n");
    writeFileSync(join(root, "notes/plan.md"), "the last of all\n");
    await until(aboutPath("notes/plan.md"));
    expect(hints.filter((hint) => "path" in hint && hint.path.includes("a.md"))).toEqual([]);
  });

  test("none comes after close; a second start begins again", async () => {
    await watcher.close();
    writeFileSync(join(root, "notes/plan.md"), "unheard\n");
    const again: WatchHint[] = [];
    await new Promise<void>((resolve) => {
      void watcher
        .start(ignores, (hint) => {
          again.push(hint);
          resolve();
        })
        .then(() => writeFileSync(join(root, "notes/deep/b.md"), "heard\n"));
    });
    expect(again.every((hint) => hint.kind === "path" && hint.path === "notes/deep/b.md")).toBe(true);
    expect(hints).toEqual([]);
  });
});

describe("limits", () => {
  /** Replaces chokidar: emits events, and can be closed. */
  class Stub extends EventEmitter {
    closed = 0;
    async close() {
      this.closed++;
    }
  }

  /** Returns a watcher on the stub; `began` resolves when it listens. */
  function watcherOver(stub: Stub) {
    let begin: () => void;
    const began = new Promise<void>((resolve) => (begin = resolve));
    const limited = createWatcher("/somewhere", () => {
      queueMicrotask(begin);
      return stub as never;
    });
    return { limited, began };
  }

  test.each(["ENOSPC", "EMFILE"])("%s is one hint, ends the start and closes the rest", async (code) => {
    const stub = new Stub();
    const { limited, began } = watcherOver(stub);
    const hints: WatchHint[] = [];
    const starting = limited.start(ignores, (hint) => hints.push(hint));
    await began;
    const error = Object.assign(new Error(`${code}: no more watches`), { code });
    stub.emit("error", error);
    stub.emit("error", error);
    await starting;
    expect(hints).toEqual([{ kind: "limit", code, why: error.message }]);
    expect(stub.closed).toBe(1);
  });

  test.skipIf(process.platform !== "linux")("one folder at a limit does not delay another (needs Linux)", async () => {
    const [top, below] = [new Stub(), new Stub()];
    const stubs = new Map([
      ["/somewhere", top],
      ["/somewhere/a", below],
    ]);
    const begun = Promise.withResolvers<void>();
    const limited = createWatcher("/somewhere", (folder) => {
      const stub = stubs.get(String(folder))!;
      if (stub === below) begun.resolve();
      else
        queueMicrotask(() => {
          stub.emit("addDir", "/somewhere");
          stub.emit("addDir", "/somewhere/a");
          stub.emit("ready");
        });
      return stub as never;
    });
    const hints: WatchHint[] = [];
    const starting = limited.start(ignores, (hint) => hints.push(hint));
    await begun.promise;
    top.emit("error", Object.assign(new Error("no more watches"), { code: "ENOSPC" }));
    await starting;
    expect(hints).toEqual([{ kind: "limit", code: "ENOSPC", why: "no more watches" }]);
    expect([top.closed, below.closed]).toEqual([1, 1]);
  });

  test("any other error of the watcher, and a notice without a name, are an overflow", async () => {
    const stub = new Stub();
    const { limited: troubled, began } = watcherOver(stub);
    const hints: WatchHint[] = [];
    const starting = troubled.start(ignores, (hint) => hints.push(hint));
    await began;
    stub.emit("ready");
    await starting;
    stub.emit("error", new Error("it stumbled"));
    stub.emit("raw", "change", null, { watchedPath: "/somewhere" });
    expect(hints.map(({ kind }) => kind)).toEqual(["overflow", "overflow"]);
  });
});
