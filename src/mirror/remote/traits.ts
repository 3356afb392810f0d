import { DOUBTFUL_CHARACTERS, type NameKind, pathFault, SHELL_METACHARACTERS } from "../../contract/names.ts";
import { EXACT_DISK, pathKey, type RemotePath } from "../../contract/path.ts";
import { learnForms } from "../model/text-form.ts";
import type { RemoteTraits } from "../ports/remote.ts";

/** Assumptions about a deployment before anything was learned. */
export const NO_TRAITS: RemoteTraits = {
  leadingSlash: true,
  folderPatch: "unknown",
  folderDelete: "unknown",
  moveToRoot: "unknown",
  folderTree: "unknown",
  refusedCharacters: SHELL_METACHARACTERS,
  foldsCase: false,
  foldsUnicode: false,
  conflicts: "unknown",
  keptForms: {},
};

const FOLDS_UNICODE = { ...EXACT_DISK, foldsUnicode: true };
const FOLDS_CASE = { ...EXACT_DISK, foldsCase: true };
const HAS_DOUBTFUL_CHARACTER = new RegExp(`[${DOUBTFUL_CHARACTERS.replace(/./g, "\\$&")}]`);

/** Completes remembered traits. An older mdmirror version did not store all of them. */
export function knownTraits(known: Partial<RemoteTraits>): RemoteTraits {
  return { ...NO_TRAITS, ...known };
}

export class TraitLearner {
  #traits: RemoteTraits;
  #slashIsKnown = false;
  /** Doubtful characters that were seen in paths of the service. */
  readonly #accepted = new Set<string>();

  constructor(known: RemoteTraits | null) {
    this.#traits = known === null ? NO_TRAITS : knownTraits(known);
  }

  current(): RemoteTraits {
    return this.#traits;
  }

  /** Learns from a path that the service sent. */
  learnFromPath(wirePath: string): void {
    this.#slashIsKnown = true;
    const leadingSlash = wirePath.startsWith("/");
    if (leadingSlash !== this.#traits.leadingSlash) this.learn({ leadingSlash });
    if (!HAS_DOUBTFUL_CHARACTER.test(wirePath) || this.#accepted.size === DOUBTFUL_CHARACTERS.length) return;
    for (const character of DOUBTFUL_CHARACTERS) if (wirePath.includes(character)) this.#accept(character);
  }

  /** Records that a name on the service has this character, so that other names may have it too. */
  #accept(character: string): void {
    this.#accepted.add(character);
    const { refusedCharacters } = this.#traits;
    if (!refusedCharacters.includes(character)) return;
    this.learn({ refusedCharacters: refusedCharacters.replaceAll(character, "") });
  }

  /** Returns true if the service has shown a path in this session. */
  slashIsKnown(): boolean {
    return this.#slashIsKnown;
  }

  /** Returns a path in the form that this deployment uses. */
  inServiceForm(path: string): string {
    return this.#traits.leadingSlash ? `/${path}` : path;
  }

  /** Learns from a `400 invalid_request` at `/path` or `/name`, about a path or a name. */
  learnFromRefusal(path: string, kind: NameKind): void {
    const { refusedCharacters } = this.#traits;
    // The refusal shows nothing new if mdmirror's own rules refuse the name. It shows nothing
    // about a character that was seen in a path of the service.
    if (pathFault(path, kind, refusedCharacters) !== null) return;
    const suspects = [...DOUBTFUL_CHARACTERS].filter(
      (character) => path.includes(character) && !this.#accepted.has(character),
    );
    if (suspects.length > 0) this.learn({ refusedCharacters: refusedCharacters + suspects.join("") });
  }

  /** Learns from an item whose path differs from the requested path. */
  learnFromSpelling(requested: RemotePath, path: RemotePath): void {
    if (requested === path) return;
    if (pathKey(requested, FOLDS_UNICODE) === pathKey(path, FOLDS_UNICODE)) this.learn({ foldsUnicode: true });
    else if (pathKey(requested, FOLDS_CASE) === pathKey(path, FOLDS_CASE)) this.learn({ foldsCase: true });
  }

  learnFromReadBack(sent: string, isSame: boolean): void {
    const keptForms = learnForms(this.#traits.keptForms, sent, isSame);
    if (keptForms !== this.#traits.keptForms) this.learn({ keptForms });
  }

  learn(learned: Partial<RemoteTraits>): void {
    this.#traits = { ...this.#traits, ...learned };
  }
}
