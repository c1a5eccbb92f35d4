import { join } from 'node:path'
import { Fault, problem } from '../../shared/model/problem.ts'
import { buildGoPrograms, builtFolder, type GoPrograms, hasGo, lackingIn, pinnedVersion } from '../goPrograms.ts'

export { CACHE } from '../goPrograms.ts'

const NAMES = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const
export type Binary = (typeof NAMES)[number]
export type Binaries = Readonly<Record<Binary, string>>

const MODULE = join(import.meta.dirname, 'go')

export type BinarySource = {
  /** `KUBEBUILDER_ASSETS`: a folder that has all programs. Undefined if it is not set. */
  readonly assets: string | undefined
  /** The folder that keeps built programs, in one folder for each state of go.mod. */
  readonly cache: string
  readonly say: (line: string) => void
}

/** Returns the paths of the programs of a control plane: given, built before, or built now, which takes minutes once. */
export async function findBinaries({ assets, cache, say }: BinarySource): Promise<Binaries> {
  if (assets !== undefined && assets !== '') return given(assets)
  const folder = builtFolder({ module: MODULE }, cache)
  if (!isComplete(folder)) await buildGoPrograms(programs(), folder, say)
  return pathsIn(folder)
}

type Places = Pick<BinarySource, 'assets' | 'cache'>

/** Reports whether a control plane can start without a build. */
export function isBuilt({ assets, cache }: Places): boolean {
  return (assets !== undefined && assets !== '') || isComplete(builtFolder({ module: MODULE }, cache))
}

/** Returns why a control plane cannot run here, in a sentence. Undefined if it can. */
export function obstacle(places: Places, path: string): string | undefined {
  if (isBuilt(places) || hasGo(path)) return undefined
  return 'a control plane needs Go 1.26 or newer to be built, or KUBEBUILDER_ASSETS to name a folder with its programs; this machine has neither'
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

function programs(): GoPrograms<Binary> {
  // Clients ask the server for its version, which has to be linked in.
  const version = pinnedVersion(MODULE, 'k8s.io/kubernetes')
  return {
    names: NAMES,
    packages: {
      etcd: 'go.etcd.io/etcd/server/v3',
      'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
      'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
      'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
    },
    module: MODULE,
    linkFlags: `-s -w -X k8s.io/component-base/version.gitVersion=${version} -X k8s.io/client-go/pkg/version.gitVersion=${version}`,
    patience: 'six minutes',
  }
}
