import { digestOf } from "../../src/contract/digest.ts";
import { rememberRoot } from "../../src/mirror/engine/run/guard-facts.ts";
import type { RunReport } from "../../src/mirror/engine/run/report.ts";
import { syncToConvergence } from "../../src/mirror/engine/run/sync.ts";
import type { World } from "../../src/mirror/engine/run/world.ts";
import type { WireRequest } from "../../src/contract/wire.ts";
import type { Wire, WireResult } from "../../src/common/wire.ts";
import { LocalDisk } from "../../src/mirror/local/disk.ts";
import { makeMirrorFolder } from "../../src/mirror/local/marker.ts";
import { createRemote } from "../../src/mirror/remote/client.ts";
import { SyncService } from "../sync-service/service.ts";
import { emptyDatabase } from "../simulator/empty-service.ts";
import { openInMemory, type StateCopy } from "../simulator/memory-state.ts";
import { type RamCall, RamDisk, type RamDiskOptions } from "../simulator/ram-disk.ts";
import { ROOT, SETTINGS } from "../simulator/mirror.ts";
import { type Dice, rollDice } from "../simulator/dice.ts";
import { virtualClock } from "../remote/virtual-clock.ts";
import { lieAbout, type Lies } from "./liar.ts";
import { closeNothing, NO_LOG, NO_PROGRESS, rethrow } from "../simulator/quiet-ports.ts";

/**
 * The whole engine over a RAM disk, against a service that lies; around the root lies what nobody
 * may touch.
 */

type HostileCopy = StateCopy & {
  readonly disk: Buffer;
  readonly database: Uint8Array;
  readonly key: string;
  readonly dice: number;
  readonly bytes: number;
  readonly elapsed: number;
};

/** A folder that will be linked, with the files in it and around it. */
function startDisk(options: RamDiskOptions): RamDisk {
  const disk = new RamDisk(options);
  for (const folder of ["/etc", "/home/ann/other", "/tmp", ROOT]) disk.user.makeFolder(folder);
  for (const file of ["/etc/x.md", "/x.md", "/home/ann/x.md", "/home/ann/other/x.md"]) disk.user.write(file, "outside");
  makeMirrorFolder(disk, ROOT, "marker-1");
  disk.user.write(`${ROOT}/.mdmirror/state.db`, "the state");
  disk.user.write(`${ROOT}/.mdmirror/x.md`, "ours");
  disk.user.makeFolder(`${ROOT}/.git/hooks`);
  disk.user.write(`${ROOT}/.git/hooks/x.md`, "git's");
  return disk;
}

type Edited = { readonly id: string; readonly lastChangeId: string; readonly file: { readonly lastChangeId: string } };

export class HostileFixture {
  readonly disk: RamDisk;
  readonly service: SyncService;
  /** What the service says beyond the truth, from the next request on. */
  lies: Lies = {};
  readonly sent: string[] = [];
  readonly #clock: ReturnType<typeof virtualClock>;
  readonly #dice: Dice;
  readonly #bytes: Dice;
  readonly #key: string;
  readonly #memory: ReturnType<typeof openInMemory>;
  readonly #handle: SyncService["handle"];

  /** @param from a copy of a fixture with the same disk; null: both sides are empty */
  constructor(options: RamDiskOptions = {}, from: HostileCopy | null = null) {
    const clock = virtualClock(false, from?.elapsed);
    const bytes = rollDice(from?.bytes ?? 1);
    this.#clock = clock;
    this.#bytes = bytes;
    this.#dice = rollDice(from?.dice ?? 1);
    this.service = new SyncService({
      database: from === null ? emptyDatabase() : { copy: from.database },
      now: clock.now,
      random: bytes.bytes,
      onFault: rethrow,
    });
    this.#key = from?.key ?? this.service.admin.createWorkspace("notes").key;
    this.disk = from === null ? startDisk(options) : new RamDisk(options, from.disk);
    this.#memory = openInMemory(clock, from);
    this.#handle = lieAbout(this.service.handle, () => this.lies);
    if (from === null) rememberRoot(this.#start());
  }

  /** A request of an honest key. */
  api(method: string, path: string, body?: object): Edited {
    return this.#ask(method, path, body) as Edited;
  }

  #ask(method: string, path: string, body?: object): unknown {
    const answer = this.service.answer({
      method,
      path,
      headers: { authorization: `Bearer ${this.#key}`, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body === "" ? "null" : answer.body);
  }

  #list(query: string): readonly { readonly id: string }[] {
    return (this.#ask("GET", `/v1/files?${query}`) as { data: { id: string }[] }).data;
  }

  #textOf(id: string): string {
    return (this.#ask("GET", `/v1/files/${id}`) as { content: string }).content;
  }

  async sync(): Promise<RunReport> {
    const report = await syncToConvergence(this.#start(), { settings: SETTINGS, retryRefused: true, kind: "sync" });
    this.disk.advance(10);
    return report;
  }

  /** What a program that was just started has. */
  #start(): World {
    const clock = this.#clock;
    const random = this.#dice;
    const wire: Wire = { send: this.#send, close: closeNothing };
    return {
      clock,
      random,
      log: NO_LOG,
      progress: NO_PROGRESS,
      remote: createRemote({ wire, key: this.#key, clock, random, log: NO_LOG, traits: null }),
      disk: new LocalDisk(this.disk, ROOT, { random }),
      state: this.#memory.state,
      bootId: "boot-1",
      prefix: "",
    };
  }

  readonly #send = async (request: WireRequest): Promise<WireResult> => {
    this.sent.push(`${request.method} ${request.path}`);
    return { kind: "answer", response: await this.#handle(request) };
  };

  /** Every file that is not of the mirrored tree: around the root, and in `.mdmirror`. */
  others(): Map<string, string> {
    const all = this.disk.user.texts("/", true);
    for (const path of this.disk.user.texts(ROOT).keys())
      if (!path.startsWith(".git/")) all.delete(`${ROOT.slice(1)}/${path}`);
    return all;
  }

  /** The mirrored tree. */
  texts(): Map<string, string> {
    return new Map([...this.disk.user.texts(ROOT)].filter(([path]) => !path.startsWith(".git/")));
  }

  /** Its folders, sorted. */
  folders(): string[] {
    return foldersIn(this.disk, ROOT);
  }

  write(path: string, text: string): void {
    this.disk.user.write(`${ROOT}/${path}`, text);
    this.disk.advance(10);
  }

  /** Deletes a document on the service. */
  remove(id: string): void {
    this.api("DELETE", `/v1/files/${id}`);
  }

  /** All live texts of the service. */
  serviceTexts(): string[] {
    return this.#list("limit=1000").map(({ id }) => this.#textOf(id));
  }

  /** Returns true if the text store has a text. */
  keeps(text: string): boolean {
    return this.#memory.state.text(digestOf(Buffer.from(text))) !== null;
  }

  /** A document's live text on the service; null when it is not there. */
  serviceText(path: string): string | null {
    const [found] = this.#list(`path=${encodeURIComponent(path)}`);
    return found === undefined ? null : this.#textOf(found.id);
  }

  /** What another fixture goes on from: both sides, clock and dice; without the lies. */
  copy(): HostileCopy {
    return {
      ...this.#memory.copy(),
      disk: this.disk.copy(),
      database: this.service.copy(),
      key: this.#key,
      dice: this.#dice.seedNow(),
      bytes: this.#bytes.seedNow(),
      elapsed: this.#clock.monotonic(),
    };
  }
}

function foldersIn(disk: RamDisk, at: string): string[] {
  return disk
    .readdir(at)
    .filter(({ name, kind }) => kind === "folder" && name !== ".mdmirror" && name !== ".git")
    .flatMap(({ name }) => [name, ...foldersIn(disk, `${at}/${name}`).map((below) => `${name}/${below}`)])
    .sort();
}

/**
 * Runs a sync in which `plant` is called right before the n-th call that `when` takes.
 * @returns whether there was such a call
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
