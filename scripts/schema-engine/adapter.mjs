import { ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import pg from 'pg';

/** The catalog's one-byte type "char". Introspection reads it, and adapter-pg does not support it. */
const CHAR_OID = 18;
const TEXT_OID = 25;

/** Decodes columns of type "char" as text and marks them, so that `adaptForEngine` can restore their type. */
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

/** Adds what the schema engine needs and adapter-pg does not provide. Changes and returns `connection`. */
export function adaptForEngine(connection) {
  sendScriptsWhole(connection);
  labelCatalogChars(connection);
  return connection;
}

/** adapter-pg would split a script at every semicolon, also inside the $$ body of a function. */
function sendScriptsWhole(connection) {
  connection.executeScript = async (sql) => {
    await connection
      .underlyingDriver()
      .query(sql)
      .catch((error) => connection.onError(error));
  };
}

/** The engine needs the type Character for these columns: with Text it panics on CHECK constraints. */
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
