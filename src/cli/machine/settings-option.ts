import { Option } from 'commander';

/** Options of the commands that work on the server's own machine, without HTTP. */
export interface MachineOptions {
  readonly settings?: string;
}

/** Not `--env-file`: Node.js takes an option of that name itself. */
export const settingsOption = (): Option =>
  new Option('--settings <file>', 'file of settings; variables of the environment win over it');
