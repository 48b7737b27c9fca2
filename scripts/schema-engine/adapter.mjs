import { ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import pg from 'pg';

/** The catalog's one-byte type "char", which introspection reads and adapter-pg does not know. */
const CHAR_OID = 18;
const TEXT_OID = 25;

/** Columns of type "char" are decoded as text, and marked: `adaptForEngine` labels them again. */
export function readCatalogCharAsText() {
  const original = pg.Query.prototype.handleRowDescription;
  pg.Query.prototype.handleRowDescription = function handleRowDescription(message) {
    for (const field of message.fields) {
      if (field.dataTypeID !== CHAR_OID) continue;
      field.dataTypeID = TEXT_OID;
      field.isCatalogChar = true;
    }
    return original.call(this, message);
  };
}

/** What the schema engine needs beyond what adapter-pg does for the client. Changes and returns `connection`. */
export function adaptForEngine(connection) {
  sendScriptsWhole(connection);
  labelCatalogChars(connection);
  return connection;
}

/** adapter-pg splits a script at every semicolon, also inside the $$ body of a function. */
function sendScriptsWhole(connection) {
  connection.executeScript = async (sql) => {
    await connection
      .underlyingDriver()
      .query(sql)
      .catch((error) => connection.onError(error));
  };
}

/** The engine wants the type Character for them: it panics on CHECK constraints when they come as Text. */
function labelCatalogChars(connection) {
  const performIO = connection.performIO.bind(connection);
  const queryRaw = connection.queryRaw.bind(connection);
  let fields = [];
  connection.performIO = async (query) => {
    const result = await performIO(query);
    fields = result.fields;
    return result;
  };
  connection.queryRaw = async (query) => {
    const result = await queryRaw(query);
    fields.forEach((field, column) => {
      if (field.isCatalogChar) result.columnTypes[column] = ColumnTypeEnum.Character;
    });
    return result;
  };
}
