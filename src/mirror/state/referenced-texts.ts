import type { Digest } from "../../contract/digest.ts";
import type { Submission } from "../model/record.ts";
import type { Intent } from "../ports/state.ts";
import { TableWithStatements } from "./statement.ts";

/**
 * Finds the contents that must not be deleted, because rows of `state.db` refer to them. A content
 * that only the list of versions or the event log names may be deleted.
 */
export class ReferencedContents extends TableWithStatements {
  readonly #plain = this.sql<[], Digest>(
    "SELECT digest FROM records UNION ALL SELECT local_digest FROM records WHERE local_digest IS NOT NULL " +
      "UNION ALL SELECT echo_digest FROM records WHERE echo_digest IS NOT NULL UNION ALL SELECT digest FROM tombstones " +
      "UNION ALL SELECT base_digest FROM conflicts WHERE base_digest IS NOT NULL " +
      "UNION ALL SELECT digest FROM blocked WHERE digest IS NOT NULL",
    "pluck",
  );
  readonly #lists = this.sql<[], string>(
    "SELECT submissions FROM records WHERE submissions IS NOT NULL UNION ALL SELECT shown FROM conflicts",
    "pluck",
  );
  readonly #intents = this.sql<[], string>("SELECT intent FROM intents", "pluck");
  readonly #superseded = this.sql<[], Digest>(
    "SELECT versions.digest FROM versions JOIN records ON records.id = versions.id",
    "pluck",
  );
  readonly #bases = this.sql<[], Digest>(
    "SELECT digest FROM records UNION SELECT local_digest FROM records WHERE local_digest IS NOT NULL",
    "pluck",
  );

  all(): Set<Digest> {
    const referencedDigests = new Set<Digest>(this.#plain.all());
    for (const list of this.#lists.all())
      for (const { digest } of JSON.parse(list) as Submission[]) referencedDigests.add(digest);
    for (const intent of this.#intents.all())
      for (const digest of listDigests(JSON.parse(intent) as Intent)) referencedDigests.add(digest);
    return referencedDigests;
  }

  /**
   * Returns the contents of all known versions of documents that still have a record. The service
   * has these contents too, so the content store does not have the only copies.
   */
  versions(): Set<Digest> {
    return new Set(this.#superseded.all());
  }

  bases(): Digest[] {
    return this.#bases.all();
  }
}

const DIGEST_MEMBERS: ReadonlySet<string> = new Set(["digest", "baseDigest", "expect", "writes", "nextDigest"]);

function listDigests(intent: Intent): Digest[] {
  const waitingSubmissions = intent.kind === "replace" ? (intent.waiting ?? []) : [];
  const ownDigests = Object.entries(intent)
    .filter(([member, value]) => DIGEST_MEMBERS.has(member) && value !== null)
    .map(([, value]) => value as Digest);
  return [...ownDigests, ...waitingSubmissions.map(({ digest }) => digest)];
}
