import { describe, expect, it } from '@jest/globals';
import { placesOfInstalled } from './places.js';

const machine = { platform: 'linux', environment: {}, home: '/home/ada', currentFolder: '/srv' } as const;

describe('the places of an installed program', () => {
  it('are the data and settings folders of the user on Linux', () => {
    expect(placesOfInstalled(machine)).toEqual({
      base: '/srv',
      dataDir: '/home/ada/.local/share/guildbook/database',
      skillsDir: '/home/ada/.local/share/guildbook/skills',
      settingsFiles: ['/home/ada/.config/guildbook/server.env', '/etc/guildbook/server.env'],
    });
  });

  it('follow the XDG variables, but no relative path, which their specification calls invalid', () => {
    const environment = { XDG_DATA_HOME: '/var/lib', XDG_CONFIG_HOME: 'etc' };
    const { dataDir, settingsFiles } = placesOfInstalled({ ...machine, environment });
    expect(dataDir).toBe('/var/lib/guildbook/database');
    expect(settingsFiles[0]).toBe('/home/ada/.config/guildbook/server.env');
  });

  it('are in Application Support on macOS', () => {
    const { dataDir, skillsDir } = placesOfInstalled({ ...machine, platform: 'darwin', home: '/Users/ada' });
    expect(dataDir).toBe('/Users/ada/Library/Application Support/Guildbook/database');
    expect(skillsDir).toBe('/Users/ada/Library/Application Support/Guildbook/skills');
  });

  it('are in the local application data on Windows', () => {
    const environment = { LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local' };
    const found = placesOfInstalled({ ...machine, platform: 'win32', home: 'C:\\Users\\ada', environment });
    expect(found.dataDir).toBe('C:\\Users\\ada\\AppData\\Local\\Guildbook\\database');
    expect(found.settingsFiles).toEqual(['C:\\Users\\ada\\AppData\\Local\\Guildbook\\server.env']);
  });
});
