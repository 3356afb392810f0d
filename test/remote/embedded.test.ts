import { afterEach, describe, expect, it } from "vitest";
import type { WireRequest } from "../../src/contract/wire.ts";
import type { FileResource } from "../../src/contract/resources.ts";
import type { Answer, Remote } from "../../src/mirror/ports/remote.ts";
import type { Wire, WireResult } from "../../src/common/wire.ts";
import { createRemote } from "../../src/mirror/remote/client.ts";
import { createWire } from "../../src/mirror/remote/wire.ts";
import { startHttp } from "../../src/service/http/server.ts";
import type { ServiceWire } from "../../src/service/service.ts";
import { SyncService } from "../sync-service/service.ts";
import type { Variant } from "../variants/variant.ts";
import { varyService } from "../variants/vary-service.ts";
import { rollBytes } from "../simulator/dice.ts";
import { virtualClock } from "./virtual-clock.ts";
import { closeNothing, NO_CHANCE, NO_LOG } from "../simulator/quiet-ports.ts";

/**
 * The client against the embedded service: in process, over HTTP, and as other deployments would
 * have it.
 */

const closers: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type CallContext = { readonly remote: Remote; readonly setOpen: (open: boolean) => void };

class ServiceInProcess implements Wire {
  readonly close = closeNothing;
  readonly #handle: ServiceWire;

  constructor(handle: ServiceWire) {
    this.#handle = handle;
  }

  async send(request: WireRequest): Promise<WireResult> {
    try {
      return { kind: "answer", response: await this.#handle(request) };
    } catch {
      return { kind: "lost", why: "connection lost" };
    }
  }
}

async function start(variant: Variant = {}, overHttp = false): Promise<CallContext> {
  const service = new SyncService({ database: ":memory:", now: () => 0, random: rollBytes(1), combine: () => null });
  closers.push(() => service.close());
  const { key, workspaceId } = service.admin.createWorkspace("test");
  const withdraw = async (changeId: string) => void service.admin.reviews.reject(changeId);
  const handle = varyService(service.handle, variant, { requests: 0, renames: new Map(), withdraw });
  let wire: Wire = new ServiceInProcess(handle);
  if (overHttp) {
    const server = await startHttp({ handle });
    closers.push(() => server.close());
    wire = createWire({ baseUrl: server.url });
  }
  const clock = virtualClock();
  const remote = createRemote({ wire, key, clock, random: NO_CHANCE, log: NO_LOG, traits: null });
  closers.push(() => remote.close());
  return {
    remote,
    setOpen: (open) => void service.admin.setWorkspaceState(workspaceId, open ? "open" : "closed", 1),
  };
}

function value<T>(answer: Answer<T>): T {
  if (!answer.ok) throw new Error(JSON.stringify(answer.fault));
  return answer.value;
}

/** What a list of files by this selector shows, sorted. */
async function pathsOf(remote: Remote, selector: Parameters<Remote["listFiles"]>[0]): Promise<string[]> {
  const listing = await remote.listFiles(selector);
  expect(listing).toMatchObject({ complete: true, fault: null });
  return listing.items.map((item) => item.path).sort();
}

const DEPLOYMENTS: readonly (readonly [string, Variant, boolean])[] = [
  ["the embedded service in process", {}, false],
  ["the embedded service over HTTP", {}, true],
  ["no leading slashes", { noLeadingSlashes: true }, false],
  ["flat edits", { flatEdits: true }, false],
  ["no list of the whole tree", { noTree: true }, false],
  ["ids of another form", { looseIds: true }, false],
  ["documented members alone", { documentedMembersOnly: true }, false],
  ["unknown members", { unknownMembers: true }, false],
  ["change ids that move on rename", { changeIdMovesOnRename: true }, false],
  ["pages of two, with empty ones between", { maxPageSize: 2 }, true],
  ["all of it", { noLeadingSlashes: true, documentedMembersOnly: true, unknownMembers: true, maxPageSize: 1 }, false],
];

describe.each(DEPLOYMENTS)("over %s", (_name, variant, overHttp) => {
  it("a document lives: create, read, write, rename, move, protect, delete", async () => {
    const { remote } = await start(variant, overHttp);
    const text = "\ufeffh\u00e9 \u{1f600}\r\n\u2028e\u0301 no final newline";
    const made: FileResource = value(await remote.createFile("a/b/note.md", text));
    expect(made).toEqual({ ...made, path: "a/b/note.md", protected: false });
    const read = value(await remote.getFile(made.id));
    expect(read).toEqual({ ...made, content: text });
    const put = value(await remote.putContent(made.id, made.lastChangeId, `${text}2`));
    expect(put).toMatchObject({ kind: "live", content: `${text}2` });
    expect(value(await remote.renameFile(made.id, "new.md")).path).toBe("a/b/new.md");
    const target = value(await remote.createFolder("c"));
    expect(value(await remote.moveFile(made.id, { kind: "folder", id: target.id })).path).toBe("c/new.md");
    expect(value(await remote.moveFile(made.id, { kind: "root" })).path).toBe("new.md");
    expect(value(await remote.setProtected(made.id, true)).protected).toBe(true);
    const live = value(await remote.getFile(made.id));
    const review = value(await remote.putContent(made.id, live.lastChangeId, "review me"));
    const tells = variant.documentedMembersOnly !== true;
    const reason = tells && variant.flatEdits !== true ? "protected" : null;
    expect(review).toMatchObject({ kind: "in-review", reason });
    expect(review.kind === "in-review" && review.changeId !== null).toBe(tells);
    expect(await remote.deleteFile(made.id)).toMatchObject({ ok: false, fault: { kind: "problem", status: 409 } });
    const other = value(await remote.createFile("other.md", ""));
    expect(value(await remote.deleteFile(other.id))).toBe(null);
    expect(await remote.getFile(other.id)).toMatchObject({
      ok: false,
      fault: { kind: "problem", code: "file_not_found" },
    });
    expect(remote.traits()).toMatchObject({ leadingSlash: variant.noLeadingSlashes !== true, moveToRoot: "yes" });
  });

  it("lists every file and folder, by every selector", async () => {
    const { remote } = await start(variant, overHttp);
    const paths = ["r.md", "a/1.md", "a/2.md", "a/b/3.md", "a/b/c/4.md", "z/5.md"];
    for (const path of paths) value(await remote.createFile(path, path));
    expect(await pathsOf(remote, { kind: "none" })).toEqual([...paths].sort());
    expect(await pathsOf(remote, { kind: "path", path: "a/b/3.md" })).toEqual(["a/b/3.md"]);
    expect(await pathsOf(remote, { kind: "path", path: "no.md" })).toEqual([]);
    expect(await pathsOf(remote, { kind: "path-prefix", pathPrefix: "a/b" })).toEqual(["a/b/3.md", "a/b/c/4.md"]);
    const folders = await remote.listFolders(null);
    expect(folders.complete).toBe(true);
    expect(folders.items.map((item) => item.path).sort()).toEqual(["a", "a/b", "a/b/c", "z"]);
    expect((await remote.listFolders("a")).items.map((item) => item.path).sort()).toEqual(["a/b", "a/b/c"]);
    const found = value(await remote.findFolder("a/b"));
    expect(await pathsOf(remote, { kind: "parent-id", parentId: found!.id })).toEqual(["a/b/3.md"]);
    expect(value(await remote.findFolder("no"))).toBe(null);
  });

  it("folders live: create, rename, move, delete when empty", async () => {
    const { remote } = await start(variant, overHttp);
    const folder = value(await remote.createFolder("a/b"));
    expect(folder.path).toBe("a/b");
    expect(value(await remote.renameFolder(folder.id, "x")).path).toBe("a/x");
    expect(value(await remote.moveFolder(folder.id, { kind: "root" })).path).toBe("x");
    const note = value(await remote.createFile("x/n.md", ""));
    expect(await remote.deleteFolder(folder.id)).toMatchObject({ ok: false, fault: { code: "folder_not_empty" } });
    value(await remote.deleteFile(note.id));
    expect(value(await remote.deleteFolder(folder.id))).toBe(null);
    expect(await remote.deleteFolder(folder.id)).toMatchObject({ ok: false, fault: { code: "folder_not_found" } });
    expect(remote.traits()).toMatchObject({ folderPatch: "yes", folderDelete: "yes", moveToRoot: "yes" });
  });
});
