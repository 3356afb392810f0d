/**
 * Name of the search index. It is in a module of its own, so that code can check for the file
 * without loading the search.
 */
export const SEARCH_FILE = "search.db";
