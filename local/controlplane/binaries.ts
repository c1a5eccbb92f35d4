import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Fault, problem } from '../../shared/model/problem.ts'

const NAMES = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const
export type Binary = (typeof NAMES)[number]
export type Binaries = Readonly<Record<Binary, string>>

/** Go packages of the programs, as go.mod pins them. */
const PACKAGES: Readonly<Record<Binary, string>> = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
}
const MODULE = join(import.meta.dirname, 'go')

/** Built programs stay here, outside what is committed and what a run removes. */
export const CACHE = join(import.meta.dirname, '..', '..', '.local', 'controlplane-programs')

export type BinarySource = {
  /** `KUBEBUILDER_ASSETS`: a folder that has them all. */
  readonly assets: string | undefined
  /** Where what is built here is kept, one folder for each state of go.mod. */
  readonly cache: string
  readonly say: (line: string) => void
}

/** Where the programs of a control plane are: given, built before, or built now, which takes minutes once. */
export async function findBinaries({ assets, cache, say }: BinarySource): Promise<Binaries> {
  if (assets !== undefined && assets !== '') return given(assets)
  const folder = join(cache, moduleKey())
  if (!isComplete(folder)) await build(folder, say)
  return pathsIn(folder)
}

type Places = Pick<BinarySource, 'assets' | 'cache'>

/** Whether a control plane can start at once. */
export function isAtHand({ assets, cache }: Places): boolean {
  return (assets !== undefined && assets !== '') || isComplete(join(cache, moduleKey()))
}

/** Why there can be no control plane here, in a sentence; undefined when there can. */
export function obstacle(places: Places, path: string): string | undefined {
  if (isAtHand(places) || isOnPath('go', path)) return undefined
  return 'a control plane needs Go 1.26 or newer to be built, or KUBEBUILDER_ASSETS to name a folder with its programs; this machine has neither'
}

function given(folder: string): Binaries {
  const lacking = NAMES.filter((name) => !existsSync(join(folder, name)))
  if (lacking.length > 0) {
    const message = `KUBEBUILDER_ASSETS is ${folder}, which lacks ${lacking.join(', ')}; add them, or unset it to have them built`
    throw new Fault('find the programs of the control plane', problem('SETTING.INVALID', message))
  }
  return pathsIn(folder)
}

function pathsIn(folder: string): Binaries {
  const path = (name: Binary): string => join(folder, name)
  return {
    etcd: path('etcd'),
    'kube-apiserver': path('kube-apiserver'),
    'kube-controller-manager': path('kube-controller-manager'),
    'kube-scheduler': path('kube-scheduler'),
  }
}

function isComplete(folder: string): boolean {
  return NAMES.every((name) => existsSync(join(folder, name)))
}

function moduleKey(): string {
  const hash = createHash('sha256')
  for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(join(MODULE, file)))
  return hash.digest('hex').slice(0, 16)
}

/** Each program takes its place only when it is whole, so that a build that was broken off goes on where it was. */
async function build(folder: string, say: (line: string) => void): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const version = kubernetesVersion()
  for (const [index, name] of NAMES.entries()) {
    if (existsSync(join(folder, name))) continue
    const startedAt = Date.now()
    say(`building ${name} (${index + 1} of ${NAMES.length}; all take some six minutes on two cores, once)`)
    const half = join(folder, `${name}.${process.pid}.part`)
    await go(['build', '-trimpath', '-ldflags', linkFlags(version), '-o', half, PACKAGES[name]], name)
    renameSync(half, join(folder, name))
    say(`built ${name} in ${Math.round((Date.now() - startedAt) / 1000)} s`)
  }
}

/** Clients ask a server for its version and expect one that was stamped in. */
function linkFlags(version: string): string {
  return `-s -w -X k8s.io/component-base/version.gitVersion=${version} -X k8s.io/client-go/pkg/version.gitVersion=${version}`
}

function kubernetesVersion(): string {
  const version = /k8s\.io\/kubernetes (v[\d.]+)/.exec(readFileSync(join(MODULE, 'go.mod'), 'utf8'))?.[1]
  if (version === undefined) throw new Fault('read go.mod', problem('SETTING.INVALID', `${MODULE}/go.mod pins no k8s.io/kubernetes`))
  return version
}

async function go(args: readonly string[], name: Binary): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const child = spawn('go', args, { cwd: MODULE, env: { ...process.env, CGO_ENABLED: '0' }, stdio: ['ignore', 'inherit', 'pipe'] })
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

function isOnPath(name: string, path: string): boolean {
  return path.split(':').some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
