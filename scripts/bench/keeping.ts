/**
 * What a clone has to keep, and nothing more: for each document what a mirror must know of it to
 * lose no text later. Used by the bare loop `clone-kept`.
 */
import { createHash } from "node:crypto";
import { closeSync, fstatSync, linkSync, openSync, type Stats, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import type { Database } from "better-sqlite3";

/** As many as a mirror commits in one transaction. */
const GROUP = 64;

type Version = { readonly content: string; readonly lastChangeId: string };
type Row = readonly [string, string, string, string, number, number, Buffer];

/** Makes files, and keeps packed texts and rows of links, written in groups. */
export class Keeping {
  readonly #folder: string;
  readonly #write: (rows: readonly Row[]) => void;
  readonly #close: () => void;
  #waiting: Row[] = [];

  constructor(db: Database, folder: string) {
    this.#folder = folder;
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = NORMAL");
    db.exec(`CREATE TABLE links (id TEXT PRIMARY KEY, path TEXT, change_id TEXT, digest TEXT, ino REAL, mtime REAL) STRICT;
      CREATE INDEX links_by_path ON links (path);
      CREATE TABLE texts (digest TEXT PRIMARY KEY, bytes BLOB) STRICT`);
    const link = db.prepare("INSERT INTO links VALUES (?, ?, ?, ?, ?, ?)");
    const text = db.prepare("INSERT OR IGNORE INTO texts VALUES (?, ?)");
    this.#write = db.transaction((rows: readonly Row[]) => {
      for (const [id, path, change, digest, ino, mtime, bytes] of rows) {
        link.run(id, path, change, digest, ino, mtime);
        text.run(digest, bytes);
      }
    });
    this.#close = () => db.close();
  }

  /** @param temporary where the file is made, under a name that nobody has */
  keep(id: string, path: string, { content, lastChangeId }: Version, temporary: string): void {
    const { ino, mtimeMs } = makeNew(temporary, join(this.#folder, path), content);
    const bytes = Buffer.from(content, "utf8");
    const digest = createHash("sha256").update(bytes).digest("hex");
    const packed = zstdCompressSync(bytes, { chunkSize: Math.max(bytes.length, 64) });
    this.#waiting.push([id, path, lastChangeId, digest, ino, mtimeMs, packed]);
    if (this.#waiting.length >= GROUP) this.#flush();
  }

  close(): void {
    this.#flush();
    this.#close();
  }

  #flush(): void {
    this.#write(this.#waiting);
    this.#waiting = [];
  }
}

/** A new file whose name was free, and what tells it from any other: a rename would replace one. */
function makeNew(temporary: string, file: string, content: string): Stats {
  const fd = openSync(temporary, "wx");
  try {
    writeSync(fd, content);
    linkSync(temporary, file);
    unlinkSync(temporary);
    return fstatSync(fd);
  } finally {
    closeSync(fd);
  }
}
