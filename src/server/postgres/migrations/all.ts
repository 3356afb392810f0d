import { TABLES } from "./0001-tables.ts";
import { SEARCH } from "./0002-search.ts";
import { OUTBOX } from "./0003-outbox.ts";

/** In their order; the number of the newest is the schema of the database. */
export const MIGRATIONS: readonly string[] = [TABLES, SEARCH, OUTBOX];
