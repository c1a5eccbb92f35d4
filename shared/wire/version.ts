import { err, ok, type Result } from '../base/result.ts'
import { type Problem, type ProblemCode, problem } from '../model/problem.ts'
import { isObject } from './codec.ts'

/** How the version of a document is checked. Every document that leaves the process has its version as member `v`. */
export type Versions = {
  readonly object: string
  readonly known: number
  /** The code for a newer version: stored by a newer program, or sent by one. */
  readonly newer: Extract<ProblemCode, 'STORE.NEWER_SCHEMA' | 'INPUT.UNSUPPORTED_VERSION'>
}

/** Returns the document if this program knows its version. */
export function checkVersion(json: unknown, { object, known, newer }: Versions): Result<Record<string, unknown>, Problem> {
  if (!isObject(json)) return err(problem('INPUT.INVALID', `${object}: must be an object`, { object }))
  const version = json['v']
  if (version === known) return ok(json)
  if (typeof version !== 'number' || version < known) {
    return err(problem('INPUT.INVALID', `${object}: v must be ${known}, the version of its form`, { object, path: 'v' }))
  }
  const message = `${object}: version ${version} is newer than this program knows (${known}); update the program`
  return err(problem(newer, message, { object, path: 'v', fields: { version, known } }))
}

/** Parses stored text. Text that is not JSON is INPUT.INVALID. */
export function parseJson(text: string, object: string): Result<unknown, Problem> {
  try {
    return ok(JSON.parse(text))
  } catch {
    return err(problem('INPUT.INVALID', `${object}: is not JSON`, { object }))
  }
}
