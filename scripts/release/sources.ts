// The origin of a release: its commit and its version.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { Fault, problem } from '../../shared/model/problem.ts'

const PackageJson = z.looseObject({ version: z.string() })

export type Sources = {
  /** The commit, with `-dirty` if files differ from it. */
  readonly revision: string
  /** Time of the commit, as RFC 3339. */
  readonly created: string
}

/** Returns the commit of the sources. Throws a Fault if they are in no git repository. */
export function sourcesOf(root: string): Sources {
  const git = (...args: readonly string[]): string => {
    try {
      return execFileSync('git', [...args], { cwd: root, encoding: 'utf8' }).trim()
    } catch (cause) {
      throw refused('a release is made of a commit, and git names none here: run it in a clone', cause)
    }
  }
  const [commit, seconds] = git('log', '-1', '--format=%H %ct').split(' ')
  const isDirty = git('status', '--porcelain') !== ''
  return { revision: `${commit}${isDirty ? '-dirty' : ''}`, created: new Date(Number(seconds) * 1_000).toISOString() }
}

/**
 * Returns the version in package.json, or `wanted` if that is the same version or a trial of it, such as 1.2.0-rc.1 of 1.2.0. Throws a Fault
 * otherwise.
 */
export function versionOf(root: string, wanted: string | undefined): string {
  const { version } = PackageJson.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
  if (wanted === undefined || wanted === version) return version
  const trial = wanted.startsWith(`${version}-`) ? wanted.slice(version.length + 1) : ''
  if (/^[0-9A-Za-z]+([.-][0-9A-Za-z]+)*$/.test(trial)) return wanted
  throw refused(`--version ${wanted} is neither ${version}, as package.json says, nor a trial of it such as ${version}-rc.1`)
}

function refused(message: string, cause?: unknown): Fault {
  return new Fault('make a release', problem('SETTING.INVALID', message), cause)
}
