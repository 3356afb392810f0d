import { copyFileSync, statSync, truncateSync } from "node:fs";
import { basename, join } from "node:path";
import Sqlite from "better-sqlite3";
import { onTestFinished, vi } from "vitest";
import { openIn, tempFolder } from "./fixture.ts";

/**
 * What a power cut leaves of a folder's databases: the files as of the last checkpoint, and the
 * part of each WAL that was fsynced. SQLite fsyncs a WAL with each commit under `synchronous =
 * FULL`; begin to watch before the files are opened.
 */
export function watchMedium(folder: string): () => ReturnType<typeof openIn> {
  const fsynced = new Map<string, number>();
  const before = new Map<Sqlite.Database, number>();
  const { pragma } = Sqlite.prototype;
  const spy = vi.spyOn(Sqlite.prototype, "pragma");
  spy.mockImplementation(function (this: Sqlite.Database, ...asked) {
    const size = walSize(this.name);
    if (asked[0] === "synchronous = FULL") before.set(this, size);
    if (asked[0] === "synchronous = NORMAL" && size > (before.get(this) ?? size)) fsynced.set(this.name, size);
    return pragma.apply(this, asked);
  });
  onTestFinished(() => spy.mockRestore());
  return () => {
    const left = tempFolder();
    for (const name of ["texts.db", "state.db"]) {
      copyFileSync(join(folder, name), join(left, name));
      const [size] = [...fsynced].flatMap(([path, bytes]) => (basename(path) === name ? [bytes] : []));
      if (size === undefined) continue;
      copyFileSync(join(folder, `${name}-wal`), join(left, `${name}-wal`));
      truncateSync(join(left, `${name}-wal`), size);
    }
    return openIn(left);
  };
}

function walSize(database: string): number {
  return statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
