import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** True if two folders are the same or one lies in the other. Follows links; the folders need not exist. */
export function foldersOverlap(one: string, other: string): boolean {
  const [a, b] = [resolveExisting(one), resolveExisting(other)];
  return [relative(a, b), relative(b, a)].some((path) => !/^\.\.(?:[\\/]|$)|^[\\/]|^[A-Za-z]:/.test(path));
}

/** True if the folder exists or can be created: neither the path nor a parent is a file. */
export function canBeFolder(path: string): boolean {
  const found = kindOf(path);
  return found === undefined ? dirname(path) === path || canBeFolder(dirname(path)) : found === 'folder';
}

export const isFolder = (path: string): boolean => kindOf(path) === 'folder';

/** The folder of a `file:` address; undefined if it names none. */
export function folderOfAddress(address: string): string | undefined {
  try {
    return fileURLToPath(address);
  } catch {
    return undefined;
  }
}

function kindOf(path: string): 'folder' | 'file' | undefined {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch {
    return undefined;
  }
}

function resolveExisting(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(resolveExisting(dirname(path)), basename(path));
  }
}
