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
 * Returns the world of a folder whose links are converted.
 * @param mayStore true if the state may be written
 * @param wiki true if wiki links are converted, too
 */
export function withTranslation(world: World, mayStore: boolean, wiki = false): World {
  const { state, prefix } = world;
  const links = new MirrorLinks({ state, disk: plainDisk(world), scope: { prefix, wiki }, mayStore });
  return { ...world, disk: links.disk, links };
}

/**
 * Returns a disk for reading: links in file contents are converted to the service's form. Reads
 * write nothing to the state.
 */
export function readingDisk(
  { prefix, ...files }: Pick<World, "state" | "disk" | "prefix">,
  wiki: boolean,
): World["disk"] {
  return new MirrorLinks({ ...files, scope: { prefix, wiki }, mayStore: false }).disk;
}

/** New setting of the conversion of links; null if off. */
type LinkSetting = { readonly wiki: boolean } | null;

/**
 * Returns the files that turning the conversion of links on or off would write. Their content for
 * the service stays the same, so nothing is sent.
 * @returns the files, or the reason why they are not known
 */
export function respellingsFor(world: World, setting: LinkSetting): string | readonly Respelling[] {
  const { root } = checkRoot(world);
  if (root !== "same") return `the linked folder changed identity (${root})`;
  const { state, prefix, links } = world;
  const files = { state, disk: plainDisk(world) };
  if (setting === null) return [...toServiceForms({ ...files, scope: links?.forms.scope ?? { prefix, wiki: false } })];
  return [...toPaths({ ...files, scope: { prefix, wiki: setting.wiki } }, links !== undefined)];
}

/** Returns documents with links whose files cannot be written in another form before a sync. */
export function filesWithWrongLinks(world: World): readonly LocalPath[] {
  return [...outOfPlace({ state: world.state, disk: plainDisk(world) })];
}

function plainDisk({ links, disk }: World): World["disk"] {
  return links?.disk.plain ?? disk;
}

/** `disk`: the disk that reads and writes bytes unchanged, without conversion of links. */
type ScopedFiles = { readonly state: State; readonly disk: Disk; readonly scope: LinkScope };

/**
 * Returns each file that has links, with its links written as paths. The paths are those that base
 * has recorded.
 * @param files the files, and the new rules by which a piece of text counts as a link
 * @param translates true if links were paths before, too
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
    // The file may still have links by id, if the process was killed during an earlier change.
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
 * Returns the files that have links, each with its content in the service's form.
 * @param files files, and the rules by which links count at present
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
 * Returns documents with links that are not at their path in base: moved or deleted locally and not
 * synced yet, or blocked. Their files would keep the earlier form, or would be read for a wrong
 * path. In both cases mdmirror would not recognise them as moved.
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
 * Returns true if a file's content for the service stays the same. An unsent edit with links by
 * path changes it: the next run reads these links as ids.
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
