import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Fault, problem } from '../shared/model/problem.ts'
import { findOnPath } from './findOnPath.ts'

/** Programs that a folder with its own go.mod pins, with the way to build them. */
export type GoPrograms<Name extends string> = {
  readonly names: readonly Name[]
  /** The Go package of each program. */
  readonly packages: Readonly<Record<Name, string>>
  /** The folder of go.mod. */
  readonly module: string
  readonly linkFlags: string
  /** How long it takes to build all programs, in words for the person at the terminal. */
  readonly patience: string
}

/** Built programs stay here. The folder is not committed, and the end of a run does not remove it. */
export const CACHE = join(import.meta.dirname, '..', '.local', 'controlplane-programs')

/** Returns the folder of these programs once they are built. Each state of go.mod has a folder of its own. */
export function builtFolder({ module }: Pick<GoPrograms<string>, 'module'>, cache: string): string {
  const hash = createHash('sha256')
  for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(join(module, file)))
  return join(cache, hash.digest('hex').slice(0, 16))
}

export function lackingIn(folder: string, { names }: Pick<GoPrograms<string>, 'names'>): readonly string[] {
  return names.filter((name) => !existsSync(join(folder, name)))
}

export function hasGo(path: string): boolean {
  return findOnPath('go', path) !== undefined
}

/** The version of a module that go.mod requires. */
export function pinnedVersion(module: string, required: string): string {
  const lines = readFileSync(join(module, 'go.mod'), 'utf8').split('\n')
  const version = lines
    .map((line) =>
      line
        .replace(/^require /, '')
        .trim()
        .split(' '),
    )
    .find(([name]) => name === required)?.[1]
  if (version === undefined) throw new Fault('read go.mod', problem('SETTING.INVALID', `${module}/go.mod pins no ${required}`))
  return version
}

/** A program takes its place only once it is complete, so a build that was interrupted continues with the next program. */
export async function buildGoPrograms<Name extends string>(
  programs: GoPrograms<Name>,
  folder: string,
  say: (line: string) => void,
): Promise<void> {
  const { names, packages, module, linkFlags, patience } = programs
  mkdirSync(folder, { recursive: true })
  for (const [index, name] of names.entries()) {
    if (existsSync(join(folder, name))) continue
    const startedAt = Date.now()
    say(`building ${name} (${index + 1} of ${names.length}; all take some ${patience} on two cores, once)`)
    const half = join(folder, `${name}.${process.pid}.part`)
    await go(['build', '-trimpath', '-ldflags', linkFlags, '-o', half, packages[name]], { name, module })
    renameSync(half, join(folder, name))
    say(`built ${name} in ${Math.round((Date.now() - startedAt) / 1000)} s`)
  }
}

async function go(args: readonly string[], { name, module }: { readonly name: string; readonly module: string }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const child = spawn('go', args, { cwd: module, env: { ...process.env, CGO_ENABLED: '0' }, stdio: ['ignore', 'inherit', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += String(chunk)
  })
  child.once('error', (cause) =>
    reject(new Fault(`build ${name}`, problem('SETTING.INVALID', 'Go cannot be run: install Go 1.26 or newer'), cause)),
  )
  child.once('close', (code) => {
    if (code === 0) return resolve()
    rmSync(args[args.indexOf('-o') + 1] ?? '', { force: true })
    reject(new Fault(`build ${name}`, problem('SETTING.INVALID', `go build ended with ${code}: ${errors.trim().slice(-2_000)}`)))
  })
  await promise
}
