import { homedir } from 'node:os';

/** The user's home folder; null: neither HOME nor the password database names one. */
export function findHome(): string | null {
  try {
    return homedir();
  } catch {
    return null;
  }
}
