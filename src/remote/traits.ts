import { DOUBTFUL_CHARACTERS, type NameKind, pathFault, SHELL_METACHARACTERS } from "../contract/names.ts";
import { EXACT_DISK, pathKey, type RemotePath } from "../model/path.ts";
import type { RemoteTraits } from "../ports/remote.ts";

export const NO_TRAITS: RemoteTraits = {
  leadingSlash: false,
  folderPatch: "unknown",
  folderDelete: "unknown",
  moveToRoot: "unknown",
  refusedCharacters: SHELL_METACHARACTERS,
  foldsCase: false,
  foldsUnicode: false,
};

const FOLDS_UNICODE = { ...EXACT_DISK, foldsUnicode: true };
const FOLDS_CASE = { ...EXACT_DISK, foldsCase: true };
const HOLDS_DOUBTFUL = new RegExp(`[${DOUBTFUL_CHARACTERS.replace(/./g, "\\$&")}]`);

/** What is learned of the deployment while talking to it. */
export class TraitBook {
  #traits: RemoteTraits;
  #slashIsKnown = false;
  /** Doubtful characters that stand in paths of the service's own. */
  readonly #accepted = new Set<string>();

  constructor(known: RemoteTraits | null) {
    // What an older version remembered knows nothing of some.
    this.#traits = { ...NO_TRAITS, ...known };
  }

  current(): RemoteTraits {
    return this.#traits;
  }

  /** Learns from a path as the service spelled it. */
  sawPath(wirePath: string): void {
    this.#slashIsKnown = true;
    const leadingSlash = wirePath.startsWith("/");
    if (leadingSlash !== this.#traits.leadingSlash) this.#learn({ leadingSlash });
    if (!HOLDS_DOUBTFUL.test(wirePath) || this.#accepted.size === DOUBTFUL_CHARACTERS.length) return;
    for (const character of DOUBTFUL_CHARACTERS) if (wirePath.includes(character)) this.#accepted.add(character);
  }

  /** Whether the service was seen to spell a path in this session. */
  slashIsKnown(): boolean {
    return this.#slashIsKnown;
  }

  /** A path as this deployment spells it. */
  spell(path: string): string {
    return this.#traits.leadingSlash ? `/${path}` : path;
  }

  learnFolderPatch(works: boolean): void {
    this.#learn({ folderPatch: yesOrNo(works) });
  }

  learnFolderDelete(works: boolean): void {
    this.#learn({ folderDelete: yesOrNo(works) });
  }

  learnMoveToRoot(works: boolean): void {
    this.#learn({ moveToRoot: yesOrNo(works) });
  }

  /** A `400 invalid_request` at `/path` or `/name`, for a path or a name. */
  sawRefusal(path: string, kind: NameKind): void {
    const { refusedCharacters } = this.#traits;
    // What our own rules refuse teaches nothing; nor does a character that stands in a path of the
    // service's own.
    if (pathFault(path, kind, refusedCharacters) !== null) return;
    const suspects = [...DOUBTFUL_CHARACTERS].filter(
      (character) => path.includes(character) && !this.#accepted.has(character),
    );
    if (suspects.length > 0) this.#learn({ refusedCharacters: refusedCharacters + suspects.join("") });
  }

  /** What was asked for by one path has another one. */
  sawSpelling(asked: RemotePath, path: RemotePath): void {
    if (asked === path) return;
    if (pathKey(asked, FOLDS_UNICODE) === pathKey(path, FOLDS_UNICODE)) this.#learn({ foldsUnicode: true });
    else if (pathKey(asked, FOLDS_CASE) === pathKey(path, FOLDS_CASE)) this.#learn({ foldsCase: true });
  }

  #learn(learned: Partial<RemoteTraits>): void {
    this.#traits = { ...this.#traits, ...learned };
  }
}

function yesOrNo(works: boolean): "yes" | "no" {
  return works ? "yes" : "no";
}
