import type { DocId } from "../../../src/contract/ids.ts";
import { FILES } from "../../../src/contract/routes.ts";
import type { App, AppFile } from "../app.ts";

export type LiveFile = AppFile & { readonly protected: boolean };

/**
 * The documents that each key can read on the service. They are listed once until something
 * changes.
 */
export class LiveLists {
  readonly #whileOpen: <T>(look: () => T) => T;
  readonly #drawRequestId: () => void;
  readonly #listed = new Map<string, { files?: LiveFile[]; folders?: string[] }>();
  /** Contents by document and version. */
  readonly #texts = new Map<string, string>();

  constructor(whileOpen: <T>(look: () => T) => T, drawRequestId: () => void) {
    this.#whileOpen = whileOpen;
    this.#drawRequestId = drawRequestId;
  }

  /** Called when something may have changed on the service: the next call lists again. */
  forget(): void {
    this.#listed.clear();
  }

  /** @param key "" for the web app's user */
  files(key: string, app: App): readonly LiveFile[] {
    const listed = this.#of(key);
    listed.files ??= this.#whileOpen(() => this.#listFiles(app));
    return listed.files;
  }

  folders(app: App): readonly string[] {
    const listed = this.#of("");
    listed.folders ??= this.#whileOpen(() => app.folders());
    return listed.folders;
  }

  #of(key: string): { files?: LiveFile[]; folders?: string[] } {
    const listed = this.#listed.get(key) ?? {};
    this.#listed.set(key, listed);
    return listed;
  }

  /**
   * Lists all documents. A version never changes its content, so each is read once. A skipped read
   * still draws the random bytes of its request id, so that a run does not depend on earlier reads.
   */
  #listFiles(app: App): LiveFile[] {
    const found = app.call("GET", `${FILES}?limit=1000`).json as {
      data: { id: DocId; path: string; lastChangeId: string; protected: boolean }[];
    };
    return found.data.map(({ id, path, lastChangeId, protected: isProtected }) => {
      const version = `${id} ${lastChangeId}`;
      let text = this.#texts.get(version);
      if (text === undefined) {
        text = (app.call("GET", `${FILES}/${id}`).json as { content: string }).content;
        this.#texts.set(version, text);
      } else this.#drawRequestId();
      return { id, path: path.slice(1), changeId: lastChangeId, protected: isProtected, text };
    });
  }
}
