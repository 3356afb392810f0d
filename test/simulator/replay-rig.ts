import { digestOf } from "../../src/contract/digest.ts";
import type { ChangeId, DirId } from "../../src/contract/ids.ts";
import { depthOf } from "../../src/contract/path.ts";
import { FILES, FOLDERS } from "../../src/contract/routes.ts";
import type { Disk } from "../../src/mirror/ports/disk.ts";
import { subjectOf } from "../../src/mirror/model/action.ts";
import { type DocumentRecord, sameStamp, type Stamp } from "../../src/mirror/model/link.ts";
import type { LocalFile, RemoteFile } from "../../src/mirror/model/tree.ts";
import { type Bundle, replan } from "../../src/mirror/operations/doctor/bundle.ts";
import type { Plan, PlanInput } from "../../src/mirror/planner/plan-types.ts";
import type { Mirror } from "./mirror.ts";
import { createRig, type Rig } from "./rig.ts";

/**
 * Builds both sides and base of a bundle with made-up content, so that a cycle can run. Contents
 * are equal, alike or blank as the recorded ones. The service issues other ids.
 *
 * LIMIT: left out are reviews, tombstones, ignored files, paths that were not seen, and learned
 * traits of the service except for folding.
 */
class ReplayRig {
  readonly rig: Rig;
  readonly mirror: Mirror;
  readonly plan: Plan;
  readonly #input: PlanInput;
  /** Ids and change ids of the rig, by those of the bundle. */
  readonly #ids = new Map<string, string>();
  readonly #fileByInode: ReadonlyMap<string, LocalFile>;
  readonly #disk: Disk;

  constructor(bundle: Bundle) {
    const { plan, input } = replan(bundle);
    const { disk } = input.trees.local;
    this.plan = plan;
    this.#input = input;
    const { foldsCase, foldsUnicode } = input.policy.remoteFolding;
    this.rig = createRig(1, { foldsCase, foldsUnicode });
    this.mirror = this.rig.mirror({ disk });
    this.#disk = this.mirror.world().disk;
    this.#fileByInode = new Map(Array.from(input.trees.local.files.values(), (file) => [inodeKey(file.stamp), file]));
    this.#fillService();
    this.#fillDisk();
    this.#fillState();
  }

  get settings() {
    const { direction, prefer, names, guards } = this.#input.policy;
    return { direction, prefer, names, guards };
  }

  #contentOf(digest: string): string {
    return this.#input.texts(digest as never) ?? (digest === digestOf("") ? "" : `content ${digest}\n`);
  }

  #idOf<Id extends string>(id: Id): Id {
    return (this.#ids.get(id) ?? id) as Id;
  }

  #fillService(): void {
    const { base, remote } = this.#input.trees;
    const { app } = this.rig;
    for (const { id, path } of [...remote.folders.values()].sort((a, b) => depthOf(a.path) - depthOf(b.path))) {
      app.makeFolder(path);
      const { json } = app.call("GET", `${FOLDERS}?path=${encodeURIComponent(path)}`);
      this.#ids.set(id, (json as { data: [{ id: DirId }] }).data[0].id);
    }
    for (const id of new Set([...base.links.keys(), ...remote.files.keys()]))
      this.#createDocument(base.links.get(id) ?? null, remote.files.get(id) ?? null);
  }

  /** Creates a document with its recorded version, then edits or deletes it as the list shows. */
  #createDocument(link: DocumentRecord | null, file: RemoteFile | null): void {
    const { app } = this.rig;
    const { base } = this.#input.trees;
    const [id, was] = [link?.id ?? file!.id, link?.digest ?? file!.digest ?? `first ${file!.changeId}`];
    const path = file?.path ?? `deleted-${this.#ids.size}.md`;
    const created = app.create(path, this.#contentOf(was));
    this.#ids.set(id, created);
    const version = (): string => {
      const { json } = app.call("GET", `${FILES}/${created}`);
      return (json as { readonly lastChangeId: string }).lastChangeId;
    };
    this.#ids.set(link?.changeId ?? file!.changeId, version());
    if (file === null) {
      app.remove(path);
      return;
    }
    if (link !== null && link.changeId !== file.changeId) {
      const shown = base.conflicts.get(id)?.shown.find(({ changeId }) => changeId === file.changeId);
      app.edit(path, this.#contentOf(shown?.digest ?? file.digest ?? `edit ${file.changeId}`));
      this.#ids.set(file.changeId, version());
    }
    if (file.protected) app.protect(path, true);
  }

  #fillDisk(): void {
    const { base, local } = this.#input.trees;
    for (const path of local.folders.keys()) this.mirror.disk.user.makeFolder(this.mirror.path(path));
    for (const { path, digest } of local.files.values()) this.mirror.write(path, this.#contentOf(digest));
    for (const { newestCopyPath, shown } of base.conflicts.values())
      if (local.others.has(newestCopyPath)) this.mirror.write(newestCopyPath, this.#contentOf(shown.at(-1)!.digest));
  }

  #fillState(): void {
    const { base, local } = this.#input.trees;
    const { state } = this.mirror;
    for (const link of base.links.values()) this.#putLink(link);
    const folders = new Map(Array.from(local.folders.values(), (folder) => [inodeKey(folder), folder]));
    for (const dir of base.dirs.values()) {
      const same = folders.get(inodeKey(dir));
      const found = same === undefined ? null : this.#disk.look(same.path);
      const { dev, ino, birthMs } = found?.kind === "folder" ? found : { ...dir, ino: gone(dir.ino) };
      state.putDir({ ...dir, id: this.#idOf(dir.id), dev, ino, birthMs });
    }
    for (const block of base.blocks.values())
      state.putBlock({
        ...block,
        key: this.#idOf(block.key),
        changeId: this.#version(block.changeId),
        digest: this.#digest(block.digest),
      });
    for (const conflict of base.conflicts.values()) {
      const found = this.#disk.look(conflict.newestCopyPath);
      const { ino, dev } = found.kind === "file" ? found.stamp : { ino: 0, dev: 0 };
      state.putConflict({
        ...conflict,
        id: this.#idOf(conflict.id),
        baseDigest: this.#digest(conflict.baseDigest),
        baseChangeId: this.#version(conflict.baseChangeId),
        shown: conflict.shown.map(({ changeId, digest }, at) => ({
          changeId: this.#idOf(changeId),
          digest: this.#digest(digest)!,
          ...(at === conflict.shown.length - 1 ? { ino, dev } : { ino: 0, dev: 0 }),
        })),
      });
    }
  }

  #putLink(link: DocumentRecord): void {
    const { state } = this.mirror;
    const [id, changeId] = [this.#idOf(link.id), this.#idOf(link.changeId)];
    const [digest, localDigest] = [this.#digest(link.digest)!, this.#digest(link.localDigest)!];
    state.addVersion({ id, changeId, digest, at: 1 });
    const echoDigest = this.#digest(link.echoDigest);
    const stamp = link.stamp === null ? null : this.#stampOf(link.stamp);
    state.putLink({ ...link, id, changeId, digest, localDigest, echoDigest, submissions: [], stamp });
  }

  /** Returns a stamp that differs from the rig's file as the recorded stamps differ. */
  #stampOf(was: Stamp): Stamp {
    const file = this.#fileByInode.get(inodeKey(was));
    const found = file === undefined ? null : this.#disk.look(file.path);
    if (file === undefined || found?.kind !== "file") return { ...was, ino: gone(was.ino) };
    return sameStamp(was, file.stamp) ? found.stamp : { ...found.stamp, size: -1 };
  }

  /** Stores the made-up content of a recorded digest, and returns the digest of it. */
  #digest(digest: string | null) {
    const name = { path: "", id: null, side: "both", why: "replay" } as const;
    return digest === null ? null : this.mirror.state.putText(this.#contentOf(digest), name);
  }

  #version(changeId: ChangeId | null): ChangeId | null {
    return changeId === null ? null : this.#idOf(changeId);
  }
}

function inodeKey({ dev, ino, birthMs }: Pick<Stamp, "dev" | "ino" | "birthMs">): string {
  return `${dev}:${ino}:${birthMs}`;
}

/** An inode that no file of a RAM disk has. */
function gone(ino: number): number {
  return 1_000_000_000 + ino;
}

/** Lists a plan by kinds and paths: ids differ from those of the bundle. */
function outline({ steps, blocks, verdict }: Plan): string[] {
  return [
    ...steps.map(({ action }) => `${action.kind} ${subjectOf(action).path}`).sort(),
    ...blocks.map(({ reason, path }) => `blocked ${reason} ${path}`).sort(),
    ...(verdict.kind === "run" ? ["run"] : verdict.reasons.map(({ reason }) => `stop ${reason}`)),
  ];
}

/**
 * `unlike`: how the plan of the rig differs from that of the bundle; `faults`: broken promises of a
 * cycle in the rig.
 */
type RigRun = { readonly unlike: readonly string[]; readonly faults: readonly string[] };

/** Runs a cycle over a bundle. The end is checked by what holds for every folder: I02, I03, I21. */
export async function runBundle(bundle: Bundle): Promise<RigRun> {
  const { rig, mirror, plan, settings } = new ReplayRig(bundle);
  const contents = () => [...mirror.texts().values(), ...[...rig.app.files().values()].map(({ text }) => text)];
  const before = contents();
  const end = await mirror.plan(settings);
  if (end.kind === "offline") throw new Error("the service of the rig does not answer");
  const [planned, made] = [outline(plan), outline(end.plan)];
  await mirror.sync(settings);
  const after = contents();
  const lost = before.filter((text) => !after.includes(text) && !mirror.state.hasText(digestOf(text)));
  const sent = mirror.requests.length;
  await mirror.sync(settings);
  const again = mirror.requests.slice(sent).filter((request) => !request.startsWith("GET "));
  const isStopBroken = end.plan.verdict.kind === "safety-stop" && before.join() !== after.join();
  return {
    unlike: [
      ...planned.filter((line) => !made.includes(line)).map((line) => `- ${line}`),
      ...made.filter((line) => !planned.includes(line)).map((line) => `+ ${line}`),
    ],
    faults: [
      ...lost.map((text) => `I03 a content is lost: ${text.slice(0, 40)}`),
      ...again.map((request) => `I02 the next sync sent ${request}`),
      ...(isStopBroken ? ["I21 a stopped sync changed a side"] : []),
    ],
  };
}
