/** In a module of its own, because a check for the file needs no other code of the search. */
export const SEARCH_FILE = "search.db";
