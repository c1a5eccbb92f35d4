import * as z from 'zod'
import type { ClusterAccess } from '../../cli/clusterAccess.ts'
import { RESOURCE_DEFINITIONS } from '../../shared/wire/schema/definitions.ts'
import { HookFailure } from './hookDeps.ts'

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const LIMIT_MS = 30_000
const NAME = 'meta.helm.sh/release-name'
const NAMESPACE = 'meta.helm.sh/release-namespace'
const MANAGED_BY = 'app.kubernetes.io/managed-by'

const definition = z.object({
  metadata: z.object({
    annotations: z.record(z.string(), z.string()).default({}),
    labels: z.record(z.string(), z.string()).default({}),
  }),
})

export type Release = { readonly name: string; readonly namespace: string }

/**
 * Marks the definitions that are in the cluster as those of the release: Helm refuses what is not its own. They may be of kubectl, of the chart of
 * Karpenter, of AKS, or of a release of another name. Custom resources stay as they are. Returns a line for each former owner.
 */
export async function adoptDefinitions({ call }: Pick<ClusterAccess, 'call'>, release: Release): Promise<readonly string[]> {
  const taken = new Map<string, string[]>()
  for (const { group, plural } of RESOURCE_DEFINITIONS) {
    const name = `${plural}.${group}`
    const owner = await adopt(call, name, release)
    if (owner !== undefined) taken.set(owner, [...(taken.get(owner) ?? []), name])
  }
  return [...taken].map(([owner, names]) =>
    owner === ''
      ? `ok    the definitions ${names.join(', ')} are taken over`
      : `warn  the definitions ${names.join(', ')} are taken over from the release ${owner}. An uninstallation of that release would delete them with every NodePool: remove its record only, with kubectl --namespace ${owner.split('/')[0]} delete secret --selector owner=helm,name=${owner.split('/')[1]}`,
  )
}

/** Returns the former release as `NAMESPACE/NAME`, or empty if no release had it. Undefined if there is nothing to adopt. */
async function adopt(call: ClusterAccess['call'], name: string, release: Release): Promise<string | undefined> {
  const path = `${PATH}/${name}`
  const found = await call({ method: 'GET', path }, AbortSignal.timeout(LIMIT_MS))
  if (found.status === 404) return undefined
  const read = definition.safeParse(found.json).data?.metadata
  if (found.status !== 200 || read === undefined) throw refused('read', name, found.status)
  const { annotations, labels } = read
  const wanted = { [NAME]: release.name, [NAMESPACE]: release.namespace }
  const isOurs = Object.entries(wanted).every(([key, value]) => annotations[key] === value) && labels[MANAGED_BY] === 'Helm'
  if (isOurs) return undefined
  const body = { metadata: { annotations: wanted, labels: { [MANAGED_BY]: 'Helm' } } }
  const patched = await call({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' }, AbortSignal.timeout(LIMIT_MS))
  if (patched.status !== 200) throw refused('take over', name, patched.status)
  const [formerName, formerNamespace] = [annotations[NAME], annotations[NAMESPACE]]
  const isOther = formerName !== undefined && (formerName !== release.name || formerNamespace !== release.namespace)
  return isOther ? `${formerNamespace}/${formerName}` : ''
}

function refused(what: string, name: string, status: number): HookFailure {
  return new HookFailure(`KUBE.FAILED   the API server answered ${status} to: ${what} the definition ${name}`)
}
