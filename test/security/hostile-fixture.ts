import { digestOf } from "../../src/contract/digest.ts";
import type { RunReport } from "../../src/mirror/engine/run/report.ts";
import { type Mirror, ROOT } from "../simulator/mirror.ts";
import { Moment, type Pair } from "../simulator/moment.ts";
import type { RamCall, RamDisk, RamDiskOptions } from "../simulator/ram-disk.ts";
import { createRig, type Deployment, type Rig } from "../simulator/rig.ts";
import { lieAbout, type Lies } from "./liar.ts";

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

  /** Returns the contents of all documents on the service. */
  serviceTexts(): string[] {
    return [...this.rig.app.files().values()].map(({ text }) => text);
  }

  /** Returns a document's content on the service; null if there is none. */
  serviceText(path: string): string | null {
    return this.rig.app.files().get(path)?.text ?? null;
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
