/** The settings cannot be used as they are given. The message names each variable or file, and no value. */
export class SettingsError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SettingsError';
  }
}
