import {
  countCharacters,
  SEARCH_HYBRID,
  SEARCH_QUERY_CHARACTERS,
  SEARCH_REGEX,
  SEARCH_REGEX_PATTERN_CHARACTERS,
} from "../contract/limits.ts";
import type { FieldCode } from "../contract/problem.ts";
import type { ListEnvelope, RegexHit, SearchHit } from "../contract/resources.ts";
import { SEARCH_HYBRID_PATH, SEARCH_REGEX_PATH } from "../contract/routes.ts";
import type { CompiledRegex, CompileRegex } from "../search/engine.ts";
import { type Answer, done, isRefused, type Refused, refuse, refuseFields } from "./answer.ts";
import { readBody } from "./body.ts";
import type { Call } from "./context.ts";
import { readPath } from "./input.ts";
import { presentWithContent } from "./present.ts";
import type { SearchScope } from "./tables.ts";

/**
 * The two routes of search (`src/contract/README.md`, "Search" and "Limits"). Each gives one
 * answer, without further pages, of what the key may read.
 */

const MEMBERS = {
  query: { type: "string", required: true },
  limit: { type: "integer", required: false },
  includeSources: { type: "boolean", required: false },
  path_prefix: { type: "string", required: false },
} as const;

/** POST /v1/search/hybrid */
export async function searchHybrid(call: Call): Promise<Answer> {
  const asked = readAsked(call, SEARCH_HYBRID);
  if (isRefused(asked)) return asked;
  const { query } = asked;
  // ASSUMES: a query without a character that is not white space asks for nothing (contract test
  // "refuses a blank query").
  if (query.trim() === "") return fieldFault("invalid_format", "query", "is blank");
  const long = tooLong("query", query, SEARCH_QUERY_CHARACTERS);
  if (long !== null) return long;
  const { search } = call.context.tables;
  const hits = await search.hybrid(scopeOf(call, asked), query, asked.limit);
  return envelope(
    SEARCH_HYBRID_PATH,
    hits.map(({ file: row, text, score, snippets }): SearchHit => {
      const file = presentWithContent(row, text);
      const hit = { ...file, score: Number(score.toPrecision(6)) };
      if (!asked.includeSources) return hit;
      return { ...hit, sources: snippets.map((each) => ({ object: "snippet", fileId: file.id, ...each })) };
    }),
  );
}

/**
 * The regex engine; null until it is loaded. `loadRegexEngine` is awaited before a request is
 * routed here.
 */
let compile: CompileRegex | null = null;

/** Loads the engine when the first regex comes: it takes 6 ms, which no start has to pay. */
export async function loadRegexEngine(): Promise<void> {
  compile ??= (await import("../search/engine.ts")).compileRegex;
}

/**
 * LIMIT: how many steps of the engine one regex search may take: one to five seconds of work. Every
 * pattern takes linear time, but some take many steps for each character. With a pattern of few
 * steps the search sees 5 million characters, which are 10,000 notes of half a kilobyte. A pattern
 * with a literal is only tried on texts that hold the literal.
 */
const MOST_STEPS = 80_000_000;

/**
 * POST /v1/search/regex
 * ASSUMES: the syntax is RE2's; a pattern that is malformed, or compiles to too much, is `400
 * invalid_request` at `/query` (contract tests "refuses a malformed pattern", "refuses a pattern
 * that grows beyond measure").
 */
export async function searchRegex(call: Call): Promise<Answer> {
  const asked = readAsked(call, SEARCH_REGEX);
  if (isRefused(asked)) return asked;
  const regex = readPattern(asked.query);
  if (isRefused(regex)) return regex;
  const { search } = call.context.tables;
  const result = await search.regex(scopeOf(call, asked), regex, asked.limit, MOST_STEPS);
  if (result.kind === "too-many-steps") {
    const detail =
      "The pattern takes too many steps for what is to be searched. Give it a literal part, or a path_prefix.";
    return refuse("search_too_costly", detail, [{ code: "out_of_range", pointer: "/query", detail }]);
  }
  return envelope(
    SEARCH_REGEX_PATH,
    result.hits.map(({ file: row, text, matches }): RegexHit => {
      const file = presentWithContent(row, text);
      if (!asked.includeSources) return file;
      return { ...file, sources: matches.map((each) => ({ object: "match", fileId: file.id, ...each })) };
    }),
  );
}

function readPattern(pattern: string): CompiledRegex | Refused {
  if (pattern === "") return fieldFault("invalid_format", "query", "is empty");
  if (/[\n\r]/.test(pattern)) return fieldFault("invalid_format", "query", "has more than one line");
  const long = tooLong("query", pattern, SEARCH_REGEX_PATTERN_CHARACTERS);
  if (long !== null) return long;
  if (compile === null) {
    return refuse("service_unavailable", "The regex engine is being loaded.", [], { "retry-after": "1" });
  }
  const compiled = compile(pattern);
  if (compiled.kind === "compiled") return compiled.regex;
  const code = compiled.kind === "malformed" ? "invalid_format" : "out_of_range";
  return fieldFault(code, "query", `cannot be used: ${compiled.why.slice(0, 200)}`);
}

type Asked = {
  readonly query: string;
  readonly limit: number;
  readonly includeSources: boolean;
  readonly prefix: string | null;
};

function readAsked(
  call: Call,
  range: { readonly min: number; readonly max: number; readonly default: number },
): Asked | Refused {
  const members = readBody(call.body, MEMBERS);
  if (isRefused(members)) return members;
  const limit = (members["limit"] as number | undefined) ?? range.default;
  if (limit < range.min || limit > range.max) {
    return fieldFault("out_of_range", "limit", `is ${limit}; it must be ${range.min} to ${range.max}`);
  }
  const sent = members["path_prefix"] as string | undefined;
  const prefix = sent === undefined || sent === "/" ? null : readPath(sent, "folder", "/path_prefix");
  if (isRefused(prefix)) return prefix;
  const includeSources = (members["includeSources"] as boolean | undefined) ?? true;
  return { query: members["query"] as string, limit, includeSources, prefix };
}

function fieldFault(code: FieldCode, name: string, what: string): Refused {
  return refuseFields([{ code, pointer: `/${name}`, detail: `${name} ${what}.` }]);
}

function tooLong(name: string, text: string, most: number): Refused | null {
  const length = countCharacters(text);
  return length > most ? fieldFault("too_long", name, `has ${length} characters; the limit is ${most}`) : null;
}

function envelope<Item>(url: string, data: readonly Item[]): Answer {
  return done(200, { object: "list", url, data, hasMore: false, nextCursor: null } satisfies ListEnvelope<Item>);
}

function scopeOf({ context }: Call, { prefix }: Asked): SearchScope {
  return { workspace: context.workspace.seq, prefix, grants: context.access.grants };
}
