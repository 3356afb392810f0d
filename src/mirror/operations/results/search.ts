import { countCharacters, SEARCH_QUERY_CHARACTERS, SEARCH_REGEX_PATTERN_CHARACTERS } from "../../../contract/limits.ts";

export function findQueryFault(query: string, regex: boolean): string | null {
  if (query.trim() === "" && !regex) return "QUERY is blank";
  if (query === "") return "QUERY is empty";
  if (regex && /[\n\r]/.test(query)) return "a pattern is one line";
  const maxCharacters = regex ? SEARCH_REGEX_PATTERN_CHARACTERS : SEARCH_QUERY_CHARACTERS;
  return countCharacters(query) > maxCharacters ? `QUERY has more than ${maxCharacters} characters` : null;
}
