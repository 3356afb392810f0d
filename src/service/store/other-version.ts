/**
 * Error for a database that another version of mdmirror wrote, if this version does not know its
 * schema.
 */
class OtherVersionError extends Error {
  readonly code: "newer-data" | "older-data";

  constructor(database: string, version: number, known: string, age: "newer" | "older") {
    const writerVersion = age === "newer" ? "a newer" : "an older";
    super(`${database} was written by ${writerVersion} mdmirror (schema ${version}, this one knows ${known})`);
    this.code = `${age}-data`;
  }
}

/**
 * Checks that this version of mdmirror knows the schema of a database.
 * @param database name of the database, for the message
 * @param version number of the schema; 0 for an empty database
 * @throws OtherVersionError if `version` is less than `oldest` or greater than `newest`
 */
export function checkSchema(database: string, version: number, oldest: number, newest: number): void {
  if (version > newest) throw new OtherVersionError(database, version, `${newest}`, "newer");
  if (version > 0 && version < oldest)
    throw new OtherVersionError(database, version, `${oldest} to ${newest}`, "older");
}
