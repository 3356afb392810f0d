import { DOUBTFUL_CHARACTERS, type NameKind, findFirstFault, SHELL_METACHARACTERS } from "../../contract/names.ts";
import { EXACT_DISK, pathKey, type RemotePath } from "../../contract/path.ts";
import { learnForms } from "../model/text-form.ts";
import type { RemoteTraits } from "../ports/remote.ts";

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

/** Adds default values for properties that an older version of mdmirror did not store. */
export function completeTraits(known: Partial<RemoteTraits>): RemoteTraits {
  return { ...NO_TRAITS, ...known };
}

export class TraitLearner {
  #traits: RemoteTraits;
  #slashIsKnown = false;
  /**
   * Characters in names that this service accepts, although some other services refuse them: a path
   * from this service contained such a character.
   */
  readonly #acceptedCharacters = new Set<string>();

  constructor(known: RemoteTraits | null) {
    this.#traits = known === null ? NO_TRAITS : completeTraits(known);
  }

  current(): RemoteTraits {
    return this.#traits;
  }

  learnFromPath(wirePath: string): void {
    this.#slashIsKnown = true;
    const leadingSlash = wirePath.startsWith("/");
    if (leadingSlash !== this.#traits.leadingSlash) this.learn({ leadingSlash });
    if (!HAS_DOUBTFUL_CHARACTER.test(wirePath) || this.#acceptedCharacters.size === DOUBTFUL_CHARACTERS.length) return;
    for (const character of DOUBTFUL_CHARACTERS) if (wirePath.includes(character)) this.#acceptCharacter(character);
  }

  #acceptCharacter(character: string): void {
    this.#acceptedCharacters.add(character);
    const { refusedCharacters } = this.#traits;
    if (!refusedCharacters.includes(character)) return;
    this.learn({ refusedCharacters: refusedCharacters.replaceAll(character, "") });
  }

  slashIsKnown(): boolean {
    return this.#slashIsKnown;
  }

  inServiceForm(path: string): string {
    return this.#traits.leadingSlash ? `/${path}` : path;
  }

  /**
   * Learns from a path or name that the service refused without a reason. Characters that only some
   * services refuse are the likely reason.
   */
  learnFromRefusal(path: string, kind: NameKind): void {
    const { refusedCharacters } = this.#traits;
    // If mdmirror already knew that the service refuses this name, the refusal shows nothing new. A
    // character in a path from the service is never the reason.
    if (findFirstFault(path, kind, refusedCharacters) !== null) return;
    const suspects = [...DOUBTFUL_CHARACTERS].filter(
      (character) => path.includes(character) && !this.#acceptedCharacters.has(character),
    );
    if (suspects.length > 0) this.learn({ refusedCharacters: refusedCharacters + suspects.join("") });
  }

  /**
   * Learns which spellings the service treats as equal, from an item that the service returned for
   * a different path.
   */
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
