import type { Db } from "./database.ts";
import { type FileRow, ROOT, type ShownPage, type ShownText } from "../rows.ts";
import type { FileForEdit, Files, NamePage, NewFile, Page } from "../tables.ts";
import { type FolderPage, prepareReads, prepareTexts, prepareWrites } from "./files-statements.ts";
import type { Subtree } from "./sql.ts";
import { type KeptText, KeptTexts } from "./kept-texts.ts";
import { ShownFiles } from "./shown-files.ts";
import { decodeIfKept, decodeText, encodeText } from "./text-codec.ts";

/** Table `files`, with the columns of `changes` that belong to a file. */
export class FilesTable implements Files {
  readonly #db: Db;
  readonly #shown = new ShownFiles();
  readonly #kept = new KeptTexts();
  readonly #reads: ReturnType<typeof prepareReads>;
  readonly #texts: ReturnType<typeof prepareTexts>;
  readonly #writes: ReturnType<typeof prepareWrites>;

  constructor(db: Db) {
    this.#db = db;
    this.#reads = prepareReads(db);
    this.#texts = prepareTexts(db);
    this.#writes = prepareWrites(db);
  }

  async byId(workspace: number, id: string): Promise<FileRow | undefined> {
    return this.#reads.byId.get(workspace, id);
  }

  async withText(workspace: number, id: string, shown: (row: FileRow) => string): Promise<ShownText | undefined> {
    const asOf = this.#db.writes.files;
    const kept = this.#kept.get(id);
    if (kept?.asOf === asOf && kept.workspace === workspace) return kept;
    const known = kept && this.#reads.byId.get(workspace, id);
    if (kept !== undefined && known?.changeId === kept.row.changeId) {
      return this.#keep(id, { row: known, shown: shown(known), json: kept.json, workspace, asOf });
    }
    const found = this.#texts.withRow.get(workspace, id);
    if (found === undefined) return undefined;
    const { codec, text, ...row } = found;
    const json = JSON.stringify(decodeText({ codec, text }));
    return this.#keep(id, { row, shown: shown(row), json, workspace, asOf });
  }

  #keep(id: string, text: KeptText): KeptText {
    this.#kept.set(id, text);
    return text;
  }

  async forEdit(workspace: number, id: string, baseId: string): Promise<FileForEdit | undefined> {
    const row = this.#reads.byId.get(workspace, id);
    if (row === undefined) return undefined;
    const live = this.liveText(row);
    if (baseId === row.changeId) return { row, live, base: { text: live } };
    const base = this.#texts.ofFile.get(baseId, row.seq);
    return { row, live, base: base === undefined ? null : { text: decodeIfKept(base) } };
  }

  /** Returns the live text, which exists for every file and is never pruned. */
  liveText({ changeId }: FileRow): string {
    return decodeText(this.#texts.byId.get(changeId)!);
  }

  bySeq(seq: number): FileRow | undefined {
    return this.#reads.bySeq.get(seq);
  }

  inWorkspace(workspace: number, seq: number): FileRow | undefined {
    return this.#reads.inWorkspace.get(workspace, seq);
  }

  async bySeqs(seqs: readonly number[]): Promise<FileRow[]> {
    return seqs.flatMap((seq) => this.bySeq(seq) ?? []);
  }

  async byName(workspace: number, folder: number, name: string): Promise<FileRow | undefined> {
    return this.#reads.byName.get(workspace, folder, name);
  }

  async byPath(workspace: number, path: string): Promise<FileRow | undefined> {
    const cut = path.lastIndexOf("/");
    if (cut < 0) return this.#reads.byName.get(workspace, ROOT, path);
    const folder = this.#reads.folder.get(workspace, path.slice(0, cut));
    return folder && this.#reads.byName.get(workspace, folder.seq, path.slice(cut + 1));
  }

  async all(page: Page): Promise<FileRow[]> {
    return this.#reads.all.all(page);
  }

  async allShown(page: Page, shown: (row: FileRow) => string): Promise<ShownPage> {
    const seqs = this.#reads.seqs.column<number>(page);
    // An uncommitted row may be undone, so it is not remembered.
    const remembers = !this.#db.inTransaction;
    const texts = seqs.map((seq) => {
      const known = remembers ? this.#shown.get(seq) : undefined;
      if (known !== undefined) return known;
      const text = shown(this.bySeq(seq)!);
      if (remembers) this.#shown.set(seq, text);
      return text;
    });
    return { seqs, texts };
  }

  /** Clears remembered files after paths of folders, and with them paths of files, changed. */
  forgetShown(): void {
    this.#shown.clear();
  }

  async inFolder(page: FolderPage): Promise<FileRow[]> {
    return this.#reads.inFolder.all(page);
  }

  async inFolderByName(page: NamePage): Promise<FileRow[]> {
    return this.#reads.inFolderByName.all(page);
  }

  async inTree(page: Page & Subtree): Promise<FileRow[]> {
    const { small } = this.#reads.isSmall.get({ workspace: page.workspace, path: page.path })!;
    return (small === 1 ? this.#reads.inSmallTree : this.#reads.inTree).all(page);
  }

  async protectedInTree(workspace: number, path: string): Promise<FileRow[]> {
    return this.#reads.protectedInTree.all({ workspace, path });
  }

  async insert({ workspace, id, folder, name, changeId, text, at }: NewFile): Promise<number> {
    const seq = Number(this.#writes.insert.run(id, workspace, folder, name, changeId).lastInsertRowid);
    this.#addVersion({ id: changeId, file: seq, baseId: null, text, at });
    return seq;
  }

  async place(seq: number, folder: number, name: string): Promise<void> {
    this.#shown.delete(seq);
    this.#writes.place.run(folder, name, seq);
  }

  async protect(seq: number, value: boolean): Promise<void> {
    this.#shown.delete(seq);
    this.#writes.protect.run(value ? 1 : 0, seq);
  }

  async save({ seq, changeId }: FileRow, change: { id: string; text: string; at: number }): Promise<void> {
    this.#shown.delete(seq);
    this.#addVersion({ ...change, file: seq, baseId: changeId });
    this.#writes.setChange.run(change.id, seq);
  }

  #addVersion(version: { id: string; file: number; baseId: string | null; text: string; at: number }): void {
    const { codec, text } = encodeText(version.text);
    this.#texts.add.run(version.id, version.file, version.baseId, codec, text, version.at);
  }

  async remove(seq: number): Promise<void> {
    this.#shown.delete(seq);
    this.#writes.dropChanges.run(seq);
    // ORDER: first, because the outbox records the grants of the file.
    this.#writes.remove.run(seq);
    this.#writes.dropGrants.run(seq);
  }

  /** Removes all files in the folder at `path` and below, with their changes and grants. */
  removeTree(subtree: Subtree): void {
    this.#shown.clear();
    this.#writes.dropTreeChanges.run(subtree);
    // ORDER: after the files, because the outbox records their grants.
    this.#writes.dropTree.run(subtree);
    this.#writes.dropLostGrants.run();
  }
}
