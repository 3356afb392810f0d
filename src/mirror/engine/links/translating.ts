import type { LocalPath } from "../../../contract/path.ts";
import { checkRoot } from "../run/guard-facts.ts";
import type { World } from "../run/world.ts";
import { MirrorLinks, type Respelling } from "./mirror-links.ts";
import { mayHaveLinks } from "../../../markdown/links/candidates.ts";
import { readLinkTargets, createTargetLookup } from "../../../markdown/links/link-targets.ts";
import type { Place } from "../../../markdown/links/place.ts";
import { toDisk, toService } from "../../../markdown/links/translate.ts";
import { type Digest, digestOf } from "../../../contract/digest.ts";
import { isAway, type DocumentRecord } from "../../model/record.ts";
import type { Spelling } from "../../../contract/spelling.ts";
import { toFileInodeKey } from "../../planner/match/evidence.ts";
import type { Disk, LocalText } from "../../ports/disk.ts";
import type { State } from "../../ports/state.ts";
import { LinkPlaces, type LinkScope } from "./places.ts";

/**
 * Returns the linked folder's world with a disk that converts links.
 * @param mayStore true if the state may be written
 */
export function withTranslation(world: World, mayStore: boolean, wiki = false): World {
  const { state, prefix } = world;
  const links = new MirrorLinks({ state, disk: getPlainDisk(world), scope: { prefix, wiki }, mayStore });
  return { ...world, disk: links.disk, links };
}

/** Returns a read-only disk. Files have their contents with links by id. */
export function makeReadingDisk(
  { prefix, ...files }: Pick<World, "state" | "disk" | "prefix">,
  wiki: boolean,
): World["disk"] {
  return new MirrorLinks({ ...files, scope: { prefix, wiki }, mayStore: false }).disk;
}

/** Setting of the conversion of links; null if links are not converted. */
type LinkSetting = { readonly wiki: boolean } | null;

/**
 * Finds the files to rewrite when the conversion of links is turned on or off. The rewritten files
 * stand for the same content on the service, so nothing is sent.
 * @returns the files, or the reason why they cannot be found
 */
export function findRespellings(world: World, setting: LinkSetting): string | readonly Respelling[] {
  const { root } = checkRoot(world);
  if (root !== "same") return `the linked folder changed identity (${root})`;
  const { state, prefix, links } = world;
  const files = { state, disk: getPlainDisk(world) };
  if (setting === null) return [...respellWithIds({ ...files, scope: links?.forms.scope ?? { prefix, wiki: false } })];
  return [...respellWithPaths({ ...files, scope: { prefix, wiki: setting.wiki } }, links !== undefined)];
}

function getPlainDisk({ links, disk }: World): World["disk"] {
  return links?.disk.plain ?? disk;
}

type ScopedFiles = { readonly state: State; readonly disk: Disk; readonly scope: LinkScope };

/**
 * Yields each file that has links, with links by path, from the paths in base.
 * @param files state, disk, and the new settings of the conversion
 * @param translates true if links were converted before
 */
function* respellWithPaths({ state, disk, scope }: ScopedFiles, translates: boolean): Generator<Respelling> {
  const base = state.load();
  const basePlaces = new LinkPlaces(base, scope);
  for (const [record, bytes] of findFilesWithLinks(base.records.values(), disk)) {
    const path = record.localPath;
    const knownEntry = state.spellings.find(path, bytes.digest);
    const serviceContent = readServiceContent(state, knownEntry, bytes);
    const linkPlace = basePlaces.from(path);
    if (serviceContent === null || !hasSameServiceForm(serviceContent, record, linkPlace)) continue;
    // If the process was killed during an earlier change of this setting, the file may have links
    // by id.
    const previousText = translates ? toDisk(bytes.text, linkPlace) : null;
    const text = toDisk(
      serviceContent.text,
      linkPlace,
      previousText === null ? {} : { previous: previousText, restoresWiki: true },
    );
    const newBytes = text === bytes.text ? bytes : { text, digest: digestOf(text) };
    const oldEntry = knownEntry ?? makeSpelling(record, bytes, serviceContent.digest);
    const leads = readLinkTargets(text, linkPlace, [createTargetLookup(oldEntry.leads), linkPlace]);
    const newEntry = { ...oldEntry, id: record.id, spelledAt: path, bytes: newBytes.digest, leads };
    if (newEntry.leads.length > 0 || newEntry.bytes !== oldEntry.bytes)
      yield { record, from: oldEntry, to: newEntry, bytes: newBytes };
  }
}

/**
 * Yields each file that has links, with links by id.
 * @param files state, disk, and the present settings of the conversion
 */
function* respellWithIds({ state, disk, scope }: ScopedFiles): Generator<Respelling> {
  const base = state.load();
  const basePlaces = new LinkPlaces(base, scope);
  for (const [record, bytes] of findFilesWithLinks(base.records.values(), disk)) {
    const path = record.localPath;
    const knownEntry = state.spellings.find(path, bytes.digest);
    const text = (knownEntry && state.text(knownEntry.text)) ?? toService(bytes.text, basePlaces.from(path));
    const newBytes = text === bytes.text ? bytes : { text, digest: digestOf(text) };
    const oldEntry = knownEntry ?? makeSpelling(record, bytes, newBytes.digest);
    const newEntry = { ...oldEntry, bytes: newBytes.digest, text: newBytes.digest, leads: [] };
    if (newEntry.bytes !== oldEntry.bytes) yield { record, from: oldEntry, to: newEntry, bytes: newBytes };
  }
}

/**
 * Yields the paths of documents that have links, and whose files are not at their paths in base:
 * moved, deleted or blocked. If the setting `links` changed now, the links of such a file would
 * stay unchanged, and mdmirror would not recognise a moved file.
 */
export function* findFilesOutOfPlace(world: World): Generator<LocalPath> {
  const { state } = world;
  const disk = getPlainDisk(world);
  const records = [...state.load().records.values()].filter((record) => !isAway(record) && record.state === "linked");
  const ownersByInode = new Map(records.map(({ id, stamp }) => [toFileInodeKey(stamp), id]));
  for (const { id, localPath, digest } of records) {
    const pathState = disk.look(localPath);
    const key = pathState.kind === "file" ? toFileInodeKey(pathState.stamp) : null;
    const belongsToOther = key !== null && (ownersByInode.get(key) ?? id) !== id;
    if (pathState.kind === "unknown" || (pathState.kind === "file" && !belongsToOther)) continue;
    const [text, readOutcome] = [state.text(digest), disk.read(localPath)];
    if (text === null || mayHaveLinks(text + (readOutcome.kind === "done" ? readOutcome.value.text : ""), true))
      yield localPath;
  }
}

/**
 * Returns true if a file's content for the service stays the same when the conversion is turned on.
 * The content would change if the user has written links by path that mdmirror has not sent. The
 * next run would convert these links to ids.
 */
function hasSameServiceForm(
  { text, digest }: FileContent,
  { localDigest, submissions }: DocumentRecord,
  place: Place,
): boolean {
  return digest === localDigest || submissions.some((one) => one.digest === digest) || toService(text, place) === text;
}

type FileContent = Pick<LocalText, "text" | "digest">;

function readServiceContent(state: State, known: Spelling | null, bytes: LocalText): FileContent | null {
  if (known === null || known.text === bytes.digest) return bytes;
  const text = state.text(known.text);
  return text === null ? null : { text, digest: known.text };
}

function makeSpelling({ localPath: path, id }: DocumentRecord, { digest: bytes }: LocalText, text: Digest): Spelling {
  return { path, id, bytes, text, spelledAt: path, leads: [] };
}

function* findFilesWithLinks(records: Iterable<DocumentRecord>, disk: Disk): Generator<[DocumentRecord, LocalText]> {
  for (const record of records) {
    const readOutcome = isAway(record) || record.state !== "linked" ? null : disk.read(record.localPath);
    if (readOutcome?.kind === "done" && mayHaveLinks(readOutcome.value.text, true)) yield [record, readOutcome.value];
  }
}
