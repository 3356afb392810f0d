import { compareStrings } from "../../model/by-path.ts";
import { mapName } from "../../../contract/names.ts";
import { type Digest, digestOf, EMPTY_DIGEST } from "../../../contract/digest.ts";
import { pathKey } from "../../../contract/path.ts";

/**
 * Replaces the names and digests in a bug report by pseudonyms, from which the planner makes the
 * same plan.
 * - Unchanged: the tree of folders, extensions, the order of names, numbers of up to two digits,
 *   names that mdmirror makes, and all characters other than letters and digits.
 * - If a disk that ignores case treats two names as the same, it also treats their pseudonyms as
 *   the same.
 * - All pseudonyms have the same length, except for longer words, whose pseudonyms have the length
 *   of the word.
 */
export type Pseudonyms = { readonly path: (path: string) => string; readonly digest: (digest: string) => string };

const NAME_PART =
  /(?<kept>\.(?:md|markdown|txt|html|pdf|png|jpe?g|gif|svg)$|-mdmirror-[0-9a-f]{8}| \((?:theirs|mine)(?: \d+)?\)(?=\.md$))|[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/giu;
/**
 * Matches short numbers, such as a number that mdmirror adds to a name that is taken. Such numbers
 * stay unchanged.
 */
const SHORT_NUMBER = /^\d{1,2}$/;
/** Names that have a special meaning for mdmirror, and that stay unchanged. */
const FIXED_NAMES: ReadonlySet<string> = new Set([".mdmirror", ".mdmirrorignore", ".git", ".gitignore"]);
const ALL_FOLDED = { foldsCase: true, foldsUnicode: true };
/** Letters of a pseudonym. There are no vowels, so that no pseudonym is a word of a language. */
const LETTERS = "bcdfghjklmnpqrstvwxz";
/**
 * LIMIT: number of letters that encode the index of a word among all words of the folder. Four of
 * these 20 letters encode 160,000 words.
 */
const CODE_LENGTH = 4;
/**
 * LIMIT: number of characters of a usual word. The pseudonyms of all usual words have the same
 * length, so that the lengths of the words stay secret.
 */
const MAX_USUAL_WORD = 24;

/**
 * Makes pseudonyms for the names of a folder.
 * @param paths all paths that will be replaced
 * @param ids ids of documents and folders. Digits of an id that mdmirror added to a name stay
 * unchanged
 * @param salt a secret that is stored nowhere, so that each bundle has other pseudonyms
 */
export function makePseudonyms(paths: Iterable<string>, ids: Iterable<string>, salt: string): Pseudonyms {
  const names = new Set([...paths].flatMap((path) => path.split("/")));
  const digits = Array.from(ids, (id) => digestOf(id).slice(0, 8));
  const keptWords = new Set([...digits, ...listSymbolWords(names)]);
  const words = new Set<string>();
  const replaceWords = (name: string, word: (word: string) => string): string => {
    if (FIXED_NAMES.has(name)) return name;
    return name.replace(NAME_PART, (part, ...groups) => {
      const isKept = (groups.at(-1) as { kept?: string }).kept !== undefined;
      return isKept || SHORT_NUMBER.test(part) || keptWords.has(part) ? part : word(part);
    });
  };
  const collectWord = (word: string): string => {
    words.add(word);
    return word;
  };
  for (const name of names) replaceWords(name, collectWord);
  const pseudonyms = nameWords(words);
  return {
    path: (path) => {
      const replacedNames = path.split("/").map((name) => replaceWords(name, (word) => pseudonyms.get(word)!));
      return replacedNames.join("/");
    },
    digest: (digest) => (digest === EMPTY_DIGEST ? EMPTY_DIGEST : digestOf(salt + digest).slice(0, 16)) as Digest,
  };
}

/**
 * Lists the words that mdmirror puts in place of names without a letter or digit: `[.md` becomes
 * `u5b.md`.
 * LIMIT: these words get no pseudonyms, so the order of the pseudonyms may differ from the order of
 * the names.
 */
function* listSymbolWords(names: Iterable<string>): Generator<string> {
  for (const name of names) {
    const stem = name.replace(/\.md$/, "");
    if (!/[\p{L}\p{N}]/u.test(stem)) yield* mapName(stem, "folder")?.split("-") ?? [];
  }
}

/**
 * Returns the pseudonym of each word. If a disk treats two words as the same name, the disk also
 * treats their pseudonyms as the same name.
 */
function nameWords(words: ReadonlySet<string>): ReadonlyMap<string, string> {
  const groups = [...Map.groupBy(words, (word) => pathKey(word, ALL_FOLDED))].sort(([a], [b]) => compareStrings(a, b));
  return new Map(
    groups.flatMap(([key, spellings], rank) => {
      const forms = [...new Set(spellings.map((word) => word.normalize("NFC")))].sort(compareStrings);
      return spellings.map((word) => [word, makePseudonym(word, key, rank, forms)] as const);
    }),
  );
}

/**
 * @param rank index of the word in the sorted list of all words, from 0
 * @param forms all spellings of the word in the folder, in NFC
 */
function makePseudonym(word: string, key: string, rank: number, forms: readonly string[]): string {
  const composedWord = word.normalize("NFC");
  const code = Array.from({ length: CODE_LENGTH }, (_, index) =>
    LETTERS.charAt(Math.floor(rank / LETTERS.length ** (CODE_LENGTH - 1 - index)) % LETTERS.length),
  );
  // ORDER: the letters for the word's index come before the letters for the word's spelling. In the
  // other order, the pseudonyms would not be sorted as the words are.
  const spelling = forms.length === 1 ? "" : markSpelling(forms.indexOf(composedWord));
  const accent = /^[\0-\x7f]*$/.test(key) ? "" : "\u00e9";
  const shortPseudonym = `${chooseFirstLetter(composedWord, key)}${code.join("")}${spelling}${accent}`;
  const fill = key.length <= MAX_USUAL_WORD ? [] : [...key].slice(shortPseudonym.length).map(chooseFiller);
  const pseudonym = `${shortPseudonym}${fill.join("")}`;
  return composedWord === word ? pseudonym : pseudonym.normalize("NFD");
}

/**
 * Encodes the index of a spelling, 0 to 7, as three letters. Each letter is one bit: small for 1,
 * capital for 0.
 * LIMIT: eight spellings of one word; a folder hardly ever has more.
 */
function markSpelling(form: number): string {
  return [4, 2, 1].map((bit) => ((form & bit) === 0 ? "V" : "v")).join("");
}

/**
 * Returns the first character of a pseudonym: like the word's first character, a digit, an ASCII
 * letter or another letter, and small or capital. So the names keep their order.
 */
function chooseFirstLetter(word: string, folded: string): string {
  const [firstCharacter, lower] = [word.charAt(0), folded.charAt(0)];
  if (/\d/.test(lower)) return "7";
  const letter = lower <= "\x7f" ? "x" : "\u0436";
  return firstCharacter === firstCharacter.toLowerCase() ? letter : letter.toUpperCase();
}

/** Returns a letter with the same number of UTF-8 bytes as the given character. */
function chooseFiller(character: string): string {
  return ["x", "\u0436", "\u6f22", "\u{20000}"][Buffer.byteLength(character) - 1]!;
}
