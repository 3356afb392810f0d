import { join } from "node:path";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import type { LocalPath } from "../../contract/path.ts";
import { nameOf, parentOf } from "../../contract/path.ts";
import { BoundedMap } from "../../common/bounded-map.ts";
import type { Clock } from "../../common/clock.ts";
import type { Random } from "../../common/random.ts";
import { LocalDisk } from "../local/disk.ts";
import { createNodeFs } from "../local/node-fs.ts";
import { stateSeal } from "../state/folder-rows.ts";
import { type LocalMirror, withLocal } from "./open-local.ts";
import type { Result } from "../../common/trouble.ts";

/**
 * Caches facts about linked folders for processes that read them repeatedly. The state is opened
 * again only if the state, or the file in question, may have changed.
 */

/** LIMIT: cached answers. */
const MOST = 32;

type About = {
  /** Key of the question, with everything on which the answer depends. */
  readonly key: string;
  /** File whose content matters for the answer; null if there is none. */
  readonly file: LocalPath | null;
};

export class LocalReads {
  readonly #world: { readonly clock: Clock; readonly random: Random };
  /** The most recently used entry is last. */
  readonly #kept = new BoundedMap<string, { readonly seal: string; readonly answer: Result<unknown> }>(MOST);

  constructor(world: { readonly clock: Clock; readonly random: Random }) {
    this.#world = world;
  }

  /**
   * Returns a cached or new answer.
   * @param root real path of a folder that has `.mdmirror/`
   * @param work returns plain data, and depends on `about` alone
   */
  read<T>(root: string, { key, file }: About, work: (mirror: LocalMirror) => Result<T>): Result<T> {
    const name = JSON.stringify([root, key]);
    const seal = `${stateSeal(join(root, MIRROR_FOLDER))} ${file === null ? "" : this.#sealOf(root, file)}`;
    const before = this.#kept.get(name);
    const answer = before?.seal === seal ? (before.answer as Result<T>) : withLocal(root, this.#world, work);
    this.#kept.set(name, { seal, answer });
    return answer;
  }

  #sealOf(root: string, file: LocalPath): string {
    const disk = new LocalDisk(createNodeFs(), root, { random: this.#world.random, probe: false });
    const [stamp] = disk.stampsIn(parentOf(file), [nameOf(file)]);
    return JSON.stringify(stamp);
  }
}
