/** The end-to-end suites of Karpenter as programs. Go fetches them as a module, and builds them once. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../floors.ts'

const MODULE = 'sigs.k8s.io/karpenter'
export const VERSION = 'v1.15.0'
export const FOLDER = join(repositoryRoot, '.local', 'peer-suites')

/** Returns the path of the suite as a program. Builds it if it was not built before. */
export function builtSuite(suite: string, say: (line: string) => void): string {
  const program = join(FOLDER, `${suite}-${VERSION}.test`)
  if (existsSync(program)) return program
  say(`building the suite ${suite} of Karpenter ${VERSION}; this takes some minutes, once`)
  go(['test', '-trimpath', '-c', '-o', `${program}.part`, `./test/suites/${suite}`], sources())
  renameSync(`${program}.part`, program)
  return program
}

/** Returns the path of a file of the module. Fetches the module if it is not there. */
export function sourceFile(path: string): string {
  return join(sources(), path)
}

/** Returns a folder with the sources of the module, whose go.mod asks for the Go of this machine. Nothing else is changed. */
function sources(): string {
  const folder = join(FOLDER, VERSION)
  if (existsSync(folder)) return folder
  mkdirSync(FOLDER, { recursive: true })
  const cached = join(go(['env', 'GOMODCACHE'], FOLDER).trim(), `${MODULE}@${VERSION}`)
  // An older Go than the module asks for fetches the module, and then fails.
  if (!existsSync(cached)) execFileSync('sh', ['-c', `go mod download ${MODULE}@${VERSION} || true`], { cwd: FOLDER })
  const half = `${folder}.part`
  rmSync(half, { recursive: true, force: true })
  cpSync(cached, half, { recursive: true })
  // The cache of modules is read-only, and so is a copy.
  execFileSync('chmod', ['-R', 'u+w', half])
  go(['mod', 'edit', `-go=${go(['env', 'GOVERSION'], FOLDER).trim().replace(/^go/, '')}`], half)
  renameSync(half, folder)
  return folder
}

/** Go builds the suites with the settings of the control plane, and takes the packages that both have from its cache. */
function go(args: readonly string[], cwd: string): string {
  const env = { ...process.env, CGO_ENABLED: '0' }
  return execFileSync('go', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], env })
}
