import type { LocalPath } from "../../../contract/path.ts";
import { checkRoot } from "../run/guard-facts.ts";
import type { World } from "../run/world.ts";
import { MirrorLinks, type Respelling } from "./mirror-links.ts";
import { mayHaveLinks } from "../../../markdown/links/candidates.ts";
import { linkTargetsOf, targetLookup } from "../../../markdown/links/link-targets.ts";
import type { Place } from "../../../markdown/links/place.ts";
import { toDisk, toService } from "../../../markdown/links/translate.ts";
import { type Digest, digestOf } from "../../../contract/digest.ts";
import { isAway, type DocumentRecord } from "../../model/record.ts";
import type { Spelling } from "../../../contract/spelling.ts";
import { fileInodeKey } from "../../planner/match/inode.ts";
import type { Disk, LocalText } from "../../ports/disk.ts";
import type { State } from "../../ports/state.ts";
import { LinkPlaces, type LinkScope } from "./places.ts";

/**
 * Returns the world of a linked folder with a disk that converts links.
 * @param mayStore true if the state may be written
 * @param wiki true if wiki links are converted too
 */
export function withTranslation(world: World, mayStore: boolean, wiki = false): World {
  const { state, prefix } = world;
  const links = new MirrorLinks({ state, disk: plainDisk(world), scope: { prefix, wiki }, mayStore });
  return { ...world, disk: links.disk, links };
}

/**
 * Returns a disk for reading, on which file contents have links by id. Writes nothing to the state.
 */
export function readingDisk(
  { prefix, ...files }: Pick<World, "state" | "disk" | "prefix">,
  wiki: boolean,
): World["disk"] {
  return new MirrorLinks({ ...files, scope: { prefix, wiki }, mayStore: false }).disk;
}

/** Setting of the conversion of links; null if it is turned off. */
type LinkSetting = { readonly wiki: boolean } | null;

/**
 * Returns the files to rewrite when the conversion of links is turned on or off. Their content for
 * the service stays the same, so nothing is sent.
 * @returns the files, or the reason why they cannot be found
 */
export function respellingsFor(world: World, setting: LinkSetting): string | readonly Respelling[] {
  const { root } = checkRoot(world);
  if (root !== "same") return `the linked folder changed identity (${root})`;
  const { state, prefix, links } = world;
  const files = { state, disk: plainDisk(world) };
  if (setting === null) return [...toServiceForms({ ...files, scope: links?.forms.scope ?? { prefix, wiki: false } })];
  return [...toPaths({ ...files, scope: { prefix, wiki: setting.wiki } }, links !== undefined)];
}

/** Returns the paths of documents with links whose files cannot be rewritten before a sync. */
export function filesWithWrongLinks(world: World): readonly LocalPath[] {
  return [...outOfPlace({ state: world.state, disk: plainDisk(world) })];
}

function plainDisk({ links, disk }: World): World["disk"] {
  return links?.disk.plain ?? disk;
}

/** Input for the functions below. `disk` does not convert links. */
type ScopedFiles = { readonly state: State; readonly disk: Disk; readonly scope: LinkScope };

/**
 * Yields each file that has links, with links by path. Uses the paths in base.
 * @param files state, disk, and the new settings of the conversion
 * @param translates true if the conversion was on before
 */
function* toPaths({ state, disk, scope }: ScopedFiles, translates: boolean): Generator<Respelling> {
  const base = state.load();
  const places = new LinkPlaces(base, scope);
  for (const [record, bytes] of filesWithLinks(base.records.values(), disk)) {
    const path = record.localPath;
    const known = state.spellings.find(path, bytes.digest);
    const onService = serviceContentOf(state, known, bytes);
    const place = places.from(path);
    if (onService === null || !hasSameServiceForm(onService, record, place)) continue;
    // If the process was killed during an earlier change of this setting, the file may still have
    // links by id.
    const previous = translates ? toDisk(bytes.text, place) : null;
    const text = toDisk(onService.text, place, previous === null ? {} : { previous, restoresWiki: true });
    const spelled = text === bytes.text ? bytes : { text, digest: digestOf(text) };
    const from = known ?? asWritten(record, bytes, onService.digest);
    const leads = linkTargetsOf(text, place, [targetLookup(from.leads), place]);
    const to = { ...from, id: record.id, spelledAt: path, bytes: spelled.digest, leads };
    if (to.leads.length > 0 || to.bytes !== from.bytes) yield { record, from, to, bytes: spelled };
  }
}

/**
 * Yields each file that has links, with links by id.
 * @param files state, disk, and the present settings of the conversion
 */
function* toServiceForms({ state, disk, scope }: ScopedFiles): Generator<Respelling> {
  const base = state.load();
  const places = new LinkPlaces(base, scope);
  for (const [record, bytes] of filesWithLinks(base.records.values(), disk)) {
    const path = record.localPath;
    const known = state.spellings.find(path, bytes.digest);
    const text = (known && state.text(known.text)) ?? toService(bytes.text, places.from(path));
    const plain = text === bytes.text ? bytes : { text, digest: digestOf(text) };
    const from = known ?? asWritten(record, bytes, plain.digest);
    const to = { ...from, bytes: plain.digest, text: plain.digest, leads: [] };
    if (to.bytes !== from.bytes) yield { record, from, to, bytes: plain };
  }
}

/**
 * Yields the paths of documents with links whose files are not at their paths in base: they were
 * moved or deleted locally and not synced yet, or are blocked. If the setting changed now, their
 * files would keep the earlier form of links, and mdmirror would not recognise them as moved.
 */
function* outOfPlace({ state, disk }: Pick<ScopedFiles, "state" | "disk">): Generator<LocalPath> {
  const records = [...state.load().records.values()].filter((record) => !isAway(record) && record.state === "linked");
  const owners = new Map(records.map(({ id, stamp }) => [fileInodeKey(stamp), id]));
  for (const { id, localPath, digest } of records) {
    const atPath = disk.look(localPath);
    const key = atPath.kind === "file" ? fileInodeKey(atPath.stamp) : null;
    const isOthers = key !== null && (owners.get(key) ?? id) !== id;
    if (atPath.kind === "unknown" || (atPath.kind === "file" && !isOthers)) continue;
    const [text, read] = [state.text(digest), disk.read(localPath)];
    if (text === null || mayHaveLinks(text + (read.kind === "done" ? read.value.text : ""), true)) yield localPath;
  }
}

/**
 * Returns true if a file's content for the service stays the same when the conversion is turned on.
 * An edit that was not sent and has links by path would change: the next run would read them as
 * links by id.
 */
function hasSameServiceForm(
  { text, digest }: FileContent,
  { localDigest, submissions }: DocumentRecord,
  place: Place,
): boolean {
  return digest === localDigest || submissions.some((one) => one.digest === digest) || toService(text, place) === text;
}

type FileContent = Pick<LocalText, "text" | "digest">;

function serviceContentOf(state: State, known: Spelling | null, bytes: LocalText): FileContent | null {
  if (known === null || known.text === bytes.digest) return bytes;
  const text = state.text(known.text);
  return text === null ? null : { text, digest: known.text };
}

function asWritten({ localPath: path, id }: DocumentRecord, { digest: bytes }: LocalText, text: Digest): Spelling {
  return { path, id, bytes, text, spelledAt: path, leads: [] };
}

function* filesWithLinks(records: Iterable<DocumentRecord>, disk: Disk): Generator<[DocumentRecord, LocalText]> {
  for (const record of records) {
    const read = isAway(record) || record.state !== "linked" ? null : disk.read(record.localPath);
    if (read?.kind === "done" && mayHaveLinks(read.value.text, true)) yield [record, read.value];
  }
}
