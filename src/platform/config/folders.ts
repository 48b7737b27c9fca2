import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

/** Whether one of two folders is the other one or lies in it, also behind links, whether they are there yet or not. */
export function foldersOverlap(one: string, other: string): boolean {
  const [a, b] = [resolveExisting(one), resolveExisting(other)];
  return [relative(a, b), relative(b, a)].some((path) => !/^\.\.(?:[\\/]|$)|^[\\/]|^[A-Za-z]:/.test(path));
}

/** Whether a folder is there or can be made: neither it nor what it lies in is a file. */
export function canBeFolder(path: string): boolean {
  const found = kindOf(path);
  return found === undefined ? dirname(path) === path || canBeFolder(dirname(path)) : found === 'folder';
}

export const isFolder = (path: string): boolean => kindOf(path) === 'folder';

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
