/** This name has a module of its own, because a check for the file needs no code of the search. */
export const SEARCH_FILE = "search.db";
