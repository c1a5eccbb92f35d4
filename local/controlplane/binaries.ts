import { join } from 'node:path'
import { Fault, problem } from '../../shared/model/problem.ts'
import { buildGoPrograms, builtFolder, type GoPrograms, hasGo, lackingIn, pinnedVersion } from '../goPrograms.ts'

export { CACHE } from '../goPrograms.ts'

const NAMES = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const
export type Binary = (typeof NAMES)[number]
export type Binaries = Readonly<Record<Binary, string>>

const KUBERNETES = 'k8s.io/kubernetes'
/** The folders whose go.mod pins the programs: of the newest Kubernetes, and of the minor version before. */
const MODULES = { newest: join(import.meta.dirname, 'go'), previous: join(import.meta.dirname, 'previous') } as const
export type Release = keyof typeof MODULES
export const RELEASES: readonly Release[] = ['newest', 'previous']

export type BinarySource = {
  /** Default: the newest. */
  readonly release?: Release
  /** `KUBEBUILDER_ASSETS`: a folder that has all programs, instead of the newest ones. Undefined if it is not set. */
  readonly assets: string | undefined
  /** The folder that keeps built programs, in one folder for each state of go.mod. */
  readonly cache: string
  readonly say: (line: string) => void
}

/** Returns the paths of the programs of a control plane: given, built before, or built now, which takes minutes once. */
export async function findBinaries({ cache, say, ...places }: BinarySource): Promise<Binaries> {
  const assets = assetsOf(places)
  if (assets !== undefined) return given(assets)
  const module = moduleOf(places)
  const folder = builtFolder({ module }, cache)
  if (!isComplete(folder)) await buildGoPrograms(programs(module), folder, say)
  return pathsIn(folder)
}

type Wanted = Pick<BinarySource, 'assets' | 'release'>
type Places = Wanted & Pick<BinarySource, 'cache'>

/** Reports whether a control plane can start without a build. */
export function isBuilt({ cache, ...places }: Places): boolean {
  return assetsOf(places) !== undefined || isComplete(builtFolder({ module: moduleOf(places) }, cache))
}

/** Returns the version of the programs as in v1.36.1, or the folder of programs that were given. */
export function releaseName(places: Wanted): string {
  return assetsOf(places) ?? pinnedVersion(moduleOf(places), KUBERNETES)
}

/** Returns why a control plane cannot run here, in a sentence. Undefined if it can. */
export function obstacle(places: Places, path: string): string | undefined {
  if (isBuilt(places) || hasGo(path)) return undefined
  return 'a control plane needs Go 1.26 or newer to be built, or KUBEBUILDER_ASSETS to name a folder with its programs; this machine has neither'
}

function assetsOf({ assets, release = 'newest' }: Wanted): string | undefined {
  return release === 'newest' && assets !== '' ? assets : undefined
}

function moduleOf({ release = 'newest' }: Wanted): string {
  return MODULES[release]
}

function given(folder: string): Binaries {
  const lacking = lackingIn(folder, { names: NAMES })
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
  return lackingIn(folder, { names: NAMES }).length === 0
}

function programs(module: string): GoPrograms<Binary> {
  // Clients ask the server for its version, which has to be linked in.
  const version = pinnedVersion(module, KUBERNETES)
  return {
    names: NAMES,
    packages: {
      etcd: 'go.etcd.io/etcd/server/v3',
      'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
      'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
      'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
    },
    module,
    linkFlags: `-s -w -X k8s.io/component-base/version.gitVersion=${version} -X k8s.io/client-go/pkg/version.gitVersion=${version}`,
    patience: 'six minutes',
  }
}
