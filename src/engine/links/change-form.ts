import { mayHoldLinks } from "../../links/candidates.ts";
import { leadsOf } from "../../links/leads.ts";
import { toDisk, toService } from "../../links/translate.ts";
import { digestOf } from "../../model/digest.ts";
import { isAway, type Link } from "../../model/link.ts";
import type { RemotePath } from "../../model/path.ts";
import type { Spelling } from "../../model/spelling.ts";
import type { Disk, LocalText } from "../../ports/disk.ts";
import type { State } from "../../ports/state.ts";
import type { Respelling } from "./mirror-links.ts";
import { LinkPlaces } from "./places.ts";

/**
 * The files of a mirror in the other form, when links begin or cease to be translated. What they
 * stand for stays, so that nothing is sent.
 */

type Files = { readonly state: State; readonly disk: Disk; readonly prefix: RemotePath };

/**
 * @param disk as it is
 * @returns of a mirror that kept links: files as base has them, with links by path
 */
export function* toPaths({ state, disk, prefix }: Files): Generator<Respelling> {
  const base = state.load();
  const places = new LinkPlaces(base, prefix);
  for (const [link, bytes] of linkingFiles(base.links.values(), disk)) {
    // An edit that was not sent yet is read in its new form by the next pass.
    if (bytes.digest !== link.localDigest) continue;
    const path = link.localPath;
    const place = places.from(path);
    const text = toDisk(bytes.text, place);
    const spelled = text === bytes.text ? bytes : { text, digest: digestOf(text) };
    const from: Spelling = { path, id: link.id, bytes: bytes.digest, text: bytes.digest, spelledAt: path, leads: [] };
    const to = { ...from, bytes: spelled.digest, leads: leadsOf(text, place, [place]) };
    if (to.leads.length > 0 || to.bytes !== from.bytes) yield { link, from, to, bytes: spelled };
  }
}

/** @returns of a mirror that translated links: files that link, as the texts they stand for */
export function* toTexts({ state, disk, prefix }: Files): Generator<Respelling> {
  const base = state.load();
  const places = new LinkPlaces(base, prefix);
  for (const [link, bytes] of linkingFiles(base.links.values(), disk)) {
    const path = link.localPath;
    const known = state.spellings.of(path, bytes.digest);
    const text = (known && state.text(known.text)) ?? toService(bytes.text, places.from(path));
    const plain = text === bytes.text ? bytes : { text, digest: digestOf(text) };
    const from = known ?? { path, id: link.id, bytes: bytes.digest, text: plain.digest, spelledAt: path, leads: [] };
    const to = { ...from, bytes: plain.digest, text: plain.digest, leads: [] };
    if (to.bytes !== from.bytes) yield { link, from, to, bytes: plain };
  }
}

function* linkingFiles(links: Iterable<Link>, disk: Disk): Generator<[Link, LocalText]> {
  for (const link of links) {
    const read = isAway(link) || link.standing !== "linked" ? null : disk.read(link.localPath);
    if (read?.kind === "done" && mayHoldLinks(read.value.text)) yield [link, read.value];
  }
}
