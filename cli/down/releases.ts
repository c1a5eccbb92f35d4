import { Fault, problem } from '../../shared/model/problem.ts'
import { member } from '../armCall.ts'
import type { DownCluster } from './downCluster.ts'
import { listObjects } from './kubeObjects.ts'

export type Release = { readonly name: string; readonly namespace: string }

const CHARTS: ReadonlySet<unknown> = new Set(['joiner', 'joiner-crd'])
/** Time-out of Helm's wait for the deletion of a release's resources. */
const PATIENCE = '5m'

/**
 * Returns Joiner's releases in a cluster: those with these names that were made from Joiner's charts. Helm stores each release in labelled Secrets,
 * also if an installation or removal was interrupted.
 */
export async function ourReleases(
  cluster: Pick<DownCluster, 'id' | 'call' | 'helm'>,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly Release[]> {
  const labelSelector = `owner=helm,name in (${names.join(',')})`
  const secrets = await listObjects(cluster.call, '/api/v1/secrets', { labelSelector }, signal)
  const found = new Map<string, Release>()
  for (const { metadata } of secrets) {
    const { namespace = '', labels } = metadata
    const name = labels['name'] ?? ''
    found.set(`${namespace}/${name}`, { name, namespace })
  }
  const ours: Release[] = []
  for (const release of found.values()) if (CHARTS.has(await chartOf(cluster, release))) ours.push(release)
  return ours
}

async function chartOf({ helm, id }: Pick<DownCluster, 'id' | 'helm'>, { name, namespace }: Release): Promise<unknown> {
  const { code, out, errors } = await helm(['get', 'metadata', name, '--namespace', namespace, '--output', 'json'])
  if (code !== 0) throw failed(id, `read release ${namespace}/${name}`, errors)
  return member(JSON.parse(out), 'chart')
}

/** Uninstalls a release. Resources that the chart keeps stay: the CustomResourceDefinitions, and with them every NodePool. */
export async function uninstall({ helm, id }: Pick<DownCluster, 'id' | 'helm'>, { name, namespace }: Release): Promise<void> {
  const args = ['uninstall', name, '--namespace', namespace, '--ignore-not-found', '--wait', '--timeout', PATIENCE]
  const { code, errors } = await helm(args)
  if (code !== 0) throw failed(id, `uninstall release ${namespace}/${name}`, errors)
}

function failed(cluster: string, what: string, errors: string): Fault {
  return new Fault(`${what} of cluster ${cluster}`, problem('KUBE.FAILED', `helm: ${errors.trim().slice(0, 600)}`))
}
