import { expect } from "vitest";
import { nextFor } from "../../src/cli/next-step.ts";
import { digestOf } from "../../src/model/digest.ts";
import { rememberRoot } from "../../src/engine/run/guard-facts.ts";
import type { RunReport } from "../../src/engine/run/report.ts";
import { syncToConvergence } from "../../src/engine/run/sync.ts";
import type { World } from "../../src/engine/run/world.ts";
import type { Wire } from "../../src/ports/remote.ts";
import { LocalDisk } from "../../src/local/disk.ts";
import { makeMirrorFolder } from "../../src/local/marker.ts";
import { createRemote } from "../../src/remote/client.ts";
import { combineByMerge } from "../../src/server/combine.ts";
import { createService, type Service } from "../../src/server/service.ts";
import { emptyDatabase } from "../simulator/empty-service.ts";
import { openInMemory, type StateCopy } from "../simulator/memory-state.ts";
import { createRamDisk, type RamCall, type RamDisk, type RamDiskOptions } from "../simulator/ram-disk.ts";
import { ROOT, SETTINGS } from "../simulator/rig.ts";
import { rollDice } from "../simulator/dice.ts";
import { virtualClock } from "../remote/virtual-clock.ts";
import { lieAbout, type Lies } from "./liar.ts";

/**
 * The whole engine over a RAM disk, against a service that lies; around the root lies what nobody
 * may touch.
 */

export type HostileFixture = {
  readonly disk: RamDisk;
  readonly service: Service;
  /** What the service says beyond the truth, from the next request on. */
  lies: Lies;
  readonly sent: string[];
  /** A request of an honest key. */
  api(
    method: string,
    path: string,
    body?: object,
  ): { readonly id: string; readonly lastChangeId: string; readonly file: { readonly lastChangeId: string } };
  sync(): Promise<RunReport>;
  /** Every file that is not of the mirrored tree: around the root, and in `.mdmirror`. */
  others(): Map<string, string>;
  /** The mirrored tree. */
  texts(): Map<string, string>;
  /** Its folders, sorted. */
  folders(): string[];
  write(path: string, text: string): void;
  /** Deletes a document on the service. */
  remove(id: string): void;
  /** All live texts of the service. */
  serviceTexts(): string[];
  /** Whether the text store holds a text. */
  keeps(text: string): boolean;
  /** A document's live text on the service; null when it is not there. */
  serviceText(path: string): string | null;
  /** What `openHostileFixture` goes on from: both sides, clock and dice; without the lies. */
  copy(): HostileCopy;
};

type HostileCopy = StateCopy & {
  readonly disk: Buffer;
  readonly database: Uint8Array;
  readonly key: string;
  readonly dice: number;
  readonly bytes: number;
  readonly elapsed: number;
};

/** A folder that is to become a mirror, and what lies in it and around it. */
function startDisk(options: RamDiskOptions): RamDisk {
  const disk = createRamDisk(options);
  for (const folder of ["/etc", "/home/ann/other", "/tmp", ROOT]) disk.user.makeFolder(folder);
  for (const file of ["/etc/x.md", "/x.md", "/home/ann/x.md", "/home/ann/other/x.md"]) disk.user.write(file, "outside");
  makeMirrorFolder(disk, ROOT, "marker-1");
  disk.user.write(`${ROOT}/.mdmirror/state.db`, "the state");
  disk.user.write(`${ROOT}/.mdmirror/x.md`, "ours");
  disk.user.makeFolder(`${ROOT}/.git/hooks`);
  disk.user.write(`${ROOT}/.git/hooks/x.md`, "git's");
  return disk;
}

/** @param from a copy of a fixture with the same disk; null: both sides are empty */
export function openHostileFixture(options: RamDiskOptions = {}, from: HostileCopy | null = null): HostileFixture {
  const clock = virtualClock(false, from?.elapsed);
  const dice = rollDice(from?.dice ?? 1);
  const bytes = rollDice(from?.bytes ?? 1);
  const random = { fraction: () => dice.fraction(), hex: (n: number) => dice.hex(n) };
  const service = createService({
    database: from === null ? emptyDatabase() : { copy: from.database },
    now: () => clock.now(),
    random: (n) => Uint8Array.from({ length: n }, () => bytes.below(256)),
    combine: combineByMerge,
    onFault: (error) => {
      throw error;
    },
  });
  const key = from?.key ?? service.admin.createWorkspace("notes").key;
  const disk = from === null ? startDisk(options) : createRamDisk(options, from.disk);
  const { state, copy } = openInMemory(clock, from);
  const fixture: HostileFixture = {
    disk,
    service,
    lies: {},
    sent: [],
    api(method, path, body) {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const answer = service.answer({
        method,
        path,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      });
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
      return JSON.parse(answer.body === "" ? "null" : answer.body) as ReturnType<HostileFixture["api"]>;
    },
    remove: (id) => void fixture.api("DELETE", `/v1/files/${id}`),
    serviceTexts() {
      const { data } = fixture.api("GET", "/v1/files?limit=1000") as unknown as { data: { id: string }[] };
      return data.map(({ id }) => (fixture.api("GET", `/v1/files/${id}`) as unknown as { content: string }).content);
    },
    keeps: (text) => state.text(digestOf(Buffer.from(text))) !== null,
    async sync() {
      const report = await syncToConvergence(start(), { settings: SETTINGS, retryRefused: true, kind: "sync" });
      disk.advance(10);
      return report;
    },
    others() {
      const all = disk.user.texts("/", true);
      for (const path of disk.user.texts(ROOT).keys())
        if (!path.startsWith(".git/")) all.delete(`${ROOT.slice(1)}/${path}`);
      return all;
    },
    texts: () => new Map([...disk.user.texts(ROOT)].filter(([path]) => !path.startsWith(".git/"))),
    folders: () => foldersIn(disk, ROOT),
    write(path, text) {
      disk.user.write(`${ROOT}/${path}`, text);
      disk.advance(10);
    },
    serviceText(path) {
      const { data } = fixture.api("GET", `/v1/files?path=${encodeURIComponent(path)}`) as unknown as {
        data: { id: string }[];
      };
      if (data[0] === undefined) return null;
      return (fixture.api("GET", `/v1/files/${data[0].id}`) as unknown as { content: string }).content;
    },
    copy: () => ({
      ...copy(),
      disk: disk.copy(),
      database: service.copy(),
      key,
      dice: dice.seedNow(),
      bytes: bytes.seedNow(),
      elapsed: clock.monotonic(),
    }),
  };
  const handle = lieAbout(service.handle, () => fixture.lies);
  const wire: Wire = {
    async send(request) {
      fixture.sent.push(`${request.method} ${request.path}`);
      return { kind: "answer", response: await handle(request) };
    },
    close: async () => undefined,
  };
  const log = { write: () => undefined };
  const start = (): World => ({
    clock,
    random,
    log,
    progress: { report: () => undefined },
    remote: createRemote({ wire, key, clock, random, log, traits: null }),
    disk: new LocalDisk(disk, ROOT, { random }),
    state,
    bootId: "boot-1",
    prefix: "",
  });
  if (from === null) rememberRoot(start());
  return fixture;
}

function foldersIn(disk: RamDisk, at: string): string[] {
  return disk
    .readdir(at)
    .filter(({ name, kind }) => kind === "folder" && name !== ".mdmirror" && name !== ".git")
    .flatMap(({ name }) => [name, ...foldersIn(disk, `${at}/${name}`).map((below) => `${name}/${below}`)])
    .sort();
}

export const DISKS: Readonly<Record<string, RamDiskOptions>> = {
  "an exact disk": {},
  "a disk that folds case and Unicode": { foldsCase: true, foldsUnicode: true },
  "a disk without hard links": { hardLinks: false },
};

/**
 * An honest document there, another here, and the lies: both honest ones are synced, and nothing
 * else is touched.
 */
export async function syncWithLies(options: RamDiskOptions, lies: HostileFixture["lies"]) {
  const fixture = openHostileFixture(options);
  fixture.api("POST", "/v1/files", { path: "good/one.md", content: "one\n" });
  fixture.write("mine.md", "mine\n");
  const before = fixture.others();
  fixture.lies = lies;
  const report = await fixture.sync();
  expect(fixture.texts().get("good/one.md")).toBe("one\n");
  expect(fixture.serviceText("mine.md")).toBe("mine\n");
  expect(fixture.others()).toEqual(before);
  return { fixture, report };
}

/** What the report says, line by line. */
export function told(report: RunReport): string {
  return report.attention.map((one) => `${one.kind}: ${one.detail} -> ${nextFor(one)}`).join("\n");
}

/**
 * Runs a sync in which `plant` is called right before the n-th call that `when` takes. @returns
 * whether there was such a call
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
