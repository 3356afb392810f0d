import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import { FILES, FOLDERS } from "../../src/contract/resources.ts";
import { problem } from "../promises/fixture.ts";
import { digestOf } from "../../src/contract/digest.ts";
import type { RunReport } from "../../src/mirror/engine/run/report.ts";
import { type Mirror, ROOT } from "../simulator/mirror.ts";
import { Moment, type Pair } from "../simulator/moment.ts";
import { APFS, type RamCall, type RamDisk, type RamDiskOptions } from "../simulator/ram-disk.ts";
import { createRig, type Deployment, type Rig } from "../simulator/rig.ts";
import { expect } from "vitest";
import { findNextStep } from "../../src/mirror/operations/results/attention.ts";

/**
 * A service that lies: the embedded one, whose lists contain items that nobody created, with a file
 * behind each.
 */

type Answer = (request: WireRequest) => WireResponse;

/** Lies of a service. An item of a list may have any form. */
type Lies = {
  readonly files?: readonly unknown[];
  readonly folders?: readonly unknown[];
  /**
   * Members that GET of a listed file adds to the item. Without `content`, it gets a default
   * content.
   */
  readonly more?: Readonly<Record<string, unknown>>;
};

/** Content that no real document has, so a search finds each place where a lie was written. */
export const LIE = "a lie of the service\n";

/** Returns the lying answer to a request; null for the true answer. */
function lieAbout(request: WireRequest, ask: Answer, { files = [], folders = [], more = {} }: Lies) {
  const [path = "", query = ""] = request.path.split("?");
  if (request.method === "GET" && path === FILES && isWhole(query)) return withItems(ask(request), files);
  if (request.method === "GET" && path === FOLDERS && isWhole(query)) return withItems(ask(request), folders);
  const found = files.findLast((item) => path === `${FILES}/${idOf(item)}`);
  if (found === undefined) return null;
  return request.method === "GET" ? json({ content: LIE, ...(found as object), ...more }) : problem(403, "forbidden");
}

/**
 * Returns true for the first page of a list of everything. Other pages, and lists of one path, stay
 * true.
 */
function isWhole(query: string): boolean {
  const parameters = new URLSearchParams(query);
  const isPart = (parameters.get("path_prefix") ?? "/") !== "/";
  return !parameters.has("path") && !isPart && !parameters.has("cursor");
}

function idOf(item: unknown): unknown {
  return typeof item === "object" && item !== null ? (item as { id?: unknown }).id : undefined;
}

function withItems(response: WireResponse, items: readonly unknown[]): WireResponse {
  if (response.status !== 200 || items.length === 0) return response;
  const page = JSON.parse(response.body) as { data: unknown[] };
  return { ...response, body: JSON.stringify({ ...page, data: [...items, ...page.data] }) };
}

function json(body: unknown): WireResponse {
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

let made = 0;
/** Returns a listed file at a path, valid but for the members in `more`. */
export function lieAt(path: unknown, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  made++;
  return { id: `doc_lie${made}`, lastChangeId: `chg_lie${made}`, path, protected: false, ...more };
}

/**
 * A rig whose service lies. Around the linked folder there are files that mdmirror must not touch.
 */
export class HostileFixture {
  readonly rig: Rig;
  readonly mirror: Mirror;
  /** Lies of the service, from the next request on. */
  lies: Lies = {};

  /** @param open opens both sides, given a deployment that tells the lies */
  constructor(open: (deployment: Deployment) => Pair) {
    const { rig, mirror } = open({ fault: (request) => lieAbout(request, this.rig.service.answer, this.lies) });
    this.rig = rig;
    this.mirror = mirror;
  }

  get disk(): RamDisk {
    return this.mirror.disk;
  }

  async sync(): Promise<RunReport> {
    return (await this.mirror.sync())!;
  }

  /** Returns the contents of all other files: around the linked folder, and in `.mdmirror`. */
  others(): Map<string, string> {
    const all = this.disk.user.texts("/", true);
    for (const path of this.texts().keys()) all.delete(`${ROOT.slice(1)}/${path}`);
    return all;
  }

  /** Returns the contents of the linked folder, by path. */
  texts(): Map<string, string> {
    return new Map([...this.mirror.texts()].filter(([path]) => !path.startsWith(".git/")));
  }

  /** Returns the sorted folders in the linked folder. */
  folders(): string[] {
    return foldersIn(this.disk, ROOT);
  }

  /** Returns true if the content store has this content. */
  keeps(text: string): boolean {
    return this.mirror.state.hasText(digestOf(text));
  }
}

/** Opens a fixture with an empty linked folder. */
export function openHostile(disk: RamDiskOptions = {}): HostileFixture {
  const fixture = new HostileFixture((deployment) => {
    const rig = createRig(1, deployment);
    return { rig, mirror: rig.mirror({ disk }) };
  });
  const { user } = fixture.disk;
  for (const folder of ["/etc", "/home/ann/other", "/tmp", `${ROOT}/.git/hooks`]) user.makeFolder(folder);
  for (const file of ["/etc/x.md", "/x.md", "/home/ann/x.md", "/home/ann/other/x.md"]) user.write(file, "outside");
  user.write(`${ROOT}/.mdmirror/state.db`, "the state");
  user.write(`${ROOT}/.mdmirror/x.md`, "ours");
  user.write(`${ROOT}/.git/hooks/x.md`, "git's");
  return fixture;
}

/** Returns a function that opens a copy of a fixture, without its lies. */
export function copyOf(fixture: HostileFixture): () => HostileFixture {
  const moment = new Moment(fixture);
  return () => new HostileFixture((deployment) => moment.open(deployment));
}

function foldersIn(disk: RamDisk, at: string): string[] {
  return disk
    .readdir(at)
    .filter(({ name, kind }) => kind === "folder" && name !== ".mdmirror" && name !== ".git")
    .flatMap(({ name }) => [name, ...foldersIn(disk, `${at}/${name}`).map((below) => `${name}/${below}`)])
    .sort();
}

/**
 * Runs a sync, and calls `plant` right before the n-th matching call.
 * @returns false if there was no such call
 */
export async function syncPlanting(
  fixture: HostileFixture,
  when: (call: RamCall, path: string) => boolean,
  n: number,
  plant: () => void,
): Promise<boolean> {
  let left = n;
  fixture.disk.beforeCall = (call, path) => {
    if (!when(call, path) || --left !== 0) return;
    plant();
  };
  await fixture.sync();
  fixture.disk.beforeCall = null;
  return left <= 0;
}

export const DISKS: Readonly<Record<string, RamDiskOptions>> = {
  "an exact disk": {},
  "the disk of a Mac, which folds case and Unicode": APFS,
  "a disk without hard links": { hardLinks: false },
};

/**
 * Syncs a real document on the service, another local one, and the lies. Expects that both real
 * documents are synced and that nothing else is touched.
 */
export async function syncWithLies(options: RamDiskOptions, lies: Lies) {
  const fixture = openHostile(options);
  fixture.rig.app.create("good/one.md", "one\n");
  fixture.mirror.write("mine.md", "mine\n");
  const before = fixture.others();
  fixture.lies = lies;
  const report = await fixture.sync();
  expect(fixture.texts().get("good/one.md")).toBe("one\n");
  expect(fixture.rig.app.text("mine.md")).toBe("mine\n");
  expect(fixture.others()).toEqual(before);
  return { fixture, report };
}

/** Returns all messages of a report, one a line. */
export function messagesOf(report: RunReport): string {
  return report.attention.map((one) => `${one.kind}: ${one.detail} -> ${findNextStep(one)}`).join("\n");
}
