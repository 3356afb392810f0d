import type { Digest } from "../../../src/contract/digest.ts";
import type { DocId } from "../../../src/contract/ids.ts";
import type { WireRequest, WireResponse } from "../../../src/contract/wire.ts";
import type { WireResult } from "../../../src/common/wire.ts";
import { isConflictCopyName, nameOf, parentOf } from "../../../src/contract/path.ts";
import type { History } from "./history.ts";
import type { LiveFile, SimulatedWorld } from "./world.ts";
import { CANARY } from "./user-folder.ts";
import { isTextOf, linksIn, tagOf, targetOnService, withoutDestinations } from "./contents.ts";
import type { SimulatedMirror } from "./mirror.ts";
import { bodyShown, isJson, membersOf, targetOf, withoutRename } from "./wire-reading.ts";
import type { DocumentRecord } from "../../../src/mirror/model/record.ts";
import type { Clock } from "../../../src/common/clock.ts";
import { ROOT } from "../mirror.ts";

const FILE = /^\/v1\/files\/([^/?]+)/;
const FILE_OR_FOLDER = /^\/v1\/(?:files|folders)\/([^/?]+)/;
/** Statuses that do not refuse the request itself, so it may be sent again unchanged. */
const NO_JUDGEMENT: ReadonlySet<number> = new Set([401, 429]);

/** Checks the requests of one mirror: I04, I06, I07, I08, I10, I26. */
export class WireOracle {
  readonly #mirror: SimulatedMirror;
  readonly #simulatedWorld: SimulatedWorld;
  readonly #history: History;
  /** Writes whose result the mirror cannot know and has not read since; kept across restarts. */
  readonly #uncertain = new Set<string>();
  /** In this run: change id of each document in its last GET, and refused writes. */
  readonly #shown = new Map<string, string>();
  readonly #refused = new Set<string>();
  /**
   * Each write as it was when it was sent, because its document may have another path when the
   * answer comes.
   */
  readonly #wordings = new WeakMap<WireRequest, string>();
  /**
   * In this run: writes that were refused because the document was not found, and those whose path
   * was taken.
   */
  readonly #missed = new Set<string>();
  readonly #taken = new Set<string>();
  /** Last sent content of each document, by id. */
  readonly #sentTexts = new Map<string, string>();
  /** Contents that the service returned in this run. */
  readonly shownTexts = new Set<string>();
  readonly requests: string[] = [];
  /** In this run: ids of documents and folders with a refused write. */
  readonly refusedIds = new Set<string>();
  /** Uploads that went to review; kept across restarts. */
  readonly #inReview = new Set<string>();
  readonly #deletes: DeleteOracle;

  constructor(mirror: SimulatedMirror, simulatedWorld: SimulatedWorld, history: History) {
    this.#mirror = mirror;
    this.#simulatedWorld = simulatedWorld;
    this.#history = history;
    this.#deletes = new DeleteOracle(mirror, simulatedWorld.clock);
  }

  /**
   * @param watches true for a daemon, for which a local absence waits for a grace period, not for a
   * second scan
   */
  startRun(watches: boolean): void {
    this.#deletes.startRun(watches);
    this.#shown.clear();
    this.#refused.clear();
    this.refusedIds.clear();
    this.#missed.clear();
    this.#taken.clear();
    this.shownTexts.clear();
    this.requests.length = 0;
  }

  /** A power cut reverted the journal, so its former rows are unknown. */
  forgetJournal(): void {
    this.#uncertain.clear();
    this.#inReview.clear();
  }

  /** Called before a call of the disk. */
  onDisk(call: string, path: string): void {
    this.#deletes.onDisk(call, path);
  }

  /** Called before a scan of the whole folder. */
  onScan(): void {
    this.#deletes.onScan();
  }

  /** Called before a request is sent. */
  sending(request: WireRequest): void {
    const { method, path, body } = request;
    this.requests.push(`${method} ${path}`);
    if (method === "GET") return;
    const { state } = this.#mirror;
    const target = targetOf(request);
    const fail = (what: string): void => this.#fail(`${what}: ${method} ${path} ${bodyShown(body)}`);
    if (this.#uncertain.has(target)) fail("I08 a write is sent again before its end was read");
    const wording = this.#wordingOf(request);
    this.#wordings.set(request, wording);
    if (this.#refused.has(wording)) fail("I08 a refused write is sent again unchanged");
    const sent = membersOf(body);
    const named = sent["path"] ?? sent["name"];
    if (typeof named === "string" && isConflictCopyName(named.split("/").at(-1)!))
      fail("I26 a conflict copy is uploaded");
    if (body?.includes(CANARY)) fail("I26 what is private or outside is uploaded");
    const id = FILE.exec(path)?.[1];
    if (method === "PUT" && id !== undefined) {
      const digest = this.#baseOf(id, sent);
      if (digest === undefined || !state.hasText(digest)) fail("I07 the base of a PUT is no text that we hold");
    }
    if (method === "DELETE" && path.includes("recursive=true")) fail("I04 a folder is deleted with all below it");
    if (method === "DELETE" && id !== undefined) this.#deletes.judge(id, this.#shown.get(id), fail);
    if (method === "PUT" && id !== undefined && this.#inReview.has(this.#uploadOf(id, sent)))
      fail("I08 I31 a text is sent to review again");
    this.#uncertain.add(target);
    if (id !== undefined && typeof sent["content"] === "string") this.#sentTexts.set(id, sent["content"]);
  }

  /** Called when the service executes a request. */
  serving(request: WireRequest, late: boolean): (response: WireResponse) => void {
    const id = FILE.exec(request.path)?.[1];
    if (id === undefined) return () => undefined;
    const { method } = request;
    if (method !== "PUT" && method !== "DELETE") return () => undefined;
    const live = this.#simulatedWorld.files().find((one) => one.id === id);
    const shown = this.#shown.get(id);
    const sent = membersOf(request.body);
    if (
      method === "PUT" &&
      live !== undefined &&
      !late &&
      live.changeId === sent["baseChangeId"] &&
      live.text === sent["content"] &&
      // If a deployment normalizes content, the live content differs, so it was an edit from the
      // mirror's view.
      live.text === this.#sentTexts.get(id)
    )
      this.#fail(`I10 an echo: PUT of the live text of ${live.path}`);
    if (method === "PUT" && live !== undefined && !late && live.changeId === sent["baseChangeId"])
      this.#checkSpelling(live, String(sent["content"]));
    return (response) => {
      // Such a service withdraws the change from review before it answers.
      const isRefused = this.#simulatedWorld.refusesConflicts && membersOf(response.body)["reason"] === "conflict";
      // The mirror has read that a late request was not executed, so it may send the content again.
      if (response.status === 202 && !isRefused && !late) this.#inReview.add(this.#uploadOf(id, sent));
      if (method !== "DELETE" || response.status !== 204 || live === undefined) return;
      // RACE: the document was edited on the service after the last read, or a late request deleted
      // it.
      if (late || live.changeId !== shown) this.#history.replaced(live.text, null);
      if (late) this.#history.vanishes(live.text);
    };
  }

  /** Returns the digest of the base version of a PUT; undefined if the mirror does not know it. */
  #baseOf(id: string, { baseChangeId }: Readonly<Record<string, unknown>>): Digest | undefined {
    const { state } = this.#mirror;
    const base = state
      .versions(id as DocId)
      .find((one) => withoutRename(one.changeId) === withoutRename(String(baseChangeId)));
    const record = state.record(id as DocId);
    return base?.digest ?? (record?.changeId === baseChangeId ? record?.digest : undefined);
  }

  /**
   * Returns an upload as a string. The same content on another version is another edit, because its
   * user chose it over that version. A rename changes only the version's id.
   */
  #uploadOf(id: string, sent: Readonly<Record<string, unknown>>): string {
    return `${id} ${this.#baseOf(id, sent)} ${sent["content"]}`;
  }

  /**
   * Checks I10: content that differs from the live content only in the spelling of links is no
   * edit. An absolute path to a deleted document may become the id of the document now at the path.
   */
  #checkSpelling(live: LiveFile, content: string): void {
    if (content === live.text || withoutDestinations(content) !== withoutDestinations(live.text)) return;
    const files = this.#simulatedWorld.files();
    const [before, after] = [linksIn(live.text), linksIn(content)];
    const isEdit = before.some((link, n) => {
      const id = targetOnService(link, files);
      if (targetOnService(after[n]!, files) !== id) return true;
      // The target was deleted, so the id is another document's. It may have the same tag: an
      // edited local file was uploaded as a new document.
      return link.said !== id && after[n]!.said === id && this.#history.mayVanish.has(link.to);
    });
    if (!isEdit) this.#fail(`I10 a PUT that only changes the form of links of ${live.path}`);
  }

  /** Called with the answer to a request, or with the reason why there was none. */
  heard(request: WireRequest, result: WireResult): void {
    const { method, path } = request;
    const target = targetOf(request);
    if (result.kind === "not-sent") {
      if (method !== "GET") this.#uncertain.delete(target);
      return;
    }
    if (result.kind === "lost") return;
    const { status } = result.response;
    const answer = membersOf(result.response.body);
    const readable = result.response.body === "" ? status === 204 : isJson(result.response.body);
    if (method === "GET") {
      if (status >= 500 || !readable) return;
      this.#noteRead(path, status, answer);
      return;
    }
    const refused = status >= 400 && status < 500 && readable && typeof answer["code"] === "string";
    const wording = this.#wordings.get(request) ?? this.#wordingOf(request);
    const id = FILE_OR_FOLDER.exec(path)?.[1];
    if (status >= 400 && status < 500 && id !== undefined) this.refusedIds.add(id);
    if (refused && !NO_JUDGEMENT.has(status) && answer["code"] !== "workspace_not_found") this.#refused.add(wording);
    if (refused && status === 404) this.#missed.add(wording);
    if (refused && answer["code"] === "path_already_exists") this.#taken.add(wording);
    if (refused || (status < 300 && readable)) this.#uncertain.delete(target);
    if (status < 300 && typeof answer["content"] === "string") this.shownTexts.add(answer["content"]);
  }

  #noteRead(path: string, status: number, answer: Readonly<Record<string, unknown>>): void {
    const id = FILE.exec(path)?.[1];
    if (id !== undefined) {
      if (status !== 200 && status !== 404) return;
      for (const one of this.#uncertain) if (one.startsWith(id)) this.#uncertain.delete(one);
      // The document was read since, so a refused write may be sent again on the present version.
      for (const one of this.#refused) if (one.includes(id)) this.#refused.delete(one);
      if (typeof answer["content"] === "string") this.shownTexts.add(answer["content"]);
      if (typeof answer["lastChangeId"] === "string") this.#shown.set(id, answer["lastChangeId"]);
      return;
    }
    if (status !== 200) return;
    const { pathname, searchParams } = new URL(path, "http://service");
    const exact = searchParams.get("path");
    // After a 404, the mirror searches the document in the list, up to the page that contains it.
    // After a 409 for a taken path, it reads the whole list to learn which document has the path.
    const shown = Array.isArray(answer["data"]) ? answer["data"].map((item: { id?: unknown }) => String(item.id)) : [];
    const isWhole = exact === null && answer["hasMore"] === false;
    for (const one of this.#missed) if (isWhole || shown.some((id) => one.includes(id))) this.#refused.delete(one);
    for (const one of isWhole ? this.#taken : []) this.#refused.delete(one);
    if (exact !== null) {
      this.#uncertain.delete(`${pathname} ${exact.replace(/^\//, "")}`);
      const named = `"name":${JSON.stringify(nameOf(exact))}`;
      const folder = ` in ${parentOf(exact.replace(/^\//, ""))}`;
      const isAbout = (one: string): boolean =>
        one.includes(JSON.stringify(exact)) ||
        one.endsWith(` as ${nameOf(exact)}`) ||
        (one.includes(named) && one.endsWith(folder));
      for (const one of this.#refused) if (isAbout(one)) this.#refused.delete(one);
    }
    // Folders are read by their list.
    if (pathname === "/v1/folders")
      for (const one of this.#uncertain)
        if (one.startsWith("dir_") || one.startsWith("/v1/folders ")) this.#uncertain.delete(one);
  }

  /**
   * Returns a request as a string with the document's present path. A move by `parentId` contains
   * no name, and a rename no folder, so from another path on the service the same request leads to
   * another path.
   */
  #wordingOf({ method, path, body }: WireRequest): string {
    const wording = `${method} ${path} ${body}`;
    if (method !== "PATCH") return wording;
    const id = FILE.exec(path)?.[1];
    const live = this.#simulatedWorld.files().find((one) => one.id === id);
    if (live === undefined) return wording;
    const isMove = "parentId" in membersOf(body);
    return isMove ? `${wording} as ${nameOf(live.path)}` : `${wording} in ${parentOf(live.path)}`;
  }

  #fail(what: string): void {
    this.#history.fail(`${what} (mirror ${this.#mirror.index})`);
  }
}

const SECOND_LOOK_MS = 2_000;

/** Checks the DELETE requests of one mirror by its earlier reads of the disk: I03, I04, I06. */
export class DeleteOracle {
  readonly #mirror: SimulatedMirror;
  readonly #clock: Clock;
  /** In this run, for each path: whether the last read found a file, and its time in virtual ms. */
  readonly #looks = new Map<string, { readonly found: boolean; readonly at: number }>();
  /** Times of whole scans in this run, in virtual ms. */
  readonly #scans: number[] = [];
  #watches = false;

  constructor(mirror: SimulatedMirror, clock: Clock) {
    this.#mirror = mirror;
    this.#clock = clock;
  }

  /**
   * @param watches true for a daemon, for which a local absence waits for a grace period, not for a
   * second scan
   */
  startRun(watches: boolean): void {
    this.#watches = watches;
    this.#looks.clear();
    this.#scans.length = 0;
  }

  /** Called before a call of the disk. */
  onDisk(call: string, path: string): void {
    if (call !== "lstat") return;
    this.#looks.set(path, { found: this.#mirror.disk.user.exists(path), at: this.#clock.monotonic() });
  }

  /** Called before a scan of the whole folder. */
  onScan(): void {
    this.#scans.push(this.#clock.monotonic());
  }

  /**
   * Checks a DELETE request.
   * @param shown change id in the last GET of the document in this run, if there was one
   */
  judge(id: string, shown: string | undefined, fail: (what: string) => void): void {
    const record = this.#mirror.state.record(id as DocId);
    if (shown === undefined) fail("I04 it is deleted without having been read in this run");
    else if (record === null) fail("I04 it is deleted without a link");
    else if (shown !== record.changeId)
      fail(`I06 it is deleted although ${shown} is newer than our base ${record.changeId}`);
    const at = `${ROOT}/${record?.localPath}`;
    const { user } = this.#mirror.disk;
    const look = this.#looks.get(at);
    // Only a read after the second scan is the one right before the DELETE.
    const isLookedFor = look !== undefined && !look.found && look.at >= this.#scans.at(-1)!;
    if (record !== null && this.#isBack(record, user.read(at)) && !isLookedFor)
      fail("I04 it is deleted, and nobody looked whether it is here again");
    const waited = this.#scans.at(-1)! - this.#scans[0]!;
    if (!this.#watches && waited < SECOND_LOOK_MS) fail("I04 it is deleted after one look");
    if (record !== null && !this.#mirror.state.hasText(record.digest))
      fail("I03 the text of what is deleted is not kept");
  }

  /**
   * Returns true if the content at a record's path is its document's, not that of another document
   * which was moved there. Content without a tag is the document's only if the record has the same
   * content: empty documents and damaged files have no tag.
   */
  #isBack(record: DocumentRecord, text: string | null): boolean {
    const { state } = this.#mirror;
    if (text === null) return false;
    const isOf = (one: DocumentRecord) => isTextOf(state, one.localDigest, text);
    const tag = tagOf(text);
    if (tag === null ? !isOf(record) : tag !== tagOf(state.text(record.digest) ?? "")) return false;
    return ![...state.load().records.values()].some((one) => one.id !== record.id && isOf(one));
  }
}
