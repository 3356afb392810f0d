import { digestOf } from "../../src/contract/digest.ts";
import type { RunReport } from "../../src/mirror/engine/run/report.ts";
import { type Mirror, ROOT } from "../simulator/mirror.ts";
import { Moment, type Pair } from "../simulator/moment.ts";
import type { RamCall, RamDisk, RamDiskOptions } from "../simulator/ram-disk.ts";
import { createRig, type Deployment, type Rig } from "../simulator/rig.ts";
import { lieAbout, type Lies } from "./liar.ts";

/** A rig whose service lies to the mirror; around the root are files that nobody may touch. */
export class HostileFixture {
  readonly rig: Rig;
  readonly mirror: Mirror;
  /** What the service says beyond the truth, from the next request on. */
  lies: Lies = {};

  /** @param open makes both sides, on a deployment that tells the lies */
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

  /** Every file that is not of the mirrored tree: around the root, and in `.mdmirror`. */
  others(): Map<string, string> {
    const all = this.disk.user.texts("/", true);
    for (const path of this.texts().keys()) all.delete(`${ROOT.slice(1)}/${path}`);
    return all;
  }

  /** The mirrored tree. */
  texts(): Map<string, string> {
    return new Map([...this.mirror.texts()].filter(([path]) => !path.startsWith(".git/")));
  }

  /** Its folders, sorted. */
  folders(): string[] {
    return foldersIn(this.disk, ROOT);
  }

  /** All live texts of the service. */
  serviceTexts(): string[] {
    return [...this.rig.app.files().values()].map(({ text }) => text);
  }

  /** A document's live text on the service; null when it is not there. */
  serviceText(path: string): string | null {
    return this.rig.app.files().get(path)?.text ?? null;
  }

  /** Returns true if the text store has a text. */
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
