import { userInfo } from 'node:os';
import type { Actor } from '../audit/actor.js';

/** The actor of a command: the user on this machine. */
export function operator(): Actor {
  return { type: 'cli', id: null, name: userName() };
}

/** A container may run under an id that no user has. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'operator';
  }
}
